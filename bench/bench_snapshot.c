// SPDX-License-Identifier: MIT
// What it costs to save and restore a run in memory, beside the FMU's own calls for that, in the same run. Of many rounds the
// fastest counts, as only that is not disturbed by others.
//
//     bench_snapshot FMU FOLDER N     the FMU Gain, the same unpacked, and how many instances
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fmi/fmi2.h"
#include "takt/takt.h"

enum { ROUNDS = 200, REPEATS = 100 };

static void fail(const char *what)
{
    fprintf(stderr, "bench_snapshot: %s\n", what);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- the FMU alone -------------------------------------------------------------------------------------

static void no_log(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String message, ...)
{
    (void)environment, (void)name, (void)status, (void)category, (void)message;
}

static void read_guid(const char *folder, char *guid, size_t size)
{
    char path[1024], text[4096] = "";
    snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
    FILE *file = fopen(path, "r");
    if (!file) fail("there is no FMU");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *begin = strstr(text, "guid=\""), *end = begin ? strchr(begin + 6, '"') : NULL;
    if (!end) fail("the FMU has no GUID");
    snprintf(guid, size, "%.*s", (int)(end - begin - 6), begin + 6);
}

#define LOAD(function)                                                                             \
    function##TYPE *function = (function##TYPE *)dlsym(library, #function);                        \
    if (!function) fail("a function of " #function " is missing")

// Seconds to save, restore and free the state of one instance.
static double time_fmu(const char *folder)
{
    char path[1024], guid[128];
    static const fmi2CallbackFunctions callbacks = {no_log, calloc, free, NULL, NULL};
    snprintf(path, sizeof path, "%s/binaries/linux64/Gain.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail("the library cannot be loaded");
    read_guid(folder, guid, sizeof guid);
    LOAD(fmi2Instantiate);
    LOAD(fmi2SetupExperiment);
    LOAD(fmi2EnterInitializationMode);
    LOAD(fmi2ExitInitializationMode);
    LOAD(fmi2GetFMUstate);
    LOAD(fmi2SetFMUstate);
    LOAD(fmi2FreeFMUstate);
    fmi2Component c = fmi2Instantiate("gain", fmi2CoSimulation, guid, "file:///", &callbacks,
                                      fmi2False, fmi2False);
    if (!c || fmi2SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0) ||
        fmi2EnterInitializationMode(c) || fmi2ExitInitializationMode(c))
        fail("the FMU cannot be initialized");
    double least = 1;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        for (int i = 0; i < REPEATS; i++) {
            fmi2FMUstate state = NULL;
            if (fmi2GetFMUstate(c, &state) || fmi2SetFMUstate(c, state) ||
                fmi2FreeFMUstate(c, &state))
                fail("restoring failed");
        }
        double each = (now() - begin) / REPEATS;
        if (each < least) least = each;
    }
    return least;
}

// ---- the run -------------------------------------------------------------------------------------------

static takt_run *make_run(const char *fmu, int n)
{
    takt_error err = {0};
    takt_project *project = NULL;
    takt_system *system = NULL;
    takt_run *run = NULL;
    takt_progress progress;
    char name[32], from[32], to[32];
    takt_status st = takt_project_create("bench.ssd", NULL, &project, &err);
    for (int i = 0; i < n && !st; i++) {
        snprintf(name, sizeof name, "G%d", i);
        st = takt_project_add(project, name, fmu, &err);
        snprintf(from, sizeof from, "G%d.y", i - 1);
        snprintf(to, sizeof to, "G%d.u", i);
        if (!st && i > 0) st = takt_project_connect(project, from, to, &err);
    }
    if (!st) st = takt_project_set(project, "stop-time", "10", &err);
    if (!st) st = takt_system_create(project, &system, &err);
    if (!st) st = takt_run_create(system, &run, &err);
    if (!st) st = takt_run_initialize(run, &err);
    if (!st) st = takt_run_to(run, 1, &progress, &err);
    if (st) fail(err.message);
    return run;
}

// Seconds to take a snapshot, go back to it, and free it.
static double time_run(takt_run *run)
{
    takt_error err = {0};
    double least = 1;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        for (int i = 0; i < REPEATS; i++) {
            takt_snapshot *snapshot = NULL;
            takt_status st = takt_snapshot_take(run, &snapshot, &err);
            if (!st) st = takt_snapshot_restore(run, snapshot, &err);
            if (st) fail(err.message);
            takt_snapshot_destroy(snapshot);
        }
        double each = (now() - begin) / REPEATS;
        if (each < least) least = each;
    }
    return least;
}

int main(int n_words, char **words)
{
    if (n_words != 4) fail("give the FMU Gain, its folder, and how many instances");
    int n = (int)strtol(words[3], NULL, 10);
    double own = time_fmu(words[2]), all = time_run(make_run(words[1], n));
    printf("{\"fmu\": %.9g, \"run\": %.9g}\n", own, all);
    return 0;
}
