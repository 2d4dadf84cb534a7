// SPDX-License-Identifier: MIT
// The calls of the contract, written down for a worker; see isolate.h. The worker's side is calls.c.
#include "remote/forward.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "fmu/options.h"
#include "fmu/recipe.h"
#include "remote/forward_equations.h"
#include "remote/held.h"
#include "remote/revive.h"
#include "remote/sandbox.h"
#include "remote/ways.h"

static takt_remote *remote(takt_instance *instance)
{
    return (takt_remote *)instance;
}

// A call without arguments and results.
static takt_status call(takt_instance *instance, takt_op op, takt_error *err)
{
    takt_remote_begin(remote(instance), op);
    return takt_remote_call(remote(instance), NULL, err);
}

// ---- life ----------------------------------------------------------------------------------------

static takt_level level_of(const takt_log *log)
{
    takt_level level = TAKT_LEVEL_WARN; // warnings are counted, whether they are shown or not
    while (level < TAKT_LEVEL_TRACE && takt_log_wants(log, level + 1)) level++;
    return level;
}

static takt_status make(takt_remote *self, takt_error *err)
{
    const takt_instance *base = &self->base;
    const takt_me_options solver = takt_fmu_solver(base->model, base->name);
    takt_room *room = takt_remote_begin(self, TAKT_OP_INSTANTIATE);
    takt_room_put_text(room, base->name);
    takt_room_put_number(room, level_of(base->log));
    takt_room_put_number(room, takt_log_is_strict(base->log));
    takt_room_put_number(room, solver.method);
    takt_room_put_real(room, solver.relative);
    takt_room_put_real(room, solver.h_fixed);
    takt_room_put_number(room, solver.saves_inputs);
    takt_room_put_text(room, self->kind->results);
    self->kind->results = NULL;
    takt_room answer;
    takt_status st = takt_remote_call(self, &answer, err);
    return st ? st : takt_forward_take_equations(self, &solver, &answer, err);
}

static takt_status open_nest(takt_remote_kind *kind, const takt_model *model, takt_log *log,
                             takt_error *err)
{
    if (kind->nest && takt_nest_is_alive(kind->nest)) return TAKT_OK;
    takt_arena arena = {0};
    takt_foreign foreign = {0};
    takt_bytes recipe = {0};
    takt_packer packer = {.out = &recipe};
    takt_nest_destroy(kind->nest);
    kind->nest = NULL;
    takt_status st = takt_fmu_provide_library(model, err);
    if (!st) st = takt_ways_prepare(model, &kind->options, &arena, log, &foreign, err);
    if (!st) takt_sandbox_pack(&kind->options.sandbox, &packer);
    if (!st) takt_foreign_pack(&foreign, &packer);
    if (!st) takt_fmu_recipe_write(model, &packer);
    if (!st) st = packer.failed ? takt_fail_memory(err) : TAKT_OK;
    if (!st) st = takt_nest_create(&recipe, &kind->nest, err);
    takt_bytes_clear(&recipe);
    takt_arena_clear(&arena);
    return st;
}

// Its rank has failed, which was told by another instance there: nobody is left to be called.
static bool is_over(const takt_remote *self)
{
    return self->worker.ranks && takt_link_is_over(self->worker.ranks, self->worker.number);
}

// A crash while the FMU is freed, or while its process ends, changes no results, but is no good end either.
static void end_worker(takt_remote *self)
{
    const double patience = 10; // s
    takt_error err = {0};
    if (!self->worker.region || self->failure || is_over(self)) return;
    takt_status st = self->is_ended ? TAKT_OK : call(&self->base, TAKT_OP_DESTROY, &err);
    if (st) takt_log_write(self->base.log, TAKT_LEVEL_ERROR, "%s", err.message);
    if (!st && !takt_worker_has_ended_well(&self->worker, patience))
        takt_log_write(
            self->base.log, TAKT_LEVEL_WARN,
            "instance '%s': the process of FMU %s did not end as it should after the FMU was "
            "freed; results are complete",
            self->base.name, self->base.model->path);
    char left[TAKT_REGION_NOTE];
    takt_worker_left(&self->worker, left);
    if (left[0])
        takt_log_write(self->base.log, TAKT_LEVEL_WARN,
                       "instance '%s': FMU %s has written %s into its working folder, which is "
                       "removed; in the sandbox, files that shall stay belong into the folder of "
                       "its parameter ResultsRootDir, or one that --sandbox-write PATH allows",
                       self->base.name, self->base.model->path, left);
}

static void remote_destroy(takt_instance *instance)
{
    takt_remote *self = remote(instance);
    if (!self) return;
    if (instance->type->destroy != remote_destroy) { // one of the FMU's own kind, on rank 0
        instance->type->destroy(instance);
        return;
    }
    end_worker(self);
    takt_worker_clear(&self->worker);
    while (self->unused) {
        takt_remote_state *next = self->unused->next;
        free(self->unused);
        self->unused = next;
    }
    takt_bytes_clear(&self->journal);
    takt_bytes_clear(&self->last);
    takt_held_clear(self);
    free(self->fetched.variables);
    free(self->me.x);
    free(self);
}

static takt_status prepare_for_crashes(takt_remote *self, takt_error *err)
{
    takt_after_crash after = self->kind->options.after_crash;
    if (after == TAKT_CRASH_RESTARTS && !takt_remote_restarts(self))
        takt_log_write(
            self->base.log, TAKT_LEVEL_WARN,
            "instance '%s': FMU %s cannot serialise its state, so that it cannot be restarted "
            "after a crash; --on-crash hold holds its outputs",
            self->base.name, self->base.model->path);
    return after == TAKT_CRASH_HOLDS ? takt_held_prepare(self, err) : TAKT_OK;
}

static void remote_allow_results(const takt_model *model, const char *folder)
{
    ((takt_remote_kind *)model->type)->results = folder;
}

// Which rank an instance belongs to.
static int rank_of(const takt_remote_kind *kind, const char *name)
{
    const takt_placement *placement = &kind->placement;
    for (int i = 0; i < placement->n; i++)
        if (strcmp(placement->list[i].component, name) == 0) return placement->list[i].rank;
    return 0;
}

// To another computer, which does not see the file.
static takt_status send_package(takt_ranks *ranks, int rank, const takt_model *model, int number,
                                takt_error *err)
{
    const size_t limit = INT32_MAX - 1024; // of a message
    char *data;
    size_t size;
    takt_status st = takt_file_read_as(takt_fmu_file(model), model->path, limit, &data, &size, err);
    if (st) return st;
    st = takt_link_bring(ranks, rank, number, data, size, err);
    free(data);
    return st;
}

static takt_status open_on_rank(takt_ranks *ranks, int rank, const takt_model *model, int *number,
                                takt_error *err)
{
    takt_bytes recipe = {0};
    takt_packer packer = {.out = &recipe};
    bool is_here = true;
    int opened;
    takt_status st = takt_fmu_provide_library(model, err);
    if (!st) takt_fmu_recipe_write(model, &packer);
    if (!st) st = packer.failed ? takt_fail_memory(err) : TAKT_OK;
    if (!st) st = takt_link_open(ranks, rank, &recipe, &opened, &is_here, err);
    if (!st && !is_here) st = send_package(ranks, rank, model, opened, err);
    if (!st) *number = opened;
    takt_bytes_clear(&recipe);
    return st;
}

static takt_status start_on_rank(takt_remote *self, int rank, takt_error *err)
{
    takt_remote_kind *kind = self->kind;
    takt_ranks *ranks = kind->placement.ranks;
    takt_status st = TAKT_OK;
    if (kind->models[rank] < 0)
        st = open_on_rank(ranks, rank, self->base.model, &kind->models[rank], err);
    return st ? st : takt_worker_start_on(&self->worker, ranks, rank, kind->models[rank], err);
}

static takt_status start_in_nest(takt_remote *self, takt_error *err)
{
    takt_status st = open_nest(self->kind, self->base.model, self->base.log, err);
    return st ? st : takt_remote_start(self, err);
}

static takt_status remote_instantiate(const takt_model *model, const char *name, takt_log *log,
                                      takt_instance **out, takt_error *err)
{
    takt_remote_kind *kind = (takt_remote_kind *)model->type;
    int rank = rank_of(kind, name);
    if (kind->placement.ranks && rank == 0)
        return kind->inner->instantiate(model, name, log, out, err);
    takt_remote *self = calloc(1, sizeof *self);
    if (!self) return takt_fail_memory(err);
    self->base = (takt_instance){.type = &kind->type, .model = model, .name = name, .log = log};
    self->kind = kind;
    takt_status st = rank ? start_on_rank(self, rank, err) : start_in_nest(self, err);
    if (!st) st = make(self, err);
    if (!st) st = prepare_for_crashes(self, err);
    if (st)
        remote_destroy(&self->base);
    else
        *out = &self->base;
    return st;
}

static takt_status remote_enter_initialization(takt_instance *instance,
                                               const takt_interval *interval, takt_error *err)
{
    takt_room *room = takt_remote_begin(remote(instance), TAKT_OP_ENTER_INITIALIZATION);
    takt_room_put_real(room, interval->start);
    takt_room_put_real(room, interval->stop);
    takt_room_put_real(room, interval->tolerance);
    takt_room_put_number(room, interval->has_stop);
    takt_room_put_number(room, interval->has_tolerance);
    return takt_remote_call(remote(instance), NULL, err);
}

static takt_status remote_exit_initialization(takt_instance *instance, takt_error *err)
{
    takt_status st = call(instance, TAKT_OP_EXIT_INITIALIZATION, err);
    remote(instance)->is_initialized = !st;
    takt_forward_note_mode(remote(instance));
    return st;
}

// The FMU is freed at the same time, so that a crash in that is a failure, too.
static takt_status remote_terminate(takt_instance *instance, takt_error *err)
{
    if (is_over(remote(instance))) return TAKT_OK;
    takt_remote_begin(remote(instance), TAKT_OP_TERMINATE);
    takt_remote_begin(remote(instance), TAKT_OP_DESTROY);
    takt_status st = takt_remote_call(remote(instance), NULL, err);
    remote(instance)->is_ended = !st;
    return st;
}

// ---- values --------------------------------------------------------------------------------------

static takt_status remote_set(takt_instance *instance, const takt_access *access,
                              const takt_values *values, takt_error *err)
{
    takt_room *room = takt_remote_begin(remote(instance), TAKT_OP_SET);
    takt_room_put_access(room, access);
    takt_room_put_values(room, values, access->n_values);
    return takt_remote_post(remote(instance), err);
}

static takt_status take_values(takt_remote *self, takt_room *answer, const takt_access *access,
                               takt_values *values, takt_error *err)
{
    bool is_there = takt_room_take_number(answer, 0, 1);
    if (!is_there) answer->failed = true;
    if (!answer->failed && !takt_room_take_values(answer, values, access->n_values))
        return takt_fail_memory(err);
    if (!answer->failed) takt_held_keep(self, access, values);
    return takt_remote_check(self, answer, err);
}

// Remembers what is read after a step: the next step will bring it along. Without memory for that, it is asked for.
static void note_fetched(takt_remote *self, const takt_access *access)
{
    takt_remote_list *list = &self->fetched;
    int n = takt_access_size(access);
    if (list->variables && takt_access_is(access, list->variables, list->n)) return;
    if (n > list->capacity || !list->variables) {
        int *grown = realloc(list->variables, (size_t)(n + 1) * sizeof *grown);
        if (!grown) return;
        list->variables = grown;
        list->capacity = n;
    }
    int *place = list->variables;
    list->n = n;
    for (int i = 0; i < access->n_batches; i++) {
        const takt_access_batch *batch = &access->batches[i];
        memcpy(place, batch->variables, (size_t)batch->n_values * sizeof *place);
        place += batch->n_values;
    }
}

static takt_status remote_get(takt_instance *instance, const takt_access *access,
                              takt_values *values, takt_error *err)
{
    takt_remote *self = remote(instance);
    takt_room answer = self->answer;
    if (self->fetched_values && takt_access_is(access, self->fetched.variables, self->fetched.n))
        return take_values(self, &answer, access, values, err);
    bool is_usual = self->has_just_stepped;
    takt_room *room = takt_remote_begin(self, TAKT_OP_GET);
    takt_room_put_access(room, access);
    takt_status st = takt_remote_call(self, &answer, err);
    if (!st) st = take_values(self, &answer, access, values, err);
    if (!st && is_usual) note_fetched(self, access);
    return st;
}

// ---- steps ---------------------------------------------------------------------------------------

static takt_status remote_begin_step(takt_instance *instance, double t, double h, bool is_final,
                                     takt_error *err)
{
    takt_remote *self = remote(instance);
    const takt_remote_list *list = &self->fetched;
    takt_room *room = takt_remote_begin(self, TAKT_OP_STEP);
    takt_room_put_real(room, t);
    takt_room_put_real(room, h);
    takt_room_put_number(room, is_final);
    self->is_fetching = list->variables != NULL;
    self->t = t;
    self->h = h;
    if (takt_remote_restarts(self)) {
        takt_room_put_number(room, TAKT_OP_SAVE);
        takt_room_put_number(room, TAKT_LAST_STATE);
        takt_room_put_number(room, TAKT_OP_SERIALIZE);
        takt_room_put_number(room, TAKT_LAST_STATE);
    }
    if (self->is_fetching) {
        takt_room_put_number(room, TAKT_OP_GET);
        takt_room_put_number(room, list->n);
        int *place = takt_room_next(room, (uint64_t)list->n * sizeof *place);
        if (place) memcpy(place, list->variables, (size_t)list->n * sizeof *place);
    }
    return takt_remote_send(self, err);
}

// The state after the step, which the answer has where the instance may be restarted.
static takt_status take_last(takt_remote *self, takt_room *answer, takt_error *err)
{
    size_t size;
    const void *data = takt_room_take_bytes(answer, &size);
    if (data && !takt_bytes_assign(&self->last, data, size)) return takt_fail_memory(err);
    self->has_last = true;
    self->n_revived = 0;
    return TAKT_OK;
}

static takt_status remote_end_step(takt_instance *instance, takt_step_result *result,
                                   takt_error *err)
{
    takt_remote *self = remote(instance);
    takt_room answer;
    takt_status st = takt_remote_receive(self, &answer, err);
    if (st) return st;
    takt_step_end end = (takt_step_end)takt_room_take_number(&answer, 0, TAKT_STEP_TERMINATED);
    bool has_event = takt_room_take_number(&answer, 0, 1);
    double time = takt_room_take_real(&answer);
    st = takt_remote_restarts(self) ? take_last(self, &answer, err) : TAKT_OK;
    if (!st) st = takt_remote_check(self, &answer, err);
    if (st) return st;
    *result = (takt_step_result){.end = end, .has_event = has_event, .time = time};
    self->has_just_stepped = end == TAKT_STEP_DONE;
    self->answer = answer;
    if (self->has_just_stepped && self->is_fetching) self->fetched_values = answer.at;
    return TAKT_OK;
}

static void remote_depart(takt_instance *instance)
{
    const takt_worker *worker = &remote(instance)->worker;
    if (worker->ranks) takt_link_depart(worker->ranks);
}

static takt_status remote_step(takt_instance *instance, double t, double h, bool is_final,
                               takt_step_result *result, takt_error *err)
{
    takt_status st = remote_begin_step(instance, t, h, is_final, err);
    return st ? st : remote_end_step(instance, result, err);
}

// ---- events --------------------------------------------------------------------------------------

static takt_status remote_enter_events(takt_instance *instance, double t, takt_error *err)
{
    takt_room *room = takt_remote_begin(remote(instance), TAKT_OP_ENTER_EVENTS);
    takt_room_put_real(room, t);
    return takt_remote_call(remote(instance), NULL, err);
}

static takt_status remote_update_events(takt_instance *instance, takt_event *out, takt_error *err)
{
    takt_room answer;
    takt_remote_begin(remote(instance), TAKT_OP_UPDATE_EVENTS);
    takt_status st = takt_remote_call(remote(instance), &answer, err);
    if (st) return st;
    takt_event event = {.needs_update = takt_room_take_number(&answer, 0, 1)};
    event.terminates = takt_room_take_number(&answer, 0, 1);
    event.next_time = takt_room_take_real(&answer);
    st = takt_remote_check(remote(instance), &answer, err);
    if (!st) *out = event;
    return st;
}

static takt_status remote_leave_events(takt_instance *instance, takt_error *err)
{
    return call(instance, TAKT_OP_LEAVE_EVENTS, err);
}

// ---- states --------------------------------------------------------------------------------------

// A state that has not been used yet, or not any more.
static takt_remote_state *take_state(takt_remote *self)
{
    takt_remote_state *state = self->unused;
    if (state) {
        self->unused = state->next;
        return state;
    }
    state = calloc(1, sizeof *state);
    if (state) state->number = ++self->n_states; // 0 is that after the last step
    return state;
}

static void leave_state(takt_remote *self, takt_remote_state *state)
{
    for (takt_remote_state **at = &self->live; *at; at = &(*at)->next_live)
        if (*at == state) {
            *at = state->next_live;
            break;
        }
    takt_bytes_clear(&state->bytes);
    state->next = self->unused;
    self->unused = state;
}

static takt_room *begin_with(takt_remote *self, takt_op op, const takt_remote_state *state)
{
    takt_room *room = takt_remote_begin(self, op);
    takt_room_put_number(room, state->number);
    return room;
}

// For a restart the bytes of a state are kept here as well.
static takt_status save_with_bytes(takt_remote *self, takt_remote_state *state, takt_error *err)
{
    begin_with(self, TAKT_OP_SAVE, state);
    begin_with(self, TAKT_OP_SERIALIZE, state);
    takt_room answer;
    takt_status st = takt_remote_call(self, &answer, err);
    if (st) return st;
    size_t size;
    const void *data = takt_room_take_bytes(&answer, &size);
    st = takt_remote_check(self, &answer, err);
    if (!st && !takt_bytes_assign(&state->bytes, data, size)) st = takt_fail_memory(err);
    return st;
}

// The first time it is waited for: FMUs may turn out not to be able to.
static takt_status remote_save(takt_instance *instance, void **state, takt_error *err)
{
    takt_remote *self = remote(instance);
    takt_forward_follow(self);
    bool restarts = takt_remote_restarts(self);
    if (*state && restarts) return save_with_bytes(self, *state, err);
    if (*state) {
        begin_with(self, TAKT_OP_SAVE, *state);
        return takt_remote_post(self, err);
    }
    takt_remote_state *fresh = take_state(self);
    if (!fresh) return takt_fail_memory(err);
    if (!restarts) begin_with(self, TAKT_OP_SAVE, fresh);
    takt_status st =
        restarts ? save_with_bytes(self, fresh, err) : takt_remote_call(self, NULL, err);
    if (st) {
        leave_state(self, fresh);
        return st;
    }
    fresh->next_live = self->live;
    self->live = fresh;
    *state = fresh;
    return TAKT_OK;
}

static takt_status remote_restore(takt_instance *instance, void *state, takt_error *err)
{
    takt_remote *self = remote(instance);
    begin_with(self, TAKT_OP_RESTORE, state);
    if (!self->is_in_group) return takt_remote_post(self, err);
    takt_status st = takt_remote_call(self, NULL, err);
    takt_forward_note_mode(self);
    return st;
}

static void remote_free_state(takt_instance *instance, void **state)
{
    takt_remote *self = remote(instance);
    if (!*state) return;
    if (!self->failure && !self->is_ended) {
        begin_with(self, TAKT_OP_FREE_STATE, *state);
        takt_remote_post(self, NULL);
    }
    leave_state(self, *state);
    *state = NULL;
}

static takt_status remote_serialize(takt_instance *instance, void *state, takt_bytes *out,
                                    takt_error *err)
{
    takt_remote *self = remote(instance);
    takt_room answer;
    begin_with(self, TAKT_OP_SERIALIZE, state);
    takt_status st = takt_remote_call(self, &answer, err);
    if (st) return st;
    size_t size;
    const void *data = takt_room_take_bytes(&answer, &size);
    st = takt_remote_check(self, &answer, err);
    if (!st && !takt_bytes_assign(out, data, size)) st = takt_fail_memory(err);
    return st;
}

static takt_status remote_deserialize(takt_instance *instance, const void *data, size_t size,
                                      void **state, takt_error *err)
{
    takt_remote *self = remote(instance);
    takt_remote_state *own = *state ? *state : take_state(self);
    if (!own) return takt_fail_memory(err);
    takt_room *room = begin_with(self, TAKT_OP_DESERIALIZE, own);
    takt_room_put_bytes(room, data, size);
    takt_status st = takt_remote_call(self, NULL, err);
    if (!st && takt_remote_restarts(self) && !takt_bytes_assign(&own->bytes, data, size))
        st = takt_fail_memory(err);
    if (!st && !*state) own->next_live = self->live;
    if (!st && !*state) self->live = own;
    if (!st) *state = own;
    if (st && !*state) leave_state(self, own);
    return st;
}

// ---- derivatives and dependencies ----------------------------------------------------------------

static takt_status take_reals(takt_remote *self, double *out, int n, takt_error *err)
{
    takt_room answer;
    takt_status st = takt_remote_call(self, &answer, err);
    if (st) return st;
    takt_room_take_reals(&answer, out, n);
    return takt_remote_check(self, &answer, err);
}

static takt_status remote_differentiate(takt_instance *instance, const takt_access *unknowns,
                                        const takt_access *knowns, const double *seed,
                                        double *derivative, takt_error *err)
{
    takt_room *room = takt_remote_begin(remote(instance), TAKT_OP_DIFFERENTIATE);
    takt_room_put_access(room, unknowns);
    takt_room_put_access(room, knowns);
    takt_room_put_reals(room, seed, knowns->n_values[TAKT_KIND_REAL]);
    return take_reals(remote(instance), derivative, unknowns->n_values[TAKT_KIND_REAL], err);
}

static takt_status remote_get_derivatives(takt_instance *instance, const takt_access *outputs,
                                          double *derivatives, takt_error *err)
{
    takt_room *room = takt_remote_begin(remote(instance), TAKT_OP_GET_DERIVATIVES);
    takt_room_put_access(room, outputs);
    return take_reals(remote(instance), derivatives, outputs->n_values[TAKT_KIND_REAL], err);
}

static takt_status remote_set_motion(takt_instance *instance, double t, const takt_access *inputs,
                                     int order, const double *derivatives, takt_error *err)
{
    takt_room *room = takt_remote_begin(remote(instance), TAKT_OP_SET_MOTION);
    takt_room_put_real(room, t);
    takt_room_put_number(room, order);
    takt_room_put_access(room, inputs);
    takt_room_put_reals(room, derivatives, inputs->n_values[TAKT_KIND_REAL] * (order + 1));
    return takt_remote_post(remote(instance), err);
}

static int remote_motion_order(const takt_instance *instance)
{
    const takt_remote *self = (const takt_remote *)instance;
    int64_t order = self->worker.region->motion_order;
    return order < 0 ? 0 : order < TAKT_MAX_MOTION_ORDER ? (int)order : TAKT_MAX_MOTION_ORDER;
}

static bool remote_work(const takt_instance *instance, int i_member, takt_work *out)
{
    const takt_remote *self = (const takt_remote *)instance;
    if (i_member != 0) return false;
    *out = (takt_work){.name = instance->name,
                       .derivatives = self->worker.region->n_derivatives,
                       .directional = self->worker.region->n_directional};
    return true;
}

static bool take_dependency(takt_room *answer, const takt_model *model, takt_arena *arena,
                            takt_dependency *out)
{
    takt_dependency own = {.variable =
                               (int)takt_room_take_number(answer, 0, model->n_variables - 1)};
    own.is_known = takt_room_take_number(answer, 0, 1);
    size_t size;
    const int *known = takt_room_take_bytes(answer, &size);
    if (answer->failed) return true;
    size_t n = size / sizeof *known;
    int *copy = takt_arena_array(arena, n ? n : 1, sizeof *copy);
    if (!copy) return false;
    memcpy(copy, known, n * sizeof *copy);
    for (size_t i = 0; i < n; i++)
        if (copy[i] < 0 || copy[i] >= model->n_variables) answer->failed = true;
    own.known = copy;
    own.n_known = (int)n;
    *out = own;
    return true;
}

static takt_status remote_depend(takt_instance *instance, int variable, takt_arena *arena,
                                 takt_dependency *out, takt_error *err)
{
    const takt_model *model = instance->model;
    const takt_array *array = model->variables[variable].array;
    int n = array && array->first == variable ? array->n_elements : 1;
    takt_room answer;
    takt_room *room = takt_remote_begin(remote(instance), TAKT_OP_DEPEND);
    takt_room_put_number(room, variable);
    takt_status st = takt_remote_call(remote(instance), &answer, err);
    for (int i = 0; i < n && !st; i++)
        if (!take_dependency(&answer, model, arena, &out[i])) st = takt_fail_memory(err);
    return st ? st : takt_remote_check(remote(instance), &answer, err);
}

// ---- the type ------------------------------------------------------------------------------------

takt_instance_type takt_forward_type(const takt_instance_type *inner)
{
    takt_instance_type type = {.name = inner->name,
                               .allow_results = remote_allow_results,
                               .instantiate = remote_instantiate,
                               .destroy = remote_destroy,
                               .enter_initialization = remote_enter_initialization,
                               .exit_initialization = remote_exit_initialization,
                               .set = remote_set,
                               .get = remote_get,
                               .step = remote_step,
                               .begin_step = remote_begin_step,
                               .end_step = remote_end_step,
                               .depart = remote_depart,
                               .close_model = inner->close_model};
    if (inner->enter_events) type.enter_events = remote_enter_events;
    if (inner->update_events) type.update_events = remote_update_events;
    if (inner->leave_events) type.leave_events = remote_leave_events;
    if (inner->terminate) type.terminate = remote_terminate;
    if (inner->save) type.save = remote_save;
    if (inner->restore) type.restore = remote_restore;
    if (inner->free_state) type.free_state = remote_free_state;
    if (inner->serialize) type.serialize = remote_serialize;
    if (inner->deserialize) type.deserialize = remote_deserialize;
    if (inner->differentiate) type.differentiate = remote_differentiate;
    if (inner->depend) type.depend = remote_depend;
    if (inner->get_derivatives) type.get_derivatives = remote_get_derivatives;
    if (inner->set_motion) type.set_motion = remote_set_motion;
    if (inner->motion_order) type.motion_order = remote_motion_order;
    if (inner->equations) type.equations = &takt_forward_equations;
    if (inner->work) type.work = remote_work;
    return type;
}
