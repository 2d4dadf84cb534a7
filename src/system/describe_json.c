// SPDX-License-Identifier: MIT
// What a system contains, as JSON for programs; see describe.h.
#include "system/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "system/facts.h"
#include "system/open_inputs.h"

// Functions of jansson pass a missing value on as a failure, and `ok` collects the failures, so that
// exhausted memory is seen once at the end.
static void put(json_t *object, const char *key, json_t *value, bool *ok)
{
    if (json_object_set_new(object, key, value)) *ok = false;
}

static void put_text(json_t *object, const char *key, const char *value, bool *ok)
{
    if (value) put(object, key, takt_json_text(value), ok);
}

static void put_number(json_t *object, const char *key, double value, bool *ok)
{
    if (isfinite(value)) put(object, key, json_real(value), ok); // JSON has no others
}

static void append(json_t *array, json_t *value, bool *ok)
{
    if (json_array_append_new(array, value)) *ok = false;
}

static json_t *value_json(takt_type type, const takt_value *value)
{
    switch (takt_type_kind(type)) {
    case TAKT_KIND_REAL: return isfinite(value->real) ? json_real(value->real) : json_null();
    case TAKT_KIND_INTEGER:
        if (type == TAKT_UINT64 &&
            value->integer < 0) // too large for the integers of JSON libraries
            return json_sprintf("%llu", (unsigned long long)value->integer);
        return type == TAKT_BOOLEAN ? json_boolean(value->integer) : json_integer(value->integer);
    default: break;
    }
    if (type != TAKT_BINARY) return takt_json_text(value->text ? value->text : "");
    takt_text hex = {0};
    takt_add_hex(&hex, value);
    json_t *out = hex.failed ? NULL : json_string(hex.data ? hex.data : "");
    takt_text_clear(&hex);
    return out;
}

static json_t *variable_json(const takt_variable *v, bool *ok)
{
    json_t *out = json_object();
    put_text(out, "name", v->name, ok);
    put_text(out, "type", takt_type_name(v->type), ok);
    put_text(out, "causality", takt_causality_name(v->causality), ok);
    put_text(out, "variability", takt_variability_name(v->variability), ok);
    if (v->initial != TAKT_INITIAL_NONE)
        put_text(out, "initial", takt_initial_name(v->initial), ok);
    if (v->has_start) put(out, "start", value_json(v->type, &v->start), ok);
    put(out, "value_reference", json_integer(v->reference), ok);
    put_text(out, "unit", v->unit, ok);
    put_text(out, "declared_type", v->declared_type, ok);
    put_number(out, "min", v->min, ok);
    put_number(out, "max", v->max, ok);
    put_text(out, "description", v->description, ok);
    return out;
}

static json_t *unit_json(const takt_unit *unit, bool *ok)
{
    json_t *out = json_object();
    takt_base_unit bases[TAKT_N_BASE_UNITS];
    put_text(out, "name", unit->name, ok);
    if (!unit->has_base) return out;
    takt_list_base_units(unit, bases);
    for (int i = 0; i < TAKT_N_BASE_UNITS; i++)
        if (bases[i].exponent) put(out, bases[i].name, json_integer(bases[i].exponent), ok);
    put_number(out, "factor", unit->factor, ok);
    put_number(out, "offset", unit->offset, ok);
    return out;
}

static json_t *type_json(const takt_type_definition *type, bool *ok)
{
    json_t *out = json_object(), *items = json_array();
    put_text(out, "name", type->name, ok);
    put_text(out, "type", takt_type_name(type->type), ok);
    put_text(out, "unit", type->unit, ok);
    put_number(out, "min", type->min, ok);
    put_number(out, "max", type->max, ok);
    for (int i = 0; i < type->n_items; i++) {
        json_t *item = json_object();
        put_text(item, "name", type->items[i].name, ok);
        put(item, "value", json_integer(type->items[i].value), ok);
        put_text(item, "description", type->items[i].description, ok);
        append(items, item, ok);
    }
    put(out, "items", items, ok);
    return out;
}

static json_t *terminal_json(const takt_model *model, const takt_terminal *terminal, bool *ok)
{
    json_t *out = json_object(), *members = json_array();
    put_text(out, "name", terminal->name, ok);
    put_text(out, "kind", terminal->kind, ok);
    put_text(out, "matching_rule", terminal->matching_rule, ok);
    put_text(out, "description", terminal->description, ok);
    for (int k = 0; k < terminal->n_members; k++) {
        const takt_terminal_member *m = &model->terminal_members[terminal->first_member + k];
        json_t *member = json_object();
        put_text(member, "variable", m->variable_name, ok);
        put_text(member, "name", m->name, ok);
        put_text(member, "kind", m->kind, ok);
        append(members, member, ok);
    }
    put(out, "members", members, ok);
    return out;
}

// Outputs about which something is said. Elements of large arrays may share long lists: these are cut.
static json_t *dependencies_json(const takt_model *model, bool *ok)
{
    enum { MAX_LISTED = 1000 };
    json_t *out = json_object();
    for (int i = 0; i < model->n_outputs; i++) {
        const takt_dependency *d = &model->outputs[i];
        if (!d->is_known) continue;
        json_t *known = json_array();
        for (int k = 0; k < d->n_known && k < MAX_LISTED; k++)
            append(known, takt_json_text(model->variables[d->known[k]].name), ok);
        put(out, model->variables[d->variable].name, known, ok);
    }
    return out;
}

static json_t *component_json(const takt_component *component, bool *ok)
{
    const takt_model *model = component->model;
    json_t *out = json_object(), *can = json_object(), *defaults = json_object();
    json_t *variables = json_array(), *units = json_array(), *types = json_array();
    put_text(out, "name", component->name, ok);
    put_text(out, "source", model->path, ok);
    put_text(out, "model", model->name, ok);
    put_text(out, "version", model->version, ok);
    put_text(out, "description", model->description, ok);
    put_text(out, "tool", model->tool, ok);
    put_text(out, "platforms", model->platforms, ok);
    put_text(out, "runs", model->ways, ok);
    for (int i = 0; i < TAKT_N_CAPABILITIES; i++)
        put(can, takt_capability_name(i), json_boolean(takt_has_capability(model, i)), ok);
    put(can, "max_output_derivative_order", json_integer(model->can.max_output_derivative_order),
        ok);
    put(out, "capabilities", can, ok);
    takt_named_number numbers[TAKT_N_DEFAULTS];
    takt_list_defaults(&model->experiment, numbers);
    for (int i = 0; i < TAKT_N_DEFAULTS; i++)
        put_number(defaults, numbers[i].name, numbers[i].value, ok);
    put(out, "default_experiment", defaults, ok);
    for (int i = 0; i < model->n_units; i++) append(units, unit_json(&model->units[i], ok), ok);
    put(out, "units", units, ok);
    for (int i = 0; i < model->n_types; i++) append(types, type_json(&model->types[i], ok), ok);
    put(out, "types", types, ok);
    for (int i = 0; i < model->n_variables; i++)
        append(variables, variable_json(&model->variables[i], ok), ok);
    put(out, "variables", variables, ok);
    put(out, "dependencies", dependencies_json(model, ok), ok);
    json_t *terminals = model->n_terminals ? json_array() : NULL;
    for (int i = 0; i < model->n_terminals; i++)
        append(terminals, terminal_json(model, &model->terminals[i], ok), ok);
    if (model->n_terminals) put(out, "terminals", terminals, ok);
    return out;
}

static json_t *setting_json(const char *text)
{
    double number;
    if (takt_number_read(text, text + strlen(text), &number) && isfinite(number))
        return json_real(number);
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) return json_boolean(*text == 't');
    return takt_json_text(text);
}

// Inputs that no connection drives, with the values that they keep.
static json_t *open_inputs_json(const takt_system *system, takt_arena *scratch, bool *ok)
{
    json_t *all = json_array();
    takt_open_input *inputs = NULL;
    int n = 0;
    if (!takt_system_find_open_inputs(system, scratch, &inputs, &n)) *ok = false;
    for (int i = 0; i < n; i++) {
        takt_reference at = inputs[i].reference;
        const takt_component *owner = &system->components[at.component];
        const takt_variable *v = &owner->model->variables[at.variable];
        json_t *one = json_object();
        put_text(one, "component", owner->name, ok);
        put_text(one, "variable", v->name, ok);
        put(one, "value", inputs[i].value ? value_json(v->type, inputs[i].value) : json_null(), ok);
        put_text(one, "unit", v->unit, ok);
        put(one, "given", json_boolean(inputs[i].is_given), ok);
        append(all, one, ok);
    }
    return all;
}

char *takt_describe_inputs_as_json(const takt_system *system)
{
    bool ok = true;
    takt_arena scratch = {0};
    json_t *all = open_inputs_json(system, &scratch, &ok);
    char *text = ok ? json_dumps(all, JSON_INDENT(2)) : NULL;
    json_decref(all);
    takt_arena_clear(&scratch);
    return text;
}

char *takt_describe_as_json(const takt_system *system)
{
    bool ok = true;
    takt_arena scratch = {0};
    takt_json_begin();
    json_t *out = json_object(), *components = json_array(), *connections = json_array();
    json_t *settings = json_object(), *recorded = json_array();
    put_text(out, "name", system->project->name, &ok);
    put_text(out, "file", system->project->path, &ok);
    for (int i = 0; i < system->n_components; i++)
        append(components, component_json(&system->components[i], &ok), &ok);
    for (int i = 0; i < system->n_connections; i++) {
        const takt_connection *c = &system->connections[i];
        const char *from = takt_system_name(system, c->from, c->from_variable, &scratch);
        const char *to = takt_system_name(system, c->to, c->to_variable, &scratch);
        json_t *one = json_object();
        if (!from || !to) ok = false;
        put_text(one, "from", from, &ok);
        put_text(one, "to", to, &ok);
        append(connections, one, &ok);
    }
    for (int i = 0; takt_setting(i); i++) {
        const char *text = takt_settings_text(&system->settings, i, &scratch);
        if (!text) ok = false;
        if (text && *text) put(settings, takt_setting(i)->name, setting_json(text), &ok);
    }
    for (int i = 0; i < system->n_recorded; i++) {
        takt_reference at = system->recorded[i];
        const char *name = takt_system_name(system, at.component, at.variable, &scratch);
        append(recorded, name ? takt_json_text(name) : NULL, &ok);
    }
    put(out, "components", components, &ok);
    put(out, "connections", connections, &ok);
    put(out, "unconnected_inputs", open_inputs_json(system, &scratch, &ok), &ok);
    put(out, "settings", settings, &ok);
    put(out, "recorded", recorded, &ok);
    char *text = takt_json_end(out);
    takt_arena_clear(&scratch);
    if (ok) return text;
    free(text);
    return NULL;
}
