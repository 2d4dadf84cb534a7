// SPDX-License-Identifier: MIT
// Setting and getting values of an FMU of FMI 3.0, one call per type (specification 3.0.2, section 2.2.6).
// Values of 64 bits go straight from and to our buffers, the others are converted in room that the
// instance keeps.
//
// An access to some elements of an array, to clocked variables or to structural parameters goes a slower
// way, run by run. The standard only knows whole arrays: for setting some elements, the instance keeps what
// the others were set to.
#include "fmu/fmi3_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "fmu/fmi3_clocks.h"
#include "fmu/fmi3_codec.h"
#include "fmu/fmi3_configure.h"

// Makes room for n values of a type.
static bool reserve(takt_fmi3_instance *self, const takt_fmi3_codec *c, int n)
{
    size_t count = (size_t)n;
    return takt_fmi3_reserve(&self->room, &self->room_size, count * c->size) &&
           (!c->has_sizes ||
            takt_fmi3_reserve(&self->sizes, &self->sizes_size, count * sizeof(size_t)));
}

// Where the values of a direct type lie in our buffers.
static void *direct(const takt_values *values, takt_type type, int first)
{
    return takt_type_kind(type) == TAKT_KIND_REAL ? (void *)(values->real + first)
                                                  : (void *)(values->integer + first);
}

// ---- calls ---------------------------------------------------------------------------------------

static takt_status fail_range(takt_fmi3_instance *self, takt_type type, int variable,
                              const takt_values *values, int index, takt_error *err)
{
    char text[TAKT_NUMBER_SIZE];
    if (takt_type_kind(type) == TAKT_KIND_REAL)
        takt_number_write(text, values->real[index]);
    else
        takt_number_write_integer(text, values->integer[index]);
    return takt_fmu_fail_range(&self->common, variable, text, takt_type_name(type), err);
}

// Sets n values that lie together. `batch` names the variables, one per value, in messages.
static takt_status call_set(takt_fmi3_instance *self, const takt_access_batch *batch,
                            const takt_values *values, int first, takt_error *err)
{
    const takt_fmi3_codec *c = &takt_fmi3_codecs[batch->type];
    if (c->is_direct) return c->set(self, batch, direct(values, batch->type, first), err);
    if (!reserve(self, c, batch->n_values)) return takt_fail_memory(err);
    int wrong = c->pack(values, first, batch->n_values, self->room, self->sizes);
    if (wrong >= 0)
        return fail_range(self, batch->type, batch->variables[wrong], values, first + wrong, err);
    return c->set(self, batch, self->room, err);
}

// Gets values into the instance's room, or, if `to` is not NULL, there.
static takt_status call_get(takt_fmi3_instance *self, const takt_access_batch *batch, void *to,
                            takt_error *err)
{
    const takt_fmi3_codec *c = &takt_fmi3_codecs[batch->type];
    if (to) return c->get(self, batch, to, err);
    if (!reserve(self, c, batch->n_values)) return takt_fail_memory(err);
    memset(self->room, 0, (size_t)batch->n_values * c->size);
    if (c->has_sizes) memset(self->sizes, 0, (size_t)batch->n_values * sizeof(size_t));
    return c->get(self, batch, self->room, err);
}

// ---- runs: a variable, or elements of one array --------------------------------------------------

// How many values from index `first` on belong to the same variable of the FMU.
static int run_length(const takt_fmi3_instance *self, const takt_access_batch *batch, int first)
{
    const takt_variable *variables = self->common.base.model->variables;
    const takt_array *array = variables[batch->variables[first]].array;
    int n = 1;
    if (array)
        while (first + n < batch->n_values && variables[batch->variables[first + n]].array == array)
            n++;
    return n;
}

// A batch for all of the variable or array that `variable` belongs to, which is named in messages.
static takt_access_batch batch_of(const takt_fmi3_instance *self, const int *variable)
{
    const takt_variable *v = &self->common.base.model->variables[*variable];
    return (takt_access_batch){.type = v->type,
                               .n_values = v->array ? v->array->n_elements : 1,
                               .n_refs = 1,
                               .refs = &v->reference,
                               .variables = variable};
}

takt_status takt_fmi3_get_run(takt_fmi3_instance *self, const takt_access_batch *batch, int first,
                              takt_values *values, int *n, takt_error *err)
{
    const takt_model *model = self->common.base.model;
    const takt_array *array = model->variables[batch->variables[first]].array;
    *n = run_length(self, batch, first);
    takt_access_batch whole = batch_of(self, &batch->variables[first]);
    takt_status st = call_get(self, &whole, NULL, err);
    for (int i = 0; i < *n && !st; i++) {
        int element = array ? batch->variables[first + i] - array->first : 0;
        if (!takt_fmi3_codecs[batch->type].unpack(self->room, self->sizes, element, values,
                                                  batch->first + first + i))
            st = takt_fail_memory(err);
    }
    return st;
}

// What the elements of an array were set to. Asks the FMU when it is wanted for the first time.
static takt_status find_kept(takt_fmi3_instance *self, const int *variable, takt_values **out,
                             takt_error *err)
{
    const takt_model *model = self->common.base.model;
    const takt_array *array = model->variables[*variable].array;
    if (!self->kept) self->kept = calloc((size_t)model->n_arrays, sizeof *self->kept);
    if (!self->kept) return takt_fail_memory(err);
    takt_values *kept = *out = &self->kept[array - model->arrays];
    if (kept->real) return TAKT_OK;
    takt_access_batch whole = batch_of(self, variable);
    takt_status st = call_get(self, &whole, NULL, err);
    if (st) return st;
    int n[TAKT_N_KINDS] = {0};
    n[takt_type_kind(whole.type)] = array->n_elements;
    if (!takt_values_init(kept, n)) return takt_fail_memory(err);
    self->has_kept = true;
    for (int i = 0; i < array->n_elements && !st; i++)
        if (!takt_fmi3_codecs[whole.type].unpack(self->room, self->sizes, i, kept, i))
            st = takt_fail_memory(err);
    return st;
}

static bool copy_value(takt_kind kind, const takt_values *from, int i_from, takt_values *to,
                       int i_to)
{
    if (kind == TAKT_KIND_REAL) to->real[i_to] = from->real[i_from];
    if (kind == TAKT_KIND_INTEGER) to->integer[i_to] = from->integer[i_from];
    return kind != TAKT_KIND_BYTES ||
           takt_bytes_assign(&to->bytes[i_to], from->bytes[i_from].data, from->bytes[i_from].size);
}

// Sets some elements of an array, the others again to what they are.
static takt_status set_elements(takt_fmi3_instance *self, const takt_access_batch *batch, int first,
                                int n, const takt_values *values, takt_error *err)
{
    const takt_model *model = self->common.base.model;
    const takt_array *array = model->variables[batch->variables[first]].array;
    const takt_fmi3_codec *c = &takt_fmi3_codecs[batch->type];
    int index = batch->first + first;
    if (!reserve(self, c, n)) return takt_fail_memory(err);
    int wrong = c->pack(values, index, n, self->room, self->sizes);
    if (wrong >= 0)
        return fail_range(self, batch->type, batch->variables[first + wrong], values, index + wrong,
                          err);
    takt_values *kept = NULL;
    takt_status st = find_kept(self, &batch->variables[first], &kept, err);
    for (int i = 0; i < n && !st; i++)
        if (!copy_value(takt_type_kind(batch->type), values, index + i, kept,
                        batch->variables[first + i] - array->first))
            st = takt_fail_memory(err);
    takt_access_batch whole = batch_of(self, &batch->variables[first]);
    return st ? st : call_set(self, &whole, kept, 0, err);
}

// After whole arrays were set: keeps their values where some elements were set before.
static bool keep_elements(takt_fmi3_instance *self, const takt_access_batch *batch,
                          const takt_values *values)
{
    const takt_model *model = self->common.base.model;
    for (int i = 0; i < batch->n_values; i++) {
        const takt_array *array = model->variables[batch->variables[i]].array;
        takt_values *kept = array ? &self->kept[array - model->arrays] : NULL;
        if (kept && kept->real &&
            !copy_value(takt_type_kind(batch->type), values, batch->first + i, kept,
                        batch->variables[i] - array->first))
            return false;
    }
    return true;
}

// ---- structural parameters -----------------------------------------------------------------------

// A structural parameter is set in configuration mode. One that gives the size of arrays has got its
// value when the instance was made, see fmi3_configure.c.
static takt_status set_structural(takt_fmi3_instance *self, const takt_access_batch *batch, int i,
                                  const takt_values *values, takt_error *err)
{
    const takt_model *model = self->common.base.model;
    int index = batch->variables[i];
    const takt_variable *variable = &model->variables[index];
    int64_t value =
        takt_type_kind(batch->type) == TAKT_KIND_INTEGER ? values->integer[batch->first + i] : 0;
    const bool *is_size = takt_fmi3_of(self)->is_size;
    if (is_size && is_size[index]) {
        if (value == variable->start.integer) return TAKT_OK;
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "structural parameter '%s' cannot be set to %lld: it gives the size of "
                         "arrays, which is %lld and must be known before the run; give it in the "
                         "project or with --set",
                         variable->name, (long long)value, (long long)variable->start.integer);
    }
    takt_status st = takt_fmi3_enter_configuration(self, err);
    if (st) return st;
    takt_access_batch one = batch_of(self, &batch->variables[i]);
    st = call_set(self, &one, values, batch->first + i, err);
    if (st && self->common.phase >= TAKT_FMU_FAILED) return st;
    takt_status left = takt_fmi3_exit_configuration(self, st ? NULL : err);
    return st ? st : left;
}

// ---- batches --------------------------------------------------------------------------------------

static const takt_max_size *find_limit(const takt_fmi3_description *fmi3, int variable)
{
    for (int i = 0; i < fmi3->n_max_sizes; i++)
        if (variable >= fmi3->max_sizes[i].first &&
            variable < fmi3->max_sizes[i].first + fmi3->max_sizes[i].n)
            return &fmi3->max_sizes[i];
    return NULL;
}

static takt_status check_sizes(const takt_fmi3_instance *self, const takt_access_batch *batch,
                               const takt_values *values, takt_error *err)
{
    for (int i = 0; i < batch->n_values; i++) {
        const takt_max_size *limit = find_limit(takt_fmi3_of(self), batch->variables[i]);
        size_t size = values->bytes[batch->first + i].size;
        if (limit && size > limit->max)
            return takt_fail(
                err, TAKT_ERR_SIMULATION, "variable '%s' is set to %zu bytes; its maxSize is %zu",
                self->common.base.model->variables[batch->variables[i]].name, size, limit->max);
    }
    return TAKT_OK;
}

static takt_status set_by_runs(takt_fmi3_instance *self, const takt_access_batch *batch,
                               const takt_values *values, takt_error *err)
{
    const takt_model *model = self->common.base.model;
    takt_status st = TAKT_OK;
    for (int i = 0, n; i < batch->n_values && !st; i += n) {
        const takt_variable *variable = &model->variables[batch->variables[i]];
        n = run_length(self, batch, i);
        if (!takt_fmi3_may_set(self, batch->variables[i])) continue;
        if (variable->causality == TAKT_STRUCTURAL_PARAMETER) {
            st = set_structural(self, batch, i, values, err);
        } else if (variable->array) {
            st = set_elements(self, batch, i, n, values, err);
        } else {
            takt_access_batch one = batch_of(self, &batch->variables[i]);
            st = call_set(self, &one, values, batch->first + i, err);
        }
    }
    return st;
}

static takt_status get_by_runs(takt_fmi3_instance *self, const takt_access_batch *batch,
                               takt_values *values, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0, n; i < batch->n_values && !st; i += n) {
        n = 1;
        if (takt_fmi3_may_get(self, batch->variables[i]))
            st = takt_fmi3_get_run(self, batch, i, values, &n, err);
        else if (!takt_fmi3_clocked_copy(self, batch->variables[i], values, batch->first + i))
            st = takt_fail_memory(err);
    }
    return st;
}

// Do all values of a batch travel in one call?
static bool is_plain(const takt_fmi3_instance *self, const takt_access_batch *batch, bool is_set)
{
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    bool has_structural =
        is_set && fmi3->has_structural_parameters && self->common.phase == TAKT_FMU_INSTANTIATED;
    return batch->is_whole && fmi3->n_clocked == 0 && !has_structural;
}

static takt_status set_group(takt_fmi3_instance *self, const takt_access_batch *batch,
                             const takt_values *values, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (batch->type == TAKT_CLOCK) return takt_fmi3_clocks_set(self, batch, values, err);
    if (batch->type == TAKT_BINARY) st = check_sizes(self, batch, values, err);
    if (st) return st;
    if (!is_plain(self, batch, true)) return set_by_runs(self, batch, values, err);
    st = call_set(self, batch, values, batch->first, err);
    if (!st && self->has_kept && !keep_elements(self, batch, values)) st = takt_fail_memory(err);
    return st;
}

static takt_status get_group(takt_fmi3_instance *self, const takt_access_batch *batch,
                             takt_values *values, takt_error *err)
{
    const takt_fmi3_codec *c = &takt_fmi3_codecs[batch->type];
    if (batch->type == TAKT_CLOCK) return takt_fmi3_clocks_get(self, batch, values, err);
    if (!is_plain(self, batch, false)) return get_by_runs(self, batch, values, err);
    if (c->is_direct) return call_get(self, batch, direct(values, batch->type, batch->first), err);
    takt_status st = call_get(self, batch, NULL, err);
    for (int i = 0; i < batch->n_values && !st; i++)
        if (!c->unpack(self->room, self->sizes, i, values, batch->first + i))
            st = takt_fail_memory(err);
    return st;
}

takt_status takt_fmi3_set(takt_instance *instance, const takt_access *access,
                          const takt_values *values, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    takt_status st = TAKT_OK;
    self->must_evaluate = true;
    for (int i = 0; i < access->n_batches && !st; i++)
        st = set_group(self, &access->batches[i], values, err);
    return st;
}

// In event mode new discrete states are computed first, where the FMU does not do it by itself.
static takt_status evaluate(takt_fmi3_instance *self, takt_error *err)
{
    bool is_needed = self->must_evaluate && self->common.phase == TAKT_FMU_HANDLING_EVENTS &&
                     takt_fmi3_of(self)->evaluates_discrete_states;
    if (!is_needed) return TAKT_OK;
    takt_status st = TAKT_FMU_ENTER(self, fmi3EvaluateDiscreteStates, err);
    self->must_evaluate = st != TAKT_OK;
    return st;
}

takt_status takt_fmi3_get(takt_instance *instance, const takt_access *access, takt_values *values,
                          takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    takt_status st = evaluate(self, err);
    for (int i = 0; i < access->n_batches && !st; i++)
        st = get_group(self, &access->batches[i], values, err);
    return st;
}

void takt_fmi3_values_clear(takt_fmi3_instance *self)
{
    const takt_model *model = self->common.base.model;
    for (int i = 0; self->kept && i < model->n_arrays; i++) {
        const takt_array *array = &model->arrays[i];
        int n[TAKT_N_KINDS] = {0};
        n[takt_type_kind(model->variables[array->first].type)] = array->n_elements;
        takt_values_clear(&self->kept[i], n);
    }
    free(self->kept);
    free(self->room);
    free(self->sizes);
    free(self->wide);
}
