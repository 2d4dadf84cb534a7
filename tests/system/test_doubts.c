// SPDX-License-Identifier: MIT
// Warnings that results may be wrong: in `takt check` and at the start of a run, and a failure with --strict.
#include "support/archive.h"
#include "support/results.h"
#include "support/ssd.h"

// The algebraic loop A.y = u, B.y = -2 u, with u the other's output: only 0 solves it. `version` is that of B.
static void write_gains(test_sandbox *box, const char *name, const char *version)
{
    test_ssd ssd = {0};
    char fmu[64];
    snprintf(fmu, sizeof fmu, "Gain%s", version);
    test_ssd_component(&ssd, "A", "Gain", "in:u out:y");
    test_ssd_component(&ssd, "B", fmu, "in:u out:y parameter:k");
    test_ssd_connect(&ssd, "A.y", "B.u");
    test_ssd_connect(&ssd, "B.y", "A.u");
    test_ssd_write(&ssd, box, name, 0, 1, "step-size=\"0.1\"");
}

#define SET_K "--set", "B.k=-2"
static const char unsolved[] = "component 'B' cannot be rewound (its FMU does not save its state), "
                               "so the algebraic loop of A, B "
                               "is computed with seidel, without iterating: it is not solved, and "
                               "its results may be wrong by any "
                               "amount; use an FMU that saves its state, or break the loop";

static void an_algebraic_loop_without_rewinding_is_a_doubt(void **state)
{
    test_sandbox *box = *state;
    write_gains(box, "loop.ssd", "_fmi1");
    test_run(box, "check", "loop.ssd", SET_K, NULL);
    assert_exit(box, 0);
    assert_contains(box->err, unsolved);
    assert_string_equal(box->out, "loop.ssd: results may be wrong, 1 warning\n");
    test_run(box, "run", "loop.ssd", SET_K, "--no-output", "-q", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "warning: component 'B' cannot be rewound");
}

static void strict_makes_a_doubt_a_failure(void **state)
{
    test_sandbox *box = *state;
    static const char failure[] = "loop.ssd: 1 warning says that results may be wrong, which "
                                  "--strict makes a failure";
    write_gains(box, "loop.ssd", "_fmi1");
    test_run(box, "check", "loop.ssd", SET_K, "--strict", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, unsolved);
    assert_contains(box->err, failure);
    assert_string_equal(box->out, "loop.ssd: 1 error, 1 warning\n");
    test_run(box, "run", "loop.ssd", SET_K, "--strict", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, unsolved);
    assert_contains(box->err, failure);
    // What the log hides is in the error.
    test_run(box, "run", "loop.ssd", SET_K, "--strict", "--log-level", "error", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "a failure; the first: component 'B' cannot be rewound");
}

static void an_algorithm_that_cannot_solve_the_loop_is_a_doubt(void **state)
{
    test_sandbox *box = *state;
    write_gains(box, "loop.ssd", "");
    test_run(box, "check", "loop.ssd", SET_K, "--algorithm", "jacobi", NULL);
    assert_exit(box, 0);
    assert_contains(box->err,
                    "algorithm jacobi does not iterate, so the algebraic loop of A, B is not "
                    "solved, and its results may be wrong by any amount; choose "
                    "fixed-point or newton");
    test_run(box, "run", "loop.ssd", SET_K, "--algorithm", "jacobi", "--strict", NULL);
    assert_exit(box, 3);
}

static void a_change_to_such_an_algorithm_is_a_doubt_from_the_start(void **state)
{
    test_sandbox *box = *state;
    write_gains(box, "loop.ssd", "");
    test_run(box, "run", "loop.ssd", SET_K, "--algorithm", "newton", "--algorithm-at", "0.5:jacobi",
             "--no-output", "-q", NULL);
    assert_exit(box, 0);
    assert_contains(box->err,
                    "warning: algorithm '0.5:jacobi' does not iterate, so the algebraic loop "
                    "of component 'A' is not solved");
    const char *again = strstr(strstr(box->err, "warning: ") + 1, "warning: ");
    assert_non_null(again); // once at the start, and with its count at the end
    assert_contains(again, "steps left an algebraic loop unsolved");
    assert_null(strstr(again + 1, "warning: "));
    test_run(box, "run", "loop.ssd", SET_K, "--algorithm", "newton", "--algorithm-at", "0.5:jacobi",
             "--no-output", "-q", "--strict", NULL);
    assert_exit(box, 3);
}

static void what_is_solved_is_no_doubt(void **state)
{
    test_sandbox *box = *state;
    write_gains(box, "loop.ssd", "");
    test_run(box, "check", "loop.ssd", SET_K, "--strict", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    assert_string_equal(box->out, "loop.ssd: ok\n");
}

// FixedStep takes only steps of equal size; the table jumps at `jump`.
static void run_with_jump(test_sandbox *box, double jump, const char *strict)
{
    char table[200];
    snprintf(table, sizeof table, "time,u\n0,0\n%g,0\n%g,1\n1,1\n", jump, jump);
    test_write_text(box, "in.csv", table);
    test_run(box, "run", TEST_FMUS "/FixedStep.fmu", "--input-file", "in.csv", "--step-size", "0.1",
             "--stop-time", "1", "--no-output", "-q", strict, NULL);
}

static void an_event_that_is_handled_late_is_a_doubt(void **state)
{
    test_sandbox *box = *state;
    run_with_jump(box, 0.5, "--strict");
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    run_with_jump(box, 0.25, NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "warning: the event at t=0.25 s is handled at t=0.3 s, as component "
                              "'FixedStep' takes only steps of equal size; choose a step-size of "
                              "which the times of events are multiples, or compare with a smaller "
                              "one");
    run_with_jump(box, 0.25, "--strict");
    assert_exit(box, 3);
    assert_contains(box->err, "1 warning says that results may be wrong");
}

static void rows_that_cannot_be_on_the_grid_are_a_warning(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", TEST_FMUS "/FixedStep.fmu", "--step-size", "0.1", "--stop-time", "1",
             "--output-interval", "0.25", "--no-output", "-q", "--strict", NULL);
    assert_exit(box, 0);
    assert_contains(box->err,
                    "component 'FixedStep' takes only steps of equal size, so that rows of "
                    "the output grid are written at the next communication point; choose "
                    "an output-interval that is a multiple of step-size");
    test_run(box, "run", TEST_FMUS "/FixedStep.fmu", "--step-size", "0.1", "--stop-time", "1",
             "--output-interval", "0.2", "--no-output", "-q", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
}

static void clocks_in_model_exchange_are_a_doubt(void **state)
{
    test_sandbox *box = *state;
    static const char text[] =
        "<fmiModelDescription fmiVersion='3.0' modelName='M' instantiationToken='t'>\n"
        "<ModelExchange modelIdentifier='m'/>\n<ModelVariables>\n"
        "<Float64 name='time' valueReference='0' causality='independent'/>\n"
        "<Clock name='c' valueReference='1' causality='input' intervalVariability='triggered'/>\n"
        "</ModelVariables><ModelStructure/></fmiModelDescription>\n";
    char path[2 * TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/m.fmu", box->work);
    test_archive(path, &(test_entry){.name = "modelDescription.xml", .data = text}, 1);
    test_run(box, "check", "m.fmu", NULL);
    assert_exit(box, 0);
    assert_contains(box->err,
                    "FMU m.fmu: clocks do not tick in model exchange, and what they should "
                    "compute stays as it is");
    assert_contains(box->out, "m.fmu: results may be wrong, ");
    test_run(box, "check", "m.fmu", "--strict", NULL);
    assert_exit(box, 3);
}

static void units_whose_relation_is_not_known_are_a_doubt(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "in.csv", "time,real_in [odd]\n0,1\n1,1\n");
    test_run(box, "run", TEST_FMUS "/Passthrough.fmu", "--input-file", "in.csv", "--no-output",
             "-q", NULL);
    assert_exit(box, 0);
    assert_contains(box->err,
                    "input.real_in has the unit 'odd' and Passthrough.real_in has 'm', of "
                    "which the FMUs do not say how they are related; the value is passed "
                    "on unchanged; declare what the units mean, or give both the same");
    test_run(box, "run", TEST_FMUS "/Passthrough.fmu", "--input-file", "in.csv", "--no-output",
             "-q", "--strict", NULL);
    assert_exit(box, 3);
}

// What is written in a file and cannot be done as it says counts, too.
static void doubts_about_the_project_file_count(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    test_write_text(box, "OspSystemStructure.xml",
                    "<OspSystemStructure xmlns='http://opensimulationplatform.com/MSMI/"
                    "OSPSystemStructure' version='0.1'><BaseStepSize>0.1</BaseStepSize>"
                    "<Algorithm>ecco</Algorithm><Simulators><Simulator name='A' "
                    "source='fmus/Gain.fmu'/></Simulators></OspSystemStructure>");
    test_run(box, "check", "OspSystemStructure.xml", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "OspSystemStructure.xml: results may be wrong, 1 warning\n");
    test_run(box, "run", "OspSystemStructure.xml", "--strict", "--no-output", NULL);
    assert_exit(box, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(an_algebraic_loop_without_rewinding_is_a_doubt),
        test_in_sandbox(strict_makes_a_doubt_a_failure),
        test_in_sandbox(an_algorithm_that_cannot_solve_the_loop_is_a_doubt),
        test_in_sandbox(a_change_to_such_an_algorithm_is_a_doubt_from_the_start),
        test_in_sandbox(what_is_solved_is_no_doubt),
        test_in_sandbox(an_event_that_is_handled_late_is_a_doubt),
        test_in_sandbox(rows_that_cannot_be_on_the_grid_are_a_warning),
        test_in_sandbox(clocks_in_model_exchange_are_a_doubt),
        test_in_sandbox(units_whose_relation_is_not_known_are_a_doubt),
        test_in_sandbox(doubts_about_the_project_file_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
