// SPDX-License-Identifier: MIT
// The implicit integrator of the kit: its accuracy, events, and that a repeated step gives the same bits.
#include "support/test.h"

#include <fmukit/solver.h>

#include "core.h"

#include <stdlib.h>
#include <string.h>

enum { N_ROD = 60, N_MANY = 10000 };

typedef struct rod {
    double u; // temperature at the left end
    fmukit_solver *solver;
    fmukit_linear linear;
    double gamma, upper[N_ROD], diagonal[N_ROD]; // of the preconditioner
    int n_events;
    double rows[400];
    size_t n_rows;
    double row_interval;
    bool is_refusing;
} rod;

static const fmukit_variable rod_variables[] = {
    {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(rod, u)},
};

// Heat conduction on 0 .. 1 with T = u on the left, isolated on the right; volumes of equal size.
static fmukit_status conduct(fmukit_instance *fmu, void *model, double t, const double *x,
                             double *rates)
{
    (void)fmu, (void)t;
    const rod *m = model;
    const double c = (double)N_ROD * N_ROD;
    for (int i = 0; i < N_ROD; i++) {
        double left = i == 0 ? 2 * (m->u - x[0]) : x[i - 1] - x[i];
        double right = i == N_ROD - 1 ? 0 : x[i + 1] - x[i];
        rates[i] = c * (left + right);
    }
    return m->is_refusing ? FMUKIT_ERROR : FMUKIT_OK;
}

// I - gamma J, which is symmetric and tridiagonal, without exchange of rows.
static fmukit_status prepare(fmukit_instance *fmu, void *model, double t, const double *x,
                             double gamma)
{
    (void)fmu, (void)t, (void)x;
    rod *m = model;
    const double c = gamma * N_ROD * N_ROD;
    m->gamma = c;
    for (int i = 0; i < N_ROD; i++) {
        m->diagonal[i] = 1 + c * (i == 0 ? 3 : i == N_ROD - 1 ? 1 : 2);
        if (i > 0) m->diagonal[i] -= c * c / m->diagonal[i - 1];
    }
    return FMUKIT_OK;
}

static fmukit_status solve(fmukit_instance *fmu, void *model, const double *r, double *z)
{
    (void)fmu;
    const rod *m = model;
    for (int i = 0; i < N_ROD; i++)
        z[i] = r[i] + (i > 0 ? m->gamma * z[i - 1] / m->diagonal[i - 1] : 0);
    for (int i = N_ROD - 1; i >= 0; i--) {
        double next = i == N_ROD - 1 ? 0 : m->gamma * z[i + 1];
        z[i] = (z[i] + next) / m->diagonal[i];
    }
    return FMUKIT_OK;
}

static fmukit_status create_rod(fmukit_instance *fmu, void *model)
{
    rod *m = model;
    fmukit_equations e = {
        .n = N_ROD, .rates = conduct, .linear = m->linear, .lower = 1, .upper = 1};
    if (m->linear == FMUKIT_KRYLOV) e.prepare = prepare, e.solve = solve;
    m->solver = fmukit_solver_create(fmu, model, &e);
    return m->solver ? FMUKIT_OK : FMUKIT_ERROR;
}

static fmukit_status create_dense(fmukit_instance *fmu, void *model)
{
    ((rod *)model)->linear = FMUKIT_DENSE;
    return create_rod(fmu, model);
}

static fmukit_status create_band(fmukit_instance *fmu, void *model)
{
    ((rod *)model)->linear = FMUKIT_BAND;
    return create_rod(fmu, model);
}

static fmukit_status create_krylov(fmukit_instance *fmu, void *model)
{
    ((rod *)model)->linear = FMUKIT_KRYLOV;
    return create_rod(fmu, model);
}

static void destroy(fmukit_instance *fmu, void *model)
{
    (void)fmu;
    fmukit_solver_destroy(((rod *)model)->solver);
}

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)fmu;
    return fmukit_solver_advance(((rod *)model)->solver, t, t_end);
}

static void state(fmukit_stream *s, void *model)
{
    fmukit_solver_state(s, ((rod *)model)->solver);
}

#define ROD(creator)                                                                               \
    {                                                                                              \
        .name = "Rod", .size = sizeof(rod), .variables = rod_variables, .n_variables = 1,          \
        .functions = {                                                                             \
            .create = creator,                                                                     \
            .destroy = destroy,                                                                    \
            .step = step,                                                                          \
            .state = state                                                                         \
        }                                                                                          \
    }
static const fmukit_model dense_rod = ROD(create_dense), band_rod = ROD(create_band),
                          krylov_rod = ROD(create_krylov);

static bool is_quiet;

static void write_message(fmukit_instance *fmu, fmukit_status status, const char *category,
                          const char *text)
{
    (void)fmu, (void)status;
    if (!is_quiet) print_error("%s: %s\n", category, text);
}

static bool start(fmukit_instance *fmu, const fmukit_model *model, double tolerance)
{
    static const fmukit_interface interface = {.version = 2, .step_complete = "step complete"};
    *fmu = (fmukit_instance){.host = {.allocate = calloc, .release = free, .log = write_message},
                             .interface = &interface,
                             .enabled_categories = ~0u,
                             .call = "test"};
    if (!fmukit_instance_init(fmu, model, "a", "")) return false;
    assert_int_equal(fmukit_set_up(fmu, tolerance, 0, false, 0), FMUKIT_OK);
    assert_int_equal(fmukit_enter_initialization(fmu), FMUKIT_OK);
    assert_int_equal(fmukit_exit_initialization(fmu), FMUKIT_OK);
    return true;
}

// ---- accuracy --------------------------------------------------------------------------------------

// The slowest mode of the discrete rod decays exactly: volume i has sin((2 k + 1) pi (i + 1/2) / (2 N)).
static void a_mode_of_a_stiff_rod_decays_exactly(void **unused)
{
    (void)unused;
    const fmukit_model *models[] = {&dense_rod, &band_rod, &krylov_rod};
    const double pi = acos(-1), angle = pi / (2 * N_ROD);
    const double rate = -2.0 * N_ROD * N_ROD * (1 - cos(angle));
    for (int i = 0; i < 3; i++) {
        for (double tolerance = 1e-3; tolerance > 1e-9; tolerance /= 100) {
            fmukit_instance fmu;
            assert_true(start(&fmu, models[i], tolerance));
            rod *m = fmu.data;
            double *x = fmukit_solver_states(m->solver), error = 0;
            for (int k = 0; k < N_ROD; k++) x[k] = sin(angle * (k + 0.5));
            for (int n = 0; n < 10; n++)
                assert_int_equal(fmukit_step(&fmu, n * 0.1, 0.1), FMUKIT_OK);
            for (int k = 0; k < N_ROD; k++)
                error = fmax(error, fabs(x[k] - exp(rate) * sin(angle * (k + 0.5))));
            print_message("linear %d, tolerance %g: error %g, %ld steps, %ld rates\n", i, tolerance,
                          error, fmukit_solver_count(m->solver).steps,
                          fmukit_solver_count(m->solver).rates);
            assert_true(error < 2 * tolerance);
            fmukit_instance_clear(&fmu);
        }
    }
}

// One of many unknowns moves, along cos(t); the others rest.
static fmukit_status move_one(fmukit_instance *fmu, void *model, double t, const double *x,
                              double *rates)
{
    (void)fmu, (void)model;
    for (int i = 0; i < N_MANY; i++) rates[i] = 0;
    rates[N_MANY / 2] = -50 * (x[N_MANY / 2] - cos(t)) - sin(t);
    return FMUKIT_OK;
}

static fmukit_status create_many(fmukit_instance *fmu, void *model)
{
    rod *m = model;
    const fmukit_equations e = {.n = N_MANY, .rates = move_one, .linear = FMUKIT_BAND};
    m->solver = fmukit_solver_create(fmu, model, &e);
    return m->solver ? FMUKIT_OK : FMUKIT_ERROR;
}

// By the root of the mean square its error would count for a hundredth.
static void one_unknown_among_many_is_as_accurate_as_alone(void **unused)
{
    (void)unused;
    static const fmukit_model many = ROD(create_many);
    for (double tolerance = 1e-3; tolerance > 1e-8; tolerance /= 100) {
        fmukit_instance fmu;
        assert_true(start(&fmu, &many, tolerance));
        rod *m = fmu.data;
        double *x = fmukit_solver_states(m->solver), error = 0;
        x[N_MANY / 2] = 1;
        for (int n = 0; n < 10; n++) {
            assert_int_equal(fmukit_step(&fmu, n, 1), FMUKIT_OK);
            error = fmax(error, fabs(x[N_MANY / 2] - cos(n + 1.0)));
        }
        print_message("tolerance %g: error %g\n", tolerance, error);
        assert_true(error < 2 * tolerance);
        assert_true(x[0] == 0 && x[N_MANY - 1] == 0);
        fmukit_instance_clear(&fmu);
    }
}

// An explicit method would need 2.4 million evaluations for this: 2 N^2 t / 3.
static void stiffness_costs_few_evaluations(void **unused)
{
    (void)unused;
    fmukit_instance fmu;
    assert_true(start(&fmu, &krylov_rod, 1e-4));
    rod *m = fmu.data;
    m->u = 1;
    for (int n = 0; n < 100; n++) assert_int_equal(fmukit_step(&fmu, n * 10, 10), FMUKIT_OK);
    for (int k = 0; k < N_ROD; k++)
        assert_true(fabs(fmukit_solver_states(m->solver)[k] - 1) < 1e-3);
    print_message("%ld evaluations\n", fmukit_solver_count(m->solver).rates);
    assert_true(fmukit_solver_count(m->solver).rates < 10000);
    fmukit_instance_clear(&fmu);
}

// ---- repetition ------------------------------------------------------------------------------------

static double next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0;
}

// Steps of random length with inputs that jump: a long past that must leave no trace.
static void wander(fmukit_instance *fmu, unsigned seed, int n)
{
    rod *m = fmu->data;
    for (int i = 0; i < n; i++) {
        m->u = next_random(&seed);
        double h = pow(10, -4 + 4 * next_random(&seed));
        assert_int_equal(fmukit_step(fmu, fmu->time, h), FMUKIT_OK);
    }
}

static void a_restored_state_goes_on_with_the_same_bits(void **unused)
{
    (void)unused;
    const fmukit_model *models[] = {&dense_rod, &band_rod, &krylov_rod};
    for (int i = 0; i < 3; i++) {
        fmukit_instance fmu;
        assert_true(start(&fmu, models[i], 1e-6));
        rod *m = fmu.data;
        for (unsigned seed = 1; seed <= 12; seed++) {
            double first[N_ROD];
            fmukit_snapshot *saved = NULL;
            wander(&fmu, seed, 5);
            assert_int_equal(fmukit_save(&fmu, &saved), FMUKIT_OK);
            wander(&fmu, seed + 100, 7);
            memcpy(first, fmukit_solver_states(m->solver), sizeof first);
            wander(&fmu, seed + 200, 3); // something else in between
            assert_int_equal(fmukit_restore(&fmu, saved), FMUKIT_OK);
            wander(&fmu, seed + 100, 7);
            assert_memory_equal(first, fmukit_solver_states(m->solver), sizeof first);
            fmukit_free_snapshot(&fmu, &saved);
        }
        fmukit_instance_clear(&fmu);
    }
}

static void bytes_go_on_in_a_new_instance_with_the_same_bits(void **unused)
{
    (void)unused;
    fmukit_instance fmu, other;
    assert_true(start(&fmu, &krylov_rod, 1e-7));
    assert_true(start(&other, &krylov_rod, 1e-7));
    fmukit_snapshot *saved = NULL, *loaded = NULL;
    size_t size = 0;
    wander(&fmu, 3, 20);
    assert_int_equal(fmukit_save(&fmu, &saved), FMUKIT_OK);
    assert_int_equal(fmukit_serialized_size(&fmu, saved, &size), FMUKIT_OK);
    unsigned char *bytes = malloc(size);
    assert_int_equal(fmukit_serialize(&fmu, saved, bytes, size), FMUKIT_OK);
    assert_int_equal(fmukit_deserialize(&other, bytes, size, &loaded), FMUKIT_OK);
    assert_int_equal(fmukit_restore(&other, loaded), FMUKIT_OK);
    free(bytes);
    wander(&fmu, 9, 20);
    wander(&other, 9, 20);
    const rod *a = fmu.data, *b = other.data;
    assert_memory_equal(fmukit_solver_states(a->solver), fmukit_solver_states(b->solver),
                        N_ROD * sizeof(double));
    fmukit_instance_clear(&fmu);
    fmukit_instance_clear(&other);
}

// ---- events and rows within steps -------------------------------------------------------------------

// x'' = -x from (1, 0); an event where x = 0.5, at pi/3 + 2 n pi and 5 pi/3 + 2 n pi.
static fmukit_status swing(fmukit_instance *fmu, void *model, double t, const double *x,
                           double *rates)
{
    (void)fmu, (void)model, (void)t;
    rates[0] = x[1];
    rates[1] = -x[0];
    return FMUKIT_OK;
}

static fmukit_status pass_half(fmukit_instance *fmu, void *model, double t, const double *x,
                               double *indicators)
{
    (void)fmu, (void)model, (void)t;
    indicators[0] = x[0] - 0.5;
    return FMUKIT_OK;
}

static fmukit_status note_rows(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu;
    rod *m = model;
    double x[2];
    for (; (double)m->n_rows * m->row_interval <= t; m->n_rows++) {
        double at = (double)m->n_rows * m->row_interval;
        if (fmukit_solver_at(m->solver, at, x) != FMUKIT_OK) return FMUKIT_ERROR;
        assert_true(m->n_rows < sizeof m->rows / sizeof *m->rows);
        m->rows[m->n_rows] = x[0];
    }
    return FMUKIT_OK;
}

static fmukit_status create_swing(fmukit_instance *fmu, void *model)
{
    rod *m = model;
    fmukit_equations e = {
        .n = 2, .rates = swing, .n_indicators = 1, .indicators = pass_half, .completed = note_rows};
    m->row_interval = 0.1;
    m->solver = fmukit_solver_create(fmu, model, &e);
    if (m->solver) fmukit_solver_states(m->solver)[0] = 1;
    return m->solver ? FMUKIT_OK : FMUKIT_ERROR;
}

static fmukit_status count_event(fmukit_instance *fmu, void *model, double t, fmukit_event *event)
{
    (void)fmu, (void)event;
    rod *m = model;
    const double pi = acos(-1);
    if (t == 0) return FMUKIT_OK;
    double turn = floor(t / (2 * pi)) * 2 * pi, expected = m->n_events % 2 ? 5 * pi / 3 : pi / 3;
    assert_true(fabs(t - turn - expected) < 1e-5);
    m->n_events++;
    return FMUKIT_OK;
}

static const fmukit_model pendulum = {.name = "Pendulum",
                                      .size = sizeof(rod),
                                      .variables = rod_variables,
                                      .n_variables = 1,
                                      .functions = {.create = create_swing,
                                                    .destroy = destroy,
                                                    .step = step,
                                                    .event = count_event,
                                                    .state = state}};

static void events_are_found_where_they_are(void **unused)
{
    (void)unused;
    fmukit_instance fmu;
    assert_true(start(&fmu, &pendulum, 1e-7));
    rod *m = fmu.data;
    for (int n = 0; n < 12; n++) assert_int_equal(fmukit_step(&fmu, n * 2.5, 2.5), FMUKIT_OK);
    assert_int_equal(m->n_events, 9); // five down, four up
    assert_true(fabs(fmukit_solver_states(m->solver)[0] - cos(30)) < 1e-5);
    fmukit_instance_clear(&fmu);
}

static void rows_within_steps_are_interpolated(void **unused)
{
    (void)unused;
    fmukit_instance fmu;
    assert_true(start(&fmu, &pendulum, 1e-7));
    rod *m = fmu.data;
    for (int n = 0; n < 12; n++) assert_int_equal(fmukit_step(&fmu, n * 2.5, 2.5), FMUKIT_OK);
    assert_true(m->n_rows >= 300);
    for (size_t i = 0; i < 300; i++) assert_true(fabs(m->rows[i] - cos((double)i * 0.1)) < 1e-4);
    fmukit_instance_clear(&fmu);
}

// ---- states of the table ---------------------------------------------------------------------------

typedef struct kinetics {
    double a, b, c, der_a, der_b, der_c;
} kinetics;

static const fmukit_variable kinetics_variables[] = {
    {.name = "a",
     .initial = FMUKIT_EXACT,
     .field = FMUKIT_FIELD(kinetics, a),
     .start = {.real = 1}},
    {.name = "b", .initial = FMUKIT_EXACT, .field = FMUKIT_FIELD(kinetics, b), .nominal = 1e-5},
    {.name = "c", .initial = FMUKIT_EXACT, .field = FMUKIT_FIELD(kinetics, c)},
    {.name = "der(a)", .field = FMUKIT_FIELD(kinetics, der_a), .derivative_of = "a"},
    {.name = "der(b)", .field = FMUKIT_FIELD(kinetics, der_b), .derivative_of = "b"},
    {.name = "der(c)", .field = FMUKIT_FIELD(kinetics, der_c), .derivative_of = "c"},
};

static fmukit_status react(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    kinetics *m = model;
    m->der_a = -0.04 * m->a + 1e4 * m->b * m->c;
    m->der_c = 3e7 * m->b * m->b;
    m->der_b = -m->der_a - m->der_c;
    return FMUKIT_OK;
}

static const fmukit_model reaction = {.name = "Reaction",
                                      .size = sizeof(kinetics),
                                      .variables = kinetics_variables,
                                      .n_variables = 6,
                                      .integrator = &fmukit_implicit,
                                      .functions = {.evaluate = react}};

// Robertson's problem; reference: Hairer and Wanner, Solving Ordinary Differential Equations II, and SciPy's Radau at 1e-12.
static void stiff_kinetics_are_right(void **unused)
{
    (void)unused;
    fmukit_instance fmu;
    assert_true(start(&fmu, &reaction, 1e-6));
    const kinetics *m = fmu.data;
    assert_int_equal(fmukit_step(&fmu, 0, 40), FMUKIT_OK);
    assert_true(fabs(m->a - 0.7158270688) < 1e-6);
    assert_true(fabs(m->b - 9.185534765e-06) < 1e-11);
    assert_true(fabs(m->c - 0.2841637458) < 1e-6);
    fmukit_instance_clear(&fmu);
}

typedef struct ball {
    double h, v, der_h, der_v;
    int n_bounces;
} ball;

static const fmukit_variable ball_variables[] = {
    {.name = "h",
     .initial = FMUKIT_EXACT,
     .field = FMUKIT_FIELD(ball, h),
     .start = {.real = 1},
     .is_indicator = true},
    {.name = "v", .initial = FMUKIT_EXACT, .field = FMUKIT_FIELD(ball, v)},
    {.name = "der(h)", .field = FMUKIT_FIELD(ball, der_h), .derivative_of = "h"},
    {.name = "der(v)", .field = FMUKIT_FIELD(ball, der_v), .derivative_of = "v"},
};

static fmukit_status fall(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    ball *m = model;
    m->der_h = m->v;
    m->der_v = -9.81;
    return FMUKIT_OK;
}

static fmukit_status bounce(fmukit_instance *fmu, void *model, double t, fmukit_event *event)
{
    (void)fmu, (void)t, (void)event;
    ball *m = model;
    if (m->h > 0 || m->v >= 0) return FMUKIT_OK;
    m->v *= -0.9;
    m->h = 0;
    m->n_bounces++;
    return FMUKIT_OK;
}

static const fmukit_model bouncing = {.name = "Bouncing",
                                      .size = sizeof(ball),
                                      .variables = ball_variables,
                                      .n_variables = 4,
                                      .step_size = 0.05,
                                      .integrator = &fmukit_implicit,
                                      .functions = {.evaluate = fall, .event = bounce}};

static void a_ball_bounces_at_the_right_times(void **unused)
{
    (void)unused;
    for (int n_steps = 1; n_steps <= 30; n_steps += 29) {
        fmukit_instance fmu;
        assert_true(start(&fmu, &bouncing, 1e-8));
        const ball *m = fmu.data;
        for (int i = 0; i < n_steps; i++)
            assert_int_equal(fmukit_step(&fmu, fmu.time, 3.0 / n_steps), FMUKIT_OK);
        const double g = 9.81;
        double t = sqrt(2 / g), v = g * t;
        int n = 0;
        for (double length; n++, v *= 0.9, length = 2 * v / g, t + length < 3;) t += length;
        assert_int_equal(m->n_bounces, n);
        double dt = 3 - t;
        assert_true(fabs(m->h - (v * dt - g / 2 * dt * dt)) < 1e-6);
        fmukit_instance_clear(&fmu);
    }
}

static void states_of_the_table_repeat_with_the_same_bits(void **unused)
{
    (void)unused;
    fmukit_instance fmu;
    fmukit_snapshot *saved = NULL;
    assert_true(start(&fmu, &reaction, 1e-7));
    for (int i = 0; i < 5; i++) {
        assert_int_equal(fmukit_step(&fmu, fmu.time, 0.3), FMUKIT_OK);
        assert_int_equal(fmukit_save(&fmu, &saved), FMUKIT_OK);
        double t = fmu.time;
        kinetics first;
        for (int k = 0; k < 9; k++) assert_int_equal(fmukit_step(&fmu, fmu.time, 7), FMUKIT_OK);
        memcpy(&first, fmu.data, sizeof first);
        assert_int_equal(fmukit_restore(&fmu, saved), FMUKIT_OK);
        assert_true(fmu.time == t);
        for (int k = 0; k < 9; k++) assert_int_equal(fmukit_step(&fmu, fmu.time, 7), FMUKIT_OK);
        assert_memory_equal(&first, fmu.data, sizeof first);
    }
    fmukit_instance_clear(&fmu);
}

// ---- bad equations and circumstances ------------------------------------------------------------------

static void a_failure_of_the_equations_is_one_of_the_step(void **unused)
{
    (void)unused;
    fmukit_instance fmu;
    assert_true(start(&fmu, &band_rod, 1e-4));
    rod *m = fmu.data;
    m->is_refusing = true;
    is_quiet = true;
    assert_int_equal(fmukit_step(&fmu, 0, 1), FMUKIT_ERROR);
    is_quiet = false;
    fmukit_instance_clear(&fmu);
}

static void incomplete_equations_are_refused(void **unused)
{
    (void)unused;
    fmukit_instance fmu;
    assert_true(start(&fmu, &band_rod, 1e-4));
    is_quiet = true;
    const fmukit_equations bad[] = {
        {.n = 0, .rates = conduct},
        {.n = 2},
        {.n = 2, .rates = conduct, .n_indicators = 1},
        {.n = 2, .rates = conduct, .linear = FMUKIT_KRYLOV, .prepare = prepare},
        {.n = 2, .rates = conduct, .prepare = prepare, .solve = solve},
        {.n = 2, .rates = conduct, .linear = FMUKIT_BAND, .lower = 2},
        {.n = 2, .rates = conduct, .max_step = -1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_null(fmukit_solver_create(&fmu, fmu.data, &bad[i]));
    is_quiet = false;
    fmukit_instance_clear(&fmu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mode_of_a_stiff_rod_decays_exactly),
        cmocka_unit_test(one_unknown_among_many_is_as_accurate_as_alone),
        cmocka_unit_test(stiffness_costs_few_evaluations),
        cmocka_unit_test(a_restored_state_goes_on_with_the_same_bits),
        cmocka_unit_test(bytes_go_on_in_a_new_instance_with_the_same_bits),
        cmocka_unit_test(events_are_found_where_they_are),
        cmocka_unit_test(rows_within_steps_are_interpolated),
        cmocka_unit_test(stiff_kinetics_are_right),
        cmocka_unit_test(a_ball_bounces_at_the_right_times),
        cmocka_unit_test(states_of_the_table_repeat_with_the_same_bits),
        cmocka_unit_test(a_failure_of_the_equations_is_one_of_the_step),
        cmocka_unit_test(incomplete_equations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
