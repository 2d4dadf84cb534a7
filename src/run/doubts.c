// SPDX-License-Identifier: MIT
// Doubtful steps; see doubts.h.
#include "run/doubts.h"

#include <math.h>
#include <stdio.h>

#include "base/compiler.h"
#include "run/step_log.h"

// What is wrong with steps, or with one, and what helps against it.
typedef struct wording {
    const char *many; // "3 of 100 steps ..."
    const char *one;
    const char *remedy;
} wording;

static const wording wordings[TAKT_N_DOUBTS] = {
    [TAKT_DOUBT_UNCONVERGED] = {" iterations; their results are those of the last sweep",
                                " iterations",
                                "try a smaller --step-size, more --iterations or another "
                                "--algorithm"},
    [TAKT_DOUBT_BELOW_FALLBACK] = {"were too small to be iterated (--step-fallback), and their "
                                   "loops are not solved",
                                   "the step is too small to be iterated (--step-fallback), and a "
                                   "loop is not solved",
                                   "try a smaller --step-fallback, more --iterations or another "
                                   "--algorithm"},
    [TAKT_DOUBT_AT_STEP_MIN] = {"failed the error test at the smallest step size (--step-min)",
                                "the error test failed at the smallest step size (--step-min)",
                                "try a smaller --step-min or a larger --relative-tolerance"},
    [TAKT_DOUBT_NOT_ITERATED] = {"left an algebraic loop unsolved, as its algorithm does not "
                                 "iterate",
                                 "an algebraic loop is not solved, as its algorithm does not "
                                 "iterate",
                                 "try --algorithm newton; where an FMU cannot be rewound, a "
                                 "smaller --step-size"},
    [TAKT_DOUBT_EVENT_ALONE] = {"had an event that reached other instances only at their end, as "
                                "not all can be rewound or stop there",
                                "an event within the step reaches other instances only at its end, "
                                "as not all can be rewound or stop there",
                                "try a smaller --step-size"},
    [TAKT_DOUBT_NOT_REPEATED] =
        {"failed the error test and could not be repeated, as an FMU does "
         "not save its state",
         "the error test failed, and the step cannot be repeated, as an FMU "
         "does not save its state",
         "try a smaller --step-max"},
    [TAKT_DOUBT_NOISY] = {"met values that differ at random by more than the tolerance",
                          "values differ at random by more than the tolerance",
                          "the FMU limits the accuracy: try a larger --tolerance, or a smaller "
                          "tolerance or nominal values inside the FMU"},
};

// In the step log; the words of the statistics.
static const char *const decisions[TAKT_N_DOUBTS] = {
    [TAKT_DOUBT_UNCONVERGED] = "kept, but doubtful: unconverged",
    [TAKT_DOUBT_BELOW_FALLBACK] = "kept, but doubtful: below_fallback",
    [TAKT_DOUBT_AT_STEP_MIN] = "kept, but doubtful: at_step_min",
    [TAKT_DOUBT_NOT_ITERATED] = "kept, but doubtful: not_iterated",
    [TAKT_DOUBT_EVENT_ALONE] = "kept, but doubtful: event_alone",
    [TAKT_DOUBT_NOT_REPEATED] = "kept, but doubtful: not_repeated",
    [TAKT_DOUBT_NOISY] = "kept, but doubtful: noisy",
};

// The number of iterations stands in the middle of a sentence.
static void describe_limit(const takt_run *run, takt_doubt cause, const char *begin, char out[80])
{
    out[0] = 0;
    if (cause != TAKT_DOUBT_UNCONVERGED) return;
    snprintf(out, 80, "%sdid not converge within %lld", begin,
             (long long)run->plan->system->settings.iterations);
}

// " (worst at t=1.2 s: 35 times the tolerance)", where that is known.
static void describe_worst(const takt_doubt_count *count, char *out, size_t size)
{
    out[0] = 0;
    if (count->n > 1 && isfinite(count->worst) && count->worst > 0)
        snprintf(out, size, ", worst at t=%.15g s with %.3g times the tolerance", count->worst_time,
                 count->worst);
}

static void report(const takt_run *run, takt_doubt cause)
{
    const takt_doubt_count *count = &run->counts.doubts[cause];
    char loop[200] = "", worst[120], limit[80];
    if (count->n == 0) return;
    describe_limit(run, cause, "", limit);
    if (count->loop) snprintf(loop, sizeof loop, " in the loop of '%s'", count->loop);
    describe_worst(count, worst, sizeof worst);
    takt_log_write(run->log, TAKT_LEVEL_WARN,
                   "%lld of %lld steps %s%s: first at t=%.15g s%s%s; %s (--strict makes this a "
                   "failure)",
                   (long long)count->n, (long long)run->counts.n_steps, limit, wordings[cause].many,
                   count->first_time, loop, worst, wordings[cause].remedy);
}

void takt_doubts_report(const takt_run *run)
{
    if (run->plan->system->settings.strict) return; // then the first one has been an error
    for (int i = 0; i < TAKT_N_DOUBTS; i++) report(run, (takt_doubt)i);
}

TAKT_APART takt_status takt_doubt_note(takt_run *run, takt_doubt cause, const char *loop,
                                       double size, takt_error *err)
{
    takt_doubt_count *count = &run->counts.doubts[cause];
    double t = run->state.grid.time;
    if (count->n++ == 0) {
        count->first_time = t;
        count->loop = loop;
        count->worst = -INFINITY;
    }
    if (size > count->worst) {
        count->worst = size;
        count->worst_time = t;
    }
    takt_step_log_decision(run, &(takt_step){.t = t, .h = 0}, decisions[cause]);
    if (!run->plan->system->settings.strict) return TAKT_OK;
    char limit[80];
    describe_limit(run, cause, "a loop ", limit);
    return takt_fail(err, TAKT_ERR_SIMULATION, "t=%.15g s%s%s%s: %s%s (--strict); %s", t,
                     loop ? ", loop of '" : "", loop ? loop : "", loop ? "'" : "", limit,
                     wordings[cause].one, wordings[cause].remedy);
}
