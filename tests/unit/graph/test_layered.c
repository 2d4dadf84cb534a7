// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "graph/layered.h"

enum { N_NODES = 5 };

static const double heights[N_NODES] = {40, 40, 60, 40, 40};
static const int order[N_NODES] = {0, 1, 2, 3, 4};

static takt_layered make(const takt_layered_edge *edges, int n_edges)
{
    return (takt_layered){.n_nodes = N_NODES,
                          .n_edges = n_edges,
                          .heights = heights,
                          .order = order,
                          .edges = edges,
                          .gap = 10,
                          .edge_gap = 5};
}

static void layers_are_those_of_the_longest_path(void **state)
{
    (void)state;
    static const takt_layered_edge edges[] = {{0, 1, 5, 5},  {1, 2, 5, 5},  {0, 2, 15, 15},
                                              {3, 2, 5, 25}, {2, 1, 5, 15}, {4, 4, 5, 5}};
    takt_arena arena = {0};
    takt_layered g = make(edges, 6);
    assert_true(takt_layered_place(&g, &arena));
    assert_int_equal(g.n_layers, 3);
    static const int layers[N_NODES] = {0, 1, 2, 0, 0};
    for (int i = 0; i < N_NODES; i++) assert_int_equal(g.layer[i], layers[i]);
    static const bool back[] = {false, false, false, true, true, true};
    for (int i = 0; i < 6; i++) assert_int_equal(g.is_back[i], back[i]);
    assert_null(g.ways[4]);
    // The edge that passes layer 1 keeps away from the node there.
    double way = g.ways[2][0], top = g.y[1];
    assert_true(way <= top - 5 || way >= top + heights[1] + 10 - 1e-9);
    takt_arena_clear(&arena);
}

static void nodes_of_a_layer_keep_their_distance(void **state)
{
    (void)state;
    static const takt_layered_edge edges[] = {
        {0, 2, 5, 5}, {1, 2, 5, 25}, {2, 3, 5, 5}, {2, 4, 15, 5}};
    takt_arena arena = {0};
    takt_layered g = make(edges, 4);
    assert_true(takt_layered_place(&g, &arena));
    for (int a = 0; a < N_NODES; a++)
        for (int b = 0; b < N_NODES; b++)
            if (a != b && g.layer[a] == g.layer[b])
                assert_true(g.y[a] + heights[a] + 10 <= g.y[b] + 1e-9 ||
                            g.y[b] + heights[b] + 10 <= g.y[a] + 1e-9);
    double least = g.y[0];
    for (int i = 1; i < N_NODES; i++) least = g.y[i] < least ? g.y[i] : least;
    assert_near(least, 0, 0);
    takt_arena_clear(&arena);
}

// 0 and 1 are connected with 3 and 2: in the order of the numbers the edges would cross.
static void edges_are_uncrossed(void **state)
{
    (void)state;
    static const takt_layered_edge edges[] = {{0, 3, 5, 5}, {1, 2, 5, 5}};
    takt_arena arena = {0};
    takt_layered g = make(edges, 2);
    assert_true(takt_layered_place(&g, &arena));
    assert_int_equal(g.y[0] < g.y[1], g.y[3] < g.y[2]);
    takt_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_those_of_the_longest_path),
        cmocka_unit_test(nodes_of_a_layer_keep_their_distance),
        cmocka_unit_test(edges_are_uncrossed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
