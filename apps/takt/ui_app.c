// SPDX-License-Identifier: MIT
// What the page can ask for: one function for each address. All of them run in the thread of the server.
#include "ui_app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui_describe.h"
#include "ui_paths.h"
#include "support.h"

// ---- project ---------------------------------------------------------------------------------------

static json_t *project_state(const ui_app *app)
{
    return app->editor.state ? json_incref(app->editor.state)
                             : json_pack("{s:n,s:I}", "file", "revision", app->editor.revision);
}

static void tell_project(ui_app *app)
{
    ui_events_send(&app->events, "project", json_pack("{s:I}", "revision", app->editor.revision));
}

typedef takt_status (*answer_fn)(ui_app *app, const ui_request *request, ui_reply *reply,
                                 takt_error *err);

static const char *text_of(const ui_request *request, const char *key)
{
    return json_string_value(json_object_get(request->body, key));
}

static takt_status get_project(ui_app *app, const ui_request *request, ui_reply *reply,
                               takt_error *err)
{
    (void)request, (void)err;
    reply->json = project_state(app);
    if (app->editor.state)
        json_object_set_new(reply->json, "outdated",
                            json_boolean(ui_editor_is_outdated(&app->editor)));
    return TAKT_OK;
}

static takt_status get_settings(ui_app *app, const ui_request *request, ui_reply *reply,
                                takt_error *err)
{
    (void)app, (void)request, (void)err;
    reply->json = ui_describe_settings();
    return TAKT_OK;
}

static takt_status get_folder(ui_app *app, const ui_request *request, ui_reply *reply,
                              takt_error *err)
{
    (void)request, (void)err;
    reply->json = ui_folder_list(app->editor.root);
    json_object_set_new(reply->json, "version", json_string(takt_version()));
    return TAKT_OK;
}

// What a file of the library is: its ports, before it is put on the diagram.
static takt_status get_model(ui_app *app, const ui_request *request, ui_reply *reply,
                             takt_error *err)
{
    const char *name = request->query(request->context, "source");
    char *path = NULL;
    takt_status st = TAKT_OK;
    if (!name) return cli_fail(err, TAKT_ERR_USAGE, "'source' is missing");
    bool is_function = strncmp(name, "builtin:", 8) == 0;
    if (!is_function) st = ui_path_resolve(app->editor.root, name, &path, err);
    if (!st)
        reply->json = json_deep_copy(ui_models_get(&app->editor.models, is_function ? name : path));
    free(path);
    return st;
}

static takt_status changed(ui_app *app, takt_status st, ui_reply *reply)
{
    if (st) return st;
    reply->json = project_state(app);
    tell_project(app);
    return TAKT_OK;
}

static takt_status post_open(ui_app *app, const ui_request *request, ui_reply *reply,
                             takt_error *err)
{
    const char *name = text_of(request, "file");
    bool is_new = json_is_true(json_object_get(request->body, "new"));
    char *path = NULL;
    if (!name) return cli_fail(err, TAKT_ERR_USAGE, "'file' is missing");
    takt_status st = ui_path_resolve(app->editor.root, name, &path, err);
    if (!st && is_new && access(path, F_OK) == 0)
        st = cli_fail(err, TAKT_ERR_USAGE, "%s is there already; open it, or choose another name",
                      name);
    if (!st && is_new && !cli_ends_in(name, ".ssd") && !cli_ends_in(name, ".ssp"))
        st = cli_fail(err, TAKT_ERR_USAGE, "the name of a new system must end in .ssd or .ssp");
    if (!st) st = ui_editor_open(&app->editor, path, is_new, err);
    free(path);
    return changed(app, st, reply);
}

static takt_status post_edit(ui_app *app, const ui_request *request, ui_reply *reply,
                             takt_error *err)
{
    takt_status st = ui_editor_edit(&app->editor, text_of(request, "label"),
                                    json_object_get(request->body, "ops"), err);
    return changed(app, st, reply);
}

static takt_status post_undo(ui_app *app, const ui_request *request, ui_reply *reply,
                             takt_error *err)
{
    (void)request;
    return changed(app, ui_editor_undo(&app->editor, err), reply);
}

static takt_status post_redo(ui_app *app, const ui_request *request, ui_reply *reply,
                             takt_error *err)
{
    (void)request;
    return changed(app, ui_editor_redo(&app->editor, err), reply);
}

static takt_status post_save(ui_app *app, const ui_request *request, ui_reply *reply,
                             takt_error *err)
{
    const char *name = text_of(request, "file");
    char *path = NULL;
    takt_status st = name ? ui_path_resolve(app->editor.root, name, &path, err) : TAKT_OK;
    if (!st) st = ui_editor_save(&app->editor, path, err);
    free(path);
    return changed(app, st, reply);
}

// Why one variable cannot drive each of some others: {"reasons": [null, "..."]}.
static takt_status post_fits(ui_app *app, const ui_request *request, ui_reply *reply,
                             takt_error *err)
{
    const char *from = text_of(request, "from");
    const json_t *to = json_object_get(request->body, "to"), *one;
    size_t i;
    if (!from || json_array_size(to) > 200)
        return cli_fail(err, TAKT_ERR_USAGE, "'from' is missing, or 'to' has more than 200 items");
    json_t *reasons = json_array();
    json_array_foreach(to, i, one)
    {
        const char *name = json_string_value(one);
        char *reason = ui_editor_refuses(&app->editor, from, name ? name : "");
        json_array_append_new(reasons, reason ? json_string(reason) : json_null());
        free(reason);
    }
    reply->json = json_pack("{s:o}", "reasons", reasons);
    return TAKT_OK;
}

// ---- runs ------------------------------------------------------------------------------------------

static ui_run *find_run(const ui_app *app, const char *text)
{
    for (int i = 0; text && i < app->n_runs; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", ui_run_id(app->runs[i]));
        if (strcmp(id, text) == 0) return app->runs[i];
    }
    return NULL;
}

static takt_status asked_run(ui_app *app, const ui_request *request, ui_run **out, takt_error *err)
{
    const char *id = request->query(request->context, "run");
    *out = find_run(app, id);
    return *out ? TAKT_OK : cli_fail(err, TAKT_ERR_USAGE, "there is no run %s", id ? id : "");
}

static json_t *list_runs(const ui_app *app)
{
    json_t *list = json_array();
    for (int i = 0; i < app->n_runs; i++) json_array_append_new(list, ui_run_status(app->runs[i]));
    return list;
}

// From the thread of a run.
static void run_changed(void *context)
{
    ui_app *app = context;
    ui_events_send(&app->events, "run", json_object());
}

static takt_status get_runs(ui_app *app, const ui_request *request, ui_reply *reply,
                            takt_error *err)
{
    (void)request, (void)err;
    reply->json = list_runs(app);
    return TAKT_OK;
}

static ui_run_options options_of(ui_app *app, const ui_request *request)
{
    return (ui_run_options){
        .id = ++app->n_started,
        .folder = app->folder,
        .pace = json_number_value(json_object_get(request->body, "pace")),
        .is_paused = json_is_true(json_object_get(request->body, "paused")),
        .is_isolated = app->is_isolated,
        .changed = run_changed,
        .context = app,
    };
}

// The oldest run makes room; not one that goes on, of which there is one at most.
static void keep_run(ui_app *app, ui_run *run)
{
    if (app->n_runs == UI_MAX_RUNS) {
        int i = ui_run_is_over(app->runs[0]) ? 0 : 1;
        ui_run_end(app->runs[i]);
        app->n_runs--;
        memmove(app->runs + i, app->runs + i + 1, (size_t)(app->n_runs - i) * sizeof *app->runs);
    }
    app->runs[app->n_runs++] = run;
    run_changed(app);
}

static takt_status start_run(ui_app *app, const ui_request *request, ui_run **out, takt_error *err)
{
    for (int i = 0; i < app->n_runs; i++)
        if (!ui_run_is_over(app->runs[i]))
            return cli_fail(err, TAKT_ERR_USAGE, "a run goes on; stop it first");
    const ui_run_options options = options_of(app, request);
    return ui_run_start(&app->editor, &options, out, err);
}

static takt_status post_run(ui_app *app, const ui_request *request, ui_reply *reply,
                            takt_error *err)
{
    const char *word = text_of(request, "do");
    ui_run *run = NULL;
    takt_status st = TAKT_OK;
    if (!word) return cli_fail(err, TAKT_ERR_USAGE, "'do' is missing");
    if (strcmp(word, "start") == 0) {
        st = start_run(app, request, &run, err);
        if (!st) keep_run(app, run);
    } else {
        st = asked_run(app, request, &run, err);
        if (!st)
            st = ui_run_command(run, word, text_of(request, "name"), text_of(request, "value"),
                                json_number_value(json_object_get(request->body, "factor")), err);
    }
    if (!st) reply->json = ui_run_status(run);
    return st;
}

static takt_status post_load(ui_app *app, const ui_request *request, ui_reply *reply,
                             takt_error *err)
{
    const char *name = text_of(request, "file");
    char *path = NULL;
    ui_run *run = NULL;
    if (!name) return cli_fail(err, TAKT_ERR_USAGE, "'file' is missing");
    takt_status st = ui_path_resolve(app->editor.root, name, &path, err);
    const ui_run_options options = options_of(app, request);
    if (!st) st = ui_run_load(path, name, &options, &run, err);
    free(path);
    if (st) return st;
    keep_run(app, run);
    reply->json = ui_run_status(run);
    return TAKT_OK;
}

static takt_status get_columns(ui_app *app, const ui_request *request, ui_reply *reply,
                               takt_error *err)
{
    ui_run *run = NULL;
    takt_status st = asked_run(app, request, &run, err);
    if (!st) reply->json = ui_run_columns(run);
    return st;
}

static double number_of(const ui_request *request, const char *name, double missing)
{
    const char *text = request->query(request->context, name);
    double value;
    return text && takt_number_read(text, text + strlen(text), &value) ? value : missing;
}

static takt_status get_messages(ui_app *app, const ui_request *request, ui_reply *reply,
                                takt_error *err)
{
    ui_run *run = NULL;
    double after = number_of(request, "after", 0);
    takt_status st = asked_run(app, request, &run, err);
    if (!st) reply->json = ui_run_messages(run, after > 0 && after < 1e9 ? (size_t)after : 0);
    return st;
}

static takt_status get_details(ui_app *app, const ui_request *request, ui_reply *reply,
                               takt_error *err)
{
    ui_run *run = NULL;
    takt_status st = asked_run(app, request, &run, err);
    if (!st) reply->json = ui_run_details(run);
    return st;
}

static takt_status finish_text(ui_reply *reply, takt_error *err)
{
    reply->type = "application/json";
    return reply->text ? TAKT_OK : cli_fail(err, TAKT_ERR_USAGE, "there is no such column");
}

static takt_status get_values(ui_app *app, const ui_request *request, ui_reply *reply,
                              takt_error *err)
{
    ui_run *run = NULL;
    takt_status st = asked_run(app, request, &run, err);
    if (st) return st;
    reply->text = ui_run_values(run, number_of(request, "time", NAN));
    return finish_text(reply, err);
}

// "3,5,8" as numbers; at most `max`.
static int read_columns(const char *text, int *columns, int max)
{
    int n = 0;
    while (text && *text && n < max) {
        char *end;
        columns[n++] = (int)strtol(text, &end, 10);
        if (end == text) return -1;
        text = *end == ',' ? end + 1 : end;
    }
    return n;
}

static takt_status get_data(ui_app *app, const ui_request *request, ui_reply *reply,
                            takt_error *err)
{
    enum { MAX_COLUMNS = 200 };
    ui_run *run = NULL;
    int columns[MAX_COLUMNS];
    takt_status st = asked_run(app, request, &run, err);
    if (st) return st;
    int n = read_columns(request->query(request->context, "columns"), columns, MAX_COLUMNS);
    double width = number_of(request, "width", 1000);
    if (n < 0 || !(width >= 1 && width <= 20000))
        return cli_fail(err, TAKT_ERR_USAGE, "'columns' or 'width' is wrong");
    bool is_steps = request->query(request->context, "steps") != NULL;
    reply->text = ui_run_view(run, is_steps, number_of(request, "from", -HUGE_VAL),
                              number_of(request, "to", HUGE_VAL), (int)width, columns, n);
    return finish_text(reply, err);
}

static takt_status get_results(ui_app *app, const ui_request *request, ui_reply *reply,
                               takt_error *err)
{
    ui_run *run = NULL;
    takt_status st = asked_run(app, request, &run, err);
    if (st) return st;
    reply->file = strdup(ui_run_results(run));
    reply->type = "text/csv; charset=utf-8";
    reply->download = "results.csv";
    return reply->file ? TAKT_OK : cli_fail_memory(err);
}

static takt_status get_report(ui_app *app, const ui_request *request, ui_reply *reply,
                              takt_error *err)
{
    ui_run *run = NULL;
    takt_status st = asked_run(app, request, &run, err);
    if (!st) st = ui_run_report(run, &reply->text, err);
    reply->type = "text/html; charset=utf-8";
    return st;
}

// ---- addresses -------------------------------------------------------------------------------------

static const struct address {
    const char *method, *path;
    answer_fn answer;
} addresses[] = {
    {"GET", "/api/project", get_project},   {"GET", "/api/settings", get_settings},
    {"GET", "/api/folder", get_folder},     {"GET", "/api/model", get_model},
    {"POST", "/api/open", post_open},       {"POST", "/api/edit", post_edit},
    {"POST", "/api/undo", post_undo},       {"POST", "/api/redo", post_redo},
    {"POST", "/api/save", post_save},       {"POST", "/api/fits", post_fits},
    {"GET", "/api/runs", get_runs},         {"POST", "/api/run", post_run},
    {"POST", "/api/load", post_load},       {"GET", "/api/columns", get_columns},
    {"GET", "/api/messages", get_messages}, {"GET", "/api/details", get_details},
    {"GET", "/api/values", get_values},     {"GET", "/api/data", get_data},
    {"GET", "/api/results", get_results},   {"GET", "/api/report", get_report},
};

void ui_app_answer(ui_app *app, const ui_request *request, ui_reply *reply)
{
    takt_error err = {0};
    takt_status st = TAKT_ERR_USAGE;
    bool is_known = false, is_answered = false;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses && !is_answered; i++) {
        if (strcmp(addresses[i].path, request->path) != 0) continue;
        is_known = true;
        is_answered = strcmp(addresses[i].method, request->method) == 0;
        if (is_answered) st = addresses[i].answer(app, request, reply, &err);
    }
    if (!st) return;
    reply->status = is_answered ? 400 : is_known ? 405 : 404;
    if (!is_answered)
        cli_fail(&err, st, is_known ? "this method is not possible here" : "there is nothing here");
    json_decref(reply->json);
    reply->json = json_pack("{s:s}", "error", err.message);
}

void ui_app_note_upload(ui_app *app, const char *name)
{
    ui_events_send(&app->events, "folder",
                   json_pack("{s:s}", "file", ui_path_shown(app->editor.root, name)));
}

// ---- beginning and end -----------------------------------------------------------------------------

takt_status ui_app_open(ui_app *app, const char *folder, const char *file, takt_error *err)
{
    const char *temp = getenv("TMPDIR");
    char *path = NULL;
    ui_events_open(&app->events);
    takt_status st = ui_editor_open_folder(&app->editor, folder, err);
    int length = snprintf(app->folder, sizeof app->folder, "%s/takt-ui-XXXXXX",
                          temp && strlen(temp) < sizeof app->folder - 20 ? temp : "/tmp");
    if (!st && (length >= (int)sizeof app->folder || !mkdtemp(app->folder))) {
        st = cli_fail(err, TAKT_ERR_OUTPUT, "no temporary folder %s could be made", app->folder);
        app->folder[0] = 0;
    }
    if (!st && file) st = ui_path_resolve(app->editor.root, file, &path, err);
    if (!st && file) st = ui_editor_open(&app->editor, path, access(path, F_OK) != 0, err);
    free(path);
    return st;
}

void ui_app_close(ui_app *app)
{
    for (int i = 0; i < app->n_runs; i++) ui_run_end(app->runs[i]);
    app->n_runs = 0;
    ui_editor_close(&app->editor);
    if (app->folder[0]) rmdir(app->folder);
    ui_events_close(&app->events);
}
