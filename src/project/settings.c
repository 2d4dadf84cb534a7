// SPDX-License-Identifier: MIT
// The table of settings. Names, defaults, help texts, limits and the places in takt_settings are
// here and nowhere else; the command line, the annotation in the SSD and the documentation follow.
#include "project/settings.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "project/choices.h"

typedef struct setting setting;

// Reads a value into the field of `settings` that the table names.
typedef takt_status (*read_fn)(const setting *s, takt_settings *settings, takt_arena *arena,
                               const char *value, takt_error *err);

struct setting {
    takt_setting_info info;
    size_t offset; // of its field in takt_settings
    read_fn read;
    enum { ANY, POSITIVE, NOT_NEGATIVE, UP_TO_ONE, FROM_ONE } range; // of numbers
    const char *const *choices; // of choices, ended by NULL; the index is the value
    size_t list; // offset of the list, if the setting may be given several times
    read_fn single; // reads the value of a setting that single components may have
    const char *heading; // in help texts, with the first setting below it
};

enum { INFO_SIZE = sizeof(takt_setting_info) };

#define FIELD(name) .offset = offsetof(takt_settings, name)
#define LIST(name) .list = offsetof(takt_settings, name)

// ---- reading values ----------------------------------------------------------------------------

static takt_status store_number(const setting *s, takt_settings *settings, double number,
                                const char *value, takt_error *err)
{
    if (!isfinite(number))
        return takt_fail(err, TAKT_ERR_USAGE, "%s: '%s' is not a finite number", s->info.name,
                         value);
    if (s->range == POSITIVE && !(number > 0))
        return takt_fail(err, TAKT_ERR_USAGE, "%s: '%s' is not allowed; it must be greater than 0",
                         s->info.name, value);
    if (s->range == NOT_NEGATIVE && number < 0)
        return takt_fail(err, TAKT_ERR_USAGE, "%s: '%s' is not allowed; it must not be negative",
                         s->info.name, value);
    if (s->range == UP_TO_ONE && !(number > 0 && number <= 1))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "%s: '%s' is not allowed; it must be greater than 0 and at most 1",
                         s->info.name, value);
    if (s->range == FROM_ONE && number < 1)
        return takt_fail(err, TAKT_ERR_USAGE, "%s: '%s' is not allowed; it must be at least 1",
                         s->info.name, value);
    memcpy((char *)settings + s->offset, &number, sizeof number);
    return TAKT_OK;
}

static takt_status read_duration(const setting *s, takt_settings *settings, takt_arena *arena,
                                 const char *value, takt_error *err)
{
    (void)arena;
    double number;
    if (!takt_number_read_duration(value, &number))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "%s: '%s' is not a time; write seconds, or a number with one of the units "
                         "ms, s, min, h, d, a, such as 10min",
                         s->info.name, value);
    return store_number(s, settings, number, value, err);
}

static takt_status read_number(const setting *s, takt_settings *settings, takt_arena *arena,
                               const char *value, takt_error *err)
{
    (void)arena;
    double number;
    if (!takt_number_read(value, value + strlen(value), &number))
        return takt_fail(err, TAKT_ERR_USAGE, "%s: '%s' is not a number", s->info.name, value);
    return store_number(s, settings, number, value, err);
}

static takt_status read_count(const setting *s, takt_settings *settings, takt_arena *arena,
                              const char *value, takt_error *err)
{
    (void)arena;
    int64_t count;
    if (!takt_number_read_integer(value, value + strlen(value), &count) || count < 1)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "%s: '%s' is not allowed; it must be a whole number of at least 1",
                         s->info.name, value);
    memcpy((char *)settings + s->offset, &count, sizeof count);
    return TAKT_OK;
}

static takt_status read_flag(const setting *s, takt_settings *settings, takt_arena *arena,
                             const char *value, takt_error *err)
{
    (void)arena;
    bool flag = strcmp(value, "true") == 0;
    if (!flag && strcmp(value, "false") != 0)
        return takt_fail(err, TAKT_ERR_USAGE, "%s: '%s' is neither true nor false", s->info.name,
                         value);
    memcpy((char *)settings + s->offset, &flag, sizeof flag);
    return TAKT_OK;
}

static int find_choice(const char *const *choices, const char *value)
{
    for (int i = 0; choices[i]; i++)
        if (strcmp(choices[i], value) == 0) return i;
    return -1;
}

static takt_status fail_choice(const setting *s, const char *value, takt_error *err)
{
    char list[256] = "";
    size_t length = 0;
    for (int i = 0; s->choices[i]; i++) {
        const char *separator = i == 0 ? "" : s->choices[i + 1] ? ", " : " or ";
        const char *pieces[] = {separator, s->choices[i]};
        for (int k = 0; k < 2; k++) {
            size_t n = strlen(pieces[k]);
            if (length + n >= sizeof list) break;
            memcpy(list + length, pieces[k], n + 1);
            length += n;
        }
    }
    return takt_fail(err, TAKT_ERR_USAGE, "%s: '%s' is not possible; choose %s", s->info.name,
                     value, list);
}

static takt_status read_choice(const setting *s, takt_settings *settings, takt_arena *arena,
                               const char *value, takt_error *err)
{
    (void)arena;
    int choice = find_choice(s->choices, value);
    if (choice < 0) return fail_choice(s, value, err);
    memcpy((char *)settings + s->offset, &choice, sizeof choice); // the enums have int's size
    return TAKT_OK;
}

static_assert(sizeof(takt_algorithm) == sizeof(int) && sizeof(takt_step_control) == sizeof(int) &&
                  sizeof(takt_error_estimate) == sizeof(int) && sizeof(takt_norm) == sizeof(int) &&
                  sizeof(takt_input_derivatives) == sizeof(int) &&
                  sizeof(takt_call_order) == sizeof(int) && sizeof(takt_time_grid) == sizeof(int) &&
                  sizeof(takt_output_grid) == sizeof(int) &&
                  sizeof(takt_time_unit) == sizeof(int) && sizeof(takt_interface) == sizeof(int) &&
                  sizeof(takt_me_mode) == sizeof(int) && sizeof(takt_solver) == sizeof(int),
              "read_choice writes an int");

static takt_status read_text(const setting *s, takt_settings *settings, takt_arena *arena,
                             const char *value, takt_error *err)
{
    if (!*value) return takt_fail(err, TAKT_ERR_USAGE, "%s: nothing is given", s->info.name);
    takt_text_list list;
    memcpy(&list, (char *)settings + s->list, sizeof list);
    const char *copy = takt_arena_copy(arena, value);
    if (!copy) return takt_fail_memory(err);
    int n = list.n_items;
    if ((n & (n - 1)) == 0) { // 0, 1, 2, 4, 8, ...: all room is used
        const char **items = takt_arena_array(arena, n ? 2 * (size_t)n : 1, sizeof *items);
        if (!items) return takt_fail_memory(err);
        if (n) memcpy(items, list.items, (size_t)n * sizeof *items);
        list.items = items;
    }
    list.items[list.n_items++] = copy;
    memcpy((char *)settings + s->list, &list, sizeof list);
    return TAKT_OK;
}

// A value for all, or "Tank=value" for one component. What is meant for one is read once for all, on trial.
static takt_status read_of_component(const setting *s, takt_settings *settings, takt_arena *arena,
                                     const char *value, takt_error *err)
{
    const char *equals = strrchr(value, '=');
    if (!equals) return s->single(s, settings, arena, value, err);
    takt_settings trial = *settings;
    takt_status st = s->single(s, &trial, arena, equals + 1, err);
    if (st) return st;
    if (equals == value)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "%s: '%s' names no component; write its name before '='", s->info.name,
                         value);
    return read_text(s, settings, arena, value, err);
}

const char *takt_settings_of(const takt_text_list *list, const char *component)
{
    size_t length = strlen(component);
    for (int i = list->n_items; i-- > 0;) {
        const char *item = list->items[i], *equals = strrchr(item, '=');
        if ((size_t)(equals - item) == length && strncmp(item, component, length) == 0)
            return equals + 1;
    }
    return NULL;
}

bool takt_step_size_read(const char *item, char pattern[TAKT_PATTERN_SIZE], double *size)
{
    const char *equals = strrchr(item, '=');
    if (!equals || equals == item || equals - item >= TAKT_PATTERN_SIZE) return false;
    memcpy(pattern, item, (size_t)(equals - item));
    pattern[equals - item] = 0;
    return takt_number_read_duration(equals + 1, size) && isfinite(*size) && *size > 0;
}

static takt_status read_step_size_of(const setting *s, takt_settings *settings, takt_arena *arena,
                                     const char *value, takt_error *err)
{
    char pattern[TAKT_PATTERN_SIZE];
    double size;
    if (takt_step_size_read(value, pattern, &size))
        return read_text(s, settings, arena, value, err);
    return takt_fail(err, TAKT_ERR_USAGE,
                     "%s: '%s' is not COMPONENT=TIME with a time greater than 0, such as Tank=0.5",
                     s->info.name, value);
}

static takt_status read_event_time(const setting *s, takt_settings *settings, takt_arena *arena,
                                   const char *value, takt_error *err)
{
    takt_settings trial = *settings;
    takt_status st =
        read_duration(&(setting){.info = s->info, FIELD(start_time)}, &trial, arena, value, err);
    if (st) return st;
    char seconds[TAKT_NUMBER_SIZE]; // without blanks, which separate the items of a list
    takt_number_write(seconds, trial.start_time);
    return read_text(s, settings, arena, seconds, err);
}

static takt_status read_size(const setting *s, takt_settings *settings, takt_arena *arena,
                             const char *value, takt_error *err)
{
    (void)arena;
    int64_t size;
    if (!takt_size_read(value, &size))
        return takt_fail(err, TAKT_ERR_USAGE, "%s: '%s' is not a size, such as 500MB or 2GiB",
                         s->info.name, value);
    memcpy((char *)settings + s->offset, &size, sizeof size);
    return TAKT_OK;
}

// "true" for all, "false" for none.
static takt_status read_isolated(const setting *s, takt_settings *settings, takt_arena *arena,
                                 const char *value, takt_error *err)
{
    if (strcmp(value, "false") == 0) return TAKT_OK;
    return read_text(s, settings, arena, strcmp(value, "true") == 0 ? "*" : value, err);
}

// "seidel", or "Tank=seidel" for the loop that Tank is in.
static takt_status read_algorithm(const setting *s, takt_settings *settings, takt_arena *arena,
                                  const char *value, takt_error *err)
{
    const char *equals = strrchr(value, '=');
    if (!equals) return read_choice(s, settings, arena, value, err);
    if (find_choice(s->choices, equals + 1) < 0) return fail_choice(s, equals + 1, err);
    if (equals == value)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "%s: '%s' names no loop; write the name of one of its members before '='",
                         s->info.name, value);
    return read_text(s, settings, arena, value, err);
}

bool takt_algorithm_change_read(const char *item, takt_algorithm_change *out)
{
    char time[64] = "";
    const char *colon = strchr(item, ':');
    if (!colon || (size_t)(colon - item) >= sizeof time) return false;
    memcpy(time, item, (size_t)(colon - item));
    if (!takt_number_read_duration(time, &out->time) || !isfinite(out->time)) return false;
    out->choice = colon + 1;
    const char *equals = strrchr(out->choice, '=');
    out->algorithm = equals ? equals + 1 : out->choice;
    return equals != out->choice;
}

// "5:newton" or "5:Tank=newton": from 5 s on.
static takt_status read_change(const setting *s, takt_settings *settings, takt_arena *arena,
                               const char *value, takt_error *err)
{
    takt_algorithm_change change;
    if (!takt_algorithm_change_read(value, &change))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "%s: '%s' is not TIME:NAME or TIME:LOOP=NAME, such as 5:newton",
                         s->info.name, value);
    if (find_choice(s->choices, change.algorithm) <= TAKT_ALGORITHM_AUTO)
        return takt_fail(err, TAKT_ERR_USAGE, "%s: '%s' is not an algorithm that can be changed to",
                         s->info.name, change.algorithm);
    return read_text(s, settings, arena, value, err);
}

// ---- the table ---------------------------------------------------------------------------------

static const setting table[] = {
    {{INFO_SIZE, "start-time", "T", NULL,
      "start of the simulation, in seconds or with a unit (10min, 1 h)"},
     FIELD(start_time),
     read_duration,
     .heading = "Experiment (this and all below wins over the project)"},
    {{INFO_SIZE, "stop-time", "T", NULL, "end of the simulation"}, FIELD(stop_time), read_duration},
    {{INFO_SIZE, "step-size", "H", NULL,
      "communication step size: fixed steps, unless a tolerance is given; then the first step"},
     FIELD(step_size),
     read_duration,
     POSITIVE},
    {{INFO_SIZE, "step-size-of", "GLOB=H", NULL,
      "longest steps of components that match; with fixed steps a multiple of step-size; "
      "repeatable"},
     FIELD(step_sizes_of),
     read_step_size_of,
     LIST(step_sizes_of)},
    {{INFO_SIZE, "same-steps", NULL, "false",
      "all components take the same steps, also those that could take longer ones"},
     FIELD(same_steps),
     read_flag},
    {{INFO_SIZE, "tolerance", "R", "1e-4",
      "accuracy of the coupled solution, relative; FMUs get a thousandth of it, with fixed steps "
      "all of it if given"},
     FIELD(tolerance),
     read_number,
     POSITIVE},
    {{INFO_SIZE, "algorithm", "NAME", "auto",
      "how components are coupled: auto (by prediction), jacobi, seidel, fixed-point, newton, "
      "quasi-newton or anderson; LOOP=NAME for the loop with the component LOOP, repeatable"},
     FIELD(algorithm),
     read_algorithm,
     .choices = takt_algorithm_names,
     LIST(loop_algorithms),
     .heading = "Coupling"},
    {{INFO_SIZE, "iterations", "N", "20",
      "limit of the sweeps per step for iterating algorithms other than auto"},
     FIELD(iterations),
     read_count},
    {{INFO_SIZE, "algorithm-at", "T:NAME", NULL,
      "change the algorithm at a time, as 5:newton or 5:LOOP=newton; repeatable"},
     FIELD(algorithm_at),
     read_change,
     .choices = takt_algorithm_names,
     LIST(algorithm_at)},
    {{INFO_SIZE, "call-order", "NAME", "auto",
      "auto: sources are called before their targets, in a loop by feedthrough, however the "
      "project lists them (with the norm papers: flow); flow: the members of a loop as listed; "
      "listed: all as listed, so that with seidel a target that is listed before its source gets "
      "values one step late"},
     FIELD(call_order),
     read_choice,
     .choices = call_orders},
    {{INFO_SIZE, "damping", "F", "1",
      "first factor of Newton steps, at most 1; halved where needed"},
     FIELD(damping),
     read_number,
     UP_TO_ONE},
    {{INFO_SIZE, "strict", NULL, "false",
      "fail where results may be wrong, instead of continuing with a warning"},
     FIELD(strict),
     read_flag},
    {{INFO_SIZE, "input-derivatives", "NAME", "fmu",
      "inputs within a step where an FMU can interpolate them: off (held); algorithms other than "
      "auto: "
      "fmu (by the derivatives that the source gives) or estimate (also by the last two points)"},
     FIELD(input_derivatives),
     read_choice,
     .choices = input_derivatives},
    {{INFO_SIZE, "step-control", "NAME", "auto",
      "how the step size is chosen: auto (by the tolerance; fixed if only step-size is given), "
      "fixed, "
      "convergence (smaller where a loop does not converge) or richardson (by step doubling)"},
     FIELD(step_control),
     read_choice,
     .choices = step_controls,
     .heading = "Step control"},
    {{INFO_SIZE, "step-min", "H", NULL,
      "smallest step of adaptive control; default: 1e-13 of the interval, of others than auto "
      "step-size / 1e6"},
     FIELD(step_min),
     read_duration,
     POSITIVE},
    {{INFO_SIZE, "step-max", "H", NULL,
      "largest step of adaptive control; default: a tenth of the interval, of richardson: all of "
      "it, of convergence: step-size"},
     FIELD(step_max),
     read_duration,
     POSITIVE},
    {{INFO_SIZE, "step-fallback", "H", NULL,
      "steps smaller than this are not iterated, to get over jumps (not with auto); default: 10 * "
      "step-min"},
     FIELD(step_fallback),
     read_duration,
     NOT_NEGATIVE},
    {{INFO_SIZE, "step-reduction", "F", "5", "divides the step where a loop does not converge"},
     FIELD(step_reduction),
     read_number,
     FROM_ONE},
    {{INFO_SIZE, "step-growth", "F", "2",
      "multiplies the step after success with control by convergence"},
     FIELD(step_growth),
     read_number,
     FROM_ONE},
    {{INFO_SIZE, "step-factor-min", "F", "0.2",
      "smallest factor that richardson applies to the step"},
     FIELD(step_factor_min),
     read_number,
     UP_TO_ONE},
    {{INFO_SIZE, "step-factor-max", "F", "2", "largest factor that richardson applies to the step"},
     FIELD(step_factor_max),
     read_number,
     FROM_ONE},
    {{INFO_SIZE, "error-estimate", "NAME", "both",
      "what richardson uses: both, richardson or slope"},
     FIELD(error_estimate),
     read_choice,
     .choices = error_estimates},
    {{INFO_SIZE, "norm", "NAME", "error",
      "what tests compare with the tolerances: error (the largest) or papers (means of changes)"},
     FIELD(norm),
     read_choice,
     .choices = norms},
    {{INFO_SIZE, "relative-tolerance", "R", "1e-5",
      "relative tolerance of iterations and of richardson; auto has the tolerance alone"},
     FIELD(relative_tolerance),
     read_number,
     POSITIVE},
    {{INFO_SIZE, "absolute-tolerance", "A", "1e-6",
      "absolute tolerance of iterations and of richardson"},
     FIELD(absolute_tolerance),
     read_number,
     POSITIVE},
    {{INFO_SIZE, "event-time", "T", NULL,
      "something happens at this time: a communication point for all components; repeatable"},
     FIELD(event_times),
     read_event_time,
     LIST(event_times)},
    {{INFO_SIZE, "time-grid", "NAME", "exact",
      "exact: communication points are t0 + n*h; accumulated: t += h, as older programs do"},
     FIELD(time_grid),
     read_choice,
     .choices = time_grids},
    {{INFO_SIZE, "overstep-end", NULL, "false",
      "keep the size of the last step even if it passes the stop time"},
     FIELD(overstep_end),
     read_flag},
    {{INFO_SIZE, "input-file", "FILE", NULL,
      "drive inputs by the columns of a table (.csv, .tsv), named VARIABLE for a single FMU, else "
      "COMPONENT.VARIABLE; repeatable"},
     FIELD(input_files),
     read_text,
     LIST(input_files),
     .heading = "Inputs and rows of results"},
    {{INFO_SIZE, "scenario", "FILE", NULL,
      "change inputs, outputs and tunable parameters at known times, as a file says (.json of the "
      "Open Simulation Platform, or a table of time, variable, value); repeatable"},
     FIELD(scenarios),
     read_text,
     LIST(scenarios)},
    {{INFO_SIZE, "output-interval", "DT", "0",
      "time between rows of the results; 0: every step; where auto controls the error, by default "
      "the FMUs' step or a 500th of the interval"},
     FIELD(output_interval),
     read_duration,
     NOT_NEGATIVE},
    {{INFO_SIZE, "output-grid", "NAME", "exact",
      "exact: steps are shortened to end where rows are due; next: rows follow at the next end of "
      "a step; interpolated: rows between the ends of steps, the default with error control by "
      "auto"},
     FIELD(output_grid),
     read_choice,
     .choices = output_grids},
    {{INFO_SIZE, "output-origin", "T", NULL,
      "time from which output intervals are counted; default: the start time"},
     FIELD(output_origin),
     read_duration},
    {{INFO_SIZE, "output-time-unit", "UNIT", "s",
      "unit of the times in CSV results: ms, s, min, h, d or a; the header says it: time [h]"},
     FIELD(output_time_unit),
     read_choice,
     .choices = takt_time_unit_names},
    {{INFO_SIZE, "record", "GLOB", NULL,
      "record variables whose COMPONENT.VARIABLE matches, in place of all outputs; repeatable"},
     FIELD(record),
     read_text,
     LIST(record)},
    {{INFO_SIZE, "record-exclude", "GLOB", NULL, "do not record variables that match; repeatable"},
     FIELD(record_exclude),
     read_text,
     LIST(record_exclude)},
    {{INFO_SIZE, "record-connected", "GLOB", NULL,
      "of components that match, record only variables whose values others take; repeatable"},
     FIELD(record_connected),
     read_text,
     LIST(record_connected)},
    {{INFO_SIZE, "jobs", "N", NULL,
      "threads that step instances, where that pays; 1: no parallel stepping; default: one per "
      "processor"},
     FIELD(jobs),
     read_count,
     .heading = "Calls of FMUs"},
    {{INFO_SIZE, "one-thread", "GLOB", NULL,
      "call components that match only in the thread of the simulation; repeatable"},
     FIELD(one_thread),
     read_text,
     LIST(one_thread)},
    {{INFO_SIZE, "compile-sources", NULL, "false",
      "compile FMUs that have no library for this platform, with the system's C compiler"},
     FIELD(compile_sources),
     read_flag},
    {{INFO_SIZE, "binary", "WORD", "auto",
      "how FMUs run: native library, compiled sources, library for Windows (Wine), with 32 bits"},
     FIELD(binary),
     read_choice,
     .choices = binaries},
    {{INFO_SIZE, "separate-libraries", NULL, "false",
      "load a copy of the FMU's library for every instance, for FMUs whose instances influence "
      "each other"},
     FIELD(separate_libraries),
     read_flag},
    {{INFO_SIZE, "isolate", "[GLOB]", NULL,
      "run FMUs in processes of their own: all, or those of components that match; repeatable"},
     FIELD(isolate),
     read_isolated,
     LIST(isolate)},
    {{INFO_SIZE, "sandbox", NULL, "true",
      "isolate FMUs and refuse them files, network, programs; default if isolated (=false: not)"},
     FIELD(sandbox),
     read_flag},
    {{INFO_SIZE, "sandbox-read", "PATH", NULL,
      "a file or folder that FMUs may read in the sandbox besides; repeatable"},
     FIELD(sandbox_read),
     read_text,
     LIST(sandbox_read)},
    {{INFO_SIZE, "sandbox-write", "PATH", NULL,
      "the same, which they may write as well; repeatable"},
     FIELD(sandbox_write),
     read_text,
     LIST(sandbox_write)},
    {{INFO_SIZE, "memory-limit", "SIZE", "0",
      "most memory of each FMU, which then runs in a process of its own: 500MB, 2GiB; 0: no limit"},
     FIELD(memory_limit),
     read_size},
    {{INFO_SIZE, "on-crash", "WORD", "stop",
      "when an isolated FMU crashes or hangs: stop, hold its outputs, or restart its last state"},
     FIELD(on_crash),
     read_choice,
     .choices = on_crash},
    {{INFO_SIZE, "timeout", "T", "0",
      "give up when a call to an FMU takes longer, in seconds of real time; 0: wait forever"},
     FIELD(timeout),
     read_duration,
     NOT_NEGATIVE},
    {{INFO_SIZE, "interface", "NAME", "cs",
      "of FMUs that offer both: cs (co-simulation) or me (model exchange)"},
     FIELD(interface),
     read_choice,
     .choices = interfaces,
     .heading = "Model exchange"},
    {{INFO_SIZE, "me", "NAME", "separate",
      "FMUs for model exchange that are connected directly: separate (one by one) or central "
      "(together)"},
     FIELD(me),
     read_choice,
     .choices = me_modes},
    {{INFO_SIZE, "solver", "NAME", "cvode-bdf",
      "integrates FMUs for model exchange: cvode-bdf, cvode-adams, euler or rk4; COMPONENT=NAME "
      "for one of them, repeatable"},
     FIELD(solver),
     read_of_component,
     .single = read_choice,
     .choices = solvers,
     LIST(solver_of)},
    {{INFO_SIZE, "solver-tolerance", "R", NULL,
      "relative tolerance of cvode-bdf and cvode-adams; default: what FMUs get of the tolerance, "
      "else 1e-6; COMPONENT=R for one component, repeatable"},
     FIELD(solver_tolerance),
     read_of_component,
     POSITIVE,
     .single = read_number,
     LIST(solver_tolerance_of)},
    {{INFO_SIZE, "solver-step", "H", NULL,
      "step of euler and rk4; default: a tenth of the first step; COMPONENT=H for one component, "
      "repeatable"},
     FIELD(solver_step),
     read_of_component,
     POSITIVE,
     .single = read_duration,
     LIST(solver_step_of)},
};

enum { N_SETTINGS = sizeof table / sizeof *table };
static_assert((int)N_SETTINGS <= TAKT_MAX_SETTINGS, "takt_settings::given has 64 bits");

const takt_setting_info *takt_setting(int index)
{
    return index >= 0 && index < N_SETTINGS ? &table[index].info : NULL;
}

const char *takt_setting_group(int index)
{
    return index >= 0 && index < N_SETTINGS ? table[index].heading : NULL;
}

takt_setting_type takt_setting_type_of(int index)
{
    if (!takt_setting(index)) return TAKT_SETTING_TEXT;
    read_fn read = table[index].single ? table[index].single : table[index].read;
    if (read == read_flag) return TAKT_SETTING_FLAG;
    if (read == read_number) return TAKT_SETTING_NUMBER;
    if (read == read_count) return TAKT_SETTING_COUNT;
    if (read == read_duration) return TAKT_SETTING_TIME;
    return table[index].choices ? TAKT_SETTING_CHOICE : TAKT_SETTING_TEXT;
}

const char *const *takt_setting_choices(int index)
{
    return takt_setting(index) ? table[index].choices : NULL;
}

int takt_setting_is_repeatable(int index)
{
    return takt_setting(index) && table[index].list;
}

static const char *setting_name(void *context, int i)
{
    (void)context;
    return table[i].info.name;
}

int takt_settings_find(const char *name)
{
    for (int i = 0; i < N_SETTINGS; i++)
        if (strcmp(table[i].info.name, name) == 0) return i;
    return -1;
}

takt_settings takt_settings_default(void)
{
    takt_settings settings = {0};
    for (int i = 0; i < N_SETTINGS; i++)
        if (table[i].info.default_text)
            table[i].read(&table[i], &settings, NULL, table[i].info.default_text, NULL);
    return settings;
}

takt_status takt_settings_fail_unknown(const char *name, takt_error *err)
{
    const char *nearest = takt_text_nearest(name, N_SETTINGS, setting_name, NULL);
    if (!nearest) return takt_fail(err, TAKT_ERR_USAGE, "there is no setting '%s'", name);
    return takt_fail(err, TAKT_ERR_USAGE, "there is no setting '%s'; did you mean '%s'?", name,
                     nearest);
}

takt_status takt_settings_set(takt_settings *settings, takt_arena *arena, const char *name,
                              const char *value, takt_error *err)
{
    int i = takt_settings_find(name);
    if (i < 0) return takt_settings_fail_unknown(name, err);
    takt_status st = table[i].read(&table[i], settings, arena, value, err);
    if (!st) settings->given |= (uint64_t)1 << i;
    return st;
}

takt_status takt_settings_override(takt_settings *settings, takt_arena *arena, const char *name,
                                   const char *value, takt_error *err)
{
    int i = takt_settings_find(name);
    if (i < 0) return takt_settings_fail_unknown(name, err);
    takt_settings changed = *settings;
    uint64_t bit = (uint64_t)1 << i;
    if (table[i].list && !(changed.overridden & bit))
        memset((char *)&changed + table[i].list, 0, sizeof(takt_text_list));
    takt_status st = takt_settings_set(&changed, arena, name, value, err);
    if (st) return st;
    changed.overridden |= bit;
    *settings = changed;
    return TAKT_OK;
}

bool takt_settings_is_repeatable(const char *name)
{
    int i = takt_settings_find(name);
    return i >= 0 && table[i].list;
}

int takt_settings_index(const takt_settings *settings, const void *field)
{
    size_t offset = (size_t)((const char *)field - (const char *)settings);
    for (int i = 0; i < N_SETTINGS; i++)
        if (table[i].offset == offset) return i;
    return -1;
}

// The bit of the setting whose field lies at this address.
static uint64_t bit_of(const takt_settings *settings, const void *field)
{
    int i = takt_settings_index(settings, field);
    return i < 0 ? 0 : (uint64_t)1 << i;
}

bool takt_settings_has(const takt_settings *settings, const void *field)
{
    return settings->given & bit_of(settings, field);
}

bool takt_settings_are_automatic(const takt_settings *settings)
{
    return settings->algorithm == TAKT_ALGORITHM_AUTO && settings->loop_algorithms.n_items == 0 &&
           settings->algorithm_at.n_items == 0;
}

bool takt_settings_predict_fixed(const takt_settings *settings)
{
    return settings->step_control == TAKT_STEP_CONTROL_FIXED &&
           takt_settings_are_automatic(settings) && settings->norm != TAKT_NORM_PAPERS &&
           settings->time_grid == TAKT_GRID_EXACT &&
           !takt_settings_has(settings, &settings->input_derivatives);
}

bool takt_settings_test_outputs(const takt_settings *settings)
{
    return settings->step_control == TAKT_STEP_CONTROL_AUTO ||
           (settings->step_control == TAKT_STEP_CONTROL_RICHARDSON &&
            settings->norm != TAKT_NORM_PAPERS);
}

bool takt_settings_is_overridden(const takt_settings *settings, const void *field)
{
    return settings->overridden & bit_of(settings, field);
}

// The value of a setting apart from its list, in `number` unless it is a name.
static const char *value_text(const setting *s, const void *field, char number[TAKT_NUMBER_SIZE])
{
    bool is_of_component = s->read == read_of_component;
    bool is_number = s->single == read_duration || s->single == read_number;
    if (is_of_component && is_number && *(const double *)field == 0) return ""; // not given
    if (s->read == read_duration || s->read == read_number || is_number) {
        takt_number_write(number, *(const double *)field);
    } else if (s->read == read_count || s->read == read_size) {
        takt_number_write_integer(number, *(const int64_t *)field);
    } else if (s->read == read_flag) {
        return *(const bool *)field ? "true" : "false";
    } else if (s->choices && s->offset != s->list) {
        int choice;
        memcpy(&choice, field, sizeof choice);
        return s->choices[choice];
    } else {
        return "";
    }
    return number;
}

takt_text_list *takt_settings_list(takt_settings *settings, int index)
{
    size_t list = table[index].list;
    return list ? (takt_text_list *)(void *)((char *)settings + list) : NULL;
}

const char *takt_settings_text(const takt_settings *settings, int index, takt_arena *arena)
{
    const setting *s = &table[index];
    char number[TAKT_NUMBER_SIZE];
    takt_text text = {0};
    takt_text_add(&text, value_text(s, (const char *)settings + s->offset, number));
    takt_text_list list = {0};
    if (s->list) memcpy(&list, (const char *)settings + s->list, sizeof list);
    for (int i = 0; i < list.n_items; i++)
        takt_text_print(&text, "%s%s", text.length ? " " : "", list.items[i]);
    const char *copy = text.failed ? NULL : text.length ? takt_arena_copy(arena, text.data) : "";
    takt_text_clear(&text);
    return copy;
}

const char *takt_settings_value(const takt_settings *settings, int index, int i,
                                char room[TAKT_NUMBER_SIZE])
{
    const setting *s = &table[index];
    if (!(settings->given >> index & 1)) return NULL;
    const char *single = value_text(s, (const char *)settings + s->offset, room);
    if (*single && i-- == 0) return single;
    takt_text_list list = {0};
    if (s->list) memcpy(&list, (const char *)settings + s->list, sizeof list);
    return i >= 0 && i < list.n_items ? list.items[i] : NULL;
}

bool takt_solver_find(const char *name, takt_solver *out)
{
    int i = find_choice(solvers, name);
    if (i >= 0) *out = (takt_solver)i;
    return i >= 0;
}

size_t takt_algorithm_of_loop(const char *item, takt_algorithm *out)
{
    const char *equals = strrchr(item, '=');
    takt_algorithm_find(equals + 1, out);
    return (size_t)(equals - item);
}
