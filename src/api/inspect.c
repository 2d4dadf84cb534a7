// SPDX-License-Identifier: MIT
// What a system consists of, as structs; see takt/system.h.
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "system/system.h"

// ---- counting and finding ----------------------------------------------------------------------------

static const takt_model *model_at(const takt_system *system, int component)
{
    bool is_there = system && component >= 0 && component < system->n_components;
    return is_there ? system->components[component].model : NULL;
}

int takt_system_count_components(const takt_system *system)
{
    return system ? system->n_components : 0;
}

int takt_system_count_variables(const takt_system *system, int component)
{
    const takt_model *model = model_at(system, component);
    return model ? model->n_variables : 0;
}

int takt_system_count_links(const takt_system *system)
{
    return system ? system->n_connections : 0;
}

int takt_system_find_component(const takt_system *system, const char *name)
{
    return system && name ? takt_map_find(&system->names, name) : -1;
}

int takt_system_find_variable(const takt_system *system, int component, const char *name)
{
    const takt_model *model = model_at(system, component);
    return model && name ? takt_model_find(model, name) : -1;
}

static takt_status fail_index(const char *what, int index, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_USAGE, "there is no %s number %d in this system", what, index);
}

// ---- components --------------------------------------------------------------------------------------

takt_status takt_system_get_model(const takt_system *system, int component, takt_model_info *out,
                                  takt_error *err)
{
    const takt_model *model = model_at(system, component);
    if (!model) return fail_index("component", component, err);
    const takt_model_info info = {.component = system->components[component].name,
                                  .model = model->name,
                                  .path = model->path,
                                  .kind = model->type->name,
                                  .version = model->version,
                                  .tool = model->tool,
                                  .description = model->description,
                                  .platforms = model->platforms,
                                  .n_variables = model->n_variables,
                                  .can_rewind = takt_model_can_rewind(model),
                                  .can_serialize = takt_model_can_serialize(model),
                                  .takes_any_step = model->can.variable_step,
                                  .interpolates_inputs = model->can.interpolate_inputs,
                                  .has_events = model->can.events};
    return takt_sized_fill(out, &info, sizeof info, err);
}

// ---- variables ---------------------------------------------------------------------------------------

static bool is_connected(const takt_system *system, int component, int variable)
{
    for (int i = 0; i < system->n_connections; i++)
        if (system->connections[i].to == component &&
            system->connections[i].to_variable == variable)
            return true;
    return false;
}

// What the project gives, else what the FMU says; NULL: nothing.
static const takt_value *start_of(const takt_system *system, int component, int variable)
{
    const takt_variable *v = &system->components[component].model->variables[variable];
    const takt_value *found = v->has_start ? &v->start : NULL;
    for (int i = 0; system->n_starts && i < system->n_starts[component]; i++)
        if (system->starts[component][i].variable == variable)
            found = &system->starts[component][i].value;
    return found;
}

static void describe_array(const takt_array *array, takt_variable_info *info)
{
    info->array = array->name;
    info->array_first = array->first;
    info->array_size = array->n_elements;
    info->n_dimensions = array->n_dimensions;
    info->dimensions = array->dimensions;
}

takt_status takt_system_get_variable(const takt_system *system, int component, int variable,
                                     takt_variable_info *out, takt_error *err)
{
    const takt_model *model = model_at(system, component);
    if (!model) return fail_index("component", component, err);
    if (variable < 0 || variable >= model->n_variables)
        return fail_index("variable", variable, err);
    const takt_variable *v = &model->variables[variable];
    const takt_value *start = start_of(system, component, variable);
    takt_variable_info info = {.name = v->name,
                               .type = v->type,
                               .causality = v->causality,
                               .variability = v->variability,
                               .is_tunable = takt_variable_is_tuned(v),
                               .is_connected = is_connected(system, component, variable),
                               .unit = v->unit,
                               .description = v->description,
                               .declared_type = v->declared_type,
                               .min = v->min,
                               .max = v->max,
                               .nominal = v->nominal,
                               .has_start = start != NULL};
    if (start) {
        info.start_real = start->real;
        info.start_integer = start->integer;
        info.start_text = start->text;
        info.start_size = start->size;
    }
    if (v->array) describe_array(v->array, &info);
    return takt_sized_fill(out, &info, sizeof info, err);
}

const char *takt_system_item(const takt_system *system, int component, int variable,
                             long long value)
{
    const takt_model *model = model_at(system, component);
    if (!model || variable < 0 || variable >= model->n_variables) return NULL;
    const takt_type_definition *type =
        takt_model_type(model, model->variables[variable].declared_type);
    for (int i = 0; type && i < type->n_items; i++)
        if (type->items[i].value == value) return type->items[i].name;
    return NULL;
}

// ---- terminals -------------------------------------------------------------------------------------

static const takt_terminal *terminal_at(const takt_system *system, int component, int index)
{
    const takt_model *model = model_at(system, component);
    return model && index >= 0 && index < model->n_terminals ? &model->terminals[index] : NULL;
}

int takt_system_count_terminals(const takt_system *system, int component)
{
    const takt_model *model = model_at(system, component);
    return model ? model->n_terminals : 0;
}

takt_status takt_system_get_terminal(const takt_system *system, int component, int index,
                                     takt_terminal_info *out, takt_error *err)
{
    const takt_terminal *t = terminal_at(system, component, index);
    if (!t) return fail_index("terminal", index, err);
    const takt_terminal_info info = {.name = t->name,
                                     .kind = t->kind,
                                     .matching_rule = t->matching_rule,
                                     .description = t->description,
                                     .n_members = t->n_members};
    return takt_sized_fill(out, &info, sizeof info, err);
}

int takt_system_get_member(const takt_system *system, int component, int terminal, int member,
                           const char **name)
{
    const takt_terminal *t = terminal_at(system, component, terminal);
    if (!t || member < 0 || member >= t->n_members) return -1;
    const takt_terminal_member *m =
        &model_at(system, component)->terminal_members[t->first_member + member];
    if (name) *name = m->name;
    return m->variable;
}

// ---- connections and settings ------------------------------------------------------------------------

takt_status takt_system_get_link(const takt_system *system, int index, takt_link_info *out,
                                 takt_error *err)
{
    if (index < 0 || index >= takt_system_count_links(system))
        return fail_index("connection", index, err);
    const takt_connection *c = &system->connections[index];
    const takt_link_info info = {.from = c->from,
                                 .from_variable = c->from_variable,
                                 .to = c->to,
                                 .to_variable = c->to_variable,
                                 .factor = c->factor,
                                 .offset = c->offset,
                                 .is_initial = c->is_initial};
    return takt_sized_fill(out, &info, sizeof info, err);
}

takt_status takt_system_get_setting(const takt_system *system, const char *name, char **out,
                                    takt_error *err)
{
    if (!system || !name || !out)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_system_get_setting: no argument may be NULL");
    return takt_settings_print(&system->settings, name, out, err);
}
