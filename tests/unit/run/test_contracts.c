// SPDX-License-Identifier: MIT
// The contracts of a run: an algorithm, an error estimator and a step-size controller that only this file
// knows work like the built-in ones.
#include <math.h>

#include "run/blocks.h"
#include "run/controller.h"
#include "run/estimator.h"
#include "run/loop_prepare.h"
#include "unit/run/models.h"

static test_coupling c;

// ---- an algorithm: secants on one torn unknown -----------------------------------------------------

typedef struct secant {
    takt_loop *loop;
    int64_t n_solved;
    double slope; // of the last step; carried from step to step
} secant;

static takt_status secant_prepare(takt_run *run, takt_run_block *block, void **data,
                                  takt_error *err)
{
    secant *own = takt_arena_alloc(&run->arena, sizeof *own);
    if (!own) return takt_fail_memory(err);
    own->loop = block->loop;
    *data = own;
    return takt_loop_find_unknowns(block->loop, err);
}

static takt_status secant_advance(takt_run *run, takt_run_block *block, const takt_step *step,
                                  takt_outcome *outcome, takt_error *err)
{
    (void)run;
    secant *own = block->use->data;
    takt_loop *loop = own->loop;
    takt_loop_begin(loop, step, outcome);
    assert_int_equal(loop->n_torn, 1);
    double x[64], z, t;
    bool is_finite;
    takt_loop_guess(loop, x);
    z = x[loop->torn[0]];
    takt_status st = takt_loop_remember(loop, err);
    if (!st) st = takt_loop_sweep_torn(loop, &z, x, &is_finite, err);
    t = x[loop->torn[0]];
    for (int i = 0; i < 20 && !st && fabs(t - z) > 1e-13; i++) {
        double z_next = z + (t - z) / (1 - own->slope);
        st = takt_loop_sweep_torn(loop, &z_next, x, &is_finite, err);
        double t_next = x[loop->torn[0]];
        if (z_next != z) own->slope = (t_next - t) / (z_next - z);
        z = z_next;
        t = t_next;
    }
    own->n_solved++;
    return st;
}

static void secant_forget(void *data)
{
    ((secant *)data)->slope = 0;
}

static takt_memory secant_memory(void *data)
{
    return (takt_memory){.data = &((secant *)data)->slope, .size = sizeof(double)};
}

static int secant_count(const void *data, takt_algorithm_count *out, int room)
{
    assert_true(room > 0);
    out[0] = (takt_algorithm_count){"solved", ((const secant *)data)->n_solved};
    return 1;
}

static const takt_algorithm_facts secant_facts = {"secant", .iterates = true};
static const takt_algorithm_type secant_algorithm = {.facts = &secant_facts,
                                                     .advance = secant_advance,
                                                     .prepare = secant_prepare,
                                                     .forget = secant_forget,
                                                     .memory = secant_memory,
                                                     .count = secant_count};

static void use(const takt_algorithm_type *type)
{
    for (int i = 0; i < c.plan->n_blocks; i++) {
        takt_run_block *block = &c.run->work.blocks[i];
        if (!block->plan->is_loop) continue;
        assert_int_equal(takt_block_prepare(c.run, block, type, &c.err), TAKT_OK);
        takt_block_use(block, type);
    }
    takt_blocks_arrange(c.run);
}

// a = -3 b + 1, b = 2 a + 0.5: repetition diverges, one secant solves it.
static void a_new_algorithm_solves_loops_without_seeing_instances(void **state)
{
    (void)state;
    test_model models[] = {GAIN, {0}};
    test_couple(&c, models, "a:Gain b:Gain", "a.y>b.u b.y>a.u",
                "algorithm=newton step-size=0.1 stop-time=1 set=a.k=-3 set=a.c=1 set=b.k=2 "
                "set=b.c=0.5");
    use(&secant_algorithm);
    test_run_all(&c);
    double a = (1 - 3 * 0.5) / 7;
    assert_near(test_value(&c, "a.y", -1), a, 1e-12);
    assert_near(test_value(&c, "b.y", -1), 2 * a + 0.5, 1e-12);
    takt_statistics s = {.size = sizeof s};
    takt_run_statistics(c.run, &s, NULL);
    assert_string_equal(s.loops[0]->algorithm, "secant");
    assert_string_equal(s.loops[0]->count_name, "solved");
    assert_int_equal(s.loops[0]->count, 10);
    test_uncouple(&c);
}

static void an_algorithm_that_iterates_needs_members_that_can_be_rewound(void **state)
{
    (void)state;
    test_model models[] = {{"Gain", gain_variables, .output = gain_output}, {0}};
    test_couple(&c, models, "a:Gain b:Gain", "a.y>b.u b.y>a.u", "algorithm=seidel stop-time=1");
    takt_run_block *block = &c.run->work.blocks[0];
    assert_int_equal(takt_block_prepare(c.run, block, &secant_algorithm, &c.err), TAKT_ERR_USAGE);
    assert_contains(c.err.message, "the loop of 'a' cannot use secant: instance 'a' cannot save");
    test_uncouple(&c);
}

// ---- an estimator and a controller -----------------------------------------------------------------

enum { MAX_SIZES = 1000 };

static struct {
    int n_estimates, n_sizes, n_created, n_destroyed;
    double sizes[MAX_SIZES];
} seen;

static takt_status toy_create(takt_run *run, void **data, takt_error *err)
{
    (void)run, (void)err;
    seen.n_created++;
    *data = &seen;
    return TAKT_OK;
}

static void toy_destroy(void *data)
{
    assert_ptr_equal(data, &seen);
    seen.n_destroyed++;
}

// The error of a step is its change of the first value, of which 0.05 is allowed.
static takt_status toy_estimate(void *data, takt_run *run, const takt_trial *trial,
                                takt_estimate *out, takt_error *err)
{
    (void)err;
    assert_ptr_equal(data, &seen);
    seen.n_estimates++;
    out->error = fabs(run->state.y.real[0] - trial->start->real[0]) / 0.05;
    return TAKT_OK;
}

// Half of the size after an error, else a tenth more. Counts its calls in its memory.
static double toy_after_error(const takt_settings *settings, double *memory, double h, double error)
{
    (void)settings;
    memory[0]++;
    if (seen.n_sizes < MAX_SIZES && error <= 1) seen.sizes[seen.n_sizes++] = h;
    return error > 1 ? h / 2 : 1.1 * h;
}

static double toy_after_failure(const takt_settings *settings, double *memory, double h)
{
    (void)settings, (void)memory;
    return h / 2;
}

static const takt_estimator_type toy_estimator = {
    .name = "toy", .create = toy_create, .destroy = toy_destroy, .estimate = toy_estimate};
static const takt_controller_type toy_controller = {
    .name = "toy", .after_error = toy_after_error, .after_failure = toy_after_failure};

static void a_new_estimator_and_controller_choose_the_steps(void **state)
{
    (void)state;
    test_model models[] = {INTEGRATOR, {0}};
    seen.n_estimates = seen.n_sizes = seen.n_created = seen.n_destroyed = 0;
    test_couple(&c, models, "i:Integrator", "i.y>i.u",
                "algorithm=seidel step-size=0.1 step-max=1 step-control=convergence stop-time=2");
    takt_run *other;
    const takt_control control = {&takt_adaptive_control, &toy_estimator, &toy_controller};
    assert_int_equal(takt_run_make(c.plan, &(takt_run_setup){.control = &control}, &other, &c.err),
                     TAKT_OK);
    takt_progress progress = TAKT_RUNNING;
    assert_int_equal(takt_run_initialize(other, &c.err), TAKT_OK);
    while (progress == TAKT_RUNNING)
        assert_int_equal(takt_run_step(other, &progress, &c.err), TAKT_OK);
    assert_near(other->state.grid.time, 2, 0);
    assert_true(other->counts.n_rejected > 0);
    assert_int_equal(seen.n_estimates, other->counts.n_steps + other->counts.n_rejected);
    assert_near(other->state.control.memory[0], seen.n_estimates, 0);
    double y = 1, t = 0;
    for (int i = 0; i < seen.n_sizes; i++) { // y' = y by Euler's method, in the accepted steps
        assert_true(y * seen.sizes[i] <= 0.05 * (1 + 1e-12));
        y += y * seen.sizes[i];
        t += seen.sizes[i];
    }
    assert_near(t, 2, 1e-9);
    assert_near(other->state.y.real[0], y, 1e-9);
    takt_run_destroy(other);
    assert_int_equal(seen.n_created, 1);
    assert_int_equal(seen.n_destroyed, 1);
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_algorithm_solves_loops_without_seeing_instances),
        cmocka_unit_test(an_algorithm_that_iterates_needs_members_that_can_be_rewound),
        cmocka_unit_test(a_new_estimator_and_controller_choose_the_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
