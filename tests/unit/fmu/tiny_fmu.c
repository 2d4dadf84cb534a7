// SPDX-License-Identifier: MIT
// A small FMU written by hand, for the tests of src/fmu only: it does on request what importers must
// withstand. What it does is chosen by its Integer parameter `mode`. With TINY_BARE defined it lacks all
// functions that are not needed for a plain run, and those it has carry the prefix of source FMUs.
#define _POSIX_C_SOURCE 199309L
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fmi/fmi2.h"
#include "unit/fmu/tiny_fmu.h"

#define EXPORT __attribute__((visibility("default")))
#ifdef TINY_BARE
#define NAME(name) tiny_bare_##name
#else
#define NAME(name) name
#endif
#define DECLARE(result, name, parameters) EXPORT result NAME(name) parameters;
FMI2_COMMON_FUNCTIONS(DECLARE)
FMI2_CS_FUNCTIONS(DECLARE)

EXPORT tiny_counters tiny_counts;

typedef struct tiny {
    struct tiny *next; // of all that are not freed
    const fmi2CallbackFunctions *callbacks;
    char *name;
    double u, x, time;
    int integers[N_INTEGERS], booleans[N_BOOLEANS];
    char strings[N_STRINGS][64];
    bool is_label_set;
    int n_polls;
    pthread_t thread; // of a pending step
    bool has_thread;
    atomic_bool is_done; // the thread's work
    atomic_bool was_asked; // what it is doing
    double h;
} tiny;

static tiny *all;

static void destroy(tiny *t)
{
    tiny **place = &all;
    while (*place != t) place = &(*place)->next;
    *place = t->next;
    tiny_counts.n_instances--;
    if (t->has_thread) pthread_join(t->thread, NULL);
    free(t->name);
    free(t);
}

// For tests of what must not be freed: frees it in the end.
EXPORT void tiny_forget_all(void);
void tiny_forget_all(void)
{
    while (all) destroy(all);
    tiny_counts.n_fatal = 0;
}

// What a thread that goes on after its instance was freed may do.
EXPORT void tiny_speak_late(void);

static fmi2Status enter(const tiny *t)
{
    (void)t;
    tiny_counts.n_calls++;
    tiny_counts.n_calls_after_fatal += tiny_counts.n_fatal > 0;
    return fmi2OK;
}

#define LOG(t, status, ...)                                                                        \
    (t)->callbacks->logger((t)->callbacks->componentEnvironment, (t)->name, status, "tiny",        \
                           __VA_ARGS__)

fmi2Component NAME(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid,
                                    fmi2String resources, const fmi2CallbackFunctions *callbacks,
                                    fmi2Boolean visible, fmi2Boolean logging)
{
    (void)type, (void)visible, (void)logging;
    tiny *t = callbacks->allocateMemory(1, sizeof *t);
    if (!t) return NULL;
    t->callbacks = callbacks;
    t->name = callbacks->allocateMemory(strlen(name) + 1, 1);
    if (!t->name) {
        callbacks->freeMemory(t);
        return NULL;
    }
    memcpy(t->name, name, strlen(name) + 1);
    snprintf(t->strings[S_RESOURCES], sizeof t->strings[0], "%s",
             strlen(resources) > 60 ? resources + strlen(resources) - 60 : resources);
    t->next = all;
    all = t;
    tiny_counts.n_instances++;
    t->integers[I_NUMBER] = ++tiny_counts.n_instantiated;
    if (strcmp(guid, "{tiny}") == 0) return t;
    LOG(t, fmi2Error, "the GUID is wrong: %s", guid);
    NAME(fmi2FreeInstance)(t);
    return NULL;
}

static const fmi2CallbackFunctions *callbacks_of_freed;

void NAME(fmi2FreeInstance)(fmi2Component c)
{
    callbacks_of_freed = ((tiny *)c)->callbacks;
    enter(c);
    destroy(c);
}

void tiny_speak_late(void)
{
    const fmi2CallbackFunctions *callbacks = callbacks_of_freed;
    fmi2ComponentEnvironment environment = callbacks->componentEnvironment;
    callbacks->logger(environment, "gone", fmi2Error, "late", "%s am still here", "I");
    callbacks->stepFinished(environment, fmi2OK);
}

fmi2Status NAME(fmi2SetupExperiment)(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                                     fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    tiny *t = c;
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    t->time = start;
    return enter(t);
}

fmi2Status NAME(fmi2EnterInitializationMode)(fmi2Component c)
{
    tiny *t = c;
    enter(t);
    if (t->integers[I_MODE] != MODE_LOG) return fmi2OK;
    LOG(t, fmi2Warning, "#r0# and #i%d# differ ## in line\n", 10);
    LOG(t, fmi2OK, "50% so far, %n, %s %d");
    LOG(t, fmi2OK, "%s|%5.2f|%.*s\n", NULL, 1.5, 2, "abc");
    t->callbacks->logger(t->callbacks->componentEnvironment, NULL, (fmi2Status)99, NULL,
                         "#x1# #r7#");
    t->callbacks->logger(t->callbacks->componentEnvironment, NULL, fmi2OK, NULL, NULL);
    t->callbacks->logger(NULL, NULL, fmi2OK, NULL, "nobody");
    return fmi2Warning;
}

fmi2Status NAME(fmi2ExitInitializationMode)(fmi2Component c)
{
    return enter(c);
}

fmi2Status NAME(fmi2Terminate)(fmi2Component c)
{
    tiny_counts.n_terminated++;
    return enter(c);
}

fmi2Status NAME(fmi2GetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                             fmi2Real value[])
{
    tiny *t = c;
    for (size_t i = 0; i < n; i++) value[i] = vr[i] == R_U ? t->u : vr[i] == R_X ? t->x : 2 * t->u;
    if (t->integers[I_MODE] == MODE_GET_ERROR && t->time > 0.4) {
        LOG(t, fmi2Error, "no value\nat all");
        return fmi2Error;
    }
    return enter(t);
}

fmi2Status NAME(fmi2SetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                             const fmi2Real value[])
{
    tiny *t = c;
    enter(t);
    for (size_t i = 0; i < n; i++) {
        if (t->integers[I_MODE] == MODE_SET_DISCARD && value[i] < 0) return fmi2Discard;
        if (vr[i] == R_U) t->u = value[i];
    }
    return fmi2OK;
}

fmi2Status NAME(fmi2GetInteger)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                fmi2Integer value[])
{
    tiny *t = c;
    for (size_t i = 0; i < n; i++) value[i] = t->integers[vr[i]];
    return enter(t);
}

fmi2Status NAME(fmi2SetInteger)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                const fmi2Integer value[])
{
    tiny *t = c;
    for (size_t i = 0; i < n; i++) t->integers[vr[i]] = value[i];
    return enter(t);
}

fmi2Status NAME(fmi2GetBoolean)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                fmi2Boolean value[])
{
    tiny *t = c;
    for (size_t i = 0; i < n; i++) value[i] = t->booleans[vr[i]] ? 42 : 0; // some FMUs do
    return enter(t);
}

fmi2Status NAME(fmi2SetBoolean)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                const fmi2Boolean value[])
{
    tiny *t = c;
    for (size_t i = 0; i < n; i++) {
        if (value[i] != fmi2True && value[i] != fmi2False) return fmi2Error;
        t->booleans[vr[i]] = value[i];
    }
    return enter(t);
}

fmi2Status NAME(fmi2GetString)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                               fmi2String value[])
{
    tiny *t = c;
    for (size_t i = 0; i < n; i++) value[i] = vr[i] == S_NULL ? NULL : t->strings[vr[i]];
    return enter(t);
}

fmi2Status NAME(fmi2SetString)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                               const fmi2String value[])
{
    tiny *t = c;
    for (size_t i = 0; i < n; i++) {
        snprintf(t->strings[vr[i]], sizeof t->strings[0], "%s", value[i]);
        if (vr[i] == S_LABEL) t->is_label_set = true;
    }
    return enter(t);
}

static fmi2Status fail_late(tiny *t, fmi2Status status)
{
    if (t->time < 0.5 - 1e-9) return fmi2OK;
    if (status == fmi2Fatal) tiny_counts.n_fatal++;
    if (status == fmi2Error) LOG(t, status, "the solver gave up at %g s", t->time);
    return status;
}

static void *compute(void *context)
{
    tiny *t = context;
    bool is_long = t->integers[I_MODE] == MODE_PENDING_LONG;
    const struct timespec pause = {0, is_long ? 10000000 : 30000000};
    do nanosleep(&pause, NULL);
    while (is_long && !atomic_load(&t->was_asked));
    t->x += t->h * t->u;
    atomic_store(&t->is_done, true);
    if (!is_long) t->callbacks->stepFinished(t->callbacks->componentEnvironment, fmi2OK);
    return NULL;
}

static fmi2Status start_thread(tiny *t)
{
    atomic_store(&t->is_done, false);
    atomic_store(&t->was_asked, false);
    t->has_thread = pthread_create(&t->thread, NULL, compute, t) == 0;
    return t->has_thread ? fmi2Pending : fmi2Error;
}

static fmi2Status end_of_step(tiny *t)
{
    switch (t->integers[I_MODE]) {
    case MODE_PENDING_THREAD:
    case MODE_PENDING_LONG: return start_thread(t);
    case MODE_PENDING_SILENT:
    case MODE_PENDING_LOST: return fmi2Pending;
    case MODE_ERROR: return fail_late(t, fmi2Error);
    case MODE_FATAL: return fail_late(t, fmi2Fatal);
    case MODE_DISCARD:
    case MODE_TERMINATE: return fail_late(t, fmi2Discard);
    case MODE_WARNING: return fmi2Warning;
    case MODE_UNKNOWN_STATUS: return fail_late(t, (fmi2Status)17);
    case MODE_PENDING:
    case MODE_PENDING_ERROR: t->n_polls = 3; return fmi2Pending;
    default: return fmi2OK;
    }
}

fmi2Status NAME(fmi2DoStep)(fmi2Component c, fmi2Real time, fmi2Real h, fmi2Boolean is_final)
{
    tiny *t = c;
    (void)is_final;
    enter(t);
    t->time = time;
    t->h = h;
    fmi2Status status = end_of_step(t);
    if (status == fmi2OK || status == fmi2Warning || status == fmi2Pending) {
        t->time = time + h;
        if (!t->has_thread) t->x += h * t->u;
        for (int i = 0; i < 2; i++) t->integers[I_OUT + 2 * i] = t->integers[I_IN + 2 * i];
        t->booleans[B_OUT] = t->booleans[B_IN];
        memcpy(t->strings[S_OUT], t->strings[S_IN], sizeof t->strings[0]);
    }
    return status;
}

#ifndef TINY_BARE
const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[])
{
    if (on && n == 1 && strcmp(names[0], "logStatusError") == 0) tiny_counts.n_debug_logging++;
    return enter(c);
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    tiny *t = c;
    if (!t->is_label_set) abort(); // as some FMUs of MapleSim
    if (!*state) {
        *state = malloc(sizeof *t);
        tiny_counts.n_states++;
    }
    memcpy(*state, t, sizeof *t);
    return enter(t);
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    tiny *t = c, *next = t->next;
    memcpy(t, state, sizeof *t);
    t->next = next;
    return enter(c);
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    free(*state); // and leaves the pointer as it is, as some FMUs do
    tiny_counts.n_states--;
    return enter(c);
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[],
                                        size_t n_unknown, const fmi2ValueReference known[],
                                        size_t n_known, const fmi2Real seed[], fmi2Real out[])
{
    for (size_t i = 0; i < n_unknown; i++) {
        out[i] = 0;
        for (size_t k = 0; k < n_known; k++)
            if (unknown[i] == R_Y && known[k] == R_U) out[i] += 2 * seed[k];
    }
    return enter(c);
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    tiny *t = c;
    if (kind != fmi2DoStepStatus) return fmi2Error;
    tiny_counts.n_asked++;
    int mode = t->integers[I_MODE];
    if (mode == MODE_PENDING_SILENT || mode == MODE_PENDING_LOST) return fmi2Discard;
    if (t->has_thread) {
        *value = atomic_load(&t->is_done) ? fmi2OK : fmi2Pending;
        if (*value == fmi2OK) pthread_join(t->thread, NULL);
        t->has_thread = *value != fmi2OK;
        return enter(t);
    }
    *value = --t->n_polls > 0                            ? fmi2Pending
             : t->integers[I_MODE] == MODE_PENDING_ERROR ? fail_late(t, fmi2Error)
                                                         : fmi2OK;
    return enter(t);
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    tiny *t = c;
    if (kind != fmi2LastSuccessfulTime) return fmi2Error;
    *value = t->time + 0.04;
    return enter(t);
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    tiny *t = c;
    if (kind != fmi2Terminated) return fmi2Error;
    *value = t->integers[I_MODE] == MODE_TERMINATE;
    return enter(t);
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    tiny *t = c;
    if (kind != fmi2PendingStatus) return fmi2Error;
    atomic_store(&t->was_asked, true);
    *value = "inverting a matrix";
    return enter(c);
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
    tiny_counts.n_canceled++;
    enter(c);
    return ((tiny *)c)->integers[I_MODE] == MODE_PENDING_LOST ? fmi2Error : fmi2OK;
}
#endif
