// SPDX-License-Identifier: MIT
// y = u, and from the time `when` on one of many kinds of misbehaviour, chosen by `what`. Some of
// them misuse callbacks of the importing program, which needs a look inside the kit.
#define _POSIX_C_SOURCE 200809L
#include <fmukit/fmukit.h>

#include "fmi1_instance.h"
#include "fmi2_instance.h"
#include "fmi3_instance.h"
#include "misbehave.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct misbehave {
    double u, y;
    int what;
    double when, delay, last_time, max_step;
    int n_polls;
    int polls_left;
    bool is_bad;
    int n_events;
} misbehave;

static const fmukit_item items[] = {
    {"nothing", MISBEHAVE_NOTHING, "Behaves well"},
    {"discard", MISBEHAVE_DISCARD,
     "Discards steps that reach `when`; last successful time: `last_time`"},
    {"terminate", MISBEHAVE_TERMINATE, "Wants the simulation to end at `last_time`"},
    {"warning", MISBEHAVE_WARNING, "Steps return a warning"},
    {"error", MISBEHAVE_ERROR, "Steps return an error"},
    {"fatal", MISBEHAVE_FATAL, "Steps return a fatal error"},
    {"nan", MISBEHAVE_NOT_A_NUMBER, "y is not a number"},
    {"infinite", MISBEHAVE_INFINITE, "y is infinite"},
    {"slow", MISBEHAVE_SLOW, "Every step takes `delay` seconds"},
    {"pending", MISBEHAVE_PENDING, "Steps are pending; done at the third fmi2GetStatus"},
    {"init_error", MISBEHAVE_INIT_ERROR, "Fails in initialization"},
    {"write_stdout", MISBEHAVE_WRITE_STDOUT, "Writes to standard output"},
    {"log_percent", MISBEHAVE_LOG_PERCENT,
     "Logs a text with % signs that was not meant as a format"},
    {"log_hostile", MISBEHAVE_LOG_HOSTILE, "Logs a format that writes to memory and is very wide"},
    {"log_null", MISBEHAVE_LOG_NULL, "Logs with NULL for every string"},
    {"slow_init", MISBEHAVE_SLOW_INIT, "Initialization takes `delay` seconds"},
    {"event", MISBEHAVE_EVENT, "An event at `last_time`, once"},
    {"endless_event", MISBEHAVE_ENDLESS_EVENT, "An event that always wants another update"},
    {"repeated_event", MISBEHAVE_REPEATED_EVENT, "Every step stops where it began, for an event"},
    {"terminate_event", MISBEHAVE_TERMINATE_EVENT, "The first event wants the simulation to end"},
    {"log_missing", MISBEHAVE_LOG_MISSING, "Logs a format whose arguments are missing"},
    {"log_huge", MISBEHAVE_LOG_HUGE, "Logs a text of a million characters"},
    {"log_much", MISBEHAVE_LOG_MUCH, "Logs some thousand long texts"},
};
static const fmukit_enumeration kinds = {"Kind", "Kinds of misbehaviour", items,
                                         sizeof items / sizeof *items};

static const fmukit_variable variables[] = {
    {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(misbehave, u)},
    {.name = "y",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(misbehave, y),
     .depends_on = FMUKIT_INPUTS("u")},
    {.name = "what",
     .type = FMUKIT_ENUMERATION,
     .causality = FMUKIT_PARAMETER,
     .enumeration = &kinds,
     .field = FMUKIT_FIELD(misbehave, what),
     .start = {.integer = MISBEHAVE_NOTHING}},
    {.name = "when",
     .description = "The first step that ends at or after this time is the bad one",
     .causality = FMUKIT_PARAMETER,
     .unit = "s",
     .field = FMUKIT_FIELD(misbehave, when)},
    {.name = "delay",
     .causality = FMUKIT_PARAMETER,
     .unit = "s",
     .field = FMUKIT_FIELD(misbehave, delay),
     .start = {.real = 0.1},
     .range = FMUKIT_RANGE(0, 3600)},
    {.name = "last_time",
     .description = "Where discarded steps got to; -1: not told, so the beginning of the step",
     .causality = FMUKIT_PARAMETER,
     .unit = "s",
     .field = FMUKIT_FIELD(misbehave, last_time),
     .start = {.real = -1}},
    {.name = "max_step",
     .description = "Steps up to this size behave well at any time",
     .causality = FMUKIT_PARAMETER,
     .unit = "s",
     .field = FMUKIT_FIELD(misbehave, max_step),
     .range = FMUKIT_MIN(0)},
    {.name = "polls",
     .description = "How often a pending step answers that it is still pending",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(misbehave, n_polls),
     .start = {.integer = 2},
     .range = FMUKIT_MIN(0)},
};

static const fmukit_unit units[] = {{.name = "s", .s = 1}};

static void wait_for(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&time, NULL);
}

static void log_badly(fmukit_instance *fmu, misbehave_kind what)
{
    static const char *const texts[] = {[MISBEHAVE_LOG_PERCENT] = "100% done, 50 %d of it",
                                        [MISBEHAVE_LOG_HOSTILE] = "%n%n%n%n %1000000000d",
                                        [MISBEHAVE_LOG_NULL] = NULL,
                                        [MISBEHAVE_LOG_MISSING] =
                                            "missing %s%s%s%s%s%s%s%s%s%s%s%s%f%Lg%s%p"};
    enum { HUGE_SIZE = 1000001 };
    char *huge = what == MISBEHAVE_LOG_HUGE ? calloc(1, HUGE_SIZE) : NULL;
    if (huge) memset(huge, 'h', HUGE_SIZE - 1);
    const char *text = what == MISBEHAVE_LOG_HUGE ? huge : texts[what];
    const char *name = text ? fmukit_name(fmu) : NULL, *category = text ? "logEvents" : NULL;
    const fmi1_instance *one = (const fmi1_instance *)fmu;
    const fmi2_instance *two = (const fmi2_instance *)fmu;
    const fmi3_instance *three = (const fmi3_instance *)fmu;
    switch (fmu->interface->version) {
    case 1:
        if (one->callbacks.logger) one->callbacks.logger(fmu, name, fmiWarning, category, text);
        break;
    case 2:
        if (two->callbacks.logger)
            two->callbacks.logger(two->callbacks.componentEnvironment, name, fmi2Warning, category,
                                  text);
        break;
    default:
        if (three->log_message) three->log_message(three->environment, fmi3Warning, category, text);
    }
    free(huge);
}

static void log_much(fmukit_instance *fmu)
{
    for (int i = 0; i < 6000; i++) fmukit_log(fmu, FMUKIT_WARNING, NULL, "%0900d", i);
}

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    (void)t;
    misbehave *m = model;
    if (m->what == MISBEHAVE_SLOW_INIT) wait_for(m->delay);
    if (m->what != MISBEHAVE_INIT_ERROR) return FMUKIT_OK;
    fmukit_log(fmu, FMUKIT_ERROR, NULL, "initialization fails because what = init_error");
    return FMUKIT_ERROR;
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    misbehave *m = model;
    m->y = m->u;
    if (m->is_bad && m->what == MISBEHAVE_NOT_A_NUMBER) m->y = NAN;
    if (m->is_bad && m->what == MISBEHAVE_INFINITE) m->y = INFINITY;
    return FMUKIT_OK;
}

static fmukit_status misbehave_now(fmukit_instance *fmu, misbehave *m, double t, double t_end)
{
    switch ((misbehave_kind)m->what) {
    case MISBEHAVE_DISCARD:
    case MISBEHAVE_TERMINATE:
        if (m->last_time >= 0) fmukit_stopped_at(fmu, m->last_time);
        fmukit_log(fmu, FMUKIT_DISCARD, NULL, "the step from %g to %g is discarded", t, t_end);
        return m->what == MISBEHAVE_DISCARD ? FMUKIT_DISCARD : FMUKIT_TERMINATE;
    case MISBEHAVE_WARNING:
        fmukit_log(fmu, FMUKIT_WARNING, NULL, "the step from %g to %g is odd", t, t_end);
        return FMUKIT_WARNING;
    case MISBEHAVE_ERROR: return FMUKIT_ERROR;
    case MISBEHAVE_FATAL: return FMUKIT_FATAL;
    case MISBEHAVE_SLOW: wait_for(m->delay); return FMUKIT_OK;
    case MISBEHAVE_PENDING: m->polls_left = m->n_polls; return FMUKIT_PENDING;
    case MISBEHAVE_WRITE_STDOUT: printf("Misbehave writes to standard output\n"); return FMUKIT_OK;
    case MISBEHAVE_LOG_PERCENT:
    case MISBEHAVE_LOG_HOSTILE:
    case MISBEHAVE_LOG_MISSING:
    case MISBEHAVE_LOG_HUGE:
    case MISBEHAVE_LOG_NULL: log_badly(fmu, (misbehave_kind)m->what); return FMUKIT_OK;
    case MISBEHAVE_LOG_MUCH: log_much(fmu); return FMUKIT_OK;
    case MISBEHAVE_EVENT:
        if (m->n_events > 0) return FMUKIT_OK;
        fmukit_stopped_at(fmu, m->last_time);
        return FMUKIT_EVENT;
    case MISBEHAVE_ENDLESS_EVENT:
    case MISBEHAVE_REPEATED_EVENT: return FMUKIT_EVENT;
    case MISBEHAVE_NOTHING:
    case MISBEHAVE_NOT_A_NUMBER:
    case MISBEHAVE_INFINITE:
    case MISBEHAVE_INIT_ERROR:
    case MISBEHAVE_SLOW_INIT:
    case MISBEHAVE_TERMINATE_EVENT: break;
    }
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    misbehave *m = model;
    m->is_bad = t_end >= m->when - 1e-9 && t_end - t > m->max_step * (1 + 1e-9);
    return m->is_bad ? misbehave_now(fmu, m, t, t_end) : FMUKIT_OK;
}

// Called after initialization, too.
static fmukit_status event(fmukit_instance *fmu, void *model, double t, fmukit_event *event)
{
    (void)fmu, (void)t;
    misbehave *m = model;
    if (m->is_bad) m->n_events++;
    event->terminate = m->what == MISBEHAVE_TERMINATE_EVENT;
    event->again = m->is_bad && m->what == MISBEHAVE_ENDLESS_EVENT;
    return FMUKIT_OK;
}

static fmukit_status poll(fmukit_instance *fmu, void *model)
{
    (void)fmu;
    misbehave *m = model;
    return m->polls_left-- > 0 ? FMUKIT_PENDING : FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    misbehave *m = model;
    fmukit_boolean(s, &m->is_bad);
    fmukit_integer(s, &m->polls_left);
    fmukit_integer(s, &m->n_events);
}

const fmukit_model fmukit_this_model = {
    .name = "Misbehave",
    .description = "Behaves badly in many ways",
    .size = sizeof(misbehave),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .functions = {.initialize = initialize,
                  .evaluate = evaluate,
                  .step = step,
                  .event = event,
                  .poll = poll,
                  .state = state},
};
