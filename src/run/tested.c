// SPDX-License-Identifier: MIT
// What an error test looks at; see tested.h.
#include "run/tested.h"

#include <float.h>
#include <math.h>

#include "base/times.h"
#include "run/algorithm.h"
#include "run/calls.h"
#include "run/scale.h"
#include "run/way_back.h"

// In units of the step size that the user gave: how far ahead the magnitude of a value is looked for.
static const double HORIZON = 10;

// A smallest step may have been stretched by a little.
static const double SMALLEST = 1.001;

// A discrete value that has changed in this many kept steps in a row does so in every step.
enum { ALWAYS = 3 };

typedef struct discrete {
    int i_instance; // that delivers it
    const takt_run_block *block; // its block, if it has inputs; else NULL
    takt_slot slot; // in y
} discrete;

struct takt_tested {
    int *connected; // indices in y of continuous values that inputs get in steps
    int n_connected;
    int *outputs; // indices in y of those that nobody reads
    int n_outputs;
    discrete *discrete; // that inputs get in steps
    int n_discrete;
    unsigned char
        *n_changes; // per discrete value: kept steps in a row that changed it; up to ALWAYS
    double largest_change_step; // s; steps up to this size may change discrete values
};

// ---- preparation -----------------------------------------------------------------------------------

// Per kind and value of y: is it read in steps?
typedef struct readers {
    bool *has[TAKT_N_KINDS];
} readers;

static bool find_readers(takt_run *run, readers *out)
{
    const takt_plan *plan = run->plan;
    for (int kind = 0; kind < TAKT_N_KINDS; kind++) {
        out->has[kind] =
            takt_arena_array(&run->arena, (size_t)plan->n_outputs[kind], sizeof *out->has[kind]);
        if (!out->has[kind]) return false;
    }
    for (int i = 0; i < run->work.n_instances; i++) {
        const takt_plan_instance *at = &plan->instances[i];
        for (int kind = 0; kind < TAKT_N_KINDS; kind++)
            for (int k = 0; k < at->inputs.n_values[kind]; k++)
                out->has[kind][plan->sources[kind][at->first_input[kind] + k]] = true;
        for (int k = 0; k < at->n_adapters; k++)
            out->has[at->adapters[k].from.kind][at->adapters[k].from.index] = true;
    }
    return true;
}

static bool is_continuous(const takt_run *run, int i_instance, int kind, int k)
{
    if (kind != TAKT_KIND_REAL) return false;
    const takt_access *outputs = &run->plan->instances[i_instance].outputs;
    const takt_model *model = run->plan->system->components[i_instance].model;
    return takt_access_variable(outputs, model, TAKT_KIND_REAL, k)->variability == TAKT_CONTINUOUS;
}

static const takt_run_block *block_of(const takt_run *run, int i_instance)
{
    const int *n_inputs = run->plan->instances[i_instance].inputs.n_values;
    if (n_inputs[TAKT_KIND_REAL] + n_inputs[TAKT_KIND_INTEGER] + n_inputs[TAKT_KIND_BYTES] == 0)
        return NULL;
    for (int b = 0; b < run->plan->n_blocks; b++)
        for (int k = 0; k < run->plan->blocks[b].n_members; k++)
            if (run->plan->blocks[b].members[k] == i_instance) return &run->work.blocks[b];
    return NULL;
}

static void list_connected(const takt_run *run, int i_instance, const readers *read,
                           struct takt_tested *out)
{
    const takt_plan_instance *at = &run->plan->instances[i_instance];
    const takt_run_block *block = block_of(run, i_instance);
    for (int kind = 0; kind < TAKT_N_KINDS; kind++)
        for (int k = 0; k < at->outputs.n_values[kind]; k++) {
            int index = at->first_output[kind] + k;
            if (!read->has[kind][index]) continue;
            if (is_continuous(run, i_instance, kind, k))
                out->connected[out->n_connected++] = index;
            else
                out->discrete[out->n_discrete++] =
                    (discrete){i_instance, block, {(takt_kind)kind, index}};
        }
}

static void list_outputs(const takt_run *run, int i_instance, struct takt_tested *out)
{
    const takt_plan_instance *at = &run->plan->instances[i_instance];
    for (int k = 0; k < at->tested.n_values[TAKT_KIND_REAL]; k++)
        out->outputs[out->n_outputs++] = at->first_tested[TAKT_KIND_REAL] + k;
}

// Discrete changes are found in the smallest steps that are iterated: where a step that is not small enough is
// reduced by the smallest factor, its halves must not fall below the fallback limit.
static double change_step(const takt_settings *settings)
{
    return fmax(SMALLEST * settings->step_min,
                2 * settings->step_fallback / settings->step_factor_min);
}

takt_status takt_tested_create(takt_run *run, takt_error *err)
{
    const int *n = run->plan->n_outputs;
    size_t n_real = (size_t)n[TAKT_KIND_REAL];
    size_t n_all = n_real + (size_t)n[TAKT_KIND_INTEGER] + (size_t)n[TAKT_KIND_BYTES];
    readers read;
    struct takt_tested *own = takt_arena_alloc(&run->arena, sizeof *own);
    if (!own || !find_readers(run, &read)) return takt_fail_memory(err);
    own->connected = takt_arena_array(&run->arena, n_real, sizeof *own->connected);
    own->outputs = takt_arena_array(&run->arena, n_real, sizeof *own->outputs);
    own->discrete = takt_arena_array(&run->arena, n_all, sizeof *own->discrete);
    own->n_changes = takt_arena_array(&run->arena, n_all, sizeof *own->n_changes);
    if (!own->connected || !own->outputs || !own->discrete || !own->n_changes)
        return takt_fail_memory(err);
    for (int i = 0; i < run->work.n_instances; i++) {
        list_connected(run, i, &read, own);
        list_outputs(run, i, own);
    }
    own->largest_change_step = change_step(&run->plan->system->settings);
    run->tested = own;
    return TAKT_OK;
}

takt_status takt_tested_read(takt_run *run, double t, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->work.n_instances && !st; i++) st = takt_run_get_tested(run, i, t, err);
    return st;
}

// ---- discrete values -------------------------------------------------------------------------------

static bool is_same(const takt_values *a, const takt_values *b, takt_slot at)
{
    switch (at.kind) {
    case TAKT_KIND_REAL: return a->real[at.index] == b->real[at.index];
    case TAKT_KIND_INTEGER: return a->integer[at.index] == b->integer[at.index];
    case TAKT_KIND_BYTES: break;
    }
    return takt_bytes_equal(&a->bytes[at.index], &b->bytes[at.index]);
}

// Has its instance announced an event for the end of the step?
static bool is_announced(const takt_run *run, const discrete *value, const takt_tested_step *step)
{
    double event = takt_way_back_announced(run)[value->i_instance].next_event;
    return event < INFINITY && takt_times_equal(event, step->t_end, step->h);
}

// Do members of the block, or some of them, get values of the last communication point?
static bool answers_late(const takt_run_block *block)
{
    return takt_block_is_simultaneous(block) || (block->loop && !takt_block_iterates(block));
}

double takt_tested_last_piece(const takt_run *run, double h)
{
    const struct takt_tested *own = run->tested;
    if (h <= 4 * own->largest_change_step) return 0;
    for (int i = 0; i < own->n_discrete; i++)
        if (own->n_changes[i] < ALWAYS && own->discrete[i].block &&
            answers_late(own->discrete[i].block))
            return own->largest_change_step;
    return 0;
}

bool takt_tested_has_changed(const takt_run *run, const takt_tested_step *step, takt_slot *changed)
{
    const struct takt_tested *own = run->tested;
    if (step->h <= own->largest_change_step) return false;
    for (int i = 0; i < own->n_discrete; i++) {
        const discrete *value = &own->discrete[i];
        if (own->n_changes[i] == ALWAYS || is_same(step->start, step->full, value->slot) ||
            is_announced(run, value, step))
            continue;
        *changed = value->slot;
        return true;
    }
    return false;
}

// The same for the halves, in which an announced change must not come before the end.
static bool have_halves_changed(const takt_run *run, const takt_tested_step *step,
                                takt_slot *changed)
{
    const struct takt_tested *own = run->tested;
    if (step->h <= own->largest_change_step) return false;
    for (int i = 0; i < own->n_discrete; i++) {
        const discrete *value = &own->discrete[i];
        if (own->n_changes[i] == ALWAYS) continue;
        bool is_event = is_announced(run, value, step);
        if (is_same(step->start, is_event ? step->middle : step->end, value->slot) &&
            is_same(step->start, step->middle, value->slot))
            continue;
        *changed = value->slot;
        return true;
    }
    return false;
}

void takt_tested_note(takt_run *run)
{
    struct takt_tested *own = run->tested;
    const takt_values *start = takt_way_back_start(run);
    for (int i = 0; i < own->n_discrete; i++) {
        if (is_same(start, &run->state.y, own->discrete[i].slot))
            own->n_changes[i] = 0;
        else if (own->n_changes[i] < ALWAYS)
            own->n_changes[i]++;
    }
}

takt_memory takt_tested_memory(takt_run *run)
{
    if (!run->tested) return (takt_memory){0};
    return (takt_memory){run->tested->n_changes, (size_t)run->tested->n_discrete, NULL};
}

// ---- continuous values -----------------------------------------------------------------------------

// The least unit of value k, where no nominal value is declared. A signal that grows beyond all that was seen is
// not known to be a small one: what counts is what it would become within some steps if it goes on as it does
// now. In the smallest step there is nothing more to be gained.
static double least_unit(const takt_run *run, const takt_tested_step *step, int k)
{
    const takt_settings *settings = &run->plan->system->settings;
    double end = step->end->real[k], seen = run->scale->seen[k];
    if (fabs(end) <= seen && seen > TAKT_SCALE_LEAST) return TAKT_SCALE_LEAST;
    if (step->h <= SMALLEST * settings->step_min) return 1;
    double rate = fabs(end - step->middle->real[k]) / (step->h / 2);
    return fmax(TAKT_SCALE_LEAST, HORIZON * settings->step_size * rate);
}

// The size of an error of value k. An output that is not finite either way has none.
static double size_of(const takt_run *run, const takt_tested_step *step, int k, double error)
{
    double y = step->end->real[k];
    if (!isfinite(y)) return 0;
    double size = fabs(error) - run->scale->precision[k] * fabs(y);
    if (size <= 0) return 0;
    double tolerance = takt_scale_tolerance(run, k, y, least_unit(run, step, k));
    return size <= DBL_MAX ? size / tolerance : TAKT_TESTED_FAILED;
}

static double richardson_error(const takt_run *run, const takt_tested_step *step, int k)
{
    return size_of(run, step, k, step->end->real[k] - step->full->real[k]);
}

static double connected_error(const takt_run *run, const takt_tested_step *step, int k)
{
    takt_error_estimate which = run->plan->system->settings.error_estimate;
    double error = which == TAKT_ESTIMATE_SLOPE ? 0 : richardson_error(run, step, k);
    if (which == TAKT_ESTIMATE_RICHARDSON) return error;
    double line = 0.5 * (step->start->real[k] + step->full->real[k]);
    return fmax(error, size_of(run, step, k, step->middle->real[k] - line));
}

/// The largest error so far, and whose it is.
typedef struct largest {
    double error;
    takt_slot value;
} largest;

static void note_error(largest *all, double error, int i_real)
{
    if (!(error > all->error)) return;
    *all = (largest){error, {TAKT_KIND_REAL, i_real}};
}

double takt_tested_error(const takt_run *run, const takt_tested_step *step, takt_slot *worst)
{
    const struct takt_tested *own = run->tested;
    largest all = {0, {TAKT_KIND_REAL, -1}};
    if (have_halves_changed(run, step, &all.value)) all.error = TAKT_TESTED_FAILED;
    for (int i = 0; i < own->n_connected; i++)
        note_error(&all, connected_error(run, step, own->connected[i]), own->connected[i]);
    for (int i = 0; i < own->n_discrete; i++) {
        takt_slot slot = own->discrete[i].slot;
        if (slot.kind == TAKT_KIND_REAL && own->n_changes[i] == ALWAYS)
            note_error(&all, connected_error(run, step, slot.index), slot.index);
    }
    bool tests_outputs = run->plan->system->settings.error_estimate != TAKT_ESTIMATE_SLOPE;
    for (int i = 0; i < own->n_outputs && tests_outputs; i++)
        note_error(&all, richardson_error(run, step, own->outputs[i]), own->outputs[i]);
    *worst = all.value;
    return all.error;
}
