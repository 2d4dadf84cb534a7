// SPDX-License-Identifier: MIT
// A model around another one; see scripted.h. What the run sets passes through here on its way to the instance inside, and what
// it reads on its way back. Besides the state inside, an instance has the number of changes that have happened, and
// the values that inputs and parameters would have without them.
#include "instance/scripted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/times.h"
#include "instance/access.h"
#include "instance/pack.h"

typedef struct scripted_model {
    takt_model base; // first
    takt_instance_type type; // of its instances: what the type inside can do
    const takt_model *inner;
    const takt_script *script;
    int *target_of; // per variable; -1: none
    takt_access own; // all targets
    takt_slot *slots; // per target, in the values of `own`
    takt_access *single; // per target: it alone
} scripted_model;

typedef struct position {
    int n_done; // changes that have happened
    double h; // s; size of the latest step
} position;

typedef struct scripted_instance {
    takt_instance base; // first
    takt_instance *inner;
    position at;
    int *active; // per target: the change that holds; -1: none
    bool *is_known; // per target: its own value is
    takt_values own; // values of the targets without changes; of outputs not used
    takt_values room; // for values on their way
    double *motion; // likewise
    int n_room[TAKT_N_KINDS], n_motion;
    bool is_out_of_memory;
} scripted_instance;

typedef struct scripted_state {
    void *inner;
    position at;
    takt_values own;
} scripted_state;

static const scripted_model *model_of(const scripted_instance *self)
{
    return (const scripted_model *)self->base.model;
}

// ---- targets and changes -----------------------------------------------------------------------

static bool is_input(const scripted_model *model, int target)
{
    int variable = model->script->targets[target].variable;
    return model->base.variables[variable].causality != TAKT_OUTPUT;
}

static const takt_script_change *change_of(const scripted_instance *self, int target)
{
    int i = self->active[target];
    const takt_script_change *change = i < 0 ? NULL : &model_of(self)->script->changes[i];
    return change && change->kind != TAKT_CHANGE_RESET ? change : NULL;
}

// Finds which change holds for each target.
static void find_active(scripted_instance *self)
{
    const takt_script *script = model_of(self)->script;
    for (int i = 0; i < script->n_targets; i++) self->active[i] = -1;
    for (int i = 0; i < self->at.n_done; i++) self->active[script->changes[i].target] = i;
}

static double next_change(const scripted_instance *self)
{
    const takt_script *script = model_of(self)->script;
    return self->at.n_done < script->n_changes ? script->changes[self->at.n_done].time : INFINITY;
}

static int64_t add(takt_type type, int64_t value, int64_t more)
{
    int64_t least, greatest, sum;
    takt_type_range(type, &least, &greatest);
    if (__builtin_add_overflow(value, more, &sum)) return more > 0 ? greatest : least;
    return sum < least ? least : sum > greatest ? greatest : sum;
}

// What a value is under the change that holds for its target.
static void change_value(const scripted_instance *self, int target, takt_values *values,
                         takt_slot slot)
{
    const takt_script_change *change = change_of(self, target);
    const scripted_model *model = model_of(self);
    if (!change) return;
    const takt_variable *variable = &model->base.variables[model->script->targets[target].variable];
    bool adds = change->kind == TAKT_CHANGE_BIAS;
    double *real = &values->real[slot.index];
    switch (slot.kind) {
    case TAKT_KIND_REAL: *real = change->value.real + (adds ? *real : 0); break;
    case TAKT_KIND_INTEGER:
        values->integer[slot.index] =
            adds ? add(variable->type, values->integer[slot.index], change->value.integer)
                 : change->value.integer;
        break;
    case TAKT_KIND_BYTES: // only read, so that nobody writes to the text
        values->bytes[slot.index] =
            (takt_bytes){.data = (char *)change->value.text, .size = change->value.size};
        break;
    }
}

// ---- values on their way -----------------------------------------------------------------------

typedef void visit_fn(scripted_instance *self, int target, takt_values *values, takt_slot slot);

// Visits the values of an access that belong to targets. Returns whether there are any.
static bool for_targets(scripted_instance *self, const takt_access *access, takt_values *values,
                        visit_fn *visit)
{
    const int *target_of = model_of(self)->target_of;
    bool has_any = false;
    for (int b = 0; b < access->n_batches; b++) {
        const takt_access_batch *batch = &access->batches[b];
        for (int i = 0; i < batch->n_values; i++) {
            int target = target_of[batch->variables[i]];
            if (target < 0) continue;
            has_any = true;
            if (visit)
                visit(self, target, values,
                      (takt_slot){takt_type_kind(batch->type), batch->first + i});
        }
    }
    return has_any;
}

static bool grow(void *items, int *room, int n, size_t size)
{
    if (n <= *room) return true;
    void *more = realloc(*(void **)items, (size_t)n * size);
    if (!more) return false;
    *(void **)items = more;
    *room = n;
    return true;
}

// Copies values into the room; texts stay where they are.
static bool copy_to_room(scripted_instance *self, const takt_values *values,
                         const int n[TAKT_N_KINDS])
{
    takt_values *room = &self->room;
    if (!grow(&room->real, &self->n_room[TAKT_KIND_REAL], n[TAKT_KIND_REAL], sizeof(double)) ||
        !grow(&room->integer, &self->n_room[TAKT_KIND_INTEGER], n[TAKT_KIND_INTEGER],
              sizeof(int64_t)) ||
        !grow(&room->bytes, &self->n_room[TAKT_KIND_BYTES], n[TAKT_KIND_BYTES], sizeof(takt_bytes)))
        return false;
    size_t real = (size_t)n[TAKT_KIND_REAL], integer = (size_t)n[TAKT_KIND_INTEGER],
           bytes = (size_t)n[TAKT_KIND_BYTES];
    if (real) memcpy(room->real, values->real, real * sizeof(double));
    if (integer) memcpy(room->integer, values->integer, integer * sizeof(int64_t));
    if (bytes) memcpy(room->bytes, values->bytes, bytes * sizeof(takt_bytes));
    return true;
}

// Keeps the value that an input or a parameter has without changes.
static void keep_own(scripted_instance *self, int target, takt_values *values, takt_slot from)
{
    const scripted_model *model = model_of(self);
    takt_slot to = model->slots[target];
    if (!is_input(model, target)) return;
    self->is_known[target] = true;
    switch (from.kind) {
    case TAKT_KIND_REAL: self->own.real[to.index] = values->real[from.index]; break;
    case TAKT_KIND_INTEGER: self->own.integer[to.index] = values->integer[from.index]; break;
    case TAKT_KIND_BYTES:
        self->is_out_of_memory |=
            !takt_bytes_assign(&self->own.bytes[to.index], values->bytes[from.index].data,
                               values->bytes[from.index].size);
        break;
    }
}

static void change_input(scripted_instance *self, int target, takt_values *values, takt_slot slot)
{
    if (is_input(model_of(self), target)) change_value(self, target, values, slot);
}

static void change_output(scripted_instance *self, int target, takt_values *values, takt_slot slot)
{
    const takt_script_change *change = change_of(self, target);
    if (is_input(model_of(self), target) || !change) return;
    if (slot.kind == TAKT_KIND_BYTES) { // these belong to the caller
        self->is_out_of_memory |=
            !takt_bytes_assign(&values->bytes[slot.index], change->value.text, change->value.size);
        return;
    }
    change_value(self, target, values, slot);
}

static takt_status scripted_set(takt_instance *instance, const takt_access *access,
                                const takt_values *values, takt_error *err)
{
    scripted_instance *self = (scripted_instance *)instance;
    takt_instance *inner = self->inner;
    if (!for_targets(self, access, NULL, NULL)) return inner->type->set(inner, access, values, err);
    if (!copy_to_room(self, values, access->n_values)) return takt_fail_memory(err);
    for_targets(self, access, &self->room, keep_own);
    for_targets(self, access, &self->room, change_input);
    if (self->is_out_of_memory) return takt_fail_memory(err);
    return inner->type->set(inner, access, &self->room, err);
}

static takt_status scripted_get(takt_instance *instance, const takt_access *access,
                                takt_values *values, takt_error *err)
{
    scripted_instance *self = (scripted_instance *)instance;
    takt_status st = self->inner->type->get(self->inner, access, values, err);
    if (st) return st;
    for_targets(self, access, values, change_output);
    return self->is_out_of_memory ? takt_fail_memory(err) : TAKT_OK;
}

// ---- inputs that no connection sets ------------------------------------------------------------

static takt_values seen_from(takt_values *values, takt_slot slot)
{
    int first[TAKT_N_KINDS] = {0};
    first[slot.kind] = slot.index;
    return takt_values_from(values, first);
}

// Gives the instance inside the value of a target that no connection sets.
static takt_status push(scripted_instance *self, int target, takt_error *err)
{
    const scripted_model *model = model_of(self);
    const takt_access *access = &model->single[target];
    takt_values value = seen_from(&self->own, model->slots[target]);
    if (!copy_to_room(self, &value, access->n_values)) return takt_fail_memory(err);
    for_targets(self, access, &self->room, change_input);
    return self->inner->type->set(self->inner, access, &self->room, err);
}

static bool is_free(const scripted_model *model, int target)
{
    return is_input(model, target) && !model->script->targets[target].is_driven;
}

// What such a target was before any change, where neither the project nor the description says it.
static takt_status complete_own(scripted_instance *self, takt_error *err)
{
    const scripted_model *model = model_of(self);
    takt_status st = TAKT_OK;
    for (int i = 0; i < model->script->n_targets && !st; i++) {
        if (!is_free(model, i) || self->is_known[i]) continue;
        takt_values value = seen_from(&self->own, model->slots[i]);
        st = self->inner->type->get(self->inner, &model->single[i], &value, err);
        self->is_known[i] = !st;
    }
    return st;
}

static bool take_start(scripted_instance *self, int target)
{
    const scripted_model *model = model_of(self);
    const takt_variable *variable = &model->base.variables[model->script->targets[target].variable];
    takt_slot slot = model->slots[target];
    if (!variable->has_start || !is_input(model, target)) return true;
    self->is_known[target] = true;
    switch (slot.kind) {
    case TAKT_KIND_REAL: self->own.real[slot.index] = variable->start.real; return true;
    case TAKT_KIND_INTEGER: self->own.integer[slot.index] = variable->start.integer; return true;
    case TAKT_KIND_BYTES:
        return takt_bytes_assign(&self->own.bytes[slot.index], variable->start.text,
                                 variable->start.size);
    }
    return true;
}

// ---- life --------------------------------------------------------------------------------------

static void scripted_destroy(takt_instance *instance)
{
    scripted_instance *self = (scripted_instance *)instance;
    if (!self) return;
    if (self->inner) self->inner->type->destroy(self->inner);
    if (self->own.real) takt_values_clear(&self->own, model_of(self)->own.n_values);
    free(self->active);
    free(self->is_known);
    free(self->room.real);
    free(self->room.integer);
    free(self->room.bytes);
    free(self->motion);
    free(self);
}

static takt_status scripted_instantiate(const takt_model *base, const char *name, takt_log *log,
                                        takt_instance **out, takt_error *err)
{
    const scripted_model *model = (const scripted_model *)base;
    scripted_instance *self = calloc(1, sizeof *self);
    if (!self) return takt_fail_memory(err);
    self->base.type = &model->type;
    self->base.model = base;
    self->base.name = name;
    self->base.log = log;
    size_t n = (size_t)model->script->n_targets;
    self->active = calloc(n, sizeof *self->active);
    self->is_known = calloc(n, sizeof *self->is_known);
    bool has_memory =
        self->active && self->is_known && takt_values_init(&self->own, model->own.n_values);
    for (size_t i = 0; has_memory && i < n; i++) has_memory = take_start(self, (int)i);
    takt_status st = has_memory ? TAKT_OK : takt_fail_memory(err);
    if (!st) find_active(self);
    if (!st) st = model->inner->type->instantiate(model->inner, name, log, &self->inner, err);
    if (st)
        scripted_destroy(&self->base);
    else
        *out = &self->base;
    return st;
}

// Lets all changes up to now happen. Returns whether there were any.
static bool go_on(scripted_instance *self, double t)
{
    int before = self->at.n_done;
    while (next_change(self) <= t || takt_times_equal(next_change(self), t, self->at.h))
        self->at.n_done++;
    if (self->at.n_done == before) return false;
    find_active(self);
    return true;
}

// Values that nobody else sets follow the changes from number `first` on.
static takt_status push_changed(scripted_instance *self, int first, takt_error *err)
{
    const scripted_model *model = model_of(self);
    takt_status st = TAKT_OK;
    for (int i = 0; i < model->script->n_targets && !st; i++)
        if (self->active[i] >= first && is_free(model, i)) st = push(self, i, err);
    return st;
}

static takt_status scripted_enter(takt_instance *instance, const takt_interval *interval,
                                  takt_error *err)
{
    scripted_instance *self = (scripted_instance *)instance;
    takt_instance *inner = self->inner;
    self->at = (position){.h = fabs(interval->start)};
    go_on(self, interval->start);
    takt_status st = inner->type->enter_initialization(inner, interval, err);
    if (!st) st = complete_own(self, err);
    return st ? st : push_changed(self, 0, err);
}

static takt_status scripted_exit(takt_instance *instance, takt_error *err)
{
    takt_instance *inner = ((scripted_instance *)instance)->inner;
    return inner->type->exit_initialization(inner, err);
}

static takt_status scripted_terminate(takt_instance *instance, takt_error *err)
{
    takt_instance *inner = ((scripted_instance *)instance)->inner;
    return inner->type->terminate(inner, err);
}

// ---- steps and events --------------------------------------------------------------------------

static takt_status scripted_step(takt_instance *instance, double t, double h, bool is_final,
                                 takt_step_result *result, takt_error *err)
{
    scripted_instance *self = (scripted_instance *)instance;
    self->at.h = h;
    return self->inner->type->step(self->inner, t, h, is_final, result, err);
}

static takt_status scripted_begin_step(takt_instance *instance, double t, double h, bool is_final,
                                       takt_error *err)
{
    scripted_instance *self = (scripted_instance *)instance;
    self->at.h = h;
    return self->inner->type->begin_step(self->inner, t, h, is_final, err);
}

static takt_status scripted_end_step(takt_instance *instance, takt_step_result *result,
                                     takt_error *err)
{
    takt_instance *inner = ((scripted_instance *)instance)->inner;
    return inner->type->end_step(inner, result, err);
}

static void scripted_depart(takt_instance *instance)
{
    takt_instance *inner = ((scripted_instance *)instance)->inner;
    inner->type->depart(inner);
}

static bool has_event_mode(const takt_model *inner)
{
    return (inner->can.events || inner->type->equations) && inner->type->enter_events;
}

// Says which changes happen now, from number `first` on.
static void tell_changes(const scripted_instance *self, int first, double t)
{
    static const char *const words[] = {"is held", "gets a bias", "is released"};
    const takt_script *script = model_of(self)->script;
    for (int i = first; i < self->at.n_done; i++) {
        int variable = script->targets[script->changes[i].target].variable;
        takt_log_write(self->base.log, TAKT_LEVEL_INFO, "scenario at t=%.15g s: %s.%s %s", t,
                       self->base.name, self->base.model->variables[variable].name,
                       words[script->changes[i].kind]);
    }
}

static takt_status scripted_enter_events(takt_instance *instance, double t, takt_error *err)
{
    scripted_instance *self = (scripted_instance *)instance;
    takt_instance *inner = self->inner;
    int before = self->at.n_done;
    takt_status st = TAKT_OK;
    if (has_event_mode(inner->model)) st = inner->type->enter_events(inner, t, err);
    if (st || !go_on(self, t)) return st;
    tell_changes(self, before, t);
    return push_changed(self, before, err);
}

static takt_status scripted_update_events(takt_instance *instance, takt_event *out, takt_error *err)
{
    scripted_instance *self = (scripted_instance *)instance;
    takt_instance *inner = self->inner;
    takt_status st = TAKT_OK;
    if (has_event_mode(inner->model)) st = inner->type->update_events(inner, out, err);
    if (!st) out->next_time = fmin(out->next_time, next_change(self));
    return st;
}

static takt_status scripted_leave_events(takt_instance *instance, takt_error *err)
{
    takt_instance *inner = ((scripted_instance *)instance)->inner;
    return has_event_mode(inner->model) ? inner->type->leave_events(inner, err) : TAKT_OK;
}

static takt_status scripted_find_knots(takt_instance *instance, const takt_access *outputs,
                                       double relative, const double **times, int *n_times,
                                       takt_error *err)
{
    takt_instance *inner = ((scripted_instance *)instance)->inner;
    return inner->type->find_knots(inner, outputs, relative, times, n_times, err);
}

// ---- derivatives -------------------------------------------------------------------------------

// Is the variable held at a value of the script?
static bool is_overridden(const scripted_instance *self, int variable)
{
    int target = model_of(self)->target_of[variable];
    const takt_script_change *change = target < 0 ? NULL : change_of(self, target);
    return change && change->kind == TAKT_CHANGE_OVERRIDE;
}

static takt_status scripted_get_derivatives(takt_instance *instance, const takt_access *outputs,
                                            double *derivatives, takt_error *err)
{
    const scripted_instance *self = (const scripted_instance *)instance;
    takt_status st = self->inner->type->get_derivatives(self->inner, outputs, derivatives, err);
    for (int i = 0; i < outputs->n_values[TAKT_KIND_REAL] && !st; i++)
        if (is_overridden(self, takt_access_index(outputs, TAKT_KIND_REAL, i))) derivatives[i] = 0;
    return st;
}

static takt_status scripted_differentiate(takt_instance *instance, const takt_access *unknowns,
                                          const takt_access *knowns, const double *seed,
                                          double *derivative, takt_error *err)
{
    scripted_instance *self = (scripted_instance *)instance;
    int n = knowns->n_values[TAKT_KIND_REAL];
    if (!grow(&self->motion, &self->n_motion, n, sizeof *self->motion))
        return takt_fail_memory(err);
    for (int i = 0; i < n; i++)
        self->motion[i] =
            is_overridden(self, takt_access_index(knowns, TAKT_KIND_REAL, i)) ? 0 : seed[i];
    takt_status st = self->inner->type->differentiate(self->inner, unknowns, knowns, self->motion,
                                                      derivative, err);
    for (int i = 0; i < unknowns->n_values[TAKT_KIND_REAL] && !st; i++)
        if (is_overridden(self, takt_access_index(unknowns, TAKT_KIND_REAL, i))) derivative[i] = 0;
    return st;
}

// The values at t have been changed by `set`, but come here once more as they were.
static takt_status scripted_set_motion(takt_instance *instance, double t, const takt_access *inputs,
                                       int order, const double *derivatives, takt_error *err)
{
    scripted_instance *self = (scripted_instance *)instance;
    int n = inputs->n_values[TAKT_KIND_REAL];
    if (!grow(&self->motion, &self->n_motion, n * (order + 1), sizeof *self->motion))
        return takt_fail_memory(err);
    if (n) memcpy(self->motion, derivatives, (size_t)(n * (order + 1)) * sizeof *self->motion);
    for (int i = 0; i < n; i++) {
        int variable = takt_access_index(inputs, TAKT_KIND_REAL, i);
        int target = model_of(self)->target_of[variable];
        const takt_script_change *change = target < 0 ? NULL : change_of(self, target);
        if (!change) continue;
        bool adds = change->kind == TAKT_CHANGE_BIAS;
        self->motion[i] = change->value.real + (adds ? self->motion[i] : 0);
        for (int d = 1; d <= order && !adds; d++) self->motion[d * n + i] = 0;
    }
    return self->inner->type->set_motion(self->inner, t, inputs, order, self->motion, err);
}

static int scripted_motion_order(const takt_instance *instance)
{
    const takt_instance *inner = ((const scripted_instance *)instance)->inner;
    return inner->type->motion_order(inner);
}

static takt_status scripted_depend(takt_instance *instance, int variable, takt_arena *arena,
                                   takt_dependency *out, takt_error *err)
{
    takt_instance *inner = ((scripted_instance *)instance)->inner;
    return inner->type->depend(inner, variable, arena, out, err);
}

// ---- states ------------------------------------------------------------------------------------

static void scripted_free_state(takt_instance *instance, void **state)
{
    scripted_instance *self = (scripted_instance *)instance;
    scripted_state *saved = *state;
    if (!saved) return;
    if (saved->inner) self->inner->type->free_state(self->inner, &saved->inner);
    if (saved->own.real) takt_values_clear(&saved->own, model_of(self)->own.n_values);
    free(saved);
    *state = NULL;
}

static takt_status make_state(const scripted_instance *self, void **state, takt_error *err)
{
    if (*state) return TAKT_OK;
    scripted_state *saved = calloc(1, sizeof *saved);
    if (saved && takt_values_init(&saved->own, model_of(self)->own.n_values)) {
        *state = saved;
        return TAKT_OK;
    }
    free(saved);
    return takt_fail_memory(err);
}

static takt_status scripted_save(takt_instance *instance, void **state, takt_error *err)
{
    scripted_instance *self = (scripted_instance *)instance;
    takt_status st = make_state(self, state, err);
    if (st) return st;
    scripted_state *saved = *state;
    saved->at = self->at;
    if (!takt_values_copy(&self->own, &saved->own, model_of(self)->own.n_values))
        return takt_fail_memory(err);
    return self->inner->type->save(self->inner, &saved->inner, err);
}

static takt_status scripted_restore(takt_instance *instance, void *state, takt_error *err)
{
    scripted_instance *self = (scripted_instance *)instance;
    const scripted_state *saved = state;
    self->at = saved->at;
    if (!takt_values_copy(&saved->own, &self->own, model_of(self)->own.n_values))
        return takt_fail_memory(err);
    find_active(self);
    return self->inner->type->restore(self->inner, saved->inner, err);
}

static takt_status scripted_serialize(takt_instance *instance, void *state, takt_bytes *out,
                                      takt_error *err)
{
    const scripted_instance *self = (const scripted_instance *)instance;
    const scripted_state *saved = state;
    takt_bytes inner = {0};
    takt_status st = self->inner->type->serialize(self->inner, saved->inner, &inner, err);
    takt_packer packer = {.out = out};
    out->size = 0;
    if (!st) {
        takt_pack_integer(&packer, saved->at.n_done);
        takt_pack_real(&packer, saved->at.h);
        takt_pack_values(&packer, &saved->own, model_of(self)->own.n_values);
        takt_pack(&packer, inner.data, inner.size);
    }
    takt_bytes_clear(&inner);
    return st ? st : packer.failed ? takt_fail_memory(err) : TAKT_OK;
}

static takt_status scripted_deserialize(takt_instance *instance, const void *data, size_t size,
                                        void **state, takt_error *err)
{
    const scripted_instance *self = (const scripted_instance *)instance;
    takt_unpacker unpacker = {.next = data, .left = size};
    takt_status st = make_state(self, state, err);
    if (st) return st;
    scripted_state *saved = *state;
    saved->at.n_done = (int)takt_unpack_integer(&unpacker, 0, model_of(self)->script->n_changes);
    saved->at.h = takt_unpack_real(&unpacker);
    takt_unpack_values(&unpacker, &saved->own, model_of(self)->own.n_values);
    if (unpacker.failed || unpacker.out_of_memory) return takt_unpack_end(&unpacker, err);
    return self->inner->type->deserialize(self->inner, unpacker.next, unpacker.left, &saved->inner,
                                          err);
}

// ---- type and model ----------------------------------------------------------------------------

static bool scripted_work(const takt_instance *instance, int i_member, takt_work *out)
{
    const takt_instance *inner = ((const scripted_instance *)instance)->inner;
    return inner->type->work(inner, i_member, out);
}

// Who watches calls sees the instance inside as a member.
static const takt_instance *scripted_member(const takt_instance *instance, int i_member)
{
    const takt_instance *inner = ((const scripted_instance *)instance)->inner;
    if (i_member == 0) return inner;
    return inner && inner->type->member ? inner->type->member(inner, i_member - 1) : NULL;
}

static void scripted_allow_results(const takt_model *model, const char *folder)
{
    const takt_model *inner = ((const scripted_model *)model)->inner;
    inner->type->allow_results(inner, folder);
}

static void scripted_close_model(takt_model *model)
{
    (void)model; // it lies in an arena, and what is in it belongs to the model inside
}

// What the type inside can do and passes through here; its equations are integrated by the instance inside.
static takt_instance_type make_type(const takt_instance_type *inner)
{
    return (takt_instance_type){
        .name = inner->name,
        .allow_results = inner->allow_results ? scripted_allow_results : NULL,
        .instantiate = scripted_instantiate,
        .destroy = scripted_destroy,
        .enter_initialization = scripted_enter,
        .exit_initialization = scripted_exit,
        .set = scripted_set,
        .get = scripted_get,
        .step = scripted_step,
        .begin_step = inner->begin_step ? scripted_begin_step : NULL,
        .end_step = inner->begin_step ? scripted_end_step : NULL,
        .depart = inner->depart ? scripted_depart : NULL,
        .enter_events = scripted_enter_events,
        .update_events = scripted_update_events,
        .leave_events = scripted_leave_events,
        .find_knots = inner->find_knots ? scripted_find_knots : NULL,
        .terminate = inner->terminate ? scripted_terminate : NULL,
        .save = inner->save ? scripted_save : NULL,
        .restore = inner->save ? scripted_restore : NULL,
        .free_state = inner->save ? scripted_free_state : NULL,
        .serialize = inner->serialize ? scripted_serialize : NULL,
        .deserialize = inner->serialize ? scripted_deserialize : NULL,
        .differentiate = inner->differentiate ? scripted_differentiate : NULL,
        .depend = inner->depend ? scripted_depend : NULL,
        .get_derivatives = inner->get_derivatives ? scripted_get_derivatives : NULL,
        .set_motion = inner->set_motion ? scripted_set_motion : NULL,
        .motion_order = inner->motion_order ? scripted_motion_order : NULL,
        .work = inner->work ? scripted_work : NULL,
        .member = scripted_member,
        .close_model = scripted_close_model,
    };
}

// Marks the variables that the script changes, and lays out their values.
static bool lay_out(scripted_model *model, takt_arena *arena)
{
    const takt_script *script = model->script;
    size_t n_variables = (size_t)model->inner->n_variables, n = (size_t)script->n_targets;
    takt_variable *variables = takt_arena_array(arena, n_variables, sizeof *variables);
    int *list = takt_arena_array(arena, n, sizeof *list);
    model->target_of = takt_arena_array(arena, n_variables, sizeof *model->target_of);
    model->slots = takt_arena_array(arena, n, sizeof *model->slots);
    model->single = takt_arena_array(arena, n, sizeof *model->single);
    if (!variables || !list || !model->target_of || !model->slots || !model->single) return false;
    memcpy(variables, model->inner->variables, n_variables * sizeof *variables);
    for (size_t i = 0; i < n_variables; i++) model->target_of[i] = -1;
    for (size_t i = 0; i < n; i++) {
        list[i] = script->targets[i].variable;
        variables[list[i]].is_scripted = true;
        model->target_of[list[i]] = (int)i;
        if (!takt_access_create(arena, model->inner, &list[i], 1, &model->single[i], NULL))
            return false;
    }
    model->base.variables = variables;
    return takt_access_create(arena, model->inner, list, (int)n, &model->own, model->slots);
}

takt_model *takt_scripted_model(const takt_model *inner, const takt_script *script,
                                takt_arena *arena)
{
    scripted_model *model = takt_arena_alloc(arena, sizeof *model);
    if (!model) return NULL;
    *model = (scripted_model){
        .base = *inner, .type = make_type(inner->type), .inner = inner, .script = script};
    model->base.type = &model->type;
    model->base.can.events = true;
    model->base.can.rewind = takt_model_can_rewind(inner);
    model->base.can.serialize = takt_model_can_serialize(inner);
    return lay_out(model, arena) ? &model->base : NULL;
}
