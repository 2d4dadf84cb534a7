// SPDX-License-Identifier: MIT
// Reading and writing variables: which may be set when (FMI 2.0, sections 2.2.7 and 4.2.4; FMI 3.0,
// section 2.3), clocks, and ranges. Everything is checked before anything is written. Values of a
// call have the C types of the fields, apart from booleans and enumerations, which differ between
// versions.
#include "core.h"

#include <string.h>

bool fmukit_are_given(fmukit_instance *fmu, const void *references, const void *values, size_t n)
{
    if (n == 0 || (references && values)) return true;
    fmukit_fail(fmu, FMUKIT_ERROR, "a pointer is NULL where %lu values are expected",
                (unsigned long)n);
    return false;
}

// ---- items --------------------------------------------------------------------------------------------

static bool is_boolean(fmukit_type type)
{
    return type == FMUKIT_BOOLEAN || type == FMUKIT_CLOCK;
}

static bool is_wide(const fmukit_instance *fmu, const fmukit_variable *variable)
{
    return variable->type == FMUKIT_ENUMERATION && fmu->interface->enumeration_type == FMUKIT_INT64;
}

// The size of a value in a call.
static size_t item_size(const fmukit_instance *fmu, fmukit_type type)
{
    if (is_boolean(type)) return fmu->interface->boolean_size;
    return type == FMUKIT_BINARY ? sizeof(const void *) : fmukit_facts(type)->size;
}

// Is a value in a call the same as in the field?
static bool is_plain(const fmukit_instance *fmu, const fmukit_variable *variable)
{
    return variable->type != FMUKIT_BINARY && !is_boolean(variable->type) &&
           !is_wide(fmu, variable);
}

static void read_item(const fmukit_instance *fmu, const fmukit_variable *variable,
                      const void *field, void *item, size_t *size)
{
    if (is_plain(fmu, variable)) {
        memcpy(item, field, fmukit_facts(variable->type)->size);
    } else if (variable->type == FMUKIT_BINARY) {
        *(const void **)item = ((const fmukit_binary *)field)->bytes;
        *size = ((const fmukit_binary *)field)->size;
    } else if (variable->type == FMUKIT_ENUMERATION) {
        *(int64_t *)item = *(const int *)field;
    } else if (fmu->interface->boolean_size == sizeof(int)) {
        *(int *)item = *(const bool *)field;
    } else {
        *(char *)item = *(const bool *)field;
    }
}

static void write_item(const fmukit_instance *fmu, const fmukit_variable *variable, void *field,
                       const void *item, const size_t *size)
{
    if (is_plain(fmu, variable)) {
        memcpy(field, item, fmukit_facts(variable->type)->size);
    } else if (variable->type == FMUKIT_BINARY) {
        *(fmukit_binary *)field = (fmukit_binary){*(const void *const *)item, *size};
    } else if (variable->type == FMUKIT_ENUMERATION) {
        *(int *)field = (int)*(const int64_t *)item; // it has been found to be an item
    } else if (fmu->interface->boolean_size == sizeof(int)) {
        *(bool *)field = *(const int *)item != 0;
    } else {
        *(bool *)field = *(const char *)item != 0;
    }
}

// ---- variables ----------------------------------------------------------------------------------------

// FMI 3.0 has the independent variable among its variables, behind those of the author.
static const fmukit_variable time_variable = {.name = "time"};

static bool fits(const fmukit_instance *fmu, const fmukit_variable *variable, fmukit_type type)
{
    if (variable->type == FMUKIT_ENUMERATION) return type == fmu->interface->enumeration_type;
    return variable->type == type;
}

// The variable of a reference that has been found to be right.
static const fmukit_variable *variable_of(const fmukit_instance *fmu, unsigned reference)
{
    const fmukit_model *model = fmu->model;
    return reference < model->n_variables ? &model->variables[reference] : &time_variable;
}

const fmukit_variable *fmukit_find(fmukit_instance *fmu, fmukit_type type, unsigned reference)
{
    const fmukit_model *model = fmu->model;
    int version = fmu->interface->version;
    bool is_time = version == 3 && reference == model->n_variables;
    if (reference >= model->n_variables && !is_time) {
        fmukit_fail(fmu, FMUKIT_ERROR, "there is no variable with value reference %u", reference);
        return NULL;
    }
    const fmukit_variable *variable = variable_of(fmu, reference);
    if (fits(fmu, variable, type)) return variable;
    fmukit_fail(fmu, FMUKIT_ERROR, "variable '%s' (value reference %u) has type %s, not %s",
                variable->name, reference, fmukit_type_name(variable->type, version),
                fmukit_type_name(type, version));
    return NULL;
}

// Finds the variable, and counts its values.
static const fmukit_variable *find_next(fmukit_instance *fmu, const fmukit_access *access, size_t i,
                                        size_t *n_values)
{
    const fmukit_variable *variable = fmukit_find(fmu, access->type, access->references[i]);
    if (variable) *n_values += fmukit_n_elements(fmu, variable);
    return variable;
}

static bool is_count_right(fmukit_instance *fmu, const fmukit_access *access, size_t n_values)
{
    if (n_values == access->n_values) return true;
    fmukit_fail(fmu, FMUKIT_ERROR, "the variables have %lu values, but nValues is %lu",
                (unsigned long)n_values, (unsigned long)access->n_values);
    return false;
}

// What belongs to a clock exists only while it ticks, and during initialization (FMI 3.0, section
// 2.2.8.3).
static bool is_accessible(fmukit_instance *fmu, const fmukit_variable *variable)
{
    const unsigned always = FMUKIT_INSTANTIATED | FMUKIT_INITIALIZATION;
    return !variable->clocks || (fmu->phase & always) || fmukit_is_ticking(fmu, variable);
}

static const char NOT_TICKING[] =
    "variable '%s' belongs to the clock '%s', which does not tick now%s";

// ---- simple cases --------------------------------------------------------------------------------------

bool fmukit_prepare_places(fmukit_instance *fmu)
{
    const fmukit_model *model = fmu->model;
    size_t n = model->n_variables;
    if (n == 0) return true; // then no reference is below their number
    fmu->places = fmukit_alloc(fmu, 2 * n, sizeof *fmu->places);
    if (!fmu->places) return false;
    for (size_t i = 0; i < n; i++) {
        const fmukit_variable *variable = &model->variables[i];
        if (variable->type != FMUKIT_REAL || fmukit_is_array(variable) || variable->clocks)
            continue;
        fmu->places[i] = fmukit_field_of(fmu, variable);
        bool has_range = variable->range.has_min || variable->range.has_max;
        if (variable->causality == FMUKIT_INPUT && !has_range &&
            fmukit_variability_of(variable) == FMUKIT_CONTINUOUS)
            fmu->places[n + i] = fmu->places[i];
    }
    return true;
}

// ---- reading ------------------------------------------------------------------------------------------

static bool is_computed(const fmukit_variable *variable)
{
    return variable->causality != FMUKIT_INPUT && variable->causality != FMUKIT_PARAMETER;
}

static fmukit_status prepare_get(fmukit_instance *fmu, const fmukit_access *access)
{
    bool needs_refresh = false, has_clocked = false;
    size_t n_values = 0;
    for (size_t i = 0; i < access->n; i++) {
        const fmukit_variable *variable = find_next(fmu, access, i, &n_values);
        if (!variable) return FMUKIT_ERROR;
        needs_refresh |= is_computed(variable) || variable->clocks;
        has_clocked |= variable->clocks != NULL;
    }
    if (!is_count_right(fmu, access, n_values)) return FMUKIT_ERROR;
    fmukit_status status = needs_refresh ? fmukit_refresh(fmu) : FMUKIT_OK;
    for (size_t i = 0; has_clocked && i < access->n && !fmukit_is_failure(status); i++) {
        const fmukit_variable *variable = variable_of(fmu, access->references[i]);
        if (!is_accessible(fmu, variable)) // programs that record everything read it all the time
            fmukit_tolerate(fmu, NOT_TICKING, variable->name, variable->clocks[0],
                            "; this is its last value");
    }
    return status;
}

// Returns the number of values.
static size_t read_variable(const fmukit_instance *fmu, const fmukit_variable *variable,
                            char *items, size_t stride, size_t *sizes)
{
    if (variable == &time_variable) {
        *(double *)(void *)items = fmu->time;
        return 1;
    }
    const char *field = fmukit_field_of(fmu, variable);
    size_t n = fmukit_n_elements(fmu, variable), size = fmukit_facts(variable->type)->size;
    if (is_plain(fmu, variable) && fmukit_is_dense(fmu, variable)) {
        memcpy(items, field, n * size);
        return n;
    }
    for (size_t k = 0; k < n; k++)
        read_item(fmu, variable, field + fmukit_place(fmu, variable, k) * size, items + k * stride,
                  sizes ? &sizes[k] : NULL);
    return n;
}

fmukit_status fmukit_get(fmukit_instance *fmu, const fmukit_access *access, void *values,
                         size_t *sizes)
{
    if (!fmukit_are_given(fmu, access->references, values, access->n)) return FMUKIT_ERROR;
    fmukit_status status = prepare_get(fmu, access);
    if (fmukit_is_failure(status)) return status;
    size_t stride = item_size(fmu, access->type);
    char *items = values;
    for (size_t i = 0; i < access->n; i++) {
        const fmukit_variable *variable = variable_of(fmu, access->references[i]);
        size_t n = read_variable(fmu, variable, items, stride, sizes);
        items += n * stride;
        if (sizes) sizes += n;
    }
    return status;
}

// ---- writing ------------------------------------------------------------------------------------------

// What the standard allows, as far as programs agree about it.
static bool may_be_set(const fmukit_instance *fmu, const fmukit_variable *variable)
{
    if (variable == &time_variable || fmukit_variability_of(variable) == FMUKIT_CONSTANT)
        return false;
    fmukit_initial initial = fmukit_initial_of(variable);
    bool is_input = variable->causality == FMUKIT_INPUT;
    bool is_structural = variable->causality == FMUKIT_STRUCTURAL_PARAMETER;
    bool is_tunable = fmukit_variability_of(variable) == FMUKIT_TUNABLE;
    if (fmu->phase == FMUKIT_CONFIGURATION) return is_structural;
    if (fmu->phase == FMUKIT_RECONFIGURATION) return is_structural && is_tunable;
    if (is_structural) return false;
    if (fmu->phase == FMUKIT_INTERMEDIATE) return fmukit_can_move(fmu->model, variable);
    switch (fmu->phase) {
    case FMUKIT_INSTANTIATED:
        // FMI 2.0 is not clear about inputs, which have no `initial` there; many programs set them.
        return is_input || initial == FMUKIT_EXACT || initial == FMUKIT_APPROX;
    case FMUKIT_INITIALIZATION: return initial == FMUKIT_EXACT || is_input;
    case FMUKIT_CONTINUOUS_TIME: // anything else is an event; FMI 1.0 has no event mode
        if (fmu->interface->version > 1)
            return is_input && fmukit_variability_of(variable) == FMUKIT_CONTINUOUS;
        return is_input || (variable->causality == FMUKIT_PARAMETER && is_tunable);
    default: return is_input || (variable->causality == FMUKIT_PARAMETER && is_tunable);
    }
}

// What is wrong with the value, if anything; says so.
static fmukit_status judge_item(fmukit_instance *fmu, const fmukit_variable *variable,
                                const void *item, const size_t *size)
{
    if (variable->type == FMUKIT_STRING || variable->type == FMUKIT_BINARY) {
        if (*(const void *const *)item || (size && *size == 0)) return FMUKIT_OK;
        return fmukit_fail(fmu, FMUKIT_ERROR, "the %s for variable '%s' is NULL",
                           size ? "binary" : "string", variable->name);
    }
    if (is_boolean(variable->type)) return FMUKIT_OK;
    fmukit_type type = is_wide(fmu, variable) ? FMUKIT_INT64 : variable->type;
    double value = fmukit_number(type, item);
    if (variable->type == FMUKIT_ENUMERATION) {
        int64_t number = type == FMUKIT_INT64 ? *(const int64_t *)item : *(const int *)item;
        if (!fmukit_is_item(variable->enumeration, number))
            return fmukit_fail(fmu, FMUKIT_DISCARD,
                               "%.15g is no value of the enumeration '%s' of variable '%s'", value,
                               variable->enumeration->name, variable->name);
    }
    if (fmukit_is_in_range(&variable->range, value)) return FMUKIT_OK;
    bool is_forgiven = fmukit_facts(variable->type)->is_real && variable->causality == FMUKIT_INPUT;
    return fmukit_fail(fmu, is_forgiven ? FMUKIT_WARNING : FMUKIT_DISCARD,
                       "%.15g is outside of the range of variable '%s'", value, variable->name);
}

// In FMI 1.0 there is a program that sets parameters behind the initialization, which is then repeated.
static bool can_be_repeated(const fmukit_instance *fmu)
{
    return fmu->interface->version == 1 && fmu->phase == FMUKIT_STEP_COMPLETE &&
           fmu->first_step == 0;
}

// What does no harm: guesses, which are only overwritten; what changes only in events, set between
// them; parameters of a run that has not begun.
static bool may_be_tolerated(const fmukit_instance *fmu, const fmukit_variable *variable)
{
    fmukit_variability variability = fmukit_variability_of(variable);
    bool is_parameter = variable->causality == FMUKIT_PARAMETER;
    if (variable == &time_variable || variability == FMUKIT_CONSTANT) return false;
    switch (fmu->phase) {
    case FMUKIT_INITIALIZATION: return fmukit_initial_of(variable) == FMUKIT_APPROX;
    case FMUKIT_CONTINUOUS_TIME:
        return variable->causality == FMUKIT_INPUT ||
               (is_parameter && variability == FMUKIT_TUNABLE);
    case FMUKIT_STEP_COMPLETE: return is_parameter && can_be_repeated(fmu);
    default: return false;
    }
}

static fmukit_status judge_variable(fmukit_instance *fmu, const fmukit_variable *variable)
{
    bool is_allowed = may_be_set(fmu, variable);
    if (!is_allowed && may_be_tolerated(fmu, variable)) {
        fmukit_tolerate(fmu, "variable '%s' (%s, %s) should not be set in the state '%s'",
                        variable->name, fmukit_causality_name(variable->causality),
                        fmukit_variability_name(fmukit_variability_of(variable)),
                        fmukit_phase_name(fmu));
        is_allowed = true;
    }
    if (!is_allowed)
        return fmukit_fail(
            fmu, FMUKIT_ERROR, "variable '%s' (%s, %s) cannot be set in the state '%s'",
            variable->name, fmukit_causality_name(variable->causality),
            fmukit_variability_name(fmukit_variability_of(variable)), fmukit_phase_name(fmu));
    if (is_accessible(fmu, variable)) return FMUKIT_OK;
    return fmukit_fail(fmu, FMUKIT_ERROR, NOT_TICKING, variable->name, variable->clocks[0], "");
}

// First all variables and their number, then all values.
static fmukit_status judge_set(fmukit_instance *fmu, const fmukit_access *access, const char *items,
                               const size_t *sizes)
{
    size_t n_values = 0;
    for (size_t i = 0; i < access->n; i++) {
        const fmukit_variable *variable = find_next(fmu, access, i, &n_values);
        fmukit_status status = variable ? judge_variable(fmu, variable) : FMUKIT_ERROR;
        if (fmukit_is_failure(status)) return status;
    }
    if (!is_count_right(fmu, access, n_values)) return FMUKIT_ERROR;
    fmukit_status worst = FMUKIT_OK;
    for (size_t i = 0; i < access->n; i++) {
        const fmukit_variable *variable = variable_of(fmu, access->references[i]);
        for (size_t k = 0; k < fmukit_n_elements(fmu, variable); k++) {
            fmukit_status status = judge_item(fmu, variable, items, sizes);
            if (fmukit_is_failure(status)) return status;
            worst = fmukit_worse(worst, status);
            items += item_size(fmu, access->type);
            if (sizes) sizes++;
        }
    }
    return worst;
}

// A value that changes only in events, set between steps. Texts, binaries and large arrays count as changed.
static bool is_jump(const fmukit_instance *fmu, const fmukit_variable *variable, const void *before,
                    size_t size)
{
    if (fmu->phase != FMUKIT_STEP_COMPLETE) return false;
    if (fmukit_variability_of(variable) == FMUKIT_CONTINUOUS) return false;
    bool is_known = size > 0 && variable->type != FMUKIT_STRING && variable->type != FMUKIT_BINARY;
    return !is_known || memcmp(before, fmukit_field_of(fmu, variable), size) != 0;
}

// Returns the number of values.
static size_t write_variable(const fmukit_instance *fmu, const fmukit_variable *variable,
                             const char *items, size_t stride, const size_t *sizes)
{
    char *field = fmukit_field_of(fmu, variable);
    size_t n = fmukit_n_elements(fmu, variable), size = fmukit_facts(variable->type)->size;
    if (is_plain(fmu, variable) && fmukit_is_dense(fmu, variable)) {
        memcpy(field, items, n * size);
        return n;
    }
    for (size_t k = 0; k < n; k++)
        write_item(fmu, variable, field + fmukit_place(fmu, variable, k) * size, items + k * stride,
                   sizes ? &sizes[k] : NULL);
    return n;
}

fmukit_status fmukit_set(fmukit_instance *fmu, const fmukit_access *access, const void *values,
                         const size_t *sizes)
{
    if (!fmukit_are_given(fmu, access->references, values, access->n)) return FMUKIT_ERROR;
    fmukit_status status = judge_set(fmu, access, values, sizes);
    if (fmukit_is_failure(status)) return status;
    size_t stride = item_size(fmu, access->type);
    const char *items = values;
    bool is_repeated = false;
    for (size_t i = 0; i < access->n; i++) {
        const fmukit_variable *variable = variable_of(fmu, access->references[i]);
        if (can_be_repeated(fmu) && !may_be_set(fmu, variable)) is_repeated = true;
        unsigned char before[64];
        size_t size = variable->field.size <= sizeof before ? variable->field.size : 0;
        memcpy(before, fmukit_field_of(fmu, variable), size);
        size_t n = write_variable(fmu, variable, items, stride, sizes);
        if (is_jump(fmu, variable, before, size)) fmu->is_jumping = true;
        items += n * stride;
        if (sizes) sizes += n;
    }
    fmu->is_stale = true;
    bool is_copied = access->type == FMUKIT_STRING || access->type == FMUKIT_BINARY;
    if (is_copied && !fmukit_adopt(fmu))
        return fmukit_fail(fmu, FMUKIT_ERROR, "out of memory for strings and binaries");
    if (!is_repeated) return status;
    fmu->phase = FMUKIT_INITIALIZATION;
    return fmukit_worse(status, fmukit_exit_initialization(fmu));
}
