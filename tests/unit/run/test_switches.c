// SPDX-License-Identifier: MIT
// Members whose outputs jump, and nobody announces it: a sampled controller whose jumps become small, a converter
// that an input enters and leaves within what would be one step, a generator of pulses, a heater that is on for a short
// time only. An oscillator with piecewise constant drive has a
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

// Pulses of 1, one in each PERIOD, first by `wide` of it and from `change` on by `narrow`; and what integrates them.
static const double PERIOD = 0.02;
static struct {
    double wide, narrow, change; // s: when
} pulses;
static double is_high(double t)
{
    double part = t / PERIOD - floor(t / PERIOD);
    return part < (t < pulses.change ? pulses.wide : pulses.narrow);
}
static const test_variable pulse_variables[] = {{"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void pulse_output(test_instance *at)
{
    at->real[0] = is_high(at->time);
}

// A body that cools slowly and is heated quickly, with its switch in another instance.
static const double COOLING = 0.02, HEATING = 2, COLD = 19, WARM = 20; // 1/s, K/s, degC
static void body_output(test_instance *at)
{
    at->real[1] = 20 + at->state[0];
}
static void body_step(test_instance *at, double t, double h)
{
    (void)t;
    double goal = HEATING * at->real[0] / COOLING - 20;
    at->state[0] = goal + (at->state[0] - goal) * exp(-COOLING * h);
}
static void switch_output(test_instance *at)
{
    at->real[1] = at->state[0];
}
static void switch_step(test_instance *at, double t, double h)
{
    (void)t, (void)h;
    if (at->real[0] < COLD) at->state[0] = 1;
    if (at->real[0] > WARM) at->state[0] = 0;
}

#define FREE .can = {.rewind = true, .variable_step = true}
static test_model models[] = {
    {"Oscillator", oscillator_variables, .output = oscillator_output, .step = oscillator_step,
     FREE},
    {"Controller", oscillator_variables, .output = controller_output, .step = controller_step,
     FREE},
    {"Converter", converter_variables, .output = converter_output, FREE},
    {"Pulses", pulse_variables, .output = pulse_output, FREE},
    INTEGRATOR,
    {"Body", oscillator_variables, .output = body_output, .step = body_step, FREE},
    {"Switch", oscillator_variables, .output = switch_output, .step = switch_step, FREE},
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

// The time that pulses were high until t.
static double high_until(double t)
{
    double n = floor(t / PERIOD + 1e-9), before = fmin(n, ceil(pulses.change / PERIOD - 1e-9));
    double part = t < pulses.change ? pulses.wide : pulses.narrow;
    double now = fmin(t - n * PERIOD, part * PERIOD);
    return (before * pulses.wide + (n - before) * pulses.narrow) * PERIOD + fmax(0, now);
}

static double error_of_pulses(double wide, double narrow, double tolerance, bool *is_doubted)
{
    char settings[100];
    snprintf(settings, sizeof settings, "tolerance=%g stop-time=3 output-interval=0.01", tolerance);
    pulses.wide = wide, pulses.narrow = narrow, pulses.change = 1;
    test_couple(&c, models, "p:Pulses i:Integrator", "p.y>i.u", settings);
    test_run_all(&c);
    double largest = 0;
    for (int i = 0; i < c.n_rows; i++)
        largest = fmax(largest, fabs(test_value(&c, "i.y", i) - 1 - high_until(c.time[i])));
    *is_doubted = test_count_doubts(&c) > 0;
    test_uncouple(&c);
    double error = largest / (1 + high_until(3)) / tolerance;
    print_message("pulses %g, %g at %g: %.3g tolerances%s\n", wide, narrow, tolerance, error,
                  *is_doubted ? ", doubted" : "");
    return error;
}

static void pulses_are_seen_from_the_beginning(void **state)
{
    (void)state;
    bool is_doubted;
    for (double tolerance = 1e-3; tolerance > 5e-6; tolerance /= 10) {
        assert_true(error_of_pulses(0.5, 0.5, tolerance, &is_doubted) < 10);
        assert_false(is_doubted);
    }
}

// What lies within one step before it is known that there are pulses cannot be seen. That it may be so is said.
static void pulses_that_may_have_been_missed_are_doubted(void **state)
{
    (void)state;
    static const double parts[][2] = {{0.5, 0.02}, {0.4, 0.97}, {1, 0.5}, {0, 0.6}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (double tolerance = 1e-3; tolerance > 5e-6; tolerance /= 10) {
            bool is_doubted;
            double error = error_of_pulses(parts[i][0], parts[i][1], tolerance, &is_doubted);
            assert_true(is_doubted || error < 10);
        }
}

static void switching_by_others_makes_no_pulses(void **state)
{
    (void)state;
    double cooling = log(WARM / COLD) / COOLING, goal = HEATING / COOLING;
    double heating = log((goal - COLD) / (goal - WARM)) / COOLING;
    test_couple(&c, models, "b:Body k:Switch", "b.y>k.u k.y>b.u",
                "tolerance=1e-4 stop-time=30 output-interval=0.1");
    test_run_all(&c);
    double largest = 0;
    for (int i = 0; i < c.n_rows; i++) {
        double in_cycle = fmod(c.time[i], cooling + heating), on = in_cycle - cooling;
        double T =
            on < 0 ? WARM * exp(-COOLING * in_cycle) : goal + (COLD - goal) * exp(-COOLING * on);
        largest = fmax(largest, fabs(test_value(&c, "b.y", i) - T));
    }
    assert_true(largest < 10 * 1e-4 * WARM);
    assert_int_equal(test_count_doubts(&c), 0);
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_jumps_of_a_sampled_controller_are_located),
        cmocka_unit_test(inputs_that_turn_back_in_a_step_are_seen_by_switches),
        cmocka_unit_test(pulses_are_seen_from_the_beginning),
        cmocka_unit_test(pulses_that_may_have_been_missed_are_doubted),
        cmocka_unit_test(switching_by_others_makes_no_pulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
