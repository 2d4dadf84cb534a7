// SPDX-License-Identifier: MIT
// Where a word is needed: options that have no effect, systems without outputs, inputs that nothing drives, problems
// as data.
#define _GNU_SOURCE // memmem()
#include <jansson.h>
#include <string.h>

#include "support/archive.h"
#include "support/results.h"
#include "support/ssd.h"

#define GAIN TEST_FMUS "/Gain.fmu"

static void every_option_without_effect_is_named_with_the_reason(void **state)
{
    test_sandbox *box = *state;
    static const char *const cases[][3] = {
        {"--solver", "rk4", "solver has no effect: there is no FMU for model exchange"},
        {"--solver-tolerance", "1e-9", "solver-tolerance has no effect: there is no FMU"},
        {"--solver-step", "0.1", "solver-step has no effect: there is no FMU"},
        {"--interface", "me", "interface me has no effect: no FMU offers model exchange"},
        {"--jobs", "4", "jobs has no effect: there is only one component"},
        {"--one-thread", "Gain", "one-thread has no effect: there is only one component"},
        {"--iterations", "7", "iterations has no effect: no components are connected"},
        {"--damping", "0.5", "damping has no effect: no components are connected"},
        {"--algorithm-at", "0.5:newton", "algorithm-at has no effect: no components are connected"},
        {"--error-estimate", "slope", "error-estimate has no effect: there is no error test"},
        {"--input-derivatives", "estimate", "input-derivatives has no effect: no components"},
        {"--output-origin", "0.5", "output-origin has no effect: every communication point"},
        {"--output-grid", "next", "output-grid has no effect: every communication point"},
        {"--event-time", "50", "event-time 50 has no effect: it does not lie between"},
        {"--step-min", "0.01", "step-min has no effect: all steps have the same size"},
        {"--step-max", "0.1", "step-max has no effect: all steps have the same size"},
        {"--step-growth", "2", "step-growth has no effect: all steps have the same size"},
        {"--record", "nope*", "record: 'nope*' matches no variable"},
        {"--record-exclude", "nope*", "record-exclude: 'nope*' matches no variable"},
        {"--record-connected", "nope*", "record-connected: 'nope*' matches no component"},
        {"--step-size-of", "nope=0.2", "step-size-of: 'nope=0.2' matches no component"},
        {"--algorithm", "newton", "algorithm has no effect: no components are connected"},
        {"--call-order", "listed", "call-order has no effect: no components are connected"},
        {"--norm", "papers", "norm has no effect: no components are connected"},
        {"--relative-tolerance", "1e-7", "relative-tolerance has no effect: no components"},
        {"--absolute-tolerance", "1e-7", "absolute-tolerance has no effect: no components"},
        {"--step-fallback", "1e-3", "step-fallback has no effect: no components are connected"},
        {"--step-reduction", "2", "step-reduction has no effect: all steps have the same size"},
        {"--step-factor-min", "0.5", "step-factor-min has no effect: there is no error test"},
        {"--step-factor-max", "3", "step-factor-max has no effect: there is no error test"},
        {"--same-steps", NULL, "same-steps has no effect: there is only one component"},
        {"--separate-libraries", NULL, "separate-libraries has no effect: no FMU is used more"},
        {"--on-crash", "hold", "on-crash has no effect: no FMU is isolated; --isolate"},
        {"--sandbox-read", "/usr", "sandbox-read has no effect: no FMU is isolated"},
        {"--sandbox-write", "/tmp", "sandbox-write has no effect: no FMU is isolated"},
        {"--me", "central", "me central: no FMUs for model exchange are connected directly"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_run(box, "run", GAIN, "--step-size", "0.1", "--stop-time", "1", cases[i][0],
                 cases[i][1], NULL);
        assert_exit(box, 0);
        assert_contains(box->err, cases[i][2]);
        assert_int_equal(test_count(box->err, "warning: "), 1);
    }
}

// A loop of two gains, by prediction to a tolerance unless the case says otherwise.
static void write_loop(test_sandbox *box)
{
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "A", "Lag", "in:u out:x");
    test_ssd_component(&ssd, "B", "Gain", "in:u out:y");
    test_ssd_connect(&ssd, "A.x", "B.u");
    test_ssd_connect(&ssd, "B.y", "A.u");
    test_ssd_write(&ssd, box, "loop.ssd", 0, 1, "");
}

#define CONTROLLED "--tolerance=1e-3", "--damping=0.5"
#define FIXED "--step-size=0.1", "--damping=0.5"
#define NEWTON "--algorithm=newton"
#define SEIDEL "--step-size=0.1", "--algorithm=seidel"
#define DOUBLING "--step-control=richardson", NEWTON
#define CONVERGING "--step-control=convergence", "--algorithm=newton"

static const char *const judged[][4] = {
    {CONTROLLED, "--iterations=7", "iterations has no effect: steps by prediction have a limit"},
    {CONTROLLED, "--step-fallback=1e-3", "step-fallback has no effect: steps are controlled by"},
    {CONTROLLED, "--step-reduction=3", "step-reduction has no effect: steps are controlled by"},
    {CONTROLLED, "--step-growth=3", "step-growth has no effect: it belongs to step-control conv"},
    {CONTROLLED, "--step-factor-min=0.5", "step-factor-min has no effect: there is no error te"},
    {CONTROLLED, "--step-factor-max=3", "step-factor-max has no effect: there is no error test"},
    {CONTROLLED, "--error-estimate=slope", "error-estimate has no effect: there is no error te"},
    {CONTROLLED, "--input-derivatives=estimate", "input-derivatives estimate has no effect: "},
    {CONTROLLED, "--algorithm-at=50:newton", "algorithm-at 50:newton has no effect: it does no"},
    {FIXED, "--iterations=7", "iterations has no effect: steps are made by prediction"},
    {FIXED, "--step-fallback=1e-3", "step-fallback has no effect: steps are made by prediction"},
    {FIXED, "--same-steps", "same-steps has no effect: components have the same steps"},
    {SEIDEL, "--iterations=7", "iterations has no effect: jacobi and seidel make one pass"},
    {SEIDEL, "--step-fallback=5", "step-fallback has no effect: jacobi and seidel make one"},
    {SEIDEL, "--damping=0.5", "damping has no effect: no algorithm in use solves equations"},
    {DOUBLING, "--step-growth=3", "step-growth has no effect: it belongs to step-control conv"},
    {DOUBLING, "--overstep-end", "overstep-end has no effect: steps have any size"},
    {DOUBLING, "--time-grid=accumulated", "time-grid has no effect: only fixed steps"},
    {DOUBLING, "--same-steps", "same-steps has no effect: components have the same steps"},
    {CONVERGING, "--step-factor-max=3", "step-factor-max has no effect: there is no error tes"},
    {CONVERGING, "--error-estimate=slope", "error-estimate has no effect: there is no error t"},
    {CONVERGING, "--time-grid=accumulated", "time-grid has no effect: only fixed steps"},
    // the same options where they act
    {SEIDEL, "--call-order=listed", NULL},
    {SEIDEL, "--time-grid=accumulated", NULL},
    {SEIDEL, "--overstep-end", NULL},
    {FIXED, "--algorithm=newton", NULL},
    {CONVERGING, "--step-growth=3", NULL},
    {CONVERGING, "--step-reduction=3", NULL},
    {CONVERGING, "--iterations=7", NULL},
    {DOUBLING, "--step-factor-max=3", NULL},
    {DOUBLING, "--error-estimate=slope", NULL},
    {DOUBLING, "--step-fallback=1e-9", NULL},
    {DOUBLING, "--damping=0.5", NULL},
    {CONTROLLED, "--step-max=0.1", NULL},
    {CONTROLLED, "--step-min=1e-9", NULL},
    {CONTROLLED, "--same-steps", NULL},
    {CONTROLLED, "--algorithm-at=0.5:newton", NULL},
    {CONTROLLED, "--call-order=listed", NULL},
};

static void every_option_is_judged_by_the_steps_and_algorithms_at_hand(void **state)
{
    test_sandbox *box = *state;
    write_loop(box);
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++) {
        test_run(box, "run", "loop.ssd", "-q", judged[i][0], judged[i][1], judged[i][2], NULL);
        assert_exit(box, 0);
        if (judged[i][3]) assert_contains(box->err, judged[i][3]);
        if (test_count(box->err, "has no effect") != (judged[i][3] != NULL))
            print_error("%s %s %s: %s\n", judged[i][0], judged[i][1], judged[i][2], box->err);
        assert_int_equal(test_count(box->err, "has no effect"), judged[i][3] != NULL);
    }
    test_run(box, "graph", "loop.ssd", "--step-size", "0.1", "--iterations", "7", NULL);
    assert_contains(box->err, "iterations has no effect"); // and so in other commands
    test_run(box, "check", "loop.ssd", "--tolerance", "1e-3", "--step-growth", "3", NULL);
    assert_contains(box->err, "step-growth has no effect");
}

static void options_that_exclude_each_other_are_errors(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", GAIN, "-q", "--stop-time", "1", "-o", "r.csv", NULL);
    assert_exit(box, 0);
    static const char *const cases[][6] = {
        {"--record and --no-output exclude", "run", GAIN, "--no-output", "--record=y"},
        {"--record-exclude and --no-output", "run", GAIN, "--no-output", "--record-exclude=y"},
        {"--output-time-unit and --no-output", "run", GAIN, "--no-output", "--output-time-unit=h"},
        {"--record needs --output-file", "run", GAIN, "--test-init", "--record=y"},
        {"--output-file and --no-output", "run", GAIN, "--no-output", "-o", "r.csv"},
        {"--describe-results needs a file", "run", GAIN, "--no-output", "--describe-results"},
        {"--test-init and --real-time exclude", "run", GAIN, "--test-init", "--real-time"},
        {"--test-init and --until-steady", "run", GAIN, "--test-init", "--until-steady=1"},
        {"--test-init and --checkpoint", "run", GAIN, "--test-init", "--checkpoint=c"},
        {"--checkpoint-interval needs --checkpoint", "run", GAIN, "--checkpoint-interval=1"},
        {"Gain.fmu: has no variants", "run", GAIN, "--variant=Winter"},
        {"Gain.fmu: has no variants", "info", GAIN, "--variant=Winter"},
        {"results are not written as '.xlsx'", "run", GAIN, "-o", "r.xlsx"},
        {"results are not written as '.txt'", "convert", "r.csv", "r.txt"},
        {"only .ssp", "convert", GAIN, "r.zip"},
        {"only .ssp", "convert", GAIN, "r.mat"},
        {"r.csv: results have no settings: --step-size", "convert", "r.csv", "r.mat",
         "--step-size=1"},
        {"r.csv: results have no settings: --set", "convert", "r.csv", "r.mat", "--set=k=1"},
        {"r.csv: results have no settings: --variant", "convert", "r.csv", "r.mat", "--variant=W"},
        {"pictures are written as .svg, .png or .pdf, not as '.gif'", "plot", "r.csv", "-o",
         "r.gif"},
        {"r.csv has no column 'nope*'", "plot", "r.csv", "-c", "nope*"},
        {"advice needs trials of at least one step", "advise", GAIN, "--max-steps=0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *c = cases[i];
        test_run(box, c[1], c[2], c[3], c[4], c[4] ? c[5] : NULL, NULL);
        assert_exit(box, 2);
        assert_contains(box->err, c[0]);
        assert_string_equal(box->out, "");
    }
}

static void options_with_an_effect_are_not_mentioned(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", TEST_FMUS "/Lag.fmu", "--interface", "me", "--solver", "rk4",
             "--solver-step", "0.01", "--step-size", "0.1", "--stop-time", "1", "--output-interval",
             "0.2", "--output-grid", "next", NULL);
    assert_exit(box, 0);
    assert_int_equal(test_count(box->err, "has no effect"), 0);
    test_run(box, "run", TEST_FMUS "/Lag.fmu", "--interface", "me", "--solver", "rk4",
             "--solver-tolerance", "1e-6", "--step-size", "0.1", "--stop-time", "1", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "solver-tolerance has no effect: euler and rk4");
    test_run(box, "run", GAIN, "--stop-time", "1", "--isolate", "--on-crash", "hold",
             "--sandbox-read", "/usr", NULL);
    assert_exit(box, 0);
    assert_int_equal(test_count(box->err, "has no effect"), 0);
    test_run(box, "run", GAIN, "--stop-time", "1", "--isolate", "--sandbox=false", "--sandbox-read",
             "/usr", NULL);
    assert_contains(box->err, "sandbox-read has no effect: FMUs run without a sandbox");
}

static void places_of_components_are_those_of_several_processes(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", GAIN, "-q", "--stop-time", "1", "--place", "*=0", "--place", "Gain=0",
             NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "takt: --place has no effect: all FMUs run in this process; see "
                                  "takt-mpi\n");
    test_run(box, "graph", GAIN, "--cost", "*=1", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "takt: --cost has no effect: it belongs to --ranks N");
}

// ---- where settings come from ------------------------------------------------------------------------

static void the_end_of_a_run_tells_settings_and_where_they_come_from(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", TEST_FMUS "/Lag.fmu", "--stop-time", "2", "--step-size", "0.5", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "start-time           0 s (");
    assert_contains(box->out, "stop-time            2 s (user)\n");
    assert_contains(box->out, "algorithm            auto (default)\n");
    assert_contains(box->out, "step-control         fixed (default)\n");
    assert_contains(box->out, "step-size            0.5 s (user)\n");
    assert_contains(box->out, "output-interval      0 (every communication point) (default)\n");
    assert_int_equal(test_count(box->out, "tolerance "), 0);

    test_run(box, "run", TEST_FMUS "/Lag.fmu", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "stop-time            10 s (FMU)\n");
    assert_contains(box->out, "step-size            0.1 s (FMU)\n");

    test_ssd ssd = {0};
    test_ssd_component(&ssd, "a", "Gain", "in:u out:y");
    test_ssd_component(&ssd, "b", "Gain", "in:u out:y");
    test_ssd_connect(&ssd, "a.y", "b.u");
    test_ssd_write(&ssd, box, "p.ssd", 0, 3, "algorithm=\"newton\"");
    test_run(box, "run", "p.ssd", "--tolerance", "1e-5", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "stop-time            3 s (project)\n");
    assert_contains(box->out, "algorithm            newton (project)\n");
    assert_contains(box->out, "tolerance            1e-05 (user)\n");
    test_run(box, "run", "p.ssd", "--quiet", NULL);
    assert_exit(box, 0);
    assert_int_equal(test_count(box->out, "stop-time"), 0);
}

// ---- no outputs --------------------------------------------------------------------------------------

static void write_fmu_with_locals(test_sandbox *box, int n_locals)
{
    char *text = NULL;
    size_t size;
    FILE *xml = open_memstream(&text, &size);
    assert_non_null(xml);
    fputs(
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        "<fmiModelDescription fmiVersion='2.0' modelName='Q' guid='nothing step'>\n"
        "<CoSimulation modelIdentifier='hostile' canHandleVariableCommunicationStepSize='true'/>\n"
        "<ModelVariables>\n",
        xml);
    for (int i = 0; i < n_locals; i++)
        fprintf(xml,
                "<ScalarVariable name='x%d' valueReference='%d' causality='local'><Real/>"
                "</ScalarVariable>\n",
                i, i % 2);
    fputs("<ScalarVariable name='k' valueReference='0' causality='parameter' variability='fixed'>"
          "<Real start='0'/></ScalarVariable>\n"
          "</ModelVariables>\n<ModelStructure/></fmiModelDescription>\n",
          xml);
    fclose(xml);
    char path[2 * TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/Mute.fmu", box->work);
    const test_entry entries[] = {{.name = "binaries/linux64/hostile.so", .file = TEST_HOSTILE},
                                  {.name = "modelDescription.xml", .data = text}};
    test_archive(path, entries, 2);
    free(text);
}

static int count_columns(test_sandbox *box)
{
    char *text = test_read_file(box, "Mute.csv", NULL);
    assert_non_null(text);
    *strchr(text, '\n') = 0;
    int n = test_count(text, ",");
    free(text);
    return n;
}

static void without_outputs_local_variables_that_change_are_recorded(void **state)
{
    test_sandbox *box = *state;
    write_fmu_with_locals(box, 3);
    test_run(box, "run", "Mute.fmu", "--step-size", "0.1", "--stop-time", "1", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "there are no outputs to record: the 3 local variables that change");
    assert_int_equal(count_columns(box), 3);
    write_fmu_with_locals(box, 250);
    test_run(box, "run", "Mute.fmu", "--step-size", "0.1", "--stop-time", "1", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "the first 100 of 250 local variables that change");
    assert_int_equal(count_columns(box), 100);
    test_run(box, "run", "Mute.fmu", "--step-size", "0.1", "--stop-time", "1", "--record", "x7",
             NULL);
    assert_exit(box, 0);
    assert_int_equal(test_count(box->err, "no outputs"), 0);
    assert_int_equal(count_columns(box), 1);
    write_fmu_with_locals(box, 0);
    test_run(box, "run", "Mute.fmu", "--step-size", "0.1", "--stop-time", "1", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "there is nothing to record but the time");
}

// ---- inputs, problems as data ------------------------------------------------------------------------

static void inputs_that_nothing_drives_are_listed(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "A", "Gain", "in:u out:y");
    test_ssd_component(&ssd, "B", "Gain", "in:u out:y");
    test_ssd_connect(&ssd, "A.y", "B.u");
    test_ssd_write(&ssd, box, "s.ssd", 0, 1, "step-size=\"0.1\"");
    static const char list[] =
        "Inputs that are not connected and keep their values: 1\n  A.u = 2.5 (given)\n";
    static const char *const commands[] = {"check", "info", "graph"};
    for (int i = 0; i < 3; i++) {
        test_run(box, commands[i], "s.ssd", "--set", "A.u=2.5", NULL);
        assert_exit(box, 0);
        assert_contains(box->out, list);
    }
    test_run(box, "info", "s.ssd", "--json", NULL);
    json_t *all = json_loads(box->out, 0, NULL);
    const json_t *inputs = json_object_get(all, "unconnected_inputs");
    assert_int_equal(json_array_size(inputs), 1);
    const json_t *one = json_array_get(inputs, 0);
    assert_string_equal(json_string_value(json_object_get(one, "component")), "A");
    assert_string_equal(json_string_value(json_object_get(one, "variable")), "u");
    assert_near(json_number_value(json_object_get(one, "value")), 0, 0);
    json_decref(all);
}

static void problems_are_a_list_for_programs(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "check", "--json", GAIN, NULL);
    assert_exit(box, 0);
    json_t *all = json_loads(box->out, 0, NULL);
    assert_int_equal(json_array_size(all), 1); // no problem, but what the text shows, too
    const json_t *one = json_array_get(all, 0);
    assert_string_equal(json_string_value(json_object_get(one, "severity")), "info");
    one = json_array_get(json_object_get(one, "unconnected_inputs"), 0);
    assert_string_equal(json_string_value(json_object_get(one, "variable")), "u");
    json_decref(all);
    test_run(box, "check", "--json", TEST_FMUS "/Math003Part1.fmu", NULL);
    assert_string_equal(box->out, "[]\n");
    test_run(box, "check", "--json", GAIN, "--set", "kk=1", NULL);
    assert_string_equal(box->err, "");
    all = json_loads(box->out, 0, NULL);
    assert_int_equal(json_array_size(all), 1);
    one = json_array_get(all, 0);
    assert_string_equal(json_string_value(json_object_get(one, "severity")), "error");
    assert_string_equal(json_string_value(json_object_get(one, "component")), "Gain");
    assert_string_equal(json_string_value(json_object_get(one, "file")), GAIN);
    assert_true(json_is_null(json_object_get(one, "line")));
    assert_contains(json_string_value(json_object_get(one, "message")), "'kk'");
    json_decref(all);
}

// ---- libraries that cannot be loaded here -----------------------------------------------------------

// Writes an FMU with a library, and checks it.
static void check_library(test_sandbox *box, const char *data, size_t size)
{
    test_write_file(box, "tiny.so", data, size);
    char library[2 * TEST_PATH_SIZE], path[2 * TEST_PATH_SIZE];
    snprintf(library, sizeof library, "%s/tiny.so", box->work);
    snprintf(path, sizeof path, "%s/Foreign.fmu", box->work);
    const test_entry entries[] = {
        {.name = "binaries/linux64/tiny.so", .file = library},
        {.name = "modelDescription.xml",
         .data = "<?xml version='1.0' encoding='UTF-8'?>\n"
                 "<fmiModelDescription fmiVersion='2.0' modelName='F' guid='g'>\n"
                 "<CoSimulation modelIdentifier='tiny'/>\n<ModelVariables>\n"
                 "<ScalarVariable name='y' valueReference='1' causality='output'><Real/>"
                 "</ScalarVariable>\n</ModelVariables>\n"
                 "<ModelStructure><Outputs><Unknown index='1'/></Outputs></ModelStructure>"
                 "</fmiModelDescription>\n"}};
    test_archive(path, entries, 2);
    test_run(box, "check", "Foreign.fmu", NULL);
    assert_exit(box, 0);
}

// The library is a changed copy of a good one.
static void check_changed(test_sandbox *box, const char *from, const char *to, size_t offset)
{
    size_t size;
    char *data = test_read_path(TEST_TINY, &size);
    assert_non_null(data);
    if (from) {
        char *at = memmem(data, size, from, strlen(from) + 1);
        assert_non_null(at);
        memcpy(at, to, strlen(to));
    } else {
        memcpy(data + offset, to, 1);
    }
    check_library(box, data, size);
    free(data);
}

static void libraries_that_cannot_be_loaded_are_found_without_running_them(void **state)
{
    test_sandbox *box = *state;
    check_changed(box, "libc.so.6", "libq.so.6", 0);
    assert_contains(box->err,
                    "component 'Foreign': FMU Foreign.fmu: cannot be loaded on this machine: "
                    "it needs the library libq.so.6, which is not installed here");
    enum { MACHINE = 18 }; // offset of e_machine
    check_changed(box, NULL, "\x28", MACHINE);
    assert_contains(box->err, "it is for ARM (32 bit), this machine is ");
    check_changed(box, NULL, "x", 0);
    assert_contains(box->err, "it is no library of this system (ELF)");
    test_run(box, "check", TEST_FMUS "/Gain.fmu", NULL);
    assert_string_equal(box->err, "");
}

// Whoever loads it gets SIGBUS.
static void libraries_that_are_cut_off_are_not_loaded(void **state)
{
    test_sandbox *box = *state;
    size_t size;
    char *data = test_read_path(TEST_TINY, &size);
    assert_non_null(data);
    check_library(box, data, 5000);
    free(data);
    assert_contains(box->err, "cannot be loaded on this machine: it is cut off after 5000 bytes");
    test_run(box, "run", "Foreign.fmu", "--stop-time", "1", NULL);
    assert_one_error(box, 3, "the library cannot be loaded: it is cut off after 5000 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(every_option_without_effect_is_named_with_the_reason),
        test_in_sandbox(every_option_is_judged_by_the_steps_and_algorithms_at_hand),
        test_in_sandbox(options_that_exclude_each_other_are_errors),
        test_in_sandbox(options_with_an_effect_are_not_mentioned),
        test_in_sandbox(places_of_components_are_those_of_several_processes),
        test_in_sandbox(the_end_of_a_run_tells_settings_and_where_they_come_from),
        test_in_sandbox(without_outputs_local_variables_that_change_are_recorded),
        test_in_sandbox(inputs_that_nothing_drives_are_listed),
        test_in_sandbox(libraries_that_cannot_be_loaded_are_found_without_running_them),
        test_in_sandbox(libraries_that_are_cut_off_are_not_loaded),
        test_in_sandbox(problems_are_a_list_for_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
