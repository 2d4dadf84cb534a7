// SPDX-License-Identifier: MIT
// Held instances; see held.h. The functions of the type call those of the forwarding type; where these fail because the
// process has ended, and from then on, the instance is held.
#include "remote/held.h"

#include <math.h>
#include <stdlib.h>

// Values by variable, each in the storage of its kind.
typedef struct takt_kept {
    double *real;
    int64_t *integer;
    takt_bytes *bytes;
    bool is_held;
} takt_kept;

static takt_remote *remote(takt_instance *instance)
{
    return (takt_remote *)instance;
}

// ---- values --------------------------------------------------------------------------------------

takt_status takt_held_prepare(takt_remote *self, takt_error *err)
{
    const takt_model *model = self->base.model;
    size_t n = (size_t)model->n_variables + 1;
    takt_kept *kept = calloc(1, sizeof *kept);
    if (!kept) return takt_fail_memory(err);
    self->kept = kept;
    kept->real = calloc(n, sizeof *kept->real);
    kept->integer = calloc(n, sizeof *kept->integer);
    kept->bytes = calloc(n, sizeof *kept->bytes);
    if (!kept->real || !kept->integer || !kept->bytes) return takt_fail_memory(err);
    for (int i = 0; i < model->n_variables; i++) {
        const takt_value *start = &model->variables[i].start;
        kept->real[i] = start->real;
        kept->integer[i] = start->integer;
        if (!takt_bytes_assign(&kept->bytes[i], start->text, start->text ? start->size : 0))
            return takt_fail_memory(err);
    }
    return TAKT_OK;
}

void takt_held_clear(takt_remote *self)
{
    takt_kept *kept = self->kept;
    if (!kept) return;
    for (int i = 0; i < self->base.model->n_variables && kept->bytes; i++)
        takt_bytes_clear(&kept->bytes[i]);
    free(kept->real);
    free(kept->integer);
    free(kept->bytes);
    free(kept);
    self->kept = NULL;
}

// Copies between values in the order of an access and those by variable.
static bool copy(takt_kept *kept, const takt_access *access, const takt_values *values, bool keeps)
{
    bool ok = true;
    for (int i = 0; i < access->n_batches; i++) {
        const takt_access_batch *batch = &access->batches[i];
        takt_kind kind = takt_type_kind(batch->type);
        for (int k = 0; k < batch->n_values; k++) {
            int v = batch->variables[k], at = batch->first + k;
            double *real = &values->real[at];
            int64_t *integer = &values->integer[at];
            takt_bytes *bytes = &values->bytes[at];
            if (kind == TAKT_KIND_REAL)
                *(keeps ? &kept->real[v] : real) = keeps ? *real : kept->real[v];
            if (kind == TAKT_KIND_INTEGER)
                *(keeps ? &kept->integer[v] : integer) = keeps ? *integer : kept->integer[v];
            if (kind != TAKT_KIND_BYTES) continue;
            const takt_bytes *from = keeps ? bytes : &kept->bytes[v];
            ok &= takt_bytes_assign(keeps ? &kept->bytes[v] : bytes, from->data, from->size);
        }
    }
    return ok;
}

void takt_held_keep(takt_remote *self, const takt_access *access, const takt_values *values)
{
    if (self->kept) copy(self->kept, access, values, true);
}

// ---- holding -------------------------------------------------------------------------------------

// Is the instance held, or has to be from now on?
static bool holds(takt_instance *instance, takt_status st, const takt_error *err)
{
    takt_remote *self = remote(instance);
    takt_kept *kept = self->kept;
    if (!st || !kept || !self->failure || !self->is_initialized) return false;
    if (!kept->is_held)
        takt_log_doubt(self->base.log, NULL, 0,
                       "instance '%s': %s; from here on its outputs keep their values",
                       self->base.name, err ? err->message : "its process has ended");
    kept->is_held = true;
    return true;
}

static bool is_held(takt_instance *instance)
{
    return remote(instance)->kept && remote(instance)->kept->is_held;
}

// What the forwarding type does.
static const takt_instance_type *forward(takt_instance *instance)
{
    return &remote(instance)->kind->forward;
}

// Messages about the beginning of a hold need a place for the error.
#define HOLD(instance, err, call)                                                                  \
    takt_error own_error = {0}, *error = (err) ? (err) : &own_error;                               \
    takt_status st = is_held(instance) ? TAKT_OK : (call);                                         \
    if (holds(instance, st, error)) st = TAKT_OK;

static takt_status set(takt_instance *instance, const takt_access *access,
                       const takt_values *values, takt_error *err)
{
    HOLD(instance, err, forward(instance)->set(instance, access, values, error))
    return st;
}

static takt_status get(takt_instance *instance, const takt_access *access, takt_values *values,
                       takt_error *err)
{
    HOLD(instance, err, forward(instance)->get(instance, access, values, error))
    if (!is_held(instance)) return st;
    return copy(remote(instance)->kept, access, values, false) ? TAKT_OK : takt_fail_memory(err);
}

static takt_status begin_step(takt_instance *instance, double t, double h, bool is_final,
                              takt_error *err)
{
    HOLD(instance, err, forward(instance)->begin_step(instance, t, h, is_final, error))
    remote(instance)->t = t;
    remote(instance)->h = h;
    return st;
}

static takt_status end_step(takt_instance *instance, takt_step_result *result, takt_error *err)
{
    const takt_remote *self = remote(instance);
    HOLD(instance, err, forward(instance)->end_step(instance, result, error))
    if (is_held(instance))
        *result = (takt_step_result){.end = TAKT_STEP_DONE, .time = self->t + self->h};
    return st;
}

static takt_status step(takt_instance *instance, double t, double h, bool is_final,
                        takt_step_result *result, takt_error *err)
{
    takt_status st = begin_step(instance, t, h, is_final, err);
    return st ? st : end_step(instance, result, err);
}

static takt_status enter_events(takt_instance *instance, double t, takt_error *err)
{
    HOLD(instance, err, forward(instance)->enter_events(instance, t, error))
    return st;
}

static takt_status update_events(takt_instance *instance, takt_event *out, takt_error *err)
{
    HOLD(instance, err, forward(instance)->update_events(instance, out, error))
    if (is_held(instance)) *out = (takt_event){.next_time = INFINITY};
    return st;
}

static takt_status leave_events(takt_instance *instance, takt_error *err)
{
    HOLD(instance, err, forward(instance)->leave_events(instance, error))
    return st;
}

static takt_status terminate(takt_instance *instance, takt_error *err)
{
    HOLD(instance, err, forward(instance)->terminate(instance, error))
    return st;
}

// A state that nobody can restore; the pointer only must not be NULL.
static takt_status save(takt_instance *instance, void **state, takt_error *err)
{
    HOLD(instance, err, forward(instance)->save(instance, state, error))
    if (!is_held(instance) || *state) return st;
    *state = calloc(1, sizeof(takt_remote_state));
    return *state ? TAKT_OK : takt_fail_memory(err);
}

static takt_status restore(takt_instance *instance, void *state, takt_error *err)
{
    HOLD(instance, err, forward(instance)->restore(instance, state, error))
    return st;
}

static takt_status get_derivatives(takt_instance *instance, const takt_access *outputs,
                                   double *derivatives, takt_error *err)
{
    HOLD(instance, err, forward(instance)->get_derivatives(instance, outputs, derivatives, error))
    for (int i = 0; i < outputs->n_values[TAKT_KIND_REAL] && is_held(instance); i++)
        derivatives[i] = 0;
    return st;
}

static takt_status set_motion(takt_instance *instance, double t, const takt_access *inputs,
                              int order, const double *derivatives, takt_error *err)
{
    HOLD(instance, err,
         forward(instance)->set_motion(instance, t, inputs, order, derivatives, error))
    return st;
}

void takt_held_wrap(takt_instance_type *type)
{
    type->set = set;
    type->get = get;
    type->step = step;
    type->begin_step = begin_step;
    type->end_step = end_step;
    if (type->enter_events) type->enter_events = enter_events;
    if (type->update_events) type->update_events = update_events;
    if (type->leave_events) type->leave_events = leave_events;
    if (type->terminate) type->terminate = terminate;
    if (type->save) type->save = save;
    if (type->restore) type->restore = restore;
    if (type->get_derivatives) type->get_derivatives = get_derivatives;
    if (type->set_motion) type->set_motion = set_motion;
}
