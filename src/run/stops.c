// SPDX-License-Identifier: MIT
// Known times as communication points; see stops.h.
//
// With adaptive steps every knot counts: the error test judges a step by its ends and its middle, and would not
// see what lies between. With fixed steps the user has chosen how much work a run is. Knots off the grid add
// steps, which is right for a table with a few of them. If they are more than the run has steps, the table is
// followed less closely, by as few of them as a line needs that differs from it by up to 1 % of its values. If
// these are still too many, it is sampled data, and the step size is the rate at which it is to be sampled: then
// its knots are left out, with a warning, as something is lost between two communication points.
#include "run/stops.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "run/control.h"

// So many knots are no burden, however few steps there are.
enum { MIN_KNOTS = 100 };

// By how much of its values a table may differ from what fixed steps see of it.
static const double COARSEST = 0.01;

struct takt_stops {
    double *times; // s; ascending
    int n;
    int next; // the first that was ahead at the latest question; it saves the search
};

// Knots of one instance.
typedef struct knots {
    const double *times;
    int n;
} knots;

// ---- finding ---------------------------------------------------------------------------------------

static bool is_inside(const takt_run *run, double t)
{
    return t > run->state.grid.start && t < run->state.grid.stop;
}

// Those between the points of the grid, and the first of them.
static int count_off_grid(const takt_run *run, const knots *found, double *first)
{
    int n = 0;
    for (int i = 0; i < found->n; i++) {
        double t = found->times[i];
        if (!is_inside(run, t) || takt_grid_has_point(&run->state.grid, t)) continue;
        if (n++ == 0) *first = t;
    }
    return n;
}

static void report_rigid(const takt_run *run, const char *what, const char *name, double t)
{
    takt_log_doubt(run->log, NULL, 0,
                   "%s%s%sno step ends at t=%.15g s, as component '%s' takes only steps of equal "
                   "size; choose a step-size of which such times are multiples",
                   what, name, *what ? ", " : "", t, run->work.rigid->name);
}

static takt_status find_knots(takt_run *run, int i_instance, double relative, knots *out,
                              takt_error *err)
{
    takt_instance *instance = run->work.instances[i_instance].instance;
    const takt_access *outputs = &run->plan->instances[i_instance].outputs;
    takt_status st =
        instance->type->find_knots(instance, outputs, relative, &out->times, &out->n, err);
    return st ? takt_within(err, st, "instance '%s'", instance->name) : TAKT_OK;
}

static void report_sampled(const takt_run *run, const char *name, int n)
{
    takt_log_doubt(run->log, NULL, 0,
                   "table %s has %d knots between communication points, more than there are steps: "
                   "it is only sampled, and what it does in between is lost; choose a smaller "
                   "step-size or an adaptive step-control, or set its parameter 'events' to false "
                   "if this is meant",
                   name, n);
}

// Finds the knots at which fixed steps end: those of the closest line that has no more of them than there are
// steps.
static takt_status find_few_knots(takt_run *run, int i_instance, knots *out, takt_error *err)
{
    const char *name = run->work.instances[i_instance].instance->name;
    double first = NAN, exact = run->plan->system->settings.relative_tolerance, relative = exact;
    takt_status st = find_knots(run, i_instance, relative, out, err);
    int n = st ? 0 : count_off_grid(run, out, &first);
    while (!st && n > MIN_KNOTS && n > run->state.grid.n_steps && relative < COARSEST) {
        relative = fmin(10 * relative, COARSEST);
        st = find_knots(run, i_instance, relative, out, err);
        n = st ? 0 : count_off_grid(run, out, &first);
    }
    if (n > MIN_KNOTS && n > run->state.grid.n_steps) {
        report_sampled(run, name, n);
        out->n = 0;
    } else if (!st && relative > exact) {
        takt_log_write(run->log, TAKT_LEVEL_INFO,
                       "table %s has more knots than there are steps; steps end at those that "
                       "follow it to %.3g of its values",
                       name, relative);
    }
    return st;
}

// Steps of equal size end at no knot.
static takt_status find_no_knots(takt_run *run, int i_instance, knots *out, takt_error *err)
{
    double first = NAN;
    takt_status st = find_knots(run, i_instance, COARSEST, out, err);
    if (!st && count_off_grid(run, out, &first) > 0)
        report_rigid(run, "knots of table ", run->work.instances[i_instance].instance->name, first);
    out->n = 0;
    return st;
}

static takt_status find_wanted(takt_run *run, int i_instance, knots *out, takt_error *err)
{
    *out = (knots){0};
    if (!run->work.instances[i_instance].instance->type->find_knots) return TAKT_OK;
    if (run->work.rigid) return find_no_knots(run, i_instance, out, err);
    if (run->control->type->is_fixed) return find_few_knots(run, i_instance, out, err);
    double relative = run->plan->system->settings.relative_tolerance;
    return find_knots(run, i_instance, relative, out, err);
}

// ---- collecting ------------------------------------------------------------------------------------

static void add(const takt_run *run, struct takt_stops *stops, double t)
{
    if (is_inside(run, t)) stops->times[stops->n++] = t;
}

static void add_listed(const takt_run *run, struct takt_stops *stops)
{
    const takt_text_list *list = &run->plan->system->settings.event_times;
    for (int i = 0; i < list->n_items; i++) {
        double t;
        if (!takt_number_read_duration(list->items[i], &t)) continue; // settings are checked
        bool is_missed = run->work.rigid && is_inside(run, t);
        if (is_missed && !takt_grid_has_point(&run->state.grid, t))
            report_rigid(run, "setting event-time", "", t);
        add(run, stops, t);
    }
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static takt_status collect(takt_run *run, const knots *found, takt_error *err)
{
    size_t n = (size_t)run->plan->system->settings.event_times.n_items;
    for (int i = 0; i < run->work.n_instances; i++) n += (size_t)found[i].n;
    if (n == 0) return TAKT_OK;
    struct takt_stops *stops = takt_arena_alloc(&run->arena, sizeof *stops);
    if (!stops) return takt_fail_memory(err);
    stops->times = takt_arena_array(&run->arena, n, sizeof *stops->times);
    if (!stops->times) return takt_fail_memory(err);
    for (int i = 0; i < run->work.n_instances; i++)
        for (int k = 0; k < found[i].n; k++) add(run, stops, found[i].times[k]);
    add_listed(run, stops);
    qsort(stops->times, (size_t)stops->n, sizeof *stops->times, compare);
    if (stops->n > 0 && !run->work.rigid) run->stops = stops;
    return TAKT_OK;
}

takt_status takt_stops_create(takt_run *run, takt_error *err)
{
    size_t n = (size_t)run->work.n_instances;
    knots *found = takt_arena_array(&run->arena, n, sizeof *found);
    if (!found) return takt_fail_memory(err);
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->work.n_instances && !st; i++) st = find_wanted(run, i, &found[i], err);
    return st ? st : collect(run, found, err);
}

// ---- during the run --------------------------------------------------------------------------------

// Time goes on in small steps, unless a snapshot is restored.
double takt_stops_next(const takt_run *run)
{
    struct takt_stops *stops = run->stops;
    const takt_grid *grid = &run->state.grid;
    const double *times = stops->times;
    int i = stops->next;
    while (i > 0 && times[i - 1] > grid->time) i--;
    while (i < stops->n && (times[i] <= grid->time || takt_grid_is_at(grid, times[i]))) i++;
    stops->next = i;
    return i < stops->n ? times[i] : INFINITY;
}
