// SPDX-License-Identifier: MIT
// Rows lie on the output grid, origin + n * interval; the start has one anyway. Steps are shortened to end there, if all instances
// take steps of any size. Otherwise, or if the user wants so, the first communication point at or after
// each point of the grid gets the row. Events that change something that is recorded give two rows
// wherever they are.
#include "run/rows.h"

#include <math.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "run/calls.h"
#include "run/control.h"
#include "run/events.h"
#include "run/stops.h"

struct takt_rows {
    int *recorded; // instances that have values which are needed for results only
    int n_recorded;
    bool has_reported_late; // that an event is late; once is enough
    takt_points points; // of the output grid
    takt_values before_events; // y; for rows between the points of the output grid
};

// Are rows wanted exactly on the output grid? Times that add up do what older programs did, unless
// they are asked for more.
static bool is_exact(const takt_run *run)
{
    const takt_settings *settings = &run->plan->system->settings;
    if (settings->output_interval <= 0 || settings->output_grid != TAKT_OUTPUT_EXACT) return false;
    return settings->time_grid == TAKT_GRID_EXACT || takt_control_reduces_steps(run) ||
           takt_settings_has(settings, &settings->output_grid);
}

// Do rows of the output grid lie between communication points that cannot be moved?
static bool misses_rows(const takt_settings *settings)
{
    double n = settings->output_interval / settings->step_size;
    return fabs(n - round(n)) > 1e-9 * fmax(1, n);
}

static void report_rigid(takt_run *run, const takt_component *rigid)
{
    bool matters = misses_rows(&run->plan->system->settings);
    takt_log_write(run->log, matters ? TAKT_LEVEL_WARN : TAKT_LEVEL_INFO,
                   "component '%s' takes only steps of equal size, so that rows of the output grid "
                   "are written at the next communication point%s",
                   rigid->name,
                   matters ? "; choose an output-interval that is a multiple of step-size" : "");
}

// Has the instance values that are needed for results only?
static bool is_recorded(const takt_plan_instance *plan)
{
    return plan->recorded.n_batches || plan->constants.n_batches || plan->n_copies || plan->n_shown;
}

// Steps end at the points of the output grid, unless a component takes only equal steps.
static void choose_ends(takt_run *run)
{
    const takt_system *system = run->plan->system;
    const takt_settings *settings = &system->settings;
    const takt_component *rigid = NULL;
    bool wants_exact = is_exact(run);
    for (int i = 0; i < system->n_components; i++) {
        const takt_component *component = &system->components[i];
        if (!rigid && !component->model->can.variable_step) rigid = component;
    }
    run->work.rigid = rigid;
    run->work.ends_steps_at_rows = !rigid && wants_exact;
    if (rigid && wants_exact) report_rigid(run, rigid);
    if (run->work.ends_steps_at_rows &&
        settings->output_interval < settings->step_size * (1 - 1e-9))
        takt_log_write(run->log, TAKT_LEVEL_INFO,
                       "rows every %.15g s need more steps than the step size of %.15g s; "
                       "--output-grid next keeps its steps",
                       settings->output_interval, settings->step_size);
}

takt_status takt_rows_create(takt_run *run, takt_error *err)
{
    int n = run->work.n_instances;
    struct takt_rows *rows = takt_arena_alloc(&run->arena, sizeof *rows);
    if (!rows) return takt_fail_memory(err);
    rows->recorded = takt_arena_array(&run->arena, (size_t)n, sizeof *rows->recorded);
    if (!rows->recorded) return takt_fail_memory(err);
    for (int i = 0; i < n; i++)
        if (is_recorded(&run->plan->instances[i])) rows->recorded[rows->n_recorded++] = i;
    choose_ends(run);
    const takt_settings *settings = &run->plan->system->settings;
    rows->points = takt_points_make(settings->output_origin, settings->output_interval);
    run->work.has_output_grid = settings->output_interval > 0;
    run->rows = rows;
    if (!run->work.has_output_grid || takt_values_init(&rows->before_events, run->plan->n_outputs))
        return TAKT_OK;
    return takt_fail_memory(err);
}

void takt_rows_destroy(takt_run *run)
{
    if (run->rows) takt_values_clear(&run->rows->before_events, run->plan->n_outputs);
}

// The next point of the output grid.
static double next_point(const takt_run *run)
{
    return takt_points_at(&run->rows->points, (double)run->state.rows.next);
}

// An event between communication points that cannot be moved is handled late.
static void report_late_event(const takt_run *run)
{
    const takt_grid *grid = &run->state.grid;
    double event = run->state.next_event, next = takt_grid_next(grid);
    if (event >= next || takt_grid_has_equal(grid, event, next) || takt_grid_is_at(grid, event))
        return;
    run->rows->has_reported_late = true;
    takt_log_doubt(run->log, NULL, 0,
                   "the event at t=%.15g s is handled at t=%.15g s, as component '%s' takes only "
                   "steps of equal size; choose a step-size of which the times of events are "
                   "multiples, or compare with a smaller one (later events are not reported)",
                   event, next, run->work.rigid->name);
}

// A known time. With fixed steps the next point of the grid keeps its own time where both are the same.
static double next_known(const takt_run *run)
{
    double stop = run->work.rigid ? INFINITY : run->work.wanted_stop;
    if (run->stops) stop = fmin(stop, takt_stops_next(run));
    if (stop <= run->state.grid.time) return INFINITY;
    bool is_on_grid = run->control->type->is_fixed && stop < INFINITY &&
                      takt_grid_has_equal(&run->state.grid, stop, takt_grid_next(&run->state.grid));
    return is_on_grid ? INFINITY : stop;
}

double takt_run_next_stop(const takt_run *run, bool *is_event)
{
    bool is_rigid = run->work.rigid != NULL;
    double event = is_rigid ? INFINITY : run->state.next_event, row = INFINITY;
    if (is_rigid && !run->rows->has_reported_late && isfinite(run->state.next_event))
        report_late_event(run);
    if (run->work.ends_steps_at_rows) row = next_point(run);
    double other = fmin(row, next_known(run));
    *is_event = event <= other;
    return fmin(event, other);
}

double takt_run_next_meeting(const takt_run *run)
{
    return fmin(run->state.next_event, next_known(run));
}

// Numbers of rows are counted exactly up to here.
static const double MAX_ROWS = 9e15;

// Is a row due now? Then the next point of the output grid is the one after it.
bool takt_rows_take_turn(takt_run *run)
{
    const takt_settings *settings = &run->plan->system->settings;
    takt_row_state *rows = &run->state.rows;
    const takt_grid *grid = &run->state.grid;
    if (!run->work.has_output_grid || run->state.progress != TAKT_RUNNING) return true;
    double due = next_point(run);
    if (rows->is_begun && grid->time < due && !takt_grid_is_at(grid, due)) return false;
    double n_passed =
        floor((grid->time - settings->output_origin) / settings->output_interval + 1e-9);
    if (fabs(n_passed) > MAX_ROWS) return true; // so fine a grid that every point has its row
    if (!rows->is_begun || n_passed > (double)rows->next) rows->next = (int64_t)n_passed;
    rows->next++;
    if (!rows->is_begun && takt_grid_is_at(grid, next_point(run))) rows->next++; // rounding
    return true;
}

const int *takt_rows_recorded(const takt_run *run, int *n)
{
    *n = run->rows->n_recorded;
    return run->rows->recorded;
}

takt_status takt_rows_read_recorded(takt_run *run, double t, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->rows->n_recorded && !st; i++)
        st = takt_run_get_recorded(run, run->rows->recorded[i], t, err);
    return st;
}

static takt_status read_recorded(takt_run *run, takt_error *err)
{
    return takt_rows_read_recorded(run, run->state.grid.time, err);
}

static takt_status pass_on_at(takt_run *run, double t, const takt_values *y, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->n_observers && !st; i++)
        st = run->observers[i]->type->row(run->observers[i], t, y, err);
    if (!st) takt_rows_count(run, t);
    return st;
}

static takt_status pass_on(takt_run *run, const takt_values *y, takt_error *err)
{
    return pass_on_at(run, run->state.grid.time, y, err);
}

bool takt_rows_find_before(const takt_run *run, double t, double *out)
{
    *out = next_point(run);
    return *out < t && !takt_grid_has_equal(&run->state.grid, *out, t) &&
           run->state.rows.next < (int64_t)MAX_ROWS;
}

takt_status takt_rows_write_between(takt_run *run, double t, const takt_values *values,
                                    takt_error *err)
{
    uint64_t begin = takt_ticks();
    takt_status st = pass_on_at(run, t, values, err);
    run->state.rows.next++;
    run->counts.output_ticks += takt_ticks() - begin;
    return st;
}

takt_status takt_rows_write_at(takt_run *run, double t, const takt_values *values, takt_error *err)
{
    uint64_t begin = takt_ticks();
    takt_status st = pass_on_at(run, t, values, err);
    run->counts.output_ticks += takt_ticks() - begin;
    return st;
}

TAKT_APART static takt_status write_any_row(takt_run *run, takt_error *err)
{
    if (run->n_observers == 0) return pass_on(run, &run->state.y, err);
    uint64_t begin = takt_ticks();
    takt_status st = read_recorded(run, err);
    if (!st) st = pass_on(run, &run->state.y, err);
    run->counts.output_ticks += takt_ticks() - begin;
    takt_run_trace(run, TAKT_ACTIVITY_OUTPUT, run->state.grid.time, begin);
    return st;
}

static bool wants_first_row(const takt_observer *observer)
{
    return !observer->has_past && observer->type->row;
}

static takt_status write_first(takt_run *run, takt_error *err)
{
    takt_status st = read_recorded(run, err);
    for (int i = 0; i < run->n_observers && !st; i++)
        if (wants_first_row(run->observers[i]))
            st = run->observers[i]->type->row(run->observers[i], run->state.grid.time,
                                              &run->state.y, err);
    return st;
}

// What has been recorded at the checkpoint may be older than what is read now (inputs move within a step), and rows are drawn from it.
takt_status takt_rows_write_first(takt_run *run, bool has_changed, takt_error *err)
{
    const int *n = run->plan->n_outputs;
    bool is_wanted = has_changed && run->n_observers > 0;
    for (int i = 0; i < run->n_observers; i++)
        is_wanted = is_wanted || wants_first_row(run->observers[i]);
    if (!is_wanted) return TAKT_OK;
    if (has_changed) return write_first(run, err);
    takt_values kept = {0};
    bool has_memory = takt_values_init(&kept, n) && takt_values_copy(&run->state.y, &kept, n);
    takt_status st = has_memory ? write_first(run, err) : takt_fail_memory(err);
    if (!st && !takt_values_copy(&kept, &run->state.y, n)) st = takt_fail_memory(err);
    takt_values_clear(&kept, n);
    return st;
}

// Most often there is one observer, and nothing must be read for it.
takt_status takt_rows_write(takt_run *run, takt_error *err)
{
    if (run->n_observers != 1 || run->rows->n_recorded || run->tracer)
        return write_any_row(run, err);
    takt_observer *observer = run->observers[0];
    uint64_t begin = takt_ticks();
    takt_status st = observer->type->row(observer, run->state.grid.time, &run->state.y, err);
    if (!st) takt_rows_count(run, run->state.grid.time);
    run->counts.output_ticks += takt_ticks() - begin;
    return st;
}

takt_status takt_rows_find_due(takt_run *run, takt_error *err)
{
    return takt_rows_take_turn(run) ? takt_rows_write(run, err) : TAKT_OK;
}

// Does a column have another value than before the events?
static bool has_changed(const takt_run *run)
{
    const takt_values *a = &run->rows->before_events, *b = &run->state.y;
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
    if (!st && !takt_values_copy(&run->state.y, &run->rows->before_events, run->plan->n_outputs))
        st = takt_fail_memory(err);
    uint64_t between = takt_ticks();
    if (!st) st = takt_run_handle_events(run, false, err);
    uint64_t handled = takt_ticks();
    if (!st) st = read_recorded(run, err);
    if (!st && has_changed(run)) {
        st = pass_on(run, &run->rows->before_events, err);
        if (!st) st = pass_on(run, &run->state.y, err);
    }
    run->counts.output_ticks += takt_ticks() - handled + between - begin;
    return st;
}

takt_status takt_rows_keep_before(takt_run *run, takt_error *err)
{
    if (!run->n_observers || !run->work.has_output_grid) return TAKT_OK;
    takt_status st = read_recorded(run, err);
    if (!st && !takt_values_copy(&run->state.y, &run->rows->before_events, run->plan->n_outputs))
        st = takt_fail_memory(err);
    return st;
}

takt_status takt_rows_write_after(takt_run *run, takt_error *err)
{
    if (!run->n_observers) return TAKT_OK;
    takt_status st = read_recorded(run, err);
    bool has_grid = run->work.has_output_grid;
    if (st || (has_grid && !has_changed(run))) return st;
    bool has_row = run->state.rows.is_begun && run->state.rows.time == run->state.grid.time;
    if (has_grid && !has_row) st = pass_on(run, &run->rows->before_events, err);
    return st ? st : pass_on(run, &run->state.y, err);
}

takt_status takt_rows_write_events(takt_run *run, takt_error *err)
{
    if (!takt_rows_take_turn(run)) return write_changes(run, err);
    takt_status st = takt_rows_write(run, err);
    if (!st) st = takt_run_handle_events(run, false, err);
    return st ? st : takt_rows_write(run, err);
}
