// SPDX-License-Identifier: MIT
// Completes the settings of the experiment from what the FMUs say, and checks that they agree.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "instance/slow.h"
#include "system/builder.h"

static takt_place place_of(const takt_builder *builder, const void *field)
{
    // `field` lies in the system's copy of the settings.
    const char *base = (const char *)&builder->system->settings;
    return takt_project_place_of(builder->project, (const char *)&builder->project->settings +
                                                       ((const char *)field - base));
}

static void complete_start_time(takt_builder *builder)
{
    takt_settings *settings = &builder->system->settings;
    int only = takt_builder_only_component(builder);
    if (takt_settings_has(settings, &settings->start_time) || only < 0) return;
    const takt_model *model = builder->system->components[only].model;
    if (model->experiment.has_start && isfinite(model->experiment.start))
        settings->start_time = model->experiment.start;
}

static void complete_output_origin(takt_builder *builder)
{
    takt_settings *settings = &builder->system->settings;
    if (!takt_settings_has(settings, &settings->output_origin))
        settings->output_origin = settings->start_time;
}

static void complete_stop_time(takt_builder *builder)
{
    takt_system *system = builder->system;
    takt_settings *settings = &system->settings;
    if (takt_settings_has(settings, &settings->stop_time)) return;
    settings->stop_time = settings->start_time;
    for (int i = 0; i < system->n_models; i++) {
        const takt_model *model = system->models[i];
        if (!model || !model->experiment.has_stop || !isfinite(model->experiment.stop)) continue;
        settings->stop_time = fmax(settings->stop_time, model->experiment.stop);
    }
    if (settings->stop_time > settings->start_time) return;
    settings->stop_time = settings->start_time + 1;
    takt_problem(&builder->problems, TAKT_LEVEL_INFO, (takt_place){builder->project->path, 0},
                 "no stop time is given: the simulation ends at %.15g s; see stop-time",
                 settings->stop_time);
}

static void complete_step_size(takt_builder *builder)
{
    takt_system *system = builder->system;
    takt_settings *settings = &system->settings;
    if (takt_settings_has(settings, &settings->step_size)) return;
    settings->step_size = INFINITY;
    for (int i = 0; i < system->n_models; i++) {
        const takt_model *model = system->models[i];
        if (!model || !model->experiment.has_step || !(model->experiment.step > 0)) continue;
        settings->step_size = fmin(settings->step_size, model->experiment.step);
    }
    builder->has_no_size = !isfinite(settings->step_size);
    if (builder->has_no_size)
        settings->step_size = (settings->stop_time - settings->start_time) / 100;
}

static void report_no_size(takt_builder *builder)
{
    takt_problem(&builder->problems, TAKT_LEVEL_INFO, (takt_place){builder->project->path, 0},
                 "no step size is given: a hundredth of the interval, %.15g s, is taken; see "
                 "step-size",
                 builder->system->settings.step_size);
}

// The smallest step that times of the experiment allow: some units in their last place.
static double resolution(const takt_settings *settings)
{
    return 16 * DBL_EPSILON * fmax(fabs(settings->start_time), fabs(settings->stop_time));
}

static void report_too_small(takt_builder *builder, const double *size, const char *name)
{
    const takt_settings *settings = &builder->system->settings;
    takt_problem(
        &builder->problems, TAKT_LEVEL_ERROR, place_of(builder, size),
        "%s %.15g s is too small: times from %.15g s to %.15g s cannot be distinguished so "
        "finely",
        name, *size, settings->start_time, settings->stop_time);
}

// How many steps of the run a component takes at once; 0: that is not possible, and was reported.
static int count_steps(takt_builder *builder, const takt_component *component, double size)
{
    const takt_settings *settings = &builder->system->settings;
    takt_place place = place_of(builder, &settings->step_sizes_of);
    double h = settings->step_size, n = round(size / h);
    if (n < 1 || n > INT32_MAX || fabs(n * h - size) > 1e-6 * h) {
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, place,
                     "step-size-of: %.15g s for component '%s' is no multiple of the step size, "
                     "%.15g s",
                     size, component->name, h);
        return 0;
    }
    if (n > 1 && component->model->can.events) {
        takt_problem(&builder->problems, TAKT_LEVEL_WARN, place,
                     "step-size-of: component '%s' has events, so that it takes the same steps as "
                     "all others",
                     component->name);
        return 0;
    }
    return (int)n;
}

// Visits all components that match a pattern, with a single look-up where it is a name; returns whether any
// does.
static bool for_matching(const takt_system *system, const char *pattern,
                         void (*visit)(void *context, int component), void *context)
{
    bool is_used = false, is_name = !strpbrk(pattern, "*?");
    int first = is_name ? takt_map_find(&system->names, pattern) : 0;
    int end = is_name ? first + 1 : system->n_components;
    for (int i = first < 0 ? end : first; i < end; i++) {
        if (!is_name && !takt_glob_matches(pattern, system->components[i].name)) continue;
        is_used = true;
        visit(context, i);
    }
    return is_used;
}

typedef struct step_sizes {
    double *of; // per component; 0: none is given
    double size; // of the present item
} step_sizes;

static void take_step_size(void *context, int component)
{
    step_sizes *sizes = context;
    sizes->of[component] = sizes->size;
}

// Components with longer steps than the others. Of the items that match a component the last counts.
static takt_status apply_step_sizes(takt_builder *builder, takt_error *err)
{
    takt_system *system = builder->system;
    const takt_text_list *list = &system->settings.step_sizes_of;
    bool is_used = false;
    if (list->n_items == 0) return TAKT_OK;
    char pattern[TAKT_PATTERN_SIZE];
    step_sizes sizes = {0};
    sizes.of = takt_arena_array(&system->arena, (size_t)system->n_components, sizeof *sizes.of);
    if (!sizes.of) return takt_fail_memory(err);
    for (int i = 0; i < list->n_items; i++)
        if (takt_step_size_read(list->items[i], pattern, &sizes.size) &&
            for_matching(system, pattern, take_step_size, &sizes))
            is_used = true;
    for (int i = 0; i < system->n_components; i++) {
        takt_component *component = &system->components[i];
        if (!component->model || sizes.of[i] == 0) continue;
        if (system->settings.step_control == TAKT_STEP_CONTROL_AUTO) {
            component->step_size = sizes.of[i];
            continue;
        }
        int n = count_steps(builder, component, sizes.of[i]);
        if (n > 1) component->model = takt_slow_model(component->model, n, &system->arena);
        if (!component->model) return takt_fail_memory(err);
    }
    if (!is_used)
        takt_problem(&builder->problems, TAKT_LEVEL_WARN, place_of(builder, list),
                     "step-size-of: '%s' matches no component", list->items[0]);
    return TAKT_OK;
}

// What `auto` stands for, and limits of adaptive steps.
static void complete_step_control(takt_builder *builder)
{
    takt_settings *settings = &builder->system->settings;
    if (settings->step_control == TAKT_STEP_CONTROL_AUTO) takt_builder_choose_control(builder);
    if (builder->has_no_size && settings->step_control != TAKT_STEP_CONTROL_AUTO)
        report_no_size(builder);
    // A loop may converge in steps of any size, and be wrong by any amount: without an error test nothing but
    // the user's step size limits them.
    bool is_tested = settings->step_control != TAKT_STEP_CONTROL_CONVERGENCE;
    if (!takt_settings_has(settings, &settings->step_max))
        settings->step_max =
            is_tested ? settings->stop_time - settings->start_time : settings->step_size;
    if (!takt_settings_has(settings, &settings->step_min))
        settings->step_min =
            fmin(fmax(1e-6 * settings->step_size, resolution(settings)), settings->step_max);
    if (!takt_settings_has(settings, &settings->step_fallback))
        settings->step_fallback = 10 * settings->step_min;
}

// The papers' counts are those of loops that are called as they are listed. The order that a project asks for belongs to
// the algorithm that it names: a user who replaces that by `auto` leaves the order to it as well.
static void complete_call_order(takt_settings *settings)
{
    if (takt_settings_are_automatic(settings) &&
        takt_settings_is_overridden(settings, &settings->algorithm) &&
        !takt_settings_is_overridden(settings, &settings->call_order))
        settings->call_order = TAKT_ORDER_AUTO;
    if (settings->call_order == TAKT_ORDER_AUTO && settings->norm == TAKT_NORM_PAPERS)
        settings->call_order = TAKT_ORDER_FLOW;
}

// Adaptive steps are repeated, and have any size.
static void check_adaptive(takt_builder *builder)
{
    const takt_system *system = builder->system;
    const takt_settings *settings = &system->settings;
    if (settings->step_control == TAKT_STEP_CONTROL_FIXED) return;
    if (settings->step_min > settings->step_max)
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, place_of(builder, &settings->step_min),
                     "step-min %.15g s is greater than step-max %.15g s", settings->step_min,
                     settings->step_max);
    if (settings->step_min < resolution(settings))
        report_too_small(builder, &settings->step_min, "step-min");
    for (int i = 0; i < system->n_components; i++) {
        const takt_component *component = &system->components[i];
        if (!component->model || settings->step_control == TAKT_STEP_CONTROL_AUTO) continue;
        if (!takt_model_can_rewind(component->model))
            takt_problem(&builder->problems, TAKT_LEVEL_ERROR,
                         place_of(builder, &settings->step_control),
                         "step-control needs to rewind all components, but component '%s' cannot "
                         "be rewound (its FMU does not save its state); fixed is possible",
                         component->name);
        if (!component->model->can.variable_step)
            takt_problem(&builder->problems, TAKT_LEVEL_ERROR,
                         place_of(builder, &settings->step_control),
                         "step-control needs steps of any size, but component '%s' takes only "
                         "steps of equal size; fixed is possible",
                         component->name);
    }
}

static bool check_interval(takt_builder *builder)
{
    const takt_settings *settings = &builder->system->settings;
    double start = settings->start_time, stop = settings->stop_time, h = settings->step_size;
    // Blames the one that was given on the command line, if any.
    bool is_start = takt_settings_is_overridden(settings, &settings->start_time) &&
                    !takt_settings_is_overridden(settings, &settings->stop_time);
    takt_place place = place_of(builder, is_start ? &settings->start_time : &settings->stop_time);
    if (!(stop > start) || !isfinite(stop - start)) {
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, place,
                     "stop-time %.15g s is not after start-time %.15g s", stop, start);
        return false;
    }
    if (settings->output_interval > 0 && settings->output_interval < resolution(settings) &&
        settings->output_grid == TAKT_OUTPUT_EXACT)
        report_too_small(builder, &settings->output_interval, "output-interval");
    if (h >= resolution(settings)) return true;
    report_too_small(builder, &settings->step_size, "step-size");
    return false;
}

// An FMU that takes only steps of one size cannot reach a stop time between two of them.
static void check_last_step(takt_builder *builder)
{
    const takt_system *system = builder->system;
    const takt_settings *settings = &system->settings;
    double n_steps = (settings->stop_time - settings->start_time) / settings->step_size;
    if (settings->overstep_end || fabs(n_steps - round(n_steps)) <= 1e-9 * fmax(1, n_steps)) return;
    for (int i = 0; i < system->n_components; i++) {
        const takt_component *component = &system->components[i];
        if (!component->model || component->model->can.variable_step) continue;
        takt_problem_doubt(
            &builder->problems, component->place,
            "component '%s' takes only steps of equal size, but the last step before "
            "the stop time %.15g s is shorter than %.15g s; choose a step-size that "
            "divides the interval, or overstep-end",
            component->name, settings->stop_time, settings->step_size);
    }
}

// Has the component events between communication points? Those of tables are known only later; a run
// reports the first that is late.
static bool has_events_within_steps(const takt_component *component)
{
    const takt_model *model = component->model;
    return model && model->can.events && model->can.variable_step &&
           !(model->version && strcmp(model->version, "table") == 0);
}

// A step cannot end at an event of one component if another takes only steps of one size.
static void check_events(takt_builder *builder)
{
    const takt_component *rigid = NULL, *restless = NULL;
    for (int i = 0; i < builder->system->n_components; i++) {
        const takt_component *component = &builder->system->components[i];
        if (!rigid && component->model && !component->model->can.variable_step) rigid = component;
        if (!restless && has_events_within_steps(component)) restless = component;
    }
    if (!rigid || !restless) return;
    takt_problem_doubt(
        &builder->problems, rigid->place,
        "component '%s' takes only steps of equal size, so events of component '%s' "
        "reach others up to a step late; compare the results with those of a smaller "
        "step-size",
        rigid->name, restless->name);
}

// Changes of algorithm name the loop in the same way. Later ones would be noticed only then.
static takt_status check_schedule(takt_builder *builder, takt_error *err)
{
    const takt_settings *settings = &builder->project->settings;
    takt_place place = takt_project_place_of(builder->project, &settings->algorithm_at);
    for (int i = 0; i < settings->algorithm_at.n_items; i++) {
        takt_algorithm_change change = {0};
        takt_algorithm_change_read(settings->algorithm_at.items[i], &change);
        if (change.algorithm == change.choice) continue; // for all loops
        const char *name = takt_arena_copy_n(&builder->system->arena, change.choice,
                                             (size_t)(change.algorithm - 1 - change.choice));
        if (!name) return takt_fail_memory(err);
        takt_builder_component(builder, name, place);
    }
    return TAKT_OK;
}

// An algorithm of its own is given to a loop by the name of a member.
static takt_status check_loop_names(takt_builder *builder, takt_error *err)
{
    const takt_settings *settings = &builder->project->settings;
    takt_place place = takt_project_place_of(builder->project, &settings->algorithm);
    for (int i = 0; i < settings->loop_algorithms.n_items; i++) {
        const char *item = settings->loop_algorithms.items[i];
        takt_algorithm algorithm;
        size_t length = takt_algorithm_of_loop(item, &algorithm);
        const char *name = takt_arena_copy_n(&builder->system->arena, item, length);
        if (!name) return takt_fail_memory(err);
        takt_builder_component(builder, name, place);
    }
    return check_schedule(builder, err);
}

static void tie(void *context, int component)
{
    ((takt_system *)context)->components[component].in_one_thread = true;
}

static void ignore(void *context, int component)
{
    (void)context, (void)component;
}

// What a list of patterns is about; one that nothing matches is reported.
static void for_patterns(takt_builder *builder, const takt_text_list *list, const char *name,
                         void (*act)(void *context, int component))
{
    takt_place place = takt_project_place_of(builder->project, list);
    for (int i = 0; i < list->n_items; i++)
        if (!for_matching(builder->system, list->items[i], act, builder->system))
            takt_problem(&builder->problems, TAKT_LEVEL_WARN, place,
                         "%s: no component matches '%s'", name, list->items[i]);
}

// Solvers of their own are given to components by name.
static takt_status check_solver_names(takt_builder *builder, takt_error *err)
{
    const takt_settings *settings = &builder->project->settings;
    const struct {
        const takt_text_list *list;
        const void *field;
    } lists[] = {{&settings->solver_of, &settings->solver},
                 {&settings->solver_tolerance_of, &settings->solver_tolerance},
                 {&settings->solver_step_of, &settings->solver_step}};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (int i = 0; i < lists[k].list->n_items; i++) {
            const char *item = lists[k].list->items[i];
            const char *name = takt_arena_copy_n(&builder->system->arena, item,
                                                 (size_t)(strrchr(item, '=') - item));
            if (!name) return takt_fail_memory(err);
            takt_builder_component(builder, name,
                                   takt_project_place_of(builder->project, lists[k].field));
        }
    return TAKT_OK;
}

takt_status takt_builder_experiment(takt_builder *builder, takt_error *err)
{
    complete_start_time(builder);
    complete_output_origin(builder);
    complete_stop_time(builder);
    complete_step_size(builder);
    complete_step_control(builder);
    takt_builder_choose_rows(builder);
    complete_call_order(&builder->system->settings);
    takt_status st = apply_step_sizes(builder, err);
    if (st) return st;
    if (check_interval(builder) &&
        builder->system->settings.step_control == TAKT_STEP_CONTROL_FIXED)
        check_last_step(builder);
    check_events(builder);
    check_adaptive(builder);
    const takt_settings *settings = &builder->project->settings;
    for_patterns(builder, &settings->one_thread, "one-thread", tie);
    for_patterns(builder, &settings->isolate, "isolate", ignore); // which make.c has done
    st = check_solver_names(builder, err);
    return st ? st : check_loop_names(builder, err);
}
