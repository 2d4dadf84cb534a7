// SPDX-License-Identifier: MIT
// Reading the configuration file of the EAS master (seed 003, section 4).
#include "support/archive.h"
#include "support/memory.h"
#include "support/project_file.h"

#include "base/file.h"

#define HEAD                                                                                       \
    "nval 2\nnsim 2\ntstart 0.0\ntend 10.0\ntstepmax 0.001\ntstepstart 0.001\nMasterMode 2\n"      \
    "it_max_steps 100\nit_tol_abs 1.0E-6\nit_tol_rel 1.0E-4\n" // 10 lines
#define SIMULATORS "simulator 0 fmus/part1.fmu\nsimulator 1 fmus/part2.fmu\n" // 11 and 12
#define GRAPH                                                                                      \
    "graph #val #sim -1(out)/1(in) valueref\n"                                                     \
    "0 0 -1 r out_y\n0 1 1 r in_y\n1 1 -1 r out_i\n1 0 1 r in_i\nend\n" // 13 to 18
#define PRIORITY "priority #sim priority\n0 0\n1 0\nend\n" // 19 to 22
#define CYCLES "cycles #prior 0(no)/1(yes)\n0 1\nend\n" // 23 to 25

static void open_text(test_project_file *f, const char *text)
{
    test_project_file_open(f, "master.cfg", text);
}

static void the_file_of_the_paper_is_read(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, HEAD SIMULATORS GRAPH PRIORITY CYCLES "MasterDebug 2\nOutputGnuplot 1\n");
    const takt_project *p = f.project;
    const takt_settings *s = &p->settings;
    assert_int_equal(takt_log_count(f.log.log, TAKT_LEVEL_WARN), 0);
    assert_true(s->start_time == 0 && s->stop_time == 10 && s->step_size == 0.001);
    assert_true(s->absolute_tolerance == 1e-6 && s->relative_tolerance == 1e-4);
    assert_int_equal(s->iterations, 100);
    assert_int_equal(s->algorithm, TAKT_ALGORITHM_FIXED_POINT);
    assert_int_equal(s->step_control, TAKT_STEP_CONTROL_FIXED);
    assert_int_equal(p->n_components, 2);
    assert_string_equal(p->components[0].name, "part1");
    assert_string_equal(p->components[0].source, test_project_file_path(&f, "fmus/part1.fmu"));
    assert_int_equal(p->components[1].place.line, 12);
    assert_int_equal(p->n_connections, 2);
    assert_string_equal(p->connections[0].start_component, "part1");
    assert_string_equal(p->connections[0].start_variable, "out_y");
    assert_string_equal(p->connections[0].end_component, "part2");
    assert_string_equal(p->connections[0].end_variable, "in_y");
    assert_true(p->connections[0].hops[0].keeps_unit);
    assert_string_equal(p->connections[1].end_variable, "in_i");
    assert_problem(&f, "info", 7,
                   "MasterMode 2 is taken for GSM, iterating Gauss-Seidel; the option --algorithm "
                   "chooses another");
    assert_problem(&f, "info", 26, "MasterDebug has no effect; see the option --log-level");
    assert_problem(&f, "info", 27, "OutputGnuplot has no effect; see the option --output-file");
    test_project_file_clear(&f);
}

static void the_number_of_the_mode_chooses_the_algorithm(void **state)
{
    (void)state;
    static const takt_algorithm expected[] = {TAKT_ALGORITHM_SEIDEL, TAKT_ALGORITHM_SEIDEL,
                                              TAKT_ALGORITHM_FIXED_POINT, TAKT_ALGORITHM_NEWTON};
    for (int i = 0; i < 5; i++) {
        char text[512];
        snprintf(text, sizeof text, "nsim 2\nMasterMode %d\n" SIMULATORS, i);
        test_project_file f;
        open_text(&f, text);
        if (i < 4)
            assert_int_equal(f.project->settings.algorithm, expected[i]);
        else
            assert_problem(&f, "error", 2,
                           "MasterMode 4 is not known; possible are 1 (GS1), 2 "
                           "(GSM) and 3 (NRM)");
        test_project_file_clear(&f);
    }
}

// An FMU in the folder of the project, with a model description only.
static void make_fmu(test_project_file *f, const char *name, const char *variables)
{
    char xml[1024];
    snprintf(xml, sizeof xml,
             "<fmiModelDescription fmiVersion='2.0' modelName='m'><ModelVariables>%s"
             "</ModelVariables></fmiModelDescription>",
             variables);
    test_entry entry = {.name = "modelDescription.xml", .data = xml};
    test_archive(test_project_file_path(f, name), &entry, 1);
}

static void the_name_of_the_fmu_before_a_variable_is_taken_off(void **state)
{
    (void)state;
    static const char text[] = "nsim 2\ntend 1\nsimulator 0 part1.fmu\nsimulator 1 part2.fmu\n"
                               "graph\n0 0 -1 r part1.out_y.value\n0 1 1 r part2.in_y.value\n"
                               "1 0 -1 r part1.z\n1 1 1 r part2.z\nend\n";
    test_project_file f;
    open_text(&f, text);
    takt_project_close(f.project);
    // part1 knows its variables with the name of the FMU, part2 without.
    make_fmu(&f, "part1.fmu", "<ScalarVariable name='part1.out_y.value'><Real/></ScalarVariable>");
    make_fmu(&f, "part2.fmu",
             "<ScalarVariable name='in_y.value'><Real/></ScalarVariable><Float64 name='z'/>");
    assert_int_equal(takt_project_open(f.path, f.log.log, &f.project, &f.err), TAKT_OK);
    const takt_project_connection *c = f.project->connections;
    assert_string_equal(c[0].start_variable, "part1.out_y.value");
    assert_string_equal(c[0].end_variable, "in_y.value");
    assert_string_equal(c[1].start_variable, "part1.z"); // neither is known: as written
    assert_string_equal(c[1].end_variable, "z");
    test_project_file_clear(&f);
}

static void the_name_may_be_taken_off_for_further_instances(void **state)
{
    (void)state;
    static const char text[] = "nsim 2\ntend 1\nsimulator 0 gain.fmu\nsimulator 1 gain.fmu\n"
                               "graph\n0 0 -1 r gain.y\n0 1 1 r gain.u\n"
                               "1 1 -1 r gain_1.y\n1 0 1 r u\nend\n";
    test_project_file f;
    open_text(&f, text);
    takt_project_close(f.project);
    make_fmu(&f, "gain.fmu",
             "<ScalarVariable name='u'><Real/></ScalarVariable>"
             "<ScalarVariable name='y'><Real/></ScalarVariable>");
    assert_int_equal(takt_project_open(f.path, f.log.log, &f.project, &f.err), TAKT_OK);
    const takt_project_connection *c = f.project->connections;
    assert_string_equal(c[0].end_component, "gain_1");
    assert_string_equal(c[0].end_variable, "u");
    assert_string_equal(c[1].start_component, "gain_1");
    assert_string_equal(c[1].start_variable, "y");
    test_project_file_clear(&f);
}

static void what_priority_and_cycles_leave_open_is_reported(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, "nval 3\nnsim 2\ntend 1\nsimulator 0 a.fmu\nsimulator 7 b.fmu\n"
                  "graph\n0 0 -1 r y\n0 7 1 r u\nend\npriority\n7 4\nend\ncycles\n4 0\nend\n");
    assert_problem(&f, "warn", 1, "nval is 3, but the number of values with an output is 1");
    assert_problem(&f, "warn", 4, "simulator 0 has no priority; 0 is taken");
    assert_problem(&f, "warn", 4,
                   "cycles does not say whether priority 0 is a cycle; it is not iterated");
    assert_int_equal(takt_log_count(f.log.log, TAKT_LEVEL_WARN), 3);
    test_project_file_clear(&f);
}

static void priorities_order_the_calls_and_cycles_say_what_is_iterated(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, HEAD SIMULATORS GRAPH "priority\n0 1\n1 0\nend\n");
    assert_string_equal(f.project->components[0].name, "part2");
    assert_problem(&f, "warn", 12,
                   "the loop from 'part2' to 'part1' is not a priority that is iterated, so it is "
                   "computed with seidel, in one pass, as the EAS master does");
    test_project_file_clear(&f);
    open_text(&f, HEAD SIMULATORS GRAPH PRIORITY "cycles\n0 0\nend\n");
    assert_string_equal(f.project->settings.loop_algorithms.items[0], "part1=seidel");
    test_project_file_clear(&f);
    open_text(&f, HEAD SIMULATORS GRAPH PRIORITY); // nothing said: iterated
    assert_int_equal(f.project->settings.loop_algorithms.n_items, 0);
    test_project_file_clear(&f);
}

static void a_simulator_connected_with_itself_is_iterated_if_its_priority_is(void **state)
{
    (void)state;
    test_project_file f;
    for (int is_cycle = 0; is_cycle < 2; is_cycle++) {
        char text[300];
        snprintf(text, sizeof text,
                 "nsim 1\ntend 1\nMasterMode 2\nsimulator 0 part1.fmu\n"
                 "graph\n0 0 -1 r y\n0 0 1 r u\nend\ncycles\n0 %d\nend\n",
                 is_cycle);
        open_text(&f, text);
        const takt_text_list *list = &f.project->settings.loop_algorithms;
        assert_int_equal(list->n_items, !is_cycle);
        if (!is_cycle) assert_string_equal(list->items[0], "part1=seidel");
        test_project_file_clear(&f);
    }
}

static void equal_fmus_get_different_names(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, "nsim 3\ntend 1\nsimulator 5 \"a b/gain.fmu\"\nsimulator 1 c\\gain.fmu\n"
                  "simulator 2 gain.fmu\n");
    const takt_project_component *c = f.project->components;
    assert_string_equal(c[0].source, test_project_file_path(&f, "a b/gain.fmu"));
    assert_string_equal(c[1].source, test_project_file_path(&f, "c/gain.fmu"));
    assert_string_equal(c[0].name, "gain");
    assert_string_equal(c[1].name, "gain_1");
    assert_string_equal(c[2].name, "gain_2");
    test_project_file_clear(&f);
    open_text(&f, "nsim 3\ntend 1\nsimulator 0 gain_3.fmu\nsimulator 1 gain.fmu\n"
                  "simulator 3 gain.fmu\n");
    assert_string_equal(f.project->components[2].name, "gain_3_3");
    test_project_file_clear(&f);
}

static void all_problems_are_reported_with_their_lines(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, "nval 2\nnsim 3\nnsim 4\ntend soon\ntstepmax\n" // 1 to 5
                  "simulator x a.fmu\nsimulator 0 a.fmu\nsimulator 0 b.fmu\nsimulator 1\n"
                  "tstepmaxx 3\n" // 10
                  "graph\n0 0 -1 r y\n0 0 -1 r z\n1 0 1 r u\n0 7 1 r u\n" // 15
                  "5 0 1 q u\n0 0 2 r u\n0 0 1\n9 0 1 i u\n"
                  "priority\n" // 20, the graph has no end
                  "0 1\n0 2\n3 1\nfoo\n"
                  "end\nend\n" // 25, 26
                  "cycles\n0 2\n1 1\n1 1\n" // 27 to 30
                  "it_max_steps -4\ntstart 0 s\n");
    assert_problem(&f, "warn", 3, "nsim was given in line 2 already; this one counts");
    assert_problem(&f, "error", 4, "tend: 'soon' is not a number");
    assert_problem(&f, "error", 5, "tstepmax has no value");
    assert_problem(&f, "error", 6, "simulator: 'x' is not a whole number from 0 on");
    assert_problem(&f, "error", 8, "there is already a simulator 0, in line 7");
    assert_problem(&f, "error", 9, "simulator needs a number and a path");
    assert_problem(&f, "error", 10, "there is no keyword 'tstepmaxx'; did you mean 'tstepmax'?");
    assert_problem(&f, "error", 13, "graph: value 0 has an output already, in line 12");
    assert_problem(&f, "error", 14, "graph: value 1 has no output; write a line with -1 for it");
    assert_problem(&f, "error", 15, "graph: there is no simulator 7");
    assert_problem(&f, "error", 16, "graph: 'q' is not a type; possible are r, i, b and s");
    assert_problem(&f, "error", 17, "graph: '2' is neither -1 (output) nor 1 (input)");
    assert_problem(&f, "error", 18,
                   "graph: a line needs the numbers of a value and a simulator, -1 (output) or 1 "
                   "(input), a type and a variable; put a name with blanks in quotes (\")");
    assert_problem(&f, "error", 19, "graph: the values of nval 2 are 0 to 1, but this is 9");
    assert_problem(&f, "error", 11, "the section graph has no end; write a line 'end' behind it");
    assert_problem(&f, "error", 22, "priority: simulator 0 has a priority already");
    assert_problem(&f, "error", 23, "priority: there is no simulator 3 before this line");
    assert_problem(&f, "error", 24, "there is no keyword 'foo'");
    assert_problem(&f, "error", 26, "'end' without a section before it");
    assert_problem(&f, "error", 28, "cycles: '2' is neither 0 (no) nor 1 (yes)");
    assert_problem(&f, "error", 30, "cycles: priority 1 has been given already");
    assert_problem(&f, "error", 31, "it_max_steps: '-4' is not a whole number from 0 on");
    assert_problem(&f, "warn", 32, "tstart: 's' has no effect");
    assert_problem(&f, "error", 3, "nsim is 4, but the number of simulators is 1");
    test_project_file_clear(&f);
}

static void a_file_without_ending_is_recognised_by_its_content(void **state)
{
    (void)state;
    test_project_file f;
    test_project_file_open(&f, "config", "# a comment\n nsim 2\n" SIMULATORS "tend 1\n");
    assert_int_equal(f.project->n_components, 2);
    test_project_file_clear(&f);
    test_project_file_try(&f, "notes.txt", "simulator is a word, graph is another\ntend\n");
    assert_int_equal(f.status, TAKT_ERR_INPUT);
    assert_contains(f.err.message,
                    "notes.txt: the kind of project is known neither from the file's name nor from "
                    "its content; possible are .ssp, .ssd, .fmu, .msim, OspSystemStructure.xml and "
                    "the configuration of the EAS master");
    test_project_file_clear(&f);
    test_project_file_try(&f, "empty", "");
    assert_int_equal(f.status, TAKT_ERR_INPUT);
    test_project_file_clear(&f);
}

static void attempt(void *context)
{
    takt_project *project = NULL;
    takt_error err = {0};
    takt_status st = takt_project_create("master.cfg", NULL, &project, &err);
    if (!st) st = takt_project_parse_eas(project, context, strlen(context), &err);
    int has_failed = test_memory_has_failed();
    takt_project_close(project);
    assert_int_equal(st, has_failed ? TAKT_ERR_MEMORY : TAKT_OK);
}

static void exhausted_memory_is_reported(void **state)
{
    (void)state;
    char text[] = HEAD SIMULATORS GRAPH PRIORITY "cycles\n0 0\nend\n";
    assert_true(test_memory_fail_each(attempt, text) > 10);
}

static void steps_that_the_eas_master_would_change_are_a_doubt(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, "tstart 0\ntend 1\ntstepmax 0.1\ntstepstart 0.01\nsimulator 0 a.fmu 0\n");
    assert_problem(&f, "warn", 3,
                   "tstepmax differs from tstepstart, but steps are of one size: 0.01 s; see the "
                   "option --step-control");
    assert_int_equal(takt_log_count_doubts(f.log.log), 1);
    test_project_file_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_that_the_eas_master_would_change_are_a_doubt),
        cmocka_unit_test(the_file_of_the_paper_is_read),
        cmocka_unit_test(the_number_of_the_mode_chooses_the_algorithm),
        cmocka_unit_test(the_name_of_the_fmu_before_a_variable_is_taken_off),
        cmocka_unit_test(the_name_may_be_taken_off_for_further_instances),
        cmocka_unit_test(what_priority_and_cycles_leave_open_is_reported),
        cmocka_unit_test(priorities_order_the_calls_and_cycles_say_what_is_iterated),
        cmocka_unit_test(a_simulator_connected_with_itself_is_iterated_if_its_priority_is),
        cmocka_unit_test(equal_fmus_get_different_names),
        cmocka_unit_test(all_problems_are_reported_with_their_lines),
        cmocka_unit_test(a_file_without_ending_is_recognised_by_its_content),
        cmocka_unit_test(exhausted_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
