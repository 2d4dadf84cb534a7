// SPDX-License-Identifier: MIT
// Measurements between two steps; see probe.h.
#include "advise/probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/calls.h"
#include "run/gather.h"

// Relative sizes of changes of inputs, for noise (in the bits, and in the decisions of solvers), for settling and
// loops.
static const double TINY[] = {1e-8, 1e-5}, SMALL = 1e-3;

// What changes more than this does not make noise: it switches.
static const double SWITCH = 0.01;

enum { N_NOISE = 6, MAX_TORN = 32, N_SQUARINGS = 5 };

// One visit.
typedef struct visit {
    takt_probe *probe;
    takt_run *run;
    const takt_trial *trial;
    double t, h; // s; h: the longest step that fits
    takt_values u, y; // as they were
    double *scales; // per real value of y
    takt_arena arena;
    bool has_failed;
    takt_error err;
} visit;

static const takt_model *model_of(const visit *v, int i)
{
    return v->run->work.instances[i].instance->model;
}

static bool can_measure(const visit *v, int i)
{
    return takt_model_can_rewind(model_of(v, i)) && model_of(v, i)->can.variable_step;
}

// ---- one instance --------------------------------------------------------------------------------------

// An instance that got polynomials before is told that its inputs rest.
static takt_status hold_inputs(visit *v, int i, double t)
{
    const takt_model *model = model_of(v, i);
    const takt_run_instance *at = &v->run->work.instances[i];
    const takt_access *inputs = &at->plan->inputs;
    int n = 0, n_real = inputs->n_values[TAKT_KIND_REAL];
    if (takt_instance_motion_order(at->instance) == 0 || n_real == 0) return TAKT_OK;
    int *variables = takt_arena_array(&v->arena, (size_t)n_real, sizeof *variables);
    double *derivatives = takt_arena_array(&v->arena, 2 * (size_t)n_real, sizeof *derivatives);
    takt_access access;
    if (!variables || !derivatives) return takt_fail_memory(&v->err);
    for (int k = 0; k < n_real; k++) {
        int variable = takt_access_index(inputs, TAKT_KIND_REAL, k);
        if (!takt_model_interpolates(model, variable)) continue;
        derivatives[n] = at->inputs.real[k]; // of one type, so the order stays
        variables[n++] = variable;
    }
    if (n == 0) return TAKT_OK;
    if (!takt_access_create(&v->arena, model, variables, n, &access, NULL))
        return takt_fail_memory(&v->err);
    return takt_run_set_motion(v->run, i, &access, 1, derivatives, t, &v->err);
}

// Steps an instance with the inputs that are in u, and reads its outputs. False: that was not possible, or the time
// is over.
static bool step(visit *v, int i, double h)
{
    if (takt_clock() > v->probe->deadline) {
        v->probe->is_late = true;
        return false;
    }
    takt_step_result result;
    const takt_step step = {.t = v->t, .h = h, .slot = TAKT_SLOT_BETWEEN};
    takt_status st = takt_run_set_inputs(v->run, i, v->t, &v->err);
    if (!st) st = hold_inputs(v, i, v->t);
    if (!st) st = takt_run_do_step(v->run, i, &step, &result, &v->err);
    bool is_done = !st && result.end == TAKT_STEP_DONE;
    if (is_done) st = takt_run_get_outputs(v->run, i, v->t + h, &v->err);
    v->has_failed |= st != TAKT_OK;
    return is_done && !st;
}

static void go_back(visit *v, int i)
{
    if (v->has_failed) return;
    v->has_failed = takt_run_restore(v->run, i, TAKT_SLOT_BETWEEN, v->t, &v->err) != TAKT_OK;
}

static double *outputs_of(const visit *v, int i)
{
    return v->run->work.instances[i].outputs.real;
}

static int count_outputs(const visit *v, int i)
{
    return v->run->plan->instances[i].outputs.n_values[TAKT_KIND_REAL];
}

// Steps an instance whose inputs are changed by a part of their size, keeps its outputs and goes back.
static bool step_changed(visit *v, int i, double h, double change, double *out)
{
    const takt_run_instance *at = &v->run->work.instances[i];
    const takt_access *inputs = &at->plan->inputs;
    takt_status st = takt_run_gather(v->run, i, &v->err);
    v->has_failed |= st != TAKT_OK;
    for (int k = 0; k < inputs->n_values[TAKT_KIND_REAL]; k++) {
        const takt_variable *variable =
            takt_access_variable(inputs, at->instance->model, TAKT_KIND_REAL, k);
        if (variable->variability != TAKT_CONTINUOUS) continue;
        double scale = fmax(fabs(at->inputs.real[k]), 0.01 * fabs(variable->nominal));
        at->inputs.real[k] += change * scale;
    }
    bool is_done = !v->has_failed && step(v, i, h);
    memcpy(out, outputs_of(v, i), (size_t)count_outputs(v, i) * sizeof *out);
    memcpy(outputs_of(v, i), v->y.real + at->plan->first_output[TAKT_KIND_REAL],
           (size_t)count_outputs(v, i) * sizeof *out);
    go_back(v, i);
    return is_done && !v->has_failed;
}

// Largest relative difference, and of which output.
static double differ(const visit *v, int i, const double *a, const double *b, int *i_largest)
{
    const double *scales = v->scales + v->run->plan->instances[i].first_output[TAKT_KIND_REAL];
    double largest = 0;
    for (int k = 0; k < count_outputs(v, i); k++) {
        double difference = fabs(a[k] - b[k]) / scales[k];
        if (difference <= largest) continue;
        largest = difference;
        *i_largest = k;
    }
    return largest;
}

// The first of the two begins where the instance is, and not where it has come back to.
static void measure_rewinding(visit *v, int i, double *a, double *b)
{
    takt_instance_facts *facts = &v->probe->instances[i];
    int i_largest = 0;
    if (!step_changed(v, i, v->h, 0, a) || !step_changed(v, i, v->h, 0, b)) return;
    double difference = differ(v, i, a, b, &i_largest);
    facts->is_rewound = true;
    if (difference <= facts->inexact) return;
    facts->inexact = difference;
    facts->i_inexact = i_largest;
}

static void measure_noise(visit *v, int i, double change, double *room)
{
    takt_instance_facts *facts = &v->probe->instances[i];
    int n = count_outputs(v, i), i_largest = 0;
    for (int k = 0; k < N_NOISE; k++)
        if (!step_changed(v, i, v->h, (k + 1) * change, room + k * n)) return;
    facts->has_noise = true;
    double *middle = room + N_NOISE * n;
    for (int k = 1; k < N_NOISE - 1; k++) {
        const double *before = room + (k - 1) * n, *after = room + (k + 1) * n;
        for (int j = 0; j < n; j++) middle[j] = (before[j] + after[j]) / 2;
        double noise = differ(v, i, room + k * n, middle, &i_largest);
        if (noise <= facts->noise || noise > SWITCH) continue;
        facts->noise = noise;
        facts->i_noise = i_largest;
    }
}

// Where does the response stop growing? Sizes descend by factors of ten. What responds at once, however short the
// step, is feedthrough, and settles nothing.
static void measure_settling(visit *v, int i, double *a, double *b)
{
    takt_instance_facts *facts = &v->probe->instances[i];
    double response[TAKT_PROBE_SIZES], h = v->h;
    int ignored;
    for (int k = 0; k < TAKT_PROBE_SIZES; k++, h /= 10) {
        if (!step_changed(v, i, h, 0, a) || !step_changed(v, i, h, SMALL, b)) return;
        response[k] = differ(v, i, a, b, &ignored);
    }
    double all = response[0];
    bool settles = all > 0.01 * SMALL && response[1] > 0.8 * all && response[1] < 1.25 * all &&
                   response[TAKT_PROBE_SIZES - 1] < 0.5 * all;
    if (!settles) return;
    int k = 1;
    while (response[k] > 0.6 * all) k++; // ends: the last one is below
    double settling = v->h * pow(10, 1 - k);
    if (facts->settles && facts->settling / facts->h <= settling / v->h) return;
    facts->settles = true;
    facts->settling = settling;
    facts->h = v->h;
}

static void measure_instance(visit *v, int i)
{
    const takt_plan_instance *plan = &v->run->plan->instances[i];
    int n = count_outputs(v, i);
    double *room = takt_arena_array(&v->arena, (size_t)(N_NOISE + 1) * (size_t)n, sizeof *room);
    v->has_failed |= !room;
    if (v->has_failed || n == 0 || model_of(v, i)->is_function) return;
    measure_rewinding(v, i, room, room + n);
    if (plan->inputs.n_values[TAKT_KIND_REAL] == 0) return;
    for (size_t k = 0; k < sizeof TINY / sizeof *TINY && !v->has_failed; k++)
        measure_noise(v, i, TINY[k], room);
    if (!v->has_failed) measure_settling(v, i, room, room + n);
}

// ---- loops ---------------------------------------------------------------------------------------------

// One sweep over a loop with the torn values that are in y; writes those that it delivers.
static bool sweep(visit *v, const takt_block *block, double h, double *out)
{
    bool is_done = true;
    int n_stepped = 0;
    for (int m = 0; m < block->n_members && is_done && !v->has_failed; m++) {
        n_stepped = m + 1;
        v->has_failed = takt_run_gather(v->run, block->members[m], &v->err) != TAKT_OK;
        is_done = !v->has_failed && step(v, block->members[m], h);
    }
    for (int k = 0; k < block->n_torn; k++) out[k] = v->run->state.y.real[block->torn[k]];
    for (int m = 0; m < n_stepped; m++) {
        int i = block->members[m], first = v->run->plan->instances[i].first_output[TAKT_KIND_REAL];
        memcpy(outputs_of(v, i), v->y.real + first,
               (size_t)count_outputs(v, i) * sizeof *v->y.real);
        go_back(v, i);
    }
    return is_done && !v->has_failed;
}

// One sweep with one torn value changed by a part of its scale.
static bool sweep_changed(visit *v, const takt_block *block, double h, int i_torn, double change,
                          double *out)
{
    int place = block->torn[i_torn];
    v->run->state.y.real[place] += change * v->scales[place];
    bool is_done = sweep(v, block, h, out);
    v->run->state.y.real[place] = v->y.real[place];
    return is_done;
}

// The smaller one of two slopes, or 0 between them.
static double limit(double a, double b)
{
    if ((a > 0) != (b > 0)) return 0;
    return fabs(a) < fabs(b) ? a : b;
}

// The matrix of relative changes of the torn values by relative changes of each of them, to both sides: what
// jumps on one side only is a switch, and no slope. `room` has 3 n values.
static bool differentiate(visit *v, const takt_block *block, double h, double *room, double *matrix)
{
    int n = block->n_torn;
    double *base = room, *above = room + n, *below = above + n;
    if (!sweep(v, block, h, base)) return false;
    for (int j = 0; j < n; j++) {
        if (!sweep_changed(v, block, h, j, SMALL, above)) return false;
        if (!sweep_changed(v, block, h, j, -SMALL, below)) return false;
        for (int i = 0; i < n; i++) {
            double unit = SMALL * v->scales[block->torn[i]];
            matrix[i * n + j] = limit((above[i] - base[i]) / unit, (base[i] - below[i]) / unit);
        }
    }
    return true;
}

static double normalize(double *matrix, int n)
{
    double largest = 0;
    for (int i = 0; i < n * n; i++) largest = fmax(largest, fabs(matrix[i]));
    for (int i = 0; i < n * n && largest > 0; i++) matrix[i] /= largest;
    return largest;
}

// The spectral radius, from the growth of powers of the matrix: by squaring, so the power is 2^N_SQUARINGS.
static double find_radius(double *matrix, double *room, int n)
{
    double logarithm = 0, weight = 1;
    for (int k = 0; k <= N_SQUARINGS; k++, weight /= 2) {
        double norm = normalize(matrix, n);
        if (!(norm > 0)) return 0;
        logarithm += weight * log(norm);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int l = 0; l < n; l++) sum += matrix[i * n + l] * matrix[l * n + j];
                room[i * n + j] = sum;
            }
        memcpy(matrix, room, (size_t)n * (size_t)n * sizeof *matrix);
    }
    return exp(logarithm);
}

// The torn value whose changes are felt most, and whose change is a large part of what is felt.
static int find_strongest(const double *matrix, int n)
{
    int strongest = 0;
    double largest = -1;
    for (int j = 0; j < n; j++) {
        double column = 0, row = 0;
        for (int i = 0; i < n; i++) {
            column = fmax(column, fabs(matrix[i * n + j]));
            row = fmax(row, fabs(matrix[j * n + i]));
        }
        if (column * row <= largest) continue;
        largest = column * row;
        strongest = j;
    }
    return strongest;
}

static bool can_measure_loop(const visit *v, const takt_block *block)
{
    if (!block->is_loop || block->n_torn == 0 || block->n_torn > MAX_TORN) return false;
    for (int m = 0; m < block->n_members; m++)
        if (!can_measure(v, block->members[m])) return false;
    return true;
}

static void measure_loop(visit *v, int i_block)
{
    const takt_block *block = &v->run->plan->blocks[i_block];
    size_t n = (size_t)block->n_torn;
    if (!can_measure_loop(v, block)) return;
    double *room = takt_arena_array(&v->arena, 3 * n + 2 * n * n, sizeof *room);
    v->has_failed |= !room;
    takt_loop_facts found = {.is_measured = true, .t = v->t}, *facts = &v->probe->loops[i_block];
    double h = v->h, *matrix = room + 3 * n;
    for (int k = 0; k < TAKT_PROBE_SIZES; k++, h /= 10) {
        if (v->has_failed || !differentiate(v, block, h, room, matrix)) return;
        found.i_strongest = find_strongest(matrix, (int)n);
        found.h[k] = h;
        found.rho[k] = find_radius(matrix, matrix + n * n, (int)n);
    }
    // Those that stay with small steps count most.
    int last = TAKT_PROBE_SIZES - 1;
    bool is_worse = found.rho[last] > facts->rho[last] + 0.01 || found.rho[0] > facts->rho[0];
    if (!facts->is_measured || is_worse) *facts = found;
}

// ---- a visit -------------------------------------------------------------------------------------------

static bool keep(visit *v)
{
    const takt_plan *plan = v->run->plan;
    v->scales =
        takt_arena_array(&v->arena, (size_t)plan->n_outputs[TAKT_KIND_REAL], sizeof *v->scales);
    bool has_room = v->scales && takt_values_init(&v->u, plan->n_inputs) &&
                    takt_values_init(&v->y, plan->n_outputs) &&
                    takt_values_copy(&v->run->state.u, &v->u, plan->n_inputs) &&
                    takt_values_copy(&v->run->state.y, &v->y, plan->n_outputs);
    v->has_failed = !has_room;
    if (!has_room) return false;
    const double *scales = v->trial->scales;
    for (int i = 0; i < v->run->work.n_instances; i++) {
        size_t n = (size_t)count_outputs(v, i);
        memcpy(v->scales + plan->instances[i].first_output[TAKT_KIND_REAL], scales,
               n * sizeof *scales);
        scales += n;
    }
    for (int i = 0; i < v->run->work.n_instances && !v->has_failed; i++)
        if (can_measure(v, i))
            v->has_failed = takt_run_save(v->run, i, TAKT_SLOT_BETWEEN, v->t, &v->err) != TAKT_OK;
    return !v->has_failed;
}

static void bring_back(visit *v)
{
    const takt_plan *plan = v->run->plan;
    if (!v->has_failed) {
        v->has_failed = !takt_values_copy(&v->u, &v->run->state.u, plan->n_inputs) ||
                        !takt_values_copy(&v->y, &v->run->state.y, plan->n_outputs);
    }
    takt_values_clear(&v->u, plan->n_inputs);
    takt_values_clear(&v->y, plan->n_outputs);
}

bool takt_probe_visit(void *context, takt_run *run, const takt_trial *trial)
{
    takt_probe *probe = context;
    visit v = {.probe = probe, .run = run, .trial = trial, .t = takt_run_time(run)};
    v.h = fmin(probe->h, 0.99 * (trial->stop - v.t));
    if (keep(&v)) {
        for (int i = 0; i < run->work.n_instances && !v.has_failed; i++)
            if (can_measure(&v, i)) measure_instance(&v, i);
        for (int i = 0; i < run->plan->n_blocks && !v.has_failed; i++) measure_loop(&v, i);
    }
    bring_back(&v);
    if (v.has_failed)
        probe->failure =
            takt_arena_copy(probe->arena, v.err.message[0] ? v.err.message : "out of memory");
    takt_arena_clear(&v.arena);
    return !v.has_failed;
}

takt_status takt_probe_create(const takt_plan *plan, double h, double deadline, takt_arena *arena,
                              takt_probe *out, takt_error *err)
{
    *out = (takt_probe){.arena = arena, .h = h, .deadline = deadline};
    size_t n = (size_t)plan->system->n_components;
    out->instances = takt_arena_array(arena, n, sizeof *out->instances);
    out->loops = takt_arena_array(arena, (size_t)plan->n_blocks, sizeof *out->loops);
    return out->instances && out->loops ? TAKT_OK : takt_fail_memory(err);
}
