// SPDX-License-Identifier: MIT
// How a program uses Takt as a library: opens a project, simulates it, looks at a value on the way
// and writes the results. Usage: run_system PROJECT.ssd RESULTS.csv
#include <stdio.h>

#include <takt/takt.h>

// Problems of the project, each with its place, and messages of the FMUs come here.
static void print_message(void *context, const takt_message *message)
{
    (void)context;
    fprintf(stderr, "%s:%d: %s: %s\n", message->file ? message->file : "run", message->line,
            takt_level_name(message->level), message->text);
}

// Steps to the end and remembers the largest value of the first recorded variable.
static takt_status simulate(takt_run *run, takt_error *err)
{
    takt_progress progress = TAKT_RUNNING;
    takt_status st = takt_run_initialize(run, err);
    double largest = takt_run_value(run, 0);
    while (!st && progress == TAKT_RUNNING) {
        st = takt_run_step(run, &progress, err);
        if (!st && takt_run_value(run, 0) > largest) largest = takt_run_value(run, 0);
    }
    if (!st) st = takt_run_finish(run, err);
    if (!st) printf("largest %s: %g\n", takt_run_column(run, 0), largest);
    if (!st) printf("end: t = %g s\n", takt_run_time(run));
    return st;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s PROJECT RESULTS\n", argv[0]);
        return 2;
    }
    takt_error err = {0};
    takt_project *project = NULL;
    takt_system *system = NULL;
    takt_run *run = NULL;
    takt_log *log = takt_log_create(TAKT_LEVEL_WARN, print_message, NULL);

    // Each is made from the one before, which must outlive it.
    takt_status st = takt_project_open(argv[1], log, &project, &err);
    if (!st) st = takt_project_set(project, "algorithm", "seidel", &err);
    if (!st) st = takt_system_create(project, &system, &err);
    if (!st) st = takt_run_create(system, &run, &err);
    if (!st) st = takt_run_record(run, argv[2], &err);
    if (!st) st = simulate(run, &err);
    if (st) fprintf(stderr, "error: %s\n", err.message);

    takt_run_destroy(run);
    takt_system_destroy(system);
    takt_project_close(project);
    takt_log_destroy(log);
    return takt_status_exit_code(st);
}
