// SPDX-License-Identifier: MIT
// A small FMU of FMI 1.0 written by hand, for the tests of src/fmu only; see tiny1_fmu.h. It remembers the
// order of calls: i(nstantiate), s(et), I(nitialize), g(et), d(o step), t(erminate).
#define _POSIX_C_SOURCE 199309L
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fmi/fmi1.h"
#include "unit/fmu/tiny1_fmu.h"

#define NAME(name) tiny1_##name
#define DECLARE(result, name, parameters)                                                          \
    __attribute__((visibility("default"))) result NAME(name) parameters;
FMI1_COMMON_FUNCTIONS(DECLARE)
FMI1_CS_FUNCTIONS(DECLARE)

typedef struct tiny {
    fmiCallbackFunctions callbacks;
    char name[64];
    double reals[T1_N_REALS];
    int integers[T1_N_INTEGERS];
    char booleans[T1_N_BOOLEANS], strings[T1_N_STRINGS][1024];
    int n_steps, n_polls;
    double slope, curvature; // of u, until there are others
    pthread_t thread; // of a pending step
    atomic_bool is_done; // its work
    double time;
} tiny;

static int n_instances; // in this copy of the library
static tiny *latest;

// For a test of what must not be freed: frees the latest instance in the end.
__attribute__((visibility("default"))) void tiny1_forget(void);
void tiny1_forget(void)
{
    free(latest);
}

static void note(tiny *t, char call)
{
    char *calls = t->strings[T1_CALLS];
    size_t length = strlen(calls);
    if (length + 1 < sizeof t->strings[0] && (length == 0 || calls[length - 1] != call))
        calls[length] = call;
}

#define LOG(t, status, ...) (t)->callbacks.logger(t, (t)->name, status, "tiny1", __VA_ARGS__)

fmiComponent NAME(fmiInstantiateSlave)(fmiString name, fmiString guid, fmiString location,
                                       fmiString mime, fmiReal timeout, fmiBoolean visible,
                                       fmiBoolean interactive, fmiCallbackFunctions callbacks,
                                       fmiBoolean logging)
{
    (void)logging;
    if (timeout != 0 || visible || interactive) return NULL;
    if (strcmp(guid, "{tiny1}") != 0) {
        callbacks.logger(NULL, name, fmiError, "tiny1", "the GUID is wrong: %s", guid);
        return NULL;
    }
    tiny *t = callbacks.allocateMemory(1, sizeof *t);
    if (!t) return NULL;
    t->callbacks = callbacks;
    t->integers[T1_NUMBER] = ++n_instances;
    snprintf(t->name, sizeof t->name, "%s", name);
    snprintf(t->strings[T1_LOCATION], sizeof t->strings[0], "%s", location);
    snprintf(t->strings[T1_MIME], sizeof t->strings[0], "%s", mime);
    note(t, 'i');
    latest = t;
    return t;
}

void NAME(fmiFreeSlaveInstance)(fmiComponent c)
{
    ((tiny *)c)->callbacks.freeMemory(c);
}

static void *log_from_thread(void *context)
{
    tiny *t = context;
    LOG(t, fmiWarning, "from a thread of my own");
    return NULL;
}

static void log_strangely(tiny *t)
{
    LOG(t, fmiWarning, "#r0# and #b0# differ\n");
    LOG(t, fmiOK, "50% so far, %n, %s %d");
    t->callbacks.logger(t, NULL, (fmiStatus)99, NULL, "no name");
    t->callbacks.logger(NULL, t->name, fmiWarning, NULL, "no component");
    t->callbacks.logger(NULL, NULL, fmiWarning, NULL, "nobody");
    t->callbacks.logger(t, t->name, fmiOK, NULL, NULL);
}

fmiStatus NAME(fmiInitializeSlave)(fmiComponent c, fmiReal start, fmiBoolean has_stop, fmiReal stop)
{
    tiny *t = c;
    note(t, 'I');
    t->time = start;
    t->reals[T1_U_AT_START] = t->reals[T1_U];
    t->reals[T1_STOP] = has_stop ? stop : -1;
    pthread_t thread;
    switch (t->integers[T1_MODE]) {
    case T1_LOG: log_strangely(t); return fmiWarning;
    case T1_LOG_FROM_THREAD:
        if (pthread_create(&thread, NULL, log_from_thread, t) == 0) pthread_join(thread, NULL);
        return fmiOK;
    case T1_INITIALIZATION_FAILS: LOG(t, fmiError, "no solution"); return fmiError;
    default: return fmiOK;
    }
}

fmiStatus NAME(fmiTerminateSlave)(fmiComponent c)
{
    note(c, 't');
    return fmiOK;
}

fmiStatus NAME(fmiGetReal)(fmiComponent c, const fmiValueReference vr[], size_t n, fmiReal value[])
{
    tiny *t = c;
    note(t, 'g');
    for (size_t i = 0; i < n; i++) value[i] = vr[i] == T1_Y ? 2 * t->reals[T1_U] : t->reals[vr[i]];
    return fmiOK;
}

fmiStatus NAME(fmiSetReal)(fmiComponent c, const fmiValueReference vr[], size_t n,
                           const fmiReal value[])
{
    tiny *t = c;
    note(t, 's');
    for (size_t i = 0; i < n; i++) t->reals[vr[i]] = value[i];
    return fmiOK;
}

fmiStatus NAME(fmiGetInteger)(fmiComponent c, const fmiValueReference vr[], size_t n,
                              fmiInteger value[])
{
    for (size_t i = 0; i < n; i++) value[i] = ((tiny *)c)->integers[vr[i]];
    return fmiOK;
}

fmiStatus NAME(fmiSetInteger)(fmiComponent c, const fmiValueReference vr[], size_t n,
                              const fmiInteger value[])
{
    for (size_t i = 0; i < n; i++) ((tiny *)c)->integers[vr[i]] = value[i];
    return fmiOK;
}

fmiStatus NAME(fmiGetBoolean)(fmiComponent c, const fmiValueReference vr[], size_t n,
                              fmiBoolean value[])
{
    for (size_t i = 0; i < n; i++) value[i] = ((tiny *)c)->booleans[vr[i]] ? 42 : 0;
    return fmiOK;
}

fmiStatus NAME(fmiSetBoolean)(fmiComponent c, const fmiValueReference vr[], size_t n,
                              const fmiBoolean value[])
{
    for (size_t i = 0; i < n; i++) {
        if (value[i] != fmiTrue && value[i] != fmiFalse) return fmiError;
        ((tiny *)c)->booleans[vr[i]] = value[i];
    }
    return fmiOK;
}

fmiStatus NAME(fmiGetString)(fmiComponent c, const fmiValueReference vr[], size_t n,
                             fmiString value[])
{
    for (size_t i = 0; i < n; i++) value[i] = ((tiny *)c)->strings[vr[i]];
    return fmiOK;
}

fmiStatus NAME(fmiSetString)(fmiComponent c, const fmiValueReference vr[], size_t n,
                             const fmiString value[])
{
    for (size_t i = 0; i < n; i++)
        snprintf(((tiny *)c)->strings[vr[i]], sizeof(((tiny *)c)->strings[0]), "%s", value[i]);
    return fmiOK;
}

static void *compute(void *context)
{
    tiny *t = context;
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    atomic_store(&t->is_done, true);
    t->callbacks.stepFinished(t, fmiOK);
    return NULL;
}

static fmiStatus start_thread(tiny *t)
{
    return pthread_create(&t->thread, NULL, compute, t) == 0 ? fmiPending : fmiError;
}

static fmiStatus end_of_step(tiny *t)
{
    if (t->n_steps++ == 0) return fmiOK;
    switch (t->integers[T1_MODE]) {
    case T1_ERROR: LOG(t, fmiError, "the solver gave up"); return fmiError;
    case T1_FATAL: return fmiFatal;
    case T1_DISCARD: return fmiDiscard;
    case T1_PENDING_THREAD: return start_thread(t);
    case T1_PENDING: t->n_polls = 3; return fmiPending;
    case T1_UNKNOWN_STATUS: return (fmiStatus)17;
    default: return fmiOK;
    }
}

fmiStatus NAME(fmiDoStep)(fmiComponent c, fmiReal time, fmiReal h, fmiBoolean is_new)
{
    tiny *t = c;
    if (!is_new) return fmiError;
    note(t, 'd');
    t->time = time;
    fmiStatus status = end_of_step(t);
    if (status == fmiOK || status == fmiPending)
        t->reals[T1_X] += h * (t->reals[T1_U] + t->slope * h / 2 + t->curvature * h * h / 6);
    t->booleans[T1_B_OUT] = t->booleans[T1_B_IN];
    return status;
}

fmiStatus NAME(fmiGetStatus)(fmiComponent c, const fmiStatusKind kind, fmiStatus *value)
{
    tiny *t = c;
    if (kind != fmiDoStepStatus) return fmiError;
    if (t->integers[T1_MODE] == T1_PENDING_THREAD) {
        *value = atomic_load(&t->is_done) ? fmiOK : fmiPending;
        if (*value == fmiOK) pthread_join(t->thread, NULL);
        return fmiOK;
    }
    *value = --((tiny *)c)->n_polls > 0 ? fmiPending : fmiOK;
    return fmiOK;
}

fmiStatus NAME(fmiGetRealStatus)(fmiComponent c, const fmiStatusKind kind, fmiReal *value)
{
    if (kind != fmiLastSuccessfulTime) return fmiError;
    *value = ((tiny *)c)->time + 0.04;
    return fmiOK;
}

fmiStatus NAME(fmiSetRealInputDerivatives)(fmiComponent c, const fmiValueReference vr[], size_t n,
                                           const fmiInteger order[], const fmiReal value[])
{
    tiny *t = c;
    int n_orders = t->integers[T1_MODE] == T1_CURVES ? 2 : 1;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] != T1_U || order[i] < 1 || order[i] > n_orders) return fmiError;
        *(order[i] == 1 ? &t->slope : &t->curvature) = value[i];
    }
    return fmiOK;
}

fmiStatus NAME(fmiGetRealOutputDerivatives)(fmiComponent c, const fmiValueReference vr[], size_t n,
                                            const fmiInteger order[], fmiReal value[])
{
    for (size_t i = 0; i < n; i++) {
        if (vr[i] != T1_X || order[i] != 1) return fmiError;
        value[i] = ((tiny *)c)->reals[T1_U];
    }
    return fmiOK;
}
