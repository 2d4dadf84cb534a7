// SPDX-License-Identifier: MIT
// Does anything still change? See takt/pacing.h. Every real value has a band from the least to the greatest value since nothing has
// changed. A value that would make its band wider than the tolerance times its size begins all bands anew: so a slow
// drift is seen as well as a jump, and an oscillation is one unless it is smaller than the tolerance.
// All of this goes into snapshots and checkpoints.
#include "run/steady.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "run/naming.h"
#include "run/rows.h"
#include "run/scale.h"
#include "run/stops.h"

static const double SHARE = 0.1; // of the interval: the window, unless another is asked for
static const double NOMINAL_SHARE = 0.01; // of the nominal value: the least size

struct takt_steady {
    takt_steady_state state;
    double *low, *high; // per real value of y
    double *size; // likewise: the largest magnitude so far
    takt_values last; // discrete values of y, when they changed last
    int n_discrete[TAKT_N_KINDS];
    double looked; // s; the time that all of this belongs to
    bool is_watched; // else it comes from a checkpoint, and nobody has asked for it yet
    bool is_steady;
};

// Returns NULL if memory is exhausted.
static struct takt_steady *make(takt_run *run)
{
    struct takt_steady *own = takt_arena_alloc(&run->arena, sizeof *own);
    size_t n = (size_t)run->plan->n_outputs[TAKT_KIND_REAL];
    double *room = takt_arena_array(&run->arena, 3 * n, sizeof *room);
    if (!own || !room) return NULL;
    own->low = room, own->high = room + n, own->size = room + 2 * n;
    memcpy(own->n_discrete, run->plan->n_outputs, sizeof own->n_discrete);
    own->n_discrete[TAKT_KIND_REAL] = 0;
    own->looked = NAN;
    if (!takt_values_init(&own->last, own->n_discrete)) return NULL;
    run->steady = own;
    return own;
}

static void begin_bands(takt_run *run, struct takt_steady *own)
{
    size_t n = (size_t)run->plan->n_outputs[TAKT_KIND_REAL] * sizeof(double);
    if (n) memcpy(own->low, run->state.y.real, n);
    if (n) memcpy(own->high, run->state.y.real, n);
    own->state.since = run->state.grid.time;
}

static takt_status keep_discrete(takt_run *run, struct takt_steady *own, takt_error *err)
{
    return takt_values_copy(&run->state.y, &own->last, own->n_discrete) ? TAKT_OK
                                                                        : takt_fail_memory(err);
}

static bool is_long_enough(const takt_run *run, const struct takt_steady *own)
{
    return run->state.grid.time - own->state.since >= own->state.window;
}

takt_status takt_run_watch_steady(takt_run *run, double window, takt_error *err)
{
    if (!run) return takt_fail_missing(err, __func__, "run");
    const takt_grid *grid = &run->state.grid;
    struct takt_steady *own = run->steady;
    if (!run->is_initialized || (own && own->is_watched) || !(window >= 0))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "a run can be watched for its end once, after the initialization, over a "
                         "time that is not negative");
    if (!own) own = make(run);
    if (!own) return takt_fail_memory(err);
    own->is_watched = true;
    own->state.window = window > 0 ? window : SHARE * (grid->stop - grid->start);
    if (own->looked == grid->time) { // in the run that has written the checkpoint
        own->is_steady = is_long_enough(run, own);
        return TAKT_OK;
    }
    takt_status st = takt_rows_read_recorded(run, grid->time, err);
    if (!st) st = keep_discrete(run, own, err);
    begin_bands(run, own);
    own->looked = grid->time;
    return st;
}

void takt_steady_destroy(takt_run *run)
{
    if (run->steady) takt_values_clear(&run->steady->last, run->steady->n_discrete);
}

// The name of a value of y: that of its column, or of the output.
static void name_value(const takt_run *run, takt_kind kind, int index, char *text, size_t size)
{
    takt_name_value(run, kind, index, text, size);
    for (int i = 0; i < run->plan->n_columns; i++) {
        takt_slot slot = run->plan->columns[i].slot;
        if (slot.kind == kind && slot.index == index)
            snprintf(text, size, "%s", run->column_names[i]);
    }
}

// A value that has changed since the bands began; false: there is none.
static bool find_real(const takt_run *run, struct takt_steady *own, int *index)
{
    const double *y = run->state.y.real, *nominal = run->scale->nominal;
    double tolerance = run->plan->system->settings.tolerance;
    bool is_found = false;
    for (int i = 0; i < run->plan->n_outputs[TAKT_KIND_REAL]; i++) {
        double known = i < run->scale->n ? NOMINAL_SHARE * nominal[i] : 0;
        own->size[i] = fmax(own->size[i], fmax(fabs(y[i]), fmax(known, TAKT_SCALE_LEAST)));
        own->low[i] = fmin(own->low[i], y[i]);
        own->high[i] = fmax(own->high[i], y[i]);
        if (own->high[i] - own->low[i] <= tolerance * own->size[i]) continue;
        *index = i;
        is_found = true;
    }
    return is_found;
}

static bool find_discrete(const takt_run *run, const struct takt_steady *own, takt_kind *kind,
                          int *index)
{
    const takt_values *y = &run->state.y;
    for (int i = 0; i < own->n_discrete[TAKT_KIND_INTEGER]; i++)
        if (y->integer[i] != own->last.integer[i])
            return *kind = TAKT_KIND_INTEGER, *index = i, true;
    for (int i = 0; i < own->n_discrete[TAKT_KIND_BYTES]; i++)
        if (!takt_bytes_equal(&y->bytes[i], &own->last.bytes[i]))
            return *kind = TAKT_KIND_BYTES, *index = i, true;
    return false;
}

// Is a change known to come: a knot or a listed time, a jump of a table, a change of a scenario? (Events of FMUs may be
// the ticks of a clock, which never end.)
static bool expects_change(const takt_run *run)
{
    const takt_run_state *state = &run->state;
    if (run->stops && takt_stops_next(run) < INFINITY) return true;
    if (state->grid.time <= run->plan->system->last_change) return true;
    for (int i = 0; i < run->work.n_instances; i++) {
        const takt_model *model = run->work.instances[i].instance->model;
        bool is_table = model->version && strcmp(model->version, "table") == 0;
        if (is_table && state->instances[i].next_event <= state->grid.stop) return true;
    }
    return false;
}

takt_status takt_run_look_steady(takt_run *run, int *is_steady, takt_error *err)
{
    if (!run || !is_steady)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_run_look_steady: no argument may be NULL");
    struct takt_steady *own = run->steady;
    *is_steady = 0;
    if (!own || run->has_failed || run->is_finished) return TAKT_OK;
    takt_kind kind = TAKT_KIND_REAL;
    int index;
    takt_status st = takt_rows_read_recorded(run, run->state.grid.time, err);
    if (st) {
        run->has_failed = true;
        return st;
    }
    if (isnan(own->looked)) begin_bands(run, own); // the run went back to where nobody had looked
    bool has_real = find_real(run, own, &index),
         has_discrete = find_discrete(run, own, &kind, &index);
    own->looked = run->state.grid.time;
    if (has_real || has_discrete) {
        name_value(run, kind, index, own->state.restless, sizeof own->state.restless);
        begin_bands(run, own);
        return has_discrete ? keep_discrete(run, own, err) : TAKT_OK;
    }
    if (expects_change(run)) begin_bands(run, own); // what follows from it takes its time
    own->is_steady = is_long_enough(run, own);
    *is_steady = own->is_steady;
    return TAKT_OK;
}

takt_status takt_run_steady_state(const takt_run *run, takt_steady_state *out, takt_error *err)
{
    if (!run) return takt_fail_missing(err, __func__, "run");
    const struct takt_steady *own = run->steady;
    bool is_watched = own && own->is_watched;
    takt_steady_state state =
        is_watched ? own->state : (takt_steady_state){.since = NAN, .window = NAN};
    state.is_steady = is_watched && own->is_steady;
    return takt_sized_fill(out, &state, sizeof state, err);
}

// ---- snapshots and checkpoints ---------------------------------------------------------------------

void takt_steady_pack(const takt_run *run, takt_packer *packer)
{
    const struct takt_steady *own = run->steady;
    bool is_known = own && own->looked == run->state.grid.time;
    takt_pack_integer(packer, is_known);
    if (!is_known) return;
    size_t n = (size_t)run->plan->n_outputs[TAKT_KIND_REAL];
    takt_pack_real(packer, own->state.since);
    takt_pack(packer, own->state.restless, sizeof own->state.restless);
    takt_pack(packer, own->low, 3 * n * sizeof *own->low); // all three are one piece
    takt_pack_values(packer, &own->last, own->n_discrete);
}

void takt_steady_unpack(takt_run *run, takt_unpacker *unpacker)
{
    bool is_known = takt_unpack_integer(unpacker, 0, 1);
    struct takt_steady *own = run->steady;
    if (!is_known && own) own->looked = NAN;
    if (!is_known) return;
    if (!own) own = make(run);
    if (!own) {
        unpacker->failed = unpacker->out_of_memory = true;
        return;
    }
    size_t n = (size_t)run->plan->n_outputs[TAKT_KIND_REAL];
    own->state.since = takt_unpack_real(unpacker);
    takt_unpack(unpacker, own->state.restless, sizeof own->state.restless);
    own->state.restless[sizeof own->state.restless - 1] = 0;
    takt_unpack(unpacker, own->low, 3 * n * sizeof *own->low);
    takt_unpack_values(unpacker, &own->last, own->n_discrete);
    own->looked = run->state.grid.time;
    own->is_steady = is_long_enough(run, own);
}
