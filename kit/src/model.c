// SPDX-License-Identifier: MIT
// Facts that follow from the author's description; see model.h. The identity is FNV-1a, run twice
// with different starting values to get 128 bits.
#include "model.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *const fmukit_no_inputs[] = {NULL};

const char *fmukit_type_name(fmukit_type type)
{
    static const char *const names[] = {"Real", "Integer", "Boolean", "String", "Enumeration"};
    return names[type];
}

const char *fmukit_causality_name(fmukit_causality causality)
{
    static const char *const names[] = {"local", "input", "output", "parameter",
                                        "calculatedParameter"};
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
           variable->causality == FMUKIT_CALCULATED_PARAMETER;
}

fmukit_variability fmukit_variability_of(const fmukit_variable *variable)
{
    if (variable->variability != FMUKIT_USUAL_VARIABILITY) return variable->variability;
    if (is_parameter(variable)) return FMUKIT_FIXED;
    return variable->type == FMUKIT_REAL ? FMUKIT_CONTINUOUS : FMUKIT_DISCRETE;
}

fmukit_initial fmukit_initial_of(const fmukit_variable *variable)
{
    if (variable->causality == FMUKIT_INPUT) return FMUKIT_USUAL_INITIAL;
    if (variable->initial != FMUKIT_USUAL_INITIAL) return variable->initial;
    bool is_exact = variable->causality == FMUKIT_PARAMETER ||
                    fmukit_variability_of(variable) == FMUKIT_CONSTANT;
    return is_exact ? FMUKIT_EXACT : FMUKIT_CALCULATED;
}

bool fmukit_has_start(const fmukit_variable *variable)
{
    return fmukit_initial_of(variable) != FMUKIT_CALCULATED;
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

bool fmukit_is_item(const fmukit_enumeration *enumeration, int value)
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

static void add_start(hash *h, const fmukit_variable *v)
{
    switch (v->type) {
    case FMUKIT_REAL: add_number(h, v->start.real); break;
    case FMUKIT_INTEGER:
    case FMUKIT_ENUMERATION: add_number(h, v->start.integer); break;
    case FMUKIT_BOOLEAN: add_number(h, v->start.boolean); break;
    case FMUKIT_STRING: add_text(h, v->start.string); break;
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

static void add_variable(hash *h, const fmukit_variable *v)
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
                              v->nominal};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) add_number(h, numbers[i]);
    if (fmukit_has_start(v)) add_start(h, v);
    if (v->enumeration) add_enumeration(h, v->enumeration);
    add_names(h, v->depends_on);
    add_names(h, v->depends_on_initially);
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
                              m->functions.derivative != NULL,
                              m->functions.poll != NULL};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) add_number(&h, numbers[i]);
    add_names(&h, m->log_categories);
    for (size_t i = 0; i < m->n_units; i++) add_unit(&h, &m->units[i]);
    for (size_t i = 0; i < m->n_variables; i++) add_variable(&h, &m->variables[i]);
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
