// SPDX-License-Identifier: MIT
// Newton's method for a loop (Petridis and Clauss 2015, equation 5). The unknowns x are the real
// values that members deliver to members; S(x) is what they deliver when all of them step with
// inputs x. Solved is r = S(x) - x = 0.
//
// The matrix J = I - dS/dx is made column by column: one unknown is changed, and only the members
// that read it are stepped again; where an instance gives directional derivatives, these serve until
// they turn out too inexact (they are derivatives at one instant, not of the whole step). J is kept,
// also from step to step, while the residual shrinks well. A step that makes the residual grow is
// halved. A solution is accepted only if its residual and the Newton step that would follow are both
// small: with a large loop gain either alone can deceive.
//
// Discrete values are frozen while the real ones are solved, then updated, until they rest.
#include "run/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "num/dense.h"
#include "run/algorithm.h"
#include "run/calls.h"
#include "run/derivatives.h"
#include "run/previous.h"
#include "run/step_log.h"

// J is renewed after an iteration that reduced the residual by less than this factor.
static const double SLOW = 0.1;

// Relative error of the difference quotients.
static const double PRECISION = 1e-7;

enum { MAX_HALVINGS = 10 };

// One solution: what does not change while it goes on.
typedef struct solution {
    takt_run *run;
    takt_run_block *block;
    takt_newton_block *newton;
    const takt_step_plan *step;
    takt_outcome *outcome;
} solution;

// ---- evaluation ----------------------------------------------------------------------------------

// Steps an instance from its saved state, with the inputs that y gives.
static takt_status step_member(solution *at, int i_instance, takt_error *err)
{
    takt_newton_member *member = &at->newton->members[at->newton->place[i_instance]];
    takt_status st = TAKT_OK;
    if (member->is_stepped) st = takt_run_restore(at->run, i_instance, at->step->t, err);
    member->is_stepped = true;
    if (!st) st = takt_run_advance_instance(at->run, i_instance, at->step, at->outcome, err);
    return st;
}

static takt_status offer(solution *at, const double *x, takt_error *err)
{
    for (int i = 0; i < at->newton->n; i++) at->run->y.real[at->newton->unknowns[i]] = x[i];
    return takt_previous_recall_discrete(at->run, at->block, err);
}

// Values that are not finite are no error here: a smaller step may avoid them.
static bool is_only_not_finite(const solution *at)
{
    for (int i = 0; i < at->block->plan->n_members; i++)
        if (at->run->instances[at->block->plan->members[i]].has_failed) return false;
    return true;
}

static double weight(const solution *at, double x)
{
    const takt_settings *settings = &at->run->plan->system->settings;
    return fabs(x) * settings->relative_tolerance + settings->absolute_tolerance;
}

// Root of the mean square of r in units of the tolerances at x. Finite, however large r is.
static double norm(const solution *at, const double *r, const double *x)
{
    double largest = 0, sum = 0;
    for (int i = 0; i < at->newton->n; i++)
        largest = fmax(largest, fmin(fabs(r[i]) / weight(at, x[i]), DBL_MAX));
    if (largest == 0) return 0;
    for (int i = 0; i < at->newton->n; i++) {
        double part = fmin(fabs(r[i]) / weight(at, x[i]), DBL_MAX) / largest;
        sum += part * part;
    }
    return largest * sqrt(sum / at->newton->n);
}

// Steps all members with inputs x; `size` is the norm of the residual, infinite if values are not
// finite.
static takt_status evaluate(solution *at, const double *x, double *size, takt_error *err)
{
    takt_newton_block *newton = at->newton;
    const int *members = at->block->plan->members;
    int n = at->block->plan->n_members;
    *size = INFINITY;
    for (int i = 0; i < newton->n; i++)
        if (!isfinite(x[i])) return TAKT_OK;
    takt_status st = offer(at, x, err);
    for (int i = 0; i < n && !st; i++)
        st = takt_run_gather_for_step(at->run, members[i], at->step, err);
    for (int i = 0; i < n && !st && at->outcome->end == TAKT_STEP_DONE; i++)
        st = step_member(at, members[i], err);
    at->block->sweeps++;
    if (st) return st == TAKT_ERR_SIMULATION && is_only_not_finite(at) ? TAKT_OK : st;
    for (int i = 0; i < newton->n; i++)
        newton->residual[i] = at->run->y.real[newton->unknowns[i]] - x[i];
    *size = norm(at, newton->residual, x);
    return TAKT_OK;
}

// ---- the matrix ----------------------------------------------------------------------------------

static bool gives_derivatives(const solution *at, int i_instance)
{
    const takt_model *model = at->run->instances[i_instance].instance->model;
    return !at->newton->uses_quotients && model->can.directional_derivatives &&
           model->type->differentiate;
}

// Column j from the instance's own derivatives. The derivatives have the order of the member's rows.
static takt_status derive(solution *at, int j, const takt_newton_reader *reader, takt_error *err)
{
    takt_newton_block *newton = at->newton;
    takt_instance *instance = at->run->instances[reader->i_instance].instance;
    const takt_newton_member *member = &newton->members[newton->place[reader->i_instance]];
    double seed = 1;
    double *derivative = newton->step; // free at this time
    takt_status st = instance->type->differentiate(instance, &member->outputs, &reader->input,
                                                   &seed, derivative, err);
    if (st) {
        at->run->instances[reader->i_instance].has_failed = true;
        return takt_within(err, st, "instance '%s' at t=%.15g s", instance->name, at->step->t);
    }
    newton->is_derived = true;
    for (int k = 0; k < member->n_rows; k++)
        newton->matrix[member->rows[k] * newton->n + j] -= derivative[k];
    return TAKT_OK;
}

// Column j by difference quotients: the members that read unknown j step again with it changed.
static takt_status quotient(solution *at, int j, takt_error *err)
{
    takt_newton_block *newton = at->newton;
    double x_j = newton->x[j];
    double delta = 0.1 * weight(at, x_j);
    delta = fmax(delta, sqrt(DBL_EPSILON) * fmax(fabs(x_j), fabs(newton->s[j])));
    newton->x[j] = x_j + delta;
    delta = newton->x[j] - x_j; // what was really added
    takt_status st = offer(at, newton->x, err);
    newton->x[j] = x_j;

    int last = newton->first_reader[j + 1];
    for (int k = newton->first_reader[j]; k < last && !st; k++)
        if (!gives_derivatives(at, newton->readers[k].i_instance))
            st = takt_run_gather_for_step(at->run, newton->readers[k].i_instance, at->step, err);
    for (int k = newton->first_reader[j]; k < last && !st; k++) {
        int i_instance = newton->readers[k].i_instance;
        bool is_again =
            k > newton->first_reader[j] && newton->readers[k - 1].i_instance == i_instance;
        if (is_again || gives_derivatives(at, i_instance)) continue;
        st = step_member(at, i_instance, err);
        if (st || at->outcome->end != TAKT_STEP_DONE) return st;
        const takt_newton_member *member = &newton->members[newton->place[i_instance]];
        for (int r = 0; r < member->n_rows; r++) {
            int row = member->rows[r];
            double changed = at->run->y.real[newton->unknowns[row]];
            newton->matrix[row * newton->n + j] -= (changed - newton->s[row]) / delta;
        }
    }
    return st;
}

// Makes and decomposes J at x, where s = S(x). Afterwards members may be in states of their own.
static takt_status make_matrix(solution *at, takt_error *err)
{
    takt_newton_block *newton = at->newton;
    int n = newton->n;
    newton->is_at_x = newton->is_derived = false;
    memset(newton->matrix, 0, (size_t)n * (size_t)n * sizeof *newton->matrix);
    for (int i = 0; i < n; i++) newton->matrix[i * n + i] = 1;
    takt_status st = TAKT_OK;
    for (int j = 0; j < n && !st; j++)
        for (int k = newton->first_reader[j]; k < newton->first_reader[j + 1] && !st; k++)
            if (gives_derivatives(at, newton->readers[k].i_instance))
                st = derive(at, j, &newton->readers[k], err);
    for (int j = 0; j < n && !st && at->outcome->end == TAKT_STEP_DONE; j++)
        st = quotient(at, j, err);
    if (st || at->outcome->end != TAKT_STEP_DONE) return st;
    newton->has_matrix = newton->is_fresh = true;
    takt_clear_cancelled(n, newton->matrix, PRECISION);
    if (takt_lu_decompose(n, newton->matrix, newton->pivots, newton->scales, PRECISION))
        return TAKT_OK;
    newton->has_matrix = false;
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "t=%.15g s: the loop of '%s' has no unique solution (its matrix is singular); "
                     "try another --algorithm or a smaller --step-size",
                     at->step->t, at->run->instances[at->block->plan->members[0]].instance->name);
}

// ---- the iteration -------------------------------------------------------------------------------

// Takes over the attempt as the accepted point.
static void accept_attempt(takt_newton_block *newton)
{
    for (int i = 0; i < newton->n; i++) {
        newton->x[i] = newton->x_try[i];
        newton->s[i] = newton->x_try[i] + newton->residual[i];
    }
    newton->is_fresh = false;
    newton->is_at_x = true;
}

// The Newton step from x; its norm.
static double make_step(solution *at)
{
    takt_newton_block *newton = at->newton;
    for (int i = 0; i < newton->n; i++) newton->step[i] = newton->s[i] - newton->x[i];
    takt_lu_solve(newton->n, newton->matrix, newton->pivots, newton->step);
    return norm(at, newton->step, newton->x);
}

// The residual after an attempt.
typedef struct trial {
    double size; // its norm; infinite: values are not finite
    double
        in_old_units; // the same with the tolerances at x: those of a larger x let it seem smaller
} trial;

static bool is_better(const trial *result, double size)
{
    return result->in_old_units < size || result->size <= 1;
}

// Goes along the step. While the residual grows, the step is halved; but an old matrix is not worth
// that effort.
static takt_status try_step(solution *at, double size, trial *out, takt_error *err)
{
    takt_newton_block *newton = at->newton;
    double factor = at->run->plan->system->settings.damping;
    int n_attempts = newton->is_fresh ? 1 + MAX_HALVINGS : 1;
    newton->is_at_x = false;
    for (int k = 0; k < n_attempts; k++, factor /= 2) {
        for (int i = 0; i < newton->n; i++)
            newton->x_try[i] = newton->x[i] + factor * newton->step[i];
        takt_status st = evaluate(at, newton->x_try, &out->size, err);
        if (st || at->outcome->end != TAKT_STEP_DONE) return st;
        out->in_old_units = isinf(out->size) ? INFINITY : norm(at, newton->residual, newton->x);
        if (is_better(out, size)) return TAKT_OK;
    }
    return TAKT_OK;
}

// Is the matrix no longer good enough? A full Newton step should reduce the residual tenfold, a damped
// one accordingly less. An old matrix must do so within the tolerances as well, for it judges the
// solution.
static bool is_slow(const solution *at, double size, const trial *result)
{
    double damping = at->run->plan->system->settings.damping;
    double expected = 1 - damping * (1 - SLOW);
    double small = at->newton->is_fresh ? 1 : SLOW;
    return !(result->in_old_units <= expected * size || result->size <= small);
}

typedef enum progress { GOES_ON, SOLVED, STUCK } progress;

// One iteration from x, where s = S(x) and `size` is the norm of the residual.
static takt_status iterate(solution *at, double *size, progress *out, takt_error *err)
{
    takt_newton_block *newton = at->newton;
    bool members_are_at_x = newton->has_matrix; // making the matrix moves them away
    takt_status st = newton->has_matrix ? TAKT_OK : make_matrix(at, err);
    if (st || at->outcome->end != TAKT_STEP_DONE) return st;
    double step = make_step(at);
    takt_step_log_sweep(at->run, at->block, at->step, *size, step);
    *out = members_are_at_x && *size <= 1 && step <= 1 ? SOLVED : GOES_ON;
    if (*out == SOLVED) return TAKT_OK;

    trial result;
    st = try_step(at, *size, &result, err);
    if (st || at->outcome->end != TAKT_STEP_DONE) return st;
    if (is_slow(at, *size, &result)) {
        newton->uses_quotients |= newton->is_fresh && newton->is_derived;
        newton->has_matrix = false;
    }
    if (is_better(&result, *size)) {
        accept_attempt(newton);
        *size = result.size;
    } else if (newton->is_fresh && !newton->is_derived) {
        *out = STUCK;
    }
    return TAKT_OK;
}

// Without a solution a run may go on: from the best values found, with members that belong to them.
static takt_status return_to_x(solution *at, takt_error *err)
{
    double size;
    if (at->newton->is_at_x) return TAKT_OK;
    takt_status st = evaluate(at, at->newton->x, &size, err);
    return !st && isinf(size) ? TAKT_ERR_SIMULATION : st; // the message is that of the evaluation
}

// Solves for the real values, with the discrete ones frozen. The first evaluation must succeed.
static takt_status solve(solution *at, int64_t *n_left, bool *is_solved, takt_error *err)
{
    takt_newton_block *newton = at->newton;
    double size;
    for (int i = 0; i < newton->n; i++) newton->x_try[i] = at->run->y.real[newton->unknowns[i]];
    takt_status st = evaluate(at, newton->x_try, &size, err);
    if (!st && isinf(size)) st = TAKT_ERR_SIMULATION; // the message is that of the evaluation
    if (st || at->outcome->end != TAKT_STEP_DONE) return st;
    accept_attempt(newton);
    progress state = size == 0 ? SOLVED : GOES_ON;
    while (state == GOES_ON && (*n_left)-- > 0) {
        st = iterate(at, &size, &state, err);
        if (st || at->outcome->end != TAKT_STEP_DONE) return st;
    }
    *is_solved = state == SOLVED;
    return *is_solved ? TAKT_OK : return_to_x(at, err);
}

takt_status takt_newton_advance(takt_run *run, takt_run_block *block, const takt_step_plan *step,
                                takt_outcome *outcome, takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    if (step->h < settings->step_fallback)
        return takt_seidel_advance(run, block, step, outcome, err);
    solution at = {run, block, block->newton, step, outcome};
    for (int i = 0; i < block->plan->n_members; i++) {
        block->newton->members[i].is_stepped = false;
        // The unknowns are values at the end of the step, from the first guess on.
        if (run->derivatives) takt_derivatives_mark(run, block->plan->members[i]);
    }
    bool is_solved = true;
    for (int64_t n_left = settings->iterations; is_solved && n_left > 0; n_left--) {
        takt_status st = takt_previous_remember(run, block, err);
        if (!st) st = solve(&at, &n_left, &is_solved, err);
        if (st || outcome->end != TAKT_STEP_DONE) return st;
        if (is_solved && takt_previous_discrete_agree(run, block)) return TAKT_OK;
        block->newton->has_matrix = false; // other discrete values, other derivatives
    }
    outcome->is_unconverged = true;
    return TAKT_OK;
}
