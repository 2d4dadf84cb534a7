// SPDX-License-Identifier: MIT
// The same systems for co-simulation, for model exchange one by one, and integrated together, all against one
// reference: two masses and a spring (examples/model_exchange; exact solution), and prey and predators.
#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"

// ---- two masses ------------------------------------------------------------------------------------

#define PROJECT TAKT_EXAMPLES "/model_exchange/model_exchange.ssd"
#define REFERENCE TAKT_EXAMPLES "/model_exchange/reference.csv"

// r = x_right - x_left: r'' = -(k r + d r') / mu, r(0) = 1, r'(0) = 0; the centre of mass stays where it is.
static void solve(double t, double *left, double *right)
{
    const double m1 = 1, m2 = 2, k = 100, d = 1, mu = m1 * m2 / (m1 + m2), centre = m2 / (m1 + m2);
    double delta = d / (2 * mu), w = sqrt(k / mu - delta * delta);
    double r = exp(-delta * t) * (cos(w * t) + delta / w * sin(w * t));
    *left = centre - m2 / (m1 + m2) * r;
    *right = centre + m1 / (m1 + m2) * r;
}

// The largest error of the positions in m.
static double largest_error(const test_results *r)
{
    double error = 0;
    assert_int_equal(r->n_rows, 201);
    for (int i = 0; i < r->n_rows; i++) {
        double left, right;
        solve(test_result_time(r, i), &left, &right);
        error = fmax(error, fabs(test_result(r, i, "Left.x") - left));
        error = fmax(error, fabs(test_result(r, i, "Right.x") - right));
    }
    return error;
}

static double error_of_run(test_sandbox *box, const char *interface, const char *mode,
                           const char *tolerance)
{
    test_run(box, "run", PROJECT, "--interface", interface, "--me", mode, "--solver-tolerance",
             tolerance, "-o", "r.csv", "--stats", "s.json", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "r.csv");
    double error = largest_error(&r);
    print_message("%s %s %s: error %.3g m\n", interface, mode, tolerance, error);
    test_results_clear(&r);
    return error;
}

static void the_reference_file_is_the_exact_solution(void **state)
{
    (void)state;
    char *text = test_read_path(REFERENCE, NULL);
    test_results r;
    test_results_parse(&r, text);
    assert_near(largest_error(&r), 0, 1e-14);
    free(text);
    test_results_clear(&r);
}

// The limits are the figures of examples/model_exchange/README.md, rounded up.
static void only_central_integration_has_no_error_of_coupling(void **state)
{
    test_sandbox *box = *state;
    double cs = error_of_run(box, "cs", "separate", "1e-8");
    double separate = error_of_run(box, "me", "separate", "1e-8");
    assert_true(cs < 1.5e-3);
    assert_near(separate, cs, 1e-5); // the same inputs; each FMU is integrated well
    assert_true(error_of_run(box, "me", "central", "1e-6") < 2e-6);
    assert_true(error_of_run(box, "me", "central", "1e-8") < 1e-7);
}

// A loop may converge in long steps as well, to a wrong solution: without an error test steps do not grow beyond
// the step size that is given.
static void convergence_control_keeps_to_the_step_size(void **state)
{
    test_sandbox *box = *state;
    static const char *const algorithms[] = {"fixed-point", "newton"};
    for (int i = 0; i < 2; i++) {
        test_run(box, "run", PROJECT, "--algorithm", algorithms[i], "--step-control", "convergence",
                 "-o", "r.csv", NULL);
        assert_exit(box, 0);
        test_results r;
        test_results_read(&r, box, "r.csv");
        assert_int_equal(r.n_rows, 201);
        assert_near(largest_error(&r), 0.194, 0.001); // as with fixed steps
        test_results_clear(&r);
    }
    test_run(box, "run", PROJECT, "--algorithm", "newton", "--step-control", "convergence",
             "--step-max", "2", "-o", "r.csv", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_true(r.n_rows < 20);
    test_results_clear(&r);
}

static void members_of_a_group_are_found_in_results_statistics_and_graph(void **state)
{
    test_sandbox *box = *state;
    error_of_run(box, "me", "central", "1e-8");
    assert_contains(box->out, "Left+Right");
    assert_contains(box->out, "der(x)");
    size_t size;
    char *text = test_read_file(box, "r.csv", &size);
    assert_contains(text, "time,Left.x,Left.v,Right.F,Right.x,Right.v\n");
    free(text);
    json_t *json = test_statistics_read(box, "s.json");
    double left = test_number(json, "instances/Left+Right/members/Left/derivatives");
    assert_true(left > 100 && left < 2500);
    assert_true(left == test_number(json, "instances/Left+Right/members/Right/derivatives"));
    json_decref(json);
    test_run(box, "graph", PROJECT, "--interface", "me", "--me", "central", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "Left+Right (integrated together)");
    test_run(box, "check", PROJECT, "--interface", "me", "--me", "central", NULL);
    assert_exit(box, 0);
}

// The integrator moves inputs along straight lines: the error falls with the square of the step size.
static void estimated_slopes_of_inputs_make_separate_integration_much_better(void **state)
{
    test_sandbox *box = *state;
    double errors[2];
    for (int i = 0; i < 2; i++) {
        test_run(box, "run", PROJECT, "--interface", "me", "--input-derivatives", "estimate",
                 "--step-size", i ? "0.005" : "0.01", "--output-interval", "0.01",
                 "--solver-tolerance", "1e-8", "-o", "r.csv", NULL);
        assert_exit(box, 0);
        test_results r;
        test_results_read(&r, box, "r.csv");
        errors[i] = largest_error(&r);
        test_results_clear(&r);
    }
    print_message("errors %.3g m, %.3g m\n", errors[0], errors[1]);
    assert_true(errors[0] < 0.0025); // 0.19 m with inputs that are held
    assert_near(errors[0] / errors[1], 4, 0.4);
}

static void members_with_other_solvers_are_told_so(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", PROJECT, "--interface", "me", "--me", "central", "--solver", "Right=rk4",
             "-o", "r.csv", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "takt: warning: 'Right' is integrated together with 'Left', by "
                              "cvode-bdf, not by its own solver rk4\n");
}

// No step depends on the connections inside a group: the error test has nothing to find fault with.
static void the_error_test_leaves_connections_inside_a_group_alone(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", PROJECT, "--interface", "me", "--me", "central", "--step-control",
             "richardson", "--step-max", "0.01", "--solver-tolerance", "1e-8", "-o", "r.csv",
             "--stats", "s.json", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_true(largest_error(&r) < 1e-7);
    test_results_clear(&r);
    json_t *json = test_statistics_read(box, "s.json");
    assert_near(test_number(json, "error_test_failures"), 0, 0);
    json_decref(json);
}

// ---- tables -----------------------------------------------------------------------------------------

// Rods are heated by a table with a ramp and a jump; the heat of the first one goes on to the second one.
static double run_rods(test_sandbox *box, const char *version, const char *mode, const char *step)
{
    test_ssd ssd = {0};
    char fmu[100];
    snprintf(fmu, sizeof fmu, "Chain%s", version);
    test_write_text(box, "u.csv", "time,u\n0,0\n1,10\n2,10\n2,0\n5,3\n");
    test_ssd_component(&ssd, "T", "./u.csv", "out:u");
    test_ssd_component(&ssd, "A", fmu, "in:left out:x20");
    test_ssd_component(&ssd, "B", fmu, "in:left out:x1");
    test_ssd_connect(&ssd, "T.u", "A.left");
    test_ssd_connect(&ssd, "A.x20", "B.left");
    test_ssd_write(&ssd, box, "rods.ssd", 0, 3, NULL);
    test_run(box, "run", "rods.ssd", "--interface", "me", "--me", mode, "--step-size", step,
             "--solver-tolerance", "1e-9", "--set", "A.k=50", "--set", "B.k=50", "--set", "A.x1=1",
             "-o", "r.csv", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "r.csv");
    double x = test_result(&r, r.n_rows - 1, "B.x1");
    test_results_clear(&r);
    return x;
}

static void a_table_moves_the_inputs_of_equations_exactly(void **state)
{
    test_sandbox *box = *state;
    static const char *const versions[] = {"", "_fmi1me", "_fmi3"};
    double exact = run_rods(box, "", "central", "0.01");
    for (int i = 0; i < 3; i++)
        assert_near(run_rods(box, versions[i], "central", "0.5"), exact, 1e-7);
    assert_near(run_rods(box, "", "separate", "0.02"), exact, 3e-3); // B.left is held
}

// ---- prey and predators ------------------------------------------------------------------------------

// Writes a project with the two FMUs in the given versions ("", "_fmi1me", "_fmi3").
static void write_prey(test_sandbox *box, const char *prey, const char *predator)
{
    char text[2048];
    int n = snprintf(
        text, sizeof text,
        "<ssd:SystemStructureDescription name=\"lv\" version=\"1.0\" "
        "xmlns:ssd=\"http://ssp-standard.org/SSP1/SystemStructureDescription\">"
        "<ssd:System name=\"lv\"><ssd:Elements>"
        "<ssd:Component name=\"Prey\" source=\"%s/Prey%s.fmu\"/>"
        "<ssd:Component name=\"Predator\" source=\"%s/Predator%s.fmu\"/></ssd:Elements>"
        "<ssd:Connections>"
        "<ssd:Connection startElement=\"Prey\" startConnector=\"x\" endElement=\"Predator\" "
        "endConnector=\"x\"/>"
        "<ssd:Connection startElement=\"Predator\" startConnector=\"y\" endElement=\"Prey\" "
        "endConnector=\"y\"/>"
        "</ssd:Connections></ssd:System></ssd:SystemStructureDescription>",
        TEST_FMUS, prey, TEST_FMUS, predator);
    assert_true(n > 0 && (size_t)n < sizeof text);
    test_write_text(box, "lv.ssd", text);
}

// Runs it integrated together, at a tolerance of 1e-8; returns the values at the end.
static void run_prey(test_sandbox *box, double *x, double *y)
{
    test_run(box, "run", "lv.ssd", "--interface", "me", "--me", "central", "--solver-tolerance",
             "1e-8", "--step-size", "1", "--stop-time", "100", "-o", "lv.csv", "--stats", "s.json",
             NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "lv.csv");
    *x = test_result(&r, r.n_rows - 1, "Prey.x");
    *y = test_result(&r, r.n_rows - 1, "Predator.y");
    // Between two rows far from each other, too: the equations keep this sum.
    for (int i = 0; i < r.n_rows; i++) {
        double px = test_result(&r, i, "Prey.x"), py = test_result(&r, i, "Predator.y");
        assert_near(0.02 * px - 0.4 * log(px) + 0.02 * py - 0.1 * log(py),
                    0.2 - 0.4 * log(10) + 0.2 - 0.1 * log(10), 1e-7);
    }
    test_results_clear(&r);
    json_t *json = test_statistics_read(box, "s.json");
    double n = test_number(json, "instances/Predator+Prey/members/Prey/derivatives");
    print_message("%g evaluations, x %.17g, y %.17g\n", n, *x, *y);
    assert_true(n > 100 && n < 3000);
    assert_true(n == test_number(json, "instances/Predator+Prey/members/Predator/derivatives"));
    json_decref(json);
}

static void directional_derivatives_are_counted(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", TEST_FMUS "/Prey.fmu", "--interface", "me", "--step-size", "1",
             "--stop-time", "10", "--stats", "s.json", "-o", "r.csv", NULL);
    assert_exit(box, 0);
    json_t *json = test_statistics_read(box, "s.json");
    double n = test_number(json, "instances/Prey/directional_derivatives");
    assert_true(n > 0 && n < test_number(json, "instances/Prey/derivatives"));
    json_decref(json);
}

// Solution at t = 100 s by the classical method of Runge and Kutta, steps of 1 ms and 0.5 ms agree to 1e-11.
static const double x_end = 25.681746294221, y_end = 15.312623828511;

static void central_lotka_volterra_with_fmus_keeps_the_global_error_below_1e_6(void **state)
{
    test_sandbox *box = *state;
    double x, y;
    write_prey(box, "", "");
    run_prey(box, &x, &y);
    assert_near(x / x_end, 1, 1e-6);
    assert_near(y / y_end, 1, 1e-6);
}

static void members_of_all_versions_are_integrated_together(void **state)
{
    test_sandbox *box = *state;
    static const char *const versions[] = {"", "_fmi1me", "_fmi3"};
    double x0, y0;
    write_prey(box, "", "");
    run_prey(box, &x0, &y0);
    for (int i = 0; i < 3; i++) {
        double x, y;
        write_prey(box, versions[i], versions[(i + 1) % 3]);
        run_prey(box, &x, &y);
        assert_near(x, x0, 0);
        assert_near(y, y0, 0);
    }
}

// Predators reach the prey through a gain of 1 for co-simulation: the group is iterated and rewound. FMI 1.0
// cannot save states, so that inputs and continuous states stand for them. It does not tell feedthrough either, which
// would give it another calling order.
static void members_that_cannot_save_their_state_are_rewound_in_a_group(void **state)
{
    test_sandbox *box = *state;
    static const char *const versions[] = {"", "_fmi1me", "_fmi3"};
    double x[3];
    for (int i = 0; i < 3; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "<ssd:SystemStructureDescription name=\"lv\" version=\"1.0\" "
                 "xmlns:ssd=\"http://ssp-standard.org/SSP1/SystemStructureDescription\">"
                 "<ssd:System name=\"lv\"><ssd:Elements>"
                 "<ssd:Component name=\"Prey\" source=\"%s/Prey%s.fmu\"/>"
                 "<ssd:Component name=\"Gain\" source=\"%s/Gain.fmu\"/>"
                 "<ssd:Component name=\"Predator\" source=\"%s/Predator%s.fmu\"/></ssd:Elements>"
                 "<ssd:Connections>"
                 "<ssd:Connection startElement=\"Prey\" startConnector=\"x\" "
                 "endElement=\"Predator\" endConnector=\"x\"/>"
                 "<ssd:Connection startElement=\"Predator\" startConnector=\"y\" "
                 "endElement=\"Gain\" endConnector=\"u\"/>"
                 "<ssd:Connection startElement=\"Gain\" startConnector=\"y\" "
                 "endElement=\"Prey\" endConnector=\"y\"/>"
                 "</ssd:Connections></ssd:System></ssd:SystemStructureDescription>",
                 TEST_FMUS, versions[i], TEST_FMUS, TEST_FMUS, versions[i]);
        test_write_text(box, "mixed.ssd", text);
        test_run(box, "run", "mixed.ssd", "--interface", "me", "--me", "central", "--algorithm",
                 "fixed-point", "--step-size", "0.1", "--stop-time", "20", "--set", "Gain.k=1",
                 "--call-order", "flow", "-o", "lv.csv", "--stats", "s.json", NULL);
        assert_exit(box, 0);
        test_results r;
        test_results_read(&r, box, "lv.csv");
        x[i] = test_result(&r, r.n_rows - 1, "Prey.x");
        assert_string_equal(r.names[1], "Prey.x");
        assert_string_equal(r.names[2], "Gain.y");
        test_results_clear(&r);
        json_t *json = test_statistics_read(box, "s.json");
        assert_true(test_number(json, "instances/Prey+Predator/set_state/count") > 100);
        json_decref(json);
    }
    assert_near(x[1], x[0], 0);
    assert_near(x[2], x[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_file_is_the_exact_solution),
        test_in_sandbox(only_central_integration_has_no_error_of_coupling),
        test_in_sandbox(convergence_control_keeps_to_the_step_size),
        test_in_sandbox(estimated_slopes_of_inputs_make_separate_integration_much_better),
        test_in_sandbox(members_with_other_solvers_are_told_so),
        test_in_sandbox(the_error_test_leaves_connections_inside_a_group_alone),
        test_in_sandbox(a_table_moves_the_inputs_of_equations_exactly),
        test_in_sandbox(members_of_a_group_are_found_in_results_statistics_and_graph),
        test_in_sandbox(central_lotka_volterra_with_fmus_keeps_the_global_error_below_1e_6),
        test_in_sandbox(members_that_cannot_save_their_state_are_rewound_in_a_group),
        test_in_sandbox(directional_derivatives_are_counted),
        test_in_sandbox(members_of_all_versions_are_integrated_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
