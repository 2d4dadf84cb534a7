// SPDX-License-Identifier: MIT
// Tables as inputs, and result files of all kinds, through the program.
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/command.h"
#include "support/results.h"
#include "support/ssd.h"

#define GAIN TEST_FMUS "/Gain.fmu"

// ---- tables --------------------------------------------------------------------------------------

static void a_table_drives_the_inputs_of_an_fmu(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "in.csv", "time,u\n0,0\n1,10\n1,20\n2,20\n");
    test_run(box, "run", GAIN, "--input-file", "in.csv", "--stop-time", "2", "--step-size", "0.4",
             "--set", "k=2", "-q", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "Gain.csv");
    assert_int_equal(r.n_columns, 2); // the table itself is not recorded
    // 0.4, 0.8, the jump at 1 (twice), 1.2, 1.6, 2 and the start
    assert_int_equal(r.n_rows, 8);
    assert_near(test_result(&r, test_row_at(&r, 0.8), "Gain.y"), 16, 1e-12);
    assert_near(test_result_time(&r, 3), 1, 0);
    assert_near(test_result_time(&r, 4), 1, 0);
    assert_near(test_result(&r, 3, "Gain.y"), 20, 1e-12);
    assert_near(test_result(&r, test_row_at(&r, 1.2), "Gain.y"), 40, 1e-12);
    test_results_clear(&r);

    test_run(box, "run", GAIN, "--input-file", "in.csv", "--stop-time", "2", "--step-size", "0.4",
             "--set", "input.events=false", "--record", "input.u", "-q", NULL);
    assert_exit(box, 0);
    test_results_read(&r, box, "Gain.csv");
    assert_int_equal(r.n_rows, 6); // told to step over the jump
    assert_near(test_result(&r, 3, "input.u"), 20, 0);
    test_results_clear(&r);
}

// They are listed nowhere, so that they are never late.
static void input_files_come_first_in_the_order_of_the_project(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "in.csv", "time,u\n0,0\n1,10\n");
    test_run(box, "run", GAIN, "--input-file", "in.csv", "--call-order", "listed", "--algorithm",
             "seidel", "--step-size", "0.5", "--stop-time", "1", "-q", "-o", "-", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->out, "time,Gain.y\n0,0\n0.5,5\n1,10\n");
}

static void wrong_columns_are_errors_with_suggestions(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "bad.csv", "time,x\n0,1\n1,\n0.5,2\n");
    test_run(box, "compare", "bad.csv", "bad.csv", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "bad.csv:3: error: column 'x': '' is empty; a number is missing\n"
                              "bad.csv:4: error: the time goes back from 1 to 0.5; rows must be in "
                              "the order of time\n");
    test_write_text(box, "in.csv", "time,uu,y,Gain.w\n0,0,1,2\n");
    test_run(box, "run", GAIN, "--input-file", "in.csv", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "in.csv:1: error: no column drives anything: 'uu' (did you mean "
                              "'u'?), 'y' (output), 'Gain.w'");
    test_write_text(box, "in.csv", "time,u\n0,0\n1,\n0.5,1\n");
    test_run(box, "run", GAIN, "--input-file", "in.csv", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "in.csv:3: error: column 'u': '' is empty; a number is missing\n");
    assert_contains(box->err, "in.csv:4: error: the time goes back from 1 to 0.5");
    test_run(box, "run", GAIN, "--input-file", "none.csv", NULL);
    assert_one_error(box, 3, "none.csv");
}

static void columns_that_drive_nothing_are_listed_once(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "in.csv", "time,uu,u,y\n0,0,1,2\n");
    test_run(box, "run", GAIN, "--input-file", "in.csv", "--stop-time", "1", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "in.csv:1: warning: 2 of 3 columns drive nothing and are ignored: "
                              "'uu' (did you mean 'u'?), 'y' (output)");
    test_run(box, "run", GAIN, "--input-file", "in.csv", "--stop-time", "1", "--strict", NULL);
    assert_exit(box, 3);
}

// Co-simulation in all versions. FMI 1.0 does not say which parameters are
// tunable.
static void tunable_parameters_follow_columns(void **state)
{
    test_sandbox *box = *state;
    static const char *const fmus[] = {TEST_FMUS "/Gain.fmu", TEST_FMUS "/Gain_fmi1.fmu",
                                       TEST_FMUS "/Gain_fmi3.fmu"};
    test_write_text(box, "in.csv", "time,u,k\n0,2,1\n1,2,1\n1,2,3\n2,2,5\n");
    for (size_t i = 0; i < sizeof fmus / sizeof *fmus; i++) {
        test_run(box, "run", fmus[i], "--input-file", "in.csv", "--step-size", "0.5", "--stop-time",
                 "2", "-q", "-o", "-", NULL);
        assert_exit(box, 0);
        assert_contains(box->out, ".y\n0,2\n0.5,2\n1,2\n1,6\n1.5,6\n2,6\n2,10\n");
    }
}

static void tunable_parameters_follow_outputs(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "p.ssd",
                    "<SystemStructureDescription version='1.0' name='p' "
                    "xmlns='http://ssp-standard.org/SSP1/SystemStructureDescription'>"
                    "<System name='s'><Elements>"
                    "<Component name='A' source='" TEST_FMUS "/Gain.fmu'/>"
                    "<Component name='B' source='" TEST_FMUS "/Gain_fmi3.fmu'/>"
                    "</Elements><Connections>"
                    "<Connection startElement='A' startConnector='y' endElement='B' "
                    "endConnector='k'/></Connections></System></SystemStructureDescription>");
    test_write_text(box, "in.csv", "time,A.u,B.u\n0,3,2\n1,4,2\n");
    test_run(box, "run", "p.ssd", "--input-file", "in.csv", "--step-size", "0.5", "--stop-time",
             "1", "-q", "-o", "-", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "time,A.y,B.y\n0,3,6\n0.5,3.5,7\n1,4,8\n");
}

// Programs write missing values in these ways. Results may have them, sources of a run may not.
static void sources_have_a_number_in_every_row(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "in.csv", "time,u\n0,0\n1,nan\n2,-nan\n3,1\n4,-inf\n5,1e999\n");
    test_run(box, "run", GAIN, "--input-file", "in.csv", NULL);
    assert_exit(box, 3);
    const char *const lines[] = {"in.csv:3: error: column 'u': 'nan'",
                                 "in.csv:4: error: column 'u': '-nan'",
                                 "in.csv:6: error: column 'u': '-inf'",
                                 "in.csv:7: error: column 'u': '1e999' is not finite; "};
    assert_contains(box->err, "; a source needs a number in every row\n");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) assert_contains(box->err, lines[i]);
    test_run(box, "compare", "in.csv", "in.csv", NULL);
    assert_exit(box, 0);
    test_write_text(box, "in.csv", "time,u\n0,0\n1");
    test_run(box, "run", GAIN, "--input-file", "in.csv", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "in.csv:3: error: the row has 1 cell, the header 2");
    test_run(box, "compare", "in.csv", "in.csv", NULL); // was it cut off?
    assert_exit(box, 0);
}

static void results_never_replace_the_table_that_drives_them(void **state)
{
    test_sandbox *box = *state;
    const char *table = "time,u\n0,7\n";
    test_write_text(box, "Gain.csv", table); // what results are called by default
    test_run(box, "run", GAIN, "--input-file", "./Gain.csv", "-q", NULL);
    assert_one_error(box, 2,
                     "Gain.csv: results would overwrite the source of component 'input'; choose "
                     "another file with --output-file");
    char *text = test_read_file(box, "Gain.csv", NULL);
    assert_string_equal(text, table);
    free(text);
    test_run(box, "run", GAIN, "--input-file", "Gain.csv", "-q", "-o", "out.csv", NULL);
    assert_exit(box, 0);
}

static void results_replace_no_table_beside_fmus_that_are_integrated_together(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "Prey", "Prey", "in:y out:x");
    test_ssd_component(&ssd, "Predator", "Predator", "in:x out:y");
    test_ssd_component(&ssd, "T", "./hunt.csv", "out:u");
    test_ssd_connect(&ssd, "Prey.x", "Predator.x");
    test_ssd_connect(&ssd, "Predator.y", "Prey.y");
    test_ssd_write(&ssd, box, "hunt.ssd", 0, 1, NULL);
    test_write_text(box, "hunt.csv", "time,u\n0,7\n");
    test_run(box, "run", "hunt.ssd", "--me", "central", "--interface", "me", "-q", NULL);
    assert_one_error(box, 2, "hunt.csv: results would overwrite the source of component 'T'");
}

static void results_are_not_replaced_by_what_is_made_of_them(void **state)
{
    test_sandbox *box = *state;
    const char *table = "time,u\n0,7\n";
    test_write_text(box, "r.csv", table);
    test_run(box, "plot", "r.csv", "-o", "./r.csv", NULL);
    assert_one_error(box, 2, "./r.csv: would replace the results it is made of; choose another");
    test_run(box, "convert", "r.csv", "./r.csv", NULL);
    assert_one_error(box, 2, "./r.csv: would replace the results it is made of; choose another");
    char *text = test_read_file(box, "r.csv", NULL);
    assert_string_equal(text, table);
    free(text);
}

static void input_files_are_tables_whatever_they_are_called(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "in.txt", "time,u\n0,7\n");
    test_run(box, "run", GAIN, "--input-file", "in.txt", "--stop-time", "1", "-q", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "Gain.csv");
    assert_near(test_result(&r, test_row_at(&r, 1), "Gain.y"), 7, 0);
    test_results_clear(&r);
}

static void tables_are_components_of_projects(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "weather.tsv", "Time [min]\tT_out [degC]\n0\t0\n1\t60\n");
    test_link(box, "Gain.fmu", GAIN);
    test_write_text(box, "house.ssd",
                    "<?xml version=\"1.0\"?>\n"
                    "<ssd:SystemStructureDescription version=\"1.0\" name=\"house\" "
                    "xmlns:ssd=\"http://ssp-standard.org/SSP1/SystemStructureDescription\" "
                    "xmlns:ssc=\"http://ssp-standard.org/SSP1/SystemStructureCommon\">\n"
                    "<ssd:System name=\"s\"><ssd:Elements>\n"
                    "<ssd:Component name=\"weather\" source=\"weather.tsv\"/>\n"
                    "<ssd:Component name=\"gain\" source=\"Gain.fmu\"/>\n"
                    "</ssd:Elements><ssd:Connections>\n"
                    "<ssd:Connection startElement=\"weather\" startConnector=\"T_out\" "
                    "endElement=\"gain\" endConnector=\"u\"/>\n"
                    "</ssd:Connections></ssd:System>\n"
                    "<ssd:DefaultExperiment startTime=\"0\" stopTime=\"60\"/>\n"
                    "</ssd:SystemStructureDescription>\n");
    test_run(box, "run", "house.ssd", "--step-size", "15", "-q", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "house.csv");
    assert_near(test_result(&r, test_row_at(&r, 30), "weather.T_out"), 30, 1e-12);
    assert_near(test_result(&r, test_row_at(&r, 60), "gain.y"), 60, 1e-12);
    test_results_clear(&r);
    test_run(box, "info", "house.ssd", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "T_out");
}

// One is interpolated for a real input, the other one held for an integer one.
static void components_of_the_same_table_know_nothing_of_each_other(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "ramp.csv", "time,u\n0,0\n1,10\n");
    test_link(box, "Gain.fmu", GAIN);
    test_link(box, "Passthrough.fmu", TEST_FMUS "/Passthrough.fmu");
    test_write_text(box, "ramp.ssd",
                    "<?xml version=\"1.0\"?>\n"
                    "<ssd:SystemStructureDescription version=\"1.0\" name=\"ramp\" "
                    "xmlns:ssd=\"http://ssp-standard.org/SSP1/SystemStructureDescription\">\n"
                    "<ssd:System name=\"s\"><ssd:Elements>\n"
                    "<ssd:Component name=\"a\" source=\"ramp.csv\"/>\n"
                    "<ssd:Component name=\"b\" source=\"ramp.csv\"/>\n"
                    "<ssd:Component name=\"gain\" source=\"Gain.fmu\"/>\n"
                    "<ssd:Component name=\"pass\" source=\"Passthrough.fmu\"/>\n"
                    "</ssd:Elements><ssd:Connections>\n"
                    "<ssd:Connection startElement=\"a\" startConnector=\"u\" "
                    "endElement=\"gain\" endConnector=\"u\"/>\n"
                    "<ssd:Connection startElement=\"b\" startConnector=\"u\" "
                    "endElement=\"pass\" endConnector=\"integer_in\"/>\n"
                    "</ssd:Connections></ssd:System>\n"
                    "</ssd:SystemStructureDescription>\n");
    test_run(box, "run", "ramp.ssd", "--stop-time", "1", "--step-size", "0.5", "-q", "-o",
             "out.csv", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "out.csv");
    assert_near(test_result(&r, test_row_at(&r, 0.5), "gain.y"), 5, 0);
    assert_near(test_result(&r, test_row_at(&r, 0.5), "pass.integer_out"), 0, 0);
    test_results_clear(&r);
}

// The type says what a component is; names of files are free.
static void the_type_of_a_component_makes_it_a_table(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "weather.dat", "time,T_out\n0,5\n");
    test_write_text(box, "house.ssd",
                    "<?xml version=\"1.0\"?>\n"
                    "<ssd:SystemStructureDescription version=\"1.0\" name=\"house\" "
                    "xmlns:ssd=\"http://ssp-standard.org/SSP1/SystemStructureDescription\">\n"
                    "<ssd:System name=\"s\"><ssd:Elements>\n"
                    "<ssd:Component name=\"weather\" type=\"text/csv\" source=\"weather.dat\"/>\n"
                    "</ssd:Elements></ssd:System>\n"
                    "</ssd:SystemStructureDescription>\n");
    test_run(box, "run", "house.ssd", "--stop-time", "1", "-q", NULL);
    assert_exit(box, 0);
    test_run(box, "convert", "house.ssd", "packed.ssp", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "packed.ssp", "--stop-time", "1", "-q", NULL);
    assert_exit(box, 0);
    test_run(box, "compare", "house.csv", "packed.csv", NULL);
    assert_exit(box, 0);
}

// ---- results -------------------------------------------------------------------------------------

static void write_both(test_sandbox *box)
{
    test_write_text(box, "in.csv", "time,u\n0,0\n1,10\n1,20\n2,20\n");
    const char *const names[] = {"a.csv", "a.mat"};
    for (int i = 0; i < 2; i++) {
        test_run(box, "run", GAIN, "--input-file", "in.csv", "--stop-time", "2", "--step-size",
                 "0.3", "--record", "*", "--record-exclude", "*.interpolation", "-q", "-o",
                 names[i], "--describe-results", NULL);
        assert_exit(box, 0);
    }
}

static void csv_and_mat_hold_the_same(void **state)
{
    test_sandbox *box = *state;
    write_both(box);
    test_run(box, "compare", "a.mat", "a.csv", "--relative-tolerance", "0", "--absolute-tolerance",
             "0", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "a.mat agrees with a.csv: 5 columns");
    test_run(box, "compare", "a.csv", "a.mat", "-q", "--relative-tolerance", "0",
             "--absolute-tolerance", "0", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->out, "");
}

static void differences_are_told_unless_silence_is_wanted(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "a.csv", "time,x,y\n0,0,0\n1,0,0\n1,5,0\n2,5,0.1\n");
    test_write_text(box, "b.csv", "time,x,y\n0,0,0\n1.01,0,0\n1.01,5,0\n2,5,0\n");
    test_run(box, "compare", "a.csv", "b.csv", "--time-tolerance", "10ms", NULL);
    assert_exit(box, 6);
    assert_contains(box->out, "a.csv differs from b.csv in 1 of 2 columns\n"
                              "most in y at t = 2 s: ");
    test_run(box, "compare", "a.csv", "b.csv", NULL);
    assert_contains(box->out, "in 2 of 2 columns\nmost in x at t = 1.01 s: 5 instead of 0\n");
    test_run(box, "compare", "a.csv", "b.csv", "-q", NULL);
    assert_exit(box, 6);
    assert_string_equal(box->out, "");
    assert_string_equal(box->err, "");
}

static void results_are_converted_there_and_back(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--algorithm", "seidel", "-o", "a.csv", "-q", NULL);
    assert_exit(box, 0);
    test_run(box, "convert", "a.csv", "b.mat", "-q", NULL);
    assert_exit(box, 0);
    test_run(box, "convert", "b.mat", "c.csv", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->out, "c.csv: written\n");
    char *before = test_read_file(box, "a.csv", NULL), *after = test_read_file(box, "c.csv", NULL);
    assert_string_equal(after, before);
    free(before);
    free(after);
}

static void the_side_file_describes_every_column(void **state)
{
    test_sandbox *box = *state;
    write_both(box);
    char *text = test_read_file(box, "a.csv.json", NULL);
    assert_non_null(text);
    json_t *side = json_loads(text, 0, NULL);
    assert_non_null(side);
    json_t *columns = json_object_get(side, "columns");
    assert_int_equal(json_array_size(columns), 6);
    json_t *time = json_array_get(columns, 0), *u = json_array_get(columns, 1);
    assert_string_equal(json_string_value(json_object_get(time, "unit")), "s");
    assert_string_equal(json_string_value(json_object_get(u, "name")), "Gain.u");
    assert_string_equal(json_string_value(json_object_get(u, "causality")), "input");
    assert_string_equal(json_string_value(json_object_get(u, "type")), "Float64");
    assert_string_equal(json_string_value(json_object_get(side, "results")), "a.csv");
    json_decref(side);
    free(text);
    test_run(box, "run", GAIN, "-o", "-", "--describe-results", NULL);
    assert_one_error(box, 2, "--describe-results needs a file");
}

// An independent judge, where there is one. That the bytes are right is tested everywhere, in
// tests/unit/record/test_mat.c.
static void scipy_reads_our_mat_files(void **state)
{
    test_sandbox *box = *state;
    const char *const pythons[] = {"python3", "/usr/bin/python3"};
    const char *python = NULL;
    for (int i = 0; i < 2 && !python; i++) {
        if (i && access(pythons[i], X_OK)) continue;
        test_run_program(box, pythons[i], "-c", "import scipy.io", NULL);
        if (box->exit_code == 0) python = pythons[i];
    }
    if (!python) {
        print_message("SciPy is not there: not checked\n");
        skip();
    }
    write_both(box);
    test_run_program(box, python, "-c",
                     "import csv, scipy.io\n"
                     "m = scipy.io.loadmat('a.mat', chars_as_strings=False)\n"
                     "names = [''.join(c).strip() for c in m['name'].T]\n"
                     "rows = list(csv.reader(open('a.csv')))\n"
                     "assert names == rows[0], names\n"
                     "assert ''.join(m['Aclass'][3]).strip() == 'binTrans'\n"
                     "for i, name in enumerate(names):\n"
                     "    where, at = m['dataInfo'][0][i], m['dataInfo'][1][i] - 1\n"
                     "    data = m['data_1' if where == 1 else 'data_2'][at]\n"
                     "    want = [float(r[i]) for r in rows[1:]]\n"
                     "    assert list(data) == ([want[0]] * 2 if where == 1 else want), name\n"
                     "assert list(m['data_1'][0]) == [0, 2]\n"
                     "assert 1 in m['dataInfo'][0]\n"
                     "print('same')\n",
                     NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "same");
}

static void rows_lie_exactly_on_the_output_grid(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "in.csv", "time,u\n0,0\n0.55,10\n0.55,20\n2,20\n");
    test_run(box, "run", GAIN, "--input-file", "in.csv", "--stop-time", "1", "--step-size", "0.2",
             "--output-interval", "0.25", "--record", "*.u", "-q", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "Gain.csv");
    const double expected[] = {0, 0.25, 0.5, 0.55, 0.55, 0.75, 1}; // the event twice
    assert_int_equal(r.n_rows, 7);
    for (int i = 0; i < 7; i++) assert_true(test_result_time(&r, i) == expected[i]);
    assert_near(test_result(&r, 3, "input.u"), 10, 1e-12);
    assert_near(test_result(&r, 4, "input.u"), 20, 0);
    test_results_clear(&r);
}

// 62 * 0.03 is a rounding error before 1.86: no step is left between them.
static void the_last_row_is_at_the_end_but_for_rounding(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "in.csv", "time,u\n0,0\n2,2\n");
    test_run(box, "run", GAIN, "--input-file", "in.csv", "--stop-time", "1.86", "--step-size",
             "0.1", "--step-control", "richardson", "--output-interval", "0.03", "-q", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "Gain.csv");
    assert_int_equal(r.n_rows, 63);
    assert_near(test_result_time(&r, 62), 1.86, 0);
    test_results_clear(&r);
}

static void folders_that_cannot_be_written_end_the_run_at_once(void **state)
{
    test_sandbox *box = *state;
    const char *const names[] = {"none/a.csv", "none/a.mat"};
    for (int i = 0; i < 2; i++) {
        test_run(box, "run", GAIN, "-o", names[i], NULL);
        assert_one_error(box, 1, "cannot create the file for results");
    }
}

// ---- plots ---------------------------------------------------------------------------------------

static void results_are_drawn(void **state)
{
    test_sandbox *box = *state;
    write_both(box);
    const char *const results[] = {"a.csv", "a.mat"};
    for (int i = 0; i < 2; i++) {
        test_run(box, "plot", results[i], "-o", "a.svg", "--column", "Gain.*", "--column",
                 "input.u", "--panel", "one", "--title", "A & B", NULL);
        assert_exit(box, 0);
        assert_string_equal(box->out, "Plot: a.svg\n");
        char *svg = test_read_file(box, "a.svg", NULL);
        assert_contains(svg, "A &amp; B");
        assert_int_equal(test_count(svg, "class=\"frame\""), 1);
        assert_contains(svg, ">Gain.y<");
        free(svg);
    }
    test_run(box, "plot", "a.csv", "-q", NULL);
    assert_exit(box, 0);
    assert_true(test_has_file(box, "a.svg"));
    test_run(box, "plot", "a.csv", "-o", "-", NULL);
    assert_exit(box, 0);
    assert_int_equal(strncmp(box->out, "<svg ", 5), 0);
    test_run(box, "plot", "a.csv", "--column", "Gain.z", NULL);
    assert_one_error(box, 2, "a.csv has no column 'Gain.z'; did you mean 'Gain.");
    test_run(box, "plot", "none.csv", NULL);
    assert_one_error(box, 3, "none.csv");
}

static void a_quiet_comparison_says_nothing_and_times_may_have_units(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "a.csv", "time,x\n0,0\n1,1\n");
    test_write_text(box, "b.csv", "time,x\n0,0\n1,1.01\n");
    test_run(box, "compare", "a.csv", "b.csv", "-q", NULL);
    assert_exit(box, 6);
    assert_string_equal(box->out, "");
    assert_string_equal(box->err, "");
    test_run(box, "compare", "a.csv", "a.csv", "--time-tolerance", "10ms", NULL);
    assert_exit(box, 0);
    test_run(box, "compare", "a.csv", "a.csv", "--time-tolerance", "10kg", NULL);
    assert_one_error(box, 2, "--time-tolerance: '10kg' is not a time from 0 on");
}

static void results_do_not_become_projects(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "a.csv", "time,x\n0,0\n");
    test_run(box, "convert", "a.csv", "a.ssd", NULL);
    assert_one_error(box, 2,
                     "a.ssd: results cannot become a project; write them as .csv, .tsv or .mat");
    assert_false(test_has_file(box, "a.ssd"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(a_quiet_comparison_says_nothing_and_times_may_have_units),
        test_in_sandbox(results_do_not_become_projects),
        test_in_sandbox(a_table_drives_the_inputs_of_an_fmu),
        test_in_sandbox(input_files_come_first_in_the_order_of_the_project),
        test_in_sandbox(wrong_columns_are_errors_with_suggestions),
        test_in_sandbox(columns_that_drive_nothing_are_listed_once),
        test_in_sandbox(tunable_parameters_follow_columns),
        test_in_sandbox(tunable_parameters_follow_outputs),
        test_in_sandbox(sources_have_a_number_in_every_row),
        test_in_sandbox(results_never_replace_the_table_that_drives_them),
        test_in_sandbox(results_replace_no_table_beside_fmus_that_are_integrated_together),
        test_in_sandbox(results_are_not_replaced_by_what_is_made_of_them),
        test_in_sandbox(input_files_are_tables_whatever_they_are_called),
        test_in_sandbox(tables_are_components_of_projects),
        test_in_sandbox(components_of_the_same_table_know_nothing_of_each_other),
        test_in_sandbox(the_type_of_a_component_makes_it_a_table),
        test_in_sandbox(csv_and_mat_hold_the_same),
        test_in_sandbox(differences_are_told_unless_silence_is_wanted),
        test_in_sandbox(results_are_converted_there_and_back),
        test_in_sandbox(the_side_file_describes_every_column),
        test_in_sandbox(scipy_reads_our_mat_files),
        test_in_sandbox(rows_lie_exactly_on_the_output_grid),
        test_in_sandbox(the_last_row_is_at_the_end_but_for_rounding),
        test_in_sandbox(folders_that_cannot_be_written_end_the_run_at_once),
        test_in_sandbox(results_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
