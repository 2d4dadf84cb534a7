// SPDX-License-Identifier: MIT
// Longer steps than the run; see slow.h. The instance inside stays at the beginning of the long step, with
// the inputs of the one before, so that its outputs are held. Inputs of the beginning are kept here; at
// the end of the long step they are set, and the instance inside goes all the way.
#include "instance/slow.h"

#include "instance/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct slow_model {
    takt_model base; // first
    const takt_model *inner;
    int n_steps;
} slow_model;

// Inputs that wait to be set.
typedef struct inputs {
    const takt_access *access; // NULL: not known in this process
    bool has_values;
    int n[TAKT_N_KINDS]; // as in `access`
    takt_values values;
} inputs;

typedef struct progress {
    int n_passed; // steps of the run since the long step began
    double begin; // s; of the long step
} progress;

typedef struct slow_instance {
    takt_instance base; // first
    takt_instance *inner;
    bool is_initialized;
    double stop; // s; of the run; infinite: not known
    progress at;
    inputs waiting;
    atomic_uint n_calls; // for takt_instance::n_calls
} slow_instance;

typedef struct slow_state {
    void *inner;
    progress at;
    inputs waiting;
} slow_state;

// ---- inputs ------------------------------------------------------------------------------------

static void clear_inputs(inputs *u)
{
    if (u->has_values) takt_values_clear(&u->values, u->n);
    *u = (inputs){0};
}

static takt_status make_room(inputs *u, const int n[TAKT_N_KINDS], takt_error *err)
{
    if (!takt_values_init(&u->values, n)) return takt_fail_memory(err);
    memcpy(u->n, n, sizeof u->n);
    u->has_values = true;
    return TAKT_OK;
}

static takt_status keep(inputs *u, const takt_access *access, const takt_values *values,
                        takt_error *err)
{
    takt_status st = u->has_values ? TAKT_OK : make_room(u, access->n_values, err);
    if (st) return st;
    u->access = access;
    return takt_values_copy(values, &u->values, u->n) ? TAKT_OK : takt_fail_memory(err);
}

static takt_status copy_inputs(const inputs *from, inputs *to, takt_error *err)
{
    if (!from->has_values) return TAKT_OK;
    takt_status st = to->has_values ? TAKT_OK : make_room(to, from->n, err);
    if (st) return st;
    if (from->access) to->access = from->access;
    return takt_values_copy(&from->values, &to->values, to->n) ? TAKT_OK : takt_fail_memory(err);
}

// ---- calls -------------------------------------------------------------------------------------

static takt_instance *begin_call(slow_instance *self, const char *function)
{
    atomic_fetch_add(&self->n_calls, 1);
    atomic_store(&self->base.calling, function);
    return self->inner;
}

static takt_status end_call(slow_instance *self, takt_status st)
{
    atomic_store(&self->base.calling, NULL);
    return st;
}

static void slow_destroy(takt_instance *instance)
{
    slow_instance *self = (slow_instance *)instance;
    if (!self) return;
    if (self->inner) self->inner->type->destroy(self->inner);
    clear_inputs(&self->waiting);
    free(self);
}

static takt_status slow_enter(takt_instance *instance, const takt_interval *interval,
                              takt_error *err)
{
    slow_instance *self = (slow_instance *)instance;
    self->stop = interval->has_stop ? interval->stop : INFINITY;
    takt_instance *inner = begin_call(self, "enterInitialization");
    return end_call(self, inner->type->enter_initialization(inner, interval, err));
}

static takt_status slow_exit(takt_instance *instance, takt_error *err)
{
    slow_instance *self = (slow_instance *)instance;
    self->is_initialized = true;
    takt_instance *inner = begin_call(self, "exitInitialization");
    return end_call(self, inner->type->exit_initialization(inner, err));
}

static takt_status slow_terminate(takt_instance *instance, takt_error *err)
{
    slow_instance *self = (slow_instance *)instance;
    if (!self->inner->type->terminate) return TAKT_OK;
    takt_instance *inner = begin_call(self, "terminate");
    return end_call(self, inner->type->terminate(inner, err));
}

static takt_status slow_set(takt_instance *instance, const takt_access *access,
                            const takt_values *values, takt_error *err)
{
    slow_instance *self = (slow_instance *)instance;
    inputs *waiting = &self->waiting;
    bool waits = self->is_initialized && (!waiting->access || waiting->access == access);
    if (!waits) return self->inner->type->set(self->inner, access, values, err);
    if (self->at.n_passed == 0) return keep(waiting, access, values, err);
    bool fits = memcmp(waiting->n, access->n_values, sizeof waiting->n) == 0;
    if (!waiting->access && waiting->has_values && fits) waiting->access = access;
    return TAKT_OK;
}

static takt_status slow_get(takt_instance *instance, const takt_access *access, takt_values *values,
                            takt_error *err)
{
    takt_instance *inner = ((slow_instance *)instance)->inner;
    return inner->type->get(inner, access, values, err);
}

static takt_status slow_step(takt_instance *instance, double t, double h, bool is_final,
                             takt_step_result *result, takt_error *err)
{
    slow_instance *self = (slow_instance *)instance;
    const slow_model *model = (const slow_model *)instance->model;
    const inputs *waiting = &self->waiting;
    if (self->at.n_passed == 0) self->at.begin = t;
    // The last one is shorter where the stop time is no multiple, if the instance can do that.
    bool is_last = model->inner->can.variable_step && t + h >= self->stop - 1e-6 * h;
    if (++self->at.n_passed < model->n_steps && !is_last) {
        *result = (takt_step_result){.end = TAKT_STEP_DONE, .time = t + h};
        return TAKT_OK;
    }
    self->at.n_passed = 0;
    takt_instance *inner = begin_call(self, "doStep");
    takt_status st = TAKT_OK;
    if (waiting->access) st = inner->type->set(inner, waiting->access, &waiting->values, err);
    double begin = self->at.begin;
    if (!st) st = inner->type->step(inner, begin, t + h - begin, is_final, result, err);
    return end_call(self, st);
}

// ---- states ------------------------------------------------------------------------------------

static void slow_free_state(takt_instance *instance, void **state)
{
    takt_instance *inner = ((slow_instance *)instance)->inner;
    slow_state *saved = *state;
    if (!saved) return;
    if (saved->inner) inner->type->free_state(inner, &saved->inner);
    clear_inputs(&saved->waiting);
    free(saved);
    *state = NULL;
}

static takt_status slow_save(takt_instance *instance, void **state, takt_error *err)
{
    slow_instance *self = (slow_instance *)instance;
    slow_state *saved = *state;
    if (!saved) *state = saved = calloc(1, sizeof *saved);
    if (!saved) return takt_fail_memory(err);
    saved->at = self->at;
    takt_status st = copy_inputs(&self->waiting, &saved->waiting, err);
    return st ? st : self->inner->type->save(self->inner, &saved->inner, err);
}

static takt_status slow_restore(takt_instance *instance, void *state, takt_error *err)
{
    slow_instance *self = (slow_instance *)instance;
    const slow_state *saved = state;
    self->at = saved->at;
    takt_status st = copy_inputs(&saved->waiting, &self->waiting, err);
    return st ? st : self->inner->type->restore(self->inner, saved->inner, err);
}

// What waits, then the bytes of the instance inside.
static takt_status slow_serialize(takt_instance *instance, void *state, takt_bytes *out,
                                  takt_error *err)
{
    takt_instance *inner = ((slow_instance *)instance)->inner;
    const slow_state *saved = state;
    takt_bytes bytes = {0};
    takt_packer packer = {.out = out};
    takt_status st = inner->type->serialize(inner, saved->inner, &bytes, err);
    out->size = 0;
    takt_pack_integer(&packer, saved->at.n_passed);
    takt_pack_real(&packer, saved->at.begin);
    takt_pack_integer(&packer, saved->waiting.has_values);
    for (int k = 0; k < TAKT_N_KINDS; k++) takt_pack_integer(&packer, saved->waiting.n[k]);
    if (saved->waiting.has_values)
        takt_pack_values(&packer, &saved->waiting.values, saved->waiting.n);
    takt_pack(&packer, bytes.data, bytes.size);
    takt_bytes_clear(&bytes);
    return !st && packer.failed ? takt_fail_memory(err) : st;
}

static takt_status unpack(const slow_instance *self, takt_unpacker *unpacker, slow_state *saved,
                          takt_error *err)
{
    const slow_model *model = (const slow_model *)self->base.model;
    int n[TAKT_N_KINDS];
    saved->at.n_passed = (int)takt_unpack_integer(unpacker, 0, model->n_steps - 1);
    saved->at.begin = takt_unpack_real(unpacker);
    bool has_values = takt_unpack_integer(unpacker, 0, 1);
    for (int k = 0; k < TAKT_N_KINDS; k++)
        n[k] = (int)takt_unpack_integer(unpacker, 0, model->base.n_variables);
    clear_inputs(&saved->waiting);
    if (!has_values || unpacker->failed) return TAKT_OK;
    takt_status st = make_room(&saved->waiting, n, err);
    if (!st) takt_unpack_values(unpacker, &saved->waiting.values, n);
    return st;
}

static takt_status slow_deserialize(takt_instance *instance, const void *data, size_t size,
                                    void **state, takt_error *err)
{
    slow_instance *self = (slow_instance *)instance;
    takt_unpacker unpacker = {.next = data, .left = size};
    slow_state *saved = *state;
    if (!saved) *state = saved = calloc(1, sizeof *saved);
    if (!saved) return takt_fail_memory(err);
    takt_status st = unpack(self, &unpacker, saved, err);
    if (st) return st;
    takt_unpacker end = {.failed = unpacker.failed, .out_of_memory = unpacker.out_of_memory};
    st = takt_unpack_end(&end, err);
    return st ? st
              : self->inner->type->deserialize(self->inner, unpacker.next, unpacker.left,
                                               &saved->inner, err);
}

// ---- type --------------------------------------------------------------------------------------

static bool slow_work(const takt_instance *instance, int i_member, takt_work *out)
{
    const takt_instance *inner = ((const slow_instance *)instance)->inner;
    return inner->type->work && inner->type->work(inner, i_member, out);
}

static takt_status slow_instantiate(const takt_model *model, const char *name, takt_log *log,
                                    takt_instance **out, takt_error *err);

static void slow_close_model(takt_model *model)
{
    (void)model; // it lies in an arena, and what is in it belongs to the model inside
}

static const takt_instance_type slow_instances = {
    .name = "longer steps",
    .instantiate = slow_instantiate,
    .destroy = slow_destroy,
    .enter_initialization = slow_enter,
    .exit_initialization = slow_exit,
    .set = slow_set,
    .get = slow_get,
    .step = slow_step,
    .terminate = slow_terminate,
    .save = slow_save,
    .restore = slow_restore,
    .free_state = slow_free_state,
    .serialize = slow_serialize,
    .deserialize = slow_deserialize,
    .work = slow_work,
    .close_model = slow_close_model,
};

static takt_status slow_instantiate(const takt_model *model, const char *name, takt_log *log,
                                    takt_instance **out, takt_error *err)
{
    const takt_model *inner = ((const slow_model *)model)->inner;
    slow_instance *self = calloc(1, sizeof *self);
    if (!self) return takt_fail_memory(err);
    self->base.type = &slow_instances;
    self->base.model = model;
    self->base.name = name;
    self->base.log = log;
    self->base.n_calls = &self->n_calls;
    takt_status st = inner->type->instantiate(inner, name, log, &self->inner, err);
    if (st)
        free(self);
    else
        *out = &self->base;
    return st;
}

takt_model *takt_slow_model(const takt_model *inner, int n_steps, takt_arena *arena)
{
    slow_model *model = takt_arena_alloc(arena, sizeof *model);
    if (!model) return NULL;
    *model = (slow_model){.base = *inner, .inner = inner, .n_steps = n_steps};
    model->base.type = &slow_instances;
    model->base.is_function = false;
    model->base.can = (takt_capabilities){.rewind = takt_model_can_rewind(inner),
                                          .serialize = takt_model_can_serialize(inner),
                                          .asynchronous = inner->can.asynchronous,
                                          .once_per_process = inner->can.once_per_process,
                                          .needs_tool = inner->can.needs_tool};
    return &model->base;
}
