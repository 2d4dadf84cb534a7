// SPDX-License-Identifier: MIT
// What FMUs, tables and functions say about themselves; see ui_models.h. Each is opened as the only component of a project,
// so that the ports of a system are known even where it has errors.
#include "ui_models.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "takt/takt.h"

enum { MAX_ITEMS = 200 };

static void put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static void put_text(json_t *object, const char *key, const char *text)
{
    if (text) put(object, key, json_string(text));
}

static void put_number(json_t *object, const char *key, double value)
{
    if (isfinite(value)) put(object, key, json_real(value));
}

// The names of an enumeration's items, in the order of their values.
static void put_items(json_t *object, const takt_system *system, int index,
                      const takt_variable_info *v)
{
    if (v->type != TAKT_ENUMERATION) return;
    bool is_bounded = isfinite(v->min) && isfinite(v->max) && v->max - v->min < MAX_ITEMS;
    long long first = is_bounded ? (long long)v->min : 0;
    long long last = is_bounded ? (long long)v->max : MAX_ITEMS;
    json_t *items = json_object();
    for (long long value = first; value <= last; value++) {
        const char *name = takt_system_item(system, 0, index, value);
        char text[TAKT_NUMBER_SIZE];
        snprintf(text, sizeof text, "%lld", value);
        if (name) put_text(items, text, name);
    }
    put(object, "items", items);
}

static void put_start(json_t *object, const takt_variable_info *v)
{
    if (!v->has_start) return;
    char text[TAKT_NUMBER_SIZE];
    switch (takt_type_kind(v->type)) {
    case TAKT_KIND_REAL: takt_number_write(text, v->start_real); break;
    case TAKT_KIND_INTEGER:
        if (v->type == TAKT_BOOLEAN)
            snprintf(text, sizeof text, "%s", v->start_integer ? "true" : "false");
        else
            snprintf(text, sizeof text, "%lld", v->start_integer);
        break;
    case TAKT_KIND_BYTES:
        put(object, "start", json_stringn_nocheck(v->start_text, v->start_size));
        return;
    }
    put_text(object, "start", text);
}

static json_t *describe_variable(const takt_system *system, int index, const takt_variable_info *v)
{
    json_t *object = json_object();
    put_text(object, "name", v->array ? v->array : v->name);
    put_text(object, "type", takt_type_name(v->type));
    put_text(object, "causality", takt_causality_name(v->causality));
    put_text(object, "variability", takt_variability_name(v->variability));
    if (v->is_tunable) put(object, "tunable", json_true());
    put_text(object, "unit", v->unit);
    put_text(object, "description", v->description);
    put_number(object, "min", v->min);
    put_number(object, "max", v->max);
    put_start(object, v);
    put_items(object, system, index, v);
    if (!v->array) return object;
    json_t *dimensions = json_array();
    for (int i = 0; i < v->n_dimensions; i++)
        json_array_append_new(dimensions, json_integer(v->dimensions[i]));
    put(object, "dimensions", dimensions);
    return object;
}

static json_t *describe_variables(const takt_system *system)
{
    json_t *list = json_array();
    int n = takt_system_count_variables(system, 0), step = 1;
    for (int i = 0; i < n; i += step) {
        takt_variable_info v = {.size = sizeof v};
        if (takt_system_get_variable(system, 0, i, &v, NULL)) break;
        step = v.array && v.array_size > 1 ? v.array_size : 1;
        json_array_append_new(list, describe_variable(system, i, &v));
    }
    return list;
}

static json_t *describe_terminals(const takt_system *system)
{
    json_t *list = json_array();
    for (int i = 0; i < takt_system_count_terminals(system, 0); i++) {
        takt_terminal_info t = {.size = sizeof t};
        if (takt_system_get_terminal(system, 0, i, &t, NULL)) break;
        json_t *object = json_object(), *members = json_array();
        put_text(object, "name", t.name);
        put_text(object, "kind", t.kind);
        put_text(object, "rule", t.matching_rule);
        put_text(object, "description", t.description);
        for (int k = 0; k < t.n_members; k++) {
            takt_variable_info v = {.size = sizeof v};
            const char *name = NULL;
            int index = takt_system_get_member(system, 0, i, k, &name);
            if (index < 0 || takt_system_get_variable(system, 0, index, &v, NULL)) continue;
            json_array_append_new(members, json_pack("[s,s?]", v.array ? v.array : v.name, name));
        }
        put(object, "members", members);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *describe(const takt_system *system)
{
    json_t *object = json_object();
    takt_model_info m = {.size = sizeof m};
    if (takt_system_get_model(system, 0, &m, NULL)) return object;
    put_text(object, "model", m.model);
    put_text(object, "kind", m.kind);
    put_text(object, "version", m.version);
    put_text(object, "tool", m.tool);
    put_text(object, "description", m.description);
    put_text(object, "platforms", m.platforms);
    put(object, "rewinds", json_boolean(m.can_rewind));
    put(object, "any_step", json_boolean(m.takes_any_step));
    put(object, "has_events", json_boolean(m.has_events));
    put(object, "variables", describe_variables(system));
    if (takt_system_count_terminals(system, 0))
        put(object, "terminals", describe_terminals(system));
    return object;
}

static json_t *open_and_describe(const char *source)
{
    takt_problem_list *list = takt_problem_list_create(TAKT_LEVEL_ERROR);
    takt_project *project = NULL;
    takt_system *system = NULL;
    takt_error err = {0};
    takt_status st =
        list ? takt_project_create("model.ssd", takt_problem_list_log(list), &project, &err)
             : TAKT_ERR_MEMORY;
    if (!st) st = takt_project_add(project, "model", source, &err);
    if (!st) st = takt_system_create(project, &system, &err);
    json_t *result = st ? json_object() : describe(system);
    takt_problem_info first = {.size = sizeof first};
    bool is_told = list && takt_problem_list_get(list, 0, &first, NULL) == TAKT_OK;
    if (st) put_text(result, "error", is_told ? first.text : err.message);
    takt_system_destroy(system);
    takt_project_close(project);
    takt_problem_list_destroy(list);
    return result;
}

const json_t *ui_models_get(ui_models *models, const char *source)
{
    struct stat status = {0};
    char stamp[96] = "function";
    if (strncmp(source, "builtin:", 8) != 0 && stat(source, &status) == 0)
        snprintf(stamp, sizeof stamp, "%lld %lld %lld", (long long)status.st_mtim.tv_sec,
                 (long long)status.st_mtim.tv_nsec, (long long)status.st_size);
    if (!models->known) models->known = json_object();
    json_t *entry = json_object_get(models->known, source);
    const char *seen = json_string_value(json_object_get(entry, "stamp"));
    if (!seen || strcmp(seen, stamp) != 0) {
        entry = json_pack("{s:s,s:o}", "stamp", stamp, "model", open_and_describe(source));
        json_object_set_new(models->known, source, entry);
    }
    return json_object_get(entry, "model");
}

void ui_models_clear(ui_models *models)
{
    json_decref(models->known);
    models->known = NULL;
}
