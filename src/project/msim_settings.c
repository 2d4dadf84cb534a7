// SPDX-License-Identifier: MIT
// MasterSim's settings; see msim_settings.h. Names, defaults and checks are those of MasterSim 0.9.8,
// except that wrong units and wrong words are errors here.
#include "project/msim_settings.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

#define TIME_UNITS "ms, s, min, h, d and a"

typedef enum kind { TIME, NUMBER, COUNT, FLAG, CHOICE, UNIT } kind;

static const char *const modes[] = {"GAUSS_JACOBI", "GAUSS_SEIDEL", "NEWTON", NULL};

enum { NO_CONTROL, CHECK, STEP_DOUBLING, ADAPT_STEP };
static const char *const error_controls[] = {"NONE", "CHECK", "STEP_DOUBLING", "ADAPT_STEP", NULL};

static const struct {
    const char *name;
    kind kind;
    double initial;
    const char *setting; // that it becomes as it is
    const char *const *choices;
} keywords[TAKT_MSIM_N_KEYWORDS] = {
    [TAKT_MSIM_T_START] = {"tStart", TIME, .initial = 0, .setting = "start-time"},
    [TAKT_MSIM_T_END] = {"tEnd", TIME, .initial = 31536000, .setting = "stop-time"},
    [TAKT_MSIM_H_START] = {"hStart", TIME, .initial = 600},
    [TAKT_MSIM_H_MIN] = {"hMin", TIME, .initial = 1e-5},
    [TAKT_MSIM_H_MAX] = {"hMax", TIME, .initial = 1800},
    [TAKT_MSIM_H_FALLBACK] = {"hFallBackLimit", TIME, .initial = 1e-3, .setting = "step-fallback"},
    [TAKT_MSIM_H_OUTPUT] = {"hOutputMin", TIME, .initial = 600, .setting = "output-interval"},
    [TAKT_MSIM_OUTPUT_UNIT] = {"outputTimeUnit", UNIT, .initial = 1},
    [TAKT_MSIM_ADJUST] = {"adjustStepSize", FLAG, .initial = 0},
    [TAKT_MSIM_PREVENT_OVERSTEPPING] = {"preventOversteppingOfEndTime", FLAG, .initial = 1},
    [TAKT_MSIM_ABS_TOL] = {"absTol", NUMBER, .initial = 1e-6, .setting = "absolute-tolerance"},
    [TAKT_MSIM_REL_TOL] = {"relTol", NUMBER, .initial = 1e-5, .setting = "relative-tolerance"},
    [TAKT_MSIM_MODE] = {"MasterMode", CHOICE, .initial = TAKT_MSIM_SEIDEL, .choices = modes},
    [TAKT_MSIM_ERROR_CONTROL] = {"ErrorControlMode", CHOICE, .initial = NO_CONTROL,
                                 .choices = error_controls},
    [TAKT_MSIM_ITERATIONS] = {"maxIterations", COUNT, .initial = 1},
    [TAKT_MSIM_WRITE_INTERNAL] = {"writeInternalVariables", FLAG, .initial = 0},
    [TAKT_MSIM_WRITE_UNCONNECTED] = {"writeUnconnectedFileReaderVars", FLAG, .initial = 0},
};

takt_msim_settings takt_msim_settings_default(void)
{
    takt_msim_settings settings = {.lines = {0}};
    for (int i = 0; i < TAKT_MSIM_N_KEYWORDS; i++) settings.values[i] = keywords[i].initial;
    return settings;
}

const char *takt_msim_keyword_name(int index)
{
    return keywords[index].name;
}

// ---- reading -----------------------------------------------------------------------------------

// A number with a unit of time.
static bool read_time(takt_lines *lines, const char *keyword, const char *value, double *out)
{
    const char *unit = value + strcspn(value, " \t");
    unit += strspn(unit, " \t");
    double number;
    bool has_number = takt_number_read(value, value + strcspn(value, " \t"), &number);
    if (has_number && !*unit)
        takt_lines_report(
            lines, TAKT_LEVEL_ERROR,
            "%s: '%s' has no unit; write %s %s s, or another unit of time (" TIME_UNITS ")",
            keyword, value, keyword, value);
    else if (takt_number_read_duration(value, &number) && isfinite(number))
        *out = number;
    else if (has_number && isfinite(number))
        takt_lines_report(lines, TAKT_LEVEL_ERROR,
                          "%s: '%s' is not a unit of time; possible are " TIME_UNITS, keyword,
                          unit);
    else
        takt_lines_report(lines, TAKT_LEVEL_ERROR, "%s: '%s' is not a time such as '10 min'",
                          keyword, value);
    return true;
}

static void read_unit(takt_lines *lines, const char *keyword, const char *value, double *out)
{
    char text[16] = "1 ";
    size_t length = strlen(value);
    if (length < sizeof text - 2) memcpy(text + 2, value, length + 1);
    if (!text[2] || !takt_number_read_duration(text, out))
        takt_lines_report(lines, TAKT_LEVEL_ERROR,
                          "%s: '%s' is not a unit of time; possible are " TIME_UNITS, keyword,
                          value);
}

static void read_number(takt_lines *lines, const char *keyword, const char *value, double *out)
{
    if (!takt_number_read(value, value + strlen(value), out) || !isfinite(*out))
        takt_lines_report(lines, TAKT_LEVEL_ERROR, "%s: '%s' is not a number", keyword, value);
}

static void read_count(takt_lines *lines, const char *keyword, const char *value, double *out)
{
    int64_t count;
    if (takt_number_read_integer(value, value + strlen(value), &count) && count >= 1 &&
        count <= INT32_MAX)
        *out = (double)count;
    else
        takt_lines_report(lines, TAKT_LEVEL_ERROR, "%s: '%s' is not a whole number of at least 1",
                          keyword, value);
}

static void read_flag(takt_lines *lines, const char *keyword, const char *value, double *out)
{
    static const char *const words[] = {"false", "true", "no", "yes", "0", "1"};
    for (int i = 0; i < 6; i++) {
        if (strcmp(words[i], value) != 0) continue;
        *out = i % 2;
        return;
    }
    takt_lines_report(lines, TAKT_LEVEL_ERROR, "%s: '%s' is neither yes nor no", keyword, value);
}

static void read_choice(takt_lines *lines, const char *keyword, const char *value,
                        const char *const *choices, double *out)
{
    for (int i = 0; choices[i]; i++) {
        if (strcmp(choices[i], value) != 0) continue;
        *out = i;
        return;
    }
    takt_lines_report(lines, TAKT_LEVEL_ERROR, "%s: '%s' is not possible; choose %s, %s or %s",
                      keyword, value, choices[0], choices[1], choices[2]);
}

static void read_value(takt_lines *lines, int keyword, const char *value, double *out)
{
    const char *name = keywords[keyword].name;
    switch (keywords[keyword].kind) {
    case TIME: read_time(lines, name, value, out); break;
    case NUMBER: read_number(lines, name, value, out); break;
    case COUNT: read_count(lines, name, value, out); break;
    case FLAG: read_flag(lines, name, value, out); break;
    case CHOICE: read_choice(lines, name, value, keywords[keyword].choices, out); break;
    case UNIT: read_unit(lines, name, value, out); break;
    }
}

bool takt_msim_read_setting(takt_lines *lines, takt_msim_settings *settings, const char *keyword,
                            char *value)
{
    int i = 0;
    while (i < TAKT_MSIM_N_KEYWORDS && strcmp(keywords[i].name, keyword) != 0) i++;
    if (i == TAKT_MSIM_N_KEYWORDS) return false;
    if (settings->lines[i])
        takt_lines_report(lines, TAKT_LEVEL_WARN,
                          "%s was given in line %d already; this one counts", keyword,
                          settings->lines[i]);
    settings->lines[i] = lines->number;
    if (*value)
        read_value(lines, i, value, &settings->values[i]);
    else
        takt_lines_report(lines, TAKT_LEVEL_ERROR, "%s has no value", keyword);
    return true;
}

// ---- applying ----------------------------------------------------------------------------------

static void set(takt_lines *lines, const takt_msim_settings *given, takt_msim_keyword keyword,
                const char *setting, const char *value)
{
    takt_lines_set(lines, given->lines[keyword], keywords[keyword].name, setting, value);
}

static void set_number(takt_lines *lines, const takt_msim_settings *given,
                       takt_msim_keyword keyword, const char *setting, double value)
{
    takt_lines_set_number(lines, given->lines[keyword], keywords[keyword].name, setting, value);
}

static void apply_steps(takt_lines *lines, const takt_msim_settings *given)
{
    const double *v = given->values;
    double h = v[TAKT_MSIM_H_START];
    if (h == 0) h = (v[TAKT_MSIM_T_END] - v[TAKT_MSIM_T_START]) / 1000;
    if (v[TAKT_MSIM_H_START] != 0 || h > 0) // else the times are wrong, which has been reported
        set_number(lines, given, TAKT_MSIM_H_START, "step-size", h);
    if (v[TAKT_MSIM_H_MIN] != 0) // 0: no limit
        set_number(lines, given, TAKT_MSIM_H_MIN, "step-min", v[TAKT_MSIM_H_MIN]);
    double interval = v[TAKT_MSIM_T_END] - v[TAKT_MSIM_T_START];
    double h_max = v[TAKT_MSIM_H_MAX] != 0 ? v[TAKT_MSIM_H_MAX] : interval;
    if (h_max > 0) set_number(lines, given, TAKT_MSIM_H_MAX, "step-max", h_max);
    if (v[TAKT_MSIM_PREVENT_OVERSTEPPING] == 0 && v[TAKT_MSIM_ADJUST] == 0)
        set(lines, given, TAKT_MSIM_PREVENT_OVERSTEPPING, "overstep-end", "true");
}

static void apply_algorithm(takt_lines *lines, const takt_msim_settings *given)
{
    int mode = (int)given->values[TAKT_MSIM_MODE];
    double n = given->values[TAKT_MSIM_ITERATIONS];
    const char *algorithm = mode == TAKT_MSIM_JACOBI   ? "jacobi"
                            : mode == TAKT_MSIM_NEWTON ? "newton"
                            : n > 1                    ? "fixed-point"
                                                       : "seidel";
    if (mode == TAKT_MSIM_JACOBI && n > 1)
        takt_lines_report_at(lines, given->lines[TAKT_MSIM_ITERATIONS], TAKT_LEVEL_ERROR,
                             "maxIterations %.0f: GAUSS_JACOBI does not iterate; write "
                             "maxIterations 1, or MasterMode GAUSS_SEIDEL",
                             n);
    set(lines, given, TAKT_MSIM_MODE, "algorithm", algorithm);
    set(lines, given, TAKT_MSIM_MODE, "input-derivatives", "off"); // MasterSim holds inputs
    set_number(lines, given, TAKT_MSIM_ITERATIONS, "iterations", n);
}

static void apply_step_control(takt_lines *lines, const takt_msim_settings *given)
{
    const double *v = given->values;
    int line = given->lines[TAKT_MSIM_ERROR_CONTROL];
    bool is_adaptive = v[TAKT_MSIM_ADJUST] != 0;
    bool tests_error = v[TAKT_MSIM_ERROR_CONTROL] >= STEP_DOUBLING;
    if (tests_error && !is_adaptive)
        takt_lines_report_at(lines, line, TAKT_LEVEL_ERROR,
                             "ErrorControlMode %s needs steps that can change; write "
                             "adjustStepSize yes",
                             error_controls[(int)v[TAKT_MSIM_ERROR_CONTROL]]);
    if (v[TAKT_MSIM_ERROR_CONTROL] == CHECK)
        takt_lines_report_at(lines, line, TAKT_LEVEL_WARN,
                             "ErrorControlMode CHECK has no effect here; STEP_DOUBLING tests the "
                             "error and changes the steps");
    if (is_adaptive && !tests_error && v[TAKT_MSIM_ITERATIONS] <= 1)
        takt_lines_report_at(lines, given->lines[TAKT_MSIM_ADJUST], TAKT_LEVEL_ERROR,
                             "adjustStepSize yes needs maxIterations of at least 2 or "
                             "ErrorControlMode STEP_DOUBLING; otherwise nothing changes the steps");
    set(lines, given, TAKT_MSIM_ADJUST, "step-control",
        !is_adaptive  ? "fixed"
        : tests_error ? "richardson"
                      : "convergence");
}

static void apply_output(takt_lines *lines, const takt_msim_settings *given)
{
    set(lines, given, TAKT_MSIM_H_OUTPUT, "output-grid", "next");
    if (given->values[TAKT_MSIM_T_START] != 0) // MasterSim counts from 0, wherever it starts
        set_number(lines, given, TAKT_MSIM_H_OUTPUT, "output-origin", 0);
    if (given->values[TAKT_MSIM_WRITE_INTERNAL] != 0)
        set(lines, given, TAKT_MSIM_WRITE_INTERNAL, "record", "*");
    double seconds = given->values[TAKT_MSIM_OUTPUT_UNIT];
    const char *unit = NULL;
    for (int i = 0; seconds != 1 && (unit = takt_time_unit_name(i)) != NULL; i++)
        if (fabs(takt_time_unit_of((takt_time_unit)i, seconds) - 1) < 1e-9) break;
    if (unit) set(lines, given, TAKT_MSIM_OUTPUT_UNIT, "output-time-unit", unit);
}

void takt_msim_apply(takt_lines *lines, const takt_msim_settings *given)
{
    for (int i = 0; i < TAKT_MSIM_N_KEYWORDS; i++)
        if (keywords[i].setting)
            set_number(lines, given, (takt_msim_keyword)i, keywords[i].setting, given->values[i]);
    if (given->values[TAKT_MSIM_REL_TOL] > 0) // else it was reported above
        set_number(lines, given, TAKT_MSIM_REL_TOL, "tolerance", given->values[TAKT_MSIM_REL_TOL]);
    apply_steps(lines, given);
    apply_algorithm(lines, given);
    apply_step_control(lines, given);
    apply_output(lines, given);
}
