// SPDX-License-Identifier: MIT
// Doubtful steps; see doubts.h.
#include "run/doubts.h"

#include <math.h>
#include <stdio.h>

#include "base/compiler.h"
#include "run/control.h"
#include "run/flips.h"
#include "run/step_log.h"

// What is wrong with steps, or with one, and what helps against it.
typedef struct wording {
    const char *many; // "3 of 100 steps ..."
    const char *one;
    const char *remedy;
    bool is_of_fmu; // the name is that of an FMU, not of a loop
} wording;

static const wording wordings[TAKT_N_DOUBTS] = {
    [TAKT_DOUBT_UNCONVERGED] = {" iterations; their results are those of the last sweep",
                                " iterations",
                                "try a smaller --step-size, more --iterations or another "
                                "--algorithm",
                                false},
    [TAKT_DOUBT_BELOW_FALLBACK] = {"were too small to be iterated (--step-fallback), and their "
                                   "loops are not solved",
                                   "the step is too small to be iterated (--step-fallback), and a "
                                   "loop is not solved",
                                   "try a smaller --step-fallback, more --iterations or another "
                                   "--algorithm",
                                   false},
    [TAKT_DOUBT_AT_STEP_MIN] = {"failed the error test at the smallest step size (--step-min)",
                                "the error test failed at the smallest step size (--step-min)",
                                "try a smaller --step-min or a larger --relative-tolerance", false},
    [TAKT_DOUBT_NOT_ITERATED] = {"left an algebraic loop unsolved, as its algorithm does not "
                                 "iterate",
                                 "an algebraic loop is not solved, as its algorithm does not "
                                 "iterate",
                                 "try --algorithm newton; where an FMU cannot be rewound, a "
                                 "smaller --step-size",
                                 false},
    [TAKT_DOUBT_EVENT_ALONE] = {"had an event that reached other instances only at their end, as "
                                "not all can be rewound or stop there",
                                "an event within the step reaches other instances only at its end, "
                                "as not all can be rewound or stop there",
                                "try a smaller --step-size", false},
    [TAKT_DOUBT_NOT_REPEATED] =
        {"failed the error test and could not be repeated, as an FMU does "
         "not save its state",
         "the error test failed, and the step cannot be repeated, as an FMU "
         "does not save its state",
         "try a smaller --step-max", false},
    [TAKT_DOUBT_NOISY] = {"met values that differ at random by so much that the tolerance may "
                          "not be kept",
                          "values differ at random by so much that the tolerance may not be kept",
                          "the FMU limits the accuracy: try a larger --tolerance, or a smaller "
                          "tolerance or nominal values inside the FMU",
                          true},
    [TAKT_DOUBT_STEP_DEPENDENT] =
        {"were repeated in shorter ones, and an FMU's results differed so much that its own error "
         "may exceed the tolerance",
         "repeated in shorter steps, an FMU's results differ so much that its own error may exceed "
         "the tolerance",
         "the FMU limits the accuracy: try a smaller tolerance or step size inside the FMU, a "
         "smaller --step-max, or a larger --tolerance",
         true},
    [TAKT_DOUBT_PULSES] =
        {"end pulses that an FMU makes by itself and that are shorter than steps before: others "
         "may "
         "have been missed",
         "a pulse that an FMU makes by itself is shorter than steps before: others may have been "
         "missed",
         "try a smaller --step-max", true},
};

// Steps by prediction have a limit of their own, and make one pass where there is no solution.
static const wording unsolved = {"found no solution of a loop; their results are those of one pass",
                                 "a loop has no solution",
                                 "try a smaller --step-size or another --algorithm; takt advise "
                                 "may help to find the cause",
                                 false};

// They test values of instances, whether in loops or not.
static const wording too_short = {"failed the error test at the smallest step size (--step-min)",
                                  "the error test failed at the smallest step size (--step-min)",
                                  "try a smaller --step-min or a larger --tolerance", true};
static const wording not_repeated = {
    "failed the error test and could not be repeated, as an FMU does not save its state",
    "the error test failed, and the step cannot be repeated, as an FMU does not save its state",
    "try a smaller --step-max or --tolerance", true};

static const wording *words_of(const takt_run *run, takt_doubt cause)
{
    if (!takt_control_predicts(run)) return &wordings[cause];
    switch (cause) {
    case TAKT_DOUBT_UNCONVERGED: return &unsolved;
    case TAKT_DOUBT_AT_STEP_MIN: return &too_short;
    case TAKT_DOUBT_NOT_REPEATED: return &not_repeated;
    default: return &wordings[cause];
    }
}

// " (that of 'A')", or nothing.
static void name_keeper(const takt_run *run, takt_doubt cause, char *out, size_t size)
{
    out[0] = 0;
    if (cause != TAKT_DOUBT_NOT_REPEATED) return;
    for (int i = 0; i < run->work.n_instances; i++) {
        const takt_instance *instance = run->work.instances[i].instance;
        if (takt_model_can_rewind(instance->model)) continue;
        snprintf(out, size, " (that of '%s')", instance->name);
        return;
    }
}

// In the step log; the words of the statistics.
static const char *const decisions[TAKT_N_DOUBTS] = {
    [TAKT_DOUBT_UNCONVERGED] = "kept, but doubtful: unconverged",
    [TAKT_DOUBT_BELOW_FALLBACK] = "kept, but doubtful: below_fallback",
    [TAKT_DOUBT_AT_STEP_MIN] = "kept, but doubtful: at_step_min",
    [TAKT_DOUBT_NOT_ITERATED] = "kept, but doubtful: not_iterated",
    [TAKT_DOUBT_EVENT_ALONE] = "kept, but doubtful: event_alone",
    [TAKT_DOUBT_NOT_REPEATED] = "kept, but doubtful: not_repeated",
    [TAKT_DOUBT_NOISY] = "kept, but doubtful: noisy",
    [TAKT_DOUBT_STEP_DEPENDENT] = "kept, but doubtful: step_dependent",
    [TAKT_DOUBT_PULSES] = "kept, but doubtful: pulses",
};

// The number of iterations stands in the middle of a sentence.
static void describe_limit(const takt_run *run, takt_doubt cause, const char *begin, char out[80])
{
    out[0] = 0;
    if (cause != TAKT_DOUBT_UNCONVERGED || takt_control_predicts(run)) return;
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
    char loop[200] = "", worst[120], limit[80], flip[300], keeper[200];
    if (count->n == 0) return;
    takt_flip_describe(run, &count->flip, count->first_time, flip, sizeof flip);
    describe_limit(run, cause, "", limit);
    name_keeper(run, cause, keeper, sizeof keeper);
    if (count->loop)
        snprintf(loop, sizeof loop,
                 words_of(run, cause)->is_of_fmu ? " in '%s'" : " in the loop of '%s'",
                 count->loop);
    describe_worst(count, worst, sizeof worst);
    takt_log_write(run->log, TAKT_LEVEL_WARN,
                   "%lld of %lld steps %s%s%s: first at t=%.15g s%s%s%s; %s (--strict makes this a "
                   "failure)",
                   (long long)count->n, (long long)run->counts.n_steps, limit,
                   words_of(run, cause)->many, keeper, count->first_time, loop, flip, worst,
                   words_of(run, cause)->remedy);
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
        if (cause == TAKT_DOUBT_UNCONVERGED) count->flip = takt_flip_find(run, t);
        count->worst = -INFINITY;
    }
    if (size > count->worst) {
        count->worst = size;
        count->worst_time = t;
    }
    takt_step_log_decision(run, &(takt_step){.t = t, .h = 0}, decisions[cause]);
    if (!run->plan->system->settings.strict) return TAKT_OK;
    char limit[80], flip[300], keeper[200];
    name_keeper(run, cause, keeper, sizeof keeper);
    describe_limit(run, cause, "a loop ", limit);
    takt_flip_describe(run, &count->flip, t, flip, sizeof flip);
    return takt_fail(err, TAKT_ERR_SIMULATION, "t=%.15g s%s%s%s: %s%s%s%s (--strict); %s", t,
                     !loop                             ? ""
                     : words_of(run, cause)->is_of_fmu ? ", instance '"
                                                       : ", loop of '",
                     loop ? loop : "", loop ? "'" : "", limit, words_of(run, cause)->one, keeper,
                     flip, words_of(run, cause)->remedy);
}
