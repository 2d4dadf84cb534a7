// SPDX-License-Identifier: MIT
// Facts that follow from the author's description; see model.h. The identity is FNV-1a, run twice
// with different starting values to get 128 bits.
#include "model.h"

#include <stdio.h>
#include <string.h>

const char *const fmukit_no_inputs[] = {NULL};

// The limits of 64 bits are rounded; no double distinguishes them.
static const fmukit_type_facts types[] = {
    [FMUKIT_REAL] = {"Float64", "Real", "double", sizeof(double), true, true, 0, 0},
    [FMUKIT_INTEGER] = {"Int32", "Integer", "int", sizeof(int), false, true, INT32_MIN, INT32_MAX},
    [FMUKIT_BOOLEAN] = {"Boolean", "Boolean", "bool", sizeof(bool), false, false, 0, 0},
    [FMUKIT_STRING] = {"String", "String", "const char *", sizeof(char *), false, false, 0, 0},
    [FMUKIT_ENUMERATION] = {"Enumeration", "Enumeration", "int", sizeof(int), false, true,
                            INT32_MIN, INT32_MAX},
    [FMUKIT_FLOAT32] = {"Float32", NULL, "float", sizeof(float), true, true, 0, 0},
    [FMUKIT_INT8] = {"Int8", NULL, "int8_t", 1, false, true, INT8_MIN, INT8_MAX},
    [FMUKIT_UINT8] = {"UInt8", NULL, "uint8_t", 1, false, true, 0, UINT8_MAX},
    [FMUKIT_INT16] = {"Int16", NULL, "int16_t", 2, false, true, INT16_MIN, INT16_MAX},
    [FMUKIT_UINT16] = {"UInt16", NULL, "uint16_t", 2, false, true, 0, UINT16_MAX},
    [FMUKIT_UINT32] = {"UInt32", NULL, "uint32_t", 4, false, true, 0, UINT32_MAX},
    [FMUKIT_INT64] = {"Int64", NULL, "int64_t", 8, false, true, -0x1p63, 0x1p63},
    [FMUKIT_UINT64] = {"UInt64", NULL, "uint64_t", 8, false, true, 0, 0x1p64},
    [FMUKIT_BINARY] = {"Binary", NULL, "fmukit_binary", sizeof(fmukit_binary), false, false, 0, 0},
    [FMUKIT_CLOCK] = {"Clock", NULL, "bool", sizeof(bool), false, false, 0, 0},
};

const fmukit_type_facts *fmukit_facts(fmukit_type type)
{
    return &types[type];
}

const char *fmukit_type_name(fmukit_type type, int version)
{
    return version < 3 && types[type].old_name ? types[type].old_name : types[type].name;
}

const char *fmukit_causality_name(fmukit_causality causality)
{
    static const char *const names[] = {
        "local", "input", "output", "parameter", "calculatedParameter", "structuralParameter"};
    return names[causality];
}

const char *fmukit_variability_name(fmukit_variability variability)
{
    static const char *const names[] = {"usual",   "constant", "fixed",
                                        "tunable", "discrete", "continuous"};
    return names[variability];
}

const char *fmukit_initial_name(fmukit_initial initial)
{
    static const char *const names[] = {"usual", "exact", "approx", "calculated"};
    return names[initial];
}

static bool is_parameter(const fmukit_variable *variable)
{
    return variable->causality == FMUKIT_PARAMETER ||
           variable->causality == FMUKIT_CALCULATED_PARAMETER ||
           variable->causality == FMUKIT_STRUCTURAL_PARAMETER;
}

fmukit_variability fmukit_variability_of(const fmukit_variable *variable)
{
    if (variable->variability != FMUKIT_USUAL_VARIABILITY) return variable->variability;
    if (is_parameter(variable)) return FMUKIT_FIXED;
    bool is_continuous = types[variable->type].is_real && !variable->clocks;
    return is_continuous ? FMUKIT_CONTINUOUS : FMUKIT_DISCRETE;
}

fmukit_initial fmukit_initial_of(const fmukit_variable *variable)
{
    if (variable->causality == FMUKIT_INPUT || variable->type == FMUKIT_CLOCK)
        return FMUKIT_USUAL_INITIAL;
    if (variable->initial != FMUKIT_USUAL_INITIAL) return variable->initial;
    bool is_exact = variable->causality == FMUKIT_PARAMETER ||
                    variable->causality == FMUKIT_STRUCTURAL_PARAMETER ||
                    fmukit_variability_of(variable) == FMUKIT_CONSTANT;
    return is_exact ? FMUKIT_EXACT : FMUKIT_CALCULATED;
}

bool fmukit_has_start(const fmukit_variable *variable)
{
    return variable->type != FMUKIT_CLOCK && fmukit_initial_of(variable) != FMUKIT_CALCULATED;
}

bool fmukit_depends_on(const fmukit_variable *variable, const fmukit_variable *input,
                       bool initially)
{
    const char *const *names = variable->depends_on;
    if (initially && variable->depends_on_initially) names = variable->depends_on_initially;
    // Parameters are computed from parameters, unless the author names inputs.
    if (!names) return variable->causality != FMUKIT_CALCULATED_PARAMETER;
    for (; *names; names++) {
        if (strcmp(*names, input->name) == 0) return true;
    }
    return false;
}

bool fmukit_is_item(const fmukit_enumeration *enumeration, int64_t value)
{
    for (size_t i = 0; i < enumeration->n_items; i++) {
        if (enumeration->items[i].value == value) return true;
    }
    return false;
}

bool fmukit_is_in_range(const fmukit_range *range, double value)
{
    return !(range->has_min && value < range->min) && !(range->has_max && value > range->max);
}

double fmukit_number(fmukit_type type, const void *item)
{
    switch (type) {
    case FMUKIT_REAL: return *(const double *)item;
    case FMUKIT_FLOAT32: return *(const float *)item;
    case FMUKIT_INTEGER:
    case FMUKIT_ENUMERATION: return *(const int *)item;
    case FMUKIT_INT8: return *(const int8_t *)item;
    case FMUKIT_UINT8: return *(const uint8_t *)item;
    case FMUKIT_INT16: return *(const int16_t *)item;
    case FMUKIT_UINT16: return *(const uint16_t *)item;
    case FMUKIT_UINT32: return *(const uint32_t *)item;
    case FMUKIT_INT64: return (double)*(const int64_t *)item;
    case FMUKIT_UINT64: return (double)*(const uint64_t *)item;
    case FMUKIT_BOOLEAN:
    case FMUKIT_CLOCK: return *(const bool *)item;
    case FMUKIT_STRING:
    case FMUKIT_BINARY: break;
    }
    return 0;
}

void fmukit_start_item(const fmukit_variable *variable, void *item)
{
    const fmukit_start *start = &variable->start;
    switch (variable->type) {
    case FMUKIT_REAL: *(double *)item = start->real; break;
    case FMUKIT_FLOAT32: *(float *)item = (float)start->real; break;
    case FMUKIT_INTEGER:
    case FMUKIT_ENUMERATION: *(int *)item = (int)start->integer; break;
    case FMUKIT_INT8: *(int8_t *)item = (int8_t)start->integer; break;
    case FMUKIT_UINT8: *(uint8_t *)item = (uint8_t)start->integer; break;
    case FMUKIT_INT16: *(int16_t *)item = (int16_t)start->integer; break;
    case FMUKIT_UINT16: *(uint16_t *)item = (uint16_t)start->integer; break;
    case FMUKIT_UINT32: *(uint32_t *)item = (uint32_t)start->integer; break;
    case FMUKIT_INT64: *(int64_t *)item = start->integer; break;
    case FMUKIT_UINT64: *(uint64_t *)item = start->natural; break;
    case FMUKIT_BOOLEAN: *(bool *)item = start->boolean; break;
    case FMUKIT_STRING: *(const char **)item = start->string; break;
    case FMUKIT_BINARY: *(fmukit_binary *)item = start->binary; break;
    case FMUKIT_CLOCK: *(bool *)item = false; break;
    }
}

// ---- arrays ----------------------------------------------------------------------------------------

bool fmukit_is_array(const fmukit_variable *variable)
{
    return variable->dimensions[0].size > 0;
}

size_t fmukit_capacity(const fmukit_variable *variable)
{
    size_t n = 1;
    for (size_t d = 0; d < FMUKIT_MAX_DIMENSIONS && variable->dimensions[d].size; d++)
        n *= variable->dimensions[d].size;
    return n;
}

size_t fmukit_find_variable(const fmukit_model *model, const char *name)
{
    size_t i = 0;
    while (i < model->n_variables &&
           !(model->variables[i].name && strcmp(model->variables[i].name, name) == 0))
        i++;
    return i;
}

size_t fmukit_start_size(const fmukit_model *model, const fmukit_dimension *dimension)
{
    if (!dimension->parameter) return dimension->size;
    return (size_t)model->variables[fmukit_find_variable(model, dimension->parameter)]
        .start.natural;
}

bool fmukit_has(const fmukit_model *model, fmukit_causality causality,
                fmukit_variability variability)
{
    for (size_t i = 0; i < model->n_variables; i++) {
        const fmukit_variable *v = &model->variables[i];
        if (v->causality == causality &&
            (variability == FMUKIT_USUAL_VARIABILITY || fmukit_variability_of(v) == variability))
            return true;
    }
    return false;
}

double fmukit_clock_interval(const fmukit_clock *clock)
{
    if (clock->resolution == 0) return clock->interval;
    return (double)clock->counter / (double)clock->resolution;
}

double fmukit_clock_shift(const fmukit_clock *clock)
{
    if (clock->resolution == 0) return clock->shift;
    return (double)clock->shift_counter / (double)clock->resolution;
}

static bool is_continuous_input(const fmukit_variable *variable)
{
    return variable->causality == FMUKIT_INPUT && variable->type == FMUKIT_REAL &&
           !variable->clocks && fmukit_variability_of(variable) == FMUKIT_CONTINUOUS;
}

// Has the model states that the kit integrates? Without any, only the inputs at the end of a step count.
static bool has_derivatives(const fmukit_model *model)
{
    for (size_t i = 0; i < model->n_variables; i++)
        if (model->variables[i].derivative_of) return true;
    return false;
}

bool fmukit_interpolates(const fmukit_model *model)
{
    bool is_able = model->functions.step ? model->interpolates_inputs
                                         : !model->holds_inputs && has_derivatives(model);
    for (size_t i = 0; is_able && i < model->n_variables; i++)
        if (is_continuous_input(&model->variables[i])) return true;
    return false;
}

bool fmukit_can_move(const fmukit_model *model, const fmukit_variable *variable)
{
    return is_continuous_input(variable) && fmukit_interpolates(model);
}

bool fmukit_has_clocks(const fmukit_model *model)
{
    for (size_t i = 0; i < model->n_variables; i++) {
        if (model->variables[i].type == FMUKIT_CLOCK) return true;
    }
    return false;
}

// ---- continuous states -----------------------------------------------------------------------------

unsigned fmukit_interfaces(const fmukit_model *model)
{
    if (model->interfaces) return model->interfaces;
    return FMUKIT_CO_SIMULATION | (has_derivatives(model) ? FMUKIT_MODEL_EXCHANGE : 0u);
}

bool fmukit_is_state(const fmukit_model *model, const fmukit_variable *variable)
{
    for (size_t i = 0; i < model->n_variables; i++) {
        const char *name = model->variables[i].derivative_of;
        if (name && variable->name && strcmp(name, variable->name) == 0) return true;
    }
    return false;
}

static size_t count_elements(const fmukit_model *model, const fmukit_variable *variable)
{
    size_t n = 1;
    for (size_t d = 0; d < FMUKIT_MAX_DIMENSIONS && variable->dimensions[d].size; d++)
        n *= fmukit_start_size(model, &variable->dimensions[d]);
    return n;
}

size_t fmukit_count_states(const fmukit_model *model)
{
    size_t n = 0;
    for (size_t i = 0; i < model->n_variables; i++)
        if (model->variables[i].derivative_of) n += count_elements(model, &model->variables[i]);
    return n;
}

size_t fmukit_count_indicators(const fmukit_model *model)
{
    size_t n = 0;
    for (size_t i = 0; i < model->n_variables; i++)
        if (model->variables[i].is_indicator) n += count_elements(model, &model->variables[i]);
    return n;
}

static bool is_named(const char *const *names, const char *name)
{
    for (; *names; names++) {
        if (strcmp(*names, name) == 0) return true;
    }
    return false;
}

bool fmukit_depends_on_state(const fmukit_model *model, const fmukit_variable *variable,
                             const fmukit_variable *state)
{
    if (fmukit_is_state(model, variable)) return variable == state;
    return !variable->depends_on_states || is_named(variable->depends_on_states, state->name);
}

// ---- identity ------------------------------------------------------------------------------------

typedef struct hash {
    uint64_t a, b;
} hash;

static void add_bytes(hash *h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) {
        h->a = (h->a ^ p[i]) * UINT64_C(0x100000001b3);
        h->b = (h->b ^ p[i]) * UINT64_C(0x100000001b3);
        h->b ^= h->b >> 29; // else both halves would collide together
    }
}

// A missing text differs from an empty one, and each ends with its zero.
static void add_text(hash *h, const char *text)
{
    if (!text) text = "\1";
    add_bytes(h, text, strlen(text) + 1);
}

static void add_number(hash *h, double number)
{
    if (number == 0) number = 0; // -0 is written as 0, too
    add_bytes(h, &number, sizeof number);
}

static void add_names(hash *h, const char *const *names)
{
    add_number(h, names ? 1 : 0);
    for (; names && *names; names++) add_text(h, *names);
    add_text(h, NULL);
}

// An item of the variable's C type; -0 is written as 0, too.
static void add_item(hash *h, const fmukit_variable *v, const void *item)
{
    const fmukit_type_facts *facts = &types[v->type];
    if (v->type == FMUKIT_STRING) {
        add_text(h, *(const char *const *)item);
    } else if (v->type == FMUKIT_BINARY) {
        const fmukit_binary *binary = item;
        add_number(h, (double)binary->size);
        add_bytes(h, binary->bytes, binary->size);
    } else if (facts->is_real) {
        add_number(h, fmukit_number(v->type, item));
    } else {
        add_bytes(h, item, facts->size);
    }
}

static void add_start(hash *h, const fmukit_model *m, const fmukit_variable *v)
{
    union {
        uint64_t aligned;
        fmukit_binary largest;
    } item;
    fmukit_start_item(v, &item);
    add_item(h, v, &item);
    if (!v->starts) return;
    size_t n = count_elements(m, v);
    for (size_t i = 0; i < n; i++)
        add_item(h, v, (const char *)v->starts + i * types[v->type].size);
}

static void add_shape(hash *h, const fmukit_variable *v)
{
    for (size_t d = 0; d < FMUKIT_MAX_DIMENSIONS && v->dimensions[d].size; d++) {
        add_number(h, (double)v->dimensions[d].size);
        add_text(h, v->dimensions[d].parameter);
    }
}

static void add_enumeration(hash *h, const fmukit_enumeration *e)
{
    add_text(h, e->name);
    add_text(h, e->description);
    for (size_t i = 0; i < e->n_items; i++) {
        add_text(h, e->items[i].name);
        add_number(h, e->items[i].value);
        add_text(h, e->items[i].description);
    }
}

static void add_variable(hash *h, const fmukit_model *m, const fmukit_variable *v)
{
    add_text(h, v->name);
    add_text(h, v->description);
    add_text(h, v->unit);
    const double numbers[] = {v->type,
                              v->causality,
                              fmukit_variability_of(v),
                              fmukit_initial_of(v),
                              v->range.has_min,
                              v->range.has_max,
                              v->range.has_min ? v->range.min : 0,
                              v->range.has_max ? v->range.max : 0,
                              v->nominal,
                              v->clock.kind,
                              v->clock.interval,
                              v->clock.shift,
                              (double)v->clock.counter,
                              (double)v->clock.shift_counter,
                              (double)v->clock.resolution};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) add_number(h, numbers[i]);
    add_shape(h, v);
    if (fmukit_has_start(v)) add_start(h, m, v);
    if (v->enumeration) add_enumeration(h, v->enumeration);
    add_names(h, v->depends_on);
    add_names(h, v->depends_on_initially);
    add_names(h, v->clocks);
    add_text(h, v->derivative_of);
    add_number(h, v->is_indicator);
    add_names(h, v->depends_on_states);
}

static void add_unit(hash *h, const fmukit_unit *u)
{
    add_text(h, u->name);
    const double numbers[] = {u->kg,  u->m,  u->s,   u->A,      u->K,
                              u->mol, u->cd, u->rad, u->factor, u->offset};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) add_number(h, numbers[i]);
}

void fmukit_identity(const fmukit_model *m, unsigned char identity[FMUKIT_IDENTITY_SIZE])
{
    hash h = {UINT64_C(0xcbf29ce484222325), UINT64_C(0x6c62272e07bb0142)};
    add_text(&h, FMUKIT_VERSION);
    add_text(&h, m->name);
    add_text(&h, m->description);
    add_text(&h, m->version);
    add_text(&h, m->author);
    const double numbers[] = {(double)m->size,
                              m->start_time,
                              m->stop_time,
                              m->step_size,
                              m->tolerance,
                              m->no_rewind,
                              m->no_serialize,
                              m->fixed_step,
                              m->once_per_process,
                              m->max_output_derivative_order,
                              fmukit_interpolates(m),
                              m->functions.derivative != NULL,
                              m->functions.poll != NULL,
                              m->functions.event != NULL,
                              m->functions.step_completed != NULL,
                              fmukit_interfaces(m)};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) add_number(&h, numbers[i]);
    add_names(&h, m->log_categories);
    for (size_t i = 0; i < m->n_units; i++) add_unit(&h, &m->units[i]);
    for (size_t i = 0; i < m->n_variables; i++) add_variable(&h, m, &m->variables[i]);
    memcpy(identity, &h.a, sizeof h.a);
    memcpy(identity + sizeof h.a, &h.b, sizeof h.b);
}

void fmukit_guid(const fmukit_model *model, char guid[FMUKIT_GUID_SIZE])
{
    unsigned char id[FMUKIT_IDENTITY_SIZE];
    fmukit_identity(model, id);
    snprintf(guid, FMUKIT_GUID_SIZE,
             "{%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x}", id[0], id[1],
             id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10], id[11], id[12], id[13],
             id[14], id[15]);
}
