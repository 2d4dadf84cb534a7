// SPDX-License-Identifier: MIT
// Inputs that move along straight lines within a step; see derivatives.h.
//
// An input u that moves has a source y. At the beginning of a step from t to t + h, y(t) is kept. When
// the input is needed, there are two cases:
//   the source has been advanced     u = y(t) + (y(t+h) - y(t)) / h (time - t)     interpolation
//   it has not                       u = y(t) + y'(t) (time - t)                   extrapolation
// with y' as the source gives it, else (if the user wants it) estimated from y(t) and the value at the
// communication point before. Scaling on the way applies to both; offsets do not change y'.
//
// Derivatives are asked for only where they are needed, once per attempt: an instance that has not been
// advanced is still at t, so that it can be asked at any time.
#include "run/derivatives.h"

#include <math.h>
#include <string.h>

#include "base/sound.h"

/// An input that moves.
typedef struct line {
    int input; ///< index in u
    int source; ///< index in y
    int i_source; ///< the instance that delivers it
    int derivative; ///< index among those that the source gives; -1: it gives none
    double factor, offset; ///< from source to input
} line;

/// The inputs of one instance that move, in the order of `access`.
typedef struct target {
    takt_access access;
    int first; ///< in `lines`
    int n; ///< 0: none
} target;

/// The derivatives that one instance gives.
typedef struct source {
    takt_access access;
    double *derivatives;
    int n; ///< 0: none
    int64_t attempt; ///< in which they were read last
    int64_t ahead; ///< the attempt in which its values became those at the end of the step
} source;

/// What is known about the past. One piece of memory, so that it can be copied as it is.
typedef struct past {
    double t, t_before; ///< s; the last two communication points
    int n; ///< how many points are known
    int i_now; ///< which half of y belongs to t; the other one belongs to t_before
    double y[]; ///< per line, twice
} past;

struct takt_derivatives {
    line *lines; ///< by target
    int n_lines;
    target *targets; ///< per instance
    source *sources; ///< per instance
    double *motions; ///< per target: the inputs at the beginning of the step, then their slopes
    int64_t attempt; ///< number of the present one
    past *past, *saved;
};

// ---- preparation -----------------------------------------------------------------------------------

/// What finding the lines needs.
typedef struct search {
    takt_run *run;
    struct takt_derivatives *out;
    int *owners; ///< per value of y: the instance that delivers it when it is connected; -1: none
    int *variables; ///< room for one instance
} search;

static bool find_owners(search *at)
{
    const takt_plan *plan = at->run->plan;
    takt_arena *arena = &at->run->arena;
    size_t n = (size_t)plan->n_outputs[TAKT_KIND_REAL];
    int most = 0;
    at->owners = takt_arena_array(arena, n, sizeof *at->owners);
    if (!at->owners) return false;
    for (size_t i = 0; i < n; i++) at->owners[i] = -1;
    for (int i = 0; i < at->run->work.n_instances; i++) {
        const takt_plan_instance *instance = &plan->instances[i];
        int n_outputs = instance->outputs.n_values[TAKT_KIND_REAL];
        int n_inputs = instance->inputs.n_values[TAKT_KIND_REAL];
        for (int k = 0; k < n_outputs; k++)
            at->owners[instance->first_output[TAKT_KIND_REAL] + k] = i;
        if (n_outputs > most) most = n_outputs;
        if (n_inputs > most) most = n_inputs;
    }
    at->variables = takt_arena_array(arena, (size_t)most, sizeof *at->variables);
    return at->variables != NULL;
}

static const takt_model *model_of(const search *at, int i_instance)
{
    return at->run->work.instances[i_instance].instance->model;
}

// The variable behind a value of y.
static int variable_of(const search *at, int i_source, int index)
{
    const takt_plan_instance *plan = &at->run->plan->instances[i_source];
    return takt_access_index(&plan->outputs, TAKT_KIND_REAL,
                             index - plan->first_output[TAKT_KIND_REAL]);
}

// Can the value of u with this index move? The line has everything but the index of its derivative, which
// is 0 where the source gives it.
static bool find_line(const search *at, int i_instance, int k, line *out)
{
    const takt_plan *plan = at->run->plan;
    const takt_plan_instance *instance = &plan->instances[i_instance];
    int variable = takt_access_index(&instance->inputs, TAKT_KIND_REAL, k);
    if (!takt_model_interpolates(model_of(at, i_instance), variable)) return false;
    out->input = instance->first_input[TAKT_KIND_REAL] + k;
    out->source = plan->sources[TAKT_KIND_REAL][out->input];
    out->i_source = at->owners[out->source];
    if (out->i_source < 0) return false; // an adapter brings it
    const takt_model *model = model_of(at, out->i_source);
    int from = variable_of(at, out->i_source, out->source);
    if (model->variables[from].variability != TAKT_CONTINUOUS) return false;
    out->derivative = takt_model_derives(model, from) ? 0 : -1;
    out->factor = plan->factors ? plan->factors[out->input] : 1;
    out->offset = plan->offsets ? plan->offsets[out->input] : 0;
    bool estimates = plan->system->settings.input_derivatives == TAKT_DERIVATIVES_ESTIMATE;
    return out->derivative == 0 || estimates;
}

// Counts the lines, or, when there is room for them, makes them and the accesses of their targets.
static takt_status find_lines(search *at, takt_error *err)
{
    struct takt_derivatives *out = at->out;
    out->n_lines = 0;
    for (int i = 0; i < at->run->work.n_instances; i++) {
        const takt_access *inputs = &at->run->plan->instances[i].inputs;
        target own = {.first = out->n_lines};
        for (int k = 0; k < inputs->n_values[TAKT_KIND_REAL]; k++) {
            line found;
            if (!find_line(at, i, k, &found)) continue;
            at->variables[own.n++] = takt_access_index(inputs, TAKT_KIND_REAL, k);
            if (out->lines) out->lines[out->n_lines] = found;
            out->n_lines++;
        }
        if (!out->lines || own.n == 0) continue;
        if (!takt_access_create(&at->run->arena, model_of(at, i), at->variables, own.n, &own.access,
                                NULL))
            return takt_fail_memory(err);
        out->targets[i] = own;
    }
    return TAKT_OK;
}

// Makes the access to the derivatives that each source gives. A value that feeds several inputs is asked
// for once.
static takt_status find_sources(search *at, takt_error *err)
{
    struct takt_derivatives *out = at->out;
    takt_arena *arena = &at->run->arena;
    int *place = at->owners; // per value of y: the index of its derivative; owners are known by now
    for (int i = 0; i < at->run->plan->n_outputs[TAKT_KIND_REAL]; i++) place[i] = -1;
    for (int i = 0; i < out->n_lines; i++) {
        line *own = &out->lines[i];
        if (own->derivative < 0) continue;
        if (place[own->source] < 0) place[own->source] = out->sources[own->i_source].n++;
        own->derivative = place[own->source];
    }
    for (int i = 0; i < at->run->work.n_instances; i++) {
        source *own = &out->sources[i];
        const takt_plan_instance *plan = &at->run->plan->instances[i];
        int first = plan->first_output[TAKT_KIND_REAL];
        if (own->n == 0) continue;
        for (int k = 0; k < plan->outputs.n_values[TAKT_KIND_REAL]; k++)
            if (place[first + k] >= 0)
                at->variables[place[first + k]] = variable_of(at, i, first + k);
        own->derivatives = takt_arena_array(arena, (size_t)own->n, sizeof *own->derivatives);
        if (!own->derivatives ||
            !takt_access_create(arena, model_of(at, i), at->variables, own->n, &own->access, NULL))
            return takt_fail_memory(err);
    }
    return TAKT_OK;
}

static size_t size_of_past(const struct takt_derivatives *all)
{
    return sizeof *all->past + 2 * (size_t)all->n_lines * sizeof *all->past->y;
}

static takt_status make_arrays(search *at, takt_error *err)
{
    struct takt_derivatives *out = at->out;
    takt_arena *arena = &at->run->arena;
    size_t n = (size_t)out->n_lines, n_instances = (size_t)at->run->work.n_instances;
    out->lines = takt_arena_array(arena, n, sizeof *out->lines);
    out->motions = takt_arena_array(arena, 2 * n, sizeof *out->motions);
    out->targets = takt_arena_array(arena, n_instances, sizeof *out->targets);
    out->sources = takt_arena_array(arena, n_instances, sizeof *out->sources);
    out->past = takt_arena_alloc(arena, size_of_past(out));
    out->saved = takt_arena_alloc(arena, size_of_past(out));
    bool has_memory =
        out->lines && out->motions && out->targets && out->sources && out->past && out->saved;
    return has_memory ? TAKT_OK : takt_fail_memory(err);
}

takt_status takt_derivatives_create(takt_run *run, takt_error *err)
{
    bool is_possible = false;
    for (int i = 0; i < run->work.n_instances; i++)
        is_possible |= run->work.instances[i].instance->model->can.interpolate_inputs;
    if (!is_possible || run->plan->system->settings.input_derivatives == TAKT_DERIVATIVES_OFF)
        return TAKT_OK;
    search at = {.run = run, .out = takt_arena_array(&run->arena, 1, sizeof *at.out)};
    if (!at.out || !find_owners(&at)) return takt_fail_memory(err);
    takt_status st = find_lines(&at, err); // counts
    if (st || at.out->n_lines == 0) return st;
    st = make_arrays(&at, err);
    if (!st) st = find_lines(&at, err);
    if (!st) st = find_sources(&at, err);
    if (!st) run->derivatives = at.out;
    return st;
}

// ---- the past --------------------------------------------------------------------------------------

void takt_derivatives_begin(takt_run *run, double t)
{
    struct takt_derivatives *all = run->derivatives;
    past *p = all->past;
    all->attempt++;
    if (p->n > 0 && t > p->t) { // not a second attempt from the same point
        p->i_now = 1 - p->i_now;
        p->t_before = p->t;
        p->n = 2;
    } else if (p->n == 0) {
        p->n = 1;
    }
    p->t = t;
    double *y = p->y + p->i_now * all->n_lines;
    for (int i = 0; i < all->n_lines; i++) y[i] = run->state.y.real[all->lines[i].source];
}

void takt_derivatives_mark(takt_run *run, int i_instance)
{
    run->derivatives->sources[i_instance].ahead = run->derivatives->attempt;
}

void takt_derivatives_forget(takt_run *run)
{
    if (run->derivatives) run->derivatives->past->n = 0;
}

void takt_derivatives_save(takt_run *run)
{
    struct takt_derivatives *all = run->derivatives;
    if (all) memcpy(all->saved, all->past, size_of_past(all));
}

void takt_derivatives_restore(takt_run *run)
{
    struct takt_derivatives *all = run->derivatives;
    if (all) memcpy(all->past, all->saved, size_of_past(all));
}

takt_memory takt_derivatives_memory(takt_run *run)
{
    struct takt_derivatives *all = run->derivatives;
    return all ? (takt_memory){.data = all->past, .size = size_of_past(all)} : (takt_memory){0};
}

bool takt_derivatives_is_sound(const takt_run *run)
{
    const struct takt_derivatives *all = run->derivatives;
    return !all ||
           (takt_sound_within(all->past->n, 0, 2) && takt_sound_within(all->past->i_now, 0, 1));
}

// ---- the step --------------------------------------------------------------------------------------

static takt_status check_finite(const takt_instance *instance, const source *from, double t,
                                takt_error *err)
{
    int i = 0;
    while (i < from->n && isfinite(from->derivatives[i])) i++;
    if (i == from->n) return TAKT_OK;
    const takt_variable *variable =
        takt_access_variable(&from->access, instance->model, TAKT_KIND_REAL, i);
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "instance '%s' at t=%.15g s: the derivative of variable '%s' by time is %s "
                     "(FMU %s); --input-derivatives off does without it",
                     instance->name, t, variable->name,
                     isnan(from->derivatives[i]) ? "not a number" : "infinite",
                     instance->model->path);
}

// Asks an instance that is at t for its derivatives, once per attempt.
static takt_status ask(takt_run *run, int i_instance, double t, takt_error *err)
{
    source *from = &run->derivatives->sources[i_instance];
    if (from->attempt == run->derivatives->attempt) return TAKT_OK;
    takt_status st =
        takt_run_get_derivatives(run, i_instance, &from->access, from->derivatives, t, err);
    if (!st) st = check_finite(run->work.instances[i_instance].instance, from, t, err);
    if (!st) from->attempt = run->derivatives->attempt;
    return st;
}

// y'(t) of a source that has not been advanced.
static takt_status extrapolate(takt_run *run, int i_line, double t, double *out, takt_error *err)
{
    const struct takt_derivatives *all = run->derivatives;
    const line *own = &all->lines[i_line];
    const past *p = all->past;
    const double *now = p->y + p->i_now * all->n_lines;
    const double *before = p->y + (1 - p->i_now) * all->n_lines;
    *out = p->n == 2 ? (now[i_line] - before[i_line]) / (p->t - p->t_before) : 0;
    if (own->derivative < 0) return TAKT_OK;
    takt_status st = ask(run, own->i_source, t, err);
    if (!st) *out = all->sources[own->i_source].derivatives[own->derivative];
    return st;
}

takt_status takt_derivatives_gather(takt_run *run, int i_instance, const takt_step *step,
                                    takt_error *err)
{
    struct takt_derivatives *all = run->derivatives;
    const target *to = &all->targets[i_instance];
    double *values = all->motions + 2 * to->first, *slopes = values + to->n;
    takt_status st = TAKT_OK;
    for (int i = to->first; i < to->first + to->n && !st; i++) {
        const line *own = &all->lines[i];
        double y = all->past->y[all->past->i_now * all->n_lines + i], slope;
        if (all->sources[own->i_source].ahead == all->attempt)
            slope = (run->state.y.real[own->source] - y) / step->h;
        else
            st = extrapolate(run, i, step->t, &slope, err);
        if (st) return st;
        slopes[i - to->first] = own->factor * slope;
        values[i - to->first] = run->state.u.real[own->input] = own->factor * y + own->offset;
    }
    return st;
}

takt_status takt_derivatives_set(takt_run *run, int i_instance, double t, takt_error *err)
{
    const struct takt_derivatives *all = run->derivatives;
    const target *to = &all->targets[i_instance];
    if (to->n == 0) return TAKT_OK;
    return takt_run_set_motion(run, i_instance, &to->access, 1, all->motions + 2 * to->first, t,
                               err);
}
