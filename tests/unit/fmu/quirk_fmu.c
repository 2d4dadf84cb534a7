// SPDX-License-Identifier: MIT
// An FMU of FMI 2.0, written by hand, that is as picky and as noisy as real ones are (test_quirks.c says
// which): it refuses inputs before initialization, steps beyond the stop time and a second instance; it
// uses the mathematical library without asking for it; it prints; its state cannot be saved before its
// String has been set; it fails when it is reset. Its GUID chooses more: "hang_..." never returns from
// that call, "shared" lets instances share their values without a word.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fmi/fmi2.h"

#define DECLARE(result, name, parameters)                                                          \
    __attribute__((visibility("default"))) result name parameters;
FMI2_COMMON_FUNCTIONS(DECLARE)
FMI2_CS_FUNCTIONS(DECLARE)

enum { R_U, R_Y, R_TIME, N_REALS };
enum { HIGH_REFERENCE = 0x80000000u }; // added to all value references of Reals

typedef struct quirk {
    double reals[N_REALS];
    double stop;
    char *text; // NULL until it is set
    int is_initializing, is_stepping;
    char hangs[32]; // in which call
} quirk;

static int n_instances;
static double shared_y; // what ControlBuild's FMUs do

static void hang(const char *hangs, const char *where)
{
    while (strcmp(hangs, where) == 0) pause();
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible,
                              fmi2Boolean logging)
{
    (void)name, (void)type, (void)resources, (void)visible, (void)logging;
    hang(guid, "hang_instantiate");
    if (n_instances > 0 && strcmp(guid, "shared") != 0) return NULL; // without having said so
    n_instances++;
    quirk *q = callbacks->allocateMemory(1, sizeof *q);
    snprintf(q->hangs, sizeof q->hangs, "%s", guid);
    printf("Hello from an FMU\n");
    return q;
}

void fmi2FreeInstance(fmi2Component c)
{
    hang(((quirk *)c)->hangs, "hang_free");
    n_instances--;
    free(((quirk *)c)->text);
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    quirk *q = c;
    (void)has_tolerance, (void)tolerance;
    q->reals[R_TIME] = start;
    q->stop = has_stop ? stop : INFINITY;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    ((quirk *)c)->is_initializing = 1;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    ((quirk *)c)->is_initializing = 0;
    ((quirk *)c)->is_stepping = 1;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    hang(((quirk *)c)->hangs, "hang_terminate");
    printf("Goodbye");
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    (void)c;
    abort();
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    quirk *q = c;
    if (strcmp(q->hangs, "shared") == 0)
        q->reals[R_Y] = shared_y += sin(q->reals[R_U]);
    else
        q->reals[R_Y] = sin(q->reals[R_U]);
    for (size_t i = 0; i < n; i++) value[i] = q->reals[vr[i] - HIGH_REFERENCE];
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       const fmi2Real value[])
{
    quirk *q = c;
    if (!q->is_initializing && !q->is_stepping) return fmi2Error;
    for (size_t i = 0; i < n; i++) q->reals[vr[i] - HIGH_REFERENCE] = value[i];
    return fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                         const fmi2String value[])
{
    quirk *q = c;
    if (n != 1 || vr[0] != 0) return fmi2Error;
    free(q->text);
    q->text = malloc(strlen(value[0]) + 1);
    if (!q->text) return fmi2Error;
    memcpy(q->text, value[0], strlen(value[0]) + 1);
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    quirk *q = c;
    if (!*state) *state = malloc(sizeof *q);
    memcpy(*state, q, sizeof *q);
    return strlen(q->text) > 0 ? fmi2OK : fmi2Error; // crashes without a text
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    memcpy(c, state, sizeof(quirk));
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state); // and leaves the pointer
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real h, fmi2Boolean is_final)
{
    quirk *q = c;
    (void)is_final;
    if (time + h > q->stop) return fmi2Error; // not by a single bit
    q->reals[R_TIME] = time + h;
    printf("step to %g\n", time + h);
    return fmi2OK;
}
