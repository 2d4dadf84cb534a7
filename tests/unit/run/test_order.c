// SPDX-License-Identifier: MIT
// The results of a run do not depend on how the project lists its components, to the last bit: couplings
// made by chance are run in several listings, with all algorithms and step controls.
#include "unit/run/models.h"

enum { N_COUPLINGS = 400, N_LISTINGS = 3, MAX_MEMBERS = 7, TEXT_SIZE = 4000 };

static test_coupling one, other;
static uint32_t seed = 1;

// Less than n.
static int chance(int n)
{
    seed = seed * 1103515245u + 12345u;
    return (int)((seed >> 16) % (uint32_t)n);
}

// Two channels: y reacts at once, x does not.
static const test_variable both_variables[] = {
    {"u", TAKT_INPUT, .start = "0"},     {"v", TAKT_INPUT, .start = "0"},
    {"y", TAKT_OUTPUT, .depends = "u"},  {"x", TAKT_OUTPUT, .depends = ""},
    {"k", TAKT_PARAMETER, .start = "1"}, {0},
};

static void both_output(test_instance *at)
{
    at->real[2] = sin(at->real[4] * at->real[0]) / 3 + at->state[0];
    at->real[3] = 1 + at->state[0];
}

static void both_step(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += h * (at->real[4] * at->real[1] - at->state[0] + at->real[0] / 7);
}

typedef struct coupling {
    char components[MAX_MEMBERS][32], connections[TEXT_SIZE], settings[TEXT_SIZE];
    int n;
} coupling;

static void make(coupling *out)
{
    static const char *const methods[] = {
        "algorithm=jacobi",
        "algorithm=seidel",
        "algorithm=fixed-point",
        "algorithm=newton",
        "algorithm=seidel step-control=richardson relative-tolerance=1e-3",
        "algorithm=fixed-point step-control=richardson relative-tolerance=1e-3",
        "algorithm=newton step-control=convergence",
    };
    takt_text connections = {0}, settings = {0};
    out->n = 2 + chance(MAX_MEMBERS - 1);
    takt_text_print(&settings, "%s step-size=0.1 step-max=0.1 step-min=0.01 stop-time=1",
                    methods[chance(7)]);
    for (int i = 0; i < out->n; i++) {
        snprintf(out->components[i], sizeof out->components[i], "m%d:Both", i);
        takt_text_print(&settings, " set=m%d.k=%g", i, 0.3 + chance(10) / 9.0);
        for (int k = 0; k < 2; k++)
            if (chance(5))
                takt_text_print(&connections, "%sm%d.%s>m%d.%s", connections.data ? " " : "",
                                chance(out->n), chance(2) ? "y" : "x", i, k ? "u" : "v");
    }
    snprintf(out->connections, TEXT_SIZE, "%s", connections.data ? connections.data : "");
    snprintf(out->settings, TEXT_SIZE, "%s", settings.data);
    takt_text_clear(&connections);
    takt_text_clear(&settings);
}

static void shuffle(coupling *c)
{
    for (int i = c->n - 1; i > 0; i--) {
        int k = chance(i + 1);
        char kept[sizeof c->components[0]];
        memcpy(kept, c->components[i], sizeof kept);
        memcpy(c->components[i], c->components[k], sizeof kept);
        memcpy(c->components[k], kept, sizeof kept);
    }
}

static void run(test_coupling *out, test_model *models, const coupling *c)
{
    char components[MAX_MEMBERS * 33] = "";
    for (int i = 0, n = 0; i < c->n; i++)
        n += snprintf(components + n, sizeof components - (size_t)n, "%s%s", i ? " " : "",
                      c->components[i]);
    test_couple(out, models, components, c->connections, c->settings);
    test_try_run_all(out);
}

static void compare(const coupling *c)
{
    assert_int_equal(one.status, other.status);
    assert_int_equal(one.n_rows, other.n_rows);
    for (int i = 0; i < one.n_rows; i++) {
        if (one.time[i] != other.time[i]) fail_msg("row %d: other time\n%s", i, c->settings);
        for (int k = 0; k < one.plan->n_columns; k++) {
            const char *name = takt_run_column(one.run, k);
            double a = test_value(&one, name, i), b = test_value(&other, name, i);
            if (a != b)
                fail_msg("%s, row %d: %.17g and %.17g\n%s\n%s", name, i, a, b, c->connections,
                         c->settings);
        }
    }
}

static void listings_give_equal_bits(void **state)
{
    (void)state;
    test_model models[] = {
        {"Both", both_variables, .output = both_output, .step = both_step, REWINDS}, {0}};
    for (int i = 0; i < N_COUPLINGS; i++) {
        coupling c;
        make(&c);
        run(&one, models, &c);
        for (int k = 0; k < N_LISTINGS; k++) {
            shuffle(&c);
            run(&other, models, &c);
            compare(&c);
            test_uncouple(&other);
        }
        test_uncouple(&one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(listings_give_equal_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
