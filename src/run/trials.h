// SPDX-License-Identifier: MIT
// Trials with one instance that holds its inputs: a step that has been accepted is made again in another way, to compare the
// outputs.
#ifndef TAKT_RUN_TRIALS_H
#define TAKT_RUN_TRIALS_H

#include "run/couple.h"

extern const takt_scheme takt_scheme_end; ///< one step with the values at the end

/// What is carried from step to step for one instance, besides its scheme.
typedef struct takt_held_state {
    double h_valid; ///< s; up to this size the scheme has been confirmed
    double h_largest; ///< s; of the steps that cheaper schemes were tried with; fades
    int n_wins, n_needed; ///< how often a cheaper scheme would have done; before it is taken
    double h_seen; ///< s; the longest step
    bool has_looked; ///< once
    bool has_reacted; ///< an output has told what inputs do before the end of a step
    bool is_unseen; ///< no output did, the last time
    bool is_unsure; ///< but noise may have hidden it
    bool is_delay; ///< it remembers the values at the ends of steps
    bool is_apart; ///< its twin has made other steps
    int n_compared; ///< how often outputs were compared for that alone
    int n_differed; ///< steps at whose ends the twin differed though inputs showed nothing
    int n_looked; ///< how often the reason was looked for, in growing intervals
    int n_short; ///< how often what inputs did was shown for a time, and then forgotten
    bool differs; ///< its twin shows other outputs
    bool is_late_twin; ///< the twin does not know what was before it
    bool has_tried; ///< to find out whether it has states, besides
    double
        lead; ///< tolerances, s: by how much inputs came too early, for states if it has any, and how long
    double response; ///< the largest that outputs have changed with inputs, relative; fades
    double response_rate; ///< 1/s; likewise
    double scales; ///< what they are relative to, as a power of 2
    bool is_given_up; ///< no scheme settles
    int n_quiet; ///< small responses in a row that had no noise, or were not asked
    int n_uneven; ///< how often in a row its own steps changed its results in a regular way
    bool has_jumped; ///< it is a switch, and needs the values at the end only
    int64_t next_search; ///< number of the accepted step
} takt_held_state;

enum { TAKT_HELD_ROOMS = 8 };

/// What is carried for all of them, and room for trials.
typedef struct takt_held {
    takt_held_state *states; ///< per instance
    double *weights; ///< per tested value of one instance: the difference that matters
    double *rooms[TAKT_HELD_ROOMS]; ///< outputs of one instance after trials
    double *kept; ///< its outputs as they are
    double *sources; ///< the values that it reads, as they are
    double *least, *most; ///< per real value of y: what instances with twins have read
    double *twin_times; ///< s; per instance: where its twin is
} takt_held;

/// Is there a choice of schemes?
bool takt_held_has_choice(const takt_couple *couple, int i_instance);

/// How inputs are changed to see what that does.
typedef enum takt_change {
    TAKT_CHANGE_NONE,
    TAKT_CHANGE_SLIGHT, ///< by 1 % of their scale
    TAKT_CHANGE_TINY, ///< by a 64th of that
    TAKT_CHANGE_FAR, ///< to the value, of all that they have had, that is farthest away
} takt_change;

#define TAKT_SLIGHT 0.01
#define TAKT_TINIER 64.

typedef struct takt_trials {
    takt_held *held;
    takt_couple *couple;
    int i_instance;
    takt_attempt *at;
    const int *values; ///< indices in y of the values of the instance that are tested
    int n;
    bool is_telling; ///< its outputs tell what inputs do to it
    bool has_measured; ///< its noise, with this step
    bool has_gone_tiny; ///< with a change that is not the one asked for
    double hidden; ///< tolerances: a difference that matters, and that noise may have made
} takt_trials;

/// Trials with the step of an attempt.
takt_trials takt_trials_begin(takt_held *held, takt_couple *couple, int i_instance,
                              takt_attempt *at);

/// Afterwards: the state at the end of the step is that of `slot`, and so are the outputs.
takt_status takt_trials_end(const takt_trials *all, int slot, takt_error *err);

/// Copies the tested values as they are.
void takt_trials_copy(const takt_trials *all, double *out);

/// Have they stayed the same in the step, to the last bit or but for noise? (They are those of takt_held::kept.)
bool takt_trials_has_rested(const takt_trials *all, bool is_exact);

/// Makes the step from the state in `slot`, by a scheme. The outputs then; infinite: it is not possible.
takt_status takt_trials_go(const takt_trials *all, int slot, const takt_scheme *scheme, double *out,
                           takt_error *err);

/// Makes it in one, with all values that the instance reads changed, but not at the end.
takt_status takt_trials_go_changed(const takt_trials *all, takt_change change, double *out,
                                   takt_error *err);

/// Goes on with inputs that stay, from one time behind the step to another: what the step did to states that outputs do not show
/// is seen later. With a change, inputs are changed, but not at the end. The outputs then; not a number: unknown.
takt_status takt_trials_go_on(const takt_trials *all, takt_change change, double t, double t_end,
                              double *out, takt_error *err);

/// The largest difference of outputs, relative to their size; 0 where it may be noise.
double takt_trials_response(const takt_trials *all, const double *a, const double *b);

/// The same, where a change of inputs has led from a to b. Small differences are compared with what a smaller change does, which
/// tells what is noise.
takt_status takt_trials_respond(takt_trials *all, const double *a, const double *b, double *out,
                                takt_error *err);

#endif
