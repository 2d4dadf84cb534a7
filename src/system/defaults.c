// SPDX-License-Identifier: MIT
// What happens where the user has chosen nothing: how steps are controlled, and where rows lie.
//
//   no step size, or a tolerance   error control: by prediction, or with a chosen algorithm by step doubling
//   a step size, no tolerance      fixed steps of that size
#include <math.h>

#include "system/builder.h"

// The most rows that nobody asked for, and how many there are if FMUs suggest none, or more.
enum { MOST_ROWS = 5000, ROWS = 500 };

// Does a connection concern steps? Without one there is no error of the coupling.
static bool is_coupled(const takt_system *system)
{
    for (int i = 0; i < system->n_connections; i++)
        if (!system->connections[i].is_initial) return true;
    return false;
}

// Are steps wanted that some other program would make?
static bool is_reproduction(const takt_settings *settings)
{
    return settings->norm == TAKT_NORM_PAPERS || settings->time_grid == TAKT_GRID_ACCUMULATED ||
           settings->overstep_end;
}

static bool wants_error_control(const takt_system *system)
{
    const takt_settings *settings = &system->settings;
    bool has_size = takt_settings_has(settings, &settings->step_size);
    if (has_size && !takt_settings_has(settings, &settings->tolerance)) return false;
    return is_coupled(system) && !is_reproduction(settings);
}

// The first component that takes only steps of equal size, or, for step doubling, cannot be rewound; NULL: none.
static const takt_component *find_obstacle(const takt_system *system, bool needs_rewind)
{
    for (int i = 0; i < system->n_components; i++) {
        const takt_component *component = &system->components[i];
        if (!component->model) continue;
        if (!component->model->can.variable_step) return component;
        if (needs_rewind && !takt_model_can_rewind(component->model)) return component;
    }
    return NULL;
}

static void report_obstacle(takt_builder *builder, const takt_component *obstacle)
{
    takt_problem_doubt(&builder->problems, obstacle->place,
                       "component '%s' %s, so the error of the coupling is not controlled: fixed "
                       "steps of %.15g s are taken; compare the results with those of a smaller "
                       "step-size",
                       obstacle->name,
                       obstacle->model->can.variable_step
                           ? "cannot be rewound (its FMU does not save its state)"
                           : "takes only steps of equal size",
                       builder->system->settings.step_size);
}

// Components with steps of their own: steps by prediction have a place for them, if all can be rewound; else steps are
// fixed.
static bool has_place_for_sizes(const takt_system *system)
{
    const takt_settings *settings = &system->settings;
    if (settings->step_sizes_of.n_items == 0) return true;
    return takt_settings_are_automatic(settings) && !find_obstacle(system, true);
}

void takt_builder_choose_control(takt_builder *builder)
{
    takt_system *system = builder->system;
    takt_settings *settings = &system->settings;
    bool is_automatic = takt_settings_are_automatic(settings);
    settings->step_control = TAKT_STEP_CONTROL_FIXED;
    if (!wants_error_control(system) || !has_place_for_sizes(system)) return;
    const takt_component *obstacle = find_obstacle(system, !is_automatic);
    if (obstacle) {
        report_obstacle(builder, obstacle);
        return;
    }
    settings->step_control = is_automatic ? TAKT_STEP_CONTROL_AUTO : TAKT_STEP_CONTROL_RICHARDSON;
    if (is_automatic) return;
    if (!takt_settings_has(settings, &settings->relative_tolerance))
        settings->relative_tolerance = settings->tolerance;
    if (!takt_settings_has(settings, &settings->absolute_tolerance))
        settings->absolute_tolerance = 0.1 * settings->tolerance;
}

// The interval that FMUs suggest for results, if it is sensible.
static double find_interval(const takt_system *system)
{
    double length = system->settings.stop_time - system->settings.start_time, least = INFINITY;
    for (int i = 0; i < system->n_models; i++) {
        const takt_model *model = system->models[i];
        if (model && model->experiment.has_step && model->experiment.step > 0)
            least = fmin(least, model->experiment.step);
    }
    bool is_sensible = least <= length / 10 && length / least <= MOST_ROWS;
    return is_sensible ? least : length / ROWS;
}

// Fixed steps whose size nobody has chosen may be very many. Then only every n-th communication point has a row.
static void limit_rows(takt_builder *builder)
{
    enum { MOST_FIXED_ROWS = 20000 };
    takt_settings *settings = &builder->system->settings;
    double n_steps = (settings->stop_time - settings->start_time) / settings->step_size;
    bool is_chosen = takt_settings_has(settings, &settings->step_size) ||
                     takt_settings_has(settings, &settings->output_interval) ||
                     takt_settings_has(settings, &settings->output_grid);
    if (is_chosen || settings->step_control != TAKT_STEP_CONTROL_FIXED ||
        !(n_steps > MOST_FIXED_ROWS) || !isfinite(n_steps))
        return;
    double n = ceil(n_steps / MOST_ROWS);
    settings->output_interval = n * settings->step_size;
    settings->output_grid = TAKT_OUTPUT_NEXT;
    takt_problem(&builder->problems, TAKT_LEVEL_WARN, (takt_place){.file = builder->project->path},
                 "there are %.0f steps of %.6g s: every %.0fth has a row in the results; "
                 "--output-interval 0 writes all of them",
                 n_steps, settings->step_size, n);
}

void takt_builder_choose_rows(takt_builder *builder)
{
    takt_settings *settings = &builder->system->settings;
    limit_rows(builder);
    bool is_automatic = settings->step_control == TAKT_STEP_CONTROL_AUTO;
    if (is_automatic && !takt_settings_has(settings, &settings->output_grid))
        settings->output_grid = TAKT_OUTPUT_INTERPOLATED;
    if (is_automatic && !takt_settings_has(settings, &settings->output_interval))
        settings->output_interval = find_interval(builder->system);
    if (!is_automatic && settings->output_grid == TAKT_OUTPUT_INTERPOLATED) {
        settings->output_grid = TAKT_OUTPUT_EXACT;
        takt_problem(
            &builder->problems, TAKT_LEVEL_WARN,
            takt_project_place_of(builder->project, &builder->project->settings.output_grid),
            "output-grid interpolated needs step-control auto without a chosen algorithm; "
            "steps end at the points of the output grid instead");
    }
}
