// SPDX-License-Identifier: MIT
// Evaluating the equations of a loop; see loop.h.
#include "run/loop.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "run/advance.h"
#include "run/calls.h"
#include "run/derivatives.h"
#include "run/pass.h"
#include "run/scale.h"
#include "run/step_log.h"

const char *takt_loop_name(const takt_loop *loop)
{
    return loop->run->work.instances[loop->block->plan->members[0]].instance->name;
}

void takt_loop_log(const takt_loop *loop, double norm, double step_norm)
{
    takt_step_log_sweep(loop->run, loop->block, loop->step, norm, step_norm);
}

// ---- values of the sweep before ----------------------------------------------------------------------

static takt_status copy_bytes(const takt_bytes *from, takt_bytes *to, takt_error *err)
{
    return takt_bytes_assign(to, from->data, from->size) ? TAKT_OK : takt_fail_memory(err);
}

static takt_status copy_discrete(const takt_loop *loop, const takt_values *from, takt_values *to,
                                 takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < loop->n_switches; i++)
        to->real[loop->switches[i]] = from->real[loop->switches[i]];
    for (int i = 0; i < loop->n_own[TAKT_KIND_INTEGER]; i++) {
        int k = loop->own[TAKT_KIND_INTEGER][i];
        to->integer[k] = from->integer[k];
    }
    for (int i = 0; i < loop->n_own[TAKT_KIND_BYTES] && !st; i++) {
        int k = loop->own[TAKT_KIND_BYTES][i];
        st = copy_bytes(&from->bytes[k], &to->bytes[k], err);
    }
    return st;
}

takt_status takt_loop_offer_discrete(takt_loop *loop, takt_error *err)
{
    return copy_discrete(loop, &loop->run->work.previous, &loop->run->state.y, err);
}

takt_status takt_loop_hold(takt_loop *loop, int i_instance, takt_error *err)
{
    const takt_plan_instance *plan = &loop->run->plan->instances[i_instance];
    takt_values *y = &loop->run->state.y, *kept = &loop->run->work.previous;
    takt_values *to = &loop->delivered;
    takt_status st = TAKT_OK;
    int first = plan->first_output[TAKT_KIND_REAL];
    int end = first + plan->outputs.n_values[TAKT_KIND_REAL];
    for (int i = 0; i < loop->n_switches; i++) {
        int k = loop->switches[i];
        if (k < first || k >= end) continue;
        to->real[k] = y->real[k];
        y->real[k] = kept->real[k];
    }
    first = plan->first_output[TAKT_KIND_INTEGER];
    for (int k = first; k < first + plan->outputs.n_values[TAKT_KIND_INTEGER]; k++) {
        to->integer[k] = y->integer[k];
        y->integer[k] = kept->integer[k];
    }
    first = plan->first_output[TAKT_KIND_BYTES];
    for (int k = first; k < first + plan->outputs.n_values[TAKT_KIND_BYTES] && !st; k++) {
        st = copy_bytes(&y->bytes[k], &to->bytes[k], err);
        if (!st) st = copy_bytes(&kept->bytes[k], &y->bytes[k], err);
    }
    return st;
}

takt_status takt_loop_release(takt_loop *loop, takt_error *err)
{
    return copy_discrete(loop, &loop->delivered, &loop->run->state.y, err);
}

takt_status takt_loop_remember(takt_loop *loop, takt_error *err)
{
    const takt_values *y = &loop->run->state.y;
    takt_values *previous = &loop->run->work.previous;
    for (int i = 0; i < loop->n_own[TAKT_KIND_REAL]; i++) {
        int k = loop->own[TAKT_KIND_REAL][i];
        previous->real[k] = y->real[k];
    }
    return copy_discrete(loop, y, previous, err);
}

takt_status takt_loop_recall(takt_loop *loop, takt_error *err)
{
    takt_values *y = &loop->run->state.y;
    const takt_values *previous = &loop->run->work.previous;
    for (int i = 0; i < loop->n_own[TAKT_KIND_REAL]; i++) {
        int k = loop->own[TAKT_KIND_REAL][i];
        y->real[k] = previous->real[k];
    }
    return copy_discrete(loop, previous, y, err);
}

// The first discrete value that is not the same as the one kept; false: all are.
static bool find_changed(const takt_loop *loop, takt_kind *kind, int *index)
{
    const takt_values *y = &loop->run->state.y, *previous = &loop->run->work.previous;
    *kind = TAKT_KIND_INTEGER;
    for (int i = 0; i < loop->n_own[TAKT_KIND_INTEGER]; i++) {
        *index = loop->own[TAKT_KIND_INTEGER][i];
        if (previous->integer[*index] != y->integer[*index]) return true;
    }
    *kind = TAKT_KIND_BYTES;
    for (int i = 0; i < loop->n_own[TAKT_KIND_BYTES]; i++) {
        *index = loop->own[TAKT_KIND_BYTES][i];
        if (!takt_bytes_equal(&previous->bytes[*index], &y->bytes[*index])) return true;
    }
    *kind = TAKT_KIND_REAL;
    for (int i = 0; i < loop->n_switches; i++) {
        *index = loop->switches[i];
        if (previous->real[*index] != y->real[*index]) return true;
    }
    return false;
}

bool takt_loop_is_discrete_same(const takt_loop *loop)
{
    takt_kind kind;
    int index;
    return !find_changed(loop, &kind, &index);
}

static uint64_t hash_discrete(const takt_loop *loop, const takt_values *values)
{
    uint64_t hash = TAKT_HASH_BEGIN;
    for (int i = 0; i < loop->n_own[TAKT_KIND_INTEGER]; i++)
        hash =
            takt_hash_add(hash, &values->integer[loop->own[TAKT_KIND_INTEGER][i]], sizeof(int64_t));
    for (int i = 0; i < loop->n_own[TAKT_KIND_BYTES]; i++) {
        const takt_bytes *value = &values->bytes[loop->own[TAKT_KIND_BYTES][i]];
        hash = takt_hash_add(hash, &value->size, sizeof value->size);
        hash = takt_hash_add(hash, value->data, value->size);
    }
    for (int i = 0; i < loop->n_switches; i++)
        hash = takt_hash_add(hash, &values->real[loop->switches[i]], sizeof(double));
    return hash;
}

void takt_loop_note_flip(takt_loop *loop)
{
    takt_kind kind;
    int index;
    if (find_changed(loop, &kind, &index))
        takt_flip_note(loop->run, &loop->block->flip, kind, index, &loop->run->work.previous,
                       loop->step->t);
}

bool takt_loop_returns(takt_loop *loop)
{
    takt_run *run = loop->run;
    if (loop->patterns.n == 0)
        takt_patterns_meet(&loop->patterns, hash_discrete(loop, &run->work.previous));
    if (!takt_patterns_meet(&loop->patterns, hash_discrete(loop, &run->state.y))) return false;
    takt_loop_note_flip(loop);
    return true;
}

// ---- norms -------------------------------------------------------------------------------------------

static bool is_as_in_papers(const takt_loop *loop)
{
    return loop->run->plan->system->settings.norm == TAKT_NORM_PAPERS;
}

// The tolerance of value k of y where it is x.
static double weight(const takt_loop *loop, int k, double x)
{
    return takt_scale_tolerance(loop->run, k, x, TAKT_SCALE_LEAST);
}

// In units of what loops are given of its tolerance. What rounding explains does not count, so that repeating can
// come to rest.
double takt_loop_size(const takt_loop *loop, int k, double difference, double x)
{
    double rounding = loop->run->scale->precision[k] * fabs(x);
    if (!(loop->run->scale->nominal[k] > 0)) rounding = fmax(rounding, loop->rounding);
    double size = fmax(fabs(difference) - rounding, 0);
    return fmin(size / (loop->run->work.loop_share * weight(loop, k, x)), DBL_MAX);
}

static double largest(const takt_loop *loop, const double *r, const double *x)
{
    double norm = 0;
    for (int i = 0; i < loop->n; i++)
        norm = fmax(norm, takt_loop_size(loop, loop->unknowns[i], r[i], x[i]));
    return norm;
}

// As in the papers, but finite.
static double mean_of_loop(const takt_loop *loop, const double *r, const double *x)
{
    double most = 0, sum = 0;
    const int *k = loop->unknowns;
    for (int i = 0; i < loop->n; i++)
        most = fmax(most, fmin(fabs(r[i]) / weight(loop, k[i], x[i]), DBL_MAX));
    if (most == 0) return 0;
    for (int i = 0; i < loop->n; i++) {
        double share = fmin(fabs(r[i]) / weight(loop, k[i], x[i]), DBL_MAX) / most;
        sum += share * share;
    }
    return most * sqrt(sum / loop->n);
}

double takt_loop_tolerance(const takt_loop *loop, int i, double x)
{
    return weight(loop, loop->unknowns[i], x);
}

double takt_loop_norm(const takt_loop *loop, const double *r, const double *x)
{
    return is_as_in_papers(loop) ? mean_of_loop(loop, r, x) : largest(loop, r, x);
}

static double largest_change(const takt_loop *loop)
{
    const double *old = loop->run->work.previous.real, *now = loop->run->state.y.real;
    double norm = 0;
    for (int i = 0; i < loop->n_connections; i++) {
        int k = loop->sources[i];
        double x = fmax(fabs(old[k]), fabs(now[k]));
        norm = fmax(norm, takt_loop_size(loop, k, old[k] - now[k], x));
    }
    return norm;
}

// Of all connections of the system; only those of the loop can change.
static double mean_change(const takt_loop *loop)
{
    const takt_run *run = loop->run;
    double sum = 0;
    for (int i = 0; i < loop->n_connections; i++) {
        int k = loop->sources[i];
        double old = run->work.previous.real[k];
        double d = (old - run->state.y.real[k]) / weight(loop, k, old);
        sum += d * d;
    }
    return sum == 0 ? 0 : sqrt(sum / run->work.n_step_inputs);
}

double takt_loop_change(const takt_loop *loop)
{
    return is_as_in_papers(loop) ? mean_change(loop) : largest_change(loop);
}

// What rounding leaves of differences between values of the loop. Where nominal values are declared they say
// what is small. Values that were huge once say nothing about those of now, nor do those of an attempt that went astray.
static double rounding_of_differences(const takt_loop *loop)
{
    const struct takt_scale *scale = loop->run->scale;
    const double *y = loop->run->state.y.real;
    double seen = 0, now = 0;
    for (int i = 0; i < loop->n_connections; i++) {
        int k = loop->sources[i];
        if (scale->nominal[k] > 0) continue;
        seen = fmax(seen, scale->precision[k] * scale->seen[k]);
        now = fmax(now, scale->precision[k] * fabs(y[k]));
    }
    double most = fmin(seen, now);
    return most <= DBL_MAX ? most : 0;
}

void takt_loop_allow_differences(takt_loop *loop, bool is_allowed)
{
    loop->rounding = is_allowed ? rounding_of_differences(loop) : 0;
}

void takt_loop_begin(takt_loop *loop, const takt_step *step, takt_outcome *outcome)
{
    loop->step = step;
    loop->outcome = outcome;
    loop->is_swept = false;
    loop->patterns.n = 0;
    takt_loop_allow_differences(loop, false);
    for (int i = 0; loop->n >= 0 && i < loop->block->plan->n_members; i++)
        loop->members[i].is_stepped = false;
}

// ---- sweeps ------------------------------------------------------------------------------------------

static takt_status rewind_members(takt_loop *loop, takt_error *err)
{
    const takt_block *block = loop->block->plan;
    const takt_step *step = loop->step;
    takt_status st = TAKT_OK;
    for (int i = 0; i < block->n_members && !st; i++)
        st = takt_run_restore(loop->run, block->members[i], step->slot, step->t, err);
    return st;
}

// A sweep in which discrete values are held.
static takt_status sweep_holding(takt_loop *loop, takt_error *err)
{
    const takt_block *block = loop->block->plan;
    takt_status st = TAKT_OK;
    for (int i = 0; i < block->n_members && !st && !takt_loop_is_stopped(loop); i++) {
        st = takt_run_gather_for_step(loop->run, block->members[i], loop->step, err);
        if (!st)
            st = takt_run_advance_instance(loop->run, block->members[i], loop->step, loop->outcome,
                                           err);
        if (!st) st = takt_loop_hold(loop, block->members[i], err);
    }
    loop->block->n_sweeps++;
    return st ? st : takt_loop_release(loop, err);
}

takt_status takt_loop_sweep(takt_loop *loop, takt_error *err)
{
    takt_status st = loop->is_swept ? rewind_members(loop, err) : TAKT_OK;
    loop->is_swept = true;
    if (!st && loop->is_holding) return sweep_holding(loop, err);
    return st ? st : takt_pass(loop->run, loop->block, loop->step, loop->outcome, err);
}

void takt_loop_doubt(const takt_loop *loop, bool *flag, double norm)
{
    takt_outcome *outcome = loop->outcome;
    *flag = true;
    if (!outcome->loop) outcome->loop = takt_loop_name(loop);
    if (norm > outcome->norm) outcome->norm = norm;
}

takt_status takt_loop_pass(takt_loop *loop, const takt_step *step, takt_outcome *outcome,
                           takt_error *err)
{
    takt_loop_begin(loop, step, outcome);
    takt_status st = takt_loop_remember(loop, err);
    if (!st) st = takt_loop_sweep(loop, err);
    if (st || takt_loop_is_stopped(loop)) return st;
    double norm = takt_loop_change(loop), limit = is_as_in_papers(loop) ? 1 : TAKT_LOOP_ROUNDING;
    if (norm > limit || !takt_loop_is_discrete_same(loop))
        takt_loop_doubt(loop, &outcome->is_unchecked, norm);
    return TAKT_OK;
}

// ---- all members at once -----------------------------------------------------------------------------

void takt_loop_guess(takt_loop *loop, double *x)
{
    const takt_block *block = loop->block->plan;
    for (int i = 0; i < loop->n; i++) x[i] = loop->run->state.y.real[loop->unknowns[i]];
    // The unknowns are values at the end of the step, from the first guess on.
    for (int i = 0; loop->run->derivatives && i < block->n_members; i++)
        takt_derivatives_mark(loop->run, block->members[i]);
}

// Steps an instance from its saved state, with the inputs that y gives.
static takt_status step_member(takt_loop *loop, int i_instance, takt_error *err)
{
    takt_loop_member *member = &loop->members[loop->place[i_instance]];
    const takt_step *step = loop->step;
    takt_status st = TAKT_OK;
    if (member->is_stepped) st = takt_run_restore(loop->run, i_instance, step->slot, step->t, err);
    member->is_stepped = true;
    if (!st) st = takt_run_advance_instance(loop->run, i_instance, step, loop->outcome, err);
    return st;
}

// Discrete values are those of the sweep before, whatever was delivered since.
static takt_status offer(takt_loop *loop, const double *x, takt_error *err)
{
    takt_values *y = &loop->run->state.y;
    for (int i = 0; i < loop->n; i++) y->real[loop->unknowns[i]] = x[i];
    return takt_loop_offer_discrete(loop, err);
}

// Values that are not finite are no error here: another x may avoid them.
static bool has_failed_member(const takt_loop *loop)
{
    for (int i = 0; i < loop->block->plan->n_members; i++)
        if (loop->run->work.instances[loop->block->plan->members[i]].has_failed) return true;
    return false;
}

takt_status takt_loop_evaluate(takt_loop *loop, const double *x, double *s, bool *is_finite,
                               takt_error *err)
{
    const int *members = loop->block->plan->members;
    int n = loop->block->plan->n_members;
    *is_finite = false;
    for (int i = 0; i < loop->n; i++)
        if (!isfinite(x[i])) return TAKT_OK;
    takt_status st = offer(loop, x, err);
    for (int i = 0; i < n && !st; i++)
        st = takt_run_gather_for_step(loop->run, members[i], loop->step, err);
    for (int i = 0; i < n && !st && !takt_loop_is_stopped(loop); i++)
        st = step_member(loop, members[i], err);
    loop->block->n_sweeps++;
    if (st) return st == TAKT_ERR_SIMULATION && !has_failed_member(loop) ? TAKT_OK : st;
    for (int i = 0; i < loop->n; i++) s[i] = loop->run->state.y.real[loop->unknowns[i]];
    *is_finite = true;
    return TAKT_OK;
}

// ---- one after the other, torn ---------------------------------------------------------------------

takt_status takt_loop_try_sweep(takt_loop *loop, bool *is_finite, takt_error *err)
{
    takt_status st = takt_loop_sweep(loop, err);
    *is_finite = !st;
    return st == TAKT_ERR_SIMULATION && !has_failed_member(loop) ? TAKT_OK : st;
}

takt_status takt_loop_sweep_torn(takt_loop *loop, const double *z, double *x, bool *is_finite,
                                 takt_error *err)
{
    double *y = loop->run->state.y.real;
    *is_finite = false;
    for (int i = 0; i < loop->n_torn; i++)
        if (!isfinite(z[i])) return TAKT_OK;
    for (int i = 0; i < loop->n_torn; i++) y[loop->unknowns[loop->torn[i]]] = z[i];
    takt_status st = takt_loop_offer_discrete(loop, err);
    loop->is_holding = loop->has_discrete;
    if (!st) st = takt_loop_try_sweep(loop, is_finite, err);
    loop->is_holding = false;
    for (int i = 0; i < loop->n && *is_finite; i++) x[i] = y[loop->unknowns[i]];
    return st;
}

// ---- the matrix --------------------------------------------------------------------------------------

// One matrix in the making.
typedef struct making {
    takt_loop *loop;
    double *x;
    const double *s;
    double *matrix;
    bool by_quotients;
} making;

static bool gives_derivatives(const making *at, int i_instance)
{
    const takt_model *model = at->loop->run->work.instances[i_instance].instance->model;
    return !at->by_quotients && model->can.directional_derivatives && model->type->differentiate;
}

// Column j from the instance's own derivatives, which have the order of the member's rows.
static takt_status derive(making *at, int j, const takt_loop_reader *reader, takt_error *err)
{
    takt_loop *loop = at->loop;
    const takt_loop_member *member = &loop->members[loop->place[reader->i_instance]];
    takt_status st = takt_run_differentiate(loop->run, reader->i_instance, &member->outputs,
                                            &reader->input, loop->step->t, loop->scratch, err);
    for (int k = 0; k < member->n_rows && !st; k++)
        at->matrix[member->rows[k] * loop->n + j] -= loop->scratch[k];
    return st;
}

static takt_status derive_column(making *at, int j, bool *is_derived, takt_error *err)
{
    const takt_loop *loop = at->loop;
    takt_status st = TAKT_OK;
    for (int k = loop->first_reader[j]; k < loop->first_reader[j + 1] && !st; k++) {
        if (!gives_derivatives(at, loop->readers[k].i_instance)) continue;
        st = derive(at, j, &loop->readers[k], err);
        *is_derived |= !st;
    }
    return st;
}

// By how much unknown j is changed. Of a value that has always been zero nothing is known but the tolerance.
static double difference_of(const making *at, int j)
{
    const takt_run *run = at->loop->run;
    int k = at->loop->unknowns[j];
    double size = fmax(fabs(at->x[j]), fabs(at->s[j]));
    bool is_unknown =
        !(run->scale->nominal[k] > 0) && takt_scale_at(run, k, size) <= TAKT_SCALE_LEAST;
    double least = is_unknown || is_as_in_papers(at->loop) ? 1 : TAKT_SCALE_LEAST;
    double delta = 0.1 * takt_scale_tolerance(run, k, at->x[j], least);
    if (!is_as_in_papers(at->loop)) size = takt_scale_at(run, k, size);
    return fmax(delta, sqrt(DBL_EPSILON) * size);
}

// Changes unknown j; returns by how much.
static takt_status change_unknown(making *at, int j, double *delta, takt_error *err)
{
    double x_j = at->x[j];
    *delta = difference_of(at, j);
    at->x[j] = x_j + *delta;
    *delta = at->x[j] - x_j; // what was really added
    takt_status st = offer(at->loop, at->x, err);
    at->x[j] = x_j;
    return st;
}

static void add_quotients(making *at, int j, int i_instance, double delta)
{
    const takt_loop *loop = at->loop;
    const takt_loop_member *member = &loop->members[loop->place[i_instance]];
    for (int r = 0; r < member->n_rows; r++) {
        int row = member->rows[r];
        double changed = loop->run->state.y.real[loop->unknowns[row]];
        at->matrix[row * loop->n + j] -= (changed - at->s[row]) / delta;
    }
}

// Column j by difference quotients: the members that read unknown j step again with it changed.
static takt_status quotient(making *at, int j, takt_error *err)
{
    takt_loop *loop = at->loop;
    double delta;
    takt_status st = change_unknown(at, j, &delta, err);
    int first = loop->first_reader[j], last = loop->first_reader[j + 1];
    for (int k = first; k < last && !st; k++)
        if (!gives_derivatives(at, loop->readers[k].i_instance))
            st = takt_run_gather_for_step(loop->run, loop->readers[k].i_instance, loop->step, err);
    for (int k = first; k < last && !st; k++) {
        int i_instance = loop->readers[k].i_instance;
        bool is_again = k > first && loop->readers[k - 1].i_instance == i_instance;
        if (is_again || gives_derivatives(at, i_instance)) continue;
        st = step_member(loop, i_instance, err);
        if (st || takt_loop_is_stopped(loop)) return st;
        add_quotients(at, j, i_instance, delta);
    }
    return st;
}

takt_status takt_loop_make_matrix(takt_loop *loop, double *x, const double *s, bool by_quotients,
                                  double *matrix, bool *is_derived, takt_error *err)
{
    making at = {loop, x, s, matrix, by_quotients};
    int n = loop->n;
    *is_derived = false;
    memset(matrix, 0, (size_t)n * (size_t)n * sizeof *matrix);
    for (int i = 0; i < n; i++) matrix[i * n + i] = 1;
    takt_status st = TAKT_OK;
    for (int j = 0; j < n && !st; j++) st = derive_column(&at, j, is_derived, err);
    for (int j = 0; j < n && !st && !takt_loop_is_stopped(loop); j++) st = quotient(&at, j, err);
    return st;
}
