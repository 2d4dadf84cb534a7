// SPDX-License-Identifier: MIT
// Setting and getting values of an FMU of FMI 2.0, one call per type. Reals go straight from and to our
// buffers, the others are converted in room that the instance keeps.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/fmi2_instance.h"

static bool reserve_integers(takt_fmi2_instance *self, int n)
{
    if (n <= self->n_integers) return true;
    int *grown = reallocarray(self->integers, (size_t)n, sizeof *grown);
    if (!grown) return false;
    self->integers = grown;
    self->n_integers = n;
    return true;
}

static bool reserve_strings(takt_fmi2_instance *self, int n)
{
    if (n <= self->n_strings) return true;
    fmi2String *grown = reallocarray(self->strings, (size_t)n, sizeof *grown);
    if (!grown) return false;
    self->strings = grown;
    self->n_strings = n;
    return true;
}

static takt_status set_reals(takt_fmi2_instance *self, const takt_access_group *group,
                             const takt_values *values, takt_error *err)
{
    takt_status st = takt_fmi2_begin(self, self->fmi2->fmi2SetReal != NULL, "fmi2SetReal", err);
    if (st) return st;
    fmi2Status status = self->fmi2->fmi2SetReal(self->component, group->refs, (size_t)group->n_refs,
                                                values->real + group->first);
    return takt_fmi2_check_access(self, status, "fmi2SetReal", group, err);
}

static takt_status get_reals(takt_fmi2_instance *self, const takt_access_group *group,
                             takt_values *values, takt_error *err)
{
    takt_status st = takt_fmi2_begin(self, self->fmi2->fmi2GetReal != NULL, "fmi2GetReal", err);
    if (st) return st;
    fmi2Status status = self->fmi2->fmi2GetReal(self->component, group->refs, (size_t)group->n_refs,
                                                values->real + group->first);
    return takt_fmi2_check_access(self, status, "fmi2GetReal", group, err);
}

static takt_status fail_range(takt_fmi2_instance *self, const takt_access_group *group, int i,
                              int64_t value, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "variable '%s' is set to %lld, which is no value of type Integer",
                     self->base.model->variables[group->variables[i]].name, (long long)value);
}

static takt_status set_integers(takt_fmi2_instance *self, const takt_access_group *group,
                                const takt_values *values, takt_error *err)
{
    takt_status st =
        takt_fmi2_begin(self, self->fmi2->fmi2SetInteger != NULL, "fmi2SetInteger", err);
    if (st) return st;
    if (!reserve_integers(self, group->n_refs)) return takt_fail_memory(err);
    const int64_t *given = values->integer + group->first;
    for (int i = 0; i < group->n_refs; i++) {
        if (given[i] < INT_MIN || given[i] > INT_MAX)
            return fail_range(self, group, i, given[i], err);
        self->integers[i] = (int)given[i];
    }
    fmi2Status status = self->fmi2->fmi2SetInteger(self->component, group->refs,
                                                   (size_t)group->n_refs, self->integers);
    return takt_fmi2_check_access(self, status, "fmi2SetInteger", group, err);
}

static takt_status get_integers(takt_fmi2_instance *self, const takt_access_group *group,
                                takt_values *values, takt_error *err)
{
    takt_status st =
        takt_fmi2_begin(self, self->fmi2->fmi2GetInteger != NULL, "fmi2GetInteger", err);
    if (st) return st;
    if (!reserve_integers(self, group->n_refs)) return takt_fail_memory(err);
    fmi2Status status = self->fmi2->fmi2GetInteger(self->component, group->refs,
                                                   (size_t)group->n_refs, self->integers);
    st = takt_fmi2_check_access(self, status, "fmi2GetInteger", group, err);
    for (int i = 0; i < group->n_refs && !st; i++)
        values->integer[group->first + i] = self->integers[i];
    return st;
}

static takt_status set_booleans(takt_fmi2_instance *self, const takt_access_group *group,
                                const takt_values *values, takt_error *err)
{
    takt_status st =
        takt_fmi2_begin(self, self->fmi2->fmi2SetBoolean != NULL, "fmi2SetBoolean", err);
    if (st) return st;
    if (!reserve_integers(self, group->n_refs)) return takt_fail_memory(err);
    for (int i = 0; i < group->n_refs; i++)
        self->integers[i] = values->integer[group->first + i] != 0 ? fmi2True : fmi2False;
    fmi2Status status = self->fmi2->fmi2SetBoolean(self->component, group->refs,
                                                   (size_t)group->n_refs, self->integers);
    return takt_fmi2_check_access(self, status, "fmi2SetBoolean", group, err);
}

static takt_status get_booleans(takt_fmi2_instance *self, const takt_access_group *group,
                                takt_values *values, takt_error *err)
{
    takt_status st =
        takt_fmi2_begin(self, self->fmi2->fmi2GetBoolean != NULL, "fmi2GetBoolean", err);
    if (st) return st;
    if (!reserve_integers(self, group->n_refs)) return takt_fail_memory(err);
    fmi2Status status = self->fmi2->fmi2GetBoolean(self->component, group->refs,
                                                   (size_t)group->n_refs, self->integers);
    st = takt_fmi2_check_access(self, status, "fmi2GetBoolean", group, err);
    for (int i = 0; i < group->n_refs && !st; i++)
        values->integer[group->first + i] = self->integers[i] != fmi2False;
    return st;
}

static takt_status set_strings(takt_fmi2_instance *self, const takt_access_group *group,
                               const takt_values *values, takt_error *err)
{
    takt_status st = takt_fmi2_begin(self, self->fmi2->fmi2SetString != NULL, "fmi2SetString", err);
    if (st) return st;
    if (!reserve_strings(self, group->n_refs)) return takt_fail_memory(err);
    for (int i = 0; i < group->n_refs; i++) {
        const char *data = values->bytes[group->first + i].data;
        self->strings[i] = data ? data : "";
    }
    fmi2Status status = self->fmi2->fmi2SetString(self->component, group->refs,
                                                  (size_t)group->n_refs, self->strings);
    return takt_fmi2_check_access(self, status, "fmi2SetString", group, err);
}

static takt_status get_strings(takt_fmi2_instance *self, const takt_access_group *group,
                               takt_values *values, takt_error *err)
{
    takt_status st = takt_fmi2_begin(self, self->fmi2->fmi2GetString != NULL, "fmi2GetString", err);
    if (st) return st;
    if (!reserve_strings(self, group->n_refs)) return takt_fail_memory(err);
    for (int i = 0; i < group->n_refs; i++) self->strings[i] = NULL;
    fmi2Status status = self->fmi2->fmi2GetString(self->component, group->refs,
                                                  (size_t)group->n_refs, self->strings);
    st = takt_fmi2_check_access(self, status, "fmi2GetString", group, err);
    for (int i = 0; i < group->n_refs && !st; i++) {
        const char *text = self->strings[i] ? self->strings[i] : "";
        if (!takt_bytes_assign(&values->bytes[group->first + i], text, strlen(text)))
            st = takt_fail_memory(err);
    }
    return st;
}

typedef takt_status (*set_fn)(takt_fmi2_instance *, const takt_access_group *, const takt_values *,
                              takt_error *);
typedef takt_status (*get_fn)(takt_fmi2_instance *, const takt_access_group *, takt_values *,
                              takt_error *);

// By type; the description of FMI 2.0 has no others.
static const struct {
    set_fn set;
    get_fn get;
} accessors[TAKT_N_TYPES] = {[TAKT_FLOAT64] = {set_reals, get_reals},
                             [TAKT_INT32] = {set_integers, get_integers},
                             [TAKT_ENUMERATION] = {set_integers, get_integers},
                             [TAKT_BOOLEAN] = {set_booleans, get_booleans},
                             [TAKT_STRING] = {set_strings, get_strings}};

takt_status takt_fmi2_set(takt_instance *instance, const takt_access *access,
                          const takt_values *values, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < access->n_groups && !st; i++)
        st = accessors[access->groups[i].type].set((takt_fmi2_instance *)instance,
                                                   &access->groups[i], values, err);
    return st;
}

takt_status takt_fmi2_get(takt_instance *instance, const takt_access *access, takt_values *values,
                          takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < access->n_groups && !st; i++)
        st = accessors[access->groups[i].type].get((takt_fmi2_instance *)instance,
                                                   &access->groups[i], values, err);
    return st;
}
