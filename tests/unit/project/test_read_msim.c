// SPDX-License-Identifier: MIT
// Reading projects of MasterSim.
#include "support/memory.h"
#include "support/project_file.h"

#include "base/file.h"

#define TWO                                                                                        \
    "simulator 0 0 A #00bdcf a.fmu\n"                                                              \
    "simulator 1 0 B #00bdcf b.fmu\n"

static void open_text(test_project_file *f, const char *text)
{
    test_project_file_open(f, "plant.msim", text);
}

static const char full_project[] =
    "# Created:\tMo. Sept. 9 13:02:52 2024\n"
    "# about it\n"
    "\n"
    "tStart 1 min\n"
    "  tEnd\t\t2 h  \r\n"
    "hStart 500 ms\n"
    "hMin 1e-3 s\n"
    "hMax 1 min\n"
    "hFallBackLimit 0.01 s\n"
    "hOutputMin 10 s\n"
    "outputTimeUnit s\n"
    "adjustStepSize yes\n"
    "preventOversteppingOfEndTime true\n"
    "absTol 1e-07\n"
    "relTol 1e-4\n"
    "MasterMode GAUSS_SEIDEL\n"
    "ErrorControlMode ADAPT_STEP\n"
    "maxIterations 3\n"
    "writeInternalVariables yes\n"
    "writeUnconnectedFileReaderVars no\n"
    "simulator 0 0 Room #ff447cb4 \"fmus/My Room.fmu\"\n" // line 21
    "simulator 1 0 Heater #447cb4 /opt/heater.FMU\n"
    "graph Room.temperature.air Heater.u\n"
    "graph \"Heater.power of heater\" Room.q -273.15 2.5 0.8 #000000\n"
    "parameter Room.volume 50\n"
    "parameter Room.path \"C:\\\\data\\nnext \"\n";

static void a_full_project_is_read(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, full_project);
    const takt_project *p = f.project;
    const takt_settings *s = &p->settings;
    assert_int_equal(takt_log_count(f.log.log, TAKT_LEVEL_WARN), 0);
    assert_true(s->start_time == 60 && s->stop_time == 7200 && s->step_size == 0.5);
    assert_true(s->step_min == 1e-3 && s->step_max == 60 && s->step_fallback == 0.01);
    assert_true(s->output_interval == 10 && !s->overstep_end);
    assert_true(s->output_origin == 0 && takt_settings_has(s, &s->output_origin));
    assert_int_equal(s->output_grid, TAKT_OUTPUT_NEXT);
    assert_true(s->absolute_tolerance == 1e-7 && s->relative_tolerance == 1e-4);
    assert_true(s->tolerance == 1e-4 && takt_settings_has(s, &s->tolerance));
    assert_int_equal(s->algorithm, TAKT_ALGORITHM_FIXED_POINT);
    assert_int_equal(s->step_control, TAKT_STEP_CONTROL_RICHARDSON);
    assert_int_equal(s->iterations, 3);
    assert_int_equal(s->record.n_items, 1);
    assert_string_equal(s->record.items[0], "*");
    assert_int_equal(p->n_components, 2);
    assert_string_equal(p->components[0].name, "Room");
    assert_string_equal(p->components[0].source, test_project_file_path(&f, "fmus/My Room.fmu"));
    assert_int_equal(p->components[0].place.line, 21);
    assert_string_equal(p->components[1].source, "/opt/heater.FMU");
    assert_int_equal(p->n_connections, 2);
    assert_string_equal(p->connections[0].start_component, "Room");
    assert_string_equal(p->connections[0].start_variable, "temperature.air");
    assert_string_equal(p->connections[0].end_component, "Heater");
    assert_string_equal(p->connections[0].end_variable, "u");
    assert_int_equal(p->connections[0].n_hops, 1);
    assert_true(p->connections[0].hops[0].keeps_unit);
    assert_int_equal(p->connections[0].hops[0].transformation.kind, TAKT_TRANSFORM_NONE);
    const takt_project_hop *hop = &p->connections[1].hops[0];
    assert_string_equal(p->connections[1].start_variable, "power of heater");
    assert_int_equal(hop->transformation.kind, TAKT_TRANSFORM_LINEAR);
    assert_true(hop->transformation.factor == 2.5 && hop->transformation.offset == -273.15);
    assert_true(hop->keeps_unit);
    assert_string_equal(p->assignments[0].component, "Room");
    assert_string_equal(p->assignments[0].variable, "volume");
    assert_string_equal(p->assignments[0].value, "50");
    assert_string_equal(p->assignments[1].value, "C:\\data\nnext ");
    test_project_file_clear(&f);
}

static void what_is_not_given_has_mastersims_defaults(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, TWO);
    const takt_settings *s = &f.project->settings;
    assert_int_equal(s->input_derivatives, TAKT_DERIVATIVES_OFF); // it holds inputs
    assert_true(s->start_time == 0 && s->stop_time == 31536000 && s->step_size == 600);
    assert_true(s->step_min == 1e-5 && s->step_max == 1800 && s->step_fallback == 1e-3);
    assert_true(s->output_interval == 600 && s->absolute_tolerance == 1e-6);
    assert_true(s->relative_tolerance == 1e-5 && !s->overstep_end);
    assert_int_equal(s->algorithm, TAKT_ALGORITHM_SEIDEL);
    assert_int_equal(s->step_control, TAKT_STEP_CONTROL_FIXED);
    assert_int_equal(s->record.n_items, 0);
    test_project_file_clear(&f);
}

static void modes_become_algorithms_and_step_control(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        takt_algorithm algorithm;
        takt_step_control control;
    } cases[] = {
        {"MasterMode GAUSS_JACOBI\n", TAKT_ALGORITHM_JACOBI, TAKT_STEP_CONTROL_FIXED},
        {"MasterMode GAUSS_SEIDEL\n", TAKT_ALGORITHM_SEIDEL, TAKT_STEP_CONTROL_FIXED},
        {"maxIterations 2\n", TAKT_ALGORITHM_FIXED_POINT, TAKT_STEP_CONTROL_FIXED},
        {"MasterMode NEWTON\nmaxIterations 5\n", TAKT_ALGORITHM_NEWTON, TAKT_STEP_CONTROL_FIXED},
        {"adjustStepSize 1\nmaxIterations 5\n", TAKT_ALGORITHM_FIXED_POINT,
         TAKT_STEP_CONTROL_CONVERGENCE},
        {"adjustStepSize yes\nErrorControlMode STEP_DOUBLING\n", TAKT_ALGORITHM_SEIDEL,
         TAKT_STEP_CONTROL_RICHARDSON},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", cases[i].text, TWO);
        test_project_file f;
        open_text(&f, text);
        assert_int_equal(f.project->settings.algorithm, cases[i].algorithm);
        assert_int_equal(f.project->settings.step_control, cases[i].control);
        assert_int_equal(f.project->problems.n_errors, 0);
        test_project_file_clear(&f);
    }
}

static void overstepping_is_for_fixed_steps(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, TWO "preventOversteppingOfEndTime no\nhStart 0 s\ntEnd 10 s\n");
    assert_true(f.project->settings.overstep_end);
    assert_true(f.project->settings.step_size == 0.01); // a thousandth of the interval
    test_project_file_clear(&f);
    open_text(&f, TWO "preventOversteppingOfEndTime no\nadjustStepSize yes\nmaxIterations 2\n");
    assert_false(f.project->settings.overstep_end);
    test_project_file_clear(&f);
}

static const char wrong_project[] = TWO // lines 1 and 2
    "tEnd 1\n"
    "tEnd 1 K\n"
    "hStart fast\n" // 5
    "simulators 0 0 C #000000 c.fmu\n"
    "parameters A.k 1\n"
    "maxIterations 1.5\n"
    "adjustStepSize maybe\n"
    "simulator 0 0 C.d #000000 c.fmu\n" // 10
    "simulator 0 x C red c.dll\n"
    "simulator 0 0 D #000000 my model.fmu\n"
    "simulator 0 0 D\n"
    "simulator 0 0 D #000000 \"d.fmu\n"
    "graph A B.u\n" // 15
    "graph A.y B.u 1\n"
    "graph A.y B.u zero 1\n"
    "parameter A.k\n"
    "parameter k 1\n"
    "outputTimeUnit K\n" // 20
    "MasterMode NEWTOM\n"
    "absTol small\n"
    "tStart\n"
    "\xff\xfe\n";

static void all_problems_are_reported_with_their_lines(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, wrong_project);
    assert_problem(&f, "error", 3,
                   "tEnd: '1' has no unit; write tEnd 1 s, or another unit of time (ms, s, min, h, "
                   "d and a)");
    assert_problem(&f, "warn", 4, "tEnd was given in line 3 already; this one counts");
    assert_problem(&f, "error", 4,
                   "tEnd: 'K' is not a unit of time; possible are ms, s, min, h, d and a");
    assert_problem(&f, "error", 5, "hStart: 'fast' is not a time such as '10 min'");
    assert_problem(&f, "error", 6, "there is no keyword 'simulators'; did you mean 'simulator'?");
    assert_problem(&f, "error", 7, "there is no keyword 'parameters'; did you mean 'parameter'?");
    assert_problem(&f, "error", 8, "maxIterations: '1.5' is not a whole number of at least 1");
    assert_problem(&f, "error", 9, "adjustStepSize: 'maybe' is neither yes nor no");
    assert_problem(&f, "error", 10,
                   "'C.d' cannot be the name of a simulator: it is empty or contains a '.', which "
                   "ends the name in graph and parameter");
    assert_problem(&f, "error", 11, "simulator: the cycle 'x' is not a whole number from 0 on");
    assert_problem(&f, "warn", 11,
                   "simulator: 'red' is not a color such as #00bdcf; it has no effect");
    assert_problem(&f, "error", 11,
                   "'c.dll' is neither an FMU nor a table; possible are .fmu, .csv and .tsv");
    assert_problem(&f, "error", 12,
                   "simulator has too many words; put a path with blanks in quotes (\")");
    assert_problem(&f, "error", 13,
                   "simulator needs a priority, a cycle, a name, a color and a path");
    assert_problem(&f, "error", 14, "simulator: a quote (\") is not closed");
    assert_problem(&f, "error", 15, "graph: 'A' names no variable; write SIMULATOR.VARIABLE");
    assert_problem(&f, "error", 16,
                   "graph needs SOURCE TARGET, perhaps with OFFSET SCALE, perhaps with LINEWIDTH "
                   "COLOR; put names with blanks in quotes (\")");
    assert_problem(&f, "error", 17, "graph: the offset 'zero' is not a number");
    assert_problem(&f, "error", 18, "parameter needs SIMULATOR.VARIABLE and a value");
    assert_problem(&f, "error", 19, "parameter: 'k' names no variable; write SIMULATOR.VARIABLE");
    assert_problem(
        &f, "error", 20,
        "outputTimeUnit: 'K' is not a unit of time; possible are ms, s, min, h, d and a");
    assert_problem(&f, "error", 21,
                   "MasterMode: 'NEWTOM' is not possible; choose GAUSS_JACOBI, GAUSS_SEIDEL or "
                   "NEWTON");
    assert_problem(&f, "error", 22, "absTol: 'small' is not a number");
    assert_problem(&f, "error", 23, "tStart has no value");
    assert_problem(&f, "error", 24, "this line is not UTF-8; save the file with this encoding");
    assert_int_equal(f.project->n_components, 3); // C stays, without a source
    assert_null(f.project->components[2].source);
    test_project_file_clear(&f);
}

static void settings_that_contradict_are_reported(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, TWO "MasterMode GAUSS_JACOBI\nmaxIterations 2\nErrorControlMode STEP_DOUBLING\n"
                      "hStart -1 s\n");
    assert_problem(&f, "error", 4,
                   "maxIterations 2: GAUSS_JACOBI does not iterate; write maxIterations 1, or "
                   "MasterMode GAUSS_SEIDEL");
    assert_problem(&f, "error", 5,
                   "ErrorControlMode STEP_DOUBLING needs steps that can change; write "
                   "adjustStepSize yes");
    assert_problem(&f, "error", 6,
                   "hStart: step-size: '-1' is not allowed; it must be greater than 0");
    test_project_file_clear(&f);
    open_text(&f, TWO "adjustStepSize yes\n");
    assert_problem(&f, "error", 3,
                   "adjustStepSize yes needs maxIterations of at least 2 or ErrorControlMode "
                   "STEP_DOUBLING; otherwise nothing changes the steps");
    test_project_file_clear(&f);
}

static void keywords_without_effect_are_reported(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, TWO "simulator 2 0 T #000000 weather.TSV\n"
                      "outputOnly A.y\noutputTimeUnit h\nErrorControlMode CHECK\n"
                      "parameter T.k 1\nbinaryOutputFiles yes\n");
    assert_problem(
        &f, "warn", 8,
        "binaryOutputFiles yes has no effect, as in newer versions of MasterSim; see the "
        "option --output-file, which also writes .mat");
    assert_problem(&f, "warn", 4,
                   "outputOnly A.y has no effect, as in MasterSim; see the option --record");
    assert_int_equal(f.project->settings.output_time_unit, TAKT_TIME_H);
    assert_problem(&f, "warn", 6,
                   "ErrorControlMode CHECK has no effect here; STEP_DOUBLING tests the error and "
                   "changes the steps");
    assert_int_equal(f.project->settings.record_connected.n_items, 1);
    assert_string_equal(f.project->settings.record_connected.items[0], "T");
    assert_int_equal(f.project->problems.n_errors, 0);
    assert_problem(&f, "warn", 7, "parameter T.k has no effect, as in MasterSim: 'T' is a table");
    for (int i = 0; i < f.project->n_assignments; i++)
        assert_string_not_equal(f.project->assignments[i].variable, "k");
    test_project_file_clear(&f);
}

static void fmus_get_a_folder_for_results_of_their_own(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, TWO "parameter B.ResultsRootDir /tmp/b\nsimulator 2 0 T #000000 t.csv\n");
    const takt_project *p = f.project;
    assert_int_equal(p->n_assignments, 3);
    assert_string_equal(p->assignments[0].value, "/tmp/b");
    assert_int_equal(p->assignments[0].if_missing, TAKT_LEVEL_ERROR);
    assert_string_equal(p->assignments[2].component, "A");
    assert_string_equal(p->assignments[2].variable, "ResultsRootDir");
    const char *folder = test_project_file_path(&f, "plant/slaves/A");
    assert_string_equal(p->assignments[2].value, takt_path_absolute(&f.arena, folder));
    assert_int_equal(p->assignments[2].if_missing, TAKT_LEVEL_TRACE);
    test_project_file_clear(&f);
}

static void steps_go_over_the_rows_of_tables(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, TWO "simulator 2 0 T #000000 t.csv\n");
    const takt_project_assignment *given = &f.project->assignments[0];
    assert_string_equal(given->component, "T");
    assert_string_equal(given->variable, "events");
    assert_string_equal(given->value, "false");
    assert_int_equal(given->place.line, 3);
    test_project_file_clear(&f);
}

static void components_are_called_by_cycle(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, "simulator 0 2 A #000000 a.fmu\nsimulator 0 0 B #000000 b.fmu\n"
                  "simulator 0 2 C #000000 c.fmu\nsimulator 0 1 D #000000 d.fmu\n");
    const char *const expected[] = {"B", "D", "A", "C"};
    for (int i = 0; i < 4; i++) assert_string_equal(f.project->components[i].name, expected[i]);
    test_project_file_clear(&f);
}

static void a_slave_connected_with_itself_is_iterated_with_others_of_its_cycle(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, "maxIterations 5\nsimulator 0 0 A #000000 a.fmu\nsimulator 0 1 B #000000 b.fmu\n"
                  "graph A.y A.u\n");
    assert_int_equal(f.project->settings.loop_algorithms.n_items, 1);
    assert_string_equal(f.project->settings.loop_algorithms.items[0], "A=seidel");
    test_project_file_clear(&f);
    open_text(&f, TWO "maxIterations 5\ngraph A.y A.u\n");
    assert_int_equal(f.project->settings.loop_algorithms.n_items, 0);
    test_project_file_clear(&f);
    open_text(&f, "MasterMode NEWTON\nmaxIterations 5\nsimulator 0 0 A #000000 a.fmu\n"
                  "graph A.y A.u\n");
    assert_int_equal(f.project->settings.loop_algorithms.n_items, 0);
    test_project_file_clear(&f);
}

static void a_loop_over_several_cycles_is_not_iterated(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, "maxIterations 5\nsimulator 0 0 A #000000 a.fmu\nsimulator 0 1 B #000000 b.fmu\n"
                  "graph A.y B.u\ngraph B.y A.u\n");
    assert_problem(
        &f, "warn", 2,
        "the loop from 'A' to 'B' is not a cycle that is iterated, so it is computed with "
        "seidel, in one pass, as MasterSim does");
    const takt_text_list *own = &f.project->settings.loop_algorithms;
    assert_int_equal(own->n_items, 1);
    assert_string_equal(own->items[0], "A=seidel");
    test_project_file_clear(&f);
    open_text(&f, TWO "maxIterations 5\ngraph A.y B.u\ngraph B.y A.u\n"
                      "simulator 0 1 C #000000 c.fmu\ngraph A.y C.u\ngraph C.y A.v\n");
    assert_problem(&f, "warn", 1,
                   "the loop from 'A' to 'C' is not one cycle, so MasterSim does not iterate it as "
                   "a whole; here it is");
    test_project_file_clear(&f);
    open_text(&f, TWO "maxIterations 5\ngraph A.y B.u\ngraph B.y A.u\n");
    assert_int_equal(takt_log_count(f.log.log, TAKT_LEVEL_WARN), 0);
    assert_int_equal(f.project->settings.loop_algorithms.n_items, 0);
    test_project_file_clear(&f);
}

static void a_value_that_mastersim_delays_is_reported_and_delayed(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, TWO "graph B.y A.u\n");
    assert_problem(&f, "warn", 3,
                   "'A' (cycle 0) is called before 'B' (cycle 0), so MasterSim passes B.y on one "
                   "step late; here as well, unless the option --call-order flow is given");
    assert_int_equal(f.project->settings.call_order, TAKT_ORDER_LISTED);
    test_project_file_clear(&f);
    open_text(&f, TWO "graph A.y B.u\n");
    assert_int_equal(f.project->settings.call_order, TAKT_ORDER_FLOW);
    test_project_file_clear(&f);
    open_text(&f, TWO "simulator 0 1 C #000000 c.fmu\ngraph C.y A.u\nmaxIterations 3\n");
    assert_problem(&f, "warn", 4,
                   "'A' (cycle 0) is called before 'C' (cycle 1), so MasterSim passes C.y on one "
                   "step late; here the source is called first");
    assert_int_equal(f.project->settings.call_order, TAKT_ORDER_FLOW);
    test_project_file_clear(&f);
    open_text(&f, TWO "graph B.y A.u\nMasterMode GAUSS_JACOBI\n"); // all values are late there
    assert_int_equal(takt_log_count(f.log.log, TAKT_LEVEL_WARN), 0);
    test_project_file_clear(&f);
    open_text(&f, TWO "graph B.y A.u\nmaxIterations 3\n"); // the next sweep brings it
    assert_int_equal(takt_log_count(f.log.log, TAKT_LEVEL_WARN), 0);
    test_project_file_clear(&f);
}

static void files_without_simulators_fail(void **state)
{
    (void)state;
    test_project_file f;
    test_project_file_try(&f, "plant.msim", "tEnd 1 s\n");
    assert_int_equal(f.status, TAKT_ERR_INPUT);
    assert_problem(&f, "error", 0,
                   "the project has no simulators; write lines like simulator 0 0 NAME #4682b4 "
                   "\"PATH.fmu\"");
    test_project_file_clear(&f);
    takt_project *project = NULL;
    takt_error err = {0};
    assert_int_equal(takt_project_create("zero.msim", NULL, &project, &err), TAKT_OK);
    assert_int_equal(takt_project_parse_msim(project, "tEnd\0 1 s", 9, &err), TAKT_ERR_INPUT);
    assert_string_equal(err.message, "zero.msim: this is not a text file");
    takt_project_close(project);
}

static void attempt(void *context)
{
    takt_project *project = NULL;
    takt_error err = {0};
    takt_status st = takt_project_create("plant.msim", NULL, &project, &err);
    if (!st) st = takt_project_parse_msim(project, context, strlen(context), &err);
    int has_failed = test_memory_has_failed();
    takt_project_close(project);
    assert_int_equal(st, has_failed ? TAKT_ERR_MEMORY : TAKT_OK);
}

static void exhausted_memory_is_reported(void **state)
{
    (void)state;
    char text[] = "\xEF\xBB\xBF" TWO "simulator 2 1 C #000000 c.csv\nmaxIterations 3\n"
                  "graph A.y B.u 1 2\ngraph B.y A.u\ngraph B.y C.u\ngraph C.y B.v\n"
                  "parameter A.k 1\nparameter A.ResultsRootDir x\nwriteInternalVariables yes\n";
    assert_true(test_memory_fail_each(attempt, text) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_project_is_read),
        cmocka_unit_test(what_is_not_given_has_mastersims_defaults),
        cmocka_unit_test(modes_become_algorithms_and_step_control),
        cmocka_unit_test(overstepping_is_for_fixed_steps),
        cmocka_unit_test(all_problems_are_reported_with_their_lines),
        cmocka_unit_test(settings_that_contradict_are_reported),
        cmocka_unit_test(keywords_without_effect_are_reported),
        cmocka_unit_test(fmus_get_a_folder_for_results_of_their_own),
        cmocka_unit_test(steps_go_over_the_rows_of_tables),
        cmocka_unit_test(components_are_called_by_cycle),
        cmocka_unit_test(a_slave_connected_with_itself_is_iterated_with_others_of_its_cycle),
        cmocka_unit_test(a_loop_over_several_cycles_is_not_iterated),
        cmocka_unit_test(a_value_that_mastersim_delays_is_reported_and_delayed),
        cmocka_unit_test(files_without_simulators_fail),
        cmocka_unit_test(exhausted_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
