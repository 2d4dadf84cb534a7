// SPDX-License-Identifier: MIT
// Values of FMI 1.0 and 2.0; see scalars.h.
#include "fmu/scalars.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "instance/coupling.h"

// Is the i-th variable of the batch the negative of what its value reference stands for?
static bool is_negated(const takt_fmu_instance *self, const takt_access_batch *batch, int i)
{
    const bool *negated = self->fmu->description.is_negated;
    return negated && negated[batch->variables[i]];
}

static bool has_negated(const takt_fmu_instance *self, const takt_access_batch *batch)
{
    for (int i = 0; self->fmu->description.is_negated && i < batch->n_refs; i++)
        if (is_negated(self, batch, i)) return true;
    return false;
}

static bool reserve(takt_scalars *scalars, int n)
{
    size_t size = (size_t)n * sizeof(double); // no type needs more
    if (size <= scalars->size) return true;
    void *grown = realloc(scalars->room, size);
    if (!grown) return false;
    scalars->room = grown;
    scalars->size = size;
    return true;
}

// ---- to the FMU ----------------------------------------------------------------------------------

static takt_status fail_range(takt_fmu_instance *self, const takt_access_batch *batch, int i,
                              int64_t value, takt_error *err)
{
    char text[TAKT_NUMBER_SIZE];
    takt_number_write_integer(text, value);
    return takt_fmu_fail_range(self, batch->variables[i], text, "Integer", err);
}

static takt_status put_reals(takt_fmu_instance *self, const takt_access_batch *batch,
                             const takt_values *values, void *room, takt_error *err)
{
    double *out = room;
    (void)err;
    for (int i = 0; i < batch->n_refs; i++) {
        double value = values->real[batch->first + i];
        out[i] = is_negated(self, batch, i) ? -value : value;
    }
    return TAKT_OK;
}

static takt_status put_integers(takt_fmu_instance *self, const takt_access_batch *batch,
                                const takt_values *values, void *room, takt_error *err)
{
    int *out = room;
    for (int i = 0; i < batch->n_refs; i++) {
        int64_t value = values->integer[batch->first + i];
        if (value < INT_MIN || value > INT_MAX) return fail_range(self, batch, i, value, err);
        if (is_negated(self, batch, i)) value = value == INT_MIN ? INT_MAX : -value;
        out[i] = (int)value;
    }
    return TAKT_OK;
}

static takt_status put_booleans(takt_fmu_instance *self, const takt_access_batch *batch,
                                const takt_values *values, void *room, takt_error *err)
{
    int *out = room;
    (void)err;
    for (int i = 0; i < batch->n_refs; i++)
        out[i] = (values->integer[batch->first + i] != 0) != is_negated(self, batch, i);
    return TAKT_OK;
}

static takt_status put_strings(takt_fmu_instance *self, const takt_access_batch *batch,
                               const takt_values *values, void *room, takt_error *err)
{
    const char **out = room;
    (void)self, (void)err;
    for (int i = 0; i < batch->n_refs; i++) {
        const char *data = values->bytes[batch->first + i].data;
        out[i] = data ? data : "";
    }
    return TAKT_OK;
}

// ---- from the FMU --------------------------------------------------------------------------------

static bool take_reals(const takt_fmu_instance *self, const takt_access_batch *batch,
                       const void *room, takt_values *values)
{
    double *out = values->real + batch->first;
    (void)room; // they are already in place
    for (int i = 0; self->fmu->description.is_negated && i < batch->n_refs; i++)
        if (is_negated(self, batch, i)) out[i] = -out[i];
    return true;
}

static bool take_integers(const takt_fmu_instance *self, const takt_access_batch *batch,
                          const void *room, takt_values *values)
{
    const int *in = room;
    for (int i = 0; i < batch->n_refs; i++)
        values->integer[batch->first + i] = is_negated(self, batch, i) ? -(int64_t)in[i] : in[i];
    return true;
}

static bool take_booleans(const takt_fmu_instance *self, const takt_access_batch *batch,
                          const void *room, takt_values *values)
{
    const int *in = room;
    for (int i = 0; i < batch->n_refs; i++)
        values->integer[batch->first + i] = (in[i] != 0) != is_negated(self, batch, i);
    return true;
}

static bool take_strings(const takt_fmu_instance *self, const takt_access_batch *batch,
                         const void *room, takt_values *values)
{
    const char *const *in = room;
    (void)self;
    for (int i = 0; i < batch->n_refs; i++) {
        const char *text = in[i] ? in[i] : "";
        if (!takt_bytes_assign(&values->bytes[batch->first + i], text, strlen(text))) return false;
    }
    return true;
}

// ---- both ----------------------------------------------------------------------------------------

// By type; the descriptions of FMI 1.0 and 2.0 have no others.
static const struct {
    int scalar;
    takt_status (*put)(takt_fmu_instance *, const takt_access_batch *, const takt_values *, void *,
                       takt_error *);
    bool (*take)(const takt_fmu_instance *, const takt_access_batch *, const void *, takt_values *);
} kinds[TAKT_N_TYPES] = {[TAKT_FLOAT64] = {TAKT_SCALAR_REAL, put_reals, take_reals},
                         [TAKT_INT32] = {TAKT_SCALAR_INTEGER, put_integers, take_integers},
                         [TAKT_ENUMERATION] = {TAKT_SCALAR_INTEGER, put_integers, take_integers},
                         [TAKT_BOOLEAN] = {TAKT_SCALAR_BOOLEAN, put_booleans, take_booleans},
                         [TAKT_STRING] = {TAKT_SCALAR_STRING, put_strings, take_strings}};

static takt_status set_group(takt_scalars *scalars, takt_fmu_instance *self,
                             const takt_access_batch *batch, const takt_values *values,
                             takt_error *err)
{
    takt_scalar_fn *set = scalars->calls->set[kinds[batch->type].scalar];
    if (batch->type == TAKT_FLOAT64 && !has_negated(self, batch))
        return set(self, batch, values->real + batch->first, err);
    if (!reserve(scalars, batch->n_refs)) return takt_fail_memory(err);
    takt_status st = kinds[batch->type].put(self, batch, values, scalars->room, err);
    return st ? st : set(self, batch, scalars->room, err);
}

static takt_status get_group(takt_scalars *scalars, takt_fmu_instance *self,
                             const takt_access_batch *batch, takt_values *values, takt_error *err)
{
    if (!reserve(scalars, batch->n_refs)) return takt_fail_memory(err);
    bool is_real = batch->type == TAKT_FLOAT64;
    if (batch->type == TAKT_STRING)
        memset(scalars->room, 0, (size_t)batch->n_refs * sizeof(char *));
    takt_scalar_fn *get = scalars->calls->get[kinds[batch->type].scalar];
    takt_status st = get(self, batch, is_real ? values->real + batch->first : scalars->room, err);
    if (st) return st;
    return kinds[batch->type].take(self, batch, scalars->room, values) ? TAKT_OK
                                                                       : takt_fail_memory(err);
}

takt_status takt_scalars_set(takt_scalars *scalars, takt_fmu_instance *self,
                             const takt_access *access, const takt_values *values, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < access->n_batches && !st; i++)
        st = set_group(scalars, self, &access->batches[i], values, err);
    return st;
}

takt_status takt_scalars_get(takt_scalars *scalars, takt_fmu_instance *self,
                             const takt_access *access, takt_values *values, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < access->n_batches && !st; i++)
        st = get_group(scalars, self, &access->batches[i], values, err);
    return st;
}

static bool is_any_negated(const takt_fmu_instance *self, const takt_access *access)
{
    return access->n_batches > 0 && has_negated(self, &access->batches[0]);
}

bool takt_scalars_are_direct(const takt_fmu_instance *self, const takt_coupling *coupling)
{
    return coupling->is_direct && !is_any_negated(self, coupling->inputs) &&
           !is_any_negated(self, coupling->outputs);
}

// ---- derivatives -----------------------------------------------------------------------------------

// Arranges the derivatives of order 1 .. `n_orders` for the FMU, in the instance's room. derivatives[(d - 1) * n + i]
// is the one of order d of the i-th of n variables of the access, for d up to `order`; above they are 0.
static bool arrange(takt_scalars *scalars, const takt_fmu_instance *self,
                    const takt_access_batch *batch, int n_orders, int order,
                    const double *derivatives, int n, takt_scalar_derivatives *out)
{
    int n_refs = batch->n_refs, n_all = n_orders * n_refs;
    if (!reserve(scalars, 2 * TAKT_MAX_MOTION_ORDER * n_refs))
        return false; // for all orders at once
    double *values = scalars->room;
    int *orders = (int *)(values + n_all);
    uint32_t *refs = (uint32_t *)(orders + n_all);
    for (int k = 0; k < n_all; k++) {
        int d = k / n_refs, i = k % n_refs;
        double value = d < order ? derivatives[d * n + batch->first + i] : 0;
        values[k] = is_negated(self, batch, i) ? -value : value;
        orders[k] = d + 1;
        refs[k] = batch->refs[i];
    }
    *out = (takt_scalar_derivatives){(size_t)n_all, refs, orders, values};
    return true;
}

takt_status takt_scalars_check_motion(takt_fmu_instance *self, int status, const char *function,
                                      const takt_access_batch *batch, bool *is_refused,
                                      takt_error *err)
{
    bool is_fine = status == TAKT_FMU_OK || status == TAKT_FMU_FATAL || !is_refused;
    if (is_fine) return takt_fmu_check(self, status, function, batch, NULL, err);
    takt_fmu_end(self);
    *is_refused = true;
    return TAKT_OK;
}

// Arranges the inputs of an access for this step and those that follow. Returns false without memory.
static bool begin_motion(takt_scalar_motion *motion, const takt_access *access)
{
    const takt_access_batch *batch = &access->batches[0];
    size_t n = (size_t)batch->n_refs, room = TAKT_MAX_MOTION_ORDER * n;
    double *values = realloc(motion->values, room * (sizeof(double) + 2 * sizeof(int)));
    if (!values) return false;
    *motion = (takt_scalar_motion){.access = access, .n = batch->n_refs, .values = values};
    motion->orders = (int *)(values + room);
    motion->refs = (uint32_t *)(motion->orders + room);
    for (size_t k = 0; k < room; k++) {
        motion->orders[k] = (int)(k / n) + 1;
        motion->refs[k] = batch->refs[k % n];
        values[k] = 0;
    }
    return true;
}

// Of inputs that are arranged; `derivatives` begin with those of order 1.
static takt_status set_arranged(takt_scalars *scalars, takt_fmu_instance *self, int order,
                                const double *derivatives, bool *is_refused, takt_error *err)
{
    takt_scalar_derivatives all = takt_scalars_fill(scalars, order, order, derivatives);
    return scalars->calls->set_derivatives(self, scalars->motion.access->batches, &all,
                                           scalars->n_orders > 1 ? is_refused : NULL, err);
}

static bool is_plain(const takt_fmu_instance *self, const takt_access *access)
{
    return access->n_batches == 1 && access->batches[0].first == 0 &&
           access->batches[0].n_refs == access->n_values[TAKT_KIND_REAL] &&
           !has_negated(self, &access->batches[0]);
}

static takt_status set_order(takt_scalars *scalars, takt_fmu_instance *self,
                             const takt_access *access, int order, const double *derivatives,
                             bool *is_refused, takt_error *err)
{
    if (scalars->motion.access != access && is_plain(self, access) &&
        !begin_motion(&scalars->motion, access))
        return takt_fail_memory(err);
    if (scalars->motion.access == access)
        return set_arranged(scalars, self, order, derivatives + access->n_values[TAKT_KIND_REAL],
                            scalars->n_orders > 1 ? is_refused : NULL, err);
    int n = access->n_values[TAKT_KIND_REAL], n_orders = scalars->n_orders;
    takt_status st = TAKT_OK;
    for (int g = 0; g < access->n_batches && !st; g++) {
        const takt_access_batch *batch = &access->batches[g];
        takt_scalar_derivatives all;
        if (!arrange(scalars, self, batch, n_orders, order, derivatives + n, n, &all))
            return takt_fail_memory(err);
        st = scalars->calls->set_derivatives(self, batch, &all, n_orders > 1 ? is_refused : NULL,
                                             err);
    }
    return st;
}

// The FMU has refused: from now on it follows straight lines.
TAKT_COLD static takt_status set_lines(takt_scalars *scalars, takt_fmu_instance *self,
                                       const takt_access *access, int order,
                                       const double *derivatives, takt_error *err)
{
    scalars->follows_lines_only = true;
    scalars->n_orders = 1;
    takt_log_write(self->base.log, TAKT_LEVEL_INFO,
                   "instance '%s': the FMU refuses derivatives of its inputs of order %d; its "
                   "inputs follow straight lines",
                   self->base.name, order);
    return set_order(scalars, self, access, 1, derivatives, NULL, err);
}

takt_status takt_scalars_set_motion(takt_scalars *scalars, takt_fmu_instance *self,
                                    const takt_access *access, int order, const double *derivatives,
                                    takt_error *err)
{
    bool is_refused = false;
    if (scalars->follows_lines_only) order = 1;
    if (order > scalars->n_orders) scalars->n_orders = order;
    takt_status st = set_order(scalars, self, access, order, derivatives, &is_refused, err);
    return st || !is_refused ? st : set_lines(scalars, self, access, order, derivatives, err);
}

takt_status takt_scalars_end_move(takt_scalars *scalars, takt_fmu_instance *self,
                                  const takt_coupling_motion *motion, int status,
                                  const char *function, takt_error *err)
{
    bool is_refused = false;
    if (status < 0)
        return takt_scalars_set_motion(scalars, self, motion->inputs, motion->order,
                                       motion->derivatives, err);
    takt_status st = takt_scalars_check_motion(self, status, function, motion->inputs->batches,
                                               scalars->n_orders > 1 ? &is_refused : NULL, err);
    return st || !is_refused
               ? st
               : set_lines(scalars, self, motion->inputs, motion->order, motion->derivatives, err);
}

int takt_scalars_motion_order(const takt_scalars *scalars)
{
    return scalars->follows_lines_only ? 1 : TAKT_MAX_MOTION_ORDER;
}

takt_status takt_scalars_get_derivatives(takt_scalars *scalars, takt_fmu_instance *self,
                                         const takt_access *access, double *derivatives,
                                         takt_error *err)
{
    int n = access->n_values[TAKT_KIND_REAL];
    for (int g = 0; g < access->n_batches; g++) {
        const takt_access_batch *batch = &access->batches[g];
        takt_scalar_derivatives all;
        if (!arrange(scalars, self, batch, 1, 1, derivatives, n, &all))
            return takt_fail_memory(err);
        takt_status st = scalars->calls->get_derivatives(self, batch, &all, err);
        if (st) return st;
        for (int i = 0; i < batch->n_refs; i++)
            derivatives[batch->first + i] =
                is_negated(self, batch, i) ? -all.values[i] : all.values[i];
    }
    return TAKT_OK;
}

static bool has_string_start(const takt_variable *variable)
{
    return variable->type == TAKT_STRING && variable->has_start &&
           variable->initial == TAKT_EXACT && variable->variability != TAKT_CONSTANT;
}

takt_status takt_scalars_set_string_starts(takt_scalars *scalars, takt_fmu_instance *self,
                                           takt_error *err)
{
    const takt_model *model = self->base.model;
    for (int i = 0; i < model->n_variables; i++) {
        const takt_variable *variable = &model->variables[i];
        if (!has_string_start(variable)) continue;
        const takt_access_batch batch = {
            .n_refs = 1, .refs = &variable->reference, .variables = &i};
        bool is_discarded = false; // the FMU has its own opinion; that is allowed
        takt_status st =
            scalars->calls->set_text(self, &batch, variable->start.text, &is_discarded, err);
        if (st) return st;
    }
    return TAKT_OK;
}

void takt_scalars_clear(takt_scalars *scalars)
{
    free(scalars->room);
    free(scalars->motion.values);
    *scalars = (takt_scalars){0};
}
