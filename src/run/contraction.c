// SPDX-License-Identifier: MIT
// The power method for sweeps; see contraction.h.
#include "run/contraction.h"

#include <math.h>

#include "base/sound.h"
#include "run/scale.h"

enum {
    MIN_PROBES = 6, // of a run: the first ones may show less and less before the slowest part wins
    MAX_FIRST = 12, // of a step; then the rate is taken as it is, because it may swing for ever
    MAX_LATER = 3, // the same, after N_FIRST probes of the run
    N_FIRST = 40,
};

// A rate as small as this needs no second probe.
static const double FAST = 0.1;

// The distance of the rate from 1 must not change by more than this from probe to probe.
static const double STEADY = 0.2;

// What is carried from step to step. One piece of memory.
typedef struct memory {
    int64_t version; // another one after every change
    int64_t n_probes; // in all steps
    double rates[3]; // of the latest probes, the last one first; -1: none
    double change[]; // of torn values, for the next probe; the largest is one tolerance
} memory;

struct takt_contraction {
    takt_loop *loop;
    const int *torn; // indices in y
    int n_torn;
    double *probed; // torn values after the sweep with the change
    double sign; // of the change
    bool is_finite; // those are
    int n_probes; // in this step
    int64_t n_changes; // of the memory; never goes back
    memory *memory;
};

static double tolerance(const takt_contraction *at, int i)
{
    const takt_run *run = at->loop->run;
    int k = at->torn[i];
    return takt_scale_tolerance(run, k, run->state.y.real[k], TAKT_SCALE_LEAST);
}

// ---- life ------------------------------------------------------------------------------------------

takt_status takt_contraction_create(takt_loop *loop, takt_contraction **out, takt_error *err)
{
    takt_arena *arena = &loop->run->arena;
    const takt_block *block = loop->block->plan;
    size_t n = (size_t)block->n_torn;
    takt_contraction *at = takt_arena_alloc(arena, sizeof *at);
    if (!at) return takt_fail_memory(err);
    *at = (takt_contraction){.loop = loop, .torn = block->torn, .n_torn = block->n_torn};
    at->probed = takt_arena_array(arena, n, sizeof *at->probed);
    at->memory = takt_arena_alloc(arena, sizeof *at->memory + n * sizeof(double));
    if (!at->probed || !at->memory) return takt_fail_memory(err);
    takt_contraction_forget(at);
    *out = at;
    return TAKT_OK;
}

void takt_contraction_forget(takt_contraction *at)
{
    at->memory->version = ++at->n_changes;
    at->memory->n_probes = 0;
    for (int i = 0; i < 3; i++) at->memory->rates[i] = -1;
}

takt_memory takt_contraction_memory(takt_contraction *at)
{
    size_t size = sizeof *at->memory + (size_t)at->n_torn * sizeof(double);
    return (takt_memory){at->memory, size, &at->memory->version};
}

bool takt_contraction_is_sound(const takt_contraction *at)
{
    return takt_sound_long_count(at->memory->n_probes);
}

double takt_contraction_change(const takt_contraction *at)
{
    const takt_run *run = at->loop->run;
    double size = 0;
    for (int i = 0; i < at->n_torn; i++) {
        int k = at->torn[i];
        double now = run->state.y.real[k], before = run->work.previous.real[k];
        size = fmax(size, takt_loop_size(at->loop, k, now - before, fmax(fabs(now), fabs(before))));
    }
    return size;
}

bool takt_contraction_is_needed(const takt_contraction *at)
{
    return at->n_torn > 1;
}

void takt_contraction_begin_step(takt_contraction *at)
{
    at->n_probes = 0;
}

// ---- probes ----------------------------------------------------------------------------------------

// Changes in all directions, more of them upwards: what moves slowly often moves together.
static void choose_change(takt_contraction *at)
{
    uint32_t chance = 1;
    for (int i = 0; i < at->n_torn; i++) {
        chance = chance * 1664525u + 1013904223u;
        at->memory->change[i] = ((double)(chance >> 8) / (1 << 24) * 1.5 - 0.5) * tolerance(at, i);
    }
}

static takt_status sweep_changed(takt_contraction *at, double sign, takt_error *err)
{
    takt_loop *loop = at->loop;
    double *y = loop->run->state.y.real;
    for (int i = 0; i < at->n_torn; i++) y[at->torn[i]] += sign * at->memory->change[i];
    takt_status st = takt_loop_try_sweep(loop, &at->is_finite, err);
    if (st || takt_loop_is_stopped(loop)) return st;
    at->sign = sign;
    for (int i = 0; i < at->n_torn && at->is_finite; i++) at->probed[i] = y[at->torn[i]];
    return takt_loop_recall(loop, err);
}

// Values at the edge of what a member allows may be changed in one direction only.
takt_status takt_contraction_probe(takt_contraction *at, takt_error *err)
{
    if (at->memory->rates[0] < 0) choose_change(at);
    at->n_probes++;
    takt_status st = sweep_changed(at, 1, err);
    if (!st && !at->is_finite && !takt_loop_is_stopped(at->loop)) st = sweep_changed(at, -1, err);
    return st;
}

static double size_of(const takt_contraction *at, const double *change)
{
    double size = 0;
    for (int i = 0; i < at->n_torn; i++) size = fmax(size, fabs(change[i]) / tolerance(at, i));
    return size;
}

void takt_contraction_compare(takt_contraction *at)
{
    memory *kept = at->memory;
    const double *y = at->loop->run->state.y.real;
    double before = size_of(at, kept->change);
    kept->version = ++at->n_changes;
    kept->n_probes++;
    kept->rates[2] = kept->rates[1];
    kept->rates[1] = kept->rates[0];
    kept->rates[0] = at->is_finite && before > 0 ? 0 : INFINITY;
    if (!at->is_finite || !(before > 0)) return;
    for (int i = 0; i < at->n_torn; i++)
        at->probed[i] = at->sign * (at->probed[i] - y[at->torn[i]]);
    double after = size_of(at, at->probed);
    kept->rates[0] = after / before;
    for (int i = 0; i < at->n_torn && after > 0; i++) kept->change[i] = at->probed[i] / after;
}

double takt_contraction_rate(const takt_contraction *at)
{
    return fmax(at->memory->rates[0], at->memory->rates[1]);
}

// Two rates that agree by accident prove nothing: three must.
static bool is_steady(const double *rates)
{
    double allowed = STEADY * (1 - fmax(rates[0], rates[1]));
    return fabs(rates[0] - rates[1]) <= allowed && fabs(rates[1] - rates[2]) <= allowed;
}

bool takt_contraction_is_settled(const takt_contraction *at)
{
    const double *rates = at->memory->rates;
    if (at->n_probes == 0 || at->memory->n_probes < MIN_PROBES) return false;
    int most = at->memory->n_probes < N_FIRST ? MAX_FIRST : MAX_LATER;
    return fmax(rates[0], rates[1]) <= FAST || is_steady(rates) || at->n_probes >= most;
}
