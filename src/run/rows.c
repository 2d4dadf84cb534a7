// SPDX-License-Identifier: MIT
// Rows lie on the output grid, start + n * interval. Steps are shortened to end there, if all instances
// take steps of any size. Otherwise, or if the user wants so, the first communication point at or after
// each point of the grid gets the row. Events that change something that is recorded give two rows
// wherever they are.
#include "run/rows.h"

#include <math.h>

#include "base/clock.h"
#include "run/calls.h"
#include "run/events.h"

// Are rows wanted exactly on the output grid? Times that add up do what older programs did, unless
// they are asked for more.
static bool is_exact(const takt_settings *settings)
{
    if (settings->output_interval <= 0 || settings->output_grid == TAKT_OUTPUT_NEXT) return false;
    return settings->time_grid == TAKT_GRID_EXACT ||
           settings->step_control != TAKT_STEP_CONTROL_FIXED ||
           takt_settings_has(settings, &settings->output_grid);
}

static void tell_rigid(takt_run *run, const takt_component *rigid, bool has_grid, bool has_events)
{
    takt_log_write(run->log, TAKT_LEVEL_INFO,
                   "component '%s' takes only steps of equal size, so that %s at the next "
                   "communication point",
                   rigid->name,
                   !has_grid     ? "events are handled"
                   : !has_events ? "rows of the output grid are written"
                                 : "events are handled, and rows of the output grid written,");
}

// Has the instance values that are needed for results only?
static bool is_recorded(const takt_plan_instance *plan)
{
    return plan->recorded.n_groups || plan->constants.n_groups || plan->n_copies;
}

takt_status takt_rows_prepare(takt_run *run, takt_error *err)
{
    const takt_system *system = run->plan->system;
    const takt_settings *settings = &system->settings;
    bool has_events = false;
    run->has_output_grid = settings->output_interval > 0;
    const takt_component *rigid = NULL; // takes only equal steps
    for (int i = 0; i < system->n_components; i++) {
        const takt_component *component = &system->components[i];
        has_events |= component->model->can.events;
        if (!rigid && !component->model->can.variable_step) rigid = component;
    }
    run->takes_any_step = !rigid;
    run->recorded =
        takt_arena_array(&run->arena, (size_t)system->n_components, sizeof *run->recorded);
    if (!run->recorded) return takt_fail_memory(err);
    for (int i = 0; i < system->n_components; i++)
        if (is_recorded(&run->plan->instances[i])) run->recorded[run->n_recorded++] = i;
    run->ends_steps_at_rows = !rigid && is_exact(settings);
    if (rigid && (is_exact(settings) || has_events))
        tell_rigid(run, rigid, is_exact(settings), has_events);
    if (run->ends_steps_at_rows && settings->output_interval < settings->step_size * (1 - 1e-9))
        takt_log_write(run->log, TAKT_LEVEL_INFO,
                       "rows every %.15g s need more steps than the step size of %.15g s; "
                       "--output-grid next keeps its steps",
                       settings->output_interval, settings->step_size);
    if (!run->has_output_grid || takt_values_init(&run->before_events, run->plan->n_outputs))
        return TAKT_OK;
    return takt_fail_memory(err);
}

double takt_run_next_stop(const takt_run *run, bool *is_event)
{
    double interval = run->plan->system->settings.output_interval;
    double event = run->takes_any_step ? run->next_event : INFINITY, row = INFINITY;
    if (run->ends_steps_at_rows) row = run->grid.start + (double)run->next_row * interval;
    *is_event = event <= row;
    return fmin(event, row);
}

// Numbers of rows are counted exactly up to here.
static const double MAX_ROWS = 9e15;

static bool is_due(takt_run *run)
{
    double interval = run->plan->system->settings.output_interval;
    if (!run->has_output_grid || run->progress != TAKT_RUNNING) return true;
    const takt_grid *grid = &run->grid;
    double due = grid->start + (double)run->next_row * interval;
    if (grid->time < due && !takt_grid_is_at(grid, due)) return false;
    double n_passed = floor((grid->time - grid->start) / interval + 1e-9);
    if (n_passed > MAX_ROWS) return true; // so fine a grid that every point has its row
    run->next_row = (n_passed > (double)run->next_row ? (int64_t)n_passed : run->next_row) + 1;
    return true;
}

static takt_status read_recorded(takt_run *run, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->n_recorded && !st; i++)
        st = takt_run_get_recorded(run, run->recorded[i], run->grid.time, err);
    return st;
}

static takt_status pass_on(takt_run *run, const takt_values *y, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->n_observers && !st; i++)
        st = run->observers[i]->type->row(run->observers[i], run->grid.time, y, err);
    if (st) return st;
    run->n_rows++;
    run->last_row = run->grid.time;
    return TAKT_OK;
}

static takt_status write_row(takt_run *run, takt_error *err)
{
    if (run->n_observers == 0) return pass_on(run, &run->y, err);
    uint64_t begin = takt_ticks();
    takt_status st = read_recorded(run, err);
    if (!st) st = pass_on(run, &run->y, err);
    run->output_ticks += takt_ticks() - begin;
    takt_run_trace(run, TAKT_ACTIVITY_OUTPUT, run->grid.time, begin);
    return st;
}

takt_status takt_rows_find_due(takt_run *run, takt_error *err)
{
    return is_due(run) ? write_row(run, err) : TAKT_OK;
}

// Does a column have another value than before the events?
static bool has_changed(const takt_run *run)
{
    const takt_values *a = &run->before_events, *b = &run->y;
    for (int i = 0; i < run->plan->n_columns; i++) {
        takt_slot at = run->plan->columns[i].slot;
        bool is_same = at.kind == TAKT_KIND_REAL ? a->real[at.index] == b->real[at.index]
                       : at.kind == TAKT_KIND_INTEGER
                           ? a->integer[at.index] == b->integer[at.index]
                           : takt_bytes_equal(&a->bytes[at.index], &b->bytes[at.index]);
        if (!is_same) return true;
    }
    return false;
}

// Between the points of the output grid: two rows, but only if something changed.
static takt_status write_changes(takt_run *run, takt_error *err)
{
    uint64_t begin = takt_ticks();
    takt_status st = read_recorded(run, err);
    if (!st && !takt_values_copy(&run->y, &run->before_events, run->plan->n_outputs))
        st = takt_fail_memory(err);
    uint64_t between = takt_ticks();
    if (!st) st = takt_run_handle_events(run, false, err);
    uint64_t handled = takt_ticks();
    if (!st) st = read_recorded(run, err);
    if (!st && has_changed(run)) {
        st = pass_on(run, &run->before_events, err);
        if (!st) st = pass_on(run, &run->y, err);
    }
    run->output_ticks += takt_ticks() - handled + between - begin;
    return st;
}

takt_status takt_rows_write_events(takt_run *run, takt_error *err)
{
    if (!is_due(run)) return write_changes(run, err);
    takt_status st = write_row(run, err);
    if (!st) st = takt_run_handle_events(run, false, err);
    return st ? st : write_row(run, err);
}
