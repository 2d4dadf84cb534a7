// SPDX-License-Identifier: MIT
// The step log; see step_log.h.
#include "run/step_log.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "run/algorithm.h"
#include "run/limits.h"

struct takt_step_log {
    FILE *table;
};

takt_status takt_run_log_steps(takt_run *run, const char *path, takt_error *err)
{
    if (!run || !path)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_run_log_steps: no argument may be NULL");
    if (run->step_log || run->is_initialized)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "one step log can be opened, before the run is initialized");
    struct takt_step_log *log = takt_arena_alloc(&run->arena, sizeof *log);
    if (!log) return takt_fail_memory(err);
    log->table = fopen(path, "w");
    if (!log->table)
        return takt_fail(err, TAKT_ERR_OUTPUT, "cannot write the step log '%s': %s", path,
                         strerror(errno));
    fputs("time\tstep\tloop\tsweep\tnorm\tstep_norm\terror\tnext_step\tvariable\tlimit\tdecision\n",
          log->table);
    run->step_log = log;
    return TAKT_OK;
}

takt_status takt_step_log_close(takt_run *run, takt_error *err)
{
    if (!run->step_log) return TAKT_OK;
    FILE *table = run->step_log->table;
    if (run->observers_finished) return TAKT_OK;
    bool is_bad = ferror(table);
    is_bad |= fclose(table) != 0;
    return is_bad ? takt_fail(err, TAKT_ERR_OUTPUT, "the step log could not be written whole: %s",
                              strerror(errno))
                  : TAKT_OK;
}

static bool is_wanted(const takt_run *run)
{
    return run->step_log || takt_log_wants(run->log, TAKT_LEVEL_DEBUG);
}

// A cell of the table; what does not apply stays empty.
static void put(FILE *table, double value, char end)
{
    char text[TAKT_NUMBER_SIZE] = "";
    if (!isnan(value)) takt_number_write(text, value);
    fprintf(table, "%s%c", text, end);
}

typedef struct entry {
    const char *loop;
    double sweep, norm, step_norm, error, h_next; // NaN: does not apply
    const char *variable, *limit;
    const char *decision;
} entry;

static void put_entry(FILE *table, const takt_step *step, const entry *at)
{
    put(table, step->t, '\t');
    put(table, step->h, '\t');
    fprintf(table, "%s\t", at->loop);
    put(table, at->sweep, '\t');
    put(table, at->norm, '\t');
    put(table, at->step_norm, '\t');
    put(table, at->error, '\t');
    put(table, at->h_next, '\t');
    fprintf(table, "%s\t%s\t%s\n", at->variable, at->limit, at->decision);
}

static void write_entry(takt_run *run, const takt_step *step, const entry *at)
{
    if (!run->step_log) return;
    takt_mutex_lock(&run->finishing); // a timeout may close the table from another thread
    if (!run->observers_finished) put_entry(run->step_log->table, step, at);
    takt_mutex_unlock(&run->finishing);
}

void takt_step_log_sweep(takt_run *run, const takt_run_block *block, const takt_step *step,
                         double norm, double step_norm)
{
    if (!is_wanted(run)) return;
    const char *loop = run->work.instances[block->plan->members[0]].instance->name;
    double sweep = (double)(block->n_sweeps - block->n_sweeps_before);
    entry at = {loop, sweep, norm, step_norm, NAN, NAN, "", "", ""};
    write_entry(run, step, &at);
    char more[64] = "";
    if (!isnan(step_norm)) snprintf(more, sizeof more, ", norm of step %.6g", step_norm);
    takt_log_write(run->log, TAKT_LEVEL_DEBUG,
                   "%s: t=%.15g s, h=%.15g s, loop of '%s', sweep %.0f: norm %.6g%s",
                   block->use->type->facts->name, step->t, step->h, loop, sweep, norm, more);
}

enum { NAME_SIZE = 256 };

// "error of Tank.level", or the word of the cause.
static void describe_limit(const takt_run *run, takt_cause cause, char out[NAME_SIZE + 16])
{
    char name[NAME_SIZE];
    takt_slot value = cause.limit == TAKT_LIMIT_ERROR ? cause.value : TAKT_NO_VALUE;
    takt_limits_write_name(run, value, name, sizeof name);
    snprintf(out, NAME_SIZE + 16, "%s%s%s", takt_limit_word(cause.limit), *name ? " of " : "",
             name);
}

void takt_step_log_error(takt_run *run, const takt_step *step, const takt_tried *tried)
{
    if (!is_wanted(run)) return;
    const char *decision = tried->decision     ? tried->decision
                           : tried->error <= 1 ? "accepted"
                                               : "error too large";
    char worst[NAME_SIZE], limit[NAME_SIZE + 16];
    takt_limits_write_name(run, tried->worst, worst, sizeof worst);
    describe_limit(run, tried->cause, limit);
    entry at = {"", NAN, NAN, NAN, tried->error, tried->h_next, worst, limit, decision};
    write_entry(run, step, &at);
    if (isnan(tried->error))
        takt_log_write(run->log, TAKT_LEVEL_DEBUG, "step: t=%.15g s, h=%.15g s (limited by %s): %s",
                       step->t, step->h, limit, decision);
    else
        takt_log_write(run->log, TAKT_LEVEL_DEBUG,
                       "error test: t=%.15g s, h=%.15g s (limited by %s): error %.6g%s%s, %s; next "
                       "step %.15g s",
                       step->t, step->h, limit, tried->error, *worst ? " of " : "", worst, decision,
                       tried->h_next);
}

void takt_step_log_decision(takt_run *run, const takt_step *step, const char *decision)
{
    if (!is_wanted(run)) return;
    entry at = {"", NAN, NAN, NAN, NAN, NAN, "", "", decision};
    write_entry(run, step, &at);
    takt_log_write(run->log, TAKT_LEVEL_DEBUG, "step: t=%.15g s, h=%.15g s: %s", step->t, step->h,
                   decision);
}
