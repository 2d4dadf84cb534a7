// SPDX-License-Identifier: MIT
// The project that is edited; see ui_editor.h.
#include "ui_editor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui_describe.h"
#include "ui_operations.h"
#include "ui_paths.h"
#include "support.h"

takt_status ui_editor_open_folder(ui_editor *editor, const char *root, const char *folder,
                                  takt_error *err)
{
    *editor = (ui_editor){.root = realpath(root, NULL), .folder = folder, .edits = json_array()};
    return editor->root && editor->edits
               ? TAKT_OK
               : cli_fail(err, TAKT_ERR_USAGE, "the folder %s cannot be opened", root);
}

// The project without its state.
static void forget(ui_editor *editor)
{
    if (editor->copy) unlink(editor->copy);
    free(editor->copy);
    free(editor->base);
    free(editor->file);
    json_decref(editor->edits);
}

void ui_editor_close(ui_editor *editor)
{
    forget(editor);
    free(editor->root);
    json_decref(editor->state);
    ui_models_clear(&editor->models);
    *editor = (ui_editor){0};
}

// ---- making the project ----------------------------------------------------------------------------

static takt_status apply_edit(const ui_editor *editor, takt_project *project, size_t index,
                              takt_error *err)
{
    const json_t *ops = json_object_get(json_array_get(editor->edits, index), "ops");
    takt_status st = TAKT_OK;
    for (size_t i = 0; i < json_array_size(ops) && !st; i++)
        st = ui_operation_apply(project, editor->root, json_array_get(ops, i), err);
    return st;
}

static bool begins_with_file(const ui_editor *editor)
{
    return !editor->is_new && editor->n_saved <= editor->n_done;
}

static takt_status begin(const ui_editor *editor, takt_log *log, takt_project **out,
                         takt_error *err)
{
    if (begins_with_file(editor)) return takt_project_open(editor->file, log, out, err);
    if (editor->base_is_new) return takt_project_create(editor->base, log, out, err);
    return editor->copy ? takt_project_open_copy(editor->copy, editor->base, log, out, err)
                        : takt_project_open(editor->base, log, out, err);
}

takt_status ui_editor_build(const ui_editor *editor, takt_log *log, takt_project **out,
                            takt_error *err)
{
    takt_project *project = NULL;
    if (!editor->file) return cli_fail(err, TAKT_ERR_USAGE, "no project is open");
    takt_status st = begin(editor, log, &project, err);
    for (size_t i = begins_with_file(editor) ? editor->n_saved : 0; i < editor->n_done && !st; i++)
        st = apply_edit(editor, project, i, err);
    if (st)
        takt_project_close(project);
    else
        *out = project;
    return st;
}

static void put_origin(const ui_editor *editor, json_t *state)
{
    json_t *edited = json_object();
    for (size_t i = begins_with_file(editor) ? editor->n_saved : 0; i < editor->n_done; i++) {
        const json_t *ops = json_object_get(json_array_get(editor->edits, i), "ops"), *op;
        size_t k;
        json_array_foreach(ops, k, op)
        {
            const char *word = json_string_value(json_object_get(op, "op"));
            const char *name = json_string_value(json_object_get(op, "name"));
            if (word && name && (strcmp(word, "set") == 0 || strcmp(word, "setting") == 0))
                json_object_set_new(edited, name, json_true());
        }
    }
    json_object_set_new(state, "edited", edited);
}

static void put_status(ui_editor *editor)
{
    json_t *state = editor->state;
    editor->revision++;
    json_object_set_new(state, "revision", json_integer(editor->revision));
    json_object_set_new(state, "file", json_string(ui_path_shown(editor->root, editor->file)));
    json_object_set_new(state, "dirty",
                        json_boolean(editor->is_new || editor->n_done != editor->n_saved));
    json_object_set_new(state, "undo", json_integer((json_int_t)editor->n_done));
    json_object_set_new(
        state, "redo", json_integer((json_int_t)(json_array_size(editor->edits) - editor->n_done)));
    const json_t *last = editor->n_done ? json_array_get(editor->edits, editor->n_done - 1) : NULL;
    json_t *label = json_object_get(last, "label");
    json_object_set_new(state, "label", label ? json_incref(label) : json_null());
    put_origin(editor, state);
}

// Makes the state of the page anew; after a failure the old one stays.
static takt_status look(ui_editor *editor, takt_error *err)
{
    takt_problem_list *list = takt_problem_list_create(TAKT_LEVEL_WARN);
    takt_project *project = NULL;
    if (!list) return cli_fail_memory(err);
    takt_status st = ui_editor_build(editor, takt_problem_list_log(list), &project, err);
    json_t *state = st ? NULL : ui_describe_project(project, list, &editor->models, editor->root);
    takt_project_close(project);
    takt_problem_list_destroy(list);
    if (st) return st;
    json_decref(editor->state);
    editor->state = state;
    put_status(editor);
    return TAKT_OK;
}

// ---- files -----------------------------------------------------------------------------------------

static struct timespec time_of(const char *file)
{
    struct stat status;
    return stat(file, &status) == 0 ? status.st_mtim : (struct timespec){0};
}

bool ui_editor_is_outdated(const ui_editor *editor)
{
    if (!editor->file || editor->is_new) return false;
    struct timespec now = time_of(editor->file);
    return now.tv_sec != editor->written.tv_sec || now.tv_nsec != editor->written.tv_nsec;
}

takt_status ui_editor_open(ui_editor *editor, const char *file, bool is_new, takt_error *err)
{
    ui_editor before = *editor;
    editor->file = strdup(file);
    editor->base = strdup(file);
    editor->copy = NULL;
    editor->is_new = editor->base_is_new = is_new;
    editor->edits = json_array();
    editor->n_done = editor->n_saved = 0;
    editor->written = time_of(file);
    bool ok = editor->file && editor->base && editor->edits;
    takt_status st = ok ? look(editor, err) : cli_fail_memory(err);
    if (!st) {
        forget(&before);
        return TAKT_OK;
    }
    forget(editor);
    before.models = editor->models;
    *editor = before;
    return st;
}

static takt_status copy_file(const char *from, const char *to, takt_error *err)
{
    char buffer[65536];
    size_t n;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    bool ok = in && out;
    while (ok && (n = fread(buffer, 1, sizeof buffer, in)) > 0) ok = fwrite(buffer, 1, n, out) == n;
    ok = ok && !ferror(in);
    if (in) fclose(in);
    if (out && fclose(out) != 0) ok = false;
    if (ok) return TAKT_OK;
    unlink(to);
    return cli_fail(err, TAKT_ERR_OUTPUT,
                    "%s could not be copied to %s, which keeps it for undo; is there room?", from,
                    to);
}

// Before the file with which the edits begin is overwritten.
static takt_status keep_base(ui_editor *editor, takt_error *err)
{
    if (editor->copy || editor->base_is_new) return TAKT_OK;
    const char *ending = cli_ends_in(editor->base, ".ssp") ? "ssp" : "ssd";
    size_t size = strlen(editor->folder) + 16;
    char *copy = malloc(size);
    if (!copy) return cli_fail_memory(err);
    snprintf(copy, size, "%s/opened.%s", editor->folder, ending);
    takt_status st = copy_file(editor->base, copy, err);
    if (st)
        free(copy);
    else
        editor->copy = copy;
    return st;
}

static takt_status check_target(const ui_editor *editor, const char *path, bool is_other,
                                takt_error *err)
{
    if (!cli_ends_in(path, ".ssd") && !cli_ends_in(path, ".ssp"))
        return cli_fail(err, TAKT_ERR_USAGE,
                        "%s is not written, only SSP is: save it under a name that ends in .ssd or "
                        ".ssp",
                        ui_path_shown(editor->root, path));
    if (is_other || !ui_editor_is_outdated(editor)) return TAKT_OK;
    return cli_fail(err, TAKT_ERR_USAGE,
                    "%s was changed by another program since it was opened; save under another "
                    "name, or load it again",
                    ui_path_shown(editor->root, path));
}

// The first error is of more use than how many there are.
static void tell_first(const takt_problem_list *list, takt_status st, takt_error *err)
{
    for (int i = 0; st && i < takt_problem_list_count(list); i++) {
        takt_problem_info p = {.size = sizeof p};
        if (takt_problem_list_get(list, i, &p, NULL) || p.severity != TAKT_LEVEL_ERROR) continue;
        cli_fail(err, st, "%s", p.text);
        return;
    }
}

static takt_status write_project(ui_editor *editor, const char *path, takt_error *err)
{
    takt_project *project = NULL;
    takt_problem_list *list = takt_problem_list_create(TAKT_LEVEL_WARN);
    if (!list) return cli_fail_memory(err);
    takt_status st = ui_editor_build(editor, takt_problem_list_log(list), &project, err);
    if (!st) st = takt_project_write(project, path, err);
    tell_first(list, st, err);
    takt_project_close(project);
    takt_problem_list_destroy(list);
    return st;
}

takt_status ui_editor_save(ui_editor *editor, const char *file, takt_error *err)
{
    if (!editor->file) return cli_fail(err, TAKT_ERR_USAGE, "no project is open");
    char *path = strdup(file ? file : editor->file);
    bool is_base = path && strcmp(path, editor->base) == 0;
    // What another program wrote is no state of ours: then nothing before can be taken back.
    bool is_foreign = is_base && ui_editor_is_outdated(editor);
    takt_status st = path ? check_target(editor, path, file != NULL, err) : cli_fail_memory(err);
    if (!st && is_base && !is_foreign) st = keep_base(editor, err);
    if (!st) st = write_project(editor, path, err);
    if (!st && is_foreign) st = ui_editor_open(editor, path, false, err);
    if (st || is_foreign) {
        free(path);
        return st;
    }
    free(editor->file);
    editor->file = path;
    editor->is_new = false;
    editor->n_saved = editor->n_done;
    editor->written = time_of(path);
    return look(editor, err);
}

// ---- edits -----------------------------------------------------------------------------------------

static bool is_layout(const json_t *ops)
{
    for (size_t i = 0; i < json_array_size(ops); i++)
        if (!ui_operation_is_layout(json_array_get(ops, i))) return false;
    return true;
}

// A picture that changes costs nothing more than to note it.
static takt_status apply_layout(ui_editor *editor, const json_t *ops, takt_error *err)
{
    takt_project *project = NULL;
    takt_status st = ui_editor_build(editor, NULL, &project, err);
    takt_project_close(project);
    if (st) return st;
    const json_t *op;
    size_t i, k;
    json_t *component, *components = json_object_get(editor->state, "components");
    json_array_foreach(ops, i, op)
    {
        const char *name = json_string_value(json_object_get(op, "name"));
        json_array_foreach(
            components, k,
            component) if (strcmp(json_string_value(json_object_get(component, "name")), name) == 0)
            json_object_set(component, "box", json_object_get(op, "box"));
    }
    put_status(editor);
    return TAKT_OK;
}

// Edits that were taken back are replaced by another one; where they were saved, the file has others then.
static void forget_redo(ui_editor *editor)
{
    if (editor->n_saved > editor->n_done) editor->n_saved = UI_OTHERS;
    while (json_array_size(editor->edits) > editor->n_done)
        json_array_remove(editor->edits, json_array_size(editor->edits) - 1);
}

takt_status ui_editor_edit(ui_editor *editor, const char *label, const json_t *ops, takt_error *err)
{
    if (!editor->file) return cli_fail(err, TAKT_ERR_USAGE, "no project is open");
    if (!json_array_size(ops)) return cli_fail(err, TAKT_ERR_USAGE, "there is nothing to change");
    json_t *before = json_copy(editor->edits);
    size_t n_saved = editor->n_saved;
    forget_redo(editor);
    json_t *edit = json_pack("{s:s,s:O}", "label", label ? label : "Edit", "ops", ops);
    if (!before || json_array_append_new(editor->edits, edit) != 0) {
        json_decref(before);
        return cli_fail_memory(err);
    }
    editor->n_done++;
    takt_status st = is_layout(ops) ? apply_layout(editor, ops, err) : look(editor, err);
    if (st) {
        json_decref(editor->edits);
        editor->edits = before;
        editor->n_saved = n_saved;
        editor->n_done--;
        return st;
    }
    json_decref(before);
    return TAKT_OK;
}

takt_status ui_editor_undo(ui_editor *editor, takt_error *err)
{
    if (!editor->n_done) return cli_fail(err, TAKT_ERR_USAGE, "there is nothing to undo");
    editor->n_done--;
    takt_status st = look(editor, err);
    if (st) editor->n_done++;
    return st;
}

takt_status ui_editor_redo(ui_editor *editor, takt_error *err)
{
    if (editor->n_done >= json_array_size(editor->edits))
        return cli_fail(err, TAKT_ERR_USAGE, "there is nothing to redo");
    editor->n_done++;
    takt_status st = look(editor, err);
    if (st) editor->n_done--;
    return st;
}

// ---- what could be connected -----------------------------------------------------------------------

static json_t *describe_last(const takt_project *project, int n)
{
    json_t *list = json_array();
    int count = takt_project_count_connections(project);
    for (int i = count - n; i < count; i++) {
        takt_connection_info c = {.size = sizeof c};
        if (takt_project_get_connection(project, i, &c, NULL)) break;
        json_array_append_new(list, json_pack("[s,s,s,s]", c.from_component, c.from_variable,
                                              c.to_component, c.to_variable));
    }
    return list;
}

takt_status ui_editor_propose(const ui_editor *editor, json_t **out, takt_error *err)
{
    takt_problem_list *list = takt_problem_list_create(TAKT_LEVEL_WARN);
    takt_project *project = NULL;
    int n = 0;
    if (!list) return cli_fail_memory(err);
    takt_status st = ui_editor_build(editor, takt_problem_list_log(list), &project, err);
    int n_before = takt_problem_list_count(list);
    if (!st) st = takt_project_auto_connect(project, &n, err);
    json_t *messages = json_array();
    for (int i = n_before; i < takt_problem_list_count(list); i++) {
        takt_problem_info p = {.size = sizeof p};
        if (takt_problem_list_get(list, i, &p, NULL)) break;
        json_array_append_new(messages, json_string(p.text));
    }
    if (!st)
        *out =
            json_pack("{s:o,s:O}", "connections", describe_last(project, n), "messages", messages);
    json_decref(messages);
    takt_project_close(project);
    takt_problem_list_destroy(list);
    return st;
}

// ---- may two variables be connected? ---------------------------------------------------------------

/// One of the two: its component's source and name.
typedef struct side {
    const char *variable; ///< "Tank.level"
    const char *source; ///< NULL: there is no such component
    char name[TAKT_MESSAGE_SIZE]; ///< of the component
    char meant[TAKT_MESSAGE_SIZE]; ///< the variable that a connector of a subsystem stands for
} side;

// The component's name in its system.
static const char *own_name(const side *s)
{
    const char *dot = strrchr(s->name, '.');
    return dot ? dot + 1 : s->name;
}

// A connector stands for a variable: the first one is as good as the others.
static void look_behind_wall(const takt_project *project, side *s)
{
    for (int i = 0; i < takt_project_count_connectors(project); i++) {
        takt_connector_info c = {.size = sizeof c};
        if (takt_project_get_connector(project, i, &c, NULL) || !c.component) continue;
        if (!c.n_system || strcmp(c.name, s->variable) != 0) continue;
        snprintf(s->meant, sizeof s->meant, "%s.%s", c.component, c.variable);
        s->variable = s->meant;
        return;
    }
}

static void find_side(const takt_project *project, side *s)
{
    look_behind_wall(project, s);
    for (int i = 0; i < takt_project_count_components(project); i++) {
        takt_component_info c = {.size = sizeof c};
        if (takt_project_get_component(project, i, &c, NULL) || !c.source) continue;
        size_t length = strlen(c.name);
        if (strncmp(s->variable, c.name, length) != 0 || s->variable[length] != '.') continue;
        snprintf(s->name, sizeof s->name, "%s", c.name);
        s->source = c.source;
    }
}

static takt_status make_pair(takt_project *project, const side *a, const side *b, takt_system **out,
                             takt_error *err)
{
    char first[TAKT_MESSAGE_SIZE], second[TAKT_MESSAGE_SIZE + 8], from[3 * TAKT_MESSAGE_SIZE],
        to[3 * TAKT_MESSAGE_SIZE];
    bool is_one = strcmp(a->name, b->name) == 0;
    snprintf(first, sizeof first, "%s", own_name(a));
    // Of two systems, they may have the same name.
    snprintf(second, sizeof second, "%s%s", own_name(b),
             !is_one && strcmp(own_name(a), own_name(b)) == 0 ? " (2)" : "");
    snprintf(from, sizeof from, "%s%s", first, a->variable + strlen(a->name));
    snprintf(to, sizeof to, "%s%s", second, b->variable + strlen(b->name));
    takt_status st = takt_project_add(project, first, a->source, err);
    if (!st && !is_one) st = takt_project_add(project, second, b->source, err);
    if (!st) st = takt_project_connect(project, from, to, err);
    return st ? st : takt_system_create(project, out, err);
}

// A system of nothing but the two: its first error is the reason.
static char *try_pair(const side *a, const side *b)
{
    takt_problem_list *list = takt_problem_list_create(TAKT_LEVEL_ERROR);
    takt_project *project = NULL;
    takt_system *system = NULL;
    takt_error err = {0};
    takt_status st =
        list ? takt_project_create("pair.ssd", takt_problem_list_log(list), &project, &err)
             : TAKT_ERR_MEMORY;
    if (!st) st = make_pair(project, a, b, &system, &err);
    takt_problem_info first = {.size = sizeof first};
    bool is_told = list && takt_problem_list_get(list, 0, &first, NULL) == TAKT_OK;
    char *reason = st ? strdup(is_told ? first.text : err.message) : NULL;
    takt_system_destroy(system);
    takt_project_close(project);
    takt_problem_list_destroy(list);
    return reason;
}

char *ui_editor_refuses(ui_editor *editor, const char *from, const char *to)
{
    takt_project *project = NULL;
    takt_error err = {0};
    side a = {.variable = from}, b = {.variable = to};
    if (ui_editor_build(editor, NULL, &project, &err)) return strdup(err.message);
    find_side(project, &a);
    find_side(project, &b);
    char *reason = NULL;
    takt_project_disconnect(project, a.variable, b.variable, NULL); // whether they are is not asked
    if (!a.source || !b.source || !strchr(from, '.') || !strchr(to, '.'))
        reason = strdup("there is no such variable");
    // Walls and other files are in the project, types and units in the two.
    else if (takt_project_connect(project, from, to, &err))
        reason = strdup(err.message);
    else
        reason = try_pair(&a, &b);
    takt_project_close(project);
    return reason;
}
