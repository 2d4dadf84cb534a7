// SPDX-License-Identifier: MIT
// Blocks and their algorithms. Components that depend on each other through connections form a
// loop; loops and single components are called in an order in which values flow forward.
// Blocks with the algorithm jacobi get their inputs before anything is stepped, so for them the order
// does not matter.
#include "plan/compile.h"

#include <string.h>

typedef struct planner {
    takt_plan *plan;
    const takt_system *system;
    takt_problems *problems;
    takt_arena scratch;
    takt_components loops; // those of the whole system, members in calling order
    bool *is_loop; // per entry of loops
    bool *is_algebraic; // per entry of loops
    int *own; // per entry of loops: its own algorithm, or -1
} planner;

static int loop_size(const planner *p, int loop)
{
    return p->loops.first[loop + 1] - p->loops.first[loop];
}

// ---- loops -------------------------------------------------------------------------------------

static bool find_loops(planner *p)
{
    const takt_system *system = p->system;
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
        if (system->connections[i].from == system->connections[i].to &&
            !system->connections[i].is_initial)
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

// The loop should be iterated, but a member cannot be rewound.
static void report_obstacle(planner *p, int loop, int obstacle, takt_algorithm used,
                            const char *members)
{
    takt_problem_doubt(
        p->problems, p->system->components[obstacle].place,
        "component '%s' cannot be rewound (its FMU does not save its state), so the %sloop of %s "
        "is "
        "computed with %s, without iterating: %s",
        p->system->components[obstacle].name, p->is_algebraic[loop] ? "algebraic " : "", members,
        takt_algorithm_name(used),
        p->is_algebraic[loop]
            ? "it is not solved, and its results may be wrong by any amount; use an FMU that saves "
              "its state, or break the loop"
            : "its results depend on the step size; compare them with those of a smaller one, or "
              "choose seidel or jacobi to accept this");
}

static void report_impossible(planner *p, takt_algorithm algorithm, int obstacle,
                              const char *members)
{
    takt_problem(p->problems, TAKT_LEVEL_ERROR,
                 takt_project_place_of(p->system->project, &p->system->project->settings.algorithm),
                 "algorithm %s needs to rewind the loop of %s, but component '%s' cannot be "
                 "rewound (its FMU does not save its state); seidel and jacobi are possible",
                 takt_algorithm_name(algorithm), members, p->system->components[obstacle].name);
}

// The user has chosen an algorithm that cannot solve the loop.
static void report_unsolved(planner *p, takt_algorithm algorithm, const char *members)
{
    takt_problem_doubt(
        p->problems,
        takt_project_place_of(p->system->project, &p->system->project->settings.algorithm),
        "algorithm %s does not iterate, so the algebraic loop of %s is not solved, and its results "
        "may be wrong by any amount; choose fixed-point or newton",
        takt_algorithm_name(algorithm), members);
}

// What `algorithm` becomes for a loop.
static bool choose_algorithm(planner *p, int loop, takt_algorithm algorithm, takt_algorithm *out)
{
    int obstacle = first_without_rewind(p, loop);
    bool is_loop = p->is_loop[loop], is_algebraic = p->is_algebraic[loop];
    *out = takt_algorithm_for_block(algorithm, is_loop, is_algebraic, obstacle < 0);
    takt_algorithm ideal = takt_algorithm_for_block(algorithm, is_loop, is_algebraic, true);
    bool is_unsolved = is_algebraic && !takt_algorithms[ideal].iterates;
    bool has_obstacle = obstacle >= 0 && takt_algorithms[ideal].iterates;
    if (!is_unsolved && !has_obstacle) return true;
    const char *members = list_members(p, loop);
    if (!members) return false;
    if (is_unsolved)
        report_unsolved(p, *out, members);
    else if (*out != ideal)
        report_obstacle(p, loop, obstacle, *out, members);
    else
        report_impossible(p, algorithm, obstacle, members);
    return true;
}

// ---- blocks ------------------------------------------------------------------------------------

static bool add_block(planner *p, int loop)
{
    int n = loop_size(p, loop);
    int *members = takt_arena_array(&p->plan->arena, (size_t)n, sizeof *members);
    if (!members) return false;
    memcpy(members, p->loops.nodes + p->loops.first[loop], (size_t)n * sizeof *members);
    takt_block *block = &p->plan->blocks[p->plan->n_blocks++];
    *block = (takt_block){
        .members = members,
        .n_members = n,
        .level = p->loops.level[loop],
        .is_loop = p->is_loop[loop],
        .is_algebraic = p->is_algebraic[loop],
    };
    if (block->level >= p->plan->n_levels) p->plan->n_levels = block->level + 1;
    takt_algorithm wanted =
        p->own[loop] >= 0 ? (takt_algorithm)p->own[loop] : p->system->settings.algorithm;
    return choose_algorithm(p, loop, wanted, &block->algorithm);
}

static bool add_blocks(planner *p, const takt_wiring *wiring)
{
    if (!find_loops(p) || !find_algebraic_loops(p, wiring) || !read_own_algorithms(p)) return false;
    size_t n = (size_t)p->system->n_components;
    p->plan->blocks = takt_arena_array(&p->plan->arena, n, sizeof *p->plan->blocks);
    if (!p->plan->blocks) return false;
    for (int loop = 0; loop < p->loops.n_components; loop++)
        if (!add_block(p, loop)) return false;
    return true;
}

bool takt_plan_add_blocks(takt_plan *plan, const takt_wiring *wiring, takt_problems *problems)
{
    planner p = {
        .plan = plan, .system = plan->system, .problems = problems, .loops = wiring->loops};
    bool ok = add_blocks(&p, wiring);
    takt_arena_clear(&p.scratch);
    return ok;
}
