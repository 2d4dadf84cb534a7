// SPDX-License-Identifier: MIT
// Derivatives that an FMU of FMI 3.0 gives: directional ones (specification 3.0.2, section 2.2.11) and those of
// outputs by time (section 4.1.2). The standard only knows those of whole arrays; where some elements are
// wanted, the seeds of the others are 0.
#include "fmu/fmi3_derivatives.h"

#include <stdlib.h>
#include <string.h>

/// One side of the call: the unknowns or the knowns.
typedef struct side {
    const uint32_t *refs;
    double *values;
    int n_refs, n_values;
} side;

/// The whole arrays of which a batch has elements. All lie in the instance's room.
typedef struct whole {
    uint32_t *refs;
    int *first; ///< per reference: where its values start
    int *elements; ///< per reference: the variable of its first element
    int *places; ///< per value of the batch: where it lies among all values
    int n_refs, n_values;
} whole;

// Makes the whole of a batch in the given room. Returns the end of what it took.
static char *widen(const takt_fmi3_instance *self, const takt_access_batch *batch, char *room,
                   whole *out)
{
    const takt_variable *variables = self->common.base.model->variables;
    size_t n = (size_t)batch->n_values;
    *out = (whole){.refs = (uint32_t *)room};
    out->first = (int *)(out->refs + n);
    out->elements = out->first + n;
    out->places = out->elements + n;
    for (size_t i = 0; i < n; i++) {
        const takt_variable *variable = &variables[batch->variables[i]];
        const takt_array *array = variable->array;
        int k = 0;
        while (k < out->n_refs && out->refs[k] != variable->reference) k++;
        if (k == out->n_refs) {
            out->refs[out->n_refs++] = variable->reference;
            out->first[k] = out->n_values;
            out->elements[k] = array ? array->first : batch->variables[i];
            out->n_values += array ? array->n_elements : 1;
        }
        out->places[i] = out->first[k] + batch->variables[i] - out->elements[k];
    }
    return (char *)(out->places + n);
}

static takt_status call(takt_fmi3_instance *self, const takt_access_batch *batch, const side *of,
                        const side *by, takt_error *err)
{
    return TAKT_FMU_ACCESS(self, fmi3GetDirectionalDerivative, batch, err, of->refs,
                           (size_t)of->n_refs, by->refs, (size_t)by->n_refs, by->values,
                           (size_t)by->n_values, of->values, (size_t)of->n_values);
}

// Derivatives of whole arrays, of which some are picked.
static takt_status differentiate_elements(takt_fmi3_instance *self, const takt_access_batch *of,
                                          const takt_access_batch *by, const double *seed,
                                          double *derivative, takt_error *err)
{
    size_t n = (size_t)of->n_values + (size_t)by->n_values;
    whole unknowns, knowns;
    if (!takt_fmi3_reserve(&self->room, &self->room_size, 4 * n * sizeof(int)))
        return takt_fail_memory(err);
    char *rest = widen(self, of, self->room, &unknowns);
    widen(self, by, rest, &knowns);
    size_t n_values = (size_t)unknowns.n_values + (size_t)knowns.n_values;
    if (!takt_fmi3_reserve(&self->wide, &self->wide_size, n_values * sizeof(double)))
        return takt_fail_memory(err);

    double *results = self->wide, *seeds = results + unknowns.n_values;
    memset(results, 0, n_values * sizeof *results);
    for (int i = 0; i < by->n_values; i++) seeds[knowns.places[i]] = seed[i];
    const side to = {unknowns.refs, results, unknowns.n_refs, unknowns.n_values};
    const side from = {knowns.refs, seeds, knowns.n_refs, knowns.n_values};
    takt_status st = call(self, of, &to, &from, err);
    for (int i = 0; i < of->n_values && !st; i++) derivative[i] = results[unknowns.places[i]];
    return st;
}

takt_status takt_fmi3_differentiate(takt_instance *instance, const takt_access *unknowns,
                                    const takt_access *knowns, const double *seed,
                                    double *derivative, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    if (unknowns->n_batches == 0) return TAKT_OK;
    if (knowns->n_batches == 0) {
        for (int i = 0; i < unknowns->n_values[TAKT_KIND_REAL]; i++) derivative[i] = 0;
        return TAKT_OK;
    }
    const takt_access_batch *of = &unknowns->batches[0], *by = &knowns->batches[0];
    if (!of->is_whole || !by->is_whole)
        return differentiate_elements(self, of, by, seed, derivative, err);
    const side to = {of->refs, derivative, of->n_refs, of->n_values};
    const side from = {by->refs, (double *)seed, by->n_refs, by->n_values};
    return call(self, of, &to, &from, err);
}

// ---- by time ---------------------------------------------------------------------------------------

static takt_status call_by_time(takt_fmi3_instance *self, const takt_access_batch *batch,
                                const side *of, fmi3Int32 *orders, takt_error *err)
{
    for (int i = 0; i < of->n_refs; i++) orders[i] = 1;
    return TAKT_FMU_ACCESS(self, fmi3GetOutputDerivatives, batch, err, of->refs, (size_t)of->n_refs,
                           orders, of->values, (size_t)of->n_values);
}

takt_status takt_fmi3_get_derivatives(takt_instance *instance, const takt_access *outputs,
                                      double *derivatives, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    if (outputs->n_batches == 0) return TAKT_OK;
    const takt_access_batch *batch = &outputs->batches[0];
    size_t n = (size_t)batch->n_values;
    if (!takt_fmi3_reserve(&self->room, &self->room_size, 5 * n * sizeof(int)))
        return takt_fail_memory(err);
    if (batch->is_whole) {
        const side of = {batch->refs, derivatives, batch->n_refs, batch->n_values};
        return call_by_time(self, batch, &of, self->room, err);
    }
    whole arrays;
    fmi3Int32 *orders = (fmi3Int32 *)widen(self, batch, self->room, &arrays);
    if (!takt_fmi3_reserve(&self->wide, &self->wide_size, (size_t)arrays.n_values * sizeof(double)))
        return takt_fail_memory(err);
    const side of = {arrays.refs, self->wide, arrays.n_refs, arrays.n_values};
    memset(of.values, 0, (size_t)of.n_values * sizeof *of.values);
    takt_status st = call_by_time(self, batch, &of, orders, err);
    for (int i = 0; i < batch->n_values && !st; i++) derivatives[i] = of.values[arrays.places[i]];
    return st;
}
