// SPDX-License-Identifier: MIT
// Blocks and their algorithms. Components that depend on each other through connections form a
// loop; loops and single components are called in an order in which values flow forward.
//
// With jacobi as the general algorithm every instance uses the values of the last communication
// point, so order and loops do not matter: all components without an algorithm of their own form
// one block that comes first.
#include "plan/wiring.h"

#include <string.h>

#include "base/text.h"

typedef struct planner {
    takt_plan *plan;
    const takt_system *system;
    takt_problems *problems;
    takt_arena scratch;
    takt_components loops; // those of the whole system
    bool *is_loop; // per entry of loops
    bool *is_algebraic; // per entry of loops
    int *own; // per entry of loops: its own algorithm, or -1
} planner;

static int loop_size(const planner *p, int loop)
{
    return p->loops.first[loop + 1] - p->loops.first[loop];
}

// ---- loops -------------------------------------------------------------------------------------

static bool find_components(planner *p, const bool *is_left_out, takt_components *out)
{
    const takt_system *system = p->system;
    takt_edge *edges = takt_arena_array(&p->scratch, (size_t)system->n_connections, sizeof *edges);
    takt_graph graph;
    int n = 0;
    if (!edges) return false;
    for (int i = 0; i < system->n_connections; i++) {
        const takt_connection *c = &system->connections[i];
        if (is_left_out && (is_left_out[c->from] || is_left_out[c->to])) continue;
        edges[n++] = (takt_edge){c->from, c->to};
    }
    return takt_graph_create(&p->scratch, system->n_components, edges, n, &graph) &&
           takt_graph_components(&p->scratch, &graph, out);
}

static bool find_loops(planner *p)
{
    const takt_system *system = p->system;
    if (!find_components(p, NULL, &p->loops)) return false;
    size_t n = (size_t)p->loops.n_components;
    p->is_loop = takt_arena_array(&p->scratch, n, sizeof *p->is_loop);
    p->is_algebraic = takt_arena_array(&p->scratch, n, sizeof *p->is_algebraic);
    p->own = takt_arena_array(&p->scratch, n, sizeof *p->own);
    if (!p->is_loop || !p->is_algebraic || !p->own) return false;
    for (int i = 0; i < p->loops.n_components; i++) {
        p->is_loop[i] = loop_size(p, i) > 1;
        p->own[i] = -1;
    }
    for (int i = 0; i < system->n_connections; i++) // a component connected with itself
        if (system->connections[i].from == system->connections[i].to)
            p->is_loop[p->loops.component_of[system->connections[i].from]] = true;
    return true;
}

// A loop is algebraic when a circle leads through connections and feedthrough from variable to
// variable, and not only from component to component.
static bool find_algebraic_loops(planner *p, const takt_wiring *wiring)
{
    takt_graph graph;
    takt_components circles;
    if (!takt_wiring_graph(&p->scratch, wiring, false, &graph) ||
        !takt_graph_components(&p->scratch, &graph, &circles))
        return false;
    for (int i = 0; i < circles.n_components; i++) {
        if (circles.first[i + 1] - circles.first[i] < 2) continue;
        int component = takt_wiring_component(wiring, circles.nodes[circles.first[i]]);
        p->is_algebraic[p->loops.component_of[component]] = true;
    }
    return true;
}

// ---- algorithms --------------------------------------------------------------------------------

static bool read_own_algorithms(planner *p)
{
    const takt_settings *settings = &p->system->settings;
    takt_place place =
        takt_project_place_of(p->system->project, &p->system->project->settings.algorithm);
    for (int i = 0; i < settings->loop_algorithms.n_items; i++) {
        const char *item = settings->loop_algorithms.items[i];
        takt_algorithm algorithm = TAKT_ALGORITHM_AUTO;
        size_t length = takt_algorithm_of_loop(item, &algorithm);
        const char *name = takt_arena_copy_n(&p->scratch, item, length);
        if (!name) return false;
        int component = takt_map_find(&p->system->names, name);
        if (component < 0) continue; // was reported when the system was made
        int loop = p->loops.component_of[component];
        if (p->is_loop[loop])
            p->own[loop] = (int)algorithm;
        else
            takt_problem(p->problems, TAKT_LEVEL_WARN, place,
                         "algorithm %s: component '%s' is in no loop, so this has no effect", item,
                         name);
    }
    return true;
}

// "A, B, C" of the members of a loop, for messages; long lists are cut. NULL: out of memory.
static const char *list_members(planner *p, int loop)
{
    enum { SHOWN = 8 };
    const char *text = "";
    for (int i = 0; i < loop_size(p, loop) && i < SHOWN && text; i++) {
        int member = p->loops.nodes[p->loops.first[loop] + i];
        text = takt_arena_print(&p->scratch, "%s%s%s", text, i ? ", " : "",
                                p->system->components[member].name);
    }
    if (text && loop_size(p, loop) > SHOWN)
        text = takt_arena_print(&p->scratch, "%s, ... (%d components)", text, loop_size(p, loop));
    return text;
}

// The first member that cannot be rewound, or -1.
static int first_without_rewind(const planner *p, int loop)
{
    for (int i = p->loops.first[loop]; i < p->loops.first[loop + 1]; i++)
        if (!takt_model_can_rewind(p->system->components[p->loops.nodes[i]].model))
            return p->loops.nodes[i];
    return -1;
}

// What `algorithm` becomes for a loop.
static bool choose_algorithm(planner *p, int loop, takt_algorithm algorithm, takt_algorithm *out)
{
    *out = TAKT_ALGORITHM_SEIDEL;
    if (loop_size(p, loop) == 1) return true; // nothing to iterate
    if (algorithm == TAKT_ALGORITHM_JACOBI || algorithm == TAKT_ALGORITHM_SEIDEL) {
        *out = algorithm;
        return true;
    }
    int obstacle = first_without_rewind(p, loop);
    if (obstacle < 0) {
        *out = TAKT_ALGORITHM_FIXED_POINT;
        return true;
    }
    const char *members = list_members(p, loop);
    if (!members) return false;
    const char *name = p->system->components[obstacle].name;
    const takt_settings *settings = &p->system->project->settings;
    if (algorithm == TAKT_ALGORITHM_AUTO)
        takt_problem(p->problems, TAKT_LEVEL_INFO, p->system->components[obstacle].place,
                     "component '%s' cannot be rewound, so the loop of %s is computed with seidel, "
                     "without iterating",
                     name, members);
    else
        takt_problem(p->problems, TAKT_LEVEL_ERROR,
                     takt_project_place_of(p->system->project, &settings->algorithm),
                     "algorithm %s needs to rewind the loop of %s, but component '%s' cannot be "
                     "rewound (its FMU does not save its state); seidel and jacobi are possible",
                     takt_algorithm_name(algorithm), members, name);
    return true;
}

// ---- blocks ------------------------------------------------------------------------------------

static takt_block *add_block(takt_plan *plan, const int *members, int n_members)
{
    takt_block *block = &plan->blocks[plan->n_blocks++];
    *block = (takt_block){.members = members, .n_members = n_members};
    return block;
}

static void add_level(takt_plan *plan, takt_block *block, int level)
{
    block->level = level;
    if (level >= plan->n_levels) plan->n_levels = level + 1;
}

// The components that jacobi advances together, in the order of the project.
static bool add_jacobi_block(planner *p, bool *is_member)
{
    const takt_system *system = p->system;
    int *members = takt_arena_array(&p->plan->arena, (size_t)system->n_components, sizeof *members);
    if (!members) return false;
    int n = 0;
    bool is_loop = false, is_algebraic = false;
    for (int i = 0; i < system->n_components; i++) {
        int loop = p->loops.component_of[i];
        if (p->own[loop] >= 0) continue;
        is_member[i] = true;
        members[n++] = i;
        is_loop |= p->is_loop[loop];
        is_algebraic |= p->is_algebraic[loop];
    }
    if (n == 0) return true;
    takt_block *block = add_block(p->plan, members, n);
    block->is_loop = is_loop;
    block->is_algebraic = is_algebraic;
    block->algorithm = TAKT_ALGORITHM_JACOBI;
    add_level(p->plan, block, 0);
    return true;
}

// One block for each loop or single component that is not left out.
static bool add_ordered_blocks(planner *p, const bool *is_left_out, int first_level)
{
    takt_components order;
    if (!find_components(p, is_left_out, &order)) return false;
    for (int i = 0; i < order.n_components; i++) {
        int first = order.first[i], n = order.first[i + 1] - first;
        if (is_left_out && is_left_out[order.nodes[first]]) continue;
        int loop = p->loops.component_of[order.nodes[first]];
        int *members = takt_arena_array(&p->plan->arena, (size_t)n, sizeof *members);
        if (!members) return false;
        memcpy(members, order.nodes + first, (size_t)n * sizeof *members);
        takt_block *block = add_block(p->plan, members, n);
        block->is_loop = p->is_loop[loop];
        block->is_algebraic = p->is_algebraic[loop];
        add_level(p->plan, block, first_level + order.level[i]);
        takt_algorithm wanted =
            p->own[loop] >= 0 ? (takt_algorithm)p->own[loop] : p->system->settings.algorithm;
        if (!choose_algorithm(p, loop, wanted, &block->algorithm)) return false;
    }
    return true;
}

static bool add_blocks(planner *p, const takt_wiring *wiring)
{
    if (!find_loops(p) || !find_algebraic_loops(p, wiring) || !read_own_algorithms(p)) return false;
    size_t n = (size_t)p->system->n_components;
    p->plan->blocks = takt_arena_array(&p->plan->arena, n, sizeof *p->plan->blocks);
    if (!p->plan->blocks) return false;
    if (p->system->settings.algorithm != TAKT_ALGORITHM_JACOBI)
        return add_ordered_blocks(p, NULL, 0);
    bool *is_jacobi = takt_arena_array(&p->scratch, n, sizeof *is_jacobi);
    return is_jacobi && add_jacobi_block(p, is_jacobi) &&
           add_ordered_blocks(p, is_jacobi, p->plan->n_levels);
}

bool takt_plan_add_blocks(takt_plan *plan, const takt_wiring *wiring, takt_problems *problems)
{
    planner p = {.plan = plan, .system = plan->system, .problems = problems};
    bool ok = add_blocks(&p, wiring);
    takt_arena_clear(&p.scratch);
    return ok;
}
