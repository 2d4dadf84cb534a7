// SPDX-License-Identifier: MIT
// A small FMU of FMI 3.0 written by hand, for the tests of src/fmu only: it has variables of every type,
// arrays and clocks, and does on request what importers must withstand. What it does is chosen by its
// Int32 parameter `mode`. The token "{no events}" makes it refuse event mode.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/fmi3.h"
#include "unit/fmu/tiny3_fmu.h"

#define EXPORT __attribute__((visibility("default")))
#define DECLARE(result, name, parameters) EXPORT result name parameters;
FMI3_COMMON_FUNCTIONS(DECLARE)
FMI3_CS_FUNCTIONS(DECLARE)

EXPORT tiny3_counters tiny3_counts;

typedef enum { INSTANTIATED, CONFIGURING, INITIALIZING, EVENTS, STEPPING, TERMINATED } mode_type;

typedef struct tiny3 {
    struct tiny3 *next;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    fmi3IntermediateUpdateCallback update;
    mode_type state;
    bool has_events, has_returned_early;
    bool is_updating; // the importing program may set inputs within a step
    double u, x, time, a[6];
    float f32;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32, mode, count, ticks, countdown_ticks, out_ticks, changing_ticks, tunable_ticks;
    int32_t clocked_in, n_evaluated, n_sized;
    uint32_t u32;
    int64_t i64, enumeration;
    uint64_t u64;
    bool boolean, flag, out_clock, has_new_countdown;
    bool active[V_TICKS - V_PERIODIC];
    char string[64], resources[256], strings[2][64];
    unsigned char binary[64];
    size_t binary_size;
} tiny3;

static tiny3 *all;

static void destroy(tiny3 *t)
{
    tiny3 **place = &all;
    while (*place != t) place = &(*place)->next;
    *place = t->next;
    tiny3_counts.n_instances--;
    free(t);
}

// For tests of what must not be freed: frees it in the end.
EXPORT void tiny3_forget_all(void);
void tiny3_forget_all(void)
{
    while (all) destroy(all);
    tiny3_counts.n_fatal = 0;
}

static fmi3Status enter(void)
{
    tiny3_counts.n_calls_after_fatal += tiny3_counts.n_fatal > 0;
    return fmi3OK;
}

const char *fmi3GetVersion(void)
{
    return "3.0";
}

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String names[])
{
    (void)c;
    if (on && n == 1 && strcmp(names[0], "logStatusError") == 0) tiny3_counts.n_debug_logging++;
    return enter();
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference required[], size_t n,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update)
{
    (void)name, (void)visible, (void)logging;
    tiny3_counts.n_intermediate = n;
    for (size_t i = 0; i < n; i++)
        if (required[i] != V_U && required[i] != V_A) return NULL;
    tiny3_counts.uses_events = events;
    tiny3_counts.may_return_early = early;
    bool is_right = strcmp(token, "{tiny3}") == 0 || (strcmp(token, "{no events}") == 0 && !events);
    if (!is_right) {
        log(environment, fmi3Error, "tiny3", "the token is wrong, or I have no events\n");
        return NULL;
    }
    tiny3 *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->environment = environment;
    t->log = log;
    t->update = update;
    t->has_events = events;
    snprintf(t->resources, sizeof t->resources, "%s", resources ? resources : "none");
    for (int i = 0; i < 6; i++) t->a[i] = i + 1;
    snprintf(t->strings[0], sizeof t->strings[0], "one");
    snprintf(t->strings[1], sizeof t->strings[1], "two");
    t->next = all;
    all = t;
    tiny3_counts.n_instances++;
    return t;
}

static tiny3 freed; // the last one, as it was

void fmi3FreeInstance(fmi3Instance c)
{
    enter();
    freed = *(tiny3 *)c;
    destroy(c);
}

// What a thread that goes on after its instance was freed may do.
EXPORT void tiny3_speak_late(void);
void tiny3_speak_late(void)
{
    fmi3Boolean early;
    fmi3Float64 time;
    freed.log(freed.environment, fmi3Error, "late", "I am still here");
    freed.update(freed.environment, 1, fmi3True, fmi3True, fmi3False, fmi3False, &early, &time);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop)
{
    tiny3 *t = c;
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    t->time = start;
    t->state = INITIALIZING;
    enter();
    if (t->mode != T_MODE_LOG) return fmi3OK;
    t->log(t->environment, fmi3Warning, "tiny3", "50% so far, %n, %s %d\n");
    t->log(t->environment, (fmi3Status)99, NULL, "strange");
    t->log(t->environment, fmi3OK, NULL, NULL);
    t->log(NULL, fmi3OK, NULL, "nobody");
    static char endless[100000];
    memset(endless, 'x', sizeof endless - 1);
    t->log(t->environment, fmi3Error, endless, endless);
    return fmi3Warning;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    tiny3 *t = c;
    t->state = t->has_events ? EVENTS : STEPPING;
    return enter();
}

fmi3Status fmi3Terminate(fmi3Instance c)
{
    ((tiny3 *)c)->state = TERMINATED;
    tiny3_counts.n_terminated++;
    return enter();
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance c)
{
    tiny3 *t = c;
    if (t->state != INSTANTIATED) return fmi3Error;
    t->state = CONFIGURING;
    return enter();
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance c)
{
    tiny3 *t = c;
    if (t->state != CONFIGURING) return fmi3Error;
    t->state = INSTANTIATED;
    tiny3_counts.n_configured++;
    return enter();
}

static void ask(tiny3 *t, double time, double h);

// ---- values --------------------------------------------------------------------------------------

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                          fmi3Float64 values[], size_t n_values)
{
    tiny3 *t = c;
    size_t used = 0;
    if (t->mode >= T_MODE_LINES) ask(t, 77, 1); // at a time when nobody should answer
    for (size_t i = 0; i < n; i++) {
        bool is_array = vr[i] == V_A || vr[i] == V_B;
        if (used + (is_array ? 6 : 1) > n_values) return fmi3Error;
        if (is_array)
            memcpy(values + used, t->a, sizeof t->a);
        else
            values[used] = vr[i] == V_U   ? t->u
                           : vr[i] == V_X ? t->x
                           : vr[i] == V_Y ? 2 * t->u
                                          : t->time;
        used += is_array ? 6 : 1;
    }
    return used == n_values ? enter() : fmi3Error;
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                          const fmi3Float64 values[], size_t n_values)
{
    tiny3 *t = c;
    size_t used = 0;
    tiny3_counts.n_set_float64++;
    if (t->is_updating && t->mode == T_MODE_LINES_REFUSED) return fmi3Error;
    for (size_t i = 0; i < n; i++) {
        size_t wanted = vr[i] == V_A ? 6 : 1;
        if (used + wanted > n_values) return fmi3Error;
        if (vr[i] == V_A) memcpy(t->a, values + used, sizeof t->a);
        if (vr[i] == V_U) t->u = values[used];
        used += wanted;
    }
    return used == n_values ? enter() : fmi3Error;
}

// Types with one input and one output, which is the input.
#define SIMPLE(type, member, first)                                                                \
    fmi3Status fmi3Get##type(fmi3Instance c, const fmi3ValueReference vr[], size_t n,              \
                             fmi3##type values[], size_t n_values)                                 \
    {                                                                                              \
        if (n != n_values) return fmi3Error;                                                       \
        for (size_t i = 0; i < n; i++) {                                                           \
            if (vr[i] != (first) && vr[i] != (first) + 1) return fmi3Error;                        \
            values[i] = ((tiny3 *)c)->member;                                                      \
        }                                                                                          \
        return enter();                                                                            \
    }                                                                                              \
    fmi3Status fmi3Set##type(fmi3Instance c, const fmi3ValueReference vr[], size_t n,              \
                             const fmi3##type values[], size_t n_values)                           \
    {                                                                                              \
        if (n != n_values || ((tiny3 *)c)->mode == T_MODE_SET_ERROR) return fmi3Error;             \
        for (size_t i = 0; i < n; i++) {                                                           \
            if (vr[i] != (first)) return fmi3Error;                                                \
            ((tiny3 *)c)->member = values[i];                                                      \
        }                                                                                          \
        return enter();                                                                            \
    }
SIMPLE(Float32, f32, V_FIRST_IN)
SIMPLE(Int8, i8, V_FIRST_IN + 2)
SIMPLE(UInt8, u8, V_FIRST_IN + 4)
SIMPLE(Int16, i16, V_FIRST_IN + 6)
SIMPLE(UInt16, u16, V_FIRST_IN + 8)
SIMPLE(UInt32, u32, V_FIRST_IN + 12)
SIMPLE(UInt64, u64, V_FIRST_IN + 16)

static int32_t *find_int32(tiny3 *t, fmi3ValueReference vr)
{
    switch (vr) {
    case V_FIRST_IN + 10:
    case V_FIRST_IN + 11: return &t->i32;
    case V_MODE: return &t->mode;
    case V_COUNT: return &t->count;
    case V_EVALUATED: return &t->n_evaluated;
    case V_CHANGING_TICKS: return &t->changing_ticks;
    case V_TUNABLE_TICKS: return &t->tunable_ticks;
    // Clocked variables: outside ticks and initialization there is nothing to see.
    case V_TICKS: return t->active[0] ? &t->ticks : NULL;
    case V_COUNTDOWN_TICKS: return t->active[1] ? &t->countdown_ticks : NULL;
    case V_OUT_TICKS: return t->out_clock ? &t->out_ticks : NULL;
    case V_CLOCKED_IN: return t->active[0] || t->state == INITIALIZING ? &t->clocked_in : NULL;
    default: return NULL;
    }
}

fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Int32 values[],
                        size_t n_values)
{
    for (size_t i = 0; i < n; i++) {
        const int32_t *value = find_int32(c, vr[i]);
        if (!value || n != n_values) return fmi3Error;
        values[i] = *value;
    }
    return enter();
}

fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                        const fmi3Int32 values[], size_t n_values)
{
    for (size_t i = 0; i < n; i++) {
        int32_t *value = find_int32(c, vr[i]);
        if (!value || n != n_values) return fmi3Error;
        *value = values[i];
    }
    return enter();
}

// Also for enumerations.
fmi3Status fmi3GetInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Int64 values[],
                        size_t n_values)
{
    tiny3 *t = c;
    for (size_t i = 0; i < n && n == n_values; i++)
        values[i] = vr[i] < V_FIRST_IN + 16 ? t->i64 : t->enumeration;
    return enter();
}

fmi3Status fmi3SetInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                        const fmi3Int64 values[], size_t n_values)
{
    tiny3 *t = c;
    for (size_t i = 0; i < n && n == n_values; i++)
        *(vr[i] < V_FIRST_IN + 16 ? &t->i64 : &t->enumeration) = values[i];
    return enter();
}

fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                          fmi3Boolean values[], size_t n_values)
{
    tiny3 *t = c;
    for (size_t i = 0; i < n && n == n_values; i++) {
        bool value = vr[i] == V_FLAG ? t->flag : t->boolean;
        memset(&values[i], value ? 42 : 0, 1); // some FMUs do
    }
    return enter();
}

fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                          const fmi3Boolean values[], size_t n_values)
{
    tiny3 *t = c;
    for (size_t i = 0; i < n && n == n_values; i++) {
        if (vr[i] == V_FLAG && t->state != CONFIGURING) return fmi3Error;
        *(vr[i] == V_FLAG ? &t->flag : &t->boolean) = values[i];
    }
    return enter();
}

fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                         fmi3String values[], size_t n_values)
{
    tiny3 *t = c;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_array = vr[i] == V_STRINGS || vr[i] == V_STRINGS_OUT;
        if (used + (is_array ? 2 : 1) > n_values) return fmi3Error;
        if (is_array) values[used++] = t->strings[0];
        values[used++] = t->mode == T_MODE_NO_VALUES ? NULL
                         : is_array                  ? t->strings[1]
                         : vr[i] == V_RESOURCES      ? t->resources
                                                     : t->string;
    }
    return used == n_values ? enter() : fmi3Error;
}

fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                         const fmi3String values[], size_t n_values)
{
    tiny3 *t = c;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (used + (vr[i] == V_STRINGS ? 2 : 1) > n_values) return fmi3Error;
        if (vr[i] == V_STRINGS)
            for (int k = 0; k < 2; k++)
                snprintf(t->strings[k], sizeof t->strings[k], "%s", values[used++]);
        else
            snprintf(t->string, sizeof t->string, "%s", values[used++]);
    }
    return used == n_values ? enter() : fmi3Error;
}

fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t n, size_t sizes[],
                         fmi3Binary values[], size_t n_values)
{
    tiny3 *t = c;
    (void)vr;
    for (size_t i = 0; i < n && n == n_values; i++) {
        values[i] = t->mode == T_MODE_NO_VALUES ? NULL : t->binary;
        sizes[i] = t->mode == T_MODE_NO_VALUES ? 5 : t->binary_size;
    }
    return enter();
}

fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                         const size_t sizes[], const fmi3Binary values[], size_t n_values)
{
    tiny3 *t = c;
    (void)vr;
    for (size_t i = 0; i < n && n == n_values; i++) {
        if (sizes[i] > sizeof t->binary) return fmi3Error;
        memcpy(t->binary, values[i], sizes[i]);
        t->binary_size = sizes[i];
    }
    return enter();
}

// ---- clocks --------------------------------------------------------------------------------------

fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Clock values[])
{
    tiny3 *t = c;
    for (size_t i = 0; i < n; i++) {
        if (t->state != EVENTS || vr[i] != V_OUT_CLOCK) return fmi3Error;
        memset(&values[i], t->out_clock ? 7 : 0, 1); // not quite a Boolean
    }
    return enter();
}

static void tick(tiny3 *t, fmi3ValueReference vr, bool is_active)
{
    t->active[vr - V_PERIODIC] = is_active;
    if (vr == V_TRIGGERED) {
        t->out_clock = is_active;
        t->out_ticks += is_active ? 1 : -1;
        t->has_new_countdown = is_active;
    }
    if (vr == V_PERIODIC) t->ticks++;
    if (vr == V_COUNTDOWN) t->countdown_ticks++;
    if (vr == V_CHANGING) t->changing_ticks++;
    if (vr == V_TUNABLE) t->tunable_ticks++;
}

fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                        const fmi3Clock values[])
{
    tiny3 *t = c;
    for (size_t i = 0; i < n; i++) {
        if (t->state != EVENTS || vr[i] < V_PERIODIC || vr[i] >= V_TICKS) return fmi3Error;
        tick(t, vr[i], values[i]);
    }
    return enter();
}

// The countdown runs for 0.15 s after V_TRIGGERED; the changing clock ticks at 0.1, 0.3, 0.7, ...; the
// tunable one every 0.2 s until t = 0.5, then every 0.1 s.
fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                  fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
{
    tiny3 *t = c;
    if (n != 1 || (t->state != EVENTS && t->state != INITIALIZING)) return fmi3Error;
    qualifiers[0] = fmi3IntervalChanged;
    if (vr[0] == V_CHANGING) {
        intervals[0] = 0.1 * (1 << t->changing_ticks);
    } else if (vr[0] == V_TUNABLE) {
        intervals[0] = t->time < 0.5 - 1e-9 ? 0.2 : 0.1;
    } else if (t->has_new_countdown) {
        intervals[0] = t->mode == T_MODE_BAD_INTERVAL ? NAN : 0.15;
        t->has_new_countdown = false;
    } else {
        qualifiers[0] = fmi3IntervalNotYetKnown;
    }
    return enter();
}

// A third of a second; for V_TUNABLE where it is described so.
fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                   fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                   fmi3IntervalQualifier qualifiers[])
{
    if (n != 1 || vr[0] != V_TUNABLE) return fmi3Error;
    counters[0] = 1;
    resolutions[0] = ((tiny3 *)c)->mode == T_MODE_BAD_INTERVAL ? 0 : 3;
    qualifiers[0] = fmi3IntervalChanged;
    return enter();
}

fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                fmi3UInt64 counters[], fmi3UInt64 resolutions[])
{
    (void)c;
    if (n != 1 || vr[0] != V_TUNABLE) return fmi3Error;
    counters[0] = 2;
    resolutions[0] = 3;
    return enter();
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                               fmi3Float64 shifts[])
{
    (void)c;
    if (n != 1 || vr[0] != V_TUNABLE) return fmi3Error;
    shifts[0] = 0.1;
    return enter();
}

// ---- steps and events ----------------------------------------------------------------------------

static fmi3Status fail_late(tiny3 *t, fmi3Status status)
{
    if (t->time < 0.5 - 1e-9) return fmi3OK;
    if (status == fmi3Fatal) tiny3_counts.n_fatal++;
    if (status == fmi3Error) t->log(t->environment, status, "tiny3", "the solver gave up");
    return status;
}

static fmi3Status status_of_step(tiny3 *t)
{
    switch (t->mode) {
    case T_MODE_ERROR: return fail_late(t, fmi3Error);
    case T_MODE_FATAL: return fail_late(t, fmi3Fatal);
    case T_MODE_DISCARD: return fail_late(t, fmi3Discard);
    case T_MODE_WARNING: return fmi3Warning;
    case T_MODE_UNKNOWN_STATUS: return fail_late(t, (fmi3Status)17);
    default: return fmi3OK;
    }
}

static void ask(tiny3 *t, double time, double h)
{
    double when = t->mode == T_MODE_LINES_AFTER ? time + 1000 * h
                  : t->mode == T_MODE_LINES_NAN ? NAN
                                                : time + h / 2;
    fmi3Boolean is_early = false;
    t->is_updating = true;
    t->update(t->environment, when, false, true, true, false, &is_early, &when); // cannot set
    t->update(t->environment, when, true, false, false, false, &is_early, &when);
    t->is_updating = false;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 h, fmi3Boolean is_final,
                      fmi3Boolean *has_event, fmi3Boolean *terminates, fmi3Boolean *is_early,
                      fmi3Float64 *last)
{
    tiny3 *t = c;
    (void)is_final;
    enter();
    if (t->state != STEPPING) return fmi3Error;
    t->time = time;
    *last = 1e300; // means nothing unless all is well
    fmi3Status status = status_of_step(t);
    if (status != fmi3OK && status != fmi3Warning) return status;
    double end = time + h;
    bool passes = time < 0.55 && end > 0.55 && !t->has_returned_early;
    *is_early = passes && (t->mode == T_MODE_EARLY || t->mode == T_MODE_EARLY_NAN ||
                           t->mode == T_MODE_LINES_EARLY);
    if (*is_early) {
        end = 0.55;
        t->has_returned_early = true;
    }
    *has_event = *is_early;
    *terminates = t->mode == T_MODE_TERMINATE && time > 0.5 - 1e-9;
    if (t->mode == T_MODE_UPDATE) {
        bool wanted = true;
        double when = 0;
        t->update(t->environment, time, true, true, true, true, &wanted, &when);
        t->update(NULL, time, false, false, false, false, NULL, NULL);
        if (wanted) return fmi3Error;
    }
    if (t->mode >= T_MODE_LINES) ask(t, time, h);
    t->x += (end - time) * t->u;
    t->time = end;
    *last = *is_early && t->mode == T_MODE_EARLY_NAN ? NAN : end;
    return status;
}

fmi3Status fmi3EnterEventMode(fmi3Instance c)
{
    tiny3 *t = c;
    if (t->state != STEPPING) return fmi3Error;
    t->state = EVENTS;
    return enter();
}

fmi3Status fmi3EnterStepMode(fmi3Instance c)
{
    tiny3 *t = c;
    if (t->state != EVENTS) return fmi3Error;
    t->state = STEPPING;
    return enter();
}

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c)
{
    tiny3 *t = c;
    if (t->state != EVENTS) return fmi3Error;
    t->n_evaluated++;
    return enter();
}

// The first update of an instant asks for a second one.
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminates,
                                    fmi3Boolean *nominals, fmi3Boolean *states,
                                    fmi3Boolean *has_next, fmi3Float64 *next)
{
    tiny3 *t = c;
    if (t->state != EVENTS) return fmi3Error;
    t->count++;
    memset(t->active, 0, sizeof t->active);
    t->out_clock = false;
    *again = t->count % 2 == 1;
    *terminates = t->mode == T_MODE_TERMINATE_IN_EVENT;
    *nominals = *states = false;
    *has_next = t->mode == T_MODE_NEXT_EVENT && t->time < 0.3;
    *next = *has_next ? 0.3 : NAN;
    return enter();
}

// ---- states and derivatives ----------------------------------------------------------------------

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    if (!*state) {
        *state = malloc(sizeof(tiny3));
        tiny3_counts.n_states++;
    }
    memcpy(*state, c, sizeof(tiny3));
    return enter();
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    tiny3 *t = c, *next = t->next;
    memcpy(t, state, sizeof *t);
    t->next = next;
    return enter();
}

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    (void)c;
    free(*state);
    tiny3_counts.n_states--;
    return enter();
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    tiny3 *t = c;
    (void)state;
    t->n_sized++;
    *size = sizeof(tiny3);
    if (t->mode == T_MODE_STATE_EMPTY) *size = 0;
    if (t->mode == T_MODE_STATE_HUGE) *size = SIZE_MAX;
    if (t->mode == T_MODE_STATE_GROWS) *size += (size_t)t->n_sized;
    return enter();
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    tiny3 *t = c;
    if (t->mode == T_MODE_STATE_ERROR || size < sizeof(tiny3)) return fmi3Error;
    memset(bytes, 0, size);
    memcpy(bytes, state, sizeof(tiny3));
    return enter();
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState *state)
{
    tiny3 *t = c;
    if (*state || size < sizeof(tiny3)) return fmi3Error;
    if (t->mode == T_MODE_STATE_EMPTY) return enter();
    *state = malloc(sizeof(tiny3));
    tiny3_counts.n_states++;
    memcpy(*state, bytes, sizeof(tiny3));
    return enter();
}

// B depends on A with the factors 1 to 6.
fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[],
                                        size_t n_unknowns, const fmi3ValueReference knowns[],
                                        size_t n_knowns, const fmi3Float64 seed[], size_t n_seed,
                                        fmi3Float64 out[], size_t n_out)
{
    (void)c;
    if (n_unknowns != 1 || n_knowns != 1 || n_seed != n_out) return fmi3Error;
    if (unknowns[0] == V_Y && knowns[0] == V_U && n_seed == 1) out[0] = 2 * seed[0];
    if (unknowns[0] == V_B && knowns[0] == V_A && n_seed == 6)
        for (int i = 0; i < 6; i++) out[i] = (i + 1) * seed[i];
    return enter();
}

// All of B depends on U, and B[i] on A[i].
fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference vr, size_t *n)
{
    tiny3 *t = c;
    if (vr != V_B) return fmi3Error;
    *n = t->mode == T_MODE_MANY_DEPENDENCIES ? SIZE_MAX : 7;
    return enter();
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference vr, size_t of[],
                                       fmi3ValueReference references[], size_t on[],
                                       fmi3DependencyKind kinds[], size_t n)
{
    tiny3 *t = c;
    if (vr != V_B || n != 7) return fmi3Error;
    for (size_t i = 0; i < n; i++) {
        of[i] = on[i] = i;
        references[i] = i ? V_A : V_U;
        kinds[i] = fmi3Dependent;
    }
    if (t->mode == T_MODE_WRONG_ELEMENT) on[3] = 7;
    if (t->mode == T_MODE_WRONG_REFERENCE) references[3] = 4711;
    return enter();
}

// Those of x, and of the elements of b: 10, 20, ...
fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                    const fmi3Int32 orders[], fmi3Float64 values[], size_t n_values)
{
    tiny3 *t = c;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        size_t wanted = vr[i] == V_B ? 6 : 1;
        if (orders[i] != 1 || used + wanted > n_values || (vr[i] != V_B && vr[i] != V_X))
            return fmi3Error;
        for (size_t k = 0; k < wanted; k++)
            values[used + k] = vr[i] == V_B ? 10 * (double)(k + 1) : t->u;
        used += wanted;
    }
    return used == n_values ? enter() : fmi3Error;
}
