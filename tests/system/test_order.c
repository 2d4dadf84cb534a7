// SPDX-License-Identifier: MIT
// The results of the examples do not depend on how the project lists its components: equal numbers in all
// columns, with every algorithm and step control.
#include "support/results.h"
#include "support/ssd.h"

enum { MAX_COMPONENTS = 32 };

// Writes the project of a file with the components in another order: from the last to the first, or
// beginning in the middle.
static void relist(test_sandbox *box, const char *from, const char *to, bool is_reversed)
{
    static const char begin[] = "<ssd:Component ", end[] = "</ssd:Component>";
    const char *first[MAX_COMPONENTS], *last[MAX_COMPONENTS];
    char *text = test_read_file(box, from, NULL);
    int n = 0;
    for (const char *at = text; (at = strstr(at, begin)) != NULL; n++) {
        assert_true(n < MAX_COMPONENTS);
        first[n] = at;
        at = last[n] = strstr(at, end) + sizeof end - 1;
    }
    assert_true(n > 1);
    takt_text out = {0};
    const char *done = text;
    for (int i = 0; i < n; i++) {
        int k = is_reversed ? n - 1 - i : (i + n / 2) % n;
        takt_text_add_n(&out, done, (size_t)(first[i] - done));
        takt_text_add_n(&out, first[k], (size_t)(last[k] - first[k]));
        done = last[i];
    }
    takt_text_add(&out, done);
    test_write_text(box, to, out.data);
    takt_text_clear(&out);
    free(text);
}

static void assert_equal_results(const test_results *a, const test_results *b, const char *what)
{
    assert_int_equal(a->n_columns, b->n_columns);
    if (a->n_rows != b->n_rows) fail_msg("%s: %d and %d rows", what, a->n_rows, b->n_rows);
    for (int i = 0; i < a->n_rows; i++)
        for (int k = 0; k < a->n_columns; k++) {
            double x = a->values[i * a->n_columns + k], y = test_result(b, i, a->names[k]);
            if (x != y && !(isnan(x) && isnan(y)))
                fail_msg("%s: %s in row %d: %.17g and %.17g", what, a->names[k], i, x, y);
        }
}

// Some examples have no solution with some methods: then both fail alike.
static void check_method(test_sandbox *box, const char *file, const char *const *options)
{
    static const char *const listings[] = {"reversed.ssd", "rotated.ssd"};
    test_results expected;
    test_run(box, "run", file, "-q", "-o", "a.csv", options[0], options[1], options[2], options[3],
             options[4], options[5], options[6], options[7], NULL);
    int exit_code = box->exit_code;
    test_results_read(&expected, box, "a.csv");
    for (int i = 0; i < 2; i++) {
        relist(box, file, listings[i], i == 0);
        test_run(box, "run", listings[i], "-q", "-o", "b.csv", options[0], options[1], options[2],
                 options[3], options[4], options[5], options[6], options[7], NULL);
        assert_exit(box, exit_code);
        test_results r;
        test_results_read(&r, box, "b.csv");
        assert_equal_results(&expected, &r, options[1]);
        test_results_clear(&r);
    }
    test_results_clear(&expected);
}

// Of the methods, the first `n`.
enum { FIXED_STEPS = 3, ALL_METHODS = 5 };
static void check_project(test_sandbox *box, const char *file, int n)
{
    static const char *const methods[ALL_METHODS][9] = {
        {"--algorithm", "seidel"},
        {"--algorithm", "fixed-point"},
        {"--algorithm", "newton"},
        {"--algorithm", "seidel", "--step-control", "richardson", "--step-min", "1e-4"},
        {"--algorithm", "newton", "--step-control", "richardson", "--step-min", "1e-3"},
    };
    for (int i = 0; i < n; i++) check_method(box, file, methods[i]);
}

static void lotka_volterra_in_any_order(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    check_project(box, "lotka_volterra.ssd", ALL_METHODS);
    const char *const central[9] = {"--interface", "me", "--me", "central"};
    check_method(box, "lotka_volterra.ssd", central);
}

static void math003_in_any_order(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    check_project(box, "math003.ssd", ALL_METHODS);
}

static void masses_in_any_order(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "model_exchange");
    check_project(box, "model_exchange.ssd", ALL_METHODS);
    const char *const central[9] = {"--interface", "me", "--me", "central"};
    check_method(box, "model_exchange.ssd", central);
}

static void coupled_examples_in_any_order(void **state)
{
    static const char *const folders[] = {"01_chain", "08_algebraic_loop", "19_linear_equation",
                                          "20b_initial_loop", "22_rc_circuit"};
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[TEST_PATH_SIZE];
        snprintf(path, sizeof path, TAKT_EXAMPLES "/coupling/%s/system.ssd", folders[i]);
        test_ssd_copy(box, path, "system.ssd");
        check_project(box, "system.ssd", FIXED_STEPS);
    }
}

// These take 2181, 936 and 514 steps, with a bad order 70 to 130 times as many.
static void the_order_that_is_found_needs_few_steps(void **state)
{
    static const struct {
        const char *folder;
        int limit;
    } cases[] = {{"14_extended_circuit", 5000}, {"16_roessler", 2000}, {"22_rc_circuit", 1100}};
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[TEST_PATH_SIZE];
        snprintf(path, sizeof path, TAKT_EXAMPLES "/coupling/%s/system.ssd", cases[i].folder);
        test_ssd_copy(box, path, "system.ssd");
        relist(box, "system.ssd", "other.ssd", true);
        test_run(box, "run", "other.ssd", "-q", "-o", "a.csv", "--algorithm", "seidel",
                 "--step-control", "richardson", "--step-min", "1e-5", NULL);
        assert_exit(box, 0);
        test_results r;
        test_results_read(&r, box, "a.csv");
        if (r.n_rows > cases[i].limit) fail_msg("%s: %d rows", cases[i].folder, r.n_rows);
        test_results_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(lotka_volterra_in_any_order),
        test_in_sandbox(math003_in_any_order),
        test_in_sandbox(masses_in_any_order),
        test_in_sandbox(coupled_examples_in_any_order),
        test_in_sandbox(the_order_that_is_found_needs_few_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
