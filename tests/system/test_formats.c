// SPDX-License-Identifier: MIT
// Projects of other programs run, with the results that the same system has as a SystemStructure or that
// the method gives by hand.

#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"

// ---- MasterSim ---------------------------------------------------------------------------------

#define MATH003                                                                                    \
    "simulator 0 0 Part1 #447cb4 \"fmus/Math003Part1.fmu\"\n"                                      \
    "simulator 1 1 Part2 #c38200 fmus/Math003Part2.fmu\n"                                          \
    "simulator 2 1 Part3 #ff0000 fmus\\Math003Part3.fmu\n"                                         \
    "graph Part1.x2 Part2.x2\ngraph Part1.x1 Part2.x1\n"                                           \
    "graph Part2.x3 Part3.x3\ngraph Part3.x4 Part2.x4\n"

// The settings of MasterSim's own test of its error control.
#define RICHARDSON                                                                                 \
    "tStart 0 s\ntEnd 10 s\nhMax 0.14 s\nhMin 1e-05 s\nhFallBackLimit 0.0001 s\n"                  \
    "hStart 0.14 s\nhOutputMin 1e-05 s\nadjustStepSize yes\nabsTol 1e-05\nrelTol 0.0001\n"         \
    "MasterMode GAUSS_SEIDEL\nErrorControlMode ADAPT_STEP\nmaxIterations 2\n"

static void write_msim(test_sandbox *box, const char *name, const char *text)
{
    test_link(box, "fmus", TEST_FMUS);
    test_write_text(box, name, text);
}

static void assert_same_files(test_sandbox *box, const char *a, const char *b)
{
    size_t n_a = 0, n_b = 0;
    char *text_a = test_read_file(box, a, &n_a), *text_b = test_read_file(box, b, &n_b);
    assert_non_null(text_a);
    assert_non_null(text_b);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(text_a, text_b, n_a);
    free(text_a);
    free(text_b);
}

static void an_msim_gives_the_same_bits_as_an_ssd(void **state)
{
    static const struct {
        const char *settings; // of the .msim
        const char *options[16]; // the same for the .ssd
    } cases[] = {
        {"MasterMode GAUSS_JACOBI\n", {"--algorithm", "jacobi", "--step-control", "fixed"}},
        {"MasterMode GAUSS_SEIDEL\n", {"--algorithm", "seidel", "--step-control", "fixed"}},
        {"maxIterations 3\npreventOversteppingOfEndTime no\n",
         {"--algorithm", "fixed-point", "--iterations", "3", "--overstep-end"}},
        {"MasterMode NEWTON\nmaxIterations 4\n", {"--algorithm", "newton", "--iterations", "4"}},
        {"maxIterations 2\nadjustStepSize yes\nhMax 0.14 s\n",
         {"--algorithm", "fixed-point", "--iterations", "2", "--step-control", "convergence",
          "--step-max", "0.14", "--step-min", "1e-5", "--step-fallback", "1e-3"}},
    };
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *o = cases[i].options;
        takt_text text = {0};
        takt_text_print(&text, "tEnd 10 s\nhStart 0.1 s\nhOutputMin 0 s\n%s" MATH003,
                        cases[i].settings);
        write_msim(box, "a.msim", text.data);
        takt_text_clear(&text);
        test_run(box, "run", "a.msim", NULL);
        assert_exit(box, 0);
        assert_int_equal(test_count(box->err, "a.msim"), 0); // nothing to report about the file
        test_run(box, "run", "math003.ssd", "--output-file", "b.csv", "--call-order", "flow", o[0],
                 o[1], o[2], o[3], o[4], o[5], o[6], o[7], o[8], o[9], o[10], o[11], NULL);
        assert_exit(box, 0);
        assert_same_files(box, "a.csv", "b.csv");
    }
}

// Steps of 1 s go over the rows of the table; the rows of the results follow 0, 2.5, 5, ... s.
static void an_msim_with_a_table_steps_as_mastersim_does(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "w.csv", "time [min],u,\"n m\"\n0,0,1\n0.04,3,2\n0.04,5,2\n0.1,6,3\n");
    write_msim(box, "t.msim",
               "tEnd 10 s\nhStart 1 s\nhOutputMin 2.5 s\n"
               "simulator 0 0 W #ff0000 w.csv\nsimulator 1 1 G #ff0000 fmus/Gain.fmu\n"
               "simulator 1 1 P #ff0000 fmus/Passthrough.fmu\n"
               "graph W.u G.u 1 2\ngraph \"W.n m\" P.integer_in\nparameter G.k 3\n");
    static const double expected[][4] = {// time, u, n, 3 (1 + 2 u)
                                         {0, 0, 1, 3},
                                         {3, 5 + 1.0 / 6, 2, 34},
                                         {5, 5 + 13.0 / 18, 2, 3 * (1 + 2 * (5 + 13.0 / 18))},
                                         {8, 6, 3, 39},
                                         {10, 6, 3, 39}};
    test_run(box, "convert", "t.msim", "t.ssp", "-q", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "t.msim", "-q", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "t.csv");
    assert_int_equal(r.n_rows, 5);
    for (int i = 0; i < 5; i++) {
        assert_near(test_result_time(&r, i), expected[i][0], 0);
        assert_near(test_result(&r, i, "W.u"), expected[i][1], 1e-12);
        assert_near(test_result(&r, i, "P.integer_out"), expected[i][2], 0);
        assert_near(test_result(&r, i, "G.y"), expected[i][3], 1e-12);
    }
    test_results_clear(&r);
    test_run(box, "run", "t.ssp", "-q", "-o", "u.csv", NULL);
    assert_exit(box, 0);
    assert_same_files(box, "t.csv", "u.csv");
    test_run(box, "run", "t.msim", "-q", "--set", "W.events=true", NULL);
    test_results_read(&r, box, "t.csv");
    assert_int_equal(r.n_rows, 5 + 2 + 2); // both sides of 2.4 s and of 6 s, where n changes
    test_results_clear(&r);
}

// MasterSim calls members of a cycle as they are listed: G takes what the table delivered before the step.
static void a_source_that_is_listed_last_is_one_step_late(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "w.csv", "time,u\n0,1\n10,11\n");
    write_msim(box, "late.msim",
               "tEnd 3 s\nhStart 1 s\nhOutputMin 1 s\nsimulator 0 0 G #ff0000 fmus/Gain.fmu\n"
               "simulator 1 0 W #ff0000 w.csv\ngraph W.u G.u\n");
    test_run(box, "run", "late.msim", "-q", NULL);
    assert_exit(box, 0);
    size_t size;
    char *csv = test_read_file(box, "late.csv", &size);
    assert_string_equal(csv, "time,G.y,W.u\n0,1,1\n1,1,2\n2,2,3\n3,3,4\n");
    free(csv);
    test_run(box, "convert", "late.msim", "late.ssp", "-q", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "late.ssp", "-q", "-o", "u.csv", NULL);
    assert_exit(box, 0);
    assert_same_files(box, "late.csv", "u.csv");
    test_run(box, "run", "late.msim", "-q", "--call-order", "flow", NULL);
    csv = test_read_file(box, "late.csv", &size);
    assert_string_equal(csv, "time,G.y,W.u\n0,1,1\n1,2,2\n2,3,3\n3,4,4\n");
    free(csv);
}

// In the listed order the controller would switch before the plant is stepped: a loop without solution at its limits.
static void who_replaces_an_algorithm_by_auto_leaves_it_the_order(void **state)
{
    test_sandbox *box = *state;
    write_msim(box, "math003.msim",
               "tEnd 10 s\nhStart 0.1 s\nMasterMode GAUSS_SEIDEL\nmaxIterations 1\n"
               "simulator 0 0 Part1 #ff0000 fmus/Math003Part1.fmu\n"
               "simulator 1 1 Part2 #ff0000 fmus/Math003Part2.fmu\n"
               "simulator 2 1 Part3 #ff0000 fmus/Math003Part3.fmu\ngraph Part1.x1 Part2.x1\n"
               "graph Part1.x2 Part2.x2\ngraph Part2.x3 Part3.x3\ngraph Part3.x4 Part2.x4\n");
    test_run(box, "graph", "math003.msim", NULL);
    assert_contains(box->out, "Part2, Part3  (loop)");
    test_run(box, "graph", "math003.msim", "--algorithm", "auto", NULL);
    assert_contains(box->out, "Part3, Part2  (loop)");
    test_run(box, "graph", "math003.msim", "--algorithm", "auto", "--call-order", "flow", NULL);
    assert_contains(box->out, "Part2, Part3  (loop)");
    test_run(box, "run", "math003.msim", "-q", "--algorithm", "auto", "--step-control", "auto",
             "--tolerance", "1e-4", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "math003.csv");
    assert_near(test_result(&r, r.n_rows - 1, "Part3.x4"), 2.5, 10 * 2.5e-4);
    test_results_clear(&r);
}

static char *first_line(test_sandbox *box, const char *name)
{
    size_t size = 0;
    char *text = test_read_file(box, name, &size);
    assert_non_null(text);
    text[strcspn(text, "\n")] = 0;
    return text;
}

// Rows after the start are at multiples of hOutputMin, and only columns that are connected are written.
static void an_msim_writes_the_rows_and_columns_of_mastersim(void **state)
{
    static const char project[] = "tStart 1 s\ntEnd 6 s\nhStart 1 s\nhOutputMin 2 s\n"
                                  "simulator 0 0 W #ff0000 w.csv\n"
                                  "simulator 1 1 G #ff0000 fmus/Gain.fmu\ngraph W.u G.u\n";
    test_sandbox *box = *state;
    takt_text text = {0};
    test_write_text(box, "w.csv", "time,u,v\n0,0,1\n10,10,2\n");
    write_msim(box, "t.msim", project);
    test_run(box, "run", "t.msim", "-q", NULL);
    assert_exit(box, 0);
    size_t size;
    char *csv = test_read_file(box, "t.csv", &size);
    assert_string_equal(csv, "time,W.u,G.y\n1,1,1\n2,2,2\n4,4,4\n6,6,6\n");
    free(csv);
    test_run(box, "convert", "t.msim", "t.ssp", "-q", NULL);
    test_run(box, "run", "t.ssp", "-q", "-o", "u.csv", NULL);
    assert_exit(box, 0);
    assert_same_files(box, "t.csv", "u.csv");
    takt_text_print(&text, "writeUnconnectedFileReaderVars yes\n%s", project);
    write_msim(box, "t.msim", text.data);
    test_run(box, "run", "t.msim", "-q", "-o", "t.tsv", NULL);
    assert_exit(box, 0);
    char *head = first_line(box, "t.tsv");
    assert_string_equal(head, "time\tW.u\tW.v\tG.y");
    free(head);
    takt_text_clear(&text);
    test_run(box, "run", "t.msim", "-q", "--record-connected", "X", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "record-connected: 'X' matches no component");
}

// MasterSim writes times in that unit, and says so in the header.
static void output_time_unit_is_that_of_the_time_column(void **state)
{
    test_sandbox *box = *state;
    write_msim(box, "m.msim", "outputTimeUnit min\n" RICHARDSON MATH003);
    write_msim(box, "s.msim", RICHARDSON MATH003);
    test_run(box, "run", "m.msim", "-q", NULL);
    assert_exit(box, 0);
    assert_int_equal(test_count(box->err, "outputTimeUnit"), 0);
    test_run(box, "run", "s.msim", "-q", NULL);
    char *minutes = test_read_file(box, "m.csv", NULL),
         *seconds = test_read_file(box, "s.csv", NULL);
    assert_int_equal(strncmp(minutes, "time [min],Part1.x1,", 20), 0);
    assert_int_equal(strncmp(seconds, "time,Part1.x1,", 14), 0);
    const char *last = minutes + strlen(minutes) - 1;
    while (last[-1] != '\n') last--;
    assert_near(strtod(last, NULL), 10 / 60.0, 1e-15);
    free(minutes);
    free(seconds);
    test_run(box, "compare", "m.csv", "s.csv", "--time-tolerance", "1e-9", NULL);
    assert_exit(box, 0);
    test_run(box, "convert", "m.csv", "c.csv", NULL);
    assert_exit(box, 0);
    test_run(box, "compare", "c.csv", "s.csv", "--time-tolerance", "1e-9", NULL);
    assert_exit(box, 0);
    char *side = test_read_file(box, "m.csv.json", NULL);
    assert_contains(side, "\"causality\": \"independent\"\n");
    free(side);
    test_run(box, "run", "s.msim", "-q", "--output-time-unit", "h", "-o", "r.mat", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "warning: output-time-unit has no effect: MAT files have times in "
                              "seconds");
    test_run(box, "compare", "r.mat", "s.csv", NULL);
    assert_exit(box, 0);
    test_run(box, "convert", "m.msim", "m.ssd", NULL);
    assert_exit(box, 0);
    char *ssd = test_read_file(box, "m.ssd", NULL);
    assert_contains(ssd, "output-time-unit=\"min\"");
    free(ssd);
}

// The figures of MasterSim's rules with rejected steps repeated from the right time (seed 000, 5.5.4).
static void error_control_has_the_figures_of_mastersim(void **state)
{
    test_sandbox *box = *state;
    write_msim(box, "math003.msim", RICHARDSON MATH003);
    test_run(box, "run", "math003.msim", "--time-grid", "accumulated", "--stats", "s.json", NULL);
    assert_exit(box, 0);
    json_t *s = test_statistics_read(box, "s.json");
    assert_near(test_number(s, "steps"), 275, 0);
    assert_near(test_number(s, "convergence_failures"), 27, 0);
    assert_near(test_number(s, "error_test_failures"), 77, 0);
    assert_near(test_number(s, "instances/Part1/do_step/count"), 1056, 0);
    assert_near(test_number(s, "instances/Part2/do_step/count"), 1318, 0);
    json_decref(s);
}

static void offset_and_scale_of_a_connection_are_applied(void **state)
{
    test_sandbox *box = *state;
    write_msim(box, "gains.msim",
               "tEnd 1 s\nhStart 1 s\nhOutputMin 1 s\n"
               "simulator 0 0 A #000000 fmus/Gain.fmu\n"
               "simulator 1 1 B #000000 fmus/Gain.fmu\n"
               "graph A.y B.u 100 -2\n"
               "parameter A.u 3\nparameter A.k 2\nparameter B.k 10\n");
    test_run(box, "run", "gains.msim", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "gains.csv");
    assert_near(test_result(&r, 1, "A.y"), 6, 0);
    assert_near(test_result(&r, 1, "B.y"), 880, 0);
    test_results_clear(&r);
}

static void all_variables_are_recorded_on_request(void **state)
{
    test_sandbox *box = *state;
    write_msim(box, "gain.msim",
               "tEnd 1 s\nhStart 1 s\nhOutputMin 1 s\n"
               "writeInternalVariables yes\n"
               "simulator 0 0 A #000000 fmus/Gain.fmu\n");
    test_run(box, "run", "gain.msim", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "gain.csv");
    assert_near(test_result(&r, 0, "A.k"), 1, 0);
    assert_near(test_result(&r, 0, "A.u"), 0, 0);
    test_results_clear(&r);
}

static void an_fmu_writes_into_the_folder_of_the_project(void **state)
{
    test_sandbox *box = *state;
    write_msim(box, "house.msim",
               "tEnd 1 s\nhStart 1 s\nhOutputMin 1 s\n"
               "simulator 0 0 Room #000000 fmus/ResultsFolder.fmu\n"
               "simulator 0 0 Attic #000000 fmus/ResultsFolder.fmu\n"
               "parameter Attic.ResultsRootDir above/attic\n");
    test_run(box, "check", "house.msim", NULL);
    assert_exit(box, 0);
    assert_false(test_has_file(box, "house/slaves/Room")); // a check leaves nothing behind
    test_run(box, "run", "house.msim", NULL);
    assert_exit(box, 0);
    assert_true(test_has_file(box, "house/slaves/Room/own.txt"));
    assert_true(test_has_file(box, "above/attic/own.txt"));
    assert_false(test_has_file(box, "house/slaves/Attic"));
    test_run(box, "convert", "house.msim", "house.ssd", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "house.msim:4: warning: Room.ResultsRootDir is a folder at the place "
                              "of this file and is left out");
    assert_int_equal(test_count(box->err, "Attic"), 0); // has a value of the file
}

static void problems_of_the_file_and_of_the_fmus_are_told_together(void **state)
{
    test_sandbox *box = *state;
    write_msim(box, "bad.msim",
               "tEnd 1 K\nsimulator 0 0 A #000000 fmus/Gain.fmu\n"
               "simulator 0 0 A #000000 fmus/Gain.fmu\n"
               "graph A.y B.u\ngraph A.z A.u\nparameter A.q 1\n");
    test_run(box, "check", "bad.msim", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "bad.msim:1: error: tEnd: 'K' is not a unit of time");
    assert_contains(box->err, "bad.msim:3: error: there is already a component 'A', in line 2");
    assert_contains(box->err, "bad.msim:4: error: there is no component 'B'");
    assert_contains(box->err, "bad.msim:5: error: component 'A' has no variable 'z'");
    assert_contains(box->err, "bad.msim:6: error: component 'A' has no variable 'q'");
    write_msim(box, "bad.msim",
               "tStart 2 s\ntEnd 1 s\nsimulator 0 0 A #000000 fmus/Gain.fmu\nrelTol 0\n");
    test_run(box, "check", "bad.msim", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "bad.msim:2: error: stop-time 1 s is not after start-time 2 s");
    assert_int_equal(test_count(box->err, "bad.msim:4"), 1);
    // Limits of adaptive steps do not matter for fixed ones.
    write_msim(box, "tiny.msim",
               "tEnd 2e-6 s\nhStart 1e-6 s\nhMax 1e-6 s\nhOutputMin 1e-6 s\n"
               "simulator 0 0 A #000000 fmus/Gain.fmu\n");
    test_run(box, "run", "tiny.msim", "-q", NULL);
    assert_exit(box, 0);
}

// ---- EAS master --------------------------------------------------------------------------------

#define LOTKA_VOLTERRA                                                                             \
    "nval 2\nnsim 2\ntstart 0.0\ntend 10.0\ntstepmax 0.05\ntstepstart 0.05\n"                      \
    "it_max_steps 50\nit_tol_abs 1.0E-8\nit_tol_rel 1.0E-8\n"                                      \
    "simulator 0 fmus/LotkaVolterraPrey.fmu\nsimulator 1 fmus/LotkaVolterraPredator.fmu\n"         \
    "graph #val #sim -1(out)/1(in) valueref\n"                                                     \
    "0 0 -1 r LotkaVolterraPrey.x\n0 1 1 r LotkaVolterraPredator.x\n"                              \
    "1 1 -1 r y\n1 0 1 r y\nend\n"                                                                 \
    "priority #sim priority\n0 0\n1 0\nend\ncycles #prior 0(no)/1(yes)\n0 1\nend\n"

static void a_configuration_of_the_eas_master_gives_the_same_bits_as_an_ssd(void **state)
{
    static const char *const modes[][2] = {{"1", "seidel"}, {"2", "fixed-point"}, {"3", "newton"}};
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "LotkaVolterraPrey", "LotkaVolterraPrey", "in:y out:x");
    test_ssd_component(&ssd, "LotkaVolterraPredator", "LotkaVolterraPredator", "in:x out:y");
    test_ssd_connect(&ssd, "LotkaVolterraPrey.x", "LotkaVolterraPredator.x");
    test_ssd_connect(&ssd, "LotkaVolterraPredator.y", "LotkaVolterraPrey.y");
    test_ssd_write(&ssd, box, "b.ssd", 0, 10,
                   "step-size=\"0.05\" iterations=\"50\" absolute-tolerance=\"1e-8\" "
                   "relative-tolerance=\"1e-8\"");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        takt_text text = {0};
        takt_text_print(&text, "MasterMode %s\n" LOTKA_VOLTERRA, modes[i][0]);
        test_write_text(box, "a.txt", text.data);
        takt_text_clear(&text);
        test_run(box, "run", "a.txt", NULL);
        assert_exit(box, 0);
        assert_string_equal(box->err, "");
        test_run(box, "run", "b.ssd", "--algorithm", modes[i][1], "--call-order", "listed", NULL);
        assert_exit(box, 0);
        assert_same_files(box, "a.csv", "b.csv");
    }
}

// ---- Open Simulation Platform ------------------------------------------------------------------

#define OSP                                                                                        \
    "<OspSystemStructure version='0.1' "                                                           \
    "xmlns='http://opensimulationplatform.com/MSMI/OSPSystemStructure'>\n"                         \
    "<StartTime>0</StartTime><EndTime>2</EndTime><BaseStepSize>0.1</BaseStepSize>\n"
#define SIGNAL(function, port, simulator, variable)                                                \
    "<SignalConnection><Variable simulator='" simulator "' name='" variable "'/>"                  \
    "<Signal function='" function "' name='" port "'/></SignalConnection>\n"
#define VARIABLE(a, from, b, to)                                                                   \
    "<VariableConnection><Variable simulator='" a "' name='" from "'/>"                            \
    "<Variable simulator='" b "' name='" to "'/></VariableConnection>\n"

static void functions_compute_what_they_say(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    test_write_text(box, "OspSystemStructure.xml",
                    OSP
                    "<Simulators><Simulator name='A' source='fmus/Gain.fmu'><InitialValues>"
                    "<InitialValue variable='u'><Real value='3'/></InitialValue>"
                    "<InitialValue variable='k'><Real value='2'/></InitialValue></InitialValues>"
                    "</Simulator>\n<Simulator name='B' source='fmus/Gain.fmu'/>\n"
                    "<Simulator name='C' source='fmus/Gain.fmu'/></Simulators>\n"
                    "<Functions><LinearTransformation name='scaled' factor='0.5' offset='10'/>\n"
                    "<Sum name='total' inputCount='2'/></Functions>\n<Connections>" SIGNAL(
                        "scaled", "in", "A", "y") SIGNAL("scaled", "out", "B", "u")
                        SIGNAL("total", "in[0]", "A", "y") SIGNAL("total", "in[1]", "B", "y")
                            SIGNAL("total", "out", "C", "u") "</Connections></OspSystemStructure>");
    test_run(box, "run", "OspSystemStructure.xml", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    test_results r;
    test_results_read(&r, box, "OspSystemStructure.csv");
    assert_int_equal(r.n_rows, 21);
    for (int row = 0; row < 21; row += 20) {
        assert_near(test_result(&r, row, "A.y"), 6, 0);
        assert_near(test_result(&r, row, "scaled.out"), 13, 0);
        assert_near(test_result(&r, row, "B.y"), 13, 0);
        assert_near(test_result(&r, row, "total.out"), 19, 0);
        assert_near(test_result(&r, row, "C.y"), 19, 0);
    }
    test_results_clear(&r);
}

// B takes every third step, with the values of its beginning; in between its output stays.
static void a_simulator_with_longer_steps_holds_its_outputs(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    test_write_text(box, "o.xml",
                    OSP
                    "<Simulators><Simulator name='A' source='fmus/FirstOrder.fmu'>"
                    "<InitialValues><InitialValue variable='a'><Real value='-1'/></InitialValue>"
                    "<InitialValue variable='x0'><Real value='1'/></InitialValue>"
                    "</InitialValues></Simulator>"
                    "<Simulator name='B' source='fmus/Gain.fmu' stepSize='0.3'/></Simulators>\n"
                    "<Connections>" VARIABLE("A", "x", "B", "u") "</Connections>"
                                                                 "</OspSystemStructure>");
    test_run(box, "convert", "o.xml", "o.ssp", "-q", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "o.xml", "-q", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    test_results r;
    test_results_read(&r, box, "o.csv");
    assert_int_equal(r.n_rows, 21);
    for (int i = 0; i < r.n_rows; i++) {
        int begin = i < 3 ? 0 : i - i % 3 - 3; // of the last long step
        if (i == 20) begin = 18; // which is shorter, as the run ends
        assert_near(test_result(&r, i, "B.y"), test_result(&r, begin, "A.x"), 0);
    }
    assert_true(test_result(&r, 20, "A.x") < 0.2);
    test_results_clear(&r);
    test_run(box, "run", "o.ssp", "-q", "-o", "p.csv", NULL);
    assert_exit(box, 0);
    assert_same_files(box, "o.csv", "p.csv");
}

// Also where steps are repeated: when all take every fourth step, it is as if only these existed.
static void longer_steps_can_be_iterated(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "Prey", "LotkaVolterraPrey", "in:y out:x");
    test_ssd_component(&ssd, "Predator", "LotkaVolterraPredator", "in:x out:y");
    test_ssd_connect(&ssd, "Prey.x", "Predator.x");
    test_ssd_connect(&ssd, "Predator.y", "Prey.y");
    test_ssd_write(&ssd, box, "a.ssd", 0, 10, "input-derivatives=\"off\"");
    test_run(box, "run", "a.ssd", "-q", "--step-size", "0.25", "--algorithm", "jacobi", NULL);
    assert_exit(box, 0);
    test_results expected, r;
    test_results_read(&expected, box, "a.csv");
    static const char *const algorithms[] = {"jacobi", "seidel", "fixed-point", "newton"};
    for (int k = 0; k < 4; k++) {
        test_run(box, "run", "a.ssd", "-q", "-o", "b.csv", "--step-size", "0.0625",
                 "--step-size-of", "P*=0.25", "--algorithm", algorithms[k], NULL);
        assert_exit(box, 0);
        test_results_read(&r, box, "b.csv");
        assert_int_equal(r.n_rows, 4 * (expected.n_rows - 1) + 1);
        for (int i = 0; i < r.n_rows; i++)
            assert_near(test_result(&r, i, "Predator.y"),
                        test_result(&expected, i / 4, "Predator.y"), 0);
        test_results_clear(&r);
    }
    test_results_clear(&expected);
    // The stop time is no multiple: the last long step ends there.
    test_run(box, "run", "a.ssd", "-q", "-o", "c.csv", "--stop-time", "9.9", "--step-size", "0.1",
             "--step-size-of", "P*=0.4", "--algorithm", "jacobi", NULL);
    assert_exit(box, 0);
    test_results_read(&r, box, "c.csv");
    assert_true(test_result(&r, r.n_rows - 1, "Predator.y") !=
                test_result(&r, r.n_rows - 2, "Predator.y"));
    assert_near(test_result(&r, r.n_rows - 2, "Predator.y"),
                test_result(&r, r.n_rows - 3, "Predator.y"), 0);
    test_results_clear(&r);
    test_run(box, "run", "a.ssd", "--step-size", "0.1", "--step-size-of", "Prey=0.25", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "step-size-of: 0.25 s for component 'Prey' is no multiple of the "
                              "step size, 0.1 s");
    test_run(box, "run", "a.ssd", "--step-size-of", "Prey=0", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "'Prey=0' is not COMPONENT=TIME with a time greater than 0");
}

static void an_ssd_can_contain_functions(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "A", "Gain", "in:u out:y");
    takt_text_add(&ssd.components, "<ssd:Component name=\"twice\" "
                                   "source=\"builtin:sum?inputs=2\"/>\n<ssd:Component name=\"f\" "
                                   "source=\"builtin:linear?factor=2&amp;offset=-1\"/>\n");
    test_ssd_connect(&ssd, "A.y", "twice.in[0]");
    test_ssd_connect(&ssd, "A.y", "twice.in[1]");
    test_ssd_connect(&ssd, "twice.out", "f.in");
    test_ssd_write(&ssd, box, "a.ssd", 0, 1, "step-size=\"1\"");
    test_run(box, "run", "a.ssd", "--set", "A.u=3", "--set", "f.offset=1", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "a.csv");
    assert_near(test_result(&r, 1, "twice.out"), 6, 0);
    assert_near(test_result(&r, 1, "f.out"), 13, 0);
    test_results_clear(&r);
}

// Functions belong to the connections: with Gauss-Jacobi they do not delay a value.
static void functions_do_not_delay_values(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_write_text(
        box, "osp.xml",
        OSP "<Simulators><Simulator name='Part1' source='fmus/Math003Part1.fmu'/>\n"
            "<Simulator name='Part2' source='fmus/Math003Part2.fmu'/>\n"
            "<Simulator name='Part3' source='fmus/Math003Part3.fmu'/></Simulators>\n"
            "<Functions><LinearTransformation name='same'/><Sum name='one' inputCount='1'/>"
            "<VectorSum name='vector' inputCount='1' dimension='1'/></Functions>\n"
            "<Connections>" VARIABLE("Part1", "x1", "Part2", "x1") SIGNAL("vector", "in[0][0]",
                                                                          "Part1", "x2")
                SIGNAL("vector", "out[0]", "Part2", "x2") SIGNAL("one", "in[0]", "Part2", "x3")
                    SIGNAL("one", "out", "Part3", "x3") SIGNAL("same", "in", "Part3", "x4")
                        SIGNAL("same", "out", "Part2", "x4") "</Connections></OspSystemStructure>");
    test_run(box, "run", "osp.xml", "--stop-time", "10", "--record", "Part*.x*", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "math003.ssd", "--algorithm", "jacobi", "--record", "Part*.x*", NULL);
    assert_exit(box, 0);
    // The same inputs as well: those of functions came without delay.
    assert_same_files(box, "osp.csv", "math003.csv");
}

// ---- conversion --------------------------------------------------------------------------------

static void check_conversion(test_sandbox *box, const char *project)
{
    static const char *const targets[] = {"new.ssd", "new.ssp"};
    test_run(box, "run", project, "--output-file", "old.csv", NULL);
    assert_exit(box, 0);
    for (int i = 0; i < 2; i++) {
        test_run(box, "convert", project, targets[i], NULL);
        assert_exit(box, 0);
        test_run(box, "run", targets[i], NULL);
        assert_exit(box, 0);
        assert_int_equal(test_count(box->err, "new.ss"), 0); // nothing to report about the file
        assert_same_files(box, "old.csv", "new.csv");
    }
}

static void all_formats_become_ssp_with_the_same_results(void **state)
{
    test_sandbox *box = *state;
    write_msim(box, "b.msim", RICHARDSON MATH003);
    test_write_text(box, "T.CSV", "Time [min],a b,c\n0,1,2\n1,3,4\n");
    write_msim(box, "a.msim",
               "tEnd 1 min\nhStart 7 s\nhOutputMin 1 s\nMasterMode GAUSS_JACOBI\n"
               "simulator 0 0 \"a gain\" #000000 fmus/Gain.fmu\n"
               "simulator 0 0 \"the table\" #000000 \"T.CSV\"\nparameter T.c 5\n"
               "simulator 0 0 T #000000 T.CSV\n"
               "graph \"the table.a b\" \"a gain.u\" 0.1 -3\n");
    check_conversion(box, "a.msim");
    test_run(box, "convert", "a.msim", "new.ssd", NULL);
    assert_contains(box->err,
                    "a.msim:6: warning: component 'the table' is a table: SSP has none, so "
                    "other programs may not support it");
    write_msim(box, "c.txt", "MasterMode 3\n" LOTKA_VOLTERRA);
    write_msim(box, "d.xml",
               OSP "<Simulators><Simulator name='A' source='fmus/Gain.fmu'/></Simulators>\n"
                   "<Functions><LinearTransformation name='f' factor='2' offset='1'/></Functions>\n"
                   "<Connections>" SIGNAL("f", "in", "A", "y") "</Connections>"
                                                               "</OspSystemStructure>");
    check_conversion(box, "b.msim");
    check_conversion(box, "c.txt");
    check_conversion(box, "d.xml");
    test_run(box, "convert", "d.xml", "new.ssd", NULL);
    assert_contains(box->err, "d.xml:4: warning: component 'f' is a function");
    write_msim(box, "E.MSIM", RICHARDSON MATH003);
    check_conversion(box, "E.MSIM");
}

static void a_folder_with_an_osp_system_structure_is_a_project(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    test_run_program(box, "mkdir", "sub", NULL);
    test_write_text(box, "sub/OspSystemStructure.xml",
                    OSP "<Simulators><Simulator name='A' source='../fmus/Gain.fmu'/></Simulators>\n"
                        "</OspSystemStructure>");
    test_run(box, "run", "sub", "-q", NULL);
    assert_exit(box, 0);
    assert_true(test_has_file(box, "sub.csv"));
}

// Also as a package.
static void the_examples_of_all_formats_run_as_they_are(void **state)
{
#define FORMATS TAKT_EXAMPLES "/formats/"
    static const struct {
        const char *project, *last; // the last row begins so
        double next; // value behind it; 0: does not matter
    } cases[] = {
        {FORMATS "math003.msim", "\n10,1,1,0,", 3},
        {FORMATS "lotka_volterra.eas", "\n10,12.0168", 0},
        {FORMATS "OspSystemStructure.xml", "\n1,2,20,22\n", 0},
        {FORMATS "table.ssd", "\n3600,12,0,-6\n", 0},
    };
    test_sandbox *box = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_run(box, "run", cases[i].project, "-q", "-o", "a.csv", NULL);
        assert_exit(box, 0);
        assert_string_equal(box->err, "");
        size_t size;
        char *text = test_read_file(box, "a.csv", &size);
        assert_contains(text, cases[i].last);
        const char *next = strstr(text, cases[i].last) + strlen(cases[i].last);
        if (cases[i].next > 0) assert_near(strtod(next, NULL), cases[i].next, 1e-12);
        free(text);
        test_run(box, "convert", cases[i].project, "a.ssp", "-q", NULL);
        assert_exit(box, 0);
        test_run(box, "run", "a.ssp", "-q", "-o", "b.csv", NULL);
        assert_exit(box, 0);
        assert_same_files(box, "a.csv", "b.csv");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(an_msim_gives_the_same_bits_as_an_ssd),
        test_in_sandbox(an_msim_with_a_table_steps_as_mastersim_does),
        test_in_sandbox(a_source_that_is_listed_last_is_one_step_late),
        test_in_sandbox(who_replaces_an_algorithm_by_auto_leaves_it_the_order),
        test_in_sandbox(an_msim_writes_the_rows_and_columns_of_mastersim),
        test_in_sandbox(output_time_unit_is_that_of_the_time_column),
        test_in_sandbox(error_control_has_the_figures_of_mastersim),
        test_in_sandbox(offset_and_scale_of_a_connection_are_applied),
        test_in_sandbox(all_variables_are_recorded_on_request),
        test_in_sandbox(an_fmu_writes_into_the_folder_of_the_project),
        test_in_sandbox(problems_of_the_file_and_of_the_fmus_are_told_together),
        test_in_sandbox(a_configuration_of_the_eas_master_gives_the_same_bits_as_an_ssd),
        test_in_sandbox(functions_compute_what_they_say),
        test_in_sandbox(a_simulator_with_longer_steps_holds_its_outputs),
        test_in_sandbox(longer_steps_can_be_iterated),
        test_in_sandbox(an_ssd_can_contain_functions),
        test_in_sandbox(functions_do_not_delay_values),
        test_in_sandbox(all_formats_become_ssp_with_the_same_results),
        test_in_sandbox(a_folder_with_an_osp_system_structure_is_a_project),
        test_in_sandbox(the_examples_of_all_formats_run_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
