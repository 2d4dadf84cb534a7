// SPDX-License-Identifier: MIT
// `takt advise` names what is special about a system, by the names of its parts, and recommends settings that
// help; of a harmless system it says so.
#include <jansson.h>

#include "support/ssd.h"

// Runs `takt advise FILE --json` with further words, ended by NULL, and reads what it prints.
static json_t *advise(test_sandbox *box, const char *file, const char *const *words)
{
    const char *w[6] = {NULL};
    for (int i = 0; words && words[i]; i++) w[i] = words[i];
    test_run(box, "advise", file, "--json", "-q", w[0], w[1], w[2], w[3], w[4], w[5], NULL);
    assert_exit(box, 0);
    json_t *advice = json_loads(box->out, 0, NULL);
    assert_non_null(advice);
    return advice;
}

// The text of a finding; NULL: there is none of this kind.
static const char *finding(const json_t *advice, const char *kind)
{
    const json_t *all = json_object_get(advice, "findings");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        if (strcmp(json_string_value(json_object_get(one, "kind")), kind) == 0)
            return json_string_value(json_object_get(one, "text"));
    }
    return NULL;
}

static void assert_finds(const json_t *advice, const char *kind, const char *piece)
{
    const char *text = finding(advice, kind);
    if (!text || !strstr(text, piece))
        fail_msg("%s does not say \"%s\": %s", kind, piece, text ? text : "not found");
}

// How long calls take depends on what else the machine does.
static bool is_timing(const char *kind)
{
    return strcmp(kind, "costly") == 0;
}

static void assert_finds_only(const json_t *advice, const char *kinds)
{
    const json_t *all = json_object_get(advice, "findings");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        const char *kind = json_string_value(json_object_get(one, "kind"));
        if (!strstr(kinds, kind) && !is_timing(kind))
            fail_msg("%s: %s", kind, json_string_value(json_object_get(one, "text")));
    }
}

// The recommended value of an option; NULL: none is.
static const char *recommended(const json_t *advice, const char *option)
{
    const json_t *all = json_object_get(advice, "recommendations");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        if (strcmp(json_string_value(json_object_get(one, "option")), option) == 0)
            return json_string_value(json_object_get(one, "value"));
    }
    return NULL;
}

static double contraction(const json_t *advice, size_t i_size)
{
    const json_t *loop = json_array_get(json_object_get(advice, "loops"), 0);
    return json_number_value(json_array_get(json_object_get(loop, "contraction"), i_size));
}

static const char *const controlled[] = {"--tolerance", "1e-4", NULL};

static void copy_coupled(test_sandbox *box, const char *name)
{
    char path[TEST_PATH_SIZE];
    test_link(box, "fmus", TEST_FMUS);
    snprintf(path, sizeof path, TAKT_EXAMPLES "/coupling/%s/system.ssd", name);
    test_ssd_copy(box, path, "system.ssd");
}

// ---- harmless systems --------------------------------------------------------------------------------

static void harmless_systems_have_no_findings(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    test_ssd_example(box, "model_exchange");
    copy_coupled(box, "01_chain");
    const char *const files[] = {"lotka_volterra.ssd", "model_exchange.ssd", "system.ssd"};
    for (int i = 0; i < 3; i++) {
        json_t *advice = advise(box, files[i], controlled);
        assert_finds_only(advice, "");
        assert_int_equal(json_array_size(json_object_get(advice, "recommendations")), 0);
        json_decref(advice);
    }
}

static void a_harmless_system_is_called_so(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    test_run(box, "advise", "lotka_volterra.ssd", "--tolerance", "1e-4", NULL);
    assert_exit(box, 0);
    assert_non_null(strstr(box->out, "nothing to change: the settings fit"));
    assert_non_null(strstr(box->out, "takt run lotka_volterra.ssd --tolerance=1e-4\n"));
    assert_null(strstr(box->out, "Findings"));
    assert_non_null(strstr(box->err, "trial 3 of 3"));
}

// ---- steps -------------------------------------------------------------------------------------------

// With these steps and this method results are wrong by some percent.
static void fixed_steps_that_are_too_long_are_found(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    const char *const words[] = {"--step-size", "0.1", "--algorithm", "seidel", NULL};
    json_t *advice = advise(box, "lotka_volterra.ssd", words);
    assert_finds(advice, "inaccurate", "Pre");
    assert_finds_only(advice, "inaccurate");
    assert_string_equal(recommended(advice, "tolerance"), "0.0001");
    json_decref(advice);
}

// What the user chose stays in the recommended command line, unless it is replaced.
static void the_command_line_keeps_options_of_the_user(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    const char *const words[] = {"--stop-time", "40", "--step-control=fixed", "--algorithm=seidel",
                                 NULL};
    json_t *advice = advise(box, "lotka_volterra.ssd", words);
    assert_string_equal(json_string_value(json_object_get(advice, "command")),
                        "takt run lotka_volterra.ssd --stop-time=40 --step-control auto "
                        "--algorithm auto --tolerance 0.0001");
    json_decref(advice);
}

static void work_is_limited(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    const char *const words[] = {"--max-steps", "20", "--step-size", "0.1", NULL};
    json_t *advice = advise(box, "lotka_volterra.ssd", words);
    const json_t *trial = json_object_get(advice, "trial");
    assert_int_equal(json_integer_value(json_object_get(trial, "steps")), 20);
    json_decref(advice);
    const char *const none[] = {"--max-time", "0", NULL};
    advice = advise(box, "lotka_volterra.ssd", none);
    trial = json_object_get(advice, "trial");
    assert_int_equal(json_integer_value(json_object_get(trial, "steps")), 0);
    assert_finds(advice, "not-measured", "--max-time");
    json_decref(advice);
}

// ---- loops -------------------------------------------------------------------------------------------

static void an_algebraic_loop_that_converges_is_a_note(void **state)
{
    test_sandbox *box = *state;
    copy_coupled(box, "02_linear_dominant");
    json_t *advice = advise(box, "system.ssd", controlled);
    assert_finds(advice, "algebraic-loop", "'F2', 'F3' and 'F4'");
    assert_finds_only(advice, "algebraic-loop");
    assert_true(contraction(advice, 0) > 0.1 && contraction(advice, 0) < 0.5);
    assert_true(fabs(contraction(advice, 4) - contraction(advice, 0)) < 0.01);
    json_decref(advice);
}

// R_part2 = 0.001: a sweep multiplies errors by (1 - R_part2) / R_part2 = 999, however short the step.
static void bad_tearing_is_found(void **state)
{
    test_sandbox *box = *state;
    copy_coupled(box, "23_nearly_higher_index");
    json_t *advice = advise(box, "system.ssd", controlled);
    assert_finds(advice, "bad-tearing", "'F1' and 'F2' are cut apart");
    assert_finds(advice, "bad-tearing", "F2.i -> F1.u");
    assert_true(contraction(advice, 4) > 100);
    assert_null(recommended(advice, "me"));
    json_decref(advice);
}

// Repeated sweeps diverge where the matrix is not dominant any more; other methods solve the loop.
static void bad_tearing_that_is_solved_is_a_warning(void **state)
{
    test_sandbox *box = *state;
    copy_coupled(box, "05_time_dependent_matrix");
    json_t *advice = advise(box, "system.ssd", controlled);
    assert_finds(advice, "bad-tearing", "'F2', 'F3' and 'F4'");
    assert_finds_only(advice, "bad-tearing");
    const json_t *first = json_array_get(json_object_get(advice, "findings"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "weight")), "warning");
    json_decref(advice);
}

// Part2 switches at a threshold; near it a small change has a large effect, which is no strong coupling.
static void a_switch_is_no_strong_coupling(void **state)
{
    test_sandbox *box = *state;
    copy_coupled(box, "03_math003");
    json_t *advice = advise(box, "system.ssd", controlled);
    assert_finds_only(advice, "jumps");
    json_decref(advice);
}

// ---- components --------------------------------------------------------------------------------------

static void write_pair(test_sandbox *box, const char *a, const char *connectors_a,
                       const char *out_a, const char *b, const char *connectors_b,
                       const char *out_b)
{
    test_ssd ssd = {0};
    char from[64], to[64];
    test_ssd_component(&ssd, "A", a, connectors_a);
    test_ssd_component(&ssd, "B", b, connectors_b);
    snprintf(from, sizeof from, "A.%s", out_a);
    snprintf(to, sizeof to, "B.%s", strstr(connectors_b, "in:") + 3);
    *strchr(to, ' ') = 0;
    test_ssd_connect(&ssd, from, to);
    snprintf(from, sizeof from, "B.%s", out_b);
    snprintf(to, sizeof to, "A.%s", strstr(connectors_a, "in:") + 3);
    *strchr(to, ' ') = 0;
    test_ssd_connect(&ssd, from, to);
    test_ssd_write(&ssd, box, "pair.ssd", 0, 10, NULL);
}

static void fast_components_are_found(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "ThermalFast", "in:T_other out:T", "T", "ThermalSlow", "in:T_other out:T", "T");
    json_t *advice = advise(box, "pair.ssd", NULL);
    assert_finds(advice, "stiff", "'A' is fast");
    assert_finds_only(advice, "stiff strong-coupling");
    assert_int_equal(json_array_size(json_object_get(advice, "recommendations")), 0);
    json_decref(advice);
}

// y1 = -2 y2, y2 = 1.5 y1: a loop gain of 3, of FMUs that could be integrated as one.
static void central_integration_is_recommended_where_it_is_possible(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "LinearSystem", "in:u1 out:y1", "y1", "LinearSystem", "in:u1 out:y1", "y1");
    const char *const words[] = {"--set", "A.D11=-2", "--set", "B.D11=1.5", NULL};
    json_t *advice = advise(box, "pair.ssd", words);
    assert_finds(advice, "bad-tearing", "multiplies an error by 3 ");
    assert_finds(advice, "bad-tearing", "--interface me --me central");
    assert_string_equal(recommended(advice, "interface"), "me");
    assert_string_equal(recommended(advice, "me"), "central");
    json_decref(advice);
    const char *const central[] = {
        "--set", "A.D11=-2", "--interface=me", "--set", "B.D11=1.5", "--me=central", NULL};
    advice = advise(box, "pair.ssd", central);
    assert_finds_only(advice, "");
    json_decref(advice);
}

static void jumps_are_counted(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "Hysteresis", "in:x out:u", "u", "Lag", "in:u out:x", "x");
    json_t *advice = advise(box, "pair.ssd", NULL);
    assert_finds(advice, "jumps", "jump: A.u (23 times). Error");
    assert_finds_only(advice, "jumps");
    json_decref(advice);
}

static void a_component_that_cannot_be_rewound_is_found(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "NoRewind", "in:u out:y", "y", "Lag", "in:u out:x", "x");
    json_t *advice = advise(box, "pair.ssd", NULL);
    assert_finds(advice, "no-rewind", "its state: 'A'.");
    json_decref(advice);
}

static void a_component_with_equal_steps_is_found(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "FixedStep", "in:u out:y", "y", "Lag", "in:u out:x", "x");
    json_t *advice = advise(box, "pair.ssd", NULL);
    assert_finds(advice, "equal-steps", "equal size: 'A'.");
    json_decref(advice);
}

static void rewinding_that_is_not_exact_is_found(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "Rough", "in:u out:x", "x", "Lag", "in:u out:x", "x");
    json_t *advice = advise(box, "pair.ssd", NULL);
    assert_finds(advice, "rewind-not-exact", "'A' does not come back");
    assert_finds(advice, "rewind-not-exact", "A.x");
    assert_string_equal(recommended(advice, "step-control"), "fixed");
    json_decref(advice);
}

static void noise_is_found(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "Noisy", "in:u out:y", "y", "Lag", "in:u out:x", "x");
    json_t *advice = advise(box, "pair.ssd", NULL);
    assert_finds(advice, "noise", "'A' is noisy");
    assert_finds_only(advice, "noise");
    assert_string_equal(recommended(advice, "tolerance"), "0.001");
    json_decref(advice);
}

// ---- failures ----------------------------------------------------------------------------------------

static void a_run_that_fails_is_a_finding(void **state)
{
    test_sandbox *box = *state;
    copy_coupled(box, "21_higher_index");
    json_t *advice = advise(box, "system.ssd", NULL);
    assert_finds(advice, "failure", "F2");
    json_decref(advice);
}

static void a_project_that_is_wrong_is_an_error(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "advise", "missing.ssd", NULL);
    assert_one_error(box, 3, "missing.ssd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(harmless_systems_have_no_findings),
        test_in_sandbox(a_harmless_system_is_called_so),
        test_in_sandbox(fixed_steps_that_are_too_long_are_found),
        test_in_sandbox(the_command_line_keeps_options_of_the_user),
        test_in_sandbox(work_is_limited),
        test_in_sandbox(an_algebraic_loop_that_converges_is_a_note),
        test_in_sandbox(bad_tearing_is_found),
        test_in_sandbox(bad_tearing_that_is_solved_is_a_warning),
        test_in_sandbox(a_switch_is_no_strong_coupling),
        test_in_sandbox(central_integration_is_recommended_where_it_is_possible),
        test_in_sandbox(fast_components_are_found),
        test_in_sandbox(jumps_are_counted),
        test_in_sandbox(a_component_that_cannot_be_rewound_is_found),
        test_in_sandbox(a_component_with_equal_steps_is_found),
        test_in_sandbox(rewinding_that_is_not_exact_is_found),
        test_in_sandbox(noise_is_found),
        test_in_sandbox(a_run_that_fails_is_a_finding),
        test_in_sandbox(a_project_that_is_wrong_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
