// SPDX-License-Identifier: MIT
// Members whose outputs jump, and nobody announces it: a sampled controller whose jumps become small, a converter
// that an input enters and leaves within what would be one step. An oscillator with piecewise constant drive has a
// closed form, so references are exact but for where jumps are.
#include "unit/run/models.h"

static test_coupling c;

static const double W = 2, Z = 0.3; // rad/s; damping

typedef struct motion {
    double x, v;
} motion;

// x'' = W^2 (u - x) - 2 Z W x' over a time of s seconds with u constant.
static motion move(motion at, double u, double s)
{
    double d = Z * W, w = W * sqrt(1 - Z * Z), e = at.x - u, f = (at.v + d * e) / w;
    double decay = exp(-d * s), co = cos(w * s), si = sin(w * s);
    double g = decay * (e * co + f * si);
    return (motion){u + g, -d * g + w * decay * (f * co - e * si)};
}

static const test_variable oscillator_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void oscillator_output(test_instance *at)
{
    at->real[1] = at->state[0];
}
static void oscillator_step(test_instance *at, double t, double h)
{
    (void)t;
    motion next = move((motion){at->state[0], at->state[1]}, at->real[0], h);
    at->state[0] = next.x;
    at->state[1] = next.v;
}

// A controller with a clock of its own: at multiples of SAMPLE its output follows from its input.
static const double SAMPLE = 0.05, P = 1.2, I = 0.8;
typedef struct controller {
    double sum, out;
} controller;
static void sample(controller *at, double y)
{
    at->sum += SAMPLE * I * (1 - y);
    at->out = P * (1 - y) + at->sum;
}
static void controller_output(test_instance *at)
{
    at->real[1] = at->state[1];
}
static void controller_step(test_instance *at, double t, double h)
{
    for (; at->state[2] * SAMPLE <= t + h; at->state[2]++) {
        controller own = {at->state[0], at->state[1]};
        sample(&own, at->real[0]);
        at->state[0] = own.sum;
        at->state[1] = own.out;
    }
}

// A converter to steps of LEVEL, and a controller behind it.
static const double LEVEL = 0.01, GAIN_BEHIND = 3;
static const test_variable converter_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "u"}, {0}};
static double level_of(double y)
{
    return floor(y / LEVEL + 0.5);
}
static void converter_output(test_instance *at)
{
    at->real[1] = GAIN_BEHIND * (1 - LEVEL * level_of(at->real[0]));
}

#define FREE .can = {.rewind = true, .variable_step = true}
static test_model models[] = {{"Oscillator", oscillator_variables, .output = oscillator_output,
                               .step = oscillator_step, FREE},
                              {"Controller", oscillator_variables, .output = controller_output,
                               .step = controller_step, FREE},
                              {"Converter", converter_variables, .output = converter_output, FREE},
                              {0}};

// ---- references ------------------------------------------------------------------------------------

// Where the exact course has come to.
typedef struct reference {
    double t, u;
    motion at;
    controller own;
    int n_samples; ///< behind the first
} reference;

static void sampled_until(reference *r, double t)
{
    for (;;) {
        double due = SAMPLE * (r->n_samples + 1);
        if (due > t) break;
        r->n_samples++;
        r->at = move(r->at, r->u, due - r->t);
        r->t = due;
        sample(&r->own, r->at.x);
        r->u = r->own.out;
    }
    r->at = move(r->at, r->u, t - r->t);
    r->t = t;
}

static void converted_until(reference *r, double t)
{
    const double fine = 1e-4;
    while (r->t < t) {
        double level = level_of(r->at.x), low = 0, high = fmin(fine, t - r->t);
        motion end = move(r->at, r->u, high);
        if (level_of(end.x) != level) {
            for (int n = 0; n < 50; n++) {
                double middle = low + (high - low) / 2;
                bool is_over = level_of(move(r->at, r->u, middle).x) != level;
                *(is_over ? &high : &low) = middle;
            }
            end = move(r->at, r->u, high);
        }
        r->at = end;
        r->t += high;
        r->u = GAIN_BEHIND * (1 - LEVEL * level_of(end.x));
    }
}

// The largest error of o.y in units of the tolerance, and doubts are none.
static double error_of(const char *components, const char *connections, double tolerance,
                       void (*until)(reference *, double))
{
    char settings[100];
    snprintf(settings, sizeof settings, "tolerance=%g stop-time=10 output-interval=0.01",
             tolerance);
    test_couple(&c, models, components, connections, settings);
    test_run_all(&c);
    reference r = {0};
    if (until == sampled_until) sample(&r.own, 0), r.u = r.own.out;
    if (until == converted_until) r.u = GAIN_BEHIND;
    double largest = 0, scale = 0;
    for (int i = 0; i < c.n_rows; i++) {
        if (c.time[i] > r.t) until(&r, c.time[i]);
        scale = fmax(scale, fabs(r.at.x));
        largest = fmax(largest, fabs(test_value(&c, "o.y", i) - r.at.x));
    }
    assert_int_equal(test_count_doubts(&c), 0);
    test_uncouple(&c);
    print_message("%s at %g: %.3g tolerances\n", components, tolerance,
                  largest / scale / tolerance);
    return largest / scale / tolerance;
}

// ---- tests -----------------------------------------------------------------------------------------

static void small_jumps_of_a_sampled_controller_are_located(void **state)
{
    (void)state;
    for (double tolerance = 1e-3; tolerance > 5e-7; tolerance /= 10)
        assert_true(error_of("o:Oscillator k:Controller", "k.y>o.u o.y>k.u", tolerance,
                             sampled_until) < 10);
}

static void inputs_that_turn_back_in_a_step_are_seen_by_switches(void **state)
{
    (void)state;
    for (double tolerance = 1e-3; tolerance > 5e-7; tolerance /= 10)
        assert_true(error_of("o:Oscillator k:Converter", "k.y>o.u o.y>k.u", tolerance,
                             converted_until) < 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_jumps_of_a_sampled_controller_are_located),
        cmocka_unit_test(inputs_that_turn_back_in_a_step_are_seen_by_switches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
