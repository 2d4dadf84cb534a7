// SPDX-License-Identifier: MIT
// What a system contains, as text for people; see describe.h.
#include "system/describe.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "system/facts.h"
#include "system/open_inputs.h"

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
    add_line(out, "runs", model->ways);
    takt_text_print(out, "  %-12s", "can");
    int n = 0;
    for (int i = 0; i < TAKT_N_CAPABILITIES; i++)
        if (takt_has_capability(model, i))
            takt_text_print(out, "%s%s", n++ ? ", " : "", takt_capability_name(i));
    if (model->can.max_output_derivative_order > 0)
        takt_text_print(out, "%smax_output_derivative_order %d", n++ ? ", " : "",
                        model->can.max_output_derivative_order);
    takt_text_add(out, n ? "\n" : "only what every FMU can\n");
    takt_named_number defaults[TAKT_N_DEFAULTS];
    takt_list_defaults(&model->experiment, defaults);
    n = 0;
    for (int i = 0; i < TAKT_N_DEFAULTS; i++) {
        if (isnan(defaults[i].value)) continue;
        char number[TAKT_NUMBER_SIZE];
        takt_number_write(number, defaults[i].value);
        if (n++ == 0) takt_text_print(out, "  %-12s", "default");
        takt_text_print(out, "%s%s %s", n > 1 ? ", " : "", defaults[i].name, number);
    }
    if (n) takt_text_add(out, "\n");
}

// "degC = 1 K + 273.15"
static void add_unit(takt_text *out, const takt_unit *unit)
{
    char number[TAKT_NUMBER_SIZE];
    takt_base_unit bases[TAKT_N_BASE_UNITS];
    takt_text_print(out, "    %s", unit->name);
    if (!unit->has_base) {
        takt_text_add(out, "\n");
        return;
    }
    takt_number_write(number, unit->factor);
    takt_text_print(out, " = %s", number);
    takt_list_base_units(unit, bases);
    for (int i = 0; i < TAKT_N_BASE_UNITS; i++) {
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
            takt_add_value(out, v->type, &v->start);
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

static void add_open_inputs(takt_text *out, const takt_system *system)
{
    takt_text inputs = {0};
    takt_system_add_open_inputs(system, &inputs);
    if (inputs.failed) out->failed = true;
    if (inputs.length) takt_text_print(out, "\n%s", inputs.data);
    takt_text_clear(&inputs);
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

char *takt_describe_as_text(const takt_system *system)
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
    add_open_inputs(&out, system);
    add_settings(&out, system);
    return takt_text_take(&out);
}
