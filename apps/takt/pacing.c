// SPDX-License-Identifier: MIT
// Pacing of a run and its end when it is steady; see pacing.h.
#include "pacing.h"

#include <math.h>
#include <string.h>

#include "interrupt.h"
#include "support.h"

// A signal ends the sleep, but one that comes just before it does not: it is seen this much later, s.
static const double PATIENCE = 0.1;

takt_status cli_pacing_read(cli_pacing *out, const char *real_time, const char *until_steady,
                            takt_error *err)
{
    *out = (cli_pacing){.factor = real_time ? 1 : 0, .ends_when_steady = until_steady != NULL};
    if (real_time && *real_time) {
        const char *last = real_time + strlen(real_time);
        if (!takt_number_read(real_time, last, &out->factor) || !(out->factor > 0) ||
            !isfinite(out->factor))
            return cli_fail(err, TAKT_ERR_USAGE,
                            "--real-time: '%s' is not a number greater than 0, such as 10 for ten "
                            "times as fast",
                            real_time);
    }
    if (until_steady && *until_steady &&
        (!takt_number_read_duration(until_steady, &out->window) || !(out->window > 0) ||
         !isfinite(out->window)))
        return cli_fail(err, TAKT_ERR_USAGE,
                        "--until-steady: '%s' is not a time greater than 0, such as 10min",
                        until_steady);
    return TAKT_OK;
}

takt_status cli_pacing_begin(cli_pacing *pacing, takt_run *run, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (pacing->factor > 0) st = takt_run_set_pace(run, pacing->factor, err);
    if (!st && pacing->ends_when_steady) st = takt_run_watch_steady(run, pacing->window, err);
    if (st || !pacing->ends_when_steady) return st;
    takt_steady_state steady = {.size = sizeof steady};
    st = takt_run_steady_state(run, &steady, err);
    pacing->is_steady = steady.is_steady; // a run that goes on where it was over is over
    return st;
}

takt_status cli_pacing_step(cli_pacing *pacing, takt_run *run, takt_error *err)
{
    if (pacing->factor > 0)
        while (!takt_run_wait(run, PATIENCE) && !cli_interrupt_seen()) continue;
    if (!pacing->ends_when_steady) return TAKT_OK;
    int is_steady = 0;
    takt_status st = takt_run_look_steady(run, &is_steady, err);
    pacing->is_steady = is_steady;
    return st;
}

void cli_pacing_tell(const cli_pacing *pacing, const takt_run *run, cli_console *console,
                     bool is_quiet)
{
    takt_pace_statistics pace = {.size = sizeof pace};
    takt_steady_state steady = {.size = sizeof steady};
    takt_run_pace_statistics(run, &pace, NULL);
    takt_run_steady_state(run, &steady, NULL);
    if (pace.factor > 0 && !is_quiet)
        cli_console_note(console,
                         "real time x %.9g: %lld of %lld points were late by more than 1 ms; at "
                         "most %.3g ms, on average %.3g ms",
                         pace.factor, (long long)pace.late, (long long)pace.points,
                         1e3 * pace.largest_lateness, 1e3 * pace.mean_lateness);
    if (pacing->is_steady && !is_quiet)
        cli_console_note(console,
                         "steady since t = %.9g s: ended at t = %.9g s, as nothing changed for "
                         "%.9g s",
                         steady.since, takt_run_time(run), steady.window);
    else if (pacing->ends_when_steady && !pacing->is_steady)
        cli_console_note(console,
                         "not steady at the stop time: the last change was that of %s at t = %.9g "
                         "s; nothing may change for %.9g s",
                         *steady.restless ? steady.restless : "no value", steady.since,
                         steady.window);
}
