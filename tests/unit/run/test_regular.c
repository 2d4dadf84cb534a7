// SPDX-License-Identifier: MIT
// Loops at one instant whose values agree, or almost, though they are not the only ones; and random loops, linear and
// not, with discrete values: what is solved without a doubt is compared with a solution of its own.
#include "unit/run/models.h"

#include "run/events.h"

enum { MAX_SIZE = 8 };

static test_coupling c;

// ---- rows: y_i = sum_j m_ij phi(u_j) + b_i + c_i d_i, d_i = is y of the row before above its threshold? ----

typedef enum shape { LINE, BEND, SATURATION, CUBE, N_SHAPES } shape;

static struct {
    int n;
    shape shape;
    double m[MAX_SIZE][MAX_SIZE], b[MAX_SIZE], c[MAX_SIZE], threshold[MAX_SIZE];
    double start[MAX_SIZE];
    bool is_discrete;
} problem;

static double uniform(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static double phi(double u)
{
    if (problem.shape == BEND) return u + 0.5 * sin(u);
    if (problem.shape == SATURATION) return fmax(-1, fmin(1, u));
    return problem.shape == CUBE ? u + 0.1 * u * u * u : u;
}

static double slope(double u)
{
    if (problem.shape == BEND) return 1 + 0.5 * cos(u);
    if (problem.shape == SATURATION) return fabs(u) < 1 ? 1 : 0;
    return problem.shape == CUBE ? 1 + 0.3 * u * u : 1;
}

static test_variable variables[MAX_SIZE + 4];
static char names[MAX_SIZE][16], starts[MAX_SIZE][40], depends[MAX_SIZE * 8 + 8];

// Variables u0, u1, ..., d, y, e: index n is d, n + 1 is y, n + 2 is e.
static void describe(void)
{
    int n = problem.n;
    size_t length = 0;
    memset(variables, 0, sizeof variables);
    for (int j = 0; j < n; j++) {
        snprintf(names[j], sizeof names[j], "u%d", j);
        snprintf(starts[j], sizeof starts[j], "%.17g", problem.start[j]);
        length += (size_t)snprintf(depends + length, sizeof depends - length, "u%d ", j);
        variables[j] = (test_variable){names[j], TAKT_INPUT, .start = starts[j]};
    }
    snprintf(depends + length, sizeof depends - length, "d");
    variables[n] = (test_variable){"d", TAKT_INPUT, .type = TAKT_INT32, .start = "0"};
    variables[n + 1] = (test_variable){"y", TAKT_OUTPUT, .depends = depends};
    variables[n + 2] = (test_variable){"e", TAKT_OUTPUT, .type = TAKT_INT32, .depends = depends};
}

static double row_of(int i, const double *u, int64_t d)
{
    double y = problem.b[i] + problem.c[i] * (double)d;
    for (int j = 0; j < problem.n; j++) y += problem.m[i][j] * phi(u[j]);
    return y;
}

static void row_output(test_instance *at)
{
    int n = problem.n, i = atoi(at->base.name + 1);
    at->real[n + 1] = row_of(i, at->real, at->integer[n]);
    at->integer[n + 2] = at->real[n + 1] > problem.threshold[i];
}

static void initialize(test_model *models, const char *settings)
{
    char components[MAX_SIZE * 10], connections[MAX_SIZE * MAX_SIZE * 16 + MAX_SIZE * 16];
    size_t n = 0, k = 0;
    describe();
    for (int i = 0; i < problem.n; i++) {
        n += (size_t)snprintf(components + n, sizeof components - n, "r%d:Row ", i);
        for (int j = 0; j < problem.n; j++)
            if (problem.m[i][j] != 0)
                k += (size_t)snprintf(connections + k, sizeof connections - k, "r%d.y>r%d.u%d ", j,
                                      i, j);
        if (problem.is_discrete)
            k += (size_t)snprintf(connections + k, sizeof connections - k, "r%d.e>r%d.d ",
                                  (i + problem.n - 1) % problem.n, i);
    }
    test_couple(&c, models, components, connections, settings);
    c.status = takt_run_initialize(c.run, &c.err);
}

static test_model row_models[] = {
    {"Row", variables, .output = row_output, .can = {.rewind = true, .variable_step = true}}, {0}};

static bool has_doubt(void)
{
    return takt_log_count_doubts(c.system.system->log) > 0;
}

// ---- judgement ---------------------------------------------------------------------------------------

static double value_of(int i)
{
    return c.run->state.y.real[c.plan->instances[i].first_output[TAKT_KIND_REAL]];
}

// Solves (I - M phi'(x)) s = r by Gaussian elimination; returns the smallest pivot, relative to the largest element of
// its row.
static double eliminate(const double *x, double *s)
{
    int n = problem.n;
    double a[MAX_SIZE][MAX_SIZE + 1], least = INFINITY;
    for (int i = 0; i < n; i++) {
        double largest = 0;
        for (int j = 0; j < n; j++) a[i][j] = (i == j) - problem.m[i][j] * slope(x[j]);
        for (int j = 0; j < n; j++) largest = fmax(largest, fabs(a[i][j]));
        for (int j = 0; j < n; j++) a[i][j] /= largest;
        a[i][n] = s[i] / largest;
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        least = fmin(least, fabs(a[best][k]));
        for (int j = 0; j <= n; j++) {
            double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        for (int i = 0; i < n; i++) {
            double factor = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; j <= n && factor != 0; j++) a[i][j] -= factor * a[k][j];
        }
    }
    for (int i = 0; i < n; i++) s[i] = a[i][n] / a[i][i];
    return least;
}

// Where a value is as good as on an edge, either side may count.
static bool is_on_edge(double y)
{
    return problem.shape == SATURATION && fabs(fabs(y) - 1) < 1e-6;
}

// What was solved without a doubt must be near a solution that Newton's method finds from there with its own
// derivatives, and discrete values must be those of it.
static void judge(int k_loop)
{
    int n = problem.n;
    double x[MAX_SIZE], s[MAX_SIZE], least = 0;
    int64_t d[MAX_SIZE];
    for (int i = 0; i < n; i++) {
        double before = value_of((i + n - 1) % n);
        if (is_on_edge(value_of(i))) return;
        d[i] = problem.is_discrete && before > problem.threshold[(i + n - 1) % n];
        x[i] = value_of(i);
    }
    for (int k = 0; k < 20; k++) {
        for (int i = 0; i < n; i++) s[i] = row_of(i, x, d[i]) - x[i];
        least = eliminate(x, s);
        for (int i = 0; i < n; i++) x[i] += s[i];
    }
    if (!(least > 1e-14)) fail_msg("loop %d: singular, but not a word", k_loop);
    for (int i = 0; i < n; i++)
        if (!(fabs(value_of(i) - x[i]) <= 1e-6 + 1e-5 * fabs(x[i])))
            fail_msg("loop %d: y%d is %.9g, not %.9g (pivot %g)", k_loop, i, value_of(i), x[i],
                     least);
}

// ---- loops -------------------------------------------------------------------------------------------

// Elements are multiples of 1/4, so that sums of rows are exact.
static void draw(int n, shape form, uint64_t *seed)
{
    memset(&problem, 0, sizeof problem);
    problem.n = n;
    problem.shape = form;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double value = (floor(16 * uniform(seed)) - 8) / 4;
            bool is_next = j == (i + 1) % n, is_in = uniform(seed) < 0.6;
            problem.m[i][j] = is_next ? value + 2.25 : is_in ? value : 0;
        }
        problem.start[i] = floor(8 * uniform(seed)) - 4;
        problem.b[i] = floor(8 * uniform(seed)) - 4;
    }
}

// The last row of I - M becomes the sum of two others, plus epsilon on its diagonal.
static void make_dependent(double epsilon)
{
    int n = problem.n, last = n - 1, other = n > 2 ? 1 : 0;
    for (int j = 0; j < n; j++) {
        double sum = (j == 0) - problem.m[0][j];
        if (other) sum += (j == other) - problem.m[other][j];
        problem.m[last][j] = (j == last) - sum - (j == last ? epsilon : 0);
    }
}

static void draw_dependent(int n, shape form, double epsilon, uint64_t *seed)
{
    do {
        draw(n, form, seed);
        make_dependent(epsilon);
    } while (problem.m[n - 1][0] == 0); // somebody must read y0
}

// The start values solve the equations.
static void let_start_agree(void)
{
    for (int i = 0; i < problem.n; i++) {
        problem.b[i] = 0;
        problem.b[i] = problem.start[i] - row_of(i, problem.start, 0);
    }
}

static void start_values_that_agree_by_chance_are_no_solution(void **state)
{
    (void)state;
    for (int k = 0; k < 60; k++) {
        uint64_t seed = (uint64_t)k;
        draw_dependent(2 + k % (MAX_SIZE - 1), LINE, 0, &seed);
        let_start_agree();
        initialize(row_models, "step-size=1 stop-time=1");
        if (!c.status) fail_msg("loop %d of %d passes", k, problem.n);
        assert_contains(c.err.message, "initialization: the loop through r");
        assert_contains(c.err.message, "there are infinitely many, as nothing determines r");
        test_uncouple(&c);
    }
}

static void values_of_a_regular_loop_that_agree_are_kept(void **state)
{
    (void)state;
    for (int k = 0; k < 60; k++) {
        uint64_t seed = 1000 + (uint64_t)k;
        double ignored[MAX_SIZE] = {0};
        do draw(2 + k % (MAX_SIZE - 1), LINE, &seed);
        while (eliminate(problem.start, ignored) < 0.01);
        let_start_agree();
        initialize(row_models, "step-size=1 stop-time=1 strict=true");
        if (c.status) fail_msg("loop %d of %d: %s", k, problem.n, c.err.message);
        for (int i = 0; i < problem.n; i++) assert_near(value_of(i), problem.start[i], 1e-7);
        test_uncouple(&c);
    }
}

// Solved exactly, with a doubt, or not at all, but never silently wrong.
static void random_loops_are_never_silently_wrong(void **state)
{
    (void)state;
    static const double epsilons[] = {1, 1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 0};
    int n_solved = 0, n_doubted = 0, n_tried = 400;
    for (int k = 0; k < n_tried; k++) {
        uint64_t seed = 5000 + (uint64_t)k;
        int n = 2 + k % (MAX_SIZE - 1);
        shape form = (shape)(k / 10 % N_SHAPES);
        if (k % 3)
            draw_dependent(n, form, epsilons[k % 10], &seed);
        else
            draw(n, form, &seed);
        if (k % 4 == 1) let_start_agree();
        for (int i = 0; i < problem.n && k % 5 == 0; i++) {
            problem.is_discrete = true;
            problem.c[i] = floor(9 * uniform(&seed)) - 4;
            problem.threshold[i] = floor(9 * uniform(&seed)) - 4.125;
        }
        initialize(row_models, "step-size=1 stop-time=1");
        if (!c.status && !has_doubt()) judge(k);
        n_solved += !c.status;
        n_doubted += !c.status && has_doubt();
        test_uncouple(&c);
    }
    print_message("%d of %d solved, %d with a doubt\n", n_solved, n_tried, n_doubted);
    assert_true(n_solved > n_tried / 3);
}

static void a_loop_that_is_almost_singular_is_a_doubt(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        problem.n = 2;
        problem.shape = LINE;
        memset(problem.m, 0, sizeof problem.m);
        problem.m[0][1] = problem.m[1][0] = 1;
        problem.m[1][1] = 1e-7;
        problem.start[0] = problem.start[1] = 3;
        let_start_agree();
        initialize(row_models, k ? "step-size=1 stop-time=1 relative-tolerance=1e-11 strict=true"
                                 : "step-size=1 stop-time=1 relative-tolerance=1e-11");
        if (k)
            assert_int_not_equal(c.status, TAKT_OK);
        else if (c.status)
            fail_msg("%s", c.err.message);
        assert_contains(c.system.log.text, "times the tolerance");
        test_uncouple(&c);
    }
}

// ---- edges -------------------------------------------------------------------------------------------

// u, but no less than 0: at 0 one direction leads back, the other does not.
static void rectify_output(test_instance *at)
{
    at->real[1] = fmax(0, at->real[0]);
}

static void a_loop_that_is_singular_to_one_side_is_named(void **state)
{
    (void)state;
    test_model models[] = {
        GAIN, {"Rectify", gain_variables, .output = rectify_output, REWINDS}, {0}};
    for (int k = 0; k < 2; k++) {
        test_couple(&c, models, "a:Gain b:Rectify", "a.y>b.u b.y>a.u",
                    k ? "step-size=1 stop-time=1 set=a.k=0.5" : "step-size=1 stop-time=1");
        c.status = takt_run_initialize(c.run, &c.err);
        if (!k) assert_contains(c.err.message, "has no unique solution");
        if (k && c.status) fail_msg("%s", c.err.message);
        test_uncouple(&c);
    }
}

// ---- event mode --------------------------------------------------------------------------------------

// From an event at 0.5 s on, y = u.
static void follow_event(test_instance *at, takt_event *out)
{
    if (at->time < 0.25)
        out->next_time = 0.5;
    else
        at->state[0] = 1;
}
static void follow_output(test_instance *at)
{
    at->real[1] = at->state[0] != 0 ? at->real[0] : 0.5 * at->real[0] + 1;
}

static void values_that_agree_by_chance_in_event_mode_are_no_solution(void **state)
{
    (void)state;
    test_model models[] = {{"Follow", gain_variables, .output = follow_output,
                            .event = follow_event,
                            .can = {.rewind = true, .variable_step = true, .events = true}},
                           {"Gain", gain_variables, .output = gain_output,
                            .can = {.rewind = true, .variable_step = true, .events = true}},
                           {0}};
    test_couple(&c, models, "a:Follow b:Gain", "a.y>b.u b.y>a.u",
                "algorithm=newton step-size=0.1 stop-time=1");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "t=0.5 s: the loop of instance 'a', 'b' in event mode has no "
                                   "unique solution (it is singular): there are infinitely many");
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_values_that_agree_by_chance_are_no_solution),
        cmocka_unit_test(values_of_a_regular_loop_that_agree_are_kept),
        cmocka_unit_test(random_loops_are_never_silently_wrong),
        cmocka_unit_test(a_loop_that_is_almost_singular_is_a_doubt),
        cmocka_unit_test(a_loop_that_is_singular_to_one_side_is_named),
        cmocka_unit_test(values_that_agree_by_chance_in_event_mode_are_no_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
