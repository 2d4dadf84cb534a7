// SPDX-License-Identifier: MIT
// Pacing with real time; see takt/pacing.h. The due time of every communication point follows from the beginning alone, so that
// neither rounding nor a late point shifts later ones. Sleeping is left to the system until shortly before; there is no busy waiting.
#include "run/pace.h"

#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "base/sized.h"

// What the system's scheduler may need, s.
static const double PUNCTUAL = 1e-3;

struct takt_pace {
    double factor;
    double begin_clock, begin_time; // s, real and simulated
    double last_time; // s, simulated: of the latest point that was counted
    takt_pace_statistics counts;
    double sum; // s, of lateness
};

takt_status takt_run_set_pace(takt_run *run, double factor, takt_error *err)
{
    if (!run) return takt_fail_missing(err, __func__, "run");
    if (!(factor > 0) || !isfinite(factor))
        return takt_fail(err, TAKT_ERR_USAGE, "the pace of a run must be a number greater than 0");
    if (!run->pace) run->pace = takt_arena_alloc(&run->arena, sizeof *run->pace);
    if (!run->pace) return takt_fail_memory(err);
    double now = takt_run_time(run);
    *run->pace = (struct takt_pace){.factor = factor,
                                    .begin_clock = takt_clock(),
                                    .begin_time = now,
                                    .last_time = now,
                                    .counts = {.factor = factor}};
    return TAKT_OK;
}

static void rest(double seconds)
{
    double whole = floor(seconds);
    struct timespec time = {(time_t)whole, (long)(1e9 * (seconds - whole))};
    nanosleep(&time, NULL); // a signal ends it early
}

// The present point is reached, `late` seconds behind its time.
static void count(struct takt_pace *pace, double t, double late)
{
    takt_pace_statistics *counts = &pace->counts;
    if (t == pace->last_time) return;
    pace->last_time = t;
    late = fmax(0, late);
    counts->points++;
    counts->late += late > PUNCTUAL;
    counts->largest_lateness = fmax(counts->largest_lateness, late);
    pace->sum += late;
    counts->mean_lateness = pace->sum / (double)counts->points;
}

int takt_run_wait(takt_run *run, double longest)
{
    struct takt_pace *pace = run ? run->pace : NULL;
    if (!pace) return 1;
    double t = takt_run_time(run), begin = takt_clock();
    double due = pace->begin_clock + (t - pace->begin_time) / pace->factor;
    if (begin < due) rest(fmin(due - begin, longest));
    double now = takt_clock();
    if (begin < due) pace->counts.waited += now - begin;
    if (now < due) return 0;
    count(pace, t, now - due);
    return 1;
}

takt_status takt_run_pace_statistics(const takt_run *run, takt_pace_statistics *out,
                                     takt_error *err)
{
    if (!run) return takt_fail_missing(err, __func__, "run");
    takt_pace_statistics counts = run->pace ? run->pace->counts : (takt_pace_statistics){0};
    return takt_sized_fill(out, &counts, sizeof counts, err);
}
