// SPDX-License-Identifier: MIT
// Options of runs: a struct becomes settings and values of a project, which is the user's own, or one that is made for the run and
// borrows all but these.
#include "api/vary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/sized.h"
#include "project/variation.h"

void takt_run_options_init(takt_run_options *options)
{
    const takt_run_options defaults = {.size = sizeof(takt_run_options),
                                       .start_time = NAN,
                                       .stop_time = NAN,
                                       .step_size = NAN,
                                       .tolerance = NAN,
                                       .step_min = NAN,
                                       .step_max = NAN,
                                       .output_interval = NAN,
                                       .algorithm = TAKT_ALGORITHM_OF_PROJECT,
                                       .step_control = TAKT_STEP_CONTROL_OF_PROJECT,
                                       .is_strict = -1};
    takt_sized_fill(options, &defaults, sizeof defaults, NULL);
}

// ---- from the struct to settings -------------------------------------------------------------------

// Sets what was given, and counts it.
typedef struct setter {
    takt_project *project;
    takt_error *err;
    takt_status st;
    int n; // that were given
} setter;

static void set(setter *s, const char *name, const char *value)
{
    s->n++;
    if (!s->st) s->st = takt_project_set(s->project, name, value, s->err);
}

static void set_number(setter *s, const char *name, double value)
{
    char text[TAKT_NUMBER_SIZE];
    if (isnan(value)) return;
    takt_number_write(text, value);
    set(s, name, text);
}

static void set_count(setter *s, const char *name, int value)
{
    char text[TAKT_NUMBER_SIZE];
    if (value == 0) return;
    takt_number_write_integer(text, value);
    set(s, name, text);
}

static void set_choice(setter *s, const char *name, int value)
{
    const char *const *words = takt_setting_choices(takt_settings_find(name));
    int n = 0;
    while (words[n]) n++;
    if (value == -1) return;
    if (value >= 0 && value < n) {
        set(s, name, words[value]);
        return;
    }
    s->n++;
    if (!s->st) s->st = takt_fail(s->err, TAKT_ERR_USAGE, "%s: there is no choice %d", name, value);
}

static void set_flag(setter *s, const char *name, int value)
{
    if (value != -1) set(s, name, value ? "true" : "false");
}

// Is a list of the caller's complete?
static bool check_list(setter *s, const char *name, const void *list, int n)
{
    if (n >= 0 && (list || n == 0)) return true;
    s->n++;
    if (!s->st) s->st = takt_fail(s->err, TAKT_ERR_USAGE, "the list '%s' is missing", name);
    return false;
}

// Lists of settings replace those of the project: item `i` is the first of its name.
static void begin_list(setter *s, const takt_assignment *list, int i)
{
    int index = list[i].name ? takt_settings_find(list[i].name) : -1;
    for (int k = 0; k < i; k++)
        if (list[k].name && list[i].name && strcmp(list[k].name, list[i].name) == 0) return;
    if (index >= 0) s->project->settings.overridden &= ~((uint64_t)1 << index);
}

static void set_settings(setter *s, const takt_assignment *list, int n)
{
    for (int i = 0; i < n; i++) {
        begin_list(s, list, i);
        set(s, list[i].name, list[i].value);
    }
}

static void set_value(setter *s, const takt_assignment *given)
{
    s->n++;
    if (s->st) return;
    if (!given->name || !given->value || strchr(given->name, '=')) {
        s->st = takt_fail(s->err, TAKT_ERR_USAGE, "'%s' cannot be given a value",
                          given->name ? given->name : "(NULL)");
        return;
    }
    const char *text = takt_arena_print(&s->project->arena, "%s=%s", given->name, given->value);
    s->st = text ? takt_project_set_value(s->project, text, s->err) : takt_fail_memory(s->err);
}

static void set_all(setter *s, const takt_run_options *o)
{
    set_number(s, "start-time", o->start_time);
    set_number(s, "stop-time", o->stop_time);
    set_number(s, "step-size", o->step_size);
    set_number(s, "tolerance", o->tolerance);
    set_number(s, "step-min", o->step_min);
    set_number(s, "step-max", o->step_max);
    set_number(s, "output-interval", o->output_interval);
    set_choice(s, "algorithm", (int)o->algorithm);
    set_choice(s, "step-control", (int)o->step_control);
    set_count(s, "iterations", o->iterations);
    set_count(s, "jobs", o->jobs);
    set_flag(s, "strict", o->is_strict);
    if (check_list(s, "record", o->record, o->n_record))
        for (int i = 0; i < o->n_record; i++) {
            if (i == 0) begin_list(s, &(takt_assignment){"record", NULL}, 0);
            set(s, "record", o->record[i]);
        }
    if (check_list(s, "settings", o->settings, o->n_settings))
        set_settings(s, o->settings, o->n_settings);
    if (check_list(s, "values", o->values, o->n_values))
        for (int i = 0; i < o->n_values; i++) set_value(s, &o->values[i]);
}

takt_status takt_project_set_options(takt_project *project, const takt_run_options *options,
                                     takt_error *err)
{
    takt_run_options complete = takt_run_options_default();
    if (!project) return takt_fail(err, TAKT_ERR_USAGE, "the project must not be NULL");
    takt_status st = takt_sized_take(&complete, options, sizeof complete, err);
    setter s = {.project = project, .err = err, .st = st};
    if (!st) set_all(&s, &complete);
    return s.st;
}

// ---- from the project to the system ----------------------------------------------------------------

// Models that were opened with other values of these settings are not the same.
static bool opens_alike(const takt_settings *a, const takt_settings *b, takt_arena *arena)
{
    static const char *const names[] = {"interface",    "compile-sources",  "separate-libraries",
                                        "solver",       "solver-tolerance", "isolate",
                                        "solver-step",  "sandbox",          "sandbox-read",
                                        "memory-limit", "on-crash",         "timeout"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int index = takt_settings_find(names[i]);
        const char *of_a = takt_settings_text(a, index, arena);
        const char *of_b = takt_settings_text(b, index, arena);
        if (!of_a || !of_b || strcmp(of_a, of_b) != 0) return false;
    }
    return true;
}

takt_status takt_vary_system(const takt_system *system, const takt_run_options *options,
                             takt_system **out, takt_error *err)
{
    takt_project *own = takt_project_vary(system->project);
    if (!own) return takt_fail_memory(err);
    setter s = {.project = own, .err = err};
    set_all(&s, options);
    if (s.st || s.n == 0) {
        takt_project_end_variation(own);
        return s.st;
    }
    bool is_alike = opens_alike(&own->settings, &system->project->settings, &own->arena);
    return takt_system_vary(own, is_alike ? system : NULL, takt_open_of_project, own, out, err);
}
