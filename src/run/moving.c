// SPDX-License-Identifier: MIT
// Inputs that move within a step; see moving.h. In formulas tau is the time in the step, from 0 to 1; a and b
// are the ends of a piece of it.
//
// Source of the Gauss scheme: Blanes and Moan, "Fourth- and sixth-order commutator-free Magnus integrators"
// (2006), here applied to inputs that are held.
#include "run/moving.h"

#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "run/advance.h"
#include "run/calls.h"
#include "run/gather.h"
#include "run/pass.h"
#include "run/phases.h"

static const double ROOT = 0.28867513459481288; // sqrt(3) / 6

// Of a step: at all, and where straight lines between points must be near the course of an input.
enum { MOST_PIECES = 10000, MOST_POINTS = 256 };

// The part of its scale, times the root of the tolerance, that an input moves in one step of a fine pair.
static const double FINE = 1;

int takt_scheme_pieces(const takt_scheme *scheme, double h)
{
    if (!(scheme->piece > 0) || h <= scheme->piece) return 1;
    return (int)fmin(MOST_PIECES, ceil(h / scheme->piece - 1e-6));
}

int takt_scheme_cost(const takt_scheme *scheme)
{
    if (scheme->kind == TAKT_SCHEME_POINTS) return 2;
    if (scheme->kind != TAKT_SCHEME_GAUSS) return 1;
    return 2 * scheme->n_intervals * scheme->n_pairs + (isinf(scheme->window) ? 0 : 1);
}

// ---- preparation -----------------------------------------------------------------------------------

static void mark_continuous(const takt_access *access, const int first[], const takt_model *model,
                            bool *marks)
{
    for (int k = 0; k < access->n_values[TAKT_KIND_REAL]; k++) {
        const takt_variable *variable = takt_access_variable(access, model, TAKT_KIND_REAL, k);
        marks[first[TAKT_KIND_REAL] + k] = variable->variability == TAKT_CONTINUOUS;
    }
}

static bool moves(const takt_run *run, const takt_movement *movement, int i_instance, int k)
{
    const takt_plan_instance *plan = &run->plan->instances[i_instance];
    const takt_model *model = run->work.instances[i_instance].instance->model;
    const takt_variable *variable = takt_access_variable(&plan->inputs, model, TAKT_KIND_REAL, k);
    int source = run->plan->sources[TAKT_KIND_REAL][plan->first_input[TAKT_KIND_REAL] + k];
    return variable->variability == TAKT_CONTINUOUS && movement->is_continuous[source] &&
           !run->work.instances[i_instance].is_function;
}

bool takt_moving_feeds_through(const takt_run *run, int i_instance, int variable)
{
    const takt_plan_dependencies *all = &run->plan->dependencies[i_instance];
    const takt_access *outputs = &run->plan->instances[i_instance].outputs;
    for (int i = 0; i < all->n_outputs; i++) {
        const takt_dependency *output = &all->outputs[i];
        if (!output->is_known) return true;
        for (int k = 0; k < output->n_known; k++)
            if (output->known[k] == variable) return true;
    }
    return all->n_outputs == 0 && outputs->n_values[TAKT_KIND_REAL] > 0;
}

// Is the source of an input stepped after the instance that reads it? Torn values are marked.
static bool is_torn(const takt_run *run, int source)
{
    return run->work.marks[source];
}

static takt_moving_input make_input(const takt_run *run, const takt_movement *movement, int input)
{
    const takt_plan *plan = run->plan;
    int source = plan->sources[TAKT_KIND_REAL][input];
    bool is_straight = movement->is_straight[source], is_late = is_torn(run, source);
    return (takt_moving_input){.input = input,
                               .source = source,
                               .factor = plan->factors ? plan->factors[input] : 1,
                               .offset = plan->offsets ? plan->offsets[input] : 0,
                               .is_straight = is_straight,
                               .is_late = is_late};
}

static bool follows(const takt_run *run, const takt_model *model, int variable)
{
    return run->plan->system->settings.input_derivatives != TAKT_DERIVATIVES_OFF &&
           takt_model_interpolates(model, variable);
}

// `variables` has room for the inputs of any instance.
static takt_status find_inputs(takt_run *run, takt_movement *out, int i, int *variables,
                               takt_error *err)
{
    const takt_plan_instance *plan = &run->plan->instances[i];
    const takt_model *model = run->work.instances[i].instance->model;
    takt_moving *own = &out->of[i];
    int n = plan->inputs.n_values[TAKT_KIND_REAL], first = plan->first_input[TAKT_KIND_REAL];
    size_t room = TAKT_MAX_COEFFICIENTS * (size_t)n;
    own->inputs = takt_arena_array(&run->arena, (size_t)n, sizeof *own->inputs);
    own->coefficients = takt_arena_array(&run->arena, room, sizeof *own->coefficients);
    own->derivatives = takt_arena_array(&run->arena, room, sizeof *own->derivatives);
    if (!own->inputs || !own->coefficients || !own->derivatives) return takt_fail_memory(err);
    for (int k = 0; k < n; k++) {
        int variable = takt_access_index(&plan->inputs, TAKT_KIND_REAL, k);
        if (!moves(run, out, i, k) || !follows(run, model, variable)) continue;
        variables[own->n_followed] = variable;
        own->inputs[own->n_followed++] = make_input(run, out, first + k);
    }
    for (int k = 0; k < n; k++) {
        int variable = takt_access_index(&plan->inputs, TAKT_KIND_REAL, k);
        if (!moves(run, out, i, k) || follows(run, model, variable)) continue;
        own->inputs[own->n_followed + own->n_held++] = make_input(run, out, first + k);
        own->reads_again |= takt_moving_feeds_through(run, i, variable);
    }
    if (own->n_followed &&
        !takt_access_create(&run->arena, model, variables, own->n_followed, &own->followed, NULL))
        return takt_fail_memory(err);
    own->gathers = own->n_followed < n || run->work.instances[i].gathers_more;
    own->is_simple = n == 1 && own->n_followed == 1 && !own->gathers && !own->inputs->is_straight;
    return TAKT_OK;
}

static void mark_outputs(takt_run *run, int i_instance, bool mark)
{
    const takt_plan_instance *plan = &run->plan->instances[i_instance];
    int first = plan->first_output[TAKT_KIND_REAL];
    for (int k = 0; k < plan->outputs.n_values[TAKT_KIND_REAL]; k++)
        run->work.marks[first + k] = mark;
}

// Member by member; the outputs of those that have not had their turn are marked.
static takt_status find_inputs_of(takt_run *run, takt_movement *out, const takt_block *block,
                                  int *variables, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int m = 0; m < block->n_members; m++) mark_outputs(run, block->members[m], true);
    for (int m = 0; m < block->n_members; m++) {
        if (!st) st = find_inputs(run, out, block->members[m], variables, err);
        mark_outputs(run, block->members[m], false);
    }
    return st;
}

takt_status takt_movement_create(takt_run *run, takt_movement *out, takt_error *err)
{
    int n = run->work.n_instances, most = 1;
    size_t n_y = (size_t)run->plan->n_outputs[TAKT_KIND_REAL];
    for (int i = 0; i < n; i++) {
        int n_inputs = run->plan->instances[i].inputs.n_values[TAKT_KIND_REAL];
        if (n_inputs > most) most = n_inputs;
    }
    out->of = takt_arena_array(&run->arena, (size_t)n, sizeof *out->of);
    out->is_continuous = takt_arena_array(&run->arena, n_y, sizeof *out->is_continuous);
    out->is_straight = takt_arena_array(&run->arena, n_y, sizeof *out->is_straight);
    int *variables = takt_arena_array(&run->arena, (size_t)most, sizeof *variables);
    if (!out->of || !out->is_continuous || !out->is_straight || !variables)
        return takt_fail_memory(err);
    for (int i = 0; i < n; i++) {
        const takt_plan_instance *plan = &run->plan->instances[i];
        const takt_model *model = run->work.instances[i].instance->model;
        mark_continuous(&plan->outputs, plan->first_output, model, out->is_continuous);
        bool is_straight = model->version && strcmp(model->version, "table") == 0;
        for (int k = 0; k < plan->outputs.n_values[TAKT_KIND_REAL]; k++)
            out->is_straight[plan->first_output[TAKT_KIND_REAL] + k] = is_straight;
        mark_continuous(&plan->recorded, plan->first_recorded, model, out->is_continuous);
        mark_continuous(&plan->tested, plan->first_tested, model, out->is_continuous);
    }
    takt_status st = TAKT_OK;
    for (int b = 0; b < run->plan->n_blocks && !st; b++)
        st = find_inputs_of(run, out, &run->plan->blocks[b], variables, err);
    return st;
}

// ---- polynomials -----------------------------------------------------------------------------------

enum { N_WEIGHTS = TAKT_MAX_COEFFICIENTS - 1 };

// What follows from the weights.
static void find_rates(takt_course *course)
{
    course->rates[0] = 1;
    for (int d = 1; d < TAKT_MAX_COEFFICIENTS; d++)
        course->rates[d] = course->rates[d - 1] * (d / course->h);
    for (int j = 1; j < course->n; j++)
        for (int d = 0; d < N_WEIGHTS; d++)
            course->by_time[j][d] = course->weights[j][d] * course->rates[d + 1];
}

void takt_course_begin(takt_course *course, const takt_history *history, int k, double h)
{
    double tau[TAKT_MAX_POINTS], matrix[TAKT_MAX_POINTS * TAKT_MAX_POINTS];
    int n = k + 1;
    course->t = takt_history_time(history, 0);
    course->h = h;
    course->from = 0;
    course->to = 1;
    course->is_shortened = course->holds_late = false;
    course->n = course->n_coefficients = n;
    course->places = NULL;
    course->past = NULL;
    for (int j = 0; j < k; j++) {
        tau[j] = (takt_history_time(history, j) - course->t) / h;
        course->rows[j] = takt_history_values(history, j);
    }
    course->begin = course->rows[0];
    tau[k] = 1;
    takt_interpolation_matrix(n, tau, matrix);
    for (int j = 1; j < n; j++)
        for (int d = 1; d <= N_WEIGHTS; d++)
            course->weights[j][d - 1] = d < n ? matrix[d * n + j] : 0;
    find_rates(course);
}

// With a number of points that the compiler knows.
TAKT_INLINE void add_past(int last, const takt_course *course, const takt_range *range,
                          double (*restrict past)[N_WEIGHTS])
{
    for (int i = range->first; i < range->end; i++) {
        double y0 = course->rows[0][i], sum[N_WEIGHTS] = {0};
        for (int j = 1; j < last; j++) {
            double v =
                course->rows[j][i] - y0; // the order of the sums is that of interpolate_with()
            for (int d = 0; d < N_WEIGHTS; d++)
                sum[d] = j == 1 ? course->by_time[1][d] * v : sum[d] + course->by_time[j][d] * v;
        }
        for (int d = 0; d < N_WEIGHTS; d++) past[i][d] = sum[d];
    }
}

void takt_course_add_past(takt_course *course, const takt_ranges *wanted,
                          double (*past)[TAKT_MAX_COEFFICIENTS - 1])
{
    if (course->n < 3) return; // there is no past
    for (int r = 0; r < wanted->n; r++) {
        const takt_range *range = &wanted->of[r];
        switch (course->n - 1) {
        case 2: add_past(2, course, range, past); break;
        case 3: add_past(3, course, range, past); break;
        case 4: add_past(4, course, range, past); break;
        case 5: add_past(5, course, range, past); break;
        default: add_past(TAKT_MAX_POINTS - 1, course, range, past);
        }
    }
    course->past = (const double(*)[N_WEIGHTS])past;
}

void takt_course_shorten(takt_course *course, double part)
{
    double power = 1;
    course->past = NULL;
    course->h *= part;
    course->is_shortened = true; // (given polynomials are those of whole steps)
    for (int d = 1; d < course->n; d++) {
        power *= part;
        for (int j = 1; j < course->n; j++) course->weights[j][d - 1] *= power;
    }
    find_rates(course);
}

void takt_course_freeze(takt_course *course)
{
    course->is_shortened = true; // inputs are those of the polynomials
    course->places = NULL;
    course->past = NULL;
    course->n_coefficients = course->n;
    memset(course->weights, 0, sizeof course->weights);
    memset(course->by_time, 0, sizeof course->by_time);
}

void takt_course_flatten(takt_course *course, const double *y)
{
    course->rows[0] = y;
    course->past = NULL;
    memset(course->weights, 0, sizeof course->weights);
    memset(course->by_time, 0, sizeof course->by_time);
}

static void go_straight(const takt_moving_input *input, double y, double y0, double *c)
{
    c[0] = input->factor * y0 + input->offset;
    for (int d = 1; d < TAKT_MAX_COEFFICIENTS; d++) c[d] = 0;
    c[1] = input->factor * (y - y0);
}

// The polynomial that is given for a value of y; NULL: none is.
static inline const double *given_for(const takt_course *course, int source)
{
    if (TAKT_LIKELY(!course->places) || course->places[source] < 0) return NULL;
    return course->given + TAKT_MAX_COEFFICIENTS * course->places[source];
}

static void go_as_given(const takt_moving_input *input, const double *given, int n, double *c)
{
    for (int d = 0; d < n; d++) c[d] = input->factor * given[d];
    for (int d = n; d < TAKT_MAX_COEFFICIENTS; d++) c[d] = 0;
    c[0] += input->offset;
}

// The polynomial through the points, by weights of the course: with a number of points that the compiler knows it adds
// several sums at once.
TAKT_INLINE void interpolate_with(int last, const takt_moving_input *input,
                                  const takt_course *course, const double (*weights)[N_WEIGHTS],
                                  const double *y, double *restrict out)
{
    int source = input->source;
    double y0 = course->rows[0][source], v[TAKT_MAX_POINTS], sum[N_WEIGHTS];
    for (int j = 1; j < last; j++) v[j] = course->rows[j][source] - y0;
    v[last] = y[source] - y0; // from the latest point on: what is constant stays so
    for (int d = 0; d < N_WEIGHTS; d++) sum[d] = weights[1][d] * v[1];
    for (int j = 2; j <= last; j++)
        for (int d = 0; d < N_WEIGHTS; d++) sum[d] += weights[j][d] * v[j];
    for (int d = 0; d < N_WEIGHTS; d++) out[d + 1] = input->factor * sum[d];
    out[0] = input->factor * y0 + input->offset;
}

static void interpolate(const takt_moving_input *input, const takt_course *course,
                        const double (*weights)[N_WEIGHTS], const double *y, double *out)
{
    switch (course->n - 1) {
    case 1: interpolate_with(1, input, course, weights, y, out); break;
    case 2: interpolate_with(2, input, course, weights, y, out); break;
    case 3: interpolate_with(3, input, course, weights, y, out); break;
    case 4: interpolate_with(4, input, course, weights, y, out); break;
    case 5: interpolate_with(5, input, course, weights, y, out); break;
    default: interpolate_with(TAKT_MAX_POINTS - 1, input, course, weights, y, out);
    }
}

// Does the polynomial of an input go through the points?
static inline bool is_interpolated(const takt_moving_input *input, const takt_course *course)
{
    return TAKT_LIKELY(!input->is_straight && !given_for(course, input->source));
}

// The coefficients in tau of a moving input.
static void find_polynomial(const takt_moving_input *input, const takt_course *course,
                            const double *y, double *c)
{
    if (is_interpolated(input, course))
        interpolate(input, course, course->weights, y, c);
    else if (input->is_straight)
        go_straight(input, y[input->source], course->begin[input->source], c);
    else
        go_as_given(input, given_for(course, input->source), course->n_coefficients, c);
}

// The value of a moving input at the beginning of the step, and its derivatives by time there.
static inline void find_motion(const takt_moving_input *input, const takt_course *course,
                               const double *y, double *out)
{
    if (is_interpolated(input, course)) {
        interpolate(input, course, course->by_time, y, out);
        return;
    }
    find_polynomial(input, course, y, out);
    for (int d = 0; d < TAKT_MAX_COEFFICIENTS; d++) out[d] *= course->rates[d];
}

// The coefficients in tau of all moving inputs.
static void find_coefficients(const takt_run *run, const takt_moving *moving,
                              const takt_course *course)
{
    int n_inputs = moving->n_followed + moving->n_held;
    for (int i = 0; i < n_inputs; i++)
        find_polynomial(&moving->inputs[i], course, run->state.y.real,
                        moving->coefficients + i * TAKT_MAX_COEFFICIENTS);
}

// ---- pieces of a step ------------------------------------------------------------------------------

/// An instance on its way through a step.
typedef struct way {
    takt_run *run;
    const takt_movement *movement;
    const takt_moving *moving;
    const takt_course *course;
    int i_instance;
    const takt_step *step;
    takt_outcome *outcome;
} way;

static const double *held_coefficients(const way *at, int i)
{
    return at->moving->coefficients + (at->moving->n_followed + i) * TAKT_MAX_COEFFICIENTS;
}

// Brings what the instance holds to the inputs: a mean, or values at a point.
static double held_value(const way *at, int i, double tau)
{
    return takt_polynomial_value(at->course->n_coefficients, held_coefficients(at, i), tau);
}

static double held_mean(const way *at, int i, double a, double b)
{
    return takt_polynomial_mean(at->course->n_coefficients, held_coefficients(at, i), a, b);
}

static double *held_input(const way *at, int i)
{
    return &at->run->state.u.real[at->moving->inputs[at->moving->n_followed + i].input];
}

// The instance follows the others by itself, from tau = a on: the values of inputs there, and their derivatives.
static void find_derivatives(const way *at, double a)
{
    int n = at->moving->n_followed, n_coefficients = at->course->n_coefficients;
    double *derivatives = at->moving->derivatives, *u = at->run->state.u.real;
    for (int i = 0; i < n; i++) {
        double c[TAKT_MAX_COEFFICIENTS];
        memcpy(c, at->moving->coefficients + i * TAKT_MAX_COEFFICIENTS, sizeof c);
        if (a > 0) takt_polynomial_shift(n_coefficients, c, a);
        u[at->moving->inputs[i].input] = c[0];
        for (int d = 0; d < n_coefficients; d++)
            derivatives[d * n + i] = c[d] * at->course->rates[d];
    }
}

// Call by call, each of them timed.
static takt_status go_timed(takt_run *run, int i_instance, const takt_coupling_motion *motion,
                            const takt_step *piece, takt_outcome *outcome, takt_error *err)
{
    takt_step_result result = {.end = TAKT_STEP_DONE};
    if (run->work.instances[i_instance].phases)
        return takt_phases_step(run, i_instance, motion, piece, outcome, err);
    takt_status st = takt_run_set_inputs(run, i_instance, piece->t, err);
    if (!st && motion->inputs)
        st = takt_run_set_motion(run, i_instance, motion->inputs, motion->order,
                                 motion->derivatives, piece->t, err);
    if (!st) st = takt_run_do_step(run, i_instance, piece, &result, err);
    return st ? st : takt_run_after_step(run, i_instance, piece, &result, outcome, err);
}

// One step of the instance from tau = a to b, with the held inputs as they are in u.
static takt_status go(const way *at, double a, double b, takt_error *err)
{
    const takt_step *whole = at->step;
    takt_step piece = *whole;
    if (a > 0) {
        piece.t = whole->t + a * whole->h;
        piece.is_final = false; // it may be rewound to the beginning of the whole step
    }
    piece.h = (b < 1 ? whole->t + b * whole->h : whole->t + whole->h) - piece.t;
    if (a == 0 && b == 1) piece.h = whole->h;
    takt_coupling_motion motion = {NULL, at->course->n_coefficients - 1, at->moving->derivatives,
                                   0};
    if (at->moving->n_followed) {
        find_derivatives(at, a);
        motion.inputs = &at->moving->followed;
    }
    if (takt_pass_is_timed(at->run, &at->run->work.instances[at->i_instance]))
        return go_timed(at->run, at->i_instance, &motion, &piece, at->outcome, err);
    return takt_pass_one(at->run, at->i_instance, &motion, &piece, at->outcome, err);
}

static takt_status go_with_mean(const way *at, double a, double b, takt_error *err)
{
    for (int i = 0; i < at->moving->n_held; i++) *held_input(at, i) = held_mean(at, i, a, b);
    return go(at, a, b, err);
}

// A pair of steps from a to a + l.
static takt_status go_by_pair(const way *at, double a, double l, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int half = 0; half < 2 && !st && at->outcome->end == TAKT_STEP_DONE; half++) {
        double first = 0.5 + (half ? -2 : 2) * ROOT;
        for (int i = 0; i < at->moving->n_held; i++) {
            double u1 = held_value(at, i, a + (0.5 - ROOT) * l);
            double u2 = held_value(at, i, a + (0.5 + ROOT) * l);
            *held_input(at, i) = first * u1 + (1 - first) * u2;
        }
        st = go(at, a + 0.5 * half * l, a + 0.5 * (half + 1) * l, err);
    }
    return st;
}

// What the held input that moves most moves in the step, as a part of its scale.
static double find_movement(const way *at)
{
    double most = 0;
    for (int i = 0; i < at->moving->n_held; i++) {
        const double *c = held_coefficients(at, i);
        const takt_moving_input *input = &at->moving->inputs[at->moving->n_followed + i];
        double scale = fabs(input->factor) * at->movement->scale[input->source], moved = 0;
        for (int d = 1; d < at->course->n_coefficients; d++) moved += fabs(c[d]);
        if (moved > 0) most = fmax(most, moved / scale);
    }
    return most;
}

// A state that is led into saturation within a pair, or out of it, is off by the square of what inputs move meanwhile: the mean
// of a bent function is not the function of the mean.
static int count_fine_pairs(const way *at, int n_intervals)
{
    double longest = n_intervals == 1 ? 1 : 0.5; // interval
    double n = longest * find_movement(at) / (2 * FINE * sqrt(at->movement->tolerance));
    return (int)fmin(TAKT_MOST_FINE, fmax(1, ceil(n)));
}

static takt_status go_by_pairs(const way *at, const takt_scheme *scheme, takt_error *err)
{
    double a = 0, h = at->course->h;
    int n_pairs = scheme->n_pairs;
    if (scheme->most_fine)
        n_pairs =
            (int)fmax(n_pairs, fmin(scheme->most_fine, count_fine_pairs(at, scheme->n_intervals)));
    takt_status st = TAKT_OK;
    if (scheme->window < h) {
        double n_halvings = fmax(0, floor(log2(h / scheme->window) + 1e-9));
        a = 1 - exp2(-n_halvings);
        if (a > 0) st = go_with_mean(at, 0, a, err);
    }
    for (int k = 0; k < scheme->n_intervals; k++) {
        bool is_last = k == scheme->n_intervals - 1;
        double end = is_last ? 1 : a + (1 - a) / 2, l = (end - a) / n_pairs;
        for (int p = 0; p < n_pairs && !st && at->outcome->end == TAKT_STEP_DONE; p++) {
            bool is_end = is_last && p == n_pairs - 1;
            double from = a + p * l;
            st = go_by_pair(at, from, is_end ? 1 - from : l, err);
        }
        a = end;
    }
    return st;
}

// So many pieces that each held input is nearer to a straight line in each of them than the tolerance (it is off by
// u'' / 8 times the square of their length), times `more`.
static int count_points(const way *at, int more)
{
    double most = 0;
    for (int i = 0; i < at->moving->n_held; i++) {
        const double *c = held_coefficients(at, i);
        const takt_moving_input *input = &at->moving->inputs[at->moving->n_followed + i];
        double scale = fabs(input->factor) * at->movement->scale[input->source], curve = 0;
        for (int d = 2; d < at->course->n_coefficients; d++) curve += d * (d - 1) * fabs(c[d]);
        if (curve > 0) most = fmax(most, curve / (8 * at->movement->tolerance * scale));
    }
    return (int)fmin(MOST_POINTS, fmax(1, ceil(more * sqrt(most))));
}

// Pieces of equal size, each with the inputs at its end.
static takt_status go_by_pieces(const way *at, int n, takt_error *err)
{
    double from = at->course->from, to = at->course->to;
    takt_status st = TAKT_OK;
    for (int m = 0; m < n && !st && at->outcome->end == TAKT_STEP_DONE; m++) {
        double a = from + (to - from) * m / n;
        double b = m == n - 1 ? to : from + (to - from) * (m + 1) / n;
        for (int i = 0; i < at->moving->n_held; i++) *held_input(at, i) = held_value(at, i, b);
        st = go(at, a, b, err);
    }
    return st;
}

// Outputs that depend on inputs directly are those of the inputs at the end.
static takt_status read_again(const way *at, takt_error *err)
{
    double t_end = at->step->t + at->step->h;
    if (!at->moving->reads_again || at->outcome->end != TAKT_STEP_DONE) return TAKT_OK;
    for (int i = 0; i < at->moving->n_held; i++) *held_input(at, i) = held_value(at, i, 1);
    takt_status st = takt_run_set_inputs(at->run, at->i_instance, t_end, err);
    return st ? st : takt_run_get_outputs(at->run, at->i_instance, t_end, err);
}

bool takt_moving_is_at_rest(const takt_run *run, const takt_moving *moving,
                            const takt_course *course)
{
    for (int i = moving->n_followed; i < moving->n_followed + moving->n_held; i++) {
        int source = moving->inputs[i].source;
        double y0 = course->rows[0][source];
        const double *given = given_for(course, source);
        for (int d = 1; d < course->n_coefficients && given; d++)
            if (given[d] != 0) return false;
        if (run->state.y.real[source] != y0) return false;
        for (int j = 1; j < course->n - 1 && !given; j++)
            if (course->rows[j][source] != y0) return false;
    }
    return true;
}

// The values that held inputs have in a single step.
static void choose_held(const way *at)
{
    for (int i = 0; i < at->moving->n_held; i++) {
        const takt_moving_input *input = &at->moving->inputs[at->moving->n_followed + i];
        if (at->course->holds_late && input->is_late)
            *held_input(at, i) = input->factor * at->course->begin[input->source] + input->offset;
        else if (at->course->is_shortened)
            *held_input(at, i) = held_value(at, i, 1);
    }
}

// Rows show inputs as they are at the end.
static void show_inputs(takt_run *run, const takt_moving *moving)
{
    const double *y = run->state.y.real;
    for (int i = 0; i < moving->n_followed + moving->n_held; i++) {
        const takt_moving_input *input = &moving->inputs[i];
        run->state.u.real[input->input] = input->factor * y[input->source] + input->offset;
    }
}

// The inputs that an instance follows, in the order of its access.
TAKT_APART static void find_motions(takt_run *run, const takt_moving *moving,
                                    const takt_course *course)
{
    int n = moving->n_followed;
    const takt_moving_input *inputs = moving->inputs;
    double *out = moving->derivatives, *u = run->state.u.real;
    for (int i = 0; i < n; i++) {
        double one[TAKT_MAX_COEFFICIENTS];
        find_motion(&inputs[i], course, run->state.y.real, one);
        u[inputs[i].input] = one[0];
        for (int d = 0; d < TAKT_MAX_COEFFICIENTS; d++) out[d * n + i] = one[d];
    }
}

// An instance that follows its inputs by itself makes the whole step at once.
static inline takt_status advance_whole(takt_run *run, const takt_moving *moving, int i_instance,
                                        const takt_step *step, const takt_course *course,
                                        takt_outcome *outcome, takt_error *err)
{
    const takt_coupling_motion motion = {moving->n_followed ? &moving->followed : NULL,
                                         course->n_coefficients - 1, moving->derivatives,
                                         N_WEIGHTS};
    takt_status st = moving->gathers ? takt_run_gather(run, i_instance, err) : TAKT_OK;
    if (st) return st;
    find_motions(run, moving, course);
    if (takt_pass_is_timed(run, &run->work.instances[i_instance]))
        st = go_timed(run, i_instance, &motion, step, outcome, err);
    else
        st = takt_pass_one(run, i_instance, &motion, step, outcome, err);
    if (!st) show_inputs(run, moving);
    return st;
}

// interpolate() for derivatives by time, when the contributions of the past are known.
static inline void add_present(const takt_moving_input *input, const takt_course *course,
                               const double *y, double *out)
{
    int source = input->source;
    const double *past = course->past[source], *weights = course->by_time[course->n - 1];
    double y0 = course->rows[0][source], v = y[source] - y0, factor = input->factor;
    for (int d = 0; d < N_WEIGHTS; d++) out[d + 1] = factor * (past[d] + weights[d] * v);
    out[0] = factor * y0 + input->offset;
}

// The same with one input, which is interpolated, and no others: the usual case.
static inline takt_status advance_simple(takt_run *run, const takt_moving *moving, int i_instance,
                                         const takt_step *step, const takt_course *course,
                                         takt_outcome *outcome, takt_error *err)
{
    const takt_moving_input *input = moving->inputs;
    const double *y = run->state.y.real;
    double *u = &run->state.u.real[input->input];
    const takt_coupling_motion motion = {&moving->followed, course->n_coefficients - 1,
                                         moving->derivatives, N_WEIGHTS};
    if (TAKT_LIKELY(course->past))
        add_present(input, course, y, moving->derivatives);
    else
        interpolate(input, course, course->by_time, y, moving->derivatives);
    *u = moving->derivatives[0];
    takt_status st = takt_pass_is_timed(run, &run->work.instances[i_instance])
                         ? go_timed(run, i_instance, &motion, step, outcome, err)
                         : takt_pass_one(run, i_instance, &motion, step, outcome, err);
    if (!st) *u = input->factor * y[input->source] + input->offset; // see show_inputs()
    return st;
}

// By the scheme of the instance.
TAKT_APART static takt_status advance_by_scheme(takt_run *run, const takt_movement *movement,
                                                int i_instance, const takt_step *step,
                                                const takt_course *course,
                                                const takt_scheme *scheme, takt_outcome *outcome,
                                                takt_error *err)
{
    bool is_part = course->from > 0 || course->to < 1;
    way at = {.run = run,
              .movement = movement,
              .moving = &movement->of[i_instance],
              .course = course,
              .i_instance = i_instance,
              .step = step,
              .outcome = outcome};
    takt_status st = takt_run_gather(run, i_instance, err);
    if (st) return st;
    find_coefficients(run, at.moving, course);
    choose_held(&at);
    bool is_simple = scheme->kind == TAKT_SCHEME_END || scheme->kind == TAKT_SCHEME_POINTS ||
                     takt_moving_is_at_rest(run, at.moving, course);
    int n = is_simple ? takt_scheme_pieces(scheme, (course->to - course->from) * step->h) : 1;
    if (scheme->kind == TAKT_SCHEME_POINTS) n = (int)fmax(n, count_points(&at, scheme->n_pairs));
    if (is_simple) {
        st = n > 1 || is_part ? go_by_pieces(&at, n, err) : go(&at, 0, 1, err);
    } else {
        st = scheme->kind == TAKT_SCHEME_MEAN ? go_with_mean(&at, 0, 1, err)
                                              : go_by_pairs(&at, scheme, err);
        if (!st) st = read_again(&at, err);
    }
    if (!st) show_inputs(run, at.moving);
    return st;
}

takt_status takt_moving_advance(takt_run *run, const takt_movement *movement, int i_instance,
                                const takt_step *step, const takt_course *course,
                                const takt_scheme *scheme, takt_outcome *outcome, takt_error *err)
{
    const takt_moving *moving = &movement->of[i_instance];
    bool is_part = course->from > 0 || course->to < 1;
    bool is_long = scheme->piece > 0 && step->h > scheme->piece;
    if (TAKT_LIKELY(moving->is_simple && !course->places && !is_part && !is_long))
        return advance_simple(run, moving, i_instance, step, course, outcome, err);
    if (TAKT_LIKELY(moving->n_held == 0 && !is_part && !is_long))
        return advance_whole(run, moving, i_instance, step, course, outcome, err);
    return advance_by_scheme(run, movement, i_instance, step, course, scheme, outcome, err);
}

double takt_moving_lead(takt_run *run, const takt_movement *movement, int i_instance,
                        const takt_course *course, const takt_scheme *scheme)
{
    way at = {.run = run,
              .movement = movement,
              .moving = &movement->of[i_instance],
              .course = course,
              .i_instance = i_instance};
    find_coefficients(run, at.moving, course);
    int n = scheme->kind == TAKT_SCHEME_POINTS ? count_points(&at, scheme->n_pairs) : 1;
    return find_movement(&at) / (2 * n * movement->tolerance);
}

takt_status takt_moving_read_again(takt_run *run, const takt_movement *movement, int i_instance,
                                   double t, takt_error *err)
{
    if (!movement->of[i_instance].reads_again) return TAKT_OK;
    takt_status st = takt_run_gather(run, i_instance, err);
    if (!st) st = takt_run_set_inputs(run, i_instance, t, err);
    return st ? st : takt_run_get_outputs(run, i_instance, t, err);
}
