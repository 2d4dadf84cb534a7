// SPDX-License-Identifier: MIT
// What a system contains, for people (text) and programs (JSON).
#include "system/describe.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

static void add_hex(takt_text *out, const takt_value *bytes)
{
    for (size_t i = 0; i < bytes->size; i++)
        takt_text_print(out, "%02x", (unsigned)(unsigned char)bytes->text[i]);
}

// The value of a variable in text form, for the kinds that have one.
static void add_value(takt_text *out, takt_type type, const takt_value *value)
{
    char number[TAKT_NUMBER_SIZE];
    switch (takt_type_kind(type)) {
    case TAKT_KIND_REAL: takt_number_write(number, value->real); break;
    case TAKT_KIND_INTEGER:
        if (type == TAKT_UINT64) // kept as the integer with the same bits
            snprintf(number, sizeof number, "%" PRIu64, (uint64_t)value->integer);
        else
            takt_number_write_integer(number, value->integer);
        break;
    default:
        if (type == TAKT_BINARY)
            add_hex(out, value);
        else
            takt_text_print(out, "\"%s\"", value->text ? value->text : "");
        return;
    }
    bool is_true = value->integer != 0;
    takt_text_add(out, type != TAKT_BOOLEAN ? number : is_true ? "true" : "false");
}

// Everything a model may be able to do, with the names that users see.
static const struct {
    const char *name;
    size_t offset;
} capabilities[] = {
    {"rewind", offsetof(takt_capabilities, rewind)},
    {"serialize", offsetof(takt_capabilities, serialize)},
    {"variable_step", offsetof(takt_capabilities, variable_step)},
    {"interpolate_inputs", offsetof(takt_capabilities, interpolate_inputs)},
    {"directional_derivatives", offsetof(takt_capabilities, directional_derivatives)},
    {"asynchronous", offsetof(takt_capabilities, asynchronous)},
    {"events", offsetof(takt_capabilities, events)},
    {"once_per_process", offsetof(takt_capabilities, once_per_process)},
    {"needs_tool", offsetof(takt_capabilities, needs_tool)},
};
enum { N_CAPABILITIES = sizeof capabilities / sizeof *capabilities };

static bool has_capability(const takt_model *model, int i)
{
    return *((const char *)&model->can + capabilities[i].offset);
}

// Default experiment, as pairs of a name and a number; NaN: not said.
typedef struct named_number {
    const char *name;
    double value;
} named_number;

enum { N_DEFAULTS = 4 };

static void list_defaults(const takt_default_experiment *e, named_number out[N_DEFAULTS])
{
    out[0] = (named_number){"start_time", e->has_start ? e->start : NAN};
    out[1] = (named_number){"stop_time", e->has_stop ? e->stop : NAN};
    out[2] = (named_number){"step_size", e->has_step ? e->step : NAN};
    out[3] = (named_number){"tolerance", e->has_tolerance ? e->tolerance : NAN};
}

// ---- text --------------------------------------------------------------------------------------

static void add_line(takt_text *out, const char *name, const char *value)
{
    if (value) takt_text_print(out, "  %-12s%s\n", name, value);
}

static void add_model(takt_text *out, const takt_model *model)
{
    takt_text_print(out, "  %-12s%s (%s), %s\n", "model", model->name, model->version, model->path);
    add_line(out, "about", model->description);
    add_line(out, "tool", model->tool);
    add_line(out, "platforms", model->platforms);
    takt_text_print(out, "  %-12s", "can");
    int n = 0;
    for (int i = 0; i < N_CAPABILITIES; i++)
        if (has_capability(model, i))
            takt_text_print(out, "%s%s", n++ ? ", " : "", capabilities[i].name);
    if (model->can.max_output_derivative_order > 0)
        takt_text_print(out, "%smax_output_derivative_order %d", n++ ? ", " : "",
                        model->can.max_output_derivative_order);
    takt_text_add(out, n ? "\n" : "only what every FMU can\n");
    named_number defaults[N_DEFAULTS];
    list_defaults(&model->experiment, defaults);
    n = 0;
    for (int i = 0; i < N_DEFAULTS; i++) {
        if (isnan(defaults[i].value)) continue;
        char number[TAKT_NUMBER_SIZE];
        takt_number_write(number, defaults[i].value);
        if (n++ == 0) takt_text_print(out, "  %-12s", "default");
        takt_text_print(out, "%s%s %s", n > 1 ? ", " : "", defaults[i].name, number);
    }
    if (n) takt_text_add(out, "\n");
}

// The exponents of a unit's base units, with their names.
typedef struct base_unit {
    const char *name;
    int exponent;
} base_unit;

enum { N_BASE_UNITS = 8 };

static void list_bases(const takt_unit *unit, base_unit out[N_BASE_UNITS])
{
    const base_unit bases[N_BASE_UNITS] = {{"kg", unit->kg}, {"m", unit->m},    {"s", unit->s},
                                           {"A", unit->A},   {"K", unit->K},    {"mol", unit->mol},
                                           {"cd", unit->cd}, {"rad", unit->rad}};
    memcpy(out, bases, sizeof bases);
}

// "degC = 1 K + 273.15"
static void add_unit(takt_text *out, const takt_unit *unit)
{
    char number[TAKT_NUMBER_SIZE];
    base_unit bases[N_BASE_UNITS];
    takt_text_print(out, "    %s", unit->name);
    if (!unit->has_base) {
        takt_text_add(out, "\n");
        return;
    }
    takt_number_write(number, unit->factor);
    takt_text_print(out, " = %s", number);
    list_bases(unit, bases);
    for (int i = 0; i < N_BASE_UNITS; i++) {
        if (bases[i].exponent == 0) continue;
        takt_text_print(out, " %s", bases[i].name);
        if (bases[i].exponent != 1) takt_text_print(out, "^%d", bases[i].exponent);
    }
    takt_number_write(number, unit->offset);
    if (unit->offset != 0) takt_text_print(out, " + %s", number);
    takt_text_add(out, "\n");
}

// "Mode: on = 1, off = 2"
static void add_type(takt_text *out, const takt_type_definition *type)
{
    takt_text_print(out, "    %s: %s", type->name, takt_type_name(type->type));
    for (int i = 0; i < type->n_items; i++)
        takt_text_print(out, "%s%s = %lld", i ? ", " : " ", type->items[i].name,
                        (long long)type->items[i].value);
    if (type->unit) takt_text_print(out, "  [%s]", type->unit);
    takt_text_add(out, "\n");
}

static void add_definitions(takt_text *out, const takt_model *model)
{
    if (model->n_units) takt_text_print(out, "  %-12s%d\n", "units", model->n_units);
    for (int i = 0; i < model->n_units; i++) add_unit(out, &model->units[i]);
    if (model->n_types) takt_text_print(out, "  %-12s%d\n", "types", model->n_types);
    for (int i = 0; i < model->n_types; i++) add_type(out, &model->types[i]);
}

static void add_variables(takt_text *out, const takt_model *model)
{
    int width = 8;
    for (int i = 0; i < model->n_variables; i++) {
        int length = (int)strlen(model->variables[i].name);
        if (length > width && length <= 40) width = length;
    }
    takt_text_print(out, "  %-12s%d\n", "variables", model->n_variables);
    for (int i = 0; i < model->n_variables; i++) {
        const takt_variable *v = &model->variables[i];
        takt_text_print(out, "    %-*s  %-11s %-19s %s", width, v->name, takt_type_name(v->type),
                        takt_causality_name(v->causality), takt_variability_name(v->variability));
        if (v->has_start) {
            takt_text_add(out, "  = ");
            add_value(out, v->type, &v->start);
        }
        if (v->unit) takt_text_print(out, "  [%s]", v->unit);
        if (v->declared_type) takt_text_print(out, "  : %s", v->declared_type);
        if (v->description) takt_text_print(out, "  %s", v->description);
        takt_text_add(out, "\n");
    }
}

// "port (plug): v = pin.v, i = pin.i"
static void add_terminals(takt_text *out, const takt_model *model)
{
    if (model->n_terminals) takt_text_print(out, "  %-12s%d\n", "terminals", model->n_terminals);
    for (int i = 0; i < model->n_terminals; i++) {
        const takt_terminal *terminal = &model->terminals[i];
        takt_text_print(out, "    %s (%s%s%s)", terminal->name, terminal->matching_rule,
                        terminal->kind ? ", " : "", terminal->kind ? terminal->kind : "");
        for (int k = 0; k < terminal->n_members; k++) {
            const takt_terminal_member *m = &model->terminal_members[terminal->first_member + k];
            takt_text_add(out, k ? ", " : ": ");
            if (m->name) takt_text_print(out, "%s = ", m->name);
            takt_text_add(out, m->variable_name);
        }
        if (terminal->description) takt_text_print(out, "  %s", terminal->description);
        takt_text_add(out, "\n");
    }
}

// "y on u, k": what the description says about outputs. Those about which it says nothing may depend on
// every input.
static void add_dependencies(takt_text *out, const takt_model *model)
{
    enum { MAX_SHOWN = 10 };
    int n_said = 0;
    for (int i = 0; i < model->n_outputs; i++) n_said += model->outputs[i].is_known;
    if (n_said)
        takt_text_print(out, "  %-12s%d of %d outputs\n", "depend", n_said, model->n_outputs);
    for (int i = 0; i < model->n_outputs; i++) {
        const takt_dependency *d = &model->outputs[i];
        if (!d->is_known) continue;
        takt_text_print(out, "    %s on%s", model->variables[d->variable].name,
                        d->n_known ? "" : " nothing");
        for (int k = 0; k < d->n_known && k < MAX_SHOWN; k++)
            takt_text_print(out, "%s%s", k ? ", " : " ", model->variables[d->known[k]].name);
        if (d->n_known > MAX_SHOWN) takt_text_print(out, " and %d more", d->n_known - MAX_SHOWN);
        takt_text_add(out, "\n");
    }
}

static void add_connections(takt_text *out, const takt_system *system)
{
    if (system->n_connections) takt_text_add(out, "\nConnections\n");
    for (int i = 0; i < system->n_connections; i++) {
        const takt_connection *c = &system->connections[i];
        const takt_component *from = &system->components[c->from];
        const takt_component *to = &system->components[c->to];
        takt_text_print(out, "  %s.%s -> %s.%s\n", from->name,
                        from->model->variables[c->from_variable].name, to->name,
                        to->model->variables[c->to_variable].name);
    }
}

static void add_settings(takt_text *out, const takt_system *system)
{
    takt_arena scratch = {0};
    takt_text_add(out, "\nSettings\n");
    for (int i = 0; takt_setting(i); i++) {
        const char *value = takt_settings_text(&system->settings, i, &scratch);
        if (!value) out->failed = true;
        if (value && *value) takt_text_print(out, "  %-20s %s\n", takt_setting(i)->name, value);
    }
    takt_arena_clear(&scratch);
}

static char *describe_text(const takt_system *system)
{
    takt_text out = {0};
    takt_text_print(&out, "System %s (%s): components %d, connections %d, recorded variables %d\n",
                    system->project->name, system->project->path, system->n_components,
                    system->n_connections, system->n_recorded);
    for (int i = 0; i < system->n_components; i++) {
        takt_text_print(&out, "\nComponent %s\n", system->components[i].name);
        add_model(&out, system->components[i].model);
        add_definitions(&out, system->components[i].model);
        add_variables(&out, system->components[i].model);
        add_dependencies(&out, system->components[i].model);
        add_terminals(&out, system->components[i].model);
    }
    add_connections(&out, system);
    add_settings(&out, system);
    return takt_text_take(&out);
}

// ---- JSON --------------------------------------------------------------------------------------

// Functions of jansson pass a missing value on as a failure, and `ok` collects the failures, so that
// exhausted memory is seen once at the end.
static void put(json_t *object, const char *key, json_t *value, bool *ok)
{
    if (json_object_set_new(object, key, value)) *ok = false;
}

// JSON is UTF-8; names of files and words of the command line may be anything.
static json_t *text_json(const char *text)
{
    json_t *out = json_string(text);
    char *copy = out ? NULL : strdup(text);
    if (!copy) return out;
    takt_utf8_clean(copy);
    out = json_string(copy);
    free(copy);
    return out;
}

static void put_text(json_t *object, const char *key, const char *value, bool *ok)
{
    if (value) put(object, key, text_json(value), ok);
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
    if (type != TAKT_BINARY) return text_json(value->text ? value->text : "");
    takt_text hex = {0};
    add_hex(&hex, value);
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
    base_unit bases[N_BASE_UNITS];
    put_text(out, "name", unit->name, ok);
    if (!unit->has_base) return out;
    list_bases(unit, bases);
    for (int i = 0; i < N_BASE_UNITS; i++)
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
            append(known, text_json(model->variables[d->known[k]].name), ok);
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
    for (int i = 0; i < N_CAPABILITIES; i++)
        put(can, capabilities[i].name, json_boolean(has_capability(model, i)), ok);
    put(can, "max_output_derivative_order", json_integer(model->can.max_output_derivative_order),
        ok);
    put(out, "capabilities", can, ok);
    named_number numbers[N_DEFAULTS];
    list_defaults(&model->experiment, numbers);
    for (int i = 0; i < N_DEFAULTS; i++)
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
    return text_json(text);
}

static char *describe_json(const takt_system *system)
{
    bool ok = true;
    takt_arena scratch = {0};
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
        append(recorded, name ? text_json(name) : NULL, &ok);
    }
    put(out, "components", components, &ok);
    put(out, "connections", connections, &ok);
    put(out, "settings", settings, &ok);
    put(out, "recorded", recorded, &ok);
    char *text = ok ? json_dumps(out, JSON_INDENT(2)) : NULL;
    json_decref(out);
    takt_arena_clear(&scratch);
    return text;
}

takt_status takt_system_describe_content(const takt_system *system, takt_format format, char **out,
                                         takt_error *err)
{
    if (format != TAKT_FORMAT_TEXT && format != TAKT_FORMAT_JSON)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "the content of a system can be described as text or JSON only");
    char *text = format == TAKT_FORMAT_TEXT ? describe_text(system) : describe_json(system);
    if (!text) return takt_fail_memory(err);
    *out = text;
    return TAKT_OK;
}
