// SPDX-License-Identifier: MIT
// The trials of a system, one after the other:
//
//   1. as it is set: does it run, how long are its steps, what do its components cost
//   2. the same once more, with measurements in between, which must not disturb the first one
//   3. more exactly, for comparison: with error control and a tenth of the tolerance, or, where errors cannot
//      be controlled, with fixed steps of half the size
//
// A trial has a system of its own: the same models and connections with other settings.
#include "advise/advise.h"

#include <math.h>

#include "base/clock.h"
#include "group/group.h"

// Rewinding that is this inexact, in units of the tolerance, spoils error control.
static const double INEXACT = 0.01;

// The third trial may make this many steps per step of the first one.
enum { MORE_STEPS = 8 };

bool takt_advice_can_control(const takt_advice *advice)
{
    const takt_system *system = advice->plan->system;
    for (int i = 0; i < system->n_components; i++) {
        if (!system->components[i].model->can.variable_step) return false;
        if (advice->probe.instances[i].inexact > INEXACT * system->settings.tolerance) return false;
    }
    return true;
}

static bool is_controlled(const takt_system *system)
{
    return system->settings.step_control != TAKT_STEP_CONTROL_FIXED;
}

// ---- trials --------------------------------------------------------------------------------------------

// What the trials share.
typedef struct session {
    takt_advice *advice;
    const takt_advise_options *options;
    takt_watch *watch;
    takt_log *quiet; // takes what trials with other settings have to say
    double begin; // s, on takt_clock()
    takt_system *group; // of the first plan
    takt_plan *plan;
} session;

static void tell(const session *s, const char *what)
{
    if (s->options->tell) s->options->tell(s->options->context, what);
}

// The plan of a system, or of its groups; `*group` must outlive it.
static takt_status make_plan(const session *s, const takt_system *system, takt_system **group,
                             takt_plan **out, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (system->settings.me == TAKT_ME_CENTRAL)
        st = takt_group_system(system, s->watch, group, err);
    return st ? st : takt_plan_create_watched(*group ? *group : system, s->watch, out, err);
}

// A trial may go on until a part of the time is over.
static takt_trial_setup set_up(const session *s, const takt_plan *plan, double part)
{
    return (takt_trial_setup){.plan = plan,
                              .watch = s->watch,
                              .max_steps = s->options->max_steps,
                              .deadline = s->begin + part * s->options->max_time};
}

static takt_status run_as_set(session *s, takt_error *err)
{
    takt_advice *advice = s->advice;
    tell(s, "trial 1 of 3: with the settings as they are");
    takt_status st = make_plan(s, advice->system, &s->group, &s->plan, err);
    if (st) return st;
    advice->plan = s->plan;
    takt_trial_setup setup = set_up(s, s->plan, 0.25);
    return takt_trial_make(&setup, &advice->arena, &advice->trial, err);
}

static takt_status run_measuring(session *s, takt_error *err)
{
    takt_advice *advice = s->advice;
    takt_trial ignored;
    takt_trial_setup setup = set_up(s, s->plan, 0.5);
    setup.visit = takt_probe_visit;
    setup.context = &advice->probe;
    takt_status st = takt_probe_create(s->plan, advice->trial.h_largest, setup.deadline,
                                       &advice->arena, &advice->probe, err);
    if (st || advice->trial.n_steps == 0) return st;
    tell(s, "trial 2 of 3: with measurements");
    return takt_trial_make(&setup, &advice->arena, &ignored, err);
}

// A trial of the same system with other settings.
static takt_status run_other(session *s, const takt_settings *settings, takt_trial_setup setup,
                             takt_trial *out, takt_error *err)
{
    takt_system system = *s->advice->system, *group = NULL;
    takt_plan *plan = NULL;
    system.settings = *settings;
    system.log = s->quiet;
    takt_status st = make_plan(s, &system, &group, &plan, err);
    setup.plan = plan;
    if (!st) st = takt_trial_make(&setup, &s->advice->arena, out, err);
    takt_plan_destroy(plan);
    takt_system_destroy(group);
    return st;
}

// The more exact trial has communication points where the first one kept its values.
static takt_status add_event_times(takt_advice *advice, takt_settings *settings, takt_error *err)
{
    takt_text_list *list = &settings->event_times;
    int n = list->n_items + advice->trial.n_points;
    const char **items = takt_arena_array(&advice->arena, (size_t)n, sizeof *items);
    if (!items) return takt_fail_memory(err);
    for (int i = 0; i < list->n_items; i++) items[i] = list->items[i];
    for (int i = 0; i < advice->trial.n_points; i++) {
        char number[TAKT_NUMBER_SIZE];
        takt_number_write(number, advice->trial.times[i]);
        const char *text = takt_arena_copy(&advice->arena, number);
        if (!text) return takt_fail_memory(err);
        items[list->n_items + i] = text;
    }
    *list = (takt_text_list){items, n};
    return TAKT_OK;
}

// Settings for error control by prediction, whatever the user chose.
static void control_errors(takt_settings *settings)
{
    const takt_settings standard = takt_settings_default();
    settings->step_control = TAKT_STEP_CONTROL_AUTO;
    settings->algorithm = TAKT_ALGORITHM_AUTO;
    settings->loop_algorithms = settings->algorithm_at = settings->step_sizes_of =
        (takt_text_list){0};
    settings->norm = standard.norm;
    settings->time_grid = standard.time_grid;
    settings->overstep_end = false;
    settings->step_max = settings->stop_time - settings->start_time;
    settings->tolerance /= 10;
}

static takt_status compare_controlled(session *s, takt_trial *first, takt_error *err)
{
    takt_advice *advice = s->advice;
    takt_settings settings = advice->system->settings;
    control_errors(&settings);
    takt_status st = add_event_times(advice, &settings, err);
    takt_trial_setup setup = set_up(s, NULL, 1);
    setup.max_steps = MORE_STEPS * s->options->max_steps;
    setup.like = first;
    advice->trust.is_controlled = true;
    return st ? st : run_other(s, &settings, setup, &advice->reference, err);
}

// Where the system is set to control errors, and cannot, there is a trial with fixed steps first; without
// iterations, which would rewind.
static takt_status compare_fixed(session *s, takt_trial *first, takt_error *err)
{
    takt_advice *advice = s->advice;
    takt_settings settings = advice->system->settings;
    takt_status st = TAKT_OK;
    if (is_controlled(advice->system)) {
        control_errors(&settings);
        settings.tolerance = advice->system->settings.tolerance;
        settings.step_control = TAKT_STEP_CONTROL_FIXED;
        settings.algorithm = TAKT_ALGORITHM_SEIDEL;
        st = run_other(s, &settings, set_up(s, NULL, 0.7), first, err);
    }
    advice->trust.step_size = settings.step_size;
    settings.step_size /= 2;
    takt_trial_setup setup = set_up(s, NULL, 1);
    setup.max_steps = 2 * s->options->max_steps;
    setup.like = first;
    return st ? st : run_other(s, &settings, setup, &advice->reference, err);
}

static takt_status run_exactly(session *s, takt_error *err)
{
    takt_advice *advice = s->advice;
    takt_trust *trust = &advice->trust;
    takt_trial first = advice->trial;
    int i_value;
    if (first.n_points == 0 || first.n_values == 0) return TAKT_OK;
    tell(s, "trial 3 of 3: more exactly, for comparison");
    takt_status st = takt_advice_can_control(advice) ? compare_controlled(s, &first, err)
                                                     : compare_fixed(s, &first, err);
    if (st) return st;
    if (!is_controlled(advice->system)) trust->step_size = advice->system->settings.step_size;
    trust->difference = takt_trial_compare(&first, &advice->reference, &i_value, &trust->time);
    trust->is_known = i_value >= 0;
    if (!trust->is_known) return TAKT_OK;
    trust->variable = takt_trial_name(advice->plan, i_value, &advice->arena, NULL);
    return trust->variable ? TAKT_OK : takt_fail_memory(err);
}

// ---- advice --------------------------------------------------------------------------------------------

static void ignore(void *context, const takt_message *message)
{
    (void)context, (void)message;
}

// The plan stays until nobody asks for names any more.
static takt_status run_trials(session *s, takt_error *err)
{
    const takt_system *system = s->advice->system;
    s->quiet = takt_log_create(TAKT_LEVEL_ERROR, ignore, NULL);
    if (!s->quiet) return takt_fail_memory(err);
    const takt_watch_options watch = {.on_end = s->options->on_timeout,
                                      .context = s->options->context};
    takt_status st =
        takt_watch_create(system->settings.timeout, system->log, &watch, &s->watch, err);
    if (!st) st = run_as_set(s, err);
    if (!st) st = run_measuring(s, err);
    if (!st) st = run_exactly(s, err);
    if (!st) takt_advice_judge(s->advice);
    if (!st && s->advice->has_failed) st = takt_fail_memory(err);
    takt_watch_destroy(s->watch);
    takt_log_destroy(s->quiet);
    return st;
}

takt_status takt_advice_make(takt_advice *out, const takt_advise_options *options, takt_error *err)
{
    session s = {.advice = out, .options = options, .begin = takt_clock()};
    takt_status st = run_trials(&s, err);
    out->own_plan = s.plan;
    out->own_system = s.group;
    return st;
}

void takt_advice_clear(takt_advice *advice)
{
    takt_plan_destroy(advice->own_plan);
    takt_system_destroy(advice->own_system);
    takt_arena_clear(&advice->arena);
}
