// SPDX-License-Identifier: MIT
// Steps by prediction: what its kinds of control share (auto.c: to a tolerance; auto_fixed.c: with fixed steps).
//
// Values are predicted by polynomials through the last communication points (history.h); instances are stepped
// along polynomials through these points and the end of the step (moving.h), block by block (couple.h); what they
// deliver is compared with the prediction.
#ifndef TAKT_RUN_AUTO_H
#define TAKT_RUN_AUTO_H

#include <math.h>

#include "run/held.h"
#include "run/levels.h"
#include "run/slopes.h"
#include "run/worst.h"

/// A step that was rejected because of a value.
typedef struct takt_auto_rejection {
    int i_value; ///< index in y; -1: none
    double h, size; ///< s; and by how much the value was off
    double t_end; ///< s; the rejection counts until a step comes to this
} takt_auto_rejection;

/// What the control carries from step to step.
typedef struct takt_auto_state {
    int k; ///< points of the polynomials
    bool derives; ///< predictions use derivatives as well
    int derives_lock; ///< accepted steps until they may
    int n_derives_locks; ///< grows each time that they led to rejections
    int n_since_start; ///< accepted steps since the history began
    int64_t n_accepted; ///< in all
    int64_t n_events; ///< takt_run_state's, when the history began
    double h; ///< s; size of the next step
    double h_calm; ///< s; size of steps before the latest difficulty
    double h_restart; ///< s; size with which the latest beginning of a history went well; 0: none
    double error_before; ///< of the last accepted step; 1 after a change of k
    double rate; ///< 1/s; largest relative change of a value, fading
    unsigned recent; ///< bit i: attempt number i before the present one was rejected
    int64_t n_jumps; ///< that were enclosed
    double jump_from,
        jump_to; ///< s; a step between these times has a jump; infinite: none is known
    double jump_low; ///< s; behind which the jump lies
    int i_jump; ///< the instance that shows it
    takt_auto_rejection rejected; ///< the latest one
    int looks_after; ///< with fixed steps: histories until the middle of a first step is looked at
    int looks_between; ///< how many there were last time
    bool is_settling; ///< such a step was divided, and none has been made as a whole since
    double longest; ///< s; of the steps since the history began
    double longest_made; ///< s; of all that were kept
    double pulse_step; ///< s; steps are not longer because of pulses; 0: none is known
    double pulse_until; ///< s; as long as this
    int64_t spot_due; ///< accepted steps at which the next spot check may be due
    double spot_h; ///< s; no check is due before that in shorter steps
} takt_auto_state;

/// What different rates carry from step to step.
typedef struct takt_rate_state {
    bool is_on; ///< some instances wait while others go ahead
    double t_begin; ///< s; of the present window: the latest point of the slow history
    double h; ///< s; how long windows are at most
    double h_failed; ///< s; windows of this length are not tried soon; grows
    double t_wait; ///< s; before, no window begins
    int k; ///< points of the polynomials of slow values
    int n_steps; ///< since t_begin
    int n_needed; ///< windows in a row in which an instance must be slow
    int64_t n_windows; ///< that were ended
    int n_easy; ///< windows that were kept since they are made
    double error; ///< largest of recent windows; fades
    double trouble; ///< how often the steps of others became difficult in a window; fades
    int64_t n_made, n_lost; ///< steps within windows, and those that were taken back with one
} takt_rate_state;

/// Different rates (rate.c): slow instances make one step, a *window*, in which others make several.
typedef struct takt_rate {
    bool is_possible;
    takt_rate_state *state; ///< carried, as the next four
    takt_history *points; ///< all values at the ends of windows
    bool *is_slow; ///< per instance
    double *worst; ///< per instance: its largest error in the present window
    int *n_wins; ///< per instance: windows in a row in which it was slow
    const double *sizes; ///< per instance: the size that the user gave its steps, s; 0: none
    bool is_sized; ///< somebody has one
    bool *may_be_slow; ///< per instance
    bool *is_told; ///< per instance: the log has said that it is slow
    bool is_open; ///< a window is being made
    bool is_closing; ///< it must end where it has come to
    int64_t n_rejected; ///< attempts that had been taken back when it began
    double h; ///< s; the size of steps then
    takt_run_state
        before; ///< at the beginning of the window, with arrays of its own; likewise the next two
    void *memory; ///< what steps by prediction carry
    void *scales;
    takt_values *records; ///< y at the points within the window
    double *times; ///< s; of the records
    takt_cause *causes; ///< of the sizes of the steps that lead to the records
    takt_cause cause; ///< of the latest one
    int *ks; ///< points of the polynomials up to each record
    int n_records, most_records;
    bool *is_row; ///< per record: it has a row
    takt_history *scratch; ///< the history, followed through the window
    bool *is_tested, *is_tested_now; ///< per real value of y: usually; but for slow instances
    takt_ranges tested_now; ///< the latter
    int *values; ///< real values of y of slow instances that are continuous
    int n_values;
    int *sources; ///< real values of y of others that slow instances read
    int n_sources;
    int *places; ///< per real value of y: its number in `sources`; -1: it is none
    double *given; ///< their polynomials over the window
    double *predicted; ///< per real value of y: at the end of the window
} takt_rate;

/// Rejections of the present step because of the same value.
typedef struct takt_auto_trouble {
    int i_value; ///< -1: none
    int k; ///< points
    int n;
    double h, size; ///< s; of the first of them, and the difference then
} takt_auto_trouble;

/// Spot checks of one instance; see spot.c.
typedef struct takt_spot_state {
    int64_t last; ///< number of accepted steps at the latest check
    int interval; ///< between checks
    double h; ///< s; the largest step that was checked; fades
    double memory; ///< s; how long errors are remembered; fades
    int n_regular, n_random; ///< how often in a row a difference had an order, and had none
    bool is_told; ///< that it makes shorter steps
    int64_t last_finding; ///< number of accepted steps at the latest check with a result
    double large; ///< part of the latest steps whose checks found too large errors
    double n_recalled; ///< how many steps that is a part of
    int n_findings;
} takt_spot_state;

enum { TAKT_PULSE_TIMES = 6 };

/// Pulses of one instance; see pulses.c.
typedef struct takt_pulse_state {
    double times[TAKT_PULSE_TIMES]; ///< s; of its latest jumps, the latest first
    double
        longest[TAKT_PULSE_TIMES]; ///< s; of the steps before each of them, since the history began
    int n; ///< that are known
    int n_trials;
    bool is_alone; ///< it comes back while its inputs stay as they are
} takt_pulse_state;

/// What scales are made of; see auto_scale.c.
typedef struct takt_auto_scales {
    const int *first_reader; ///< per real value of y: the first that reads it in `readers`
    int *readers; ///< instances
    double *
        noted; ///< per real value of y: its scale of scale.h, as it was noted; carried, as the next two
    double *largest; ///< per instance: of all that it reads and delivers
    double *least; ///< per real value of y: what that makes of it; 0: a nominal value is declared
} takt_auto_scales;

typedef struct takt_auto {
    takt_run *run;
    takt_memory memory; ///< of all that is carried: state, history, floors, schemes, loops
    takt_auto_state *state;
    takt_history *history;
    double *floors; ///< per real value of y: the least scale
    int *
        n_at_once; ///< per instance: how often its discrete outputs have changed as soon as it was stepped
    takt_couple couple;
    takt_levels levels;
    takt_held held;
    takt_spot_state *spots; ///< per instance
    takt_pulse_state *pulses; ///< likewise
    takt_slopes slopes; ///< that instances tell
    takt_rate rate;
    takt_auto_scales scales;
    double (*past)[TAKT_MAX_COEFFICIENTS - 1]; ///< per real value of y: for takt_course::past
    takt_ranges followed; ///< values that are read by instances with one input, which follow it
    double *scale; ///< per real value of y
    double *predicted; ///< likewise, at the end of the step
    bool *is_tested; ///< likewise
    bool *is_unread; ///< likewise: no connection leads from it
    takt_ranges all_tested; ///< values that usually are tested
    takt_ranges tested; ///< those that are now
    takt_ranges
        ahead; ///< values that are predicted in each step: continuous ones that instances deliver
    takt_ranges drawn; ///< these, and others that rows need
    int n_delivered; ///< real values of y that are connected or tested; others are only recorded
    int *unread; ///< indices in y of values that are not read
    int n_unread;
    int *partly_unread; ///< instances with such values
    int n_partly_unread;
    int *discrete; ///< instances with outputs that may jump
    int n_discrete;
    int *probed; ///< blocks that are loops, or whose members have a choice of schemes
    int n_probed;
    bool *is_checkable; ///< per instance: its steps may be divided
    bool needs_rate; ///< an instance has a choice of schemes
    bool has_rooms; ///< all instances have memory for trials
    int *owners; ///< likewise: the instance; -1: none
    int *ranks; ///< per instance: its place in the order of calls
    int *blocks; ///< per instance: its block
    int *watched; ///< tested values that are read, level by level
    int *first_watched; ///< per level: its first one; one more at the end
    double *kept; ///< per real value of y: room for a copy
    double h_first, h_least, h_most; ///< s
    takt_auto_trouble trouble;
    int n_searches; ///< for jumps, in the present step
    bool draws_rows; ///< between communication points
    takt_values row; ///< room for one
    bool is_fixed; ///< the user chose the size of all steps
    bool saves_states; ///< before each step
    bool can_divide; ///< steps of a given size may be made of shorter ones
    takt_ranges divided; ///< tested values because of which they are: not those of algebraic loops
} takt_auto;

/// An attempt, judged.
typedef struct takt_judgement {
    double error; ///< in units of the tolerance
    int i_worst; ///< index in y; -1: none
    int i_changed; ///< an instance whose discrete outputs have changed; -1: none
    bool has_failed; ///< the end was not reached, or a loop not solved: nothing else is known
    double
        h_again; ///< s; size of the next attempt, if this one is rejected; 0: that which the error asks for
} takt_judgement;

/// An instance whose discrete outputs change in every step, however short it is, counts steps; so often it is believed
/// that they jump.
enum { TAKT_JUMPS_AT_ONCE = 3 };

/// Errors below count as this.
#define TAKT_AUTO_SMALL 1e-6

/// In what errors are measured.
static inline takt_error_unit takt_auto_unit(const takt_auto *own)
{
    return (takt_error_unit){own->couple.tolerance, own->scale};
}

/// Difference of the value number i between prediction and result, in units of the tolerance.
static inline double takt_auto_error(const takt_auto *own, const double *reference, int i)
{
    double now = own->run->state.y.real[i];
    double scale = fmax(own->scale[i], fabs(now));
    return fabs(now - reference[i]) / (own->couple.tolerance * scale);
}

// ---- auto_create.c ---------------------------------------------------------------------------------

/// Makes run->automatic, for steps to a tolerance or fixed ones.
takt_status takt_auto_create(takt_run *run, bool is_fixed, takt_error *err);
void takt_auto_destroy(takt_run *run);
takt_memory takt_auto_memory(takt_run *run);

// ---- auto_sound.c ----------------------------------------------------------------------------------

/// May the memory be used, after it has come from a file?
bool takt_auto_is_sound(const takt_run *run);

// ---- auto_scale.c ----------------------------------------------------------------------------------

/// Finds out who reads what. Returns false when memory is exhausted.
bool takt_auto_scales_create(takt_auto *own, int n_values);

/// At the beginning of a step: the scales of all tested values.
void takt_auto_note_scales(takt_auto *own);

// ---- auto_step.c -----------------------------------------------------------------------------------

/// Before a step: begins the history if there is none, or if events have ended it, and saves states.
takt_status takt_auto_prepare(takt_auto *own, takt_error *err);

/// Makes an attempt; everything is at its beginning. How it ended is in its outcome.
takt_status takt_auto_make_step(takt_auto *own, takt_attempt *at, takt_error *err);

/// The status of an attempt: one that failed for its values only (they are not finite) counts as not converged.
takt_status takt_auto_forgive(const takt_auto *own, takt_attempt *at, takt_status st);

/// Compares what it delivered with the prediction.
void takt_auto_judge(const takt_auto *own, const takt_attempt *at, takt_judgement *out);

/// Takes everything back to its beginning.
takt_status takt_auto_go_back(takt_auto *own, takt_error *err);

/// The error that a prediction through k points, with derivatives or not, would have had, and the value (index in y; -1:
/// none) that has it.
double takt_auto_error_of(const takt_auto *own, const takt_attempt *at, int k, bool derives,
                          int *i_worst);

/// After a step that is kept: instances that may hide what inputs do to them make it once more (hidden.h).
takt_status takt_auto_lead_twins(takt_auto *own, takt_attempt *at, takt_error *err);

/// Trials with a step that is accepted: how strong are loops, are schemes good enough?
takt_status takt_auto_probe(takt_auto *own, takt_attempt *at, takt_error *err);

/// The step is over, and ends at t_end, s: rows within it are written, and the history goes on, or begins anew with the next
/// step.
takt_status takt_auto_keep(takt_auto *own, const takt_attempt *at, double t_end, bool goes_on,
                           takt_error *err);

/// How much a loop makes of an error of a member.
double takt_auto_gain(const takt_coupled *loop);

// ---- auto.c ----------------------------------------------------------------------------------------

/// Makes one step of all instances but those that are behind. In a window, where something happens that
/// concerns all, goes back to the beginning of the step and closes the window.
takt_status takt_auto_take_step(takt_auto *own, takt_error *err);

// ---- rate_create.c ---------------------------------------------------------------------------------

/// Finds out whether instances may have different rates, and makes what that needs.
takt_status takt_rate_create(takt_auto *own, takt_error *err);
void takt_rate_destroy(takt_auto *own);

/// In how many windows in a row an instance must be slow, at first; one is enough where the user says so.
enum { TAKT_RATE_WINS = 3 };

/// What is carried, as it is before the first step.
void takt_rate_begin(takt_auto *own);

// ---- rate_watch.c ----------------------------------------------------------------------------------

/// After a step that all instances have made: who is slow?
void takt_rate_watch(takt_auto *own);

/// A window of the slow ones has been kept, or failed, with this error. `is_difficult`: others had to repeat steps, or
/// make much shorter ones.
void takt_rate_keep(takt_auto *own, double error, bool is_difficult);
void takt_rate_fail(takt_auto *own, double length, double error);

/// How long the next window may be, s; 0: there is none.
double takt_rate_length(const takt_auto *own);

/// The error of the values of an instance (-1: of all slow ones) if they are predicted through k slow points.
double takt_rate_error(const takt_auto *own, int i_instance, int k);

/// The next time at which steps of all end because of the sizes that the user gave, s; infinite: none.
double takt_rate_limit(const takt_auto *own);

// ---- rate_course.c ---------------------------------------------------------------------------------

/// Predicts the values of slow instances at a time in the window.
void takt_rate_predict(takt_auto *own, double t);

/// Lists the values of slow instances and what they read of others.
void takt_rate_list(takt_auto *own);

/// Polynomials over the window that stand for what others did in it.
void takt_rate_project(takt_auto *own, takt_course *course);

/// The slow ones have made the window: their values within it are interpolated.
void takt_rate_correct(takt_auto *own);

/// At a point within the window: reads what only rows need, of those that are not slow.
takt_status takt_rate_read(takt_auto *own, double t, takt_error *err);

/// Writes the rows within the window.
takt_status takt_rate_write_rows(takt_auto *own, takt_error *err);

// ---- rate.c ----------------------------------------------------------------------------------------

/// One step of all instances, or a window.
takt_status takt_rate_step(takt_run *run, takt_error *err);

// ---- pulses.c --------------------------------------------------------------------------------------

/// The step that was made leads over a jump of state->i_jump: does that instance make pulses by itself?
takt_status takt_pulses_note(takt_auto *own, const takt_attempt *at, takt_error *err);

/// Longer steps could pass pulses, s; INFINITY: none is known.
double takt_pulses_limit(const takt_auto *own);

// ---- turns.c ----------------------------------------------------------------------------------------

/// When the first input of an instance that is known to switch turns back within the next h, s, by more than the
/// tolerance; INFINITY: none does.
double takt_turns_next(const takt_auto *own, double h);

// ---- jump.c ----------------------------------------------------------------------------------------

/// Looks for a jump in the step that was just rejected. All instances and values are at the beginning of the
/// step before and after. If there is one, it is noted in the state.
takt_status takt_jump_find(takt_auto *own, takt_attempt *at, const takt_judgement *judged,
                           bool is_stubborn, bool *is_found, takt_error *err);

/// Where values are in the middle of a step: their largest distances, in tolerances, from the middle between both ends, and
/// from the end.
typedef struct takt_middle {
    double from_line, from_end;
    int i_worst; ///< index in y of the value farthest from the line; -1: none
} takt_middle;

/// Each instance that has moved in the first step of a history makes half of it once more. All are where they were afterwards.
takt_status takt_jump_find_middle(takt_auto *own, const takt_attempt *at, takt_middle *out,
                                  takt_error *err);

/// After the first step of a history, which nothing could be compared with: is the middle of it where it should
/// be? Raises the error if not.
takt_status takt_jump_look(takt_auto *own, const takt_attempt *at, takt_judgement *judged,
                           takt_error *err);

/// Have discrete outputs of the instance other values than at the beginning of the step? The first of them in y;
/// index -1: none.
takt_slot takt_jump_find_changed(const takt_run *run, int i_instance);
bool takt_jump_has_changed(const takt_run *run, int i_instance);

// ---- spot.c ----------------------------------------------------------------------------------------

/// After a step that is about to be accepted: now and then an instance makes it once more, in shorter steps. Where it
/// arrives elsewhere, it will make shorter ones from now on, or the step is doubtful; where its middle is not where it should
/// be, raises the error. All instances are where they were afterwards.
takt_status takt_spot_look(takt_auto *own, const takt_attempt *at, takt_judgement *judged,
                           takt_error *err);

#endif
