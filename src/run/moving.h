// SPDX-License-Identifier: MIT
// Inputs that move within a step, along polynomials through the last communication points and the value at the
// end of the step: what the source has delivered there, or what is predicted of it.
//
// An instance that can follow polynomials gets them. One that holds its inputs is led along them by a scheme:
// it makes one step or several shorter ones, each with inputs that stand for the polynomial there.
#ifndef TAKT_RUN_MOVING_H
#define TAKT_RUN_MOVING_H

#include "run/history.h"
#include "run/outcome.h"

enum { TAKT_MOST_FINE = 256, TAKT_FEW_FINE = 6 };

/// How an instance that holds its inputs is led through a step.
typedef enum takt_scheme_kind {
    TAKT_SCHEME_END, ///< one step with the values at the end
    TAKT_SCHEME_MEAN, ///< one step with the mean values
    TAKT_SCHEME_GAUSS, ///< pairs of short steps, graded towards the end
    TAKT_SCHEME_POINTS, ///< steps that are so short that straight lines between their ends are the course
} takt_scheme_kind;

/// The Gauss scheme (commutator-free Magnus method of fourth order): a pair of steps of equal size has inputs
/// weighted from those at the two Gauss points of the pair. The step is divided into intervals of 1/2, 1/4, ...
/// of it, the last two being equal, each made of pairs. What lies before the window, which the instance forgets
/// by the end of the step, is one step with the mean.
typedef struct takt_scheme {
    takt_scheme_kind kind;
    double window; ///< s; infinite: the whole step
    int n_intervals, n_pairs; ///< pairs per interval; by points: how many times as many as needed
    double
        piece; ///< s; the longest step that the instance may make where it would make one; 0: any
    int most_fine; ///< pairs are so many that inputs move little in each, but at most this; 0: as n_pairs says
} takt_scheme;

/// Into how many pieces of equal size `piece` divides a step of size h.
int takt_scheme_pieces(const takt_scheme *scheme, double h);

/// How many steps the instance makes; by points: at least.
int takt_scheme_cost(const takt_scheme *scheme);

typedef struct takt_moving_input {
    int input; ///< index in u
    int source; ///< index in y
    double factor, offset; ///< from source to input
    bool is_straight; ///< the source goes along straight lines between communication points
    bool is_late; ///< the source is stepped after the instance: its value at the end is a guess
} takt_moving_input;

/// The inputs of one instance that move.
typedef struct takt_moving {
    takt_moving_input *inputs; ///< first those that it follows itself, then those that it holds
    int n_followed, n_held;
    takt_access followed;
    double *coefficients; ///< of the present step, in tau: TAKT_MAX_COEFFICIENTS for each input
    double *derivatives; ///< of those it follows, by time: by order, then input
    bool gathers; ///< it has other inputs than those that it follows
    bool is_simple; ///< it follows its only input, which goes through the points
    bool reads_again; ///< outputs depend directly on inputs that are held
} takt_moving;

/// The polynomials of one step, for all values.
typedef struct takt_course {
    double t, h; ///< s
    double from, to; ///< parts of the step: 0, 1 is all of it
    bool is_shortened; ///< it ends before the values that it leads to
    bool holds_late; ///< late inputs that are held keep the value at the beginning
    int n; ///< points of the history, and the end of the step
    int n_coefficients; ///< n, or more where polynomials are given
    /// What each point but the latest contributes to the coefficients 1, 2, ..., per unit of its difference to
    /// that; the last one is the end of the step. 0 for those that the polynomials have not.
    double weights[TAKT_MAX_POINTS][TAKT_MAX_COEFFICIENTS - 1];
    double rates[TAKT_MAX_COEFFICIENTS]; ///< d! / h^d: makes derivatives by time of coefficients
    double by_time[TAKT_MAX_POINTS][TAKT_MAX_COEFFICIENTS - 1]; ///< `weights`, for these
    const double *rows[TAKT_MAX_POINTS]; ///< of the history
    const double *begin; ///< the values at the beginning of the step
    /// Per real value of y: what the points of the history contribute to the derivatives by time, which is the same for all
    /// sweeps; only those that inputs follow. NULL: not known, or no longer right.
    const double (*past)[TAKT_MAX_COEFFICIENTS - 1];
    const int *
        places; ///< per real value of y: where in `given` its polynomial is, -1: not there; NULL: none is given
    const double *given; ///< TAKT_MAX_COEFFICIENTS each, in tau
} takt_course;

typedef struct takt_movement {
    takt_moving *of; ///< per instance
    bool *is_continuous; ///< per real value of y: it may be predicted, and drawn through
    bool *
        is_straight; ///< per real value of y: it goes along straight lines between communication points
    double tolerance; ///< relative
    const double *scale; ///< per real value of y; borrowed
} takt_movement;

/// Finds the inputs that move. `is_held` is true for a value of y that jumps from point to point.
takt_status takt_movement_create(takt_run *run, takt_movement *out, takt_error *err);

/// May an output of the instance depend directly on this input?
bool takt_moving_feeds_through(const takt_run *run, int i_instance, int variable);

/// The polynomials of a step of size h through the latest k points, k < TAKT_MAX_POINTS.
void takt_course_begin(takt_course *course, const takt_history *history, int k, double h);

/// Computes `past`, which has room for all real values of y, of those that are wanted.
void takt_course_add_past(takt_course *course, const takt_ranges *wanted,
                          double (*past)[TAKT_MAX_COEFFICIENTS - 1]);

/// The same polynomials over a part of the step, from its beginning.
void takt_course_shorten(takt_course *course, double part);

/// The inputs keep the values of its beginning.
void takt_course_freeze(takt_course *course);

/// The inputs have the values in `y`, all values of the run, over the whole step: those that sources have just delivered, as
/// in one pass of Gauss-Seidel. Values that go along straight lines still do.
void takt_course_flatten(takt_course *course, const double *y);

/// Do all inputs that the instance holds keep their values? Then one step does, whatever the scheme.
bool takt_moving_is_at_rest(const takt_run *run, const takt_moving *moving,
                            const takt_course *course);

/// By how much the inputs that an instance holds are ahead of their course on average, in tolerances, with the values at the end
/// or by points.
double takt_moving_lead(takt_run *run, const takt_movement *movement, int i_instance,
                        const takt_course *course, const takt_scheme *scheme);

/// Steps an instance along the course that leads to the present values of y, and reads its outputs. One that steps in two phases is called
/// again until no step is under way; see phases.h.
takt_status takt_moving_advance(takt_run *run, const takt_movement *movement, int i_instance,
                                const takt_step *step, const takt_course *course,
                                const takt_scheme *scheme, takt_outcome *outcome, takt_error *err);

/// After a step: where outputs depend directly on inputs that are held, sets the inputs from y and reads again.
takt_status takt_moving_read_again(takt_run *run, const takt_movement *movement, int i_instance,
                                   double t, takt_error *err);

#endif
