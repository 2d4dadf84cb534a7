// SPDX-License-Identifier: MIT
// Checkpoints: the state of a run (run/checkpoint.h), what it belongs to (system/identity.h) and where its results stand,
// in a file (record/checkpoint_file.h); and back.
#include "takt/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "record/checkpoint_file.h"
#include "record/row_writer.h"
#include "run/checkpoint.h"
#include "run/master.h"
#include "run/own_results.h"
#include "run/rows.h"
#include "takt/log.h"

// ---- before a run ----------------------------------------------------------------------------------

static bool can_be_saved(const takt_model *model)
{
    const takt_instance_type *type = model->type;
    return model->can.rewind && model->can.serialize && type->save && type->serialize;
}

static const char *missing(const takt_model *model)
{
    return model->can.rewind && model->type->save ? "cannot turn its state into bytes"
                                                  : "cannot save its state";
}

// All of them are named.
static takt_status check_instances(takt_run *run, takt_error *err)
{
    int n = 0;
    for (int i = 0; i < run->work.n_instances; i++) {
        const takt_instance *instance = run->work.instances[i].instance;
        if (can_be_saved(instance->model)) continue;
        n++;
        takt_log_write(run->log, TAKT_LEVEL_ERROR, "instance '%s' %s (%s)", instance->name,
                       missing(instance->model), instance->model->type->name);
    }
    if (n == 0) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_INPUT,
                     "checkpoints are not possible: %d of %d instances cannot be saved", n,
                     run->work.n_instances);
}

static takt_status find_identity(takt_run *run, takt_error *err)
{
    if (run->identity) return TAKT_OK;
    const takt_system *system = run->asked_system ? run->asked_system : run->plan->system;
    takt_identity *identity = takt_arena_alloc(&run->arena, sizeof *identity);
    if (!identity) return takt_fail_memory(err);
    takt_status st = takt_identity_find(system, run->plan->system, &run->arena, identity, err);
    if (!st) run->identity = identity;
    return st;
}

takt_status takt_run_allow_checkpoints(takt_run *run, takt_error *err)
{
    if (!run)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "takt_run_allow_checkpoints: no argument may be NULL");
    if (run->is_initialized || run->n_observers)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "checkpoints must be allowed before recording and initialization");
    takt_status st = check_instances(run, err);
    if (!st) st = find_identity(run, err);
    if (!st) run->allows_checkpoints = true;
    return st;
}

// ---- writing ---------------------------------------------------------------------------------------

// The one file of results that can be continued.
static takt_status mark_results(takt_run *run, takt_file_mark *out, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->n_observers && !st && !out->path; i++)
        if (run->observers[i]->type->mark)
            st = run->observers[i]->type->mark(run->observers[i], out, err);
    return st;
}

static takt_status save_instances(takt_run *run, takt_checkpoint *to, takt_bytes *states,
                                  takt_error *err)
{
    takt_status st = TAKT_OK;
    to->n_instances = run->work.n_instances;
    to->instances = takt_arena_array(&to->arena, (size_t)to->n_instances, sizeof *to->instances);
    if (!to->instances) return takt_fail_memory(err);
    for (int i = 0; i < to->n_instances && !st; i++) {
        st = takt_checkpoint_pack_instance(run, i, &states[i], err);
        to->instances[i] = (takt_saved_instance){run->work.instances[i].instance->name,
                                                 (const char *)states[i].data, states[i].size};
    }
    return st;
}

// The bytes of a checkpoint. Only one in a file continues results.
static takt_status pack(takt_run *run, bool has_results, takt_bytes *out, takt_error *err)
{
    run->thread = takt_thread_id();
    takt_checkpoint to = {.time = run->state.grid.time,
                          .facts = run->identity->facts,
                          .n_facts = run->identity->n_facts};
    takt_bytes own = {0};
    takt_packer packer = {.out = &own};
    takt_bytes *states = calloc((size_t)run->work.n_instances + 1, sizeof *states);
    takt_status st = states ? save_instances(run, &to, states, err) : takt_fail_memory(err);
    if (!st) st = takt_checkpoint_pack(run, &packer, err);
    if (!st && has_results) st = mark_results(run, &to.results, err);
    to.run = (const char *)own.data;
    to.run_size = own.size;
    if (!st) st = takt_checkpoint_print(&to, out, err);
    for (int i = 0; states && i < run->work.n_instances; i++) takt_bytes_clear(&states[i]);
    free(states);
    takt_bytes_clear(&own);
    takt_arena_clear(&to.arena);
    return st;
}

takt_status takt_run_checkpoint(takt_run *run, const char *path, takt_error *err)
{
    if (!run || !path)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_run_checkpoint: no argument may be NULL");
    takt_bytes bytes = {0};
    if (!run->allows_checkpoints)
        return takt_fail(err, TAKT_ERR_USAGE, "this run was not prepared for checkpoints");
    if (!takt_run_enter(run)) return takt_run_fail_used(run, err);
    takt_status st = takt_checkpoint_check_moment(run, err);
    if (!st) st = pack(run, true, &bytes, err);
    if (!st) st = takt_checkpoint_file_write(path, &bytes, err);
    takt_bytes_clear(&bytes);
    return takt_run_leave(run, st, err);
}

takt_status takt_run_serialize(takt_run *run, void **out, size_t *size, takt_error *err)
{
    takt_bytes bytes = {0};
    if (!run || !out || !size)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_run_serialize: no argument may be NULL");
    if (!takt_run_enter(run)) return takt_run_fail_used(run, err);
    takt_status st = takt_checkpoint_check_moment(run, err);
    if (!st) st = check_instances(run, err);
    if (!st) st = find_identity(run, err);
    if (!st) st = pack(run, false, &bytes, err);
    st = takt_run_leave(run, st, err);
    if (st) {
        takt_bytes_clear(&bytes);
        return st;
    }
    *out = bytes.data;
    *size = bytes.size;
    return TAKT_OK;
}

takt_status takt_checkpoint_deserialize(const void *data, size_t size, takt_checkpoint **out,
                                        takt_error *err)
{
    if (!data || !out)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "takt_checkpoint_deserialize: no argument may be NULL");
    char *copy = malloc(size ? size : 1);
    if (!copy) return takt_fail_memory(err);
    memcpy(copy, data, size);
    takt_status st = takt_checkpoint_parse(copy, size, out, err);
    return st ? takt_within(err, st, "checkpoint") : TAKT_OK;
}

// ---- comparing -------------------------------------------------------------------------------------

takt_status takt_checkpoint_open(const char *path, takt_checkpoint **out, takt_error *err)
{
    if (!path || !out)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_checkpoint_open: no argument may be NULL");
    return takt_checkpoint_file_read(path, out, err);
}

typedef struct comparison {
    takt_run *run;
    const takt_checkpoint *checkpoint;
    takt_map names; // of the checkpoint's facts
    bool *is_seen; // likewise
    int n_different, n_changed;
} comparison;

static void tell(comparison *at, const char *name, const char *before, const char *now,
                 const char *remark)
{
    at->n_different++;
    takt_log_write(at->run->log, TAKT_LEVEL_ERROR, "%s: %s in the checkpoint, %s now%s", name,
                   before ? before : "nothing", now ? now : "nothing", remark);
}

static bool is_same(const takt_fact *fact, const takt_checkpoint *checkpoint, int i_old)
{
    return i_old >= 0 && strcmp(checkpoint->facts[i_old].value, fact->value) == 0;
}

// The simulation may end somewhere else.
static bool is_stop_time(const takt_fact *fact)
{
    return strcmp(fact->name, "setting stop-time") == 0;
}

static const char *remark(const comparison *at, const takt_fact *fact)
{
    if (fact->component >= 0) return "; only tunable parameters can be changed in a checkpoint";
    bool is_interval = strcmp(fact->name, "setting output-interval") == 0;
    const takt_settings *settings = &at->run->plan->system->settings;
    return is_interval && !takt_settings_has(settings, &settings->output_interval)
               ? " (by default; give --output-interval)"
               : "";
}

// Of the facts of the run: what has changed.
static void compare_fact(comparison *at, const takt_fact *fact)
{
    const takt_checkpoint *checkpoint = at->checkpoint;
    int i_old = takt_map_find(&at->names, fact->name);
    if (i_old >= 0) at->is_seen[i_old] = true;
    if (is_same(fact, checkpoint, i_old)) return;
    if (takt_identity_is_tunable(at->run->plan->system, fact)) {
        at->n_changed++;
        return;
    }
    const char *before = i_old >= 0 ? checkpoint->facts[i_old].value : NULL;
    if (!is_stop_time(fact)) tell(at, fact->name, before, fact->value, remark(at, fact));
}

static bool prepare(comparison *at)
{
    const takt_checkpoint *checkpoint = at->checkpoint;
    at->is_seen = calloc((size_t)checkpoint->n_facts + 1, sizeof *at->is_seen);
    if (!at->is_seen) return false;
    for (int i = 0; i < checkpoint->n_facts; i++)
        if (takt_map_find(&at->names, checkpoint->facts[i].name) < 0 &&
            !takt_map_add(&at->names, checkpoint->facts[i].name, i))
            return false;
    return true;
}

static takt_status compare(comparison *at, takt_error *err)
{
    const takt_identity *identity = at->run->identity;
    const takt_checkpoint *checkpoint = at->checkpoint;
    if (!prepare(at)) return takt_fail_memory(err);
    for (int i = 0; i < identity->n_facts; i++) compare_fact(at, &identity->facts[i]);
    for (int i = 0; i < checkpoint->n_facts; i++)
        if (!at->is_seen[i])
            tell(at, checkpoint->facts[i].name, checkpoint->facts[i].value, NULL, "");
    if (at->n_different == 0) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_INPUT,
                     "the checkpoint belongs to another system, or to other settings: %d %s", //
                     at->n_different, at->n_different == 1 ? "difference" : "differences");
}

takt_status takt_run_compare_checkpoint(takt_run *run, const takt_checkpoint *checkpoint,
                                        int *n_changed, takt_error *err)
{
    if (!run || !checkpoint)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "takt_run_compare_checkpoint: run and checkpoint must not be NULL");
    comparison at = {.run = run, .checkpoint = checkpoint};
    takt_status st = check_instances(run, err);
    if (!st) st = find_identity(run, err);
    if (!st) st = compare(&at, err);
    takt_map_clear(&at.names);
    free(at.is_seen);
    if (!st && n_changed) *n_changed = at.n_changed;
    return st;
}

// ---- going on --------------------------------------------------------------------------------------

takt_status takt_run_continue_record(takt_run *run, const takt_checkpoint *checkpoint,
                                     takt_error *err)
{
    if (!run || !checkpoint)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_run_continue_record: no argument may be NULL");
    if (run->is_initialized)
        return takt_fail(err, TAKT_ERR_USAGE, "recording must be set up before initialization");
    if (!checkpoint->results.path)
        return takt_fail(err, TAKT_ERR_USAGE, "no file of results belongs to the checkpoint");
    takt_observer *observer = NULL;
    const takt_row_begin begin = {.is_marked = true, .from = &checkpoint->results};
    takt_status st =
        takt_results_writer_open_at(run->plan, checkpoint->results.path, &begin, &observer, err);
    if (!st) st = takt_run_add_observer(run, observer, err);
    return st ? st : takt_own_results_choose(run, checkpoint->results.path, err);
}

static takt_status restore_instances(takt_run *run, const takt_checkpoint *from, takt_error *err)
{
    bool is_same = from->n_instances == run->work.n_instances;
    for (int i = 0; i < run->work.n_instances && is_same; i++)
        is_same = strcmp(from->instances[i].name, run->work.instances[i].instance->name) == 0;
    if (!is_same)
        return takt_fail(err, TAKT_ERR_INPUT, "the checkpoint has the states of other instances");
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->work.n_instances && !st; i++)
        st = takt_checkpoint_unpack_instance(run, i, from->instances[i].data,
                                             from->instances[i].size, err);
    return st;
}

// Parameters that have other values than in the checkpoint.
static takt_status tune(takt_run *run, const takt_checkpoint *from, bool *has_changed,
                        takt_error *err)
{
    takt_status st = TAKT_OK;
    comparison at = {.run = run, .checkpoint = from};
    if (!prepare(&at)) st = takt_fail_memory(err);
    for (int i = 0; i < run->identity->n_facts && !st; i++) {
        const takt_fact *fact = &run->identity->facts[i];
        if (!takt_identity_is_tunable(run->plan->system, fact)) continue;
        if (is_same(fact, from, takt_map_find(&at.names, fact->name))) continue;
        *has_changed = true;
        takt_instance *instance = run->work.instances[fact->component].instance;
        st =
            takt_system_set_start(run->plan->system, fact->component, fact->i_start, instance, err);
        if (st) takt_within(err, st, "instance '%s': %s", instance->name, fact->name);
    }
    takt_map_clear(&at.names);
    free(at.is_seen);
    return st;
}

static takt_status restore(takt_run *run, const takt_checkpoint *from, takt_error *err)
{
    takt_unpacker unpacker = {.next = from->run, .left = from->run_size};
    bool has_changed = false;
    takt_status st = takt_checkpoint_unpack(run, &unpacker, err);
    if (st) return takt_within(err, st, "checkpoint");
    st = restore_instances(run, from, err);
    if (!st) st = tune(run, from, &has_changed, err);
    return st ? st : takt_rows_write_first(run, has_changed, err);
}

takt_status takt_run_resume(takt_run *run, const takt_checkpoint *checkpoint, takt_error *err)
{
    if (!run || !checkpoint)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_run_resume: no argument may be NULL");
    int n_changed = 0;
    if (!takt_run_enter(run)) return takt_run_fail_used(run, err);
    takt_status st = takt_run_compare_checkpoint(run, checkpoint, &n_changed, err);
    if (!st) st = takt_run_initialize_silently(run, err);
    if (!st) st = restore(run, checkpoint, err);
    atomic_store(&run->shown_time, run->state.grid.time);
    if (st) run->has_failed = true;
    return takt_run_leave(run, st, err);
}
