// SPDX-License-Identifier: MIT
// Values on the command line: every type, arrays, units, and what is said about wrong ones.
#include "support/results.h"

// The value of a column in the first row of a short run with one --set; fails if the run does.
static double set_and_read(test_sandbox *box, const char *fmu, const char *value,
                           const char *column)
{
    char path[500];
    snprintf(path, sizeof path, "%s/%s.fmu", TEST_FMUS, fmu);
    test_run(box, "run", path, "--set", value, "-o", "r.csv", "-q", "--stop-time", "0.01",
             "--record", column, NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    test_results r;
    test_results_read(&r, box, "r.csv");
    char name[100];
    snprintf(name, sizeof name, "%s.%s", fmu, column);
    double result = test_result(&r, 0, name);
    test_results_clear(&r);
    return result;
}

static void assert_refused(test_sandbox *box, const char *fmu, const char *value,
                           const char *message)
{
    char path[500];
    snprintf(path, sizeof path, "%s/%s.fmu", TEST_FMUS, fmu);
    test_run(box, "check", path, "--set", value, NULL);
    assert_exit(box, 2);
    assert_contains(box->err, message);
}

static void numbers_may_have_units_and_blanks(void **state)
{
    test_sandbox *box = *state;
    assert_near(set_and_read(box, "Thermostat", "lower=68 degF", "lower"), 20, 1e-12);
    assert_near(set_and_read(box, "Thermostat", "lower=293.15K", "lower"), 20, 1e-12);
    assert_near(set_and_read(box, "Thermostat", "lower=20 °C", "lower"), 20, 0);
    assert_near(set_and_read(box, "Thermostat", " k = 6 1/s ", "k"), 6, 0);
    assert_near(set_and_read(box, "Passthrough", "real_in=1e2cm", "real_out"), 1, 0);
    assert_near(set_and_read(box, "Passthrough", "integer_in= 7 ", "integer_out"), 7, 0);
    assert_near(set_and_read(box, "Passthrough", "enumeration_in= slow", "enumeration_out"), 2, 0);
}

static void arrays_take_lists_and_one_unit_for_all(void **state)
{
    test_sandbox *box = *state;
    assert_near(set_and_read(box, "Arrays_fmi3", "u=1 2 3", "y[3]"), 6, 0);
    assert_near(set_and_read(box, "Arrays_fmi3", "u=4", "y[3]"), 8, 0);
    assert_near(set_and_read(box, "Arrays_fmi3", "u[3]=5", "y[3]"), 10, 0);
    assert_refused(box, "Arrays_fmi3", "u=1 2", "u has 3 elements, but 2 values are given");
    assert_refused(box, "Arrays_fmi3", "u=1 2 3 cm",
                   "u[3] = 1 2 3 cm: the variable has no unit; write the number alone");
    assert_refused(box, "Arrays_fmi3", "u=1 x 3", "u[2]: 'x' is not a value of type Float64");
}

static void every_type_takes_its_whole_range(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", TEST_FMUS "/Types3_fmi3.fmu", "-q", "-o", "-", "--stop-time", "0.01",
             "--set", "uint64_in=18446744073709551615", "--set", "int64_in=-9223372036854775808",
             "--set", "binary_in=00fF", "--set", "string_in= a=b; ", NULL);
    assert_exit(box, 0);
    assert_contains(box->out,
                    ",-9223372036854775808,18446744073709551615,1,\" a=b; \",\"00ff\",1\n");
    test_run(box, "info", TEST_FMUS "/Types3_fmi3.fmu", NULL);
    assert_contains(box->out, "= 0001ff\n"); // bytes are shown as they are written
}

static void wrong_values_are_told_with_what_is_possible(void **state)
{
    test_sandbox *box = *state;
    static const char *const wrong[][2] = {
        {"int8_in=200", "write a whole number from -128 to 127"},
        {"uint64_in=-1", "write a whole number from 0 to 18446744073709551615"},
        {"boolean_in=True", "'True' is not a value of type Boolean; write true or false"},
        {"binary_in=0f0", "write bytes as two hexadecimal digits each, such as 00ff"},
        {"enumeration_in=fsat", "did you mean 'fast'?"},
        {"enumeration_in=quick", "its items are 'back' (-3), 'off' (1), 'fast' (5)"},
        {"float64_in=1,5", "write numbers with a decimal point"},
        {"float64_in=3 yd", "the unit 'yd' is not known; write 'm', 'km', 'dm', 'cm', 'mm'"},
        {"float64_in=3 K", "is measured in 'm', but the value is given in 'K'"},
        {"float64_inn=3", "did you mean 'float64_in'?"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused(box, "Types3_fmi3", wrong[i][0], wrong[i][1]);
    test_run(box, "check", TEST_FMUS "/Types3_fmi3.fmu", "--set", "enumeration_in=3", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "enumeration_in = 3 is no item of the enumeration; its items are");
}

static void values_keep_their_meaning_when_they_are_written(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "convert", TEST_FMUS "/Types3_fmi3.fmu", "t.ssd", "--set", "float64_in= 10cm",
             "--set", "uint64_in=18446744073709551615", "--set", "binary_in=00ff", "--set",
             "int8_in= 5", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "t.ssd", "-q", "-o", "-", "--stop-time", "0.01", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "0,0.10000000149011612,0.1,5,255,");
    assert_contains(box->out, ",18446744073709551615,1,\"start & <text>\",\"00ff\",1\n");
}

static void tables_are_converted_to_units_that_fmus_only_name(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "in.csv", "time,real_in [cm]\n0,100\n1,100\n");
    test_run(box, "run", TEST_FMUS "/Passthrough.fmu", "-q", "-o", "-", "--input-file", "in.csv",
             "--record", "real_out", "--stop-time", "0.01", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    assert_contains(box->out, "time,Passthrough.real_out\n0,1\n");
    test_run(box, "check", TEST_FMUS "/Passthrough.fmu", "--input-file", "in.csv", "--log-level",
             "info", NULL);
    assert_exit(box, 0);
    assert_contains(box->err,
                    "input.real_in to Passthrough.real_in: only the name of the unit 'm' is known; "
                    "it is taken for the common one: 'cm' times 0.01 plus 0 is 'm'\n");
}

static void misspelt_components_are_suggested_for_columns(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "in.csv", "time,Tnak.u\n0,1\n");
    test_write_text(box, "p.ssd",
                    "<SystemStructureDescription version='1.0' name='p' "
                    "xmlns='http://ssp-standard.org/SSP1/SystemStructureDescription'>"
                    "<System name='s'><Elements>"
                    "<Component name='Tank' source='" TEST_FMUS "/Gain.fmu'/>"
                    "<Component name='Pump' source='" TEST_FMUS "/Gain.fmu'/>"
                    "</Elements></System></SystemStructureDescription>");
    test_run(box, "check", "p.ssd", "--input-file", "in.csv", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "in.csv:1: error: no column drives anything: 'Tnak.u' (did you mean "
                              "'Tank'?); columns are named after COMPONENT.VARIABLE of an input or "
                              "tunable parameter");
}

static void misspelt_items_in_maps_are_suggested(void **state)
{
    test_sandbox *box = *state;
    test_write_text(
        box, "p.ssd",
        "<ssd:SystemStructureDescription version='1.0' name='p' "
        "xmlns:ssc='http://ssp-standard.org/SSP1/SystemStructureCommon' "
        "xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription'>"
        "<ssd:System name='s'><ssd:Elements>"
        "<ssd:Component name='A' source='" TEST_FMUS "/Passthrough.fmu'/>"
        "<ssd:Component name='B' source='" TEST_FMUS "/Passthrough.fmu'/>"
        "</ssd:Elements><ssd:Connections>\n<ssd:Connection startElement='A' "
        "startConnector='enumeration_out' endElement='B' endConnector='enumeration_in'>"
        "<ssc:EnumerationMappingTransformation><ssc:MapEntry source='of' target='fast'/>"
        "</ssc:EnumerationMappingTransformation></ssd:Connection>"
        "</ssd:Connections></ssd:System></ssd:SystemStructureDescription>");
    test_run(box, "check", "p.ssd", NULL);
    assert_exit(box, 3);
    assert_contains(box->err,
                    "p.ssd:2: error: the enumeration of A.enumeration_out has no item 'of'; "
                    "did you mean 'off'?");
}

static void misspelt_files_are_suggested(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "summer.ssv", "");
    test_write_text(box, "sumer.txt", "");
    test_run(box, "check", TEST_FMUS "/Gain.fmu", "--ssv", "sumer.ssv", NULL);
    assert_exit(box, 3);
    assert_contains(box->err,
                    "sumer.ssv: cannot be opened: No such file or directory; did you mean "
                    "'summer.ssv'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(numbers_may_have_units_and_blanks),
        test_in_sandbox(arrays_take_lists_and_one_unit_for_all),
        test_in_sandbox(every_type_takes_its_whole_range),
        test_in_sandbox(wrong_values_are_told_with_what_is_possible),
        test_in_sandbox(values_keep_their_meaning_when_they_are_written),
        test_in_sandbox(tables_are_converted_to_units_that_fmus_only_name),
        test_in_sandbox(misspelt_items_in_maps_are_suggested),
        test_in_sandbox(misspelt_files_are_suggested),
        test_in_sandbox(misspelt_components_are_suggested_for_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
