// SPDX-License-Identifier: MIT
// FMUs of FMI 1.0, 2.0 and 3.0 in one coupled run give what three of FMI 2.0 give.
#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"

// Prey -> Gain -> Predator -> Prey: a loop of three FMUs.
static void write_loop(test_sandbox *box, const char *name, const char *prey, const char *gain,
                       const char *predator)
{
    char text[4000];
    snprintf(text, sizeof text,
             "<ssd:SystemStructureDescription version='1.0' name='%s' "
             "xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription'>\n"
             "<ssd:System name='s'><ssd:Elements>\n"
             "<ssd:Component name='Prey' source='" TEST_FMUS "/LotkaVolterraPrey%s.fmu'/>\n"
             "<ssd:Component name='Gain' source='" TEST_FMUS "/Gain%s.fmu'/>\n"
             "<ssd:Component name='Predator' source='" TEST_FMUS "/LotkaVolterraPredator%s.fmu'/>\n"
             "</ssd:Elements><ssd:Connections>\n"
             "<ssd:Connection startElement='Prey' startConnector='x' endElement='Gain' "
             "endConnector='u'/>\n"
             "<ssd:Connection startElement='Gain' startConnector='y' endElement='Predator' "
             "endConnector='x'/>\n"
             "<ssd:Connection startElement='Predator' startConnector='y' endElement='Prey' "
             "endConnector='y'/>\n"
             "</ssd:Connections></ssd:System></ssd:SystemStructureDescription>\n",
             name, prey, gain, predator);
    char file[100];
    snprintf(file, sizeof file, "%s.ssd", name);
    test_write_text(box, file, text);
}

static char *run_loop(test_sandbox *box, const char *name, const char *algorithm)
{
    char project[100], results[100];
    snprintf(project, sizeof project, "%s.ssd", name);
    snprintf(results, sizeof results, "%s.csv", name);
    test_run(box, "run", project, "--algorithm", algorithm, "--step-size", "0.1", "--stop-time",
             "50", "--set", "Gain.k=0.9", "--quiet", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    return test_read_file(box, results, NULL);
}

static void three_versions_in_one_loop_give_the_same_as_one(void **state)
{
    test_sandbox *box = *state;
    static const char *const mixes[][3] = {
        {"_fmi1", "", "_fmi3"}, {"_fmi3", "_fmi1", ""}, {"", "_fmi3", "_fmi1"}};
    const char *const algorithms[] = {"jacobi", "seidel"};
    write_loop(box, "same", "", "", "");
    for (int a = 0; a < 2; a++) {
        char *expected = run_loop(box, "same", algorithms[a]);
        assert_true(strlen(expected) > 10000);
        for (int i = 0; i < 3; i++) {
            write_loop(box, "mixed", mixes[i][0], mixes[i][1], mixes[i][2]);
            char *mixed = run_loop(box, "mixed", algorithms[a]);
            assert_string_equal(mixed, expected);
            free(mixed);
        }
        free(expected);
    }
}

static void versions_that_can_rewind_are_iterated_together(void **state)
{
    test_sandbox *box = *state;
    const char *const algorithms[] = {"fixed-point", "newton"};
    write_loop(box, "same", "", "", "");
    write_loop(box, "mixed", "_fmi3", "", "_fmi3");
    for (int a = 0; a < 2; a++) {
        char *expected = run_loop(box, "same", algorithms[a]);
        char *mixed = run_loop(box, "mixed", algorithms[a]);
        assert_string_equal(mixed, expected);
        free(expected);
        free(mixed);
    }
}

static void what_cannot_rewind_is_named(void **state)
{
    test_sandbox *box = *state;
    write_loop(box, "mixed", "_fmi1", "", "_fmi3");
    test_run(box, "run", "mixed.ssd", "--algorithm", "newton", "--stop-time", "1", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "component 'Prey' cannot be rewound");
    assert_contains(box->err, "seidel and jacobi are possible");
}

// The control loop of the papers with one part of each version.
static void math003_with_three_versions(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--algorithm", "seidel", "-o", "expected.csv", "-q", NULL);
    assert_exit(box, 0);
    char *text = test_read_file(box, "math003.ssd", NULL);
    const char *const changes[][2] = {{"Math003Part1.fmu", "Math003Part1_fmi1.fmu"},
                                      {"Math003Part3.fmu", "Math003Part3_fmi3.fmu"}};
    char changed[20000] = "";
    const char *rest = text;
    for (int i = 0; i < 2; i++) {
        const char *at = strstr(rest, changes[i][0]);
        assert_non_null(at);
        size_t used = strlen(changed);
        snprintf(changed + used, sizeof changed - used, "%.*s%s", (int)(at - rest), rest,
                 changes[i][1]);
        rest = at + strlen(changes[i][0]);
    }
    size_t used = strlen(changed);
    snprintf(changed + used, sizeof changed - used, "%s", rest);
    free(text);
    test_write_text(box, "mixed.ssd", changed);
    test_run(box, "run", "mixed.ssd", "--algorithm", "seidel", "-o", "mixed.csv", "-q", NULL);
    assert_exit(box, 0);
    test_run(box, "compare", "mixed.csv", "expected.csv", "--absolute-tolerance", "1e-300",
             "--relative-tolerance", "1e-300", NULL);
    assert_exit(box, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(three_versions_in_one_loop_give_the_same_as_one),
        test_in_sandbox(versions_that_can_rewind_are_iterated_together),
        test_in_sandbox(what_cannot_rewind_is_named),
        test_in_sandbox(math003_with_three_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
