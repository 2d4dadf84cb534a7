// SPDX-License-Identifier: MIT
// Couplings made by chance, with models that jump, diverge, leave their domain, discard and stop, and
// algorithms that change on the way. Whatever becomes of them: a run ends; after every step values and
// instances belong together; instances are rewound only as promised; failures say why.
#include "run/calls.h"
#include "run/waves.h"
#include "unit/run/models.h"

enum { N_COUPLINGS = 2000, MAX_MEMBERS = 5, MAX_STEPS = 5000 };

static test_coupling c;
static uint32_t seed;
static int64_t n_parallel; // waves that threads have shared, in all couplings

// Less than n.
static int chance(int n)
{
    seed = seed * 1103515245u + 12345u;
    return (int)((seed >> 16) % (uint32_t)n);
}

static const char *one_of(const char *const *texts, int n)
{
    return texts[chance(n)];
}

static const char *const algorithms[] = {"jacobi", "seidel",       "fixed-point",
                                         "newton", "quasi-newton", "anderson"};
static const char *const controls[] = {"fixed", "convergence", "richardson"};

// ---- a model of many kinds -------------------------------------------------------------------------

static const test_variable any_variables[] = {
    {"u", TAKT_INPUT, .start = "0"},
    {"u2", TAKT_INPUT, .start = "0"},
    {"n_in", TAKT_INPUT, .type = TAKT_INT32, .start = "0"},
    {"y", TAKT_OUTPUT, .depends = ""},
    {"z", TAKT_OUTPUT, .depends = "u"},
    {"n", TAKT_OUTPUT, .type = TAKT_INT32, .depends = ""},
    {"k", TAKT_PARAMETER, .start = "1"},
    {"kind", TAKT_PARAMETER, .start = "0"},
    {0},
};

static double next_y(const test_instance *at, double u, double t, double h)
{
    double k = at->real[6], y = at->state[0];
    switch ((int)at->real[7]) {
    case 0: return y + h * k * u; // an integrator
    case 1: return k * u + t;
    case 2: return u > 0.5 ? -k : k; // may flip for ever
    case 3: return sqrt(1 - u); // leaves its domain
    case 4: return k * u * u + 0.1; // diverges, or has no solution
    case 5: return t + h > 0.5 ? 1 : 0; // jumps
    default: return h > 0.03 && t > 0.3 ? NAN : sin(t + h); // needs small steps
    }
}

static void any_step(test_instance *at, double t, double h)
{
    double u = at->real[0] + 0.5 * at->real[1];
    at->state[0] = next_y(at, u, t, h);
    at->state[1] = u > 1 || at->integer[2] > 2 ? 0 : (double)at->integer[2] + 1;
}

static void any_output(test_instance *at)
{
    at->real[3] = at->state[0];
    at->real[4] = 0.3 * at->real[0] + at->state[0];
    at->integer[5] = (int64_t)at->state[1];
}

// ---- couplings -------------------------------------------------------------------------------------

static void couple(test_model *models, int n_threads)
{
    takt_text components = {0}, connections = {0}, settings = {0};
    int n = 2 + chance(MAX_MEMBERS - 1);
    takt_text_print(&settings,
                    "algorithm=%s step-control=%s step-size=0.1 step-max=0.2 step-min=0.002 "
                    "step-fallback=%s iterations=%d damping=%g start-time=%s stop-time=1 jobs=%d",
                    one_of(algorithms, 6), one_of(controls, 3), chance(2) ? "0" : "0.01",
                    1 + chance(12), chance(3) ? 1 : 0.5, chance(2) ? "0" : "-0.77", n_threads);
    takt_text_print(&connections, " ");
    for (int i = 0; i < n; i++) {
        takt_text_print(&components, "m%d:%s ", i, i % 2 ? "Other" : "Any");
        takt_text_print(&settings, " set=m%d.k=%g set=m%d.kind=%d", i, chance(7) - 3.3, i,
                        chance(7));
        if (chance(4))
            takt_text_print(&connections, "m%d.%s>m%d.u ", chance(n), chance(2) ? "y" : "z", i);
        if (chance(2)) takt_text_print(&connections, "m%d.y>m%d.u2 ", chance(n), i);
        if (chance(3)) takt_text_print(&connections, "m%d.n>m%d.n_in ", chance(n), i);
    }
    test_couple(&c, models, components.data, connections.data + 1, settings.data);
    assert_int_equal(takt_waves_force(c.run, &c.err), TAKT_OK);
    takt_text_clear(&components);
    takt_text_clear(&connections);
    takt_text_clear(&settings);
}

// The values that the run keeps are those that the instances have at this time.
static void check_values(int number)
{
    enum { MAX_VALUES = 3 * MAX_MEMBERS };
    double real[MAX_VALUES];
    int64_t integer[MAX_VALUES];
    const int *n = c.plan->n_outputs;
    assert_true(n[TAKT_KIND_REAL] <= MAX_VALUES && n[TAKT_KIND_INTEGER] <= MAX_VALUES);
    memcpy(real, c.run->state.y.real, (size_t)n[TAKT_KIND_REAL] * sizeof *real);
    memcpy(integer, c.run->state.y.integer, (size_t)n[TAKT_KIND_INTEGER] * sizeof *integer);
    for (int i = 0; i < c.run->work.n_instances; i++) {
        if (takt_run_get_outputs(c.run, i, 0, &c.err)) fail_msg("%d: %s", number, c.err.message);
        assert_near(((test_instance *)c.run->work.instances[i].instance)->time,
                    c.run->state.grid.time, 1e-9);
    }
    for (int i = 0; i < n[TAKT_KIND_REAL]; i++)
        if (real[i] != c.run->state.y.real[i]) fail_msg("%d: real value %d", number, i);
    for (int i = 0; i < n[TAKT_KIND_INTEGER]; i++)
        if (integer[i] != c.run->state.y.integer[i]) fail_msg("%d: integer value %d", number, i);
}

static void change_algorithm(void)
{
    char choice[40];
    snprintf(choice, sizeof choice, "%s%s", chance(2) ? "" : "m0=", one_of(algorithms, 6));
    assert_int_equal(takt_run_set_algorithm(c.run, choice, &c.err), TAKT_OK);
}

// All values after all steps, in one number.
static uint64_t mix(uint64_t sum)
{
    for (int i = 0; i < c.plan->n_outputs[TAKT_KIND_REAL]; i++) {
        uint64_t bits;
        memcpy(&bits, &c.run->state.y.real[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
    }
    return sum;
}

static takt_status run_to_the_end(int number, uint64_t *sum)
{
    takt_progress progress = TAKT_RUNNING;
    takt_status st = takt_run_initialize(c.run, &c.err);
    for (int i = 0; !st && progress == TAKT_RUNNING; i++) {
        if (i > MAX_STEPS) fail_msg("%d: too many steps", number);
        if (chance(5) == 0) change_algorithm();
        st = takt_run_step(c.run, &progress, &c.err);
        if (!st && progress != TAKT_TERMINATED) check_values(number);
        if (!st) *sum = mix(*sum);
    }
    return st;
}

// Returns true if it came to the stop time or an instance ended it.
static bool try_coupling(int number, int n_threads, uint64_t *sum)
{
    static const test_fault faults[] = {TEST_DISCARDS, TEST_STOPS, TEST_CREEPS};
    seed = (uint32_t)number * 7919u + 1;
    test_model any = {"Any", any_variables, .output = any_output, .step = any_step, REWINDS};
    int fault = chance(6);
    if (fault < 3) any.fault = faults[fault], any.fault_time = 0.45;
    test_model models[] = {any, any, {0}};
    models[1].name = "Other";
    models[1].is_split = n_threads > 1 && number % 2;
    couple(models, n_threads);
    c.run->work.n_first_timed = chance(2) ? 0 : 1000;
    c.err = (takt_error){0};
    takt_status st = run_to_the_end(number, sum);
    n_parallel += c.run->counts.n_parallel;
    if (st) assert_int_equal(st, TAKT_ERR_SIMULATION);
    // Every failure of these models comes with a remedy; a rule that was broken would not.
    bool is_told = strstr(c.err.message, "; try ") || strstr(c.err.message, "may avoid it");
    if (st && !is_told) fail_msg("%d: %s", number, c.err.message);
    test_uncouple(&c);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(models[i].counts.states, 0);
        assert_int_equal(models[i].counts.destroy, models[i].counts.instantiate);
    }
    return !st;
}

static void couplings_made_by_chance_keep_the_rules(void **state)
{
    (void)state;
    int n_good = 0;
    for (int i = 0; i < N_COUPLINGS; i++) n_good += try_coupling(i, 1, &(uint64_t){0});
    assert_true(n_good > N_COUPLINGS / 5);
}

static void threads_change_no_bit_and_no_message(void **state)
{
    (void)state;
    for (int i = 0; i < N_COUPLINGS; i += 5) {
        uint64_t serial = 0, parallel = 0;
        bool is_good = try_coupling(i, 1, &serial);
        takt_error err = c.err;
        assert_int_equal(try_coupling(i, 3, &parallel), is_good);
        assert_string_equal(c.err.message, err.message);
        if (serial != parallel) fail_msg("%d: other values with three threads", i);
    }
    assert_true(n_parallel > N_COUPLINGS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(couplings_made_by_chance_keep_the_rules),
        cmocka_unit_test(threads_change_no_bit_and_no_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
