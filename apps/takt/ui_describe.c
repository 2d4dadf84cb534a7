// SPDX-License-Identifier: MIT
// A project as the page shows it; see ui_describe.h.
#include "ui_describe.h"

#include <string.h>

#include "ui_paths.h"

static void put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static void put_text(json_t *object, const char *key, const char *text)
{
    if (text) put(object, key, json_string(text));
}

// ---- what the user wrote ---------------------------------------------------------------------------

static json_t *describe_component(const takt_project *project, int index, ui_models *models,
                                  const char *root, json_t *described)
{
    takt_component_info c = {.size = sizeof c};
    takt_geometry g = {.size = sizeof g};
    if (takt_project_get_component(project, index, &c, NULL)) return NULL;
    json_t *object = json_object();
    put_text(object, "name", c.name);
    if (c.file) put_text(object, "file", ui_path_shown(root, c.file));
    put(object, "line", json_integer(c.line));
    if (!takt_project_get_geometry(project, index, &g, NULL))
        put(object, "box", json_pack("[f,f,f,f]", g.x1, g.y1, g.x2, g.y2));
    if (!c.source) return object;
    const char *shown = ui_path_shown(root, c.source);
    put_text(object, "source", shown);
    if (!json_object_get(described, shown))
        json_object_set(described, shown, (json_t *)(size_t)ui_models_get(models, c.source));
    return object;
}

static json_t *describe_connections(const takt_project *project)
{
    json_t *list = json_array();
    for (int i = 0; i < takt_project_count_connections(project); i++) {
        takt_connection_info c = {.size = sizeof c};
        if (takt_project_get_connection(project, i, &c, NULL)) break;
        json_array_append_new(list, json_pack("[s,s,s,s]", c.from_component, c.from_variable,
                                              c.to_component, c.to_variable));
    }
    return list;
}

// Connectors in the walls of subsystems: [name, length of the system's, component, variable].
static json_t *describe_walls(const takt_project *project)
{
    json_t *list = json_array();
    for (int i = 0; i < takt_project_count_connectors(project); i++) {
        takt_connector_info c = {.size = sizeof c};
        if (takt_project_get_connector(project, i, &c, NULL)) break;
        if (c.component && c.n_system && !*c.index)
            json_array_append_new(
                list, json_pack("[s,i,s,s]", c.name, c.n_system, c.component, c.variable));
    }
    return list;
}

static json_t *describe_values(const takt_project *project, const char *root)
{
    json_t *list = json_array();
    for (int i = 0; i < takt_project_count_values(project); i++) {
        takt_value_info v = {.size = sizeof v};
        if (takt_project_get_value(project, i, &v, NULL)) break;
        json_t *object = json_object();
        put_text(object, "component", v.component);
        put_text(object, "variable", v.variable);
        put_text(object, "value", v.value);
        put_text(object, "unit", v.unit);
        if (v.file) put_text(object, "file", ui_path_shown(root, v.file));
        put(object, "line", json_integer(v.line));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *describe_settings_of(const takt_project *project)
{
    json_t *object = json_object();
    const takt_setting_info *info;
    for (int i = 0; (info = takt_setting(i)); i++) {
        char *value = NULL;
        if (takt_project_get(project, info->name, &value, NULL)) continue;
        put_text(object, info->name, value);
        takt_free(value);
    }
    return object;
}

// ---- what it means ---------------------------------------------------------------------------------

static json_t *describe_names(const char *const *names, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(list, json_string(names[i]));
    return list;
}

static json_t *describe_blocks(const takt_sequence *sequence)
{
    json_t *list = json_array();
    for (int i = 0; i < takt_sequence_count_blocks(sequence); i++) {
        takt_block_info b = {.size = sizeof b};
        if (takt_sequence_get_block(sequence, i, &b, NULL)) break;
        json_array_append_new(list, json_pack("{s:o,s:s?,s:o,s:i,s:b,s:b}", "members",
                                              describe_names(b.members, b.n_members), "algorithm",
                                              b.algorithm, "torn", describe_names(b.torn, b.n_torn),
                                              "level", b.level, "loop", b.is_loop, "algebraic",
                                              b.is_algebraic));
    }
    return list;
}

static json_t *describe_feedthrough(const takt_sequence *sequence)
{
    json_t *list = json_array();
    for (int i = 0; i < takt_sequence_count_feedthroughs(sequence); i++) {
        takt_feedthrough_info f = {.size = sizeof f};
        if (takt_sequence_get_feedthrough(sequence, i, &f, NULL)) break;
        if (!f.n_inputs) continue;
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:o,s:b}", "component", f.component, "output", f.output,
                            "inputs", describe_names(f.inputs, f.n_inputs), "known", f.is_known));
    }
    return list;
}

// Connections whose values are converted: [from component, variable, to component, variable, factor, offset].
static json_t *describe_conversions(const takt_system *system)
{
    json_t *list = json_array();
    for (int i = 0; i < takt_system_count_links(system); i++) {
        takt_link_info l = {.size = sizeof l};
        takt_model_info from = {.size = sizeof from}, to = {.size = sizeof to};
        takt_variable_info a = {.size = sizeof a}, b = {.size = sizeof b};
        if (takt_system_get_link(system, i, &l, NULL)) break;
        if (l.factor == 1 && l.offset == 0) continue;
        if (takt_system_get_model(system, l.from, &from, NULL) ||
            takt_system_get_model(system, l.to, &to, NULL) ||
            takt_system_get_variable(system, l.from, l.from_variable, &a, NULL) ||
            takt_system_get_variable(system, l.to, l.to_variable, &b, NULL))
            break;
        json_array_append_new(list, json_pack("[s,s,s,s,f,f]", from.component, a.name, to.component,
                                              b.name, l.factor, l.offset));
    }
    return list;
}

static void put_experiment(json_t *state, const takt_system *system)
{
    char *text = NULL;
    if (takt_system_describe(system, TAKT_TOPIC_EXPERIMENT, TAKT_FORMAT_JSON, &text, NULL)) return;
    put(state, "experiment", json_loads(text, 0, NULL));
    takt_free(text);
}

// The rest needs a system without errors.
static void put_plan(json_t *state, const takt_system *system)
{
    takt_sequence *sequence = NULL;
    put(state, "conversions", describe_conversions(system));
    put_experiment(state, system);
    if (takt_sequence_create(system, 1, &sequence, NULL)) return;
    put(state, "blocks", describe_blocks(sequence));
    put(state, "feedthrough", describe_feedthrough(sequence));
    takt_sequence_destroy(sequence);
}

json_t *ui_describe_problems(const takt_problem_list *list, const char *root)
{
    json_t *problems = json_array();
    for (int i = 0; i < takt_problem_list_count(list); i++) {
        takt_problem_info p = {.size = sizeof p};
        if (takt_problem_list_get(list, i, &p, NULL)) break;
        json_t *object = json_object();
        put_text(object, "severity", takt_level_name(p.severity));
        put_text(object, "text", p.text);
        put_text(object, "component", p.component);
        put_text(object, "suggestion", p.suggestion);
        if (p.file) put_text(object, "file", ui_path_shown(root, p.file));
        put(object, "line", json_integer(p.line));
        if (p.is_doubt) put(object, "doubt", json_true());
        json_array_append_new(problems, object);
    }
    return problems;
}

json_t *ui_describe_project(const takt_project *project, takt_problem_list *list, ui_models *models,
                            const char *root)
{
    json_t *state = json_object(), *components = json_array(), *described = json_object();
    for (int i = 0; i < takt_project_count_components(project); i++)
        json_array_append_new(components, describe_component(project, i, models, root, described));
    put(state, "components", components);
    put(state, "models", described);
    put(state, "connections", describe_connections(project));
    put(state, "walls", describe_walls(project));
    put(state, "values", describe_values(project, root));
    put(state, "settings", describe_settings_of(project));
    takt_system *system = NULL;
    takt_error err = {0};
    takt_status st = takt_system_create(project, &system, &err);
    if (!st) st = takt_system_check(system, &err);
    if (system) put_plan(state, system);
    takt_system_destroy(system);
    json_t *problems = ui_describe_problems(list, root);
    if (st && !json_array_size(problems))
        json_array_append_new(problems, json_pack("{s:s,s:s,s:i}", "severity", "error", "text",
                                                  err.message, "line", 0));
    put(state, "problems", problems);
    put(state, "valid", json_boolean(!st));
    return state;
}

// ---- settings --------------------------------------------------------------------------------------

json_t *ui_describe_settings(void)
{
    static const char *const types[] = {"flag", "number", "count", "time", "choice", "text"};
    json_t *list = json_array();
    const takt_setting_info *info;
    for (int i = 0; (info = takt_setting(i)); i++) {
        json_t *object = json_object();
        put_text(object, "name", info->name);
        put_text(object, "argument", info->argument);
        put_text(object, "default", info->default_text);
        put_text(object, "help", info->help);
        put_text(object, "group", takt_setting_group(i));
        put_text(object, "type", types[takt_setting_type_of(i)]);
        put(object, "repeatable", json_boolean(takt_setting_is_repeatable(i)));
        const char *const *choices = takt_setting_choices(i);
        int n = 0;
        while (choices && choices[n]) n++;
        if (choices) put(object, "choices", describe_names(choices, n));
        json_array_append_new(list, object);
    }
    return list;
}
