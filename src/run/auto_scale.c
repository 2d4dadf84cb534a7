// SPDX-License-Identifier: MIT
// The scales of steps by prediction (auto.h): those of scale.h, but no smaller than noise, and where no nominal value is
// declared no smaller than a part of what lies around.
//
// What lies around an instance is the largest scale of all that it reads and delivers. As scales only grow, a step
// looks at those that have grown since the last one, and at what is near to them.
#include <string.h>

#include "run/auto.h"
#include "run/scale.h"

// The least scale of a value for which no nominal value is declared: this part of the largest value that the same
// instance reads or delivers, and of 1, which FMI assumes. A difference of large values that is nearly zero need not be
// right in all its digits, but all that is small around it must be.
static const double FLOOR = 0.01;

// Where each real value is read: the instances, by value.
static bool find_readers(takt_auto *own, int n_values)
{
    const takt_plan *plan = own->run->plan;
    takt_auto_scales *all = &own->scales;
    int n = own->run->work.n_instances, *first;
    const int *sources = plan->sources[TAKT_KIND_REAL];
    first = takt_arena_array(&own->run->arena, (size_t)n_values + 2, sizeof *first);
    if (!first) return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < plan->instances[i].inputs.n_values[TAKT_KIND_REAL]; k++)
            first[sources[plan->instances[i].first_input[TAKT_KIND_REAL] + k] + 2]++;
    for (int v = 2; v < n_values + 2; v++) first[v] += first[v - 1];
    all->readers = takt_arena_array(&own->run->arena, (size_t)first[n_values + 1], sizeof(int));
    if (!all->readers) return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < plan->instances[i].inputs.n_values[TAKT_KIND_REAL]; k++)
            all->readers[first[sources[plan->instances[i].first_input[TAKT_KIND_REAL] + k] + 1]++] =
                i;
    all->first_reader = first;
    return true;
}

bool takt_auto_scales_create(takt_auto *own, int n_values)
{
    return find_readers(own, n_values);
}

// An instance reads or delivers a value of this scale.
static void surround(takt_auto *own, int i_instance, double scale)
{
    const takt_couple *couple = &own->couple;
    const double *nominal = own->run->scale->nominal;
    if (i_instance < 0 || scale <= own->scales.largest[i_instance]) return;
    own->scales.largest[i_instance] = scale;
    double least = FLOOR * (scale < 1 ? scale : 1);
    for (int k = couple->first_tested[i_instance]; k < couple->first_tested[i_instance + 1]; k++)
        if (!(nominal[couple->tested[k]] > 0)) own->scales.least[couple->tested[k]] = least;
}

static void note_growth(takt_auto *own, int value, double scale)
{
    takt_auto_scales *all = &own->scales;
    bool is_small = all->noted[value] < 1; // beyond 1 it makes no difference to what is around
    all->noted[value] = scale;
    if (!is_small) return;
    surround(own, own->owners[value], scale);
    for (int r = all->first_reader[value]; r < all->first_reader[value + 1]; r++)
        surround(own, all->readers[r], scale);
}

static void find_scales(const takt_range *range, const double *restrict seen,
                        const double *restrict floors, const double *restrict least,
                        double *restrict scale)
{
    for (int i = range->first; i < range->end; i++) {
        double floor = least[i] > floors[i] ? least[i] : floors[i];
        scale[i] = floor > seen[i] ? floor : seen[i];
    }
}

void takt_auto_note_scales(takt_auto *own)
{
    const double *seen = own->run->scale->seen;
    takt_scale_note(own->run);
    for (int v = 0; v < own->n_delivered; v++)
        if (seen[v] > own->scales.noted[v]) note_growth(own, v, seen[v]);
    for (int r = 0; r < own->all_tested.n; r++)
        find_scales(&own->all_tested.of[r], seen, own->floors, own->scales.least, own->scale);
}
