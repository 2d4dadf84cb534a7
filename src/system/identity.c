// SPDX-License-Identifier: MIT
// What a system is made of; see identity.h.
#include "system/identity.h"

#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "project/uri.h"
#include "system/facts.h"

typedef struct list {
    takt_arena *arena;
    takt_identity *to;
    int capacity;
} list;

static bool add(list *at, const char *name, const char *value, int component, int i_start)
{
    takt_identity *to = at->to;
    if (!name || !value) return false;
    if (to->n_facts == at->capacity) {
        int capacity = at->capacity ? 2 * at->capacity : 64;
        takt_fact *facts = takt_arena_array(at->arena, (size_t)capacity, sizeof *facts);
        if (!facts) return false;
        if (to->n_facts) memcpy(facts, to->facts, (size_t)to->n_facts * sizeof *facts);
        to->facts = facts;
        at->capacity = capacity;
    }
    to->facts[to->n_facts++] = (takt_fact){name, value, component, i_start};
    return true;
}

// ---- settings --------------------------------------------------------------------------------------

// Those that do not change results, and files, whose content counts.
static bool is_free(const takt_settings *settings, int index)
{
    const void *const fields[] = {&settings->jobs,
                                  &settings->one_thread,
                                  &settings->timeout,
                                  &settings->strict,
                                  &settings->input_files,
                                  &settings->scenarios,
                                  &settings->compile_sources,
                                  &settings->binary,
                                  &settings->separate_libraries,
                                  &settings->isolate,
                                  &settings->sandbox,
                                  &settings->sandbox_read,
                                  &settings->sandbox_write,
                                  &settings->memory_limit};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (takt_settings_index(settings, fields[i]) == index) return true;
    return false;
}

// Limits of steps that follow from the stop time, which may be another one.
static bool follows(const takt_settings *settings, int index)
{
    const double *const fields[] = {&settings->step_min, &settings->step_max,
                                    &settings->step_fallback};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (takt_settings_index(settings, fields[i]) == index)
            return !takt_settings_has(settings, fields[i]);
    return false;
}

static bool add_settings(list *at, const takt_settings *settings)
{
    bool ok = true;
    for (int i = 0; takt_setting(i) && ok; i++)
        ok = is_free(settings, i) ||
             add(at, takt_arena_print(at->arena, "setting %s", takt_setting(i)->name),
                 follows(settings, i) ? "default" : takt_settings_text(settings, i, at->arena), -1,
                 -1);
    return ok;
}

// ---- components ------------------------------------------------------------------------------------

static bool is_built_in(const takt_model *model)
{
    return !model->path || takt_uri_is_builtin(model->path);
}

static takt_status hash_model(const takt_model *model, char out[TAKT_HASH_SIZE], takt_error *err)
{
    FILE *file = NULL;
    out[0] = 0;
    if (is_built_in(model)) return TAKT_OK;
    takt_status st = takt_file_open(model->path, &file, err);
    if (st) return st;
    st = takt_hash_file(file, out, err);
    fclose(file);
    return st ? takt_within(err, st, "%s", model->path) : TAKT_OK;
}

static takt_status add_components(list *at, const takt_system *system, takt_error *err)
{
    char hash[TAKT_HASH_SIZE] = "";
    for (int i = 0; i < system->n_components; i++) {
        const takt_component *component = &system->components[i];
        const takt_model *model = component->model;
        bool is_known = i > 0 && component[-1].model == model; // there may be thousands
        takt_status st = is_known ? TAKT_OK : hash_model(model, hash, err);
        if (st) return takt_within(err, st, "component '%s'", component->name);
        if (!add(at, takt_arena_print(at->arena, "component '%s'", component->name),
                 takt_arena_print(at->arena, "%s, %s%s", model->type->name,
                                  hash[0] ? "SHA-256 " : "built in",
                                  hash[0]       ? hash
                                  : model->path ? model->path
                                                : ""),
                 -1, -1))
            return takt_fail_memory(err);
    }
    return TAKT_OK;
}

static bool add_connection(list *at, const takt_system *system, const takt_connection *connection)
{
    const char *from =
        takt_system_name(system, connection->from, connection->from_variable, at->arena);
    const char *to = takt_system_name(system, connection->to, connection->to_variable, at->arena);
    if (!from || !to) return false;
    char hash[TAKT_HASH_SIZE] = "", factor[TAKT_NUMBER_SIZE], offset[TAKT_NUMBER_SIZE];
    const takt_value_map *map = &connection->map;
    size_t size = (size_t)map->n_values * sizeof *map->from;
    int64_t *values = takt_arena_alloc(at->arena, 2 * size + 1);
    if (!values) return false;
    if (size) {
        memcpy(values, map->from, size);
        memcpy(values + map->n_values, map->to, size);
        takt_hash_bytes(values, 2 * size, hash);
    }
    takt_number_write(factor, connection->factor);
    takt_number_write(offset, connection->offset);
    return add(at,
               takt_arena_print(at->arena, "%s of %s",
                                connection->is_initial ? "initial source" : "source", to),
               takt_arena_print(at->arena, "%s * %s + %s%s%s", from, factor, offset,
                                size ? ", mapped by " : "", hash),
               -1, -1);
}

static bool add_start(list *at, const takt_system *system, int component, int i_start)
{
    const takt_start *start = &system->starts[component][i_start];
    const takt_variable *variable =
        &system->components[component].model->variables[start->variable];
    // Where results go does not change them.
    if (takt_system_is_results_folder(variable, system->components[component].is_group))
        return true;
    takt_text text = {0};
    takt_add_value(&text, variable->type, &start->value);
    const char *name = takt_system_name(system, component, start->variable, at->arena);
    const char *value = text.failed || !text.data ? NULL : takt_arena_copy(at->arena, text.data);
    takt_text_clear(&text);
    return name && value &&
           add(at, takt_arena_print(at->arena, "value of %s", name), value, component, i_start);
}

// Scenarios by their content, in their order.
static takt_status add_scenarios(list *at, const takt_system *system, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < system->n_scenario_files && !st; i++) {
        char hash[TAKT_HASH_SIZE] = "";
        FILE *file = NULL;
        const char *path = system->scenario_files[i];
        st = takt_file_open(path, &file, err);
        if (st) return st;
        st = takt_hash_file(file, hash, err);
        fclose(file);
        if (!st && !add(at, takt_arena_print(at->arena, "scenario %d", i + 1),
                        takt_arena_print(at->arena, "SHA-256 %s", hash), -1, -1))
            st = takt_fail_memory(err);
    }
    return st;
}

takt_status takt_identity_find(const takt_system *system, const takt_system *with_instances,
                               takt_arena *arena, takt_identity *out, takt_error *err)
{
    *out = (takt_identity){0};
    list at = {.arena = arena, .to = out};
    if (!add(&at, "version of Takt", TAKT_VERSION, -1, -1) || !add_settings(&at, &system->settings))
        return takt_fail_memory(err);
    takt_status st = add_components(&at, system, err);
    if (!st) st = add_scenarios(&at, system, err);
    for (int i = 0; i < system->n_connections && !st; i++)
        if (!add_connection(&at, system, &system->connections[i])) st = takt_fail_memory(err);
    for (int i = 0; i < with_instances->n_components && !st; i++)
        for (int k = 0; k < with_instances->n_starts[i] && !st; k++)
            if (!add_start(&at, with_instances, i, k)) st = takt_fail_memory(err);
    return st;
}

takt_status takt_identity_describe(const takt_system *system, takt_format format, char **out,
                                   takt_error *err)
{
    if (format != TAKT_FORMAT_TEXT)
        return takt_fail(err, TAKT_ERR_USAGE, "what results depend on is described as text only");
    takt_arena arena = {0};
    takt_identity identity;
    takt_text text = {0};
    takt_status st = takt_identity_find(system, system, &arena, &identity, err);
    for (int i = 0; i < identity.n_facts && !st; i++) {
        takt_text_add(&text, identity.facts[i].name);
        takt_text_add(&text, ": ");
        takt_text_add(&text, identity.facts[i].value);
        takt_text_add(&text, "\n");
    }
    takt_arena_clear(&arena);
    *out = st ? NULL : takt_text_take(&text);
    if (st) takt_text_clear(&text);
    return st || *out ? st : takt_fail_memory(err);
}

bool takt_identity_is_tunable(const takt_system *with_instances, const takt_fact *fact)
{
    if (fact->component < 0) return false;
    const takt_component *component = &with_instances->components[fact->component];
    const takt_start *start = &with_instances->starts[fact->component][fact->i_start];
    const takt_variable *variable = &component->model->variables[start->variable];
    return variable->causality == TAKT_PARAMETER && variable->variability == TAKT_TUNABLE;
}
