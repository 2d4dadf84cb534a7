// SPDX-License-Identifier: MIT
// `takt run`: project -> system -> run, results, statistics.
//
// Whatever happens after the run was created, its end is the same: results are completed, then
// statistics and the place of the results are printed, then the reason of a failure. Results on
// standard output are never mixed with anything else.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exit_guard.h"
#include "interrupt.h"
#include "command.h"
#include "content.h"
#include "pacing.h"
#include "progress.h"
#include "run_files.h"
#include "run_report.h"
#include "session.h"
#include "statistics.h"
#include "stdout_guard.h"
#include "terminal.h"
#include "support.h"
#include "whole_file.h"

typedef struct run_options {
    const char *output_file, *stats, *log_file, *step_log, *trace;
    const char *checkpoint, *checkpoint_interval, *resume;
    const char *real_time, *until_steady, *report;
    int progress, log_level;
    bool no_output, describe_results, no_describe_results, quiet, test_init;
} run_options;

/// How a run ended; the words are those of "status" in the statistics file.
typedef enum run_ending {
    ENDED_OK,
    ENDED_TERMINATED,
    ENDED_FAILED,
    ENDED_INTERRUPTED,
    ENDED_BY_TIMEOUT,
    ENDED_BY_CRASH,
} run_ending;
static const char *const ending_words[] = {"ok",          "terminated", "failed",
                                           "interrupted", "timeout",    "crashed"};

typedef struct run_job {
    const run_options *options;
    cli_session session;
    char *output; ///< owned; path of the results; NULL: none
    cli_stdout_guard guard; ///< needed when results or statistics go to standard output
    bool has_stats; ///< statistics are written at the end
    double checkpoint_interval; ///< s; 0: none
    cli_pacing pacing;
    cli_run_report report; ///< what `--report` needs
    takt_checkpoint *from; ///< NULL: the run begins at the beginning
    bool continues_results; ///< those of the checkpoint
    takt_run *run;
    bool is_initialized;
    takt_progress progress;
    bool was_interrupted;
    int n_unwritten; ///< checkpoints
    char *
        experiment; ///< settings and where they come from; described while failing still costs nothing
} run_job;

static bool is_standard_output(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

// ---- before the run ----------------------------------------------------------------------------

// What a run may write, beside its results.
enum { N_WRITTEN = 6 };

static void list_written(const run_options *options, cli_written_file out[N_WRITTEN])
{
    const cli_written_file files[N_WRITTEN] = {
        {"--stats", options->stats},           {"--log-file", options->log_file},
        {"--step-log", options->step_log},     {"--trace", options->trace},
        {"--checkpoint", options->checkpoint}, {"--report", options->report}};
    memcpy(out, files, sizeof files);
}

// Known before anything is opened.
static takt_status check_files(const run_options *options, const char *project, takt_error *err)
{
    cli_written_file files[N_WRITTEN + 1] = {{"--output-file", options->output_file}};
    list_written(options, files + 1);
    takt_status st = cli_files_check(files, N_WRITTEN + 1, project, err);
    if (st || !options->resume) return st;
    for (int i = 0; i < N_WRITTEN; i++)
        if (strcmp(files[i + 1].option, "--checkpoint") == 0) files[i + 1].path = NULL;
    return cli_files_check_read(files, N_WRITTEN + 1, "the checkpoint to go on from",
                                options->resume, err);
}

// Known when the project is open.
static takt_status check_more_files(const run_job *job, const cli_arguments *arguments,
                                    takt_error *err)
{
    cli_written_file files[N_WRITTEN];
    list_written(job->options, files);
    takt_status st = cli_files_check_results(files, N_WRITTEN, job->output, err);
    return st ? st
              : cli_files_check_sources(files, N_WRITTEN, job->session.project, arguments, err);
}

static takt_status check_checkpoints(const run_options *options, takt_error *err)
{
    if (options->checkpoint_interval && !options->checkpoint)
        return cli_fail(err, TAKT_ERR_USAGE, "--checkpoint-interval needs --checkpoint FILE");
    if (is_standard_output(options->checkpoint) || is_standard_output(options->resume))
        return cli_fail(err, TAKT_ERR_USAGE, "%s needs the name of a file",
                        options->resume ? "--resume" : "--checkpoint");
    double interval;
    if (!options->checkpoint_interval ||
        (takt_number_read_duration(options->checkpoint_interval, &interval) && interval > 0 &&
         interval < HUGE_VAL))
        return TAKT_OK;
    return cli_fail(err, TAKT_ERR_USAGE,
                    "--checkpoint-interval: '%s' is not a time greater than 0, such as 10min",
                    options->checkpoint_interval);
}

// After the initialization nothing happens.
static takt_status check_test_init(const run_options *options, takt_error *err)
{
    const struct {
        const char *name, *value;
    } others[] = {{"resume", options->resume},
                  {"checkpoint", options->checkpoint},
                  {"real-time", options->real_time},
                  {"until-steady", options->until_steady}};
    for (size_t i = 0; options->test_init && i < sizeof others / sizeof *others; i++)
        if (others[i].value)
            return cli_fail(err, TAKT_ERR_USAGE, "--test-init and --%s exclude each other",
                            others[i].name);
    return TAKT_OK;
}

// What says how results look means nothing where there are none.
static takt_status check_looks(const run_options *options, const cli_arguments *arguments,
                               takt_error *err)
{
    bool has_results = !options->no_output && (!options->test_init || options->output_file);
    for (int i = 0; i < arguments->n_settings && !has_results; i++) {
        const char *name = arguments->settings[i].name;
        if (strncmp(name, "record", 6) == 0 || strcmp(name, "output-time-unit") == 0)
            return cli_fail(
                err, TAKT_ERR_USAGE,
                options->no_output
                    ? "--%s and --no-output exclude each other"
                    : "--%s needs --output-file, as --test-init alone writes no results",
                name);
    }
    return TAKT_OK;
}

static takt_status check_options(const run_options *options, const char *project, takt_error *err)
{
    if (is_standard_output(options->output_file) && is_standard_output(options->stats))
        return cli_fail(err, TAKT_ERR_USAGE,
                        "--output-file - and --stats - exclude each other: standard output can "
                        "only take one of them");
    if (options->describe_results &&
        (options->no_output || is_standard_output(options->output_file)))
        return cli_fail(err, TAKT_ERR_USAGE,
                        "--describe-results needs a file with results beside which to write");
    if (options->describe_results && options->no_describe_results)
        return cli_fail(err, TAKT_ERR_USAGE,
                        "--describe-results and --no-describe-results exclude each other");
    if (options->output_file && options->no_output)
        return cli_fail(err, TAKT_ERR_USAGE, "--output-file and --no-output exclude each other");
    if (is_standard_output(options->trace) || is_standard_output(options->report))
        return cli_fail(err, TAKT_ERR_USAGE, "--%s needs the name of a file",
                        options->report && is_standard_output(options->report) ? "report"
                                                                               : "trace");
    takt_status st = check_checkpoints(options, err);
    if (!st) st = check_test_init(options, err);
    cli_pacing unused;
    if (!st) st = cli_pacing_read(&unused, options->real_time, options->until_steady, err);
    if (!st) st = check_files(options, project, err);
    return st || !options->output_file ? st : takt_results_check_ending(options->output_file, err);
}

// A trial of the initialization must not replace the results of a whole run by a single row.
static takt_status choose_output(run_job *job, takt_error *err)
{
    const run_options *options = job->options;
    if (options->no_output || (options->test_init && !options->output_file)) return TAKT_OK;
    const char *name = takt_project_name(job->session.project);
    const char *before = job->from ? takt_checkpoint_results(job->from) : NULL;
    job->continues_results =
        before && (!options->output_file || cli_is_same_file(options->output_file, before));
    if (job->continues_results) {
        job->output = strdup(before);
        return job->output ? TAKT_OK : cli_fail_memory(err);
    }
    size_t size = strlen(options->output_file ? options->output_file : name) + sizeof ".csv";
    job->output = malloc(size);
    if (!job->output) return cli_fail_memory(err);
    if (options->output_file)
        snprintf(job->output, size, "%s", options->output_file);
    else
        snprintf(job->output, size, "%s.csv", name);
    return TAKT_OK;
}

static takt_status open_checkpoint(run_job *job, takt_error *err)
{
    const run_options *options = job->options;
    if (options->checkpoint_interval)
        takt_number_read_duration(options->checkpoint_interval, &job->checkpoint_interval);
    cli_pacing_read(&job->pacing, options->real_time, options->until_steady, NULL); // checked
    return options->resume ? takt_checkpoint_open(options->resume, &job->from, err) : TAKT_OK;
}

// Tried before the run: a wrong path must not be found out after hours.
static takt_status try_stats(run_job *job, takt_error *err)
{
    const char *path = job->options->stats;
    if (!path) return TAKT_OK;
    job->has_stats = is_standard_output(path) || cli_whole_file_is_possible(path);
    if (job->has_stats) return TAKT_OK;
    return cli_fail(err, TAKT_ERR_OUTPUT, "cannot write the statistics file %s: %s", path,
                    strerror(errno));
}

// ---- the run -----------------------------------------------------------------------------------

// The first multiple of the interval behind the present time, so that it does not matter where a run began.
static double next_checkpoint(const run_job *job)
{
    if (!(job->checkpoint_interval > 0)) return HUGE_VAL;
    double start = takt_run_start_time(job->run), now = takt_run_time(job->run);
    double n = floor((now - start) / job->checkpoint_interval);
    for (int i = 0; i < 3; i++) {
        double next = start + (n + i) * job->checkpoint_interval;
        if (next > now && next < HUGE_VAL) return next;
    }
    return now; // times cannot tell such short intervals: one is over after every step
}

// A checkpoint that cannot be written (a full disk) does not end the simulation; the one before is still there.
static takt_status write_checkpoint(run_job *job, takt_error *err)
{
    takt_status st = takt_run_checkpoint(job->run, job->options->checkpoint, err);
    if (st != TAKT_ERR_OUTPUT) return st;
    cli_console_error(&job->session.console, err);
    job->n_unwritten++;
    *err = (takt_error){0};
    return TAKT_OK;
}

// The last checkpoint: at the end, or where the simulation was interrupted.
static takt_status write_last_checkpoint(run_job *job, takt_error *err)
{
    if (!job->options->checkpoint || job->progress == TAKT_TERMINATED) return TAKT_OK;
    job->n_unwritten = 0;
    takt_status st = write_checkpoint(job, err);
    if (st || !job->n_unwritten) return st;
    return cli_fail(err, TAKT_ERR_OUTPUT, "the last checkpoint could not be written to %s",
                    job->options->checkpoint);
}

static takt_status step_to_the_end(run_job *job, takt_error *err)
{
    cli_progress progress;
    cli_progress_mode mode = (cli_progress_mode)job->options->progress;
    if (job->options->quiet && mode == CLI_PROGRESS_AUTO) mode = CLI_PROGRESS_NONE;
    cli_progress_start(&progress, mode, &job->session.console, job->run,
                       takt_project_name(job->session.project));
    takt_status st = cli_pacing_begin(&job->pacing, job->run, err);
    double next = next_checkpoint(job);
    while (!st && job->progress == TAKT_RUNNING && !cli_interrupt_seen() &&
           !job->pacing.is_steady) {
        st = takt_run_step(job->run, &job->progress, err);
        cli_progress_step(&progress);
        if (!st) st = cli_pacing_step(&job->pacing, job->run, err);
        if (st || takt_run_time(job->run) < next || job->progress != TAKT_RUNNING) continue;
        st = write_checkpoint(job, err);
        next = next_checkpoint(job);
    }
    if (!st) st = write_last_checkpoint(job, err);
    cli_progress_end(&progress);
    job->was_interrupted = !st && job->progress == TAKT_RUNNING && !job->pacing.is_steady;
    return st;
}

// The writer takes standard output as it is when recording is set up.
static takt_status record(run_job *job, takt_error *err)
{
    if (!job->output) return TAKT_OK;
    takt_status st = cli_stdout_show(&job->guard, err);
    if (!st)
        st = job->continues_results ? takt_run_continue_record(job->run, job->from, err)
                                    : takt_run_record(job->run, job->output, err);
    cli_stdout_hide(&job->guard);
    return st;
}

// Before anything is written. Results of other parameters do not go on in the same file.
static takt_status compare_checkpoint(run_job *job, takt_error *err)
{
    int n_changed = 0;
    if (!job->from) return TAKT_OK;
    takt_status st = takt_run_compare_checkpoint(job->run, job->from, &n_changed, err);
    if (st) return st;
    if (n_changed && job->output && job->continues_results)
        return cli_fail(err, TAKT_ERR_USAGE,
                        "parameters have other values than in the checkpoint: give --output-file "
                        "another name than %s, whose results would be cut",
                        job->output);
    return TAKT_OK;
}

// A checkpoint is written at once: a wrong path must not be found out after hours.
static takt_status start(run_job *job, takt_error *err)
{
    const char *checkpoint = job->options->checkpoint;
    takt_status st =
        job->from ? takt_run_resume(job->run, job->from, err) : takt_run_initialize(job->run, err);
    return st || !checkpoint ? st : takt_run_checkpoint(job->run, checkpoint, err);
}

// Plots and comparisons need units and types, which CSV has no place for. Written once there is a row: until then
// the results of an earlier run stay, and so does what is said about them.
static takt_status describe(run_job *job, takt_error *err)
{
    struct stat status;
    // Where the system cannot tell, it is taken for a file: writing beside it says more.
    bool is_file = job->output && !is_standard_output(job->output) &&
                   (stat(job->output, &status) != 0 || S_ISREG(status.st_mode));
    if (!is_file || job->options->no_describe_results) return TAKT_OK;
    takt_status st = takt_run_describe_results(job->run, job->output, err);
    if (!st || job->options->describe_results) return st;
    cli_console_note(&job->session.console, "%s; plots will not know units", err->message);
    *err = (takt_error){0};
    return TAKT_OK;
}

static takt_status log_steps(run_job *job, takt_error *err)
{
    const char *path = job->options->step_log;
    return path ? takt_run_log_steps(job->run, path, err) : TAKT_OK;
}

static takt_status trace(run_job *job, takt_error *err)
{
    const char *path = job->options->trace;
    return path ? takt_run_trace_to(job->run, path, err) : TAKT_OK;
}

// Completes the results; after a failure a further one is reported and otherwise ignored.
static takt_status finish(run_job *job, takt_status st, takt_error *err)
{
    takt_error late = {0};
    takt_status finished = takt_run_finish(job->run, &late);
    if (!finished) return st;
    if (st) {
        cli_console_error(&job->session.console, &late);
        return st;
    }
    *err = late;
    return finished;
}

static takt_status write_stats(run_job *job, run_ending ending, takt_error *err)
{
    const char *path = job->options->stats;
    if (!job->has_stats) return TAKT_OK;
    job->has_stats = false;
    char *json = takt_run_statistics_json(job->run, ending_words[ending]);
    if (!json) return cli_fail_memory(err);
    bool is_good = is_standard_output(path)
                       ? printf("%s\n", json) >= 0 && fflush(stdout) == 0 && !ferror(stdout)
                       : cli_whole_file_write(path, json, "\n");
    takt_free(json);
    if (is_good) return TAKT_OK;
    return cli_fail(err, TAKT_ERR_OUTPUT, "cannot write the statistics to %s: %s",
                    is_standard_output(path) ? "standard output" : path, strerror(errno));
}

// A call takes long: the user may wonder.
static void tell_waiting(void *context, const char *text)
{
    run_job *job = context;
    cli_console_note(&job->session.console, "%s", text);
}

// A call to an FMU does not return, or crashed. The thread that waits for it can only end with the program; this is
// another thread. Results are complete already.
static void give_up(void *context, const takt_error *err)
{
    run_job *job = context;
    takt_error late = {0};
    run_ending ending = err->status == TAKT_ERR_TIMEOUT ? ENDED_BY_TIMEOUT : ENDED_BY_CRASH;
    if (job->run && write_stats(job, ending, &late))
        cli_console_error(&job->session.console, &late);
    cli_console_error(&job->session.console, err);
    if (job->session.console.log_file) fflush(job->session.console.log_file);
    takt_system_remove_files(job->session.system);
    if (err->status !=
        TAKT_ERR_SIMULATION) // else Takt itself crashed, and the signal ends the program
        cli_exit_now(takt_status_exit_code(err->status));
}

// All code of FMUs but their end runs in here.
static takt_status simulate(run_job *job, takt_error *err)
{
    cli_stdout_hide(&job->guard);
    const takt_watch_options watch = {
        .size = sizeof watch, .on_end = give_up, .on_wait = tell_waiting, .context = job};
    takt_run_options options = takt_run_options_default();
    options.watch = &watch;
    options.results = is_standard_output(job->output) ? NULL : job->output;
    takt_status st = takt_run_create_with(job->session.system, &options, &job->run, err);
    if (!st && job->options->checkpoint) st = takt_run_allow_checkpoints(job->run, err);
    if (!st) st = compare_checkpoint(job, err);
    if (!st)
        st = takt_system_describe(job->session.system, TAKT_TOPIC_EXPERIMENT, TAKT_FORMAT_TEXT,
                                  &job->experiment, err);
    if (!st) st = record(job, err);
    if (!st && job->options->report) st = cli_run_report_watch(&job->report, job->run, err);
    if (!st) st = log_steps(job, err);
    if (!st) st = trace(job, err);
    if (!st) st = start(job, err);
    if (!st) st = describe(job, err);
    job->is_initialized = !st;
    if (!st && !job->options->test_init) st = step_to_the_end(job, err);
    if (job->run) st = finish(job, st, err);
    takt_error unseen;
    takt_status shown = cli_stdout_show(&job->guard, st ? &unseen : err);
    return st ? st : shown;
}

// ---- after the run -----------------------------------------------------------------------------

static run_ending find_ending(const run_job *job, takt_status st)
{
    if (st == TAKT_ERR_TIMEOUT) return ENDED_BY_TIMEOUT; // of an FMU in a process of its own
    if (st == TAKT_ERR_CRASH) return ENDED_BY_CRASH;
    if (st) return ENDED_FAILED;
    if (job->was_interrupted) return ENDED_INTERRUPTED;
    return job->progress == TAKT_TERMINATED ? ENDED_TERMINATED : ENDED_OK;
}

static void tell_results(const run_job *job, const takt_statistics *statistics, FILE *file)
{
    if (!job->output) return;
    int n_columns = 1; // the time
    while (takt_run_column(job->run, n_columns - 1)) n_columns++;
    const char *path = is_standard_output(job->output) ? "standard output" : job->output;
    fprintf(file, "Results: %s (%lld %s, %d %s)\n", path, (long long)statistics->rows,
            statistics->rows == 1 ? "row" : "rows", n_columns,
            n_columns == 1 ? "column" : "columns");
}

// That an instance ended the simulation, and which one, is in the log.
static void tell_ending(run_job *job, run_ending ending)
{
    char reached[64];
    snprintf(reached, sizeof reached, "t = %.9g s of %.9g s", takt_run_time(job->run),
             takt_run_stop_time(job->run));
    cli_console *console = &job->session.console;
    if (ending == ENDED_INTERRUPTED)
        cli_console_note(console, "interrupted at %s; the results up to there are complete",
                         reached);
    if (ending == ENDED_OK && job->is_initialized && !job->options->test_init)
        cli_pacing_tell(&job->pacing, job->run, console, job->options->quiet);
    if (ending == ENDED_OK && job->options->test_init && !job->options->quiet)
        cli_console_note(console, "initialization succeeded at t = %.9g s",
                         takt_run_time(job->run));
}

// Reports what happened; only a failure to write it, or no memory to know it, is returned.
static takt_status report(run_job *job, takt_status st, takt_error *err)
{
    run_ending ending = find_ending(job, st);
    FILE *file = job->guard.is_needed ? stderr : stdout;
    takt_statistics statistics = {.size = sizeof statistics};
    takt_run_statistics(job->run, &statistics, NULL);
    bool has_begun = job->is_initialized && !job->options->test_init;
    clearerr(file); // what FMUs could not print does not concern us
    if (has_begun && !job->options->quiet) cli_statistics_print(&statistics, file);
    if (has_begun && !job->options->quiet) fputs(job->experiment, file);
    if (job->is_initialized && !job->options->quiet) tell_results(job, &statistics, file);
    takt_status printed = job->options->quiet ? TAKT_OK : cli_output_end(file, err);
    bool is_incomplete = has_begun && !job->options->quiet && !statistics.instances;
    if (is_incomplete && !printed) printed = cli_fail_memory(err);
    tell_ending(job, ending);
    takt_status written = write_stats(job, ending, printed ? NULL : err);
    return printed ? printed : written;
}

// As HTML; also of a run that has failed.
static takt_status write_report(run_job *job, const cli_arguments *arguments, takt_status st,
                                takt_error *err)
{
    const char *path = job->options->report;
    if (!path || !job->is_initialized) return TAKT_OK;
    char *statistics = takt_run_statistics_json(job->run, ending_words[find_ending(job, st)]);
    const cli_report report = {.file = arguments->operands[0],
                               .project = job->session.project,
                               .system = job->session.system,
                               .statistics = statistics,
                               .results = is_standard_output(job->output) ? NULL : job->output};
    takt_status written = cli_run_report_write(&job->report, path, &report, arguments, err);
    takt_free(statistics);
    if (!written && !job->options->quiet)
        cli_console_note(&job->session.console, "report: %s", path);
    return written;
}

static takt_status work(run_job *job, const cli_arguments *arguments, takt_error *err)
{
    job->session.ranks = arguments->ranks;
    job->session.n_ranks = arguments->transport ? arguments->transport->n_ranks : 1;
    takt_status st = cli_session_open_files(&job->session, arguments, err);
    if (!st) st = open_checkpoint(job, err);
    if (!st) st = choose_output(job, err);
    if (!st) st = check_more_files(job, arguments, err);
    if (!st) st = try_stats(job, err);
    if (st) return st;
    if (cli_interrupt_seen()) {
        job->was_interrupted = true;
        cli_console_note(&job->session.console, "interrupted before the start of the simulation");
        return TAKT_OK;
    }
    job->guard.is_needed =
        is_standard_output(job->output) || is_standard_output(job->options->stats);
    st = simulate(job, err);
    if (!job->run) return st;
    takt_error late = {0};
    takt_status reported = report(job, st, &late);
    if (!reported) reported = write_report(job, arguments, st, &late);
    if (!st && reported) *err = late;
    return st ? st : reported;
}

// Has the program that read the results on standard output ended?
static bool is_reader_gone(const run_job *job, takt_status st)
{
    return st == TAKT_ERR_OUTPUT && is_standard_output(job->output) && cli_output_is_broken();
}

// The run ends first: messages of FMUs that are being freed come before the final message.
static void end(run_job *job, takt_status st, const takt_error *err)
{
    cli_stdout_hide(&job->guard);
    takt_error unseen; // nothing more is written to it
    takt_run_destroy(job->run);
    cli_stdout_show(&job->guard, &unseen);
    bool is_quiet = is_reader_gone(job, st);
    free(job->output);
    takt_checkpoint_close(job->from);
    takt_free(job->experiment);
    cli_run_report_clear(&job->report);
    job->session.console.listen = NULL;
    if (st && !is_quiet) cli_session_fail(&job->session, err);
    cli_session_close(&job->session);
    if (is_quiet) cli_end_by_pipe();
}

static int execute(const cli_arguments *arguments)
{
    cli_interrupt_watch();
    run_job job = {.options = arguments->options};
    cli_console *console = &job.session.console;
    takt_error err = {0};
    takt_status wrong = TAKT_OK;
    for (int i = 0; i < arguments->n_operands && !wrong; i++)
        wrong = check_options(job.options, arguments->operands[i], &err);
    if (!wrong) wrong = check_looks(job.options, arguments, &err);
    takt_status st = cli_console_open(console, (takt_level)job.options->log_level,
                                      wrong ? NULL : job.options->log_file, wrong ? NULL : &err);
    if (wrong) st = wrong;
    if (!st && job.options->report) cli_run_report_listen(&job.report, console);
    if (!st) st = work(&job, arguments, &err);
    end(&job, st, &err);
    if (!cli_console_close(console) && !st) {
        st = cli_fail(&err, TAKT_ERR_OUTPUT, "cannot write the log file %s", job.options->log_file);
        cli_console_error(console, &err);
    }
    return !st && job.was_interrupted ? CLI_EXIT_INTERRUPTED : takt_status_exit_code(st);
}

#define FIELD(member) offsetof(run_options, member)

static const cli_option options[] = {
    {"output-file", 'o', CLI_TEXT, "FILE", "<project name>.csv in the current folder",
     "where the results go: CSV (.csv), with tabs (.tsv), or MAT (.mat); "
     "- is standard output",
     "Results", FIELD(output_file)},
    {"describe-results", 0, CLI_FLAG, NULL, "where results go to a file",
     "write units, types and descriptions of the columns to <results>.json, and fail if that is "
     "not "
     "possible",
     NULL, FIELD(describe_results)},
    {"no-describe-results", 0, CLI_FLAG, NULL, NULL, "do not write <results>.json", NULL,
     FIELD(no_describe_results)},
    {"no-output", 0, CLI_FLAG, NULL, NULL, "write no results", NULL, FIELD(no_output)},
    {"stats", 0, CLI_TEXT, "FILE", NULL, "write counts and times as JSON; - is standard output",
     NULL, FIELD(stats)},
    {"test-init", 0, CLI_FLAG, NULL, NULL,
     "stop after the initialization; results are written only with --output-file", NULL,
     FIELD(test_init)},
    {"quiet", 'q', CLI_FLAG, NULL, NULL,
     "no statistics and no progress bar; warnings and errors are still shown", "Messages",
     FIELD(quiet)},
    {"progress", 0, CLI_CHOICE, CLI_PROGRESS_WORDS, "auto",
     "how the progress is shown on standard error; auto: a bar on a terminal", NULL,
     FIELD(progress)},
    {"log-level", 0, CLI_CHOICE, "error|warn|info|debug|trace", "warn",
     "which messages appear on standard error", NULL, FIELD(log_level)},
    {"log-file", 0, CLI_TEXT, "FILE", NULL,
     "write the messages to a file; standard error gets only errors and warnings", NULL,
     FIELD(log_file)},
    {"step-log", 0, CLI_TEXT, "FILE", NULL,
     "write a table of every sweep and every decision of the algorithms", NULL, FIELD(step_log)},
    {"trace", 0, CLI_TEXT, "FILE", NULL,
     "write when each FMU was called, for trace viewers (Chrome, Perfetto)", NULL, FIELD(trace)},
    {"report", 0, CLI_TEXT, "FILE", NULL,
     "write a report as one HTML file: plots, system, FMUs with their hashes, settings with their "
     "origin, statistics, warnings",
     NULL, FIELD(report)},
    {"checkpoint", 0, CLI_TEXT, "FILE", NULL,
     "save the whole simulation at its beginning, at its end and when it is interrupted, so that "
     "it "
     "can go on from there",
     "Checkpoints", FIELD(checkpoint)},
    {"checkpoint-interval", 0, CLI_TEXT, "DT", NULL,
     "save it as well whenever this much time has been simulated", NULL,
     FIELD(checkpoint_interval)},
    {"resume", 0, CLI_TEXT, "FILE", NULL,
     "go on from a checkpoint, with the same project and options; its results are continued, or a "
     "new --output-file begins there; --set may change tunable parameters",
     NULL, FIELD(resume)},
    {"real-time", 0, CLI_TEXT, "[F]", NULL,
     "let simulated time pass as fast as real time, or F times as fast; the end tells how punctual "
     "that was",
     "Pacing and end", FIELD(real_time)},
    {"until-steady", 0, CLI_TEXT, "[DT]", "a tenth of the interval",
     "end when no value has changed by more than the tolerance for DT of simulated time, at the "
     "latest at the stop time",
     NULL, FIELD(until_steady)},
    CLI_PLACE_OPTIONS,
    CLI_CONTENT_OPTIONS,
    CLI_PROJECT_OPTIONS,
    {0},
};

static const run_options defaults = {.log_level = TAKT_LEVEL_WARN};

const cli_command cli_run = {
    .name = "run",
    .operands = "FILE... [options]",
    .summary = "simulate a system and write its results",
    .details =
        "Simulates a project (.ssp, .ssd, a folder, .msim, ...) or a single FMU (.fmu), writes the "
        "results and prints counts and times. Ctrl-C ends the simulation after the current "
        "step; results up to there are complete. A second Ctrl-C ends the program at once.",
    .examples = "takt run plant.ssd\twrites plant.csv\n"
                "takt run plant.ssd --stop-time 1h --step-size 100ms -o hour.csv\n"
                "takt run plant.ssd --set Tank.level=1.5 --record 'Tank.*'\n"
                "takt run tank.fmu -o - --quiet | tail -1\tshows the values at the end\n",
    .options = options,
    .has_settings = true,
    .lists_settings = true,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .options_size = sizeof(run_options),
    .defaults = &defaults,
    .execute = execute,
};
