// SPDX-License-Identifier: MIT
// A small FMU for model exchange written by hand, for the tests of src/fmu only. What it does is chosen by its
// Integer parameter `mode`. It refuses calls that are not allowed in its present mode of FMI.
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/fmi2.h"
#include "unit/fmu/me_fmu.h"

#define EXPORT __attribute__((visibility("default")))
#define DECLARE(result, name, parameters) EXPORT result name parameters;
FMI2_COMMON_FUNCTIONS(DECLARE)
FMI2_ME_FUNCTIONS(DECLARE)

static const double GRAVITY = 9.81, BOUNCE = 0.7, T_EVENT = 0.37;

typedef struct ball {
    const fmi2CallbackFunctions *callbacks;
    enum { START, EVENTS, CONTINUOUS } phase;
    double time, u, x[2], t_event, n_events;
    int mode;
    bool is_done, is_above;
} ball;

static fmi2Status need(const ball *b, int phase)
{
    if (b->phase == (unsigned)phase) return fmi2OK;
    b->callbacks->logger(b->callbacks->componentEnvironment, "ball", fmi2Error, "error",
                         "wrong mode of FMI");
    return fmi2Error;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible,
                              fmi2Boolean logging)
{
    (void)name, (void)guid, (void)resources, (void)visible, (void)logging;
    ball *b = type == fmi2ModelExchange ? calloc(1, sizeof *b) : NULL;
    if (b) b->callbacks = callbacks;
    return b;
}

void fmi2FreeInstance(fmi2Component c)
{
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((ball *)c)->time = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    ball *b = c;
    b->x[0] = b->mode == ME_CHATTER ? 0.37 : 1;
    b->is_above = true;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    ((ball *)c)->phase = EVENTS;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    const ball *b = c;
    const double all[] = {b->u, b->x[0], b->x[1], b->t_event, b->n_events, NAN, NAN};
    for (size_t i = 0; i < n; i++) value[i] = all[vr[i]];
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       const fmi2Real value[])
{
    ball *b = c;
    for (size_t i = 0; i < n; i++)
        if (vr[i] == ME_U) b->u = value[i];
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                          const fmi2Integer value[])
{
    (void)vr;
    if (n) ((ball *)c)->mode = value[0];
    return fmi2OK;
}

// ---- model exchange --------------------------------------------------------------------------------

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time)
{
    ((ball *)c)->time = time;
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n)
{
    ball *b = c;
    memcpy(b->x, x, n * sizeof *x);
    return need(b, CONTINUOUS);
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    memcpy(x, ((ball *)c)->x, n * sizeof *x);
    return fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominal[], size_t n)
{
    for (size_t i = 0; i < n; i++) nominal[i] = ((ball *)c)->is_done ? 1e-3 : 0; // 0 is a mistake
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n)
{
    const ball *b = c;
    const bool is_late = b->time > T_EVENT;
    if (n != 2) return fmi2Error;
    dx[0] = b->mode == ME_BALL      ? b->x[1]
            : b->mode == ME_CHATTER ? (b->is_above ? -1 : 1)
                                    : b->u - b->x[0];
    dx[1] = b->mode == ME_BALL ? -GRAVITY : b->x[0];
    if (b->mode == ME_NAN && is_late) dx[1] = NAN;
    if (b->mode == ME_DISCARD && is_late) return fmi2Discard;
    if (b->mode == ME_ERROR && is_late) return fmi2Error;
    return need(b, CONTINUOUS);
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real g[], size_t n)
{
    const ball *b = c;
    if (n) g[0] = b->mode == ME_BALL || b->mode == ME_CHATTER ? b->x[0] : b->u - 0.5;
    return need(b, CONTINUOUS);
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set, fmi2Boolean *enter,
                                       fmi2Boolean *terminate)
{
    ball *b = c;
    (void)no_set;
    *enter = b->mode == ME_STEP_EVENT && b->time > T_EVENT && !b->is_done;
    *terminate = fmi2False;
    return need(b, CONTINUOUS);
}

fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    ball *b = c;
    fmi2Status status = need(b, CONTINUOUS);
    b->phase = EVENTS;
    return status;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    ball *b = c;
    fmi2Status status = need(b, EVENTS);
    b->phase = CONTINUOUS;
    return status;
}

static void count(ball *b)
{
    b->n_events++;
    b->t_event = b->time;
    b->is_done = true;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    ball *b = c;
    bool is_time = b->time >= T_EVENT, was_above = b->is_above;
    memset(info, 0, sizeof *info);
    if (b->mode == ME_BALL && b->x[0] <= 0 && b->x[1] < 0) {
        b->x[0] = 1e-300;
        b->x[1] *= -BOUNCE;
        info->valuesOfContinuousStatesChanged = fmi2True;
        count(b);
    }
    if (b->mode == ME_BY_INPUT) b->is_above = b->u > 0.5;
    if (b->mode == ME_CHATTER) b->is_above = b->x[0] > 0;
    if (b->mode == ME_BY_INPUT && b->is_above && !was_above) count(b);
    bool has_time_event = b->mode == ME_TIME_EVENT || b->mode == ME_TERMINATE ||
                          b->mode == ME_NOMINALS || b->mode == ME_ENDLESS_UPDATES ||
                          b->mode == ME_ENDLESS_EVENTS;
    if ((has_time_event || b->mode == ME_STEP_EVENT) && is_time && !b->is_done) count(b);
    info->nextEventTimeDefined = has_time_event && (!is_time || b->mode == ME_ENDLESS_EVENTS);
    info->nextEventTime = T_EVENT;
    info->newDiscreteStatesNeeded = b->mode == ME_ENDLESS_UPDATES && is_time;
    info->terminateSimulation = b->mode == ME_TERMINATE && is_time;
    info->nominalsOfContinuousStatesChanged = b->mode == ME_NOMINALS && is_time;
    return need(b, EVENTS);
}

// ---- states ----------------------------------------------------------------------------------------

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    if (!*state) *state = malloc(sizeof(ball));
    if (!*state) return fmi2Error;
    memcpy(*state, c, sizeof(ball));
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    memcpy(c, state, sizeof(ball));
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}
