// SPDX-License-Identifier: MIT
// What the page can ask for: one function for each address. All of them run in the thread of the server.
#include "ui_app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui_describe.h"
#include "ui_paths.h"
#include "ui_text.h"
#include "support.h"

/// What is asked, with what the address says it needs.
typedef struct question {
    ui_app *app;
    const ui_request *request;
    ui_run *run; ///< the one it names; NULL: the address needs none
    const char *name; ///< of the file it names; NULL: none
    char *path; ///< of that file: absolute, in the folder; NULL: none
} question;

static const char *text_of(const question *q, const char *key)
{
    return json_string_value(json_object_get(q->request->body, key));
}

static double number_of(const question *q, const char *name, double missing)
{
    const char *text = q->request->query(q->request->context, name);
    double value;
    return text && takt_number_read(text, text + strlen(text), &value) ? value : missing;
}

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

static takt_status get_project(const question *q, ui_reply *reply, takt_error *err)
{
    (void)err;
    reply->json = project_state(q->app);
    if (q->app->editor.state)
        json_object_set_new(reply->json, "outdated",
                            json_boolean(ui_editor_is_outdated(&q->app->editor)));
    return TAKT_OK;
}

static takt_status get_settings(const question *q, ui_reply *reply, takt_error *err)
{
    (void)q, (void)err;
    reply->json = ui_describe_settings();
    return TAKT_OK;
}

static takt_status get_folder(const question *q, ui_reply *reply, takt_error *err)
{
    (void)err;
    reply->json = ui_folder_list(q->app->editor.root);
    json_object_set_new(reply->json, "version", json_string(takt_version()));
    return TAKT_OK;
}

// What a file of the library is: its ports, before it is put on the diagram.
static takt_status get_model(const question *q, ui_reply *reply, takt_error *err)
{
    const char *name = q->request->query(q->request->context, "source");
    char *path = NULL;
    takt_status st = TAKT_OK;
    if (!name) return cli_fail(err, TAKT_ERR_USAGE, "'source' is missing");
    bool is_function = strncmp(name, "builtin:", 8) == 0;
    if (!is_function) st = ui_path_resolve(q->app->editor.root, name, &path, err);
    if (!st)
        reply->json =
            json_deep_copy(ui_models_get(&q->app->editor.models, is_function ? name : path));
    free(path);
    return st;
}

static takt_status check_new(const question *q, takt_error *err)
{
    if (access(q->path, F_OK) == 0)
        return cli_fail(err, TAKT_ERR_USAGE, "%s is there already; open it, or choose another name",
                        q->name);
    if (!cli_ends_in(q->name, ".ssd") && !cli_ends_in(q->name, ".ssp"))
        return cli_fail(err, TAKT_ERR_USAGE, "the name of a new system must end in .ssd or .ssp");
    return TAKT_OK;
}

static takt_status post_open(const question *q, ui_reply *reply, takt_error *err)
{
    (void)reply;
    bool is_new = json_is_true(json_object_get(q->request->body, "new"));
    takt_status st = is_new ? check_new(q, err) : TAKT_OK;
    return st ? st : ui_editor_open(&q->app->editor, q->path, is_new, err);
}

static takt_status post_edit(const question *q, ui_reply *reply, takt_error *err)
{
    (void)reply;
    return ui_editor_edit(&q->app->editor, text_of(q, "label"),
                          json_object_get(q->request->body, "ops"), err);
}

static takt_status post_undo(const question *q, ui_reply *reply, takt_error *err)
{
    (void)reply;
    return ui_editor_undo(&q->app->editor, err);
}

static takt_status post_redo(const question *q, ui_reply *reply, takt_error *err)
{
    (void)reply;
    return ui_editor_redo(&q->app->editor, err);
}

static takt_status post_save(const question *q, ui_reply *reply, takt_error *err)
{
    (void)reply;
    return ui_editor_save(&q->app->editor, q->path, err);
}

// Why one variable cannot drive each of some others: {"reasons": [null, "..."]}.
static takt_status post_fits(const question *q, ui_reply *reply, takt_error *err)
{
    const char *from = text_of(q, "from");
    const json_t *to = json_object_get(q->request->body, "to"), *one;
    size_t i;
    if (!from || json_array_size(to) > 200)
        return cli_fail(err, TAKT_ERR_USAGE, "'from' is missing, or 'to' has more than 200 items");
    json_t *reasons = json_array();
    json_array_foreach(to, i, one)
    {
        const char *name = json_string_value(one);
        char *reason = ui_editor_refuses(&q->app->editor, from, name ? name : "");
        json_array_append_new(reasons, reason ? json_string(reason) : json_null());
        free(reason);
    }
    reply->json = json_pack("{s:o}", "reasons", reasons);
    return TAKT_OK;
}

static takt_status get_proposals(const question *q, ui_reply *reply, takt_error *err)
{
    return ui_editor_propose(&q->app->editor, &reply->json, err);
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

static takt_status asked_run(const question *q, ui_run **out, takt_error *err)
{
    const char *id = q->request->query(q->request->context, "run");
    *out = find_run(q->app, id);
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

static takt_status get_runs(const question *q, ui_reply *reply, takt_error *err)
{
    (void)err;
    reply->json = list_runs(q->app);
    return TAKT_OK;
}

static ui_run_options options_of(const question *q)
{
    const json_t *body = q->request->body;
    return (ui_run_options){
        .id = ++q->app->n_started,
        .folder = q->app->folder,
        .pace = json_number_value(json_object_get(body, "pace")),
        .is_paused = json_is_true(json_object_get(body, "paused")),
        .is_isolated = q->app->is_isolated,
        .changed = run_changed,
        .context = q->app,
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

static takt_status start_run(const question *q, ui_run **out, takt_error *err)
{
    const ui_app *app = q->app;
    for (int i = 0; i < app->n_runs; i++)
        if (!ui_run_is_over(app->runs[i]))
            return cli_fail(err, TAKT_ERR_USAGE, "a run goes on; stop it first");
    const ui_run_options options = options_of(q);
    return ui_run_start(&app->editor, &options, out, err);
}

static takt_status post_run(const question *q, ui_reply *reply, takt_error *err)
{
    const char *word = text_of(q, "do");
    ui_run *run = NULL;
    takt_status st = TAKT_OK;
    if (!word) return cli_fail(err, TAKT_ERR_USAGE, "'do' is missing");
    if (strcmp(word, "start") == 0) {
        st = start_run(q, &run, err);
        if (!st) keep_run(q->app, run);
    } else {
        st = asked_run(q, &run, err);
        if (!st)
            st =
                ui_run_command(run, word, text_of(q, "name"), text_of(q, "value"),
                               json_number_value(json_object_get(q->request->body, "factor")), err);
    }
    if (!st) reply->json = ui_run_status(run);
    return st;
}

static takt_status post_load(const question *q, ui_reply *reply, takt_error *err)
{
    ui_run *run = NULL;
    const ui_run_options options = options_of(q);
    takt_status st = ui_run_load(q->path, q->name, &options, &run, err);
    if (st) return st;
    keep_run(q->app, run);
    reply->json = ui_run_status(run);
    return TAKT_OK;
}

static takt_status get_columns(const question *q, ui_reply *reply, takt_error *err)
{
    (void)err;
    reply->json = ui_run_columns(q->run);
    return TAKT_OK;
}

static takt_status get_messages(const question *q, ui_reply *reply, takt_error *err)
{
    (void)err;
    double after = number_of(q, "after", 0);
    reply->json = ui_run_messages(q->run, after > 0 && after < 1e9 ? (size_t)after : 0);
    return TAKT_OK;
}

static takt_status get_details(const question *q, ui_reply *reply, takt_error *err)
{
    (void)err;
    reply->json = ui_run_details(q->run);
    return TAKT_OK;
}

static takt_status finish_text(ui_reply *reply, takt_error *err)
{
    reply->type = "application/json";
    return reply->text ? TAKT_OK : cli_fail(err, TAKT_ERR_USAGE, "there is no such column");
}

static takt_status get_values(const question *q, ui_reply *reply, takt_error *err)
{
    reply->text = ui_run_values(q->run, number_of(q, "time", NAN));
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

static takt_status get_data(const question *q, ui_reply *reply, takt_error *err)
{
    enum { MAX_COLUMNS = 200 };
    int columns[MAX_COLUMNS];
    const ui_request *r = q->request;
    int n = read_columns(r->query(r->context, "columns"), columns, MAX_COLUMNS);
    double width = number_of(q, "width", 1000);
    if (n < 0 || !(width >= 1 && width <= 20000))
        return cli_fail(err, TAKT_ERR_USAGE, "'columns' or 'width' is wrong");
    bool is_steps = r->query(r->context, "steps") != NULL;
    reply->text = ui_run_view(q->run, is_steps, number_of(q, "from", -HUGE_VAL),
                              number_of(q, "to", HUGE_VAL), (int)width, columns, n);
    return finish_text(reply, err);
}

static takt_status get_results(const question *q, ui_reply *reply, takt_error *err)
{
    reply->file = strdup(ui_run_results(q->run));
    reply->type = "text/csv; charset=utf-8";
    reply->download = "results.csv";
    return reply->file ? TAKT_OK : cli_fail_memory(err);
}

static takt_status get_report(const question *q, ui_reply *reply, takt_error *err)
{
    reply->type = "text/html; charset=utf-8";
    return ui_run_report(q->run, &reply->text, err);
}

// ---- addresses -------------------------------------------------------------------------------------

enum {
    RUN = 1, // names a run
    FILE_NAME = 2, // may name a file of the folder
    NEEDS_FILE = 4, // must do so
    CHANGES = 8, // the project; answers with its new state, and all pages are told
};

static const struct address {
    const char *method, *path;
    takt_status (*answer)(const question *q, ui_reply *reply, takt_error *err);
    int flags;
} addresses[] = {
    {"GET", "/api/project", get_project, 0},
    {"GET", "/api/settings", get_settings, 0},
    {"GET", "/api/folder", get_folder, 0},
    {"GET", "/api/model", get_model, 0},
    {"GET", "/api/proposals", get_proposals, 0},
    {"POST", "/api/fits", post_fits, 0},
    {"POST", "/api/open", post_open, FILE_NAME | NEEDS_FILE | CHANGES},
    {"POST", "/api/edit", post_edit, CHANGES},
    {"POST", "/api/undo", post_undo, CHANGES},
    {"POST", "/api/redo", post_redo, CHANGES},
    {"POST", "/api/save", post_save, FILE_NAME | CHANGES},
    {"GET", "/api/runs", get_runs, 0},
    {"POST", "/api/run", post_run, 0},
    {"POST", "/api/load", post_load, FILE_NAME | NEEDS_FILE},
    {"GET", "/api/columns", get_columns, RUN},
    {"GET", "/api/messages", get_messages, RUN},
    {"GET", "/api/details", get_details, RUN},
    {"GET", "/api/values", get_values, RUN},
    {"GET", "/api/data", get_data, RUN},
    {"GET", "/api/results", get_results, RUN},
    {"GET", "/api/report", get_report, RUN},
};

static takt_status find_file(question *q, bool is_needed, takt_error *err)
{
    q->name = text_of(q, "file");
    if (q->name) return ui_path_resolve(q->app->editor.root, q->name, &q->path, err);
    return is_needed ? cli_fail(err, TAKT_ERR_USAGE, "'file' is missing") : TAKT_OK;
}

static takt_status answer(ui_app *app, const struct address *a, const ui_request *request,
                          ui_reply *reply, takt_error *err)
{
    question q = {.app = app, .request = request};
    takt_status st = TAKT_OK;
    if (a->flags & RUN) st = asked_run(&q, &q.run, err);
    if (!st && a->flags & FILE_NAME) st = find_file(&q, a->flags & NEEDS_FILE, err);
    if (!st) st = a->answer(&q, reply, err);
    free(q.path);
    if (st || !(a->flags & CHANGES)) return st;
    reply->json = project_state(app);
    tell_project(app);
    return TAKT_OK;
}

void ui_app_answer(ui_app *app, const ui_request *request, ui_reply *reply)
{
    takt_error err = {0};
    takt_status st = TAKT_ERR_USAGE;
    bool is_known = false, is_answered = false;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses && !is_answered; i++) {
        if (strcmp(addresses[i].path, request->path) != 0) continue;
        is_known = true;
        is_answered = strcmp(addresses[i].method, request->method) == 0;
        if (is_answered) st = answer(app, &addresses[i], request, reply, &err);
    }
    bool is_empty = !reply->json && !reply->text && !reply->file;
    if (!st && is_empty) st = cli_fail(&err, TAKT_ERR_INPUT, "a name in this is no UTF-8");
    if (!st) return;
    reply->status = is_answered ? 400 : is_known ? 405 : 404;
    if (!is_answered)
        cli_fail(&err, st, is_known ? "this method is not possible here" : "there is nothing here");
    json_decref(reply->json);
    reply->json = json_pack("{s:o}", "error", ui_text_json(err.message));
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
    takt_status st = ui_editor_open_folder(&app->editor, folder, app->folder, err);
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
