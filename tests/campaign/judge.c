// SPDX-License-Identifier: MIT
// Right or wrong; see judge.h.
#include "campaign/judge.h"

#include <math.h>
#include <string.h>

// The error that is left in a loop is estimated, from one sweep or one matrix.
static const double LOOP_FACTOR = 3;

// Of what the error tests of all steps allow.
static const double COURSE_FACTOR = 2;

// The absolute tolerance refers to the nominal value, or to the largest value so far where none is declared.
static long double tolerance(const random_system *system, int i_node, long double v,
                             long double largest)
{
    long double unit = system->nodes[i_node].declares_nominal ? 1 : fmaxl(1, largest);
    return system->relative * fabsl(v) + system->absolute * unit;
}

static void note(judge *j, double t, int i_node, long double error, const char *what)
{
    outcome *out = j->outcome;
    if (error <= out->error) return;
    out->error = isnan(error) ? INFINITY : (double)error;
    out->t = t;
    out->i_node = i_node;
    out->what = what;
}

// ---- preparation -----------------------------------------------------------------------------------

// Removes nodes that read none of those that are left; what remains has a loop.
static bool has_algebraic_loop(const random_system *system)
{
    bool is_left[MAX_NODES];
    int n_left = 0, n_before = -1;
    for (int i = 0; i < system->n_nodes; i++)
        n_left += is_left[i] = has_feedthrough(&system->nodes[i]);
    while (n_left != n_before) {
        n_before = n_left;
        for (int i = 0; i < system->n_nodes; i++) {
            bool reads = false;
            for (int k = 0; k < system->nodes[i].n_inputs; k++)
                reads |= is_left[system->nodes[i].source[k]];
            if (is_left[i] && !reads) is_left[i] = false, n_left--;
        }
    }
    return n_left > 0;
}

static bool all_rewind(const random_system *system)
{
    for (int i = 0; i < system->n_nodes; i++)
        if (!system->nodes[i].rewinds) return false;
    return true;
}

void judge_init(judge *j, const random_system *system, takt_algorithm algorithm,
                const course *expected, outcome *out)
{
    *j = (judge){.system = system, .expected = expected, .outcome = out, .is_first = true};
    bool is_chosen = takt_algorithms[algorithm].iterates || algorithm == TAKT_ALGORITHM_AUTO;
    j->iterates = is_chosen && all_rewind(system);
    j->is_partly_iterated = is_chosen && !j->iterates;
    j->is_algebraic = has_algebraic_loop(system);
    j->n_breaks = find_breaks(system, j->breaks, MAX_BREAKS);
}

// ---- rows ------------------------------------------------------------------------------------------

static bool is_at_break(const judge *j, double t)
{
    for (int i = 0; i < j->n_breaks; i++)
        if (fabs(j->breaks[i] - t) <= 1e-11 * (1 + fabs(t))) return true;
    return false;
}

static void check_booleans(judge *j, const sight *now)
{
    for (int i = 0; i < j->system->n_nodes; i++) {
        const node *at = &j->system->nodes[i];
        if (!is_boolean(at)) continue;
        bool is_right = boolean_output(j->system, at, now->v, now->moment.t) == (now->v[i] != 0);
        long double near = LOOP_FACTOR * tolerance(j->system, at->source[0], at->a, 1);
        if (!is_right && distance_to_switching(at, now->v) > near)
            note(j, now->moment.t, i, INFINITY, "Boolean value does not fit");
    }
}

static void check_equations(judge *j, const sight *now)
{
    long double v[MAX_NODES], uncertainty[MAX_NODES];
    memcpy(v, now->v, sizeof v);
    if (!solve_moment(j->system, &now->moment, v, uncertainty)) {
        note(j, now->moment.t, 0, INFINITY, "no solution is near");
        return;
    }
    for (int i = 0; i < j->system->n_nodes; i++) {
        long double error = fmaxl(fabsl(now->v[i] - v[i]) - uncertainty[i], 0);
        if (!is_boolean(&j->system->nodes[i]))
            note(j, now->moment.t, i,
                 error / (LOOP_FACTOR * tolerance(j->system, i, v[i], j->largest[i])),
                 "equations are not solved");
    }
}

static bool is_near(long double a, long double b)
{
    return fabsl(a - b) <= 1e-12L * (fabsl(a) + fabsl(b)) + 1e-300L;
}

static void check_transfer(judge *j, const sight *now)
{
    for (int i = 0; i < j->system->n_nodes; i++) {
        const node *at = &j->system->nodes[i];
        if (at->law == LAW_COLUMN || at->law == LAW_HELD) continue;
        for (int k = 0; k < at->n_inputs; k++) {
            int from = at->source[k];
            if (!is_near(now->u[i][k], now->v[from]) && !is_near(now->u[i][k], j->before.v[from]))
                note(j, now->moment.t, i, INFINITY, "input is no value of its source");
        }
    }
}

// Of many rows only some are solved: all of the first ones, then fewer and fewer.
static bool is_turn(judge *j)
{
    if (j->n_rows++ < j->next_row) return false;
    int n = j->system->n_nodes;
    j->next_row = j->n_rows + (n > 12 ? j->n_rows : j->n_rows / 8);
    return true;
}

void judge_row(judge *j, const sight *now)
{
    for (int i = 0; i < j->system->n_nodes; i++)
        j->largest[i] = fmaxl(j->largest[i], fabsl(now->v[i]));
    bool must_agree = j->is_first || j->iterates || j->is_algebraic;
    bool is_smooth = !is_at_break(j, now->moment.t);
    if (must_agree && is_smooth && is_turn(j)) {
        check_booleans(j, now);
        check_equations(j, now);
    }
    bool has_events = j->system->n_rows > 0, has_halves = j->system->control == CONTROL_RICHARDSON;
    if (!must_agree && is_smooth && !j->is_partly_iterated && !has_events && !has_halves)
        check_transfer(j, now);
    j->is_first = false;
    j->before = *now;
}

// ---- the end ---------------------------------------------------------------------------------------

// Values that wait for their turn are late by as many steps as there are functions on their way, but by one
// only in the estimate.
static double delay_factor(const judge *j)
{
    int n = 1;
    for (int i = 0; i < j->system->n_nodes && !j->iterates; i++)
        n += 2 * !is_dynamic(&j->system->nodes[i]);
    return n;
}

static void check_course(judge *j, int64_t n_steps)
{
    const course *expected = j->expected;
    const random_system *system = j->system;
    long double allowed = 0;
    for (int i = 0; i < system->n_nodes; i++)
        allowed = fmaxl(allowed, tolerance(system, i, expected->largest[i], expected->largest[i]));
    allowed *= COURSE_FACTOR * delay_factor(j);
    for (int i = 0; i < system->n_nodes; i++) {
        long double sum = allowed * (LOOP_FACTOR + (long double)n_steps * expected->growth[i]);
        if (!is_boolean(&system->nodes[i]))
            note(j, system->stop_time, i, fabsl(j->before.v[i] - expected->end[i]) / sum,
                 "errors of the steps are larger than tested");
    }
}

void judge_end(judge *j, int64_t n_steps)
{
    double t = j->before.moment.t;
    if (j->is_first || fabs(t - j->system->stop_time) > 1e-9)
        note(j, t, 0, INFINITY, "the run does not reach its end");
    else if (j->system->control == CONTROL_RICHARDSON && j->expected->is_known)
        check_course(j, n_steps);
}
