// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "graph/graph.h"

typedef struct fixture {
    takt_arena arena;
    takt_graph graph;
    takt_components components;
} fixture;

static void make(fixture *f, int n_nodes, const takt_edge *edges, int n_edges)
{
    *f = (fixture){0};
    assert_true(takt_graph_create(&f->arena, n_nodes, edges, n_edges, &f->graph));
    assert_true(takt_graph_components(&f->arena, &f->graph, &f->components));
}

static void clear(fixture *f)
{
    takt_arena_clear(&f->arena);
}

// "0 | 1 2 | 3": components in order with their nodes.
static void assert_components(const fixture *f, const char *expected)
{
    char text[512] = "";
    size_t n = 0;
    const takt_components *c = &f->components;
    for (int i = 0; i < c->n_components; i++) {
        if (i) n += (size_t)snprintf(text + n, sizeof text - n, " |");
        for (int m = c->first[i]; m < c->first[i + 1]; m++) {
            n += (size_t)snprintf(text + n, sizeof text - n, " %d", c->nodes[m]);
            assert_int_equal(c->component_of[c->nodes[m]], i);
        }
    }
    assert_string_equal(n ? text + 1 : text, expected);
}

static void assert_levels(const fixture *f, const int *expected)
{
    for (int i = 0; i < f->components.n_components; i++)
        assert_int_equal(f->components.level[i], expected[i]);
}

static void graph_lists_the_successors_of_each_node_in_the_given_order(void **state)
{
    (void)state;
    const takt_edge edges[] = {{2, 0}, {0, 1}, {2, 1}, {0, 2}, {0, 1}};
    fixture f;
    make(&f, 4, edges, 5);
    const int first[] = {0, 3, 3, 5, 5}, targets[] = {1, 2, 1, 0, 1};
    assert_memory_equal(f.graph.first, first, sizeof first);
    assert_memory_equal(f.graph.targets, targets, sizeof targets);
    clear(&f);
}

static void an_empty_graph_has_no_components(void **state)
{
    (void)state;
    fixture f;
    make(&f, 0, NULL, 0);
    assert_components(&f, "");
    clear(&f);
}

static void nodes_without_edges_keep_their_order(void **state)
{
    (void)state;
    fixture f;
    make(&f, 4, NULL, 0);
    assert_components(&f, "0 | 1 | 2 | 3");
    assert_levels(&f, (const int[]){0, 0, 0, 0});
    clear(&f);
}

static void order_follows_the_edges_against_the_numbers(void **state)
{
    (void)state;
    const takt_edge edges[] = {{3, 2}, {2, 1}, {1, 0}};
    fixture f;
    make(&f, 4, edges, 3);
    assert_components(&f, "3 | 2 | 1 | 0");
    assert_levels(&f, (const int[]){0, 1, 2, 3});
    clear(&f);
}

static void of_free_components_that_with_the_smallest_node_comes_first(void **state)
{
    (void)state;
    // 1 waits for 5; the loop 2-4 is free.
    const takt_edge edges[] = {{5, 1}, {2, 4}, {4, 2}};
    fixture f;
    make(&f, 6, edges, 3);
    assert_components(&f, "0 | 2 4 | 3 | 5 | 1");
    assert_levels(&f, (const int[]){0, 0, 0, 0, 1});
    clear(&f);
}

static void a_loop_is_one_component_between_what_it_needs_and_what_needs_it(void **state)
{
    (void)state;
    const takt_edge edges[] = {{4, 1}, {1, 3}, {3, 2}, {2, 1}, {3, 0}, {0, 0}};
    fixture f;
    make(&f, 5, edges, 6);
    assert_components(&f, "4 | 1 2 3 | 0");
    assert_levels(&f, (const int[]){0, 1, 2});
    clear(&f);
}

static void loops_that_share_a_node_are_one_component(void **state)
{
    (void)state;
    const takt_edge edges[] = {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {2, 3}};
    fixture f;
    make(&f, 4, edges, 6);
    assert_components(&f, "0 1 2 | 3");
    clear(&f);
}

static void level_is_one_more_than_the_highest_predecessor(void **state)
{
    (void)state;
    const takt_edge edges[] = {{0, 3}, {0, 1}, {1, 2}, {2, 3}};
    fixture f;
    make(&f, 4, edges, 4);
    assert_components(&f, "0 | 1 | 2 | 3");
    assert_levels(&f, (const int[]){0, 1, 2, 3});
    clear(&f);
}

enum { LARGE = 1000000 };

static void a_ring_of_a_million_nodes_is_one_component(void **state)
{
    (void)state;
    takt_edge *edges = malloc(LARGE * sizeof *edges);
    assert_non_null(edges);
    for (int i = 0; i < LARGE; i++) edges[i] = (takt_edge){i, (i + 1) % LARGE};
    fixture f;
    make(&f, LARGE, edges, LARGE);
    assert_int_equal(f.components.n_components, 1);
    assert_int_equal(f.components.nodes[LARGE - 1], LARGE - 1);
    clear(&f);
    free(edges);
}

static void a_backward_chain_of_a_million_nodes_is_reversed(void **state)
{
    (void)state;
    takt_edge *edges = malloc(LARGE * sizeof *edges);
    assert_non_null(edges);
    for (int i = 0; i < LARGE - 1; i++) edges[i] = (takt_edge){i + 1, i};
    fixture f;
    make(&f, LARGE, edges, LARGE - 1);
    assert_int_equal(f.components.n_components, LARGE);
    for (int i = 0; i < LARGE; i++) {
        if (f.components.nodes[i] != LARGE - 1 - i) fail_msg("wrong node at place %d", i);
        if (f.components.level[i] != i) fail_msg("wrong level at place %d", i);
    }
    clear(&f);
    free(edges);
}

// Compares with reachability by Warshall's algorithm on many small random graphs.
static void components_agree_with_mutual_reachability(void **state)
{
    (void)state;
    enum { N = 9 };
    uint32_t seed = 12345;
    for (int round = 0; round < 2000; round++) {
        takt_edge edges[20];
        bool reaches[N][N] = {{false}};
        int n_edges = round % 20;
        for (int i = 0; i < n_edges; i++) {
            seed = seed * 1664525u + 1013904223u;
            edges[i] = (takt_edge){(int)(seed >> 8) % N, (int)(seed >> 20) % N};
            reaches[edges[i].from][edges[i].to] = true;
        }
        for (int k = 0; k < N; k++)
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) reaches[i][j] |= reaches[i][k] && reaches[k][j];
        fixture f;
        make(&f, N, edges, n_edges);
        const int *of = f.components.component_of;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                bool together = i == j || (reaches[i][j] && reaches[j][i]);
                assert_int_equal(of[i] == of[j], together);
                if (!together && reaches[i][j]) assert_true(of[i] < of[j]);
            }
        clear(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_lists_the_successors_of_each_node_in_the_given_order),
        cmocka_unit_test(an_empty_graph_has_no_components),
        cmocka_unit_test(nodes_without_edges_keep_their_order),
        cmocka_unit_test(order_follows_the_edges_against_the_numbers),
        cmocka_unit_test(of_free_components_that_with_the_smallest_node_comes_first),
        cmocka_unit_test(a_loop_is_one_component_between_what_it_needs_and_what_needs_it),
        cmocka_unit_test(loops_that_share_a_node_are_one_component),
        cmocka_unit_test(level_is_one_more_than_the_highest_predecessor),
        cmocka_unit_test(a_ring_of_a_million_nodes_is_one_component),
        cmocka_unit_test(a_backward_chain_of_a_million_nodes_is_reversed),
        cmocka_unit_test(components_agree_with_mutual_reachability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
