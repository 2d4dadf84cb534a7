// SPDX-License-Identifier: MIT
// Central integration with plain C models: accuracy, algebraic loops, events that pass from member to member,
// systems with other instances, rewinding, and what goes wrong.
#include "group/group.h"
#include "run/algorithm.h"
#include "run/master.h"
#include "support/memory.h"
#include "support/system.h"

// ---- models ----------------------------------------------------------------------------------------

// x' = x (a - b y)
static const test_variable prey_variables[] = {
    {"y", TAKT_INPUT, .start = "10"}, {"x", TAKT_OUTPUT, .depends = ""}, {0}};
static void prey_init(test_instance *at)
{
    at->state[0] = 10;
}
static void prey_output(test_instance *at)
{
    at->real[1] = at->counts.exit ? at->state[0] : 10;
}
static void prey_derivatives(test_instance *at, double *dx)
{
    dx[0] = at->state[0] * (0.1 - 0.02 * at->real[0]);
}

// y' = y (d x - c)
static void predator_derivatives(test_instance *at, double *dx)
{
    dx[0] = at->state[0] * (0.02 * at->real[0] - 0.4);
}

#define ME .can = {.rewind = true, .variable_step = true}, .options = {.relative = 1e-8}

// clang-format off
#define PREY {"Prey", prey_variables, prey_init, prey_output, .derivatives = prey_derivatives, .n_states = 1, ME}
#define PREDATOR {"Predator", prey_variables, prey_init, prey_output, .derivatives = predator_derivatives, \
                  .n_states = 1, ME}
// clang-format on

// x' = -y, y = x + 0.5 u: with feedthrough
static const test_variable through_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "u"}, {0}};
static void through_init(test_instance *at)
{
    at->state[0] = 1;
}
static void through_output(test_instance *at)
{
    at->real[1] = (at->counts.exit ? at->state[0] : 1) + 0.5 * at->real[0];
}
static void through_derivatives(test_instance *at, double *dx)
{
    dx[0] = -at->state[0] - 0.5 * at->real[0];
}

// x' = 1 from x = 0; `on` becomes 1 when x passes 1
static const test_variable ramp_variables[] = {
    {"on", TAKT_OUTPUT, TAKT_INT32, .depends = ""}, {"x", TAKT_OUTPUT, .depends = ""}, {0}};
static void ramp_output(test_instance *at)
{
    at->real[1] = at->state[0];
}
static void ramp_derivatives(test_instance *at, double *dx)
{
    (void)at;
    dx[0] = 1;
}
static void ramp_indicators(test_instance *at, double *g)
{
    g[0] = at->state[0] - 1;
}
static void ramp_update(test_instance *at, takt_me_update *out)
{
    (void)out;
    if (at->state[0] > 1) at->integer[0] = 1;
}

// x' = on; counts the changes of `on`
static const test_variable switched_variables[] = {
    {"on", TAKT_INPUT, TAKT_INT32, .start = "0"}, {"x", TAKT_OUTPUT, .depends = ""}, {0}};
static void switched_derivatives(test_instance *at, double *dx)
{
    dx[0] = (double)at->integer[0];
}

// y jumps from 0 to 2 at t = 0.35: a discrete real, by a time event
static const test_variable jump_variables[] = {
    {"y", TAKT_OUTPUT, .depends = "", .is_discrete = true}, {0}};
static void no_derivatives(test_instance *at, double *dx)
{
    (void)at, (void)dx;
}
static void jump_update(test_instance *at, takt_me_update *out)
{
    if (at->time >= 0.35)
        at->real[0] = 2;
    else
        out->next_time = 0.35;
}

// x' = u; x(0) = 0
static const test_variable sum_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"x", TAKT_OUTPUT, .depends = ""}, {0}};
static void sum_derivatives(test_instance *at, double *dx)
{
    dx[0] = at->real[0];
}

// lost after t = 0.5
static void lost_derivatives(test_instance *at, double *dx)
{
    dx[0] = at->time > 0.5 ? NAN : at->real[0];
}

// y = k(t) u + 1, where k passes from 0.5 to 1 at t = 0.5: from then on a loop through it has no solution
static void hopeless_output(test_instance *at)
{
    at->real[1] = (at->time > 0.5 ? 1 : 0.5) * at->real[0] + 1;
}
static void pass_output(test_instance *at)
{
    at->real[1] = at->real[0];
}

// y = 1 - u, or y = u, by updates
static const test_variable logic_variables[] = {{"u", TAKT_INPUT, TAKT_INT32, .start = "0"},
                                                {"y", TAKT_OUTPUT, TAKT_INT32, .depends = ""},
                                                {0}};
static void not_update(test_instance *at, takt_me_update *out)
{
    (void)out;
    if (at->time > 0.5) at->integer[1] = 1 - at->integer[0];
    out->next_time = at->time < 0.6 ? 0.6 : INFINITY;
}
static void same_update(test_instance *at, takt_me_update *out)
{
    (void)out;
    at->integer[1] = at->integer[0];
}

static const test_variable relay_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};

// y = -sign(u), switched by an indicator: with x' = y it slides along x = 0
static void sign_output(test_instance *at)
{
    at->real[1] = at->integer[1] ? -1 : 1;
}
static void sign_indicators(test_instance *at, double *g)
{
    g[0] = at->real[0];
}
static void sign_update(test_instance *at, takt_me_update *out)
{
    (void)out;
    at->integer[1] = at->real[0] > 0;
}
static void sum_from_one(test_instance *at)
{
    at->state[0] = 0.5;
}
static void sum_from_one_output(test_instance *at)
{
    at->real[1] = at->counts.exit ? at->state[0] : 0.5;
}

// A temperature in kelvin, and a copy of one in degrees Celsius
static const test_variable kelvin_variables[] = {{"T", TAKT_OUTPUT, .unit = "K", .depends = ""},
                                                 {0}};
static void kelvin_output(test_instance *at)
{
    at->real[0] = 273.15 + 20 + at->state[0];
}
static const test_variable celsius_variables[] = {
    {"u", TAKT_INPUT, .unit = "degC", .start = "0"}, {"x", TAKT_OUTPUT, .depends = ""}, {0}};

static void ending_update(test_instance *at, takt_me_update *out)
{
    out->terminates = at->time >= 0.5;
    out->next_time = 0.5;
}

// For co-simulation: 1 until u passes 0.7
static const test_variable over_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, TAKT_INT32, .depends = "u"}, {0}};
static void over_output(test_instance *at)
{
    at->integer[1] = at->real[0] < 0.7;
}

// For co-simulation: y = k u
static const test_variable gain_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "u"}, {0}};
static void minus_output(test_instance *at)
{
    at->real[1] = -at->real[0];
}

// clang-format off
#define THROUGH {"Through", through_variables, through_init, through_output, .derivatives = through_derivatives, \
                 .n_states = 1, ME}
#define RAMP {"Ramp", ramp_variables, .output = ramp_output, .derivatives = ramp_derivatives, .n_states = 1, \
              .n_indicators = 1, .indicators = ramp_indicators, .update = ramp_update, ME}
#define SWITCHED {"Switched", switched_variables, .output = ramp_output, .derivatives = switched_derivatives, \
                  .n_states = 1, ME}
#define JUMP {"Jump", jump_variables, .derivatives = no_derivatives, .update = jump_update, ME}
#define SUM {"Sum", sum_variables, .output = ramp_output, .derivatives = sum_derivatives, .n_states = 1, ME}
#define HALF {"Half", sum_variables, sum_from_one, sum_from_one_output, .derivatives = sum_derivatives, .n_states = 1, \
              ME}
#define HOPELESS {"Hopeless", gain_variables, .output = hopeless_output, .derivatives = no_derivatives, ME}
#define PASS {"Pass", gain_variables, .output = pass_output, .derivatives = no_derivatives, ME}
#define NOT {"Not", logic_variables, .derivatives = no_derivatives, .update = not_update, ME}
#define SAME {"Same", logic_variables, .derivatives = no_derivatives, .update = same_update, ME}
#define SIGN {"Sign", relay_variables, .output = sign_output, .derivatives = no_derivatives, .n_indicators = 1, \
              .indicators = sign_indicators, .update = sign_update, ME}
#define KELVIN {"Kelvin", kelvin_variables, .output = kelvin_output, .derivatives = ramp_derivatives, .n_states = 1, ME}
#define CELSIUS {"Celsius", celsius_variables, .output = ramp_output, .derivatives = sum_derivatives, .n_states = 1, ME}
#define OVER {"Over", over_variables, .output = over_output, ME}
#define MINUS {"Minus", gain_variables, .output = minus_output, ME}
// clang-format on

// ---- running ---------------------------------------------------------------------------------------

typedef struct fixture {
    test_system s;
    takt_system *grouped;
    takt_plan *plan;
    takt_run *run;
    takt_error err;
    takt_status st;
} fixture;

static void start(fixture *f, test_model *models, const char *components, const char *connections,
                  const char *settings)
{
    *f = (fixture){0};
    test_system_init(&f->s, models, components, connections, settings);
    assert_int_equal(takt_group_system(f->s.system, NULL, &f->grouped, &f->err), TAKT_OK);
    const takt_system *system = f->grouped ? f->grouped : f->s.system;
    assert_int_equal(takt_plan_create(system, &f->plan, &f->err), TAKT_OK);
    assert_int_equal(takt_run_make(f->plan, NULL, &f->run, &f->err), TAKT_OK);
}

static void go(fixture *f)
{
    takt_progress progress = TAKT_RUNNING;
    f->st = takt_run_initialize(f->run, &f->err);
    while (!f->st && progress == TAKT_RUNNING) f->st = takt_run_step(f->run, &progress, &f->err);
}

static void go_well(fixture *f)
{
    go(f);
    if (f->st) fail_msg("%s", f->err.message);
}

static double value(const fixture *f, const char *name)
{
    for (int i = 0; takt_run_column(f->run, i); i++)
        if (strcmp(takt_run_column(f->run, i), name) == 0) return takt_run_value(f->run, i);
    fail_msg("no column %s", name);
    return NAN;
}

static void end(fixture *f)
{
    takt_run_destroy(f->run);
    takt_plan_destroy(f->plan);
    takt_system_destroy(f->grouped);
    test_system_clear(&f->s);
}

// ---- tests -----------------------------------------------------------------------------------------

// One step of the classical method of Runge and Kutta. With steps of 1 ms its error over 100 s is below 1e-10.
static void step_exactly(double h, double *x, double *y)
{
    double k[4][2];
    for (int s = 0; s < 4; s++) {
        double c = s == 0 ? 0 : s == 3 ? h : h / 2;
        double u = *x + (s ? c * k[s - 1][0] : 0), v = *y + (s ? c * k[s - 1][1] : 0);
        k[s][0] = u * (0.1 - 0.02 * v);
        k[s][1] = v * (0.02 * u - 0.4);
    }
    *x += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
    *y += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
}

// The largest relative error at all communication points.
static double measure_error(fixture *f)
{
    enum { FINE_STEPS = 1000 }; // per second
    takt_progress progress = TAKT_RUNNING;
    double x = 10, y = 10, error = 0, t = 0;
    assert_int_equal(takt_run_initialize(f->run, &f->err), TAKT_OK);
    while (progress == TAKT_RUNNING) {
        assert_int_equal(takt_run_step(f->run, &progress, &f->err), TAKT_OK);
        int n = (int)round((takt_run_time(f->run) - t) * FINE_STEPS);
        for (int i = 0; i < n; i++) step_exactly(1.0 / FINE_STEPS, &x, &y);
        t = takt_run_time(f->run);
        error = fmax(error, fabs(value(f, "prey.x") / x - 1));
        error = fmax(error, fabs(value(f, "pred.x") / y - 1));
    }
    return error;
}

static void check_lotka_volterra(const char *settings, takt_ode_method method)
{
    test_model models[] = {PREY, PREDATOR, {0}};
    models[0].options.method = models[1].options.method = method;
    fixture f;
    start(&f, models, "prey:Prey pred:Predator", "prey.x>pred.y pred.x>prey.y", settings);
    double error = measure_error(&f);
    takt_statistics stats = {.size = sizeof stats};
    takt_run_statistics(f.run, &stats, NULL);
    assert_int_equal(stats.n_instances, 1);
    assert_string_equal(stats.instances[0]->name, "pred+prey");
    assert_int_equal(stats.instances[0]->n_members, 2);
    const takt_member_statistics *const *members = stats.instances[0]->members;
    print_message("%s: error %.2g, evaluations %lld\n", settings, error,
                  (long long)members[0]->derivatives);
    assert_string_equal(members[0]->name, "pred");
    assert_true(error < 1e-6);
    assert_true(members[0]->derivatives > 100 && members[0]->derivatives < 3000);
    assert_true(members[1]->derivatives == members[0]->derivatives);
    end(&f);
}

static void central_lotka_volterra_is_accurate_with_few_evaluations(void **state)
{
    (void)state;
    check_lotka_volterra("step-size=0.1 stop-time=100", TAKT_CVODE_BDF);
    check_lotka_volterra("step-size=1 stop-time=100", TAKT_CVODE_BDF);
    check_lotka_volterra("step-size=100 stop-time=100", TAKT_CVODE_BDF);
    check_lotka_volterra("step-size=1 stop-time=100", TAKT_CVODE_ADAMS);
}

// y1 = x1 + y2 / 2, y2 = x2 + y1 / 2, x1(0) = x2(0) = 1: by symmetry y = 2 x, x' = -2 x.
static void an_algebraic_loop_between_members_is_solved_at_each_evaluation(void **state)
{
    (void)state;
    test_model models[] = {THROUGH, {0}};
    fixture f;
    start(&f, models, "a:Through b:Through", "a.y>b.u b.y>a.u", "step-size=0.5 stop-time=1");
    go_well(&f);
    assert_near(value(&f, "a.y"), 2 * exp(-2), 1e-8);
    assert_near(value(&f, "b.y"), 2 * exp(-2), 1e-8);
    takt_statistics stats = {.size = sizeof stats};
    takt_run_statistics(f.run, &stats, NULL);
    int64_t n = stats.instances[0]->members[0]->derivatives;
    // Two members; a sweep that finds the solution, one that confirms it, and now and then a matrix.
    print_message("%lld evaluations, %d sets\n", (long long)n, models[0].counts.set);
    assert_true(models[0].counts.set < 2 * 4 * n);
    end(&f);
}

static void a_state_event_of_one_member_reaches_another_at_its_time(void **state)
{
    (void)state;
    test_model models[] = {RAMP, SWITCHED, {0}};
    fixture f;
    start(&f, models, "b:Switched a:Ramp", "a.on>b.on", "step-size=3 stop-time=3");
    go_well(&f);
    assert_near(value(&f, "a.x"), 3, 1e-8);
    assert_near(value(&f, "b.x"), 2, 1e-7);
    end(&f);
}

// An integer that becomes a real, and a real that is set at events only.
static void types_are_converted_between_members(void **state)
{
    (void)state;
    test_model models[] = {RAMP, SUM, {0}};
    fixture f;
    start(&f, models, "b:Sum a:Ramp", "a.on>b.u", "step-size=3 stop-time=3");
    go_well(&f);
    assert_near(value(&f, "b.x"), 2, 1e-7);
    end(&f);
}

// An instance for co-simulation and the group pass integers to each other: each change is an event.
static void discrete_inputs_from_outside_reach_members_and_are_rewound(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"algorithm=seidel step-size=0.5 stop-time=3",
                                             "algorithm=fixed-point step-size=0.5 stop-time=3",
                                             "algorithm=jacobi step-size=0.5 stop-time=3"};
    for (int i = 0; i < 3; i++) {
        test_model models[] = {RAMP, SWITCHED, OVER, SUM, {0}};
        fixture f;
        start(&f, models, "over:Over a:Switched b:Sum", "a.x>b.u b.x>over.u over.y>a.on",
              algorithms[i]);
        go_well(&f);
        // `on` is 1 until b.x = t^2 / 2 passes 0.7, between 1 and 1.5 s; it is seen up to two steps later.
        assert_true(value(&f, "a.x") >= 0.999 && value(&f, "a.x") <= 2.001);
        assert_near(value(&f, "over.y"), 0, 0);
        end(&f);
    }
}

static void a_member_may_end_the_simulation(void **state)
{
    (void)state;
    test_model models[] = {HALF, SUM, {0}};
    models[1].update = ending_update;
    fixture f;
    start(&f, models, "a:Half b:Sum", "a.x>b.u b.x>a.u", "step-size=0.25 stop-time=2");
    go_well(&f);
    assert_int_equal(f.run->state.progress, TAKT_TERMINATED);
    assert_near(takt_run_time(f.run), 0.5, 1e-12);
    end(&f);
}

static void a_time_event_of_one_member_changes_a_discrete_real_of_another(void **state)
{
    (void)state;
    test_model models[] = {JUMP, SUM, {0}};
    fixture f;
    start(&f, models, "a:Jump b:Sum", "a.y>b.u", "step-size=1 stop-time=1");
    go_well(&f);
    assert_near(value(&f, "b.x"), 2 * 0.65, 1e-8);
    end(&f);
}

static void units_are_converted_between_members(void **state)
{
    (void)state;
    test_model models[] = {KELVIN, CELSIUS, {0}};
    fixture f;
    start(&f, models, "a:Kelvin b:Celsius", "a.T>b.u", "step-size=1 stop-time=2");
    go_well(&f);
    assert_near(value(&f, "b.x"), 42, 1e-6);
    end(&f);
}

// x1' = x2, x2' = -x1 with the minus in a third instance, for co-simulation. x1(0) = 0.5, x2(0) = 0.
static double oscillate(const char *settings)
{
    test_model models[] = {HALF, SUM, MINUS, {0}};
    fixture f;
    start(&f, models, "x1:Half minus:Minus x2:Sum", "x2.x>x1.u x1.x>minus.u minus.y>x2.u",
          settings);
    go_well(&f);
    assert_string_equal(takt_run_column(f.run, 0), "x1.x");
    assert_string_equal(takt_run_column(f.run, 1), "minus.y");
    assert_string_equal(takt_run_column(f.run, 2), "x2.x");
    assert_int_equal(f.plan->n_blocks, 1);
    assert_int_equal(f.plan->blocks[0].n_members, 2);
    assert_false(f.plan->blocks[0].is_algebraic);
    double error = fabs(value(&f, "x1.x") - 0.5 * cos(1));
    end(&f);
    return error;
}

static void a_group_iterates_and_rewinds_with_instances_for_co_simulation(void **state)
{
    (void)state;
    // Inputs are held over a step: first order.
    double coarse = oscillate("algorithm=seidel step-size=0.02 stop-time=1");
    double fine = oscillate("algorithm=seidel step-size=0.01 stop-time=1");
    assert_near(coarse / fine, 2, 0.2);
    coarse = oscillate("algorithm=fixed-point step-size=0.02 stop-time=1");
    fine = oscillate("algorithm=fixed-point step-size=0.01 stop-time=1");
    assert_near(coarse / fine, 2, 0.2);
    coarse = oscillate("algorithm=newton step-size=0.02 stop-time=1");
    fine = oscillate("algorithm=newton step-size=0.01 stop-time=1");
    assert_near(coarse / fine, 2, 0.2);
    assert_true(
        oscillate("algorithm=fixed-point step-control=richardson step-size=0.01 stop-time=1 "
                  "relative-tolerance=1e-5 absolute-tolerance=1e-6") < 1e-3);
}

// Evaluations for a chain of integrators.
static int64_t evaluations_of_chain(int n)
{
    char components[1024] = "x0:Half", connections[1024] = "";
    for (int i = 1; i < n; i++) {
        snprintf(components + strlen(components), sizeof components - strlen(components),
                 " x%d:Sum", i);
        snprintf(connections + strlen(connections), sizeof connections - strlen(connections),
                 " x%d.x>x%d.u", i - 1, i);
    }
    test_model models[] = {HALF, SUM, {0}};
    fixture f;
    start(&f, models, components, connections + 1, "step-size=1 stop-time=1");
    go_well(&f);
    assert_near(value(&f, "x3.x"), 0.5 / 6, 1e-8); // t^3 / 3!
    takt_statistics stats = {.size = sizeof stats};
    takt_run_statistics(f.run, &stats, NULL);
    assert_int_equal(stats.instances[0]->n_members, n);
    int64_t count = stats.instances[0]->members[n - 1]->derivatives;
    end(&f);
    return count;
}

static void the_jacobian_of_a_long_chain_needs_no_more_evaluations(void **state)
{
    (void)state;
    int64_t few = evaluations_of_chain(10), many = evaluations_of_chain(60);
    print_message("10 members: %lld, 60 members: %lld\n", (long long)few, (long long)many);
    assert_true((double)many < 1.2 * (double)few);
}

static void outputs_depend_on_inputs_from_outside_through_several_members(void **state)
{
    (void)state;
    test_model models[] = {PASS, MINUS, SUM, {0}};
    fixture f;
    start(&f, models, "a:Pass b:Pass c:Sum minus:Minus", "a.y>b.u b.y>minus.u minus.y>a.u b.y>c.u",
          "step-size=1 stop-time=1");
    assert_int_equal(f.plan->n_blocks, 1);
    assert_true(f.plan->blocks[0].is_algebraic);
    end(&f);
}

static void nothing_is_joined_that_is_not_connected_directly(void **state)
{
    (void)state;
    test_model models[] = {HALF, SUM, MINUS, {0}};
    fixture f;
    start(&f, models, "x1:Half minus:Minus x2:Sum", "x1.x>minus.u minus.y>x2.u",
          "step-size=1 stop-time=1");
    assert_null(f.grouped);
    assert_contains(f.s.log.text, "me central: no FMUs for model exchange are connected");
    go_well(&f);
    end(&f);
}

static void start_values_reach_members_and_settings_find_them(void **state)
{
    (void)state;
    test_model models[] = {SUM, MINUS, HALF, {0}};
    fixture f;
    start(&f, models, "x1:Half minus:Minus x2:Sum x3:Sum",
          "x2.x>x1.u x1.x>minus.u minus.y>x2.u x1.x>x3.u",
          "step-size=0.1 stop-time=1 algorithm=x2=newton set=x2.u=1 algorithm-at=0.5:x1=jacobi");
    assert_int_equal(f.plan->blocks[0].algorithm, TAKT_ALGORITHM_NEWTON);
    go_well(&f);
    assert_string_equal(f.run->work.blocks[0].use->type->facts->name, "jacobi");
    end(&f);
}

// ---- what goes wrong -------------------------------------------------------------------------------

// ---- inputs that move ------------------------------------------------------------------------------

// The group, and an access to one of its variables.
static takt_instance *find_in_group(const fixture *f, takt_arena *arena, const char *name,
                                    takt_access *access)
{
    takt_instance *group = f->run->work.instances[0].instance;
    int i = 0;
    while (strcmp(group->model->variables[i].name, name) != 0) i++;
    assert_true(takt_access_create(arena, group->model, &i, 1, access, NULL));
    return group;
}

static double get_from_group(fixture *f, const char *name)
{
    takt_arena arena = {0};
    takt_access access;
    double result = NAN;
    takt_instance *group = find_in_group(f, &arena, name, &access);
    takt_values values = {.real = &result};
    assert_int_equal(group->type->get(group, &access, &values, &f->err), TAKT_OK);
    takt_arena_clear(&arena);
    return result;
}

// A step of the group from t = 0 to h, in which its input `name` is the polynomial with these derivatives.
static void step_along(fixture *f, const char *name, int order, const double *derivatives, double h)
{
    takt_arena arena = {0};
    takt_access access;
    takt_step_result result;
    takt_instance *group = find_in_group(f, &arena, name, &access);
    assert_int_equal(takt_instance_motion_order(group), TAKT_MAX_MOTION_ORDER);
    const takt_values values = {.real = (double[]){derivatives[0]}};
    takt_status st = group->type->set(group, &access, &values, &f->err);
    if (!st) st = group->type->set_motion(group, 0, &access, order, derivatives, &f->err);
    if (!st) st = group->type->step(group, 0, h, true, &result, &f->err);
    if (st) fail_msg("%s", f->err.message);
    takt_arena_clear(&arena);
}

// u = (1 - t)^5; a is its integral, b the integral of that.
static void members_follow_a_polynomial_from_outside(void **state)
{
    (void)state;
    test_model models[] = {SUM, {0}};
    fixture f;
    start(&f, models, "a:Sum b:Sum", "a.x>b.u", "stop-time=1");
    assert_int_equal(takt_run_initialize(f.run, &f.err), TAKT_OK);
    step_along(&f, "a.u", 5, (double[]){1, -5, 20, -60, 120, -120}, 0.5);
    assert_near(get_from_group(&f, "a.x"), (1 - pow(0.5, 6)) / 6, 1e-8);
    assert_near(get_from_group(&f, "b.x"), 0.5 / 6 - (1 - pow(0.5, 7)) / 42, 1e-8);
    end(&f);
}

// u = t^3 - 0.125 passes 0 at t = 0.5, where y falls from 1 to -1.
static void an_input_that_moves_causes_an_event_at_its_time(void **state)
{
    (void)state;
    test_model models[] = {SIGN, SUM, {0}};
    fixture f;
    start(&f, models, "a:Sign b:Sum", "a.y>b.u", "stop-time=1");
    assert_int_equal(takt_run_initialize(f.run, &f.err), TAKT_OK);
    step_along(&f, "a.u", 3, (double[]){-0.125, 0, 0, 6}, 0.8);
    assert_near(get_from_group(&f, "b.x"), 0.5 - 0.3, 1e-8);
    assert_near(get_from_group(&f, "a.y"), -1, 0);
    end(&f);
}

static void expect_failure(test_model *models, const char *components, const char *connections,
                           const char *const *pieces)
{
    fixture f;
    start(&f, models, components, connections, "step-size=1 stop-time=2");
    go(&f);
    assert_int_equal(f.st, TAKT_ERR_SIMULATION);
    for (; *pieces; pieces++) assert_contains(f.err.message, *pieces);
    end(&f);
}

static void a_derivative_that_is_no_number_names_its_member(void **state)
{
    (void)state;
    test_model models[] = {HALF, SUM, {0}};
    models[1].derivatives = lost_derivatives;
    static const char *const pieces[] = {"instance 'bad+good' at t=0 s: member 'bad': the "
                                         "derivative of continuous state 1 of 1 is nan "
                                         "at t=0.5",
                                         NULL};
    expect_failure(models, "good:Half bad:Sum", "good.x>bad.u bad.x>good.u", pieces);
}

static void an_output_that_is_no_number_names_its_member(void **state)
{
    (void)state;
    test_model models[] = {HALF, SUM, {0}};
    models[1].fault = TEST_GIVES_NAN;
    models[1].fault_time = 0.5;
    static const char *const pieces[] = {"member 'bad': variable 'x' is nan at t=0.5", NULL};
    expect_failure(models, "good:Half bad:Sum", "good.x>bad.u bad.x>good.u", pieces);
}

static void a_member_that_fails_is_named(void **state)
{
    (void)state;
    test_model models[] = {HALF, SUM, {0}};
    models[1].fault = TEST_FAILS;
    models[1].fault_time = 0.5;
    static const char *const pieces[] = {
        "instance 'bad+good' at t=0 s: member 'bad': bad: fails on "
        "request",
        NULL};
    expect_failure(models, "good:Half bad:Sum", "good.x>bad.u bad.x>good.u", pieces);
}

static void a_loop_without_solution_names_its_inputs_and_the_time(void **state)
{
    (void)state;
    test_model models[] = {HOPELESS, PASS, SUM, {0}};
    static const char *const pieces[] = {"instance 'a+b+c' at t=0 s",
                                         "the algebraic loop through a.u, b.u", "at t=0.5", NULL};
    expect_failure(models, "a:Hopeless b:Pass c:Sum", "a.y>b.u b.y>a.u b.y>c.u", pieces);
}

static void members_that_never_rest_are_named(void **state)
{
    (void)state;
    test_model models[] = {NOT, SAME, SUM, RAMP, SWITCHED, {0}};
    static const char *const pieces[] = {
        "events of 'a', 'b', 'c': the discrete states do not come to rest after 1000 updates",
        NULL};
    expect_failure(models, "a:Not b:Same c:Switched", "a.y>b.u b.y>a.u b.y>c.on", pieces);
}

static void members_that_chatter_are_named(void **state)
{
    (void)state;
    test_model models[] = {HALF, SIGN, {0}};
    static const char *const pieces[] = {"events of", "'relay'", "more than 1000 events at t=0.5",
                                         "chatters", NULL};
    expect_failure(models, "x:Half relay:Sign", "x.x>relay.u relay.y>x.u", pieces);
}

// ---- memory ----------------------------------------------------------------------------------------

static void attempt(void *context)
{
    const takt_system *system = context;
    takt_system *grouped = NULL;
    takt_plan *plan = NULL;
    takt_run *run = NULL;
    takt_error err = {0};
    takt_status st = takt_group_system(system, NULL, &grouped, &err);
    if (!st) st = takt_plan_create(grouped, &plan, &err);
    if (!st) st = takt_run_make(plan, NULL, &run, &err);
    int has_failed = test_memory_has_failed();
    takt_run_destroy(run);
    takt_plan_destroy(plan);
    takt_system_destroy(grouped);
    assert_int_equal(st, has_failed ? TAKT_ERR_MEMORY : TAKT_OK);
}

static void exhausted_memory_is_reported_wherever_it_happens(void **state)
{
    (void)state;
    test_model models[] = {PREY, PREDATOR, {0}};
    test_system s;
    test_system_init(&s, models, "prey:Prey pred:Predator", "prey.x>pred.y pred.x>prey.y",
                     "step-size=1 stop-time=1");
    assert_true(test_memory_fail_each(attempt, s.system) > 20);
    test_system_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(central_lotka_volterra_is_accurate_with_few_evaluations),
        cmocka_unit_test(an_algebraic_loop_between_members_is_solved_at_each_evaluation),
        cmocka_unit_test(a_state_event_of_one_member_reaches_another_at_its_time),
        cmocka_unit_test(types_are_converted_between_members),
        cmocka_unit_test(discrete_inputs_from_outside_reach_members_and_are_rewound),
        cmocka_unit_test(a_member_may_end_the_simulation),
        cmocka_unit_test(a_time_event_of_one_member_changes_a_discrete_real_of_another),
        cmocka_unit_test(units_are_converted_between_members),
        cmocka_unit_test(a_group_iterates_and_rewinds_with_instances_for_co_simulation),
        cmocka_unit_test(the_jacobian_of_a_long_chain_needs_no_more_evaluations),
        cmocka_unit_test(outputs_depend_on_inputs_from_outside_through_several_members),
        cmocka_unit_test(members_follow_a_polynomial_from_outside),
        cmocka_unit_test(an_input_that_moves_causes_an_event_at_its_time),
        cmocka_unit_test(nothing_is_joined_that_is_not_connected_directly),
        cmocka_unit_test(start_values_reach_members_and_settings_find_them),
        cmocka_unit_test(a_derivative_that_is_no_number_names_its_member),
        cmocka_unit_test(an_output_that_is_no_number_names_its_member),
        cmocka_unit_test(a_member_that_fails_is_named),
        cmocka_unit_test(a_loop_without_solution_names_its_inputs_and_the_time),
        cmocka_unit_test(members_that_never_rest_are_named),
        cmocka_unit_test(members_that_chatter_are_named),
        cmocka_unit_test(exhausted_memory_is_reported_wherever_it_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
