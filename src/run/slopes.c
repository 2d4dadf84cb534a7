// SPDX-License-Identifier: MIT
// Derivatives of outputs in predictions; see slopes.h.
#include "run/slopes.h"

#include <math.h>
#include <string.h>

#include "run/calls.h"
#include "run/gather.h"

// So often in a row derivatives may make predictions worse, by this factor.
enum { MOST_WRONG = 12 };
static const double WORSE = 2;
// Differences below this part of the tolerance do not count.
static const double SMALL = 0.1;

// ---- preparation -----------------------------------------------------------------------------------

// The outputs of an instance that may be predicted and whose derivatives it gives.
static takt_status find_source(takt_run *run, const takt_movement *movement, int i_instance,
                               int *variables, takt_slope_source *out, takt_error *err)
{
    const takt_plan_instance *plan = &run->plan->instances[i_instance];
    const takt_model *model = run->work.instances[i_instance].instance->model;
    int n = plan->outputs.n_values[TAKT_KIND_REAL], first = plan->first_output[TAKT_KIND_REAL];
    out->values = takt_arena_array(&run->arena, (size_t)n, sizeof *out->values);
    if (!out->values) return takt_fail_memory(err);
    for (int k = 0; k < n; k++) {
        int variable = takt_access_index(&plan->outputs, TAKT_KIND_REAL, k);
        bool is_predicted = movement->is_continuous[first + k] && !movement->is_straight[first + k];
        if (!is_predicted || !takt_model_derives(model, variable)) continue;
        variables[out->n] = variable;
        out->values[out->n++] = first + k;
    }
    if (out->n == 0) return TAKT_OK;
    out->answers = takt_arena_array(&run->arena, (size_t)out->n, sizeof *out->answers);
    bool has_memory = out->answers &&
                      takt_access_create(&run->arena, model, variables, out->n, &out->access, NULL);
    return has_memory ? TAKT_OK : takt_fail_memory(err);
}

takt_status takt_slopes_create(takt_run *run, const takt_movement *movement, takt_slopes *out,
                               takt_error *err)
{
    size_t n = (size_t)run->work.n_instances;
    out->n_instances = run->work.n_instances;
    out->n_values = run->plan->n_outputs[TAKT_KIND_REAL];
    bool is_asked = run->plan->system->settings.input_derivatives != TAKT_DERIVATIVES_OFF;
    for (int i = 0; i < out->n_instances && is_asked; i++) {
        const takt_model *model = run->work.instances[i].instance->model;
        out->is_possible |= model->can.max_output_derivative_order > 0;
    }
    if (!out->is_possible) return TAKT_OK;
    out->of = takt_arena_array(&run->arena, n, sizeof *out->of);
    int *variables = takt_arena_array(&run->arena, (size_t)out->n_values, sizeof *variables);
    if (!out->of || !variables) return takt_fail_memory(err);
    takt_status st = TAKT_OK;
    out->is_possible = false;
    for (int i = 0; i < out->n_instances && !st; i++) {
        st = find_source(run, movement, i, variables, &out->of[i], err);
        out->is_possible |= out->of[i].n > 0;
    }
    return st;
}

// ---- reading ---------------------------------------------------------------------------------------

bool takt_slopes_is_asked(const takt_slopes *own, int i_instance)
{
    return own->is_possible && own->of[i_instance].n > 0 && own->n_wrong[i_instance] < MOST_WRONG;
}

static void drop(takt_slopes *own, takt_run *run, int i_instance, double t, const char *reason)
{
    const takt_slope_source *from = &own->of[i_instance];
    own->n_wrong[i_instance] = MOST_WRONG;
    for (int k = 0; k < from->n; k++) own->is_known[from->values[k]] = false;
    takt_log_write(run->log, TAKT_LEVEL_INFO,
                   "instance '%s' at t=%.15g s: the derivatives of its outputs are not used any "
                   "more: %s",
                   run->work.instances[i_instance].instance->name, t, reason);
}

// An instance that holds its inputs has those of the last piece of its step: derivatives belong to those at the end.
static takt_status bring_inputs(takt_run *run, const takt_moving *moving, int i_instance, double t,
                                takt_error *err)
{
    if (moving->n_held == 0) return TAKT_OK;
    takt_status st = takt_run_gather(run, i_instance, err);
    return st ? st : takt_run_set_inputs(run, i_instance, t, err);
}

takt_status takt_slopes_read(takt_slopes *own, takt_run *run, const takt_movement *movement,
                             double t, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < own->n_instances && own->is_possible && !st; i++) {
        const takt_slope_source *from = &own->of[i];
        if (!takt_slopes_is_asked(own, i)) continue;
        bool is_behind = takt_run_is_behind(run, i); // it is at an earlier time
        for (int k = 0; k < from->n && is_behind; k++) own->is_known[from->values[k]] = false;
        if (is_behind) continue;
        st = bring_inputs(run, &movement->of[i], i, t, err);
        if (st) return st;
        if (!takt_run_try_derivatives(run, i, &from->access, from->answers, t)) {
            drop(own, run, i, t, "the FMU refuses to give them");
            continue;
        }
        if (!takt_are_finite(from->answers, (size_t)from->n)) {
            drop(own, run, i, t, "they are not finite");
            continue;
        }
        for (int k = 0; k < from->n; k++) {
            own->slopes[from->values[k]] = from->answers[k];
            own->is_known[from->values[k]] = true;
        }
    }
    return st;
}

void takt_slopes_forget(takt_slopes *own)
{
    if (own->is_possible) memset(own->is_known, 0, (size_t)own->n_values * sizeof *own->is_known);
}

// ---- predictions -----------------------------------------------------------------------------------

/// What depends on the points alone: addition = factor * (slope - sum weights[j] (y_j - y_0)).
typedef struct formula {
    int k;
    double factor, weights[TAKT_MAX_POINTS];
    const double *rows[TAKT_MAX_POINTS];
} formula;

static formula find_formula(const takt_history *history, int k, double t)
{
    formula out = {.k = k};
    double x[TAKT_MAX_POINTS], latest = takt_history_time(history, 0), above = 1, below = 1;
    for (int j = 0; j < k; j++) {
        x[j] = takt_history_time(history, j) - latest;
        out.rows[j] = takt_history_values(history, j);
        above *= t - latest - x[j];
        if (j > 0) below *= -x[j];
    }
    out.factor = above / below;
    for (int j = 1; j < k;
         j++) { // the derivative of Lagrange's polynomial number j at the latest point
        out.weights[j] = 1 / x[j];
        for (int m = 1; m < k; m++)
            if (m != j) out.weights[j] *= -x[m] / (x[j] - x[m]);
    }
    return out;
}

static double addition(const takt_slopes *own, const formula *by, int i)
{
    double slope = 0, y0 = by->rows[0][i];
    for (int j = 1; j < by->k; j++) slope += by->weights[j] * (by->rows[j][i] - y0);
    return by->factor * (own->slopes[i] - slope);
}

void takt_slopes_add(const takt_slopes *own, const takt_history *history, int k, double t,
                     const bool *is_wanted, double *predicted)
{
    if (!own->is_possible) return;
    formula by = find_formula(history, k, t);
    for (int i = 0; i < own->n_values; i++)
        if (is_wanted[i] && own->is_known[i]) predicted[i] += addition(own, &by, i);
}

double takt_slopes_addition(const takt_slopes *own, const takt_history *history, int k, double t,
                            int i_value)
{
    if (!own->is_possible || !own->is_known[i_value]) return 0;
    formula by = find_formula(history, k, t);
    return addition(own, &by, i_value);
}

void takt_slopes_judge(takt_slopes *own, takt_run *run, const takt_history *history, int k,
                       double t, const double *plain, const double *scale)
{
    formula by = find_formula(history, k, t);
    const double *y = run->state.y.real;
    double least = SMALL * run->plan->system->settings.tolerance;
    for (int i = 0; i < own->n_instances; i++) {
        const takt_slope_source *from = &own->of[i];
        bool is_wrong = false, is_useful = false;
        if (!takt_slopes_is_asked(own, i)) continue;
        for (int n = 0; n < from->n; n++) {
            int v = from->values[n];
            if (!own->is_known[v]) continue;
            double without = fabs(y[v] - plain[v]);
            double with = fabs(y[v] - plain[v] - addition(own, &by, v));
            is_wrong |= with > WORSE * without && with > least * scale[v];
            is_useful |= with < without;
        }
        if (is_wrong) own->n_wrong[i]++;
        if (is_useful && !is_wrong) own->n_wrong[i] = 0;
        if (own->n_wrong[i] >= MOST_WRONG)
            drop(own, run, i, t, "predictions are better without them");
    }
}
