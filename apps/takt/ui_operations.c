// SPDX-License-Identifier: MIT
// The words that change a project; see ui_operations.h.
#include "ui_operations.h"

#include <string.h>

#include "ui_paths.h"
#include "support.h"

/// What an operation works with: texts are NULL where the page sent none.
typedef struct operation {
    takt_project *project;
    const char *root;
    const json_t *json;
    const char *name, *to, *value;
} operation;

static takt_status add(const operation *o, takt_error *err)
{
    if (strncmp(o->value, "builtin:", 8) == 0)
        return takt_project_add(o->project, o->name, o->value, err);
    char *path = NULL;
    takt_status st = ui_path_resolve(o->root, o->value, &path, err);
    if (!st) st = takt_project_add(o->project, o->name, path, err);
    free(path);
    return st;
}

static takt_status drop(const operation *o, takt_error *err)
{
    return takt_project_remove(o->project, o->name, err);
}

static takt_status give_name(const operation *o, takt_error *err)
{
    return takt_project_rename(o->project, o->name, o->to, err);
}

static takt_status connect(const operation *o, takt_error *err)
{
    return takt_project_connect(o->project, o->name, o->to, err);
}

static takt_status disconnect(const operation *o, takt_error *err)
{
    return takt_project_disconnect(o->project, o->name, o->to, err);
}

static takt_status set_value(const operation *o, takt_error *err)
{
    char text[TAKT_MESSAGE_SIZE];
    int length = snprintf(text, sizeof text, "%s=%s", o->name, o->value);
    if (length >= (int)sizeof text)
        return cli_fail(err, TAKT_ERR_USAGE, "the value of %s is too long", o->name);
    return takt_project_set_value(o->project, text, err);
}

static takt_status unset_value(const operation *o, takt_error *err)
{
    return takt_project_unset_value(o->project, o->name, err);
}

static bool names_file(const char *name)
{
    const takt_setting_info *info;
    for (int i = 0; (info = takt_setting(i)); i++)
        if (strcmp(info->name, name) == 0 && info->argument)
            return strcmp(info->argument, "FILE") == 0 || strcmp(info->argument, "PATH") == 0;
    return false;
}

// Settings that name files may name only those of the project's folder.
static takt_status set_setting(const operation *o, takt_error *err)
{
    char *path = NULL;
    takt_status st = TAKT_OK;
    if (names_file(o->name)) st = ui_path_resolve(o->root, o->value, &path, err);
    if (!st) st = takt_project_set(o->project, o->name, path ? path : o->value, err);
    free(path);
    return st;
}

static takt_status move(const operation *o, takt_error *err)
{
    takt_geometry g = {.size = sizeof g};
    const json_t *box = json_object_get(o->json, "box");
    double *const numbers[] = {&g.x1, &g.y1, &g.x2, &g.y2};
    for (size_t i = 0; i < 4; i++) {
        if (!json_is_number(json_array_get(box, i)))
            return cli_fail(err, TAKT_ERR_USAGE, "'box' must be a list of four numbers");
        *numbers[i] = json_number_value(json_array_get(box, i));
    }
    return takt_project_set_geometry(o->project, o->name, &g, err);
}

static takt_status auto_connect(const operation *o, takt_error *err)
{
    return takt_project_auto_connect(o->project, NULL, err);
}

static const struct word {
    const char *name;
    takt_status (*apply)(const operation *o, takt_error *err);
    const char *needs; ///< "ntv": name, to and value must be there
} words[] = {
    {"add", add, "nv"},
    {"remove", drop, "n"},
    {"rename", give_name, "nt"},
    {"connect", connect, "nt"},
    {"disconnect", disconnect, "n"},
    {"set", set_value, "nv"},
    {"unset", unset_value, "n"},
    {"setting", set_setting, "nv"},
    {"move", move, "n"},
    {"auto-connect", auto_connect, ""},
};

bool ui_operation_is_layout(const json_t *op)
{
    const char *word = json_string_value(json_object_get(op, "op"));
    return word && strcmp(word, "move") == 0;
}

takt_status ui_operation_apply(takt_project *project, const char *root, const json_t *op,
                               takt_error *err)
{
    const char *word = json_string_value(json_object_get(op, "op"));
    operation o = {.project = project,
                   .root = root,
                   .json = op,
                   .name = json_string_value(json_object_get(op, "name")),
                   .to = json_string_value(json_object_get(op, "to")),
                   .value = json_string_value(json_object_get(op, "value"))};
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i].name) != 0) continue;
        const char *needs = words[i].needs;
        if ((strchr(needs, 'n') && !o.name) || (strchr(needs, 't') && !o.to) ||
            (strchr(needs, 'v') && !o.value))
            return cli_fail(err, TAKT_ERR_USAGE, "the operation '%s' lacks a text", word);
        return words[i].apply(&o, err);
    }
    return cli_fail(err, TAKT_ERR_USAGE, "there is no operation '%s'", word ? word : "");
}
