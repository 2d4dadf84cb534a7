// SPDX-License-Identifier: MIT
// A run that the page controls; see ui_run.h. One lock guards everything that both threads use; takt_run and what it was made of
// belong to the thread of the run alone.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "exit_guard.h"
#include "ui_run.h"
#include "ui_text.h"
#include "support.h"

enum { MAX_MESSAGES = 20000, PATIENCE = 3 /* s */ };

static const char *const state_words[] = {"starting",   "running", "paused", "finished",
                                          "terminated", "stopped", "failed", "loaded"};

// ---- what both threads use -------------------------------------------------------------------------

static void set_state(ui_run *run, ui_state state)
{
    pthread_mutex_lock(&run->lock);
    run->state = state;
    pthread_cond_broadcast(&run->wakes);
    pthread_mutex_unlock(&run->lock);
    run->options.changed(run->options.context);
}

static void keep_message(void *context, const takt_message *message)
{
    ui_run *run = context;
    pthread_mutex_lock(&run->lock);
    if (json_array_size(run->messages) < MAX_MESSAGES)
        json_array_append_new(run->messages,
                              json_pack("{s:f,s:s,s:s?,s:s,s:s?,s:i}", "time", run->time, "level",
                                        takt_level_name(message->level), "source", message->source,
                                        "text", message->text, "file", message->file, "line",
                                        message->line));
    if (message->level == TAKT_LEVEL_WARN) run->n_warnings++;
    pthread_mutex_unlock(&run->lock);
}

static void note(ui_run *run, takt_level level, const char *text)
{
    keep_message(run, &(takt_message){.size = sizeof(takt_message), .level = level, .text = text});
}

// ---- in the thread of the run ----------------------------------------------------------------------

static double value_of(const takt_column_info *c, const takt_row *row)
{
    if (c->kind == TAKT_KIND_REAL) return row->reals[c->index];
    return c->kind == TAKT_KIND_INTEGER ? (double)row->integers[c->index] : NAN;
}

static int keep_row(void *context, const takt_row *row)
{
    ui_run *run = context;
    for (int i = 0; i < run->rows.n_columns; i++) run->row[i] = value_of(&run->columns[i], row);
    pthread_mutex_lock(&run->lock);
    ui_rows_add(&run->rows, row->time, run->row);
    run->time = row->time;
    pthread_mutex_unlock(&run->lock);
    return 0;
}

static takt_status prepare_rows(ui_run *run, takt_error *err)
{
    int n = takt_run_count_columns(run->run);
    run->columns = calloc((size_t)n + 1, sizeof *run->columns);
    run->row = calloc((size_t)n + 1, sizeof *run->row);
    if (!run->columns || !run->row) return cli_fail_memory(err);
    takt_status st = TAKT_OK;
    pthread_mutex_lock(&run->lock);
    for (int i = 0; i < n && !st; i++) {
        takt_column_info *c = &run->columns[i];
        c->size = sizeof *c;
        st = takt_run_get_column(run->run, i, c, err);
        if (!st && !ui_rows_add_column(&run->rows, c->name, c->unit, takt_type_name(c->type)))
            st = cli_fail_memory(err);
    }
    pthread_mutex_unlock(&run->lock);
    return st ? st : takt_run_observe(run->run, keep_row, run, err);
}

// A call to an FMU does not return, or crashed: nothing but ending the program is left.
static void give_up(void *context, const takt_error *err)
{
    ui_run *run = context;
    fprintf(stderr, "takt: error: %s\n", err->message);
    takt_system_remove_files(run->system);
    cli_exit_now(takt_status_exit_code(err->status));
}

static json_t *describe_experiment(const takt_system *system)
{
    char *text = NULL;
    if (takt_system_describe(system, TAKT_TOPIC_EXPERIMENT, TAKT_FORMAT_JSON, &text, NULL))
        return NULL;
    json_t *object = json_loads(text, 0, NULL);
    takt_free(text);
    return object;
}

static takt_status create(ui_run *run, takt_error *err)
{
    const takt_watch_options watch = {.size = sizeof watch, .on_end = give_up, .context = run};
    takt_run_options options = takt_run_options_default();
    options.watch = &watch;
    takt_status st = takt_system_create(run->project, &run->system, err);
    if (!st) st = takt_system_check(run->system, err);
    if (!st) st = takt_run_create_with(run->system, &options, &run->run, err);
    if (!st) st = takt_run_record(run->run, run->results, err);
    if (!st) st = prepare_rows(run, err);
    if (!st) st = takt_run_initialize(run->run, err);
    if (!st) takt_run_describe_results(run->run, run->results, NULL); // plots then know units
    if (st) return st;
    pthread_mutex_lock(&run->lock);
    run->is_initialized = true;
    run->experiment = describe_experiment(run->system);
    run->start = takt_run_start_time(run->run);
    run->stop = takt_run_stop_time(run->run);
    run->began = cli_clock();
    pthread_mutex_unlock(&run->lock);
    return TAKT_OK;
}

// What the statistics say now; often enough for the eye.
static void look_at_statistics(ui_run *run, double patience)
{
    double now = cli_clock();
    if (now - run->looked < patience) return;
    char *json = takt_run_statistics_json(run->run, run->ending ? run->ending : "running");
    pthread_mutex_lock(&run->lock);
    takt_free(run->statistics);
    run->statistics = json;
    run->looked = now;
    run->elapsed = now - run->began;
    pthread_mutex_unlock(&run->lock);
    run->options.changed(run->options.context);
}

static void keep_step(ui_run *run, double before)
{
    takt_statistics s = {.size = sizeof s};
    takt_run_statistics(run->run, &s, NULL);
    int64_t sweeps = 0;
    for (int i = 0; i < s.n_loops; i++) sweeps += s.loops[i]->sweeps;
    int64_t doubtful = s.doubtful_steps->unconverged;
    double time = takt_run_time(run->run);
    const double values[] = {time - before, (double)(sweeps - run->sweeps),
                             (double)(s.rejected - run->rejected),
                             (double)(doubtful - run->unconverged)};
    run->sweeps = sweeps;
    run->rejected = s.rejected;
    run->unconverged = doubtful;
    pthread_mutex_lock(&run->lock);
    ui_rows_add(&run->steps, time, values);
    run->time = time;
    pthread_mutex_unlock(&run->lock);
}

// The value of a text, into a view of one variable.
static takt_status put_value(takt_view *view, const char *name, const char *text, takt_error *err)
{
    takt_view_item item = {.size = sizeof item};
    const double too_large = 9223372036854775808.0; // 2^63
    double number = 0;
    takt_status st = takt_view_get_item(view, 0, &item, err);
    if (!st && item.n != 1) st = cli_fail(err, TAKT_ERR_USAGE, "%s is an array", name);
    if (st) return st;
    if (item.kind == TAKT_KIND_BYTES) return takt_view_put_bytes(view, 0, text, strlen(text), err);
    if (strcmp(text, "true") == 0) text = "1";
    if (strcmp(text, "false") == 0) text = "0";
    if (!takt_number_read(text, text + strlen(text), &number))
        return cli_fail(err, TAKT_ERR_USAGE, "%s: '%s' is no number", name, text);
    if (item.kind == TAKT_KIND_REAL) {
        takt_view_reals(view)[0] = number;
        return TAKT_OK;
    }
    if (number != rint(number))
        return cli_fail(err, TAKT_ERR_USAGE, "%s: %s is no whole number", name, text);
    if (!(number >= -too_large && number < too_large))
        return cli_fail(err, TAKT_ERR_USAGE, "%s: %s is too large", name, text);
    takt_view_integers(view)[0] = (int64_t)number;
    return TAKT_OK;
}

// Sets, holds or releases a variable between two steps, as an event.
static takt_status change_variable(ui_run *run, ui_change_kind kind, const char *name,
                                   const char *text, takt_error *err)
{
    takt_view *view = NULL;
    takt_status st = takt_view_create(run->run, &name, 1, &view, err);
    if (!st && kind != UI_RELEASE) st = put_value(view, name, text, err);
    if (!st && kind == UI_SET) st = takt_view_write(view, err);
    if (!st && kind == UI_HOLD) st = takt_view_hold(view, err);
    if (!st && kind == UI_RELEASE) st = takt_view_release(view, err);
    takt_view_destroy(view);
    return st;
}

// For the log, and for pages that look later.
static void note_change(ui_run *run, ui_change_kind kind, const char *name, const char *text)
{
    char told[TAKT_MESSAGE_SIZE];
    if (kind == UI_RELEASE)
        snprintf(told, sizeof told, "%.200s released", name);
    else
        snprintf(told, sizeof told, "%.200s %s %.200s", name,
                 kind == UI_HOLD ? "held at" : "set to", text);
    note(run, TAKT_LEVEL_INFO, told);
    pthread_mutex_lock(&run->lock);
    if (kind == UI_HOLD) json_object_set_new(run->held, name, json_string(text));
    if (kind == UI_RELEASE) json_object_del(run->held, name);
    pthread_mutex_unlock(&run->lock);
}

// Carries out the change that waits, while the other thread waits for its result.
static void carry_out(ui_run *run)
{
    pthread_mutex_lock(&run->lock);
    const char *name = run->change_name, *text = run->change_text;
    ui_change_kind kind = run->change_kind;
    double pace = run->pace;
    bool is_pace = run->has_new_pace;
    run->has_new_pace = false;
    run->is_changing = name != NULL;
    pthread_mutex_unlock(&run->lock);
    takt_error err = {0};
    if (is_pace && takt_run_set_pace(run->run, pace > 0 ? pace : 1e300, &err))
        note(run, TAKT_LEVEL_ERROR, err.message);
    if (!name) return;
    takt_status st = change_variable(run, kind, name, text, &err);
    if (!st) note_change(run, kind, name, text);
    pthread_mutex_lock(&run->lock);
    run->change_name = run->change_text = NULL;
    run->is_changing = false;
    run->change_status = st;
    run->change_error = err;
    pthread_cond_broadcast(&run->wakes);
    pthread_mutex_unlock(&run->lock);
    if (!st) run->options.changed(run->options.context);
}

static bool has_work(const ui_run *run)
{
    return run->wants_stop || run->n_steps > 0 || !run->wants_pause || run->change_name ||
           run->has_new_pace;
}

// Waits while the run is paused. Returns false when it shall stop.
static bool wait_for_turn(ui_run *run)
{
    for (;;) {
        pthread_mutex_lock(&run->lock);
        bool is_pausing = run->wants_pause && run->n_steps == 0 && !run->wants_stop;
        bool is_new = is_pausing && run->state != UI_PAUSED;
        pthread_mutex_unlock(&run->lock);
        if (is_new) {
            set_state(run, UI_PAUSED);
            look_at_statistics(run, 0);
        }
        pthread_mutex_lock(&run->lock);
        while (!has_work(run)) pthread_cond_wait(&run->wakes, &run->lock);
        bool may_step = !run->wants_pause || run->n_steps > 0, stops = run->wants_stop;
        if (!stops && may_step && run->n_steps > 0) run->n_steps--;
        bool is_going = !stops && may_step && run->state != UI_RUNNING && !run->wants_pause;
        pthread_mutex_unlock(&run->lock);
        if (is_going) set_state(run, UI_RUNNING);
        carry_out(run);
        if (stops || may_step) return !stops;
    }
}

// Until real time has come to the communication point, as far as the run is paced.
static void keep_pace(ui_run *run)
{
    while (!takt_run_wait(run->run, 0.05)) {
        pthread_mutex_lock(&run->lock);
        bool is_over = run->wants_stop || run->wants_pause || run->has_new_pace;
        pthread_mutex_unlock(&run->lock);
        if (is_over) return;
        look_at_statistics(run, 0.3);
    }
}

static takt_status step_on(ui_run *run, takt_progress *progress, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (run->options.pace > 0) st = takt_run_set_pace(run->run, run->options.pace, err);
    while (!st && *progress == TAKT_RUNNING && wait_for_turn(run)) {
        double before = takt_run_time(run->run);
        st = takt_run_step(run->run, progress, err);
        if (st) break;
        keep_step(run, before);
        look_at_statistics(run, 0.3);
        if (*progress == TAKT_RUNNING) keep_pace(run);
    }
    return st;
}

static ui_state ending(takt_status st, takt_progress progress)
{
    if (st) return UI_FAILED;
    if (progress == TAKT_FINISHED) return UI_FINISHED;
    return progress == TAKT_TERMINATED ? UI_TERMINATED : UI_STOPPED;
}

// A change that came too late.
static void refuse_change(ui_run *run)
{
    pthread_mutex_lock(&run->lock);
    run->is_over = true;
    if (run->change_name) {
        run->change_status = cli_fail(&run->change_error, TAKT_ERR_USAGE, "the run has ended");
        run->change_name = run->change_text = NULL;
    }
    pthread_cond_broadcast(&run->wakes);
    pthread_mutex_unlock(&run->lock);
}

static void *work(void *context)
{
    ui_run *run = context;
    takt_error err = {0};
    takt_progress progress = TAKT_RUNNING;
    takt_status st = create(run, &err);
    if (!st) st = step_on(run, &progress, &err);
    if (run->run) {
        takt_error late = {0};
        takt_status finished = takt_run_finish(run->run, &late);
        if (finished && st) note(run, TAKT_LEVEL_ERROR, late.message);
        if (finished && !st) err = late;
        if (!st) st = finished;
    }
    if (st) note(run, TAKT_LEVEL_ERROR, err.message);
    pthread_mutex_lock(&run->lock);
    run->failure = err;
    pthread_mutex_unlock(&run->lock);
    ui_state state = ending(st, progress);
    run->ending = state == UI_FAILED       ? "failed"
                  : state == UI_STOPPED    ? "interrupted"
                  : state == UI_TERMINATED ? "terminated"
                                           : "ok"; // as in the statistics of `takt run`
    if (run->run) look_at_statistics(run, 0);
    takt_run_destroy(run->run);
    run->run = NULL;
    free(run->columns); // whose texts were the run's
    run->columns = NULL;
    refuse_change(run);
    set_state(run, state);
    return NULL;
}

// ---- for the other thread --------------------------------------------------------------------------

takt_status ui_run_make(const ui_run_options *options, ui_run **out, takt_error *err)
{
    ui_run *run = calloc(1, sizeof *run);
    size_t size = strlen(options->folder) + 40;
    if (!run) return cli_fail_memory(err);
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->wakes, NULL);
    run->options = *options;
    run->wants_pause = options->is_paused;
    run->created = time(NULL);
    run->messages = json_array();
    run->held = json_object();
    run->results = malloc(size);
    run->log = takt_log_create(TAKT_LEVEL_INFO, keep_message, run);
    bool ok = run->messages && run->held && run->results && run->log &&
              ui_rows_add_column(&run->steps, "step", "s", "Float64") &&
              ui_rows_add_column(&run->steps, "sweeps", NULL, "Int64") &&
              ui_rows_add_column(&run->steps, "rejected", NULL, "Int64") &&
              ui_rows_add_column(&run->steps, "unconverged", NULL, "Int64");
    if (!ok) {
        ui_run_end(run);
        return cli_fail_memory(err);
    }
    snprintf(run->results, size, "%s/results-%d.csv", options->folder, options->id);
    *out = run;
    return TAKT_OK;
}

takt_status ui_run_start(const ui_editor *editor, const ui_run_options *options, ui_run **out,
                         takt_error *err)
{
    ui_run *run = NULL;
    takt_status st = ui_run_make(options, &run, err);
    if (st) return st;
    st = ui_editor_build(editor, run->log, &run->project, err);
    if (!st) run->name = strdup(takt_project_name(run->project));
    if (!st && options->is_isolated) st = takt_project_set(run->project, "isolate", "*", err);
    if (!st && pthread_create(&run->thread, NULL, work, run) != 0)
        st = cli_fail(err, TAKT_ERR_SIMULATION, "no thread could be started");
    if (st) {
        ui_run_end(run);
        return st;
    }
    run->has_thread = true;
    *out = run;
    return TAKT_OK;
}

// The file and what describes it.
static void remove_results(const ui_run *run)
{
    ui_text path = {0};
    if (!run->results) return;
    unlink(run->results);
    ui_text_print(&path, "%s.json", run->results);
    if (path.data) unlink(path.data);
    free(ui_text_take(&path));
}

void ui_run_end(ui_run *run)
{
    if (!run) return;
    pthread_mutex_lock(&run->lock);
    run->wants_stop = true;
    pthread_cond_broadcast(&run->wakes);
    pthread_mutex_unlock(&run->lock);
    if (run->has_thread) pthread_join(run->thread, NULL);
    takt_system_destroy(run->system);
    takt_project_close(run->project);
    takt_log_destroy(run->log);
    remove_results(run);
    ui_rows_clear(&run->rows);
    ui_rows_clear(&run->steps);
    json_decref(run->messages);
    json_decref(run->held);
    json_decref(run->experiment);
    takt_free(run->statistics);
    free(run->row);
    free(run->columns);
    free(run->results);
    free(run->name);
    free(run->shown);
    pthread_cond_destroy(&run->wakes);
    pthread_mutex_destroy(&run->lock);
    free(run);
}

int ui_run_id(const ui_run *run)
{
    return run->options.id;
}

bool ui_run_is_over(ui_run *run)
{
    pthread_mutex_lock(&run->lock);
    bool is_over = run->is_over;
    pthread_mutex_unlock(&run->lock);
    return is_over;
}

const char *ui_run_results(const ui_run *run)
{
    return run->results;
}

// Hands a change to the thread of the run and waits until it is made; but not for a long step, as all pages wait meanwhile.
static takt_status change(ui_run *run, ui_change_kind kind, const char *name, const char *text,
                          takt_error *err)
{
    run->change_kind = kind;
    run->change_name = name;
    run->change_text = text;
    pthread_cond_broadcast(&run->wakes);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    bool is_late = false;
    while (run->change_name && !is_late)
        is_late = pthread_cond_timedwait(&run->wakes, &run->lock, &until) != 0;
    while (run->change_name && run->is_changing) pthread_cond_wait(&run->wakes, &run->lock);
    if (run->change_name) {
        run->change_name = run->change_text = NULL;
        return cli_fail(
            err, TAKT_ERR_USAGE,
            "%s was not changed: the run is at a long step or its initialization; try it "
            "again later",
            name);
    }
    if (run->change_status) *err = run->change_error;
    return run->change_status;
}

takt_status ui_run_command(ui_run *run, const char *word, const char *name, const char *text,
                           double value, takt_error *err)
{
    takt_status st = TAKT_OK;
    pthread_mutex_lock(&run->lock);
    if (run->is_over)
        st = cli_fail(err, TAKT_ERR_USAGE, "the run has ended");
    else if (strcmp(word, "pause") == 0)
        run->wants_pause = true;
    else if (strcmp(word, "go") == 0)
        run->wants_pause = false;
    else if (strcmp(word, "step") == 0) {
        run->wants_pause = true;
        run->n_steps++;
    } else if (strcmp(word, "stop") == 0)
        run->wants_stop = true;
    else if (strcmp(word, "pace") == 0 && value >= 0 && value < HUGE_VAL) {
        run->pace = value;
        run->has_new_pace = true;
    } else if (strcmp(word, "set") == 0 && name && text)
        st = change(run, UI_SET, name, text, err);
    else if (strcmp(word, "hold") == 0 && name && text)
        st = change(run, UI_HOLD, name, text, err);
    else if (strcmp(word, "release") == 0 && name)
        st = change(run, UI_RELEASE, name, "", err);
    else
        st = cli_fail(err, TAKT_ERR_USAGE, "a run cannot do '%s'", word);
    pthread_cond_broadcast(&run->wakes);
    pthread_mutex_unlock(&run->lock);
    return st;
}

// ---- what it shows ---------------------------------------------------------------------------------

json_t *ui_run_status(ui_run *run)
{
    pthread_mutex_lock(&run->lock);
    bool is_going = run->state == UI_RUNNING && run->began > 0;
    double elapsed = is_going ? cli_clock() - run->began : run->elapsed;
    double span = run->stop - run->start;
    json_t *object = json_pack(
        "{s:i,s:s,s:s?,s:s,s:f,s:f,s:f,s:f,s:f,s:I,s:I,s:i,s:I,s:I}", "id", run->options.id, "name",
        run->name ? run->name : "", "file", run->shown, "state", state_words[run->state], "time",
        run->time, "start", run->start, "stop", run->stop, "elapsed", elapsed, "progress",
        span > 0 ? (run->time - run->start) / span : 0., "rows", (json_int_t)run->rows.n, "steps",
        (json_int_t)run->steps.n, "columns", run->rows.n_columns, "messages",
        (json_int_t)json_array_size(run->messages), "created", (json_int_t)run->created);
    json_object_set_new(object, "warnings", json_integer(run->n_warnings));
    json_object_set_new(object, "held", json_deep_copy(run->held));
    json_object_set_new(object, "full", json_boolean(run->rows.is_full));
    if (run->steps.n) {
        size_t last = run->steps.n - 1;
        json_object_set_new(object, "step", json_real(run->steps.columns[0].values[last]));
        json_object_set_new(object, "sweeps", json_real(run->steps.columns[1].values[last]));
    }
    if (run->state == UI_FAILED)
        json_object_set_new(object, "error", ui_text_json(run->failure.message));
    pthread_mutex_unlock(&run->lock);
    return object;
}

json_t *ui_run_columns(ui_run *run)
{
    json_t *list = json_array();
    pthread_mutex_lock(&run->lock);
    for (int i = 0; i < run->rows.n_columns; i++) {
        const ui_column *c = &run->rows.columns[i];
        json_array_append_new(list, json_pack("{s:s,s:s?,s:s}", "name", c->name, "unit", c->unit,
                                              "type", c->type ? c->type : "Float64"));
    }
    pthread_mutex_unlock(&run->lock);
    return list;
}

json_t *ui_run_messages(ui_run *run, size_t after)
{
    json_t *list = json_array();
    pthread_mutex_lock(&run->lock);
    for (size_t i = after; i < json_array_size(run->messages); i++)
        json_array_append(list, json_array_get(run->messages, i));
    json_t *copy = json_deep_copy(list);
    json_decref(list);
    pthread_mutex_unlock(&run->lock);
    return copy;
}

json_t *ui_run_details(ui_run *run)
{
    pthread_mutex_lock(&run->lock);
    json_t *object = json_object();
    if (run->statistics)
        json_object_set_new(object, "statistics", json_loads(run->statistics, 0, NULL));
    if (run->experiment) json_object_set_new(object, "experiment", json_deep_copy(run->experiment));
    pthread_mutex_unlock(&run->lock);
    return object;
}

char *ui_run_values(ui_run *run, double time)
{
    ui_text out = {0};
    pthread_mutex_lock(&run->lock);
    size_t n = run->rows.n;
    size_t row = !n ? 0 : isnan(time) ? n - 1 : ui_rows_find(&run->rows, time);
    ui_text_print(&out, "{\"time\":");
    ui_text_number(&out, n ? run->rows.times[row] : NAN, false);
    ui_text_print(&out, ",\"row\":%zu,\"values\":[", row);
    for (int i = 0; i < run->rows.n_columns && n; i++)
        ui_text_number(&out, run->rows.columns[i].values[row], i > 0);
    ui_text_print(&out, "]}");
    pthread_mutex_unlock(&run->lock);
    return ui_text_take(&out);
}

char *ui_run_view(ui_run *run, bool is_steps, double from, double to, int width, const int *columns,
                  int n_columns)
{
    pthread_mutex_lock(&run->lock);
    const ui_rows *rows = is_steps ? &run->steps : &run->rows;
    bool ok = true;
    for (int i = 0; i < n_columns; i++) ok = ok && columns[i] >= 0 && columns[i] < rows->n_columns;
    char *text = ok ? ui_rows_view(rows, from, to, width, columns, n_columns) : NULL;
    pthread_mutex_unlock(&run->lock);
    return text;
}
