// SPDX-License-Identifier: MIT
// What it costs to save and restore the state of the building FMU with some 5,000 unknowns, beside one copy of its
// serialised bytes by memcpy, in the same run. Of many rounds the fastest counts, as only that is not disturbed by others.
//
//     bench_state FOLDER     the unpacked FMU Building
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fmi/fmi2.h"

enum { CELL = 4, UNKNOWNS = 15 }; // value references
enum { ROUNDS = 400, REPEATS = 50 };

typedef struct building {
    fmi2Component instance;
    fmi2GetFMUstateTYPE *save;
    fmi2SetFMUstateTYPE *restore;
    size_t size; // of the serialised state, bytes
    int unknowns;
} building;

static void no_log(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String message, ...)
{
    (void)environment, (void)name, (void)status, (void)category, (void)message;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_state: %s\n", what);
    exit(1);
}

#define LOAD(function)                                                                             \
    function##TYPE *function = (function##TYPE *)dlsym(library, #function);                        \
    if (!function) fail("a function of " #function " is missing")

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

// An instance that has made some steps.
static void make(building *b, const char *folder)
{
    char path[1024], guid[128];
    static const fmi2CallbackFunctions callbacks = {no_log, calloc, free, NULL, NULL};
    snprintf(path, sizeof path, "%s/binaries/linux64/Building.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail("the library cannot be loaded");
    read_guid(folder, guid, sizeof guid);
    LOAD(fmi2Instantiate);
    LOAD(fmi2SetReal);
    LOAD(fmi2GetInteger);
    LOAD(fmi2SetupExperiment);
    LOAD(fmi2EnterInitializationMode);
    LOAD(fmi2ExitInitializationMode);
    LOAD(fmi2DoStep);
    LOAD(fmi2GetFMUstate);
    LOAD(fmi2SetFMUstate);
    LOAD(fmi2SerializedFMUstateSize);
    LOAD(fmi2FreeFMUstate);
    b->save = fmi2GetFMUstate;
    b->restore = fmi2SetFMUstate;
    b->instance = fmi2Instantiate("house", fmi2CoSimulation, guid, "file:///", &callbacks,
                                  fmi2False, fmi2False);
    const fmi2ValueReference cell = CELL, unknowns = UNKNOWNS;
    const double length = 0.0026; // m
    fmi2FMUstate state = NULL;
    if (!b->instance || fmi2SetReal(b->instance, &cell, 1, &length) ||
        fmi2SetupExperiment(b->instance, fmi2True, 1e-6, 0, fmi2False, 0) ||
        fmi2EnterInitializationMode(b->instance) || fmi2ExitInitializationMode(b->instance))
        fail("the FMU cannot be initialized");
    for (int i = 0; i < 4; i++)
        if (fmi2DoStep(b->instance, 900.0 * i, 900, fmi2True)) fail("a step failed");
    if (fmi2GetInteger(b->instance, &unknowns, 1, &b->unknowns) || b->save(b->instance, &state) ||
        fmi2SerializedFMUstateSize(b->instance, state, &b->size) ||
        fmi2FreeFMUstate(b->instance, &state))
        fail("the state cannot be saved");
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int n_words, char **words)
{
    building b = {0};
    if (n_words != 2) fail("give the folder of the unpacked FMU Building");
    make(&b, words[1]);
    char *from = calloc(1, b.size), *to = calloc(1, b.size);
    fmi2FMUstate state = NULL;
    if (!from || !to || b.save(b.instance, &state)) fail("out of memory");
    double copy = 1, both = 1; // s
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        for (int i = 0; i < REPEATS; i++) {
            memcpy(to, from, b.size);
            __asm__ volatile("" : : "r"(to) : "memory"); // it is needed
        }
        double middle = now();
        for (int i = 0; i < REPEATS; i++)
            if (b.save(b.instance, &state) || b.restore(b.instance, state))
                fail("restoring failed");
        double end = now();
        if (middle - begin < copy * REPEATS) copy = (middle - begin) / REPEATS;
        if (end - middle < both * REPEATS) both = (end - middle) / REPEATS;
    }
    printf("{\"unknowns\": %d, \"bytes\": %lu, \"copy\": %.9g, \"save_and_restore\": %.9g}\n",
           b.unknowns, (unsigned long)b.size, copy, both);
    return 0;
}
