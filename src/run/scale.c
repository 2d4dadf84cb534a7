// SPDX-License-Identifier: MIT
// Scales of values; see scale.h.
#include "run/scale.h"

#include <float.h>

#include "run/control.h"

// Of a nominal value: the least scale. Values that are smaller count as zero.
static const double NOMINAL_SHARE = 0.01;

// Of the absolute tolerance between steps, where no nominal value is declared.
static const double LEAST_UNIT = 1e-3;

// Relative rounding errors of what an instance delivers.
static const double DOUBLE = 8 * DBL_EPSILON, SINGLE = 2 * FLT_EPSILON;

// The nominal value that a variable declares, as a magnitude; 0: none that is of use.
static double declared_nominal(const takt_variable *variable)
{
    double nominal = fabs(variable->nominal);
    return variable->has_nominal && isfinite(nominal) ? nominal : 0;
}

// What descriptions say about the values of y.
typedef struct described {
    double *nominal, *precision; // as in takt_scale
    bool *asked; // the readers of the value are asked for its nominal value
} described;

// Those of the real values of one access, which begin at y[first].
static void list_values(const takt_access *access, const takt_model *model, int first,
                        described *out)
{
    for (int i = 0; i < access->n_values[TAKT_KIND_REAL]; i++) {
        const takt_variable *variable = takt_access_variable(access, model, TAKT_KIND_REAL, i);
        out->nominal[first + i] = declared_nominal(variable);
        out->asked[first + i] = !(out->nominal[first + i] > 0);
        if (variable->type == TAKT_FLOAT32) out->precision[first + i] = SINGLE;
    }
}

static void list_delivered(const takt_run *run, described *out)
{
    for (int i = 0; i < run->work.n_instances; i++) {
        const takt_plan_instance *plan = &run->plan->instances[i];
        const takt_model *model = run->plan->system->components[i].model;
        list_values(&plan->outputs, model, plan->first_output[TAKT_KIND_REAL], out);
        list_values(&plan->tested, model, plan->first_tested[TAKT_KIND_REAL], out);
        list_values(&plan->recorded, model, plan->first_recorded[TAKT_KIND_REAL], out);
    }
}

// Where an output declares none, the inputs that read it may: the smallest counts.
static void ask_readers(const takt_run *run, described *out)
{
    const takt_plan *plan = run->plan;
    for (int i = 0; i < run->work.n_instances; i++) {
        const takt_access *inputs = &plan->instances[i].inputs;
        int first = plan->instances[i].first_input[TAKT_KIND_REAL];
        for (int k = 0; k < inputs->n_values[TAKT_KIND_REAL]; k++) {
            int from = plan->sources[TAKT_KIND_REAL][first + k];
            double factor = plan->factors ? fabs(plan->factors[first + k]) : 1;
            double own = declared_nominal(
                takt_access_variable(inputs, plan->system->components[i].model, TAKT_KIND_REAL, k));
            if (!out->asked[from] || !(own > 0) || !(factor > 0)) continue;
            double in_unit = own / factor;
            if (!(out->nominal[from] > 0) || in_unit < out->nominal[from])
                out->nominal[from] = in_unit;
        }
    }
}

static bool describe(takt_run *run, struct takt_scale *scale)
{
    size_t n = (size_t)scale->n;
    described all = {.nominal = takt_arena_array(&run->arena, n, sizeof *all.nominal),
                     .precision = takt_arena_array(&run->arena, n, sizeof *all.precision),
                     .asked = takt_arena_array(&run->arena, n, sizeof *all.asked)};
    if (!all.nominal || !all.precision || !all.asked) return false;
    for (size_t i = 0; i < n; i++) all.precision[i] = DOUBLE;
    list_delivered(run, &all);
    ask_readers(run, &all);
    scale->nominal = all.nominal;
    scale->precision = all.precision;
    return true;
}

static bool is_asked_for(const takt_run *run)
{
    if (run->control->type != &takt_fixed_control) return true;
    for (int i = 0; i < run->plan->n_blocks; i++)
        if (run->plan->blocks[i].is_loop) return true;
    return false;
}

takt_status takt_scale_create(takt_run *run, takt_error *err)
{
    struct takt_scale *scale = takt_arena_alloc(&run->arena, sizeof *scale);
    if (!scale) return takt_fail_memory(err);
    scale->n = run->plan->n_outputs[TAKT_KIND_REAL];
    scale->seen = takt_arena_array(&run->arena, (size_t)scale->n, sizeof *scale->seen);
    if (!scale->seen || !describe(run, scale)) return takt_fail_memory(err);
    for (int i = 0; i < scale->n; i++)
        scale->seen[i] =
            scale->nominal[i] > 0 ? NOMINAL_SHARE * scale->nominal[i] : TAKT_SCALE_LEAST;
    scale->is_followed = is_asked_for(run);
    run->scale = scale;
    return TAKT_OK;
}

void takt_scale_follow(takt_run *run)
{
    struct takt_scale *scale = run->scale;
    const double *restrict y = run->state.y.real;
    double *restrict seen = scale->seen;
    for (int i = 0; i < scale->n; i++) { // (without branches, so that several are compared at once)
        double size = fabs(y[i]), finite = size <= DBL_MAX ? size : 0;
        seen[i] = finite > seen[i] ? finite : seen[i];
    }
}

double takt_scale_unit(const takt_run *run, int i)
{
    const struct takt_scale *scale = run->scale;
    if (run->plan->system->settings.norm == TAKT_NORM_PAPERS) return 1;
    if (scale->nominal[i] > 0) return fmin(scale->nominal[i], scale->seen[i]);
    return scale->seen[i] > TAKT_SCALE_LEAST ? fmin(1, fmax(scale->seen[i], LEAST_UNIT)) : 1;
}

takt_memory takt_scale_memory(takt_run *run)
{
    return (takt_memory){run->scale->seen, (size_t)run->scale->n * sizeof(double), NULL};
}
