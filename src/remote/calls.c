// SPDX-License-Identifier: MIT
// The calls of the contract, as a worker makes them; see server.h. What messages have is written by the master,
// which can be trusted; it is checked all the same, because an FMU may have written over it.
#include <stdlib.h>
#include <string.h>

#include "remote/serve.h"
#include "remote/server.h"

takt_status takt_serve_fail_message(takt_error *err)
{
    return takt_fail(err, TAKT_ERR_SIMULATION, "the worker got a message that it cannot read");
}

// ---- life ----------------------------------------------------------------------------------------

// What the master wants of an instance.
typedef struct wishes {
    const char *name, *results;
    takt_level level;
    bool is_strict;
    takt_me_options me;
} wishes;

static wishes take_wishes(takt_room *in)
{
    wishes out = {.name = takt_room_take_text(in)};
    out.level = (takt_level)takt_room_take_number(in, 0, TAKT_LEVEL_TRACE);
    out.is_strict = takt_room_take_number(in, 0, 1);
    out.me.method = (takt_ode_method)takt_room_take_number(in, 0, INT16_MAX);
    out.me.relative = takt_room_take_real(in);
    out.me.h_fixed = takt_room_take_real(in);
    out.me.saves_inputs = takt_room_take_number(in, 0, 1);
    out.results = takt_room_take_text(in);
    return out;
}

const char *takt_serve_results(takt_region *region)
{
    takt_room in = takt_room_of(takt_region_ask(region), region->ask_size);
    int64_t op = takt_room_take_number(&in, 0, TAKT_N_OPS - 1);
    wishes wanted = take_wishes(&in);
    return op == TAKT_OP_INSTANTIATE && !in.failed ? wanted.results : NULL;
}

takt_status takt_serve_instantiate(takt_server *self, takt_room *in, takt_room *out,
                                   takt_error *err)
{
    wishes wanted = take_wishes(in);
    if (in->failed || !wanted.name || self->instance) return takt_serve_fail_message(err);
    takt_me_options *me = self->options->me;
    me->method = wanted.me.method;
    me->relative = wanted.me.relative;
    me->h_fixed = wanted.me.h_fixed;
    me->saves_inputs = wanted.me.saves_inputs;
    self->name = strdup(wanted.name);
    self->log = takt_serve_log_create(self, wanted.level, wanted.is_strict);
    if (!self->name || !self->log) return takt_fail_memory(err);
    const takt_serve_options *options = self->options;
    takt_status st = options->prepare(options->context, wanted.results, self->log, err);
    if (st) return st;
    st = self->model->type->instantiate(self->model, self->name, self->log, &self->instance, err);
    if (st) return st;
    self->options->on_instance(self->options->keeper, self->instance);
    const takt_equations *equations = self->model->type->equations;
    const takt_me *own = equations ? equations->me(self->instance) : NULL;
    takt_room_put_number(out, own ? own->n_states : 0);
    takt_room_put_number(out, own ? own->n_indicators : 0);
    return TAKT_OK;
}

takt_status takt_serve_destroy(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    (void)in, (void)out, (void)err;
    for (int64_t i = 0; i < self->n_states && self->instance; i++)
        if (self->states[i]) self->instance->type->free_state(self->instance, &self->states[i]);
    if (self->instance) self->model->type->destroy(self->instance);
    self->instance = NULL;
    self->options->on_instance(self->options->keeper, NULL);
    self->has_ended = true;
    return TAKT_OK;
}

takt_status takt_serve_enter_initialization(takt_server *self, takt_room *in, takt_room *out,
                                            takt_error *err)
{
    (void)out;
    takt_interval interval = {.start = takt_room_take_real(in)};
    interval.stop = takt_room_take_real(in);
    interval.tolerance = takt_room_take_real(in);
    interval.has_stop = takt_room_take_number(in, 0, 1);
    interval.has_tolerance = takt_room_take_number(in, 0, 1);
    if (in->failed) return takt_serve_fail_message(err);
    return self->model->type->enter_initialization(self->instance, &interval, err);
}

takt_status takt_serve_exit_initialization(takt_server *self, takt_room *in, takt_room *out,
                                           takt_error *err)
{
    (void)in, (void)out;
    return self->model->type->exit_initialization(self->instance, err);
}

takt_status takt_serve_terminate(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    (void)in, (void)out;
    return self->model->type->terminate(self->instance, err);
}

// ---- values --------------------------------------------------------------------------------------

// Strings and binaries that the message has, in the room of the access.
static bool take_bytes(takt_room *in, takt_served_access *at)
{
    for (int i = 0; i < at->access.n_values[TAKT_KIND_BYTES] && !in->failed; i++) {
        size_t size;
        const void *data = takt_room_take_bytes(in, &size);
        if (data && !takt_bytes_assign(&at->bytes[i], data, size)) return false;
    }
    return true;
}

// Numbers are used where they lie.
typedef takt_status set_fn(takt_instance *instance, const takt_access *access,
                           const takt_values *values, takt_error *err);

static takt_status set_by(takt_server *self, set_fn *set, takt_room *in, takt_error *err)
{
    takt_served_access *at = takt_serve_access(self, in);
    if (!at) return in->failed ? takt_serve_fail_message(err) : takt_fail_memory(err);
    const int *n = at->access.n_values;
    takt_values values = {.real = takt_room_next(in, (uint64_t)n[TAKT_KIND_REAL] * sizeof(double))};
    values.integer = takt_room_next(in, (uint64_t)n[TAKT_KIND_INTEGER] * sizeof(int64_t));
    values.bytes = at->bytes;
    if (!take_bytes(in, at)) return takt_fail_memory(err);
    if (in->failed) return takt_serve_fail_message(err);
    return set(self->instance, &at->access, &values, err);
}

takt_status takt_serve_set(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    (void)out;
    return set_by(self, self->model->type->set, in, err);
}

takt_status takt_serve_set_inside(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    (void)out;
    if (!self->model->type->equations) return takt_serve_fail_message(err);
    return set_by(self, takt_equations_set, in, err);
}

// The same. After a step that did not reach its end nothing is read.
takt_status takt_serve_get(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    takt_served_access *at = takt_serve_access(self, in);
    if (!at) return in->failed ? takt_serve_fail_message(err) : takt_fail_memory(err);
    takt_room_put_number(out, self->has_stepped);
    if (!self->has_stepped) return TAKT_OK;
    const int *n = at->access.n_values;
    takt_values values = {.real =
                              takt_room_next(out, (uint64_t)n[TAKT_KIND_REAL] * sizeof(double))};
    values.integer = takt_room_next(out, (uint64_t)n[TAKT_KIND_INTEGER] * sizeof(int64_t));
    values.bytes = at->bytes;
    if (out->failed) return TAKT_OK; // which is reported
    takt_status st = self->model->type->get(self->instance, &at->access, &values, err);
    for (int i = 0; i < n[TAKT_KIND_BYTES] && !st; i++)
        takt_room_put_bytes(out, at->bytes[i].data, at->bytes[i].size);
    return st;
}

takt_status takt_serve_get_derivatives(takt_server *self, takt_room *in, takt_room *out,
                                       takt_error *err)
{
    takt_served_access *at = takt_serve_access(self, in);
    if (!at) return in->failed ? takt_serve_fail_message(err) : takt_fail_memory(err);
    double *values =
        takt_room_next(out, (uint64_t)at->access.n_values[TAKT_KIND_REAL] * sizeof *values);
    if (!values) return TAKT_OK;
    return self->model->type->get_derivatives(self->instance, &at->access, values, err);
}

takt_status takt_serve_differentiate(takt_server *self, takt_room *in, takt_room *out,
                                     takt_error *err)
{
    takt_served_access *unknowns = takt_serve_access(self, in);
    if (unknowns) unknowns->is_used = true; // until the other one is found
    takt_served_access *knowns = unknowns ? takt_serve_access(self, in) : NULL;
    if (unknowns) unknowns->is_used = false;
    if (!knowns) return in->failed ? takt_serve_fail_message(err) : takt_fail_memory(err);
    const double *seed =
        takt_room_next(in, (uint64_t)knowns->access.n_values[TAKT_KIND_REAL] * sizeof *seed);
    double *derivative = takt_room_next(out, (uint64_t)unknowns->access.n_values[TAKT_KIND_REAL] *
                                                 sizeof *derivative);
    if (!seed || !derivative) return in->failed ? takt_serve_fail_message(err) : TAKT_OK;
    return self->model->type->differentiate(self->instance, &unknowns->access, &knowns->access,
                                            seed, derivative, err);
}

// The instance keeps a pointer to the access until the step is over: until the next motion that is certain.
takt_status takt_serve_set_motion(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    (void)out;
    double t = takt_room_take_real(in);
    int order = (int)takt_room_take_number(in, 1, TAKT_MAX_MOTION_ORDER);
    takt_served_access *at = takt_serve_access(self, in);
    if (!at) return in->failed ? takt_serve_fail_message(err) : takt_fail_memory(err);
    for (int i = 0; i < self->n_accesses; i++) self->accesses[i].is_used = false;
    at->is_used = true;
    uint64_t n = (uint64_t)at->access.n_values[TAKT_KIND_REAL] * (uint64_t)(order + 1);
    const double *derivatives = takt_room_next(in, n * sizeof *derivatives);
    if (!derivatives) return takt_serve_fail_message(err);
    return self->model->type->set_motion(self->instance, t, &at->access, order, derivatives, err);
}

// ---- steps and events ----------------------------------------------------------------------------

takt_status takt_serve_step(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    double t = takt_room_take_real(in), h = takt_room_take_real(in);
    bool is_final = takt_room_take_number(in, 0, 1);
    takt_step_result result = {.end = TAKT_STEP_DONE};
    if (in->failed) return takt_serve_fail_message(err);
    takt_status st = self->model->type->step(self->instance, t, h, is_final, &result, err);
    self->has_stepped = !st && result.end == TAKT_STEP_DONE;
    takt_room_put_number(out, result.end);
    takt_room_put_number(out, result.has_event);
    takt_room_put_real(out, result.time);
    return st;
}

takt_status takt_serve_enter_events(takt_server *self, takt_room *in, takt_room *out,
                                    takt_error *err)
{
    (void)out;
    double t = takt_room_take_real(in);
    return self->model->type->enter_events(self->instance, t, err);
}

takt_status takt_serve_update_events(takt_server *self, takt_room *in, takt_room *out,
                                     takt_error *err)
{
    (void)in;
    takt_event event = {0};
    takt_status st = self->model->type->update_events(self->instance, &event, err);
    takt_room_put_number(out, event.needs_update);
    takt_room_put_number(out, event.terminates);
    takt_room_put_real(out, event.next_time);
    return st;
}

takt_status takt_serve_leave_events(takt_server *self, takt_room *in, takt_room *out,
                                    takt_error *err)
{
    (void)in, (void)out;
    return self->model->type->leave_events(self->instance, err);
}

// ---- states --------------------------------------------------------------------------------------

// The state of a number, which the master has chosen. NULL: out of memory.
static void **find_state(takt_server *self, takt_room *in)
{
    int64_t i = takt_room_take_number(in, 0, 1000 * 1000);
    if (i < self->n_states) return &self->states[i];
    int64_t n = 2 * i + 16;
    void **grown = realloc(self->states, (size_t)n * sizeof *grown);
    if (!grown) return NULL;
    memset(grown + self->n_states, 0, (size_t)(n - self->n_states) * sizeof *grown);
    self->states = grown;
    self->n_states = n;
    return &grown[i];
}

takt_status takt_serve_save(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    (void)out;
    void **state = find_state(self, in);
    return state ? self->model->type->save(self->instance, state, err) : takt_fail_memory(err);
}

takt_status takt_serve_restore(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    (void)out;
    void **state = find_state(self, in);
    if (!state) return takt_fail_memory(err);
    return *state ? self->model->type->restore(self->instance, *state, err)
                  : takt_serve_fail_message(err);
}

takt_status takt_serve_free_state(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    (void)out;
    void **state = find_state(self, in);
    if (!state) return takt_fail_memory(err);
    if (*state) self->model->type->free_state(self->instance, state);
    return TAKT_OK;
}

takt_status takt_serve_serialize(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    void **state = find_state(self, in);
    takt_bytes bytes = {0};
    if (!state) return takt_fail_memory(err);
    if (!*state) return takt_serve_fail_message(err);
    takt_status st = self->model->type->serialize(self->instance, *state, &bytes, err);
    if (!st) takt_room_put_bytes(out, bytes.data, bytes.size);
    takt_bytes_clear(&bytes);
    return st;
}

takt_status takt_serve_deserialize(takt_server *self, takt_room *in, takt_room *out,
                                   takt_error *err)
{
    (void)out;
    void **state = find_state(self, in);
    size_t size;
    const void *data = takt_room_take_bytes(in, &size);
    if (!state) return takt_fail_memory(err);
    if (!data) return takt_serve_fail_message(err);
    return self->model->type->deserialize(self->instance, data, size, state, err);
}

// ---- dependencies --------------------------------------------------------------------------------

static int count_elements(const takt_model *model, int variable)
{
    const takt_array *array = model->variables[variable].array;
    return array && array->first == variable ? array->n_elements : 1;
}

takt_status takt_serve_depend(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    int variable = (int)takt_room_take_number(in, 0, self->model->n_variables - 1);
    int n = count_elements(self->model, variable);
    takt_arena arena = {0};
    takt_dependency *all = takt_arena_array(&arena, (size_t)n, sizeof *all);
    takt_status st = all ? self->model->type->depend(self->instance, variable, &arena, all, err)
                         : takt_fail_memory(err);
    for (int i = 0; i < n && !st; i++) {
        takt_room_put_number(out, all[i].variable);
        takt_room_put_number(out, all[i].is_known);
        takt_room_put_bytes(out, all[i].known, (size_t)all[i].n_known * sizeof *all[i].known);
    }
    takt_arena_clear(&arena);
    return st;
}

// ---- all -----------------------------------------------------------------------------------------

takt_serve_fn *takt_serve_find(int64_t op)
{
    static takt_serve_fn *const calls[TAKT_N_OPS] = {
#define OP_CALL(name, text, handler) [name] = takt_serve_##handler,
        TAKT_OP_LIST(OP_CALL)
#undef OP_CALL
    };
    return calls[op];
}
