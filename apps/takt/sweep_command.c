// SPDX-License-Identifier: MIT
// `takt sweep`: many variants of one project. The plan says which values each has, worker processes run them, the manifest
// keeps what came of each.
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"
#include "progress.h"
#include "support.h"
#include "sweep_manifest.h"
#include "sweep_pool.h"
#include "sweep_ranks.h"
#include "sweep_report.h"
#include "terminal.h"

typedef struct sweep_options {
    const char *folder, *shard, *emit;
    double n_samples, seed, jobs, timeout, chunks;
    int method, results, progress, log_level;
    bool resume, retry_failed, fresh, quiet;
} sweep_options;

/// A sweep of this process.
typedef struct sweep {
    const sweep_options *options;
    const takt_transport *transport; // to other ranks; NULL: there are none
    sweep_job job;
    sweep_manifest manifest;
    char *folder; // owned
    int64_t shard, n_shards; // shard from 1
    int64_t next; // variant to be dealt
    int64_t n_ok, n_failed, n_warned; // of this process
    double began, shown; // s on the clock
    cli_progress_mode progress;
} sweep;

// ---- options -----------------------------------------------------------------------------------

static takt_status read_whole(const char *option, double value, double least, double most,
                              takt_error *err)
{
    if (value >= least && value <= most && value == floor(value)) return TAKT_OK;
    return cli_fail(err, TAKT_ERR_USAGE, "--%s: %g is not a whole number from %g to %g", option,
                    value, least, most);
}

static takt_status read_shard(sweep *self, takt_error *err)
{
    self->shard = self->n_shards = 1;
    const char *text = self->options->shard;
    if (!text) return TAKT_OK;
    double k, n;
    const char *slash = strchr(text, '/');
    if (slash && takt_number_read(text, slash, &k) &&
        takt_number_read(slash + 1, text + strlen(text), &n) && k >= 1 && k <= n && n <= 1e6 &&
        k == floor(k) && n == floor(n)) {
        self->shard = (int64_t)k;
        self->n_shards = (int64_t)n;
        return TAKT_OK;
    }
    return cli_fail(err, TAKT_ERR_USAGE,
                    "--shard: '%s' is not K/N with K from 1 to N, such as 1/4 to 4/4", text);
}

static takt_status check_options(sweep *self, takt_error *err)
{
    const sweep_options *o = self->options;
    takt_status st = read_whole("sample", o->n_samples, 0, 1e8, err);
    if (!st) st = read_whole("seed", o->seed, 0, 9007199254740992.0, err);
    if (!st) st = read_whole("jobs", o->jobs, 0, 4096, err);
    if (!st) st = read_whole("chunks", o->chunks, 1, 1e6, err);
    if (!st) st = read_shard(self, err);
    if (!st && o->emit && strcmp(o->emit, "slurm") != 0)
        st = cli_fail(err, TAKT_ERR_USAGE, "--emit: '%s' is not known; there is slurm", o->emit);
    return st;
}

// "plant-sweep" for "models/plant.ssd".
static takt_status choose_folder(sweep *self, takt_error *err)
{
    const char *given = self->options->folder, *name = takt_project_name(self->job.session.project);
    size_t size = strlen(given ? given : name) + sizeof "-sweep";
    self->folder = malloc(size);
    if (!self->folder) return cli_fail_memory(err);
    snprintf(self->folder, size, "%s%s", given ? given : name, given ? "" : "-sweep");
    size_t n = strlen(self->folder);
    while (n > 1 && self->folder[n - 1] == '/') self->folder[--n] = 0;
    self->job.folder = self->folder;
    return TAKT_OK;
}

// ---- the job -----------------------------------------------------------------------------------

static bool is_setting(const char *name)
{
    for (int i = 0; takt_setting(i); i++)
        if (strcmp(takt_setting(i)->name, name) == 0) return true;
    return false;
}

// The values of an option that may be given several times.
static const char **collect(const cli_arguments *arguments, const char *name, int *n)
{
    const char **list = calloc((size_t)arguments->n_settings + 1, sizeof *list);
    *n = 0;
    for (int i = 0; list && i < arguments->n_settings; i++)
        if (strcmp(arguments->settings[i].name, name) == 0)
            list[(*n)++] = arguments->settings[i].value;
    return list;
}

static takt_status open_plan(sweep *self, const cli_arguments *arguments, takt_error *err)
{
    int n_vary;
    const char **vary = collect(arguments, "vary", &n_vary);
    if (!vary) return cli_fail_memory(err);
    const sweep_options *o = self->options;
    const sweep_plan_options options = {.path = arguments->n_operands == 2 ? arguments->operands[0]
                                                                           : NULL,
                                        .vary = vary,
                                        .n_vary = n_vary,
                                        .n_samples = (int64_t)o->n_samples,
                                        .method = (sweep_method)o->method,
                                        .seed = (uint64_t)o->seed};
    takt_status st = sweep_plan_open(&self->job.plan, &options, err);
    free(vary);
    sweep_job *job = &self->job;
    job->is_setting = calloc((size_t)job->plan.n_columns + 1, sizeof *job->is_setting);
    if (!st && !job->is_setting) st = cli_fail_memory(err);
    for (int i = 0; i < job->plan.n_columns && !st; i++)
        job->is_setting[i] = is_setting(sweep_plan_name(&job->plan, i));
    return st;
}

// Samples of whole numbers must be such, and there must be some.
static takt_status note_integer(sweep_range *range, takt_error *err)
{
    range->is_integer = true;
    if (range->is_log)
        return cli_fail(err, TAKT_ERR_USAGE,
                        "%s: whole numbers are not sampled with 'log'; write the values as a list, "
                        "without --sample",
                        range->place);
    if (ceil(fmin(range->from, range->to)) <= floor(fmax(range->from, range->to))) return TAKT_OK;
    return cli_fail(err, TAKT_ERR_USAGE, "%s: there is no whole number between %g and %g",
                    range->place, range->from, range->to);
}

static takt_status find_integers(sweep_job *job, takt_error *err)
{
    takt_status st = TAKT_OK;
    const takt_system *system = job->session.system;
    for (int i = 0; i < job->plan.n_columns && job->plan.is_sampled && !st; i++)
        for (int c = 0; c < takt_system_count_components(system) && !st; c++) {
            takt_model_info model = {.size = sizeof model};
            takt_variable_info info = {.size = sizeof info};
            if (takt_system_get_model(system, c, &model, NULL)) continue;
            const char *name = job->plan.ranges[i].name;
            size_t n = strlen(model.component);
            bool is_of = strncmp(name, model.component, n) == 0 && name[n] == '.';
            int v = takt_system_find_variable(system, c, is_of ? name + n + 1 : name);
            bool may_be_short = takt_system_count_components(system) == 1;
            if (v < 0 || (!is_of && !may_be_short)) continue;
            if (takt_system_get_variable(system, c, v, &info, NULL)) continue;
            if (takt_type_kind(info.type) == TAKT_KIND_INTEGER)
                st = note_integer(&job->plan.ranges[i], err);
        }
    return st;
}

// Names and settings that are wrong show before anything is run: no code of an FMU is needed for that.
static takt_status try_first(sweep_job *job, int64_t variant, takt_error *err)
{
    takt_status st = sweep_check_variant(job, variant, err);
    if (!st) return TAKT_OK;
    char text[sizeof err->message], place[64];
    memcpy(text, err->message, sizeof text);
    int line = sweep_plan_line(&job->plan, variant);
    snprintf(place, sizeof place, "variant %" PRId64, variant + 1);
    if (line) return cli_fail(err, st, "%s:%d: %s: %s", job->plan.path, line, place, text);
    return cli_fail(err, st, "%s: %s", place, text);
}

// Project, plan and what is kept. Nothing has been written yet.
static takt_status open_job(sweep *self, const cli_arguments *arguments, takt_error *err)
{
    sweep_job *job = &self->job;
    int n_keep;
    takt_status st = open_plan(self, arguments, err);
    if (!st) st = cli_session_open_project(&job->session, job->project, arguments, err);
    if (!st) st = takt_system_create(job->session.project, &job->session.system, err);
    if (!st) st = choose_folder(self, err);
    if (!st) st = find_integers(job, err);
    if (st) return st;
    const char **keep = collect(arguments, "keep", &n_keep);
    st = keep ? sweep_keep_open(&job->keep, job->session.system, keep, n_keep, err)
              : cli_fail_memory(err);
    free(keep);
    if (st) return st;
    // Once more, as what is recorded depends on what is kept.
    takt_system_destroy(job->session.system);
    job->session.system = NULL;
    st = sweep_prepare_project(job, job->session.project, err);
    return st ? st : takt_system_create(job->session.project, &job->session.system, err);
}

// ---- dealing -----------------------------------------------------------------------------------

static int64_t deal(void *context)
{
    sweep *self = context;
    const sweep_manifest *m = &self->manifest;
    while (self->next < m->last && m->is_done[self->next - m->first]) self->next++;
    return self->next < m->last ? self->next++ : -1;
}

static int64_t count_left(void *context)
{
    const sweep *self = context;
    return self->manifest.last - self->next;
}

static takt_status take(void *context, const sweep_message *message, const char *line,
                        takt_error *err)
{
    sweep *self = context;
    self->n_ok += message->is_ok != 0;
    self->n_failed += message->is_ok == 0;
    self->n_warned += message->is_ok && message->has_warnings;
    return sweep_manifest_append(&self->manifest, line, (size_t)message->size, err);
}

static bool is_over(void *context)
{
    (void)context;
    return cli_interrupt_seen();
}

// ---- progress ----------------------------------------------------------------------------------

static void show_progress(sweep *self, double now)
{
    int64_t n = self->manifest.last - self->manifest.first - self->manifest.n_done;
    int64_t done = self->n_ok + self->n_failed;
    double share = n ? (double)done / (double)n : 1, passed = now - self->began;
    double left = done ? passed * (1 - share) / share : NAN;
    char remaining[CLI_DURATION_SIZE + 16] = "", duration[CLI_DURATION_SIZE];
    if (isfinite(left)) {
        cli_duration(duration, left, left < 60 ? 0 : 1);
        snprintf(remaining, sizeof remaining, "  %s left", duration);
    }
    if (self->progress == CLI_PROGRESS_JSON) {
        fprintf(stderr,
                "{\"variants\":%" PRId64 ",\"done\":%" PRId64 ",\"failed\":%" PRId64
                ",\"progress\":%.6g,\"wall\":%.3f,\"remaining\":",
                n, done, self->n_failed, share, passed);
        fprintf(stderr, isfinite(left) ? "%.3f}\n" : "null}\n", left);
        return;
    }
    char text[256], line[320], bar[31];
    snprintf(text, sizeof text,
             "%5.1f %%  %" PRId64 " of %" PRId64 " variants, %" PRId64 " failed%s", 100 * share,
             done, n, self->n_failed, remaining);
    if (self->progress == CLI_PROGRESS_PLAIN) {
        cli_console_note(&self->job.session.console, "%s", text + strspn(text, " "));
        return;
    }
    int room = cli_terminal_width(stderr, 20, 250) - 4 - (int)strlen(text);
    room = room > (int)sizeof bar - 1 ? (int)sizeof bar - 1 : room < 0 ? 0 : room;
    for (int i = 0; i < room; i++) bar[i] = i < share * room ? '#' : '.';
    bar[room] = 0;
    snprintf(line, sizeof line, room > 5 ? "[%s] %s" : "%.0s%s", bar, text);
    cli_console_bar(&self->job.session.console, line);
}

static void look(void *context)
{
    sweep *self = context;
    double now = cli_clock(), every = self->progress == CLI_PROGRESS_PLAIN ? 3 : 0.1;
    if (self->progress == CLI_PROGRESS_NONE || now - self->shown < every) return;
    show_progress(self, now);
    self->shown = now;
}

static void begin_progress(sweep *self)
{
    self->progress = (cli_progress_mode)self->options->progress;
    if (self->progress == CLI_PROGRESS_AUTO)
        self->progress = !self->options->quiet && cli_terminal_is_able(stderr) ? CLI_PROGRESS_BAR
                                                                               : CLI_PROGRESS_NONE;
    self->began = self->shown = cli_clock();
}

// ---- all ---------------------------------------------------------------------------------------

// A word of a command line for the shell: an option, or with an empty `name` a file.
static void print_quoted(const char *name, const char *equals, const char *value)
{
    printf(" '%s%s%s", *name ? "--" : "", name, equals);
    for (; *value; value++) {
        if (*value == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*value);
    }
    putchar('\'');
}

// The script of an array of jobs, each of which runs the same command for its part.
static void emit_slurm(const sweep *self, const cli_arguments *arguments)
{
    int64_t n = (int64_t)self->options->chunks;
    if (n > self->job.plan.n_variants) n = self->job.plan.n_variants;
    printf("#!/bin/bash\n#SBATCH --job-name=takt-sweep\n#SBATCH --array=1-%" PRId64
           "\n#SBATCH --ntasks=1\n#SBATCH --output=/dev/null\n"
           "# Each task of the array runs one part of the variants with as many workers as it has "
           "processors. What\n"
           "# was done before is not repeated: submit the script again to go on.\n",
           n);
    printf("takt sweep");
    for (int i = 0; i < arguments->n_operands; i++) print_quoted("", "", arguments->operands[i]);
    for (int i = 0; i < arguments->n_settings; i++)
        print_quoted(arguments->settings[i].name, "=", arguments->settings[i].value);
    static const char *const methods[] = {"sobol", "lhs", "random"};
    static const char *const results[] = {"none", "csv", "mat"};
    const sweep_options *o = self->options;
    if (o->n_samples > 0)
        printf(" --sample %.0f --method %s --seed %.0f", o->n_samples, methods[o->method], o->seed);
    if (o->results) printf(" --results %s", results[o->results]);
    if (o->timeout > 0) printf(" --variant-timeout %.17g", o->timeout);
    if (o->fresh) printf(" --fresh");
    print_quoted("output-folder", "=", self->folder);
    printf(" \\\n    --shard \"$SLURM_ARRAY_TASK_ID/%" PRId64
           "\" --resume --quiet --jobs \"${SLURM_CPUS_PER_TASK:-1}\"\n",
           n);
}

static int count_workers(const sweep *self)
{
    long n = (long)self->options->jobs;
    if (n == 0) n = self->transport ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    int64_t left = self->manifest.last - self->manifest.first - self->manifest.n_done;
    if (n > left) n = (long)left;
    return n < 1 ? 1 : (int)n;
}

// On all ranks, or in this process.
static takt_status run_dealt(sweep *self, const sweep_dealer *dealer, takt_error *err)
{
    sweep_job *job = &self->job;
    int n_workers = count_workers(self);
    double timeout = self->options->timeout;
    if (!self->transport) return sweep_pool_run(job, n_workers, timeout, dealer, err);
    char *definition = NULL;
    takt_status st = sweep_describe(job, &definition, err);
    const sweep_rank rank = {self->transport, job, definition, n_workers, timeout};
    if (!st) st = sweep_ranks_lead(&rank, dealer, err);
    free(definition);
    return st;
}

static takt_status run_variants(sweep *self, takt_error *err)
{
    int64_t n = self->job.plan.n_variants;
    const sweep_manifest_options options = {.first = n * (self->shard - 1) / self->n_shards,
                                            .last = n * self->shard / self->n_shards,
                                            .resumes = self->options->resume ||
                                                       self->options->retry_failed,
                                            .retries = self->options->retry_failed};
    takt_status st = sweep_manifest_open(&self->manifest, &self->job, &options, err);
    if (st) return st;
    self->next = self->manifest.first;
    if (self->manifest.n_done == self->manifest.last - self->manifest.first) return TAKT_OK;
    const sweep_dealer dealer = {.context = self,
                                 .next = deal,
                                 .left = count_left,
                                 .take = take,
                                 .look = look,
                                 .is_over = is_over,
                                 .period = 0.1};
    begin_progress(self);
    st = run_dealt(self, &dealer, err);
    if (self->progress == CLI_PROGRESS_BAR) cli_console_bar(&self->job.session.console, NULL);
    if (self->progress == CLI_PROGRESS_JSON) show_progress(self, cli_clock());
    return st;
}

static takt_status report(sweep *self, takt_error *err)
{
    if (self->options->quiet) return TAKT_OK;
    char *picture = sweep_path(&self->job, "sweep.svg");
    takt_status st = picture ? sweep_report(&self->job, self->manifest.path, picture, err)
                             : cli_fail_memory(err);
    free(picture);
    return st;
}

static takt_status work(sweep *self, const cli_arguments *arguments, takt_error *err)
{
    cli_console *console = &self->job.session.console;
    console->listen = sweep_note_own_warning;
    console->listen_context = &self->job;
    takt_status st = open_job(self, arguments, err);
    console->listen = NULL;
    if (!st) st = try_first(&self->job, 0, err);
    if (st) return st;
    if (self->options->emit) {
        emit_slurm(self, arguments);
        return cli_output_end(stdout, err);
    }
    st = run_variants(self, err);
    if (!st && cli_interrupt_seen())
        cli_console_note(&self->job.session.console,
                         "interrupted; what has been done is in %s, --resume goes on",
                         self->manifest.path);
    if (!st) st = report(self, err);
    if (st || self->n_failed == 0) return st;
    return cli_fail(err, TAKT_ERR_SIMULATION, "%" PRId64 " of %" PRId64 " variants failed; see %s",
                    self->n_failed, self->n_ok + self->n_failed, self->manifest.path);
}

// A rank that is not 0: has the same project, and tells nothing itself.
static void serve(sweep *self, const cli_arguments *arguments)
{
    takt_error err = {0};
    char *definition = NULL;
    const sweep_options *o = self->options;
    takt_status st = open_job(self, arguments, &err);
    if (!st) st = sweep_describe(&self->job, &definition, &err);
    const sweep_rank rank = {self->transport, &self->job, definition,
                             o->jobs >= 1 ? (int)o->jobs : 1, o->timeout};
    if (st)
        sweep_ranks_fail(self->transport, &err);
    else
        sweep_ranks_serve(&rank);
    free(definition);
}

static void clear(sweep *self)
{
    sweep_manifest_clear(&self->manifest);
    sweep_keep_clear(&self->job.keep);
    sweep_plan_clear(&self->job.plan);
    for (int i = 0; i < self->job.n_own_warnings; i++) free(self->job.own_warnings[i]);
    free(self->job.own_warnings);
    free(self->job.is_setting);
    free(self->folder);
    cli_session_close(&self->job.session);
    cli_console_close(&self->job.session.console);
}

static int execute(const cli_arguments *arguments)
{
    static const char *const endings[] = {NULL, "csv", "mat"};
    cli_interrupt_watch();
    sweep self = {.options = arguments->options, .manifest = {.lock = -1}};
    self.job.arguments = arguments;
    self.job.project = arguments->operands[arguments->n_operands - 1];
    self.job.results = endings[self.options->results];
    self.job.is_fresh = self.options->fresh;
    self.transport =
        arguments->transport && arguments->transport->n_ranks > 1 ? arguments->transport : NULL;
    bool is_rank = self.transport && self.transport->rank > 0;
    takt_level level = is_rank ? TAKT_LEVEL_ERROR : (takt_level)self.options->log_level;
    takt_error err = {0};
    takt_status st = cli_console_open(&self.job.session.console, level, NULL, &err);
    if (!st) st = check_options(&self, &err);
    if (!st && is_rank)
        serve(&self, arguments);
    else if (!st)
        st = work(&self, arguments, &err);
    if (st) cli_session_fail(&self.job.session, &err);
    clear(&self);
    bool was_interrupted = cli_interrupt_seen() && !is_rank;
    return !st && was_interrupted ? CLI_EXIT_INTERRUPTED : takt_status_exit_code(st);
}

#define FIELD(member) offsetof(sweep_options, member)

static const cli_option options[] = {
    {"vary", 'v', CLI_SETTING, "NAME=FROM:TO:N", NULL,
     "vary a value or a setting: N points of a range, with ':log' behind it of equal ratios; a "
     "list (NAME=1,2,5); or FROM:TO with --sample; several make a grid",
     "Variants", 0},
    {"sample", 0, CLI_NUMBER, "N", "a grid", "draw N variants from the ranges", NULL,
     FIELD(n_samples)},
    {"method", 0, CLI_CHOICE, SWEEP_METHOD_WORDS, "sobol",
     "how samples are drawn: Sobol's sequence, a Latin hypercube, at random", NULL, FIELD(method)},
    {"seed", 0, CLI_NUMBER, "N", "0", "other samples; the same seed gives the same ones", NULL,
     FIELD(seed)},
    {"output-folder", 'o', CLI_TEXT, "FOLDER", "<project name>-sweep in the current folder",
     "where manifest.csv and everything else goes", "Results", FIELD(folder)},
    {"keep", 'k', CLI_SETTING, "KIND:GLOB", "the final value of every output",
     "what the manifest has of each variant: final, initial, min, max, time-of-min, time-of-max, "
     "mean or integral of the variables that match; may be given several times",
     NULL, 0},
    {"results", 0, CLI_CHOICE, "none|csv|mat", "none", "write the results of every variant", NULL,
     FIELD(results)},
    {"resume", 0, CLI_FLAG, NULL, NULL,
     "go on where a sweep was ended; variants in the manifest "
     "are not run again",
     "Work", FIELD(resume)},
    {"retry-failed", 0, CLI_FLAG, NULL, NULL, "the same, but run those again that failed", NULL,
     FIELD(retry_failed)},
    {"jobs", 'j', CLI_NUMBER, "N", "one per processor", "worker processes", NULL, FIELD(jobs)},
    {"variant-timeout", 0, CLI_TIME, "S", "none",
     "a variant that takes longer (real time) is ended and counts as failed", NULL, FIELD(timeout)},
    {"fresh", 0, CLI_FLAG, NULL, NULL,
     "run each variant in a process of its own, for FMUs that keep something outside of their "
     "instances",
     NULL, FIELD(fresh)},
    {"shard", 0, CLI_TEXT, "K/N", NULL,
     "run only part K of N parts, K = 1 ... N; all parts may share a folder", NULL, FIELD(shard)},
    {"emit", 0, CLI_TEXT, "slurm", NULL,
     "run nothing, print a script for a scheduler that runs this sweep in parts", NULL,
     FIELD(emit)},
    {"chunks", 0, CLI_NUMBER, "N", "16", "how many parts that script makes", NULL, FIELD(chunks)},
    {"quiet", 'q', CLI_FLAG, NULL, NULL, "no table, no picture and no progress bar", "Messages",
     FIELD(quiet)},
    {"progress", 0, CLI_CHOICE, CLI_PROGRESS_WORDS, "auto",
     "how the progress is shown on standard error; auto: a bar on a terminal", NULL,
     FIELD(progress)},
    {"log-level", 0, CLI_CHOICE, "error|warn|info|debug|trace", "warn",
     "which messages about the project appear on standard error; those of variants go to the "
     "manifest",
     NULL, FIELD(log_level)},
    CLI_PROJECT_OPTIONS,
    {0},
};

static const sweep_options defaults = {.log_level = TAKT_LEVEL_WARN, .chunks = 16};

const cli_command cli_sweep = {
    .name = "sweep",
    .operands = "[PLAN] PROJECT [options]",
    .summary = "run many variants of a project",
    .details =
        "Runs variants of a project that differ in start values, and writes a manifest with one "
        "line for each: how it ended, its values, and what is kept of its results. PLAN is a table "
        "(CSV) with a column per value and a line per variant, or one of ranges with the columns "
        "name, from, to and n. A sweep that was ended, even by force, goes on with --resume.",
    .examples =
        "takt sweep plan.csv plant.ssd -o out\truns the lines of plan.csv\n"
        "takt sweep plant.ssd --vary Tank.k=1:10:5 --vary Pump.n=1,2\ta grid of 10 variants\n"
        "takt sweep plant.ssd --vary Tank.k=1:10 --sample 1000 --keep max:Tank.level\n"
        "takt sweep plan.csv plant.ssd -o out --resume --retry-failed\n",
    .options = options,
    .has_settings = true,
    .min_operands = 1,
    .max_operands = 2,
    .options_size = sizeof(sweep_options),
    .defaults = &defaults,
    .execute = execute,
};
