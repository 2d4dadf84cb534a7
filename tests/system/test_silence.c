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
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_run(box, "run", GAIN, "--step-size", "0.1", "--stop-time", "1", cases[i][0],
                 cases[i][1], NULL);
        assert_exit(box, 0);
        assert_contains(box->err, cases[i][2]);
        assert_int_equal(test_count(box->err, "warning: "), 1);
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

// Writes an FMU whose library is a changed copy of a good one.
static void write_changed(test_sandbox *box, const char *from, const char *to, size_t offset)
{
    size_t size;
    char *data = test_read_path(TEST_TINY, &size), path[2 * TEST_PATH_SIZE];
    assert_non_null(data);
    if (from) {
        char *at = memmem(data, size, from, strlen(from) + 1);
        assert_non_null(at);
        memcpy(at, to, strlen(to));
    } else {
        memcpy(data + offset, to, 1);
    }
    test_write_file(box, "tiny.so", data, size);
    free(data);
    char library[2 * TEST_PATH_SIZE];
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

static void libraries_that_cannot_be_loaded_are_found_without_running_them(void **state)
{
    test_sandbox *box = *state;
    write_changed(box, "libc.so.6", "libq.so.6", 0);
    assert_contains(box->err,
                    "component 'Foreign': FMU Foreign.fmu: cannot be loaded on this machine: "
                    "it needs the library libq.so.6, which is not installed here");
    enum { MACHINE = 18 }; // offset of e_machine
    write_changed(box, NULL, "\x28", MACHINE);
    assert_contains(box->err, "it is for ARM (32 bit), this machine is ");
    write_changed(box, NULL, "x", 0);
    assert_contains(box->err, "it is no library of this system (ELF)");
    test_run(box, "check", TEST_FMUS "/Gain.fmu", NULL);
    assert_string_equal(box->err, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(every_option_without_effect_is_named_with_the_reason),
        test_in_sandbox(options_with_an_effect_are_not_mentioned),
        test_in_sandbox(the_end_of_a_run_tells_settings_and_where_they_come_from),
        test_in_sandbox(without_outputs_local_variables_that_change_are_recorded),
        test_in_sandbox(inputs_that_nothing_drives_are_listed),
        test_in_sandbox(libraries_that_cannot_be_loaded_are_found_without_running_them),
        test_in_sandbox(problems_are_a_list_for_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
