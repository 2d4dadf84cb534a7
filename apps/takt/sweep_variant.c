// SPDX-License-Identifier: MIT
// One variant of a sweep; see sweep_variant.h. All runs of a worker are of one system, with options of their own, so that FMUs are
// opened and loaded once.
#include "sweep_variant.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exit_guard.h"
#include "support.h"

// ---- lines -------------------------------------------------------------------------------------

const char *const sweep_columns[SWEEP_COLUMNS] = {"index", "status",   "time",
                                                  "wall",  "warnings", "outcome"};

char *sweep_header(const sweep_job *job, size_t *size)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    if (!file) return NULL;
    for (int i = 0; i < SWEEP_COLUMNS; i++) fprintf(file, "%s%s", i ? "," : "", sweep_columns[i]);
    for (int i = 0; i < job->plan.n_columns; i++) {
        fputc(',', file);
        sweep_write_cell(file, sweep_plan_name(&job->plan, i));
    }
    for (int i = 0; i < job->keep.n_items; i++) {
        fputc(',', file);
        sweep_write_cell(file, job->keep.items[i].name);
    }
    fputc('\n', file);
    return fclose(file) == 0 ? text : NULL;
}

char *sweep_line(const sweep_job *job, int64_t variant, const sweep_outcome *outcome, size_t *size)
{
    char *text = NULL, room[TAKT_NUMBER_SIZE] = "";
    FILE *file = open_memstream(&text, size);
    if (!file) return NULL;
    if (!isnan(outcome->time)) takt_number_write(room, outcome->time);
    fprintf(file, "%" PRId64 ",%s,%s,%.6f,%d,", variant + 1, outcome->is_ok ? "ok" : "failed", room,
            outcome->wall, outcome->n_warnings);
    sweep_write_cell(file, outcome->text);
    for (int i = 0; i < job->plan.n_columns; i++) {
        fputc(',', file);
        sweep_write_cell(file, sweep_plan_value(&job->plan, variant, i, room));
    }
    sweep_keep_write(&job->keep, outcome->kept, file);
    fputc('\n', file);
    return fclose(file) == 0 ? text : NULL;
}

// ---- systems -----------------------------------------------------------------------------------

// Records nothing but what is kept, unless the user says what, or wants results of every variant.
static takt_status choose_record(const sweep_job *job, takt_project *project, takt_error *err)
{
    char *given = NULL;
    takt_status st = takt_project_get(project, "record", &given, err);
    if (st) return st;
    bool is_given = given && *given;
    takt_free(given);
    if (is_given || job->results) return TAKT_OK;
    for (int i = 0; i < job->keep.n_items && !st; i++)
        st = takt_project_set(project, "record", job->keep.items[i].variable, err);
    return st;
}

takt_status sweep_prepare_project(const sweep_job *job, takt_project *project, takt_error *err)
{
    return choose_record(job, project, err);
}

/// The values of a variant, as settings and start values.
typedef struct given {
    takt_assignment *items; // settings from the front, start values from the back
    char (*rooms)[TAKT_NUMBER_SIZE];
    int n_settings, n_values;
} given;

static takt_status take_values(const sweep_job *job, int64_t variant, given *out, takt_error *err)
{
    int n = job->plan.n_columns;
    *out = (given){.items = calloc((size_t)n + 1, sizeof *out->items),
                   .rooms = calloc((size_t)n + 1, sizeof *out->rooms)};
    if (!out->items || !out->rooms) return cli_fail_memory(err);
    for (int i = 0; i < n; i++) {
        int at = job->is_setting[i] ? out->n_settings++ : n - ++out->n_values;
        out->items[at] = (takt_assignment){sweep_plan_name(&job->plan, i),
                                           sweep_plan_value(&job->plan, variant, i, out->rooms[i])};
    }
    return TAKT_OK;
}

static void clear_values(given *values)
{
    free(values->items);
    free(values->rooms);
}

static takt_run_options options_of(const given *values)
{
    takt_run_options options = takt_run_options_default();
    options.jobs = 1; // workers are what goes on at the same time
    options.settings = values->items;
    options.n_settings = values->n_settings;
    options.values = values->items + values->n_settings;
    options.n_values = values->n_values;
    return options;
}

takt_status sweep_check_variant(const sweep_job *job, int64_t variant, takt_error *err)
{
    cli_session own = {.console.log = job->session.console.log};
    given values;
    takt_status st = take_values(job, variant, &values, err);
    const takt_run_options options = options_of(&values);
    if (!st) st = cli_session_open_project(&own, job->project, job->arguments, err);
    if (!st) st = takt_project_set_options(own.project, &options, err);
    if (!st) st = takt_system_create(own.project, &own.system, err);
    cli_session_close(&own);
    clear_values(&values);
    return st;
}

// ---- sending -----------------------------------------------------------------------------------

bool sweep_send(int socket, const void *data, size_t size)
{
    for (const char *at = data; size;) {
        ssize_t n = write(socket, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

bool sweep_receive(int socket, void *data, size_t size)
{
    for (char *at = data; size;) {
        ssize_t n = read(socket, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

// ---- a worker ----------------------------------------------------------------------------------

/// A worker's process and the variant that it runs.
typedef struct server {
    sweep_job *job;
    int socket;
    sweep_view *view;
    int64_t variant;
    double began; // s on the clock
    takt_run *run; // NULL: there is none yet
    char first_warning[TAKT_MESSAGE_SIZE], first_error[TAKT_MESSAGE_SIZE];
    int n_warnings;
} server;

// The message with its place.
static void write_message(const takt_message *message, char to[TAKT_MESSAGE_SIZE])
{
    char line[32] = "";
    if (message->line) snprintf(line, sizeof line, ":%d", message->line);
    int n = snprintf(to, TAKT_MESSAGE_SIZE, "%s%s%s%s%s%s", message->file ? message->file : "",
                     line, message->file ? ": " : "", message->source ? message->source : "",
                     message->source ? ": " : "", message->text);
    if (n < 0) *to = 0;
}

static bool is_own_warning(const sweep_job *job, const char *text)
{
    for (int i = 0; i < job->n_own_warnings; i++)
        if (strcmp(job->own_warnings[i], text) == 0) return true;
    return false;
}

void sweep_note_own_warning(void *context, const takt_message *message)
{
    sweep_job *job = context;
    char text[TAKT_MESSAGE_SIZE];
    if (message->level != TAKT_LEVEL_WARN) return;
    write_message(message, text);
    if (is_own_warning(job, text) ||
        !cli_grow(&job->own_warnings, job->n_own_warnings, &job->own_warnings_capacity,
                  sizeof *job->own_warnings))
        return;
    char *kept = strdup(text);
    if (kept) job->own_warnings[job->n_own_warnings++] = kept;
}

static void keep_message(void *context, const takt_message *message)
{
    server *self = context;
    char *to = message->level == TAKT_LEVEL_ERROR ? self->first_error : self->first_warning;
    char text[TAKT_MESSAGE_SIZE];
    bool is_warning = message->level == TAKT_LEVEL_WARN;
    if (message->level > TAKT_LEVEL_WARN) return;
    if (*to && self->job->n_own_warnings == 0) { // nothing but counting is left
        self->n_warnings += is_warning;
        return;
    }
    write_message(message, text);
    // Those of the project itself say nothing about the variant.
    if (is_warning && is_own_warning(self->job, text)) return;
    self->n_warnings += is_warning;
    if (!*to) memcpy(to, text, sizeof text);
}

static void send_outcome(server *self, const sweep_outcome *outcome)
{
    size_t size = 0;
    char *line = sweep_line(self->job, self->variant, outcome, &size);
    sweep_message message = {.variant = self->variant,
                             .size = (int64_t)size,
                             .is_ok = outcome->is_ok,
                             .has_warnings = outcome->n_warnings > 0};
    if (!line || !sweep_send(self->socket, &message, sizeof message) ||
        !sweep_send(self->socket, line, size))
        cli_exit_now(takt_status_exit_code(TAKT_ERR_OUTPUT)); // which is noticed
    free(line);
}

// An FMU crashed, or does not return. The thread that called it waits for ever.
static void give_up(void *context, const takt_error *err)
{
    server *self = context;
    send_outcome(self, &(sweep_outcome){.time = self->run ? takt_run_time_reached(self->run) : NAN,
                                        .wall = cli_clock() - self->began,
                                        .n_warnings = self->n_warnings,
                                        .text = err->message});
    cli_exit_now(takt_status_exit_code(err->status));
}

static takt_status record(server *self, takt_error *err)
{
    const sweep_job *job = self->job;
    char path[4096];
    if (!job->results) return TAKT_OK;
    int n = snprintf(path, sizeof path, "%s/variant-%08" PRId64 ".%s", job->folder,
                     self->variant + 1, job->results);
    if (n >= (int)sizeof path)
        return cli_fail(err, TAKT_ERR_OUTPUT, "the path of the folder is too long");
    return takt_run_record(self->run, path, err);
}

static takt_status step_to_the_end(server *self, takt_error *err)
{
    takt_progress progress = TAKT_RUNNING;
    takt_status st = TAKT_OK;
    while (!st && progress == TAKT_RUNNING) {
        st = takt_run_step(self->run, &progress, err);
        self->view->time = takt_run_time(self->run);
    }
    return st;
}

static takt_status make_run(server *self, takt_error *err)
{
    const takt_watch_options watch = {.size = sizeof watch, .on_end = give_up, .context = self};
    given values;
    takt_status st = take_values(self->job, self->variant, &values, err);
    takt_run_options options = options_of(&values);
    options.watch = &watch;
    if (!st) st = takt_run_create_with(self->job->session.system, &options, &self->run, err);
    clear_values(&values);
    return st;
}

static takt_status simulate(server *self, sweep_collection **kept, takt_error *err)
{
    takt_error late = {0};
    takt_status st = make_run(self, err);
    if (st) return st;
    st = record(self, err);
    if (!st) st = sweep_keep_watch(&self->job->keep, self->run, kept, err);
    if (!st) st = takt_run_initialize(self->run, err);
    if (!st) st = step_to_the_end(self, err);
    takt_status finished = takt_run_finish(self->run, &late);
    if (!st && finished) *err = late;
    return st ? st : finished;
}

// What is to be told: an error, or where there is none the first warning. Problems of a system are told in the log.
static const char *text_of(const server *self, takt_status st, bool has_run, const takt_error *err)
{
    if (!st) return self->first_warning;
    return !has_run && *self->first_error ? self->first_error : err->message;
}

// Returns false if nobody knows in what state its FMUs have left this process.
static bool run_variant(server *self)
{
    takt_error err = {0};
    sweep_collection *kept = NULL;
    self->began = cli_clock();
    self->n_warnings = 0;
    *self->first_warning = *self->first_error = 0;
    takt_status st = simulate(self, &kept, &err);
    bool has_run = self->run != NULL;
    double time = self->run ? takt_run_time(self->run) : NAN;
    takt_run_destroy(self->run); // a crash at the end of an FMU is one of the variant
    self->run = NULL;
    send_outcome(self, &(sweep_outcome){.is_ok = !st,
                                        .time = time,
                                        .wall = cli_clock() - self->began,
                                        .n_warnings = self->n_warnings,
                                        .text = text_of(self, st, has_run, &err),
                                        .kept = kept});
    sweep_collection_destroy(kept);
    return !st;
}

static const double long_variant = 5; // s

void sweep_serve(sweep_job *job, int socket, sweep_view *view)
{
    server self = {.job = job, .socket = socket, .view = view};
    job->session.console.collect = keep_message;
    job->session.console.collect_context = &self;
    while (sweep_receive(socket, &self.variant, sizeof self.variant)) {
        view->time = NAN;
        view->variant = self.variant;
        bool is_fit = run_variant(&self);
        view->variant = -1;
        // Where variants take long, a new process for the next one costs nothing, and has no traces of this one.
        if (!is_fit || job->is_fresh || cli_clock() - self.began > long_variant) return;
    }
}
