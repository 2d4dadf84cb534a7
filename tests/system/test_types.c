// SPDX-License-Identifier: MIT
// Values of all types travel through connections, start values and results unchanged.
#include "support/results.h"
#include "support/ssd.h"

#define CONNECTORS                                                                                 \
    "in:real_in in:integer_in:Integer in:boolean_in:Boolean in:string_in:String "                  \
    "in:enumeration_in:Enumeration out:real_out out:integer_out:Integer out:boolean_out:Boolean "  \
    "out:string_out:String out:enumeration_out:Enumeration"

static void write_chain(test_sandbox *box)
{
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "A", "Passthrough", CONNECTORS);
    test_ssd_component(&ssd, "B", "Passthrough", CONNECTORS);
    test_ssd_connect(&ssd, "A.real_out", "B.real_in");
    test_ssd_connect(&ssd, "A.integer_out", "B.integer_in");
    test_ssd_connect(&ssd, "A.boolean_out", "B.boolean_in");
    test_ssd_connect(&ssd, "A.string_out", "B.string_in");
    test_ssd_connect(&ssd, "A.enumeration_out", "B.enumeration_in");
    test_ssd_write(&ssd, box, "chain.ssd", 0, 1, "step-size=\"0.5\"");
}

static void values_of_all_types_pass_through_connections(void **state)
{
    test_sandbox *box = *state;
    write_chain(box);
    const char *const algorithms[] = {"jacobi", "seidel", "auto"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        test_run(box, "run", "chain.ssd", "--algorithm", algorithms[i], "--set", "A.real_in=0.1",
                 "--set", "A.integer_in=-7", "--set", "A.boolean_in=true", "--set",
                 "A.string_in=Grüße, \"Welt\"", "--set", "A.enumeration_in=5", NULL);
        assert_exit(box, 0);
        char *csv = test_read_file(box, "chain.csv", NULL);
        assert_non_null(csv);
        assert_contains(csv, "\n1,0.1,-7,1,\"Grüße, \"\"Welt\"\"\",5,0.1,-7,1,"
                             "\"Grüße, \"\"Welt\"\"\",5\n");
        free(csv);
        test_results r;
        test_results_read(&r, box, "chain.csv");
        assert_int_equal(r.n_rows, 3);
        assert_near(test_result(&r, 0, "B.integer_out"), -7, 0);
        assert_near(test_result(&r, 0, "B.boolean_out"), 1, 0);
        assert_near(test_result(&r, 0, "B.enumeration_out"), 5, 0);
        test_results_clear(&r);
    }
}

static void start_values_of_the_fmu_are_used_when_none_are_given(void **state)
{
    test_sandbox *box = *state;
    write_chain(box);
    test_run(box, "run", "chain.ssd", NULL);
    assert_exit(box, 0);
    char *csv = test_read_file(box, "chain.csv", NULL);
    assert_contains(csv, "\n1,0,0,0,\"start & <text>\",1,0,0,0,\"start & <text>\",1\n");
    free(csv);
}

static void values_that_do_not_fit_the_type_are_refused(void **state)
{
    test_sandbox *box = *state;
    write_chain(box);
    const char *const wrong[] = {"A.integer_in=1.5", "A.integer_in=99999999999",
                                 "A.boolean_in=maybe", "A.real_in=1,5", "A.enumeration_in=quick"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        test_run(box, "run", "chain.ssd", "--set", wrong[i], NULL);
        assert_one_error(box, 2, strchr(wrong[i], '=') + 1);
    }
    assert_false(test_has_file(box, "chain.csv"));
}

static void enumerations_can_be_set_by_the_name_of_an_item(void **state)
{
    test_sandbox *box = *state;
    write_chain(box);
    test_run(box, "run", "chain.ssd", "--set", "A.enumeration_in=fast", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "chain.csv");
    assert_near(test_result(&r, 0, "B.enumeration_out"), 5, 0);
    test_results_clear(&r);
    test_run(box, "run", "chain.ssd", "--set", "A.enumeration_in=quick", NULL);
    assert_one_error(box, 2,
                     "'quick' is not a value of type Enumeration; its items are 'off' (1), "
                     "'slow' (2), 'fast' (5)");
}

static void connections_between_unlike_types_are_refused(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "A", "Passthrough", CONNECTORS);
    test_ssd_component(&ssd, "B", "Passthrough", CONNECTORS);
    test_ssd_connect(&ssd, "A.string_out", "B.real_in");
    test_ssd_connect(&ssd, "A.boolean_out", "B.string_in");
    test_ssd_write(&ssd, box, "chain.ssd", 0, 1, "step-size=\"0.5\"");
    test_run(box, "check", "chain.ssd", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "string_out");
    assert_contains(box->err, "real_in");
    assert_string_equal(box->out, "chain.ssd: 2 errors\n");
}

static void discrete_outputs_are_recorded(void **state)
{
    test_sandbox *box = *state;
    test_run(box, TEST_FMUS "/Counter.fmu", "--stop-time", "6", "--step-size", "1", NULL);
    assert_exit(box, 0);
    char *csv = test_read_file(box, "Counter.csv", NULL);
    assert_string_equal(csv, "time,Counter.count,Counter.is_even,Counter.amount,Counter.text\n"
                             "0,0,1,1,\"none\"\n"
                             "1,1,0,2,\"few\"\n"
                             "2,2,1,2,\"few\"\n"
                             "3,3,0,2,\"few\"\n"
                             "4,4,1,2,\"few\"\n"
                             "5,5,0,3,\"many\"\n"
                             "6,6,1,3,\"many\"\n");
    free(csv);
}

// ---- enumerations in tables ------------------------------------------------------------------------

static void tables_may_name_the_items_of_enumerations(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "in.csv", "time,enumeration_in\n0,off\n1,slow\n2,fast\n");
    test_run(box, "run", TEST_FMUS "/Passthrough.fmu", "--input-file", "in.csv", "--step-size", "1",
             "--stop-time", "3", "--record", "Passthrough.enumeration_out", "-q", "-o", "-", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    assert_string_equal(box->out, "time,Passthrough.enumeration_out\n"
                                  "0,1\n1,1\n1,2\n2,2\n2,5\n3,5\n");
}

static void names_that_are_no_items_are_refused(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "in.csv", "time,enumeration_in\n0,off\n1,Slow\n2,fast\n");
    test_run(box, "run", TEST_FMUS "/Passthrough.fmu", "--input-file", "in.csv", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "in.csv: column 'enumeration_in' at t = 1 s: the enumeration 'Mode' "
                              "has no item 'Slow'");
}

// Both enumerations have "off" and "fast" with the same numbers, but only that of B has "back".
static void a_column_gives_one_number_to_a_name(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "in.csv", "time,mode\n0,off\n1,fast\n");
    test_write_text(box, "other.csv", "time,mode\n0,off\n1,back\n");
    static const struct {
        const char *table, *message;
        int exit;
    } cases[] = {
        {"./in.csv", "", 0},
        {"./other.csv", "the enumeration 'Mode' has no item 'back'", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_ssd ssd = {0};
        test_ssd_component(&ssd, "A", "Passthrough", "in:enumeration_in:Enumeration");
        test_ssd_component(&ssd, "B", "Types3_fmi3", "in:enumeration_in:Enumeration");
        test_ssd_component(&ssd, "T", cases[i].table, "out:mode:Enumeration");
        test_ssd_connect(&ssd, "T.mode", "A.enumeration_in");
        test_ssd_connect(&ssd, "T.mode", "B.enumeration_in");
        test_ssd_write(&ssd, box, "two.ssd", 0, 2, "step-size=\"1\"");
        test_run(box, "run", "two.ssd", "-q", "--record", "*.enumeration_in", NULL);
        assert_exit(box, cases[i].exit);
        assert_contains(box->err, cases[i].message);
    }
}

#define ARRAYS TEST_FMUS "/Arrays_fmi3.fmu"

// As other tools write the inputs of array variables, with commas or points, of one dimension or two, whole numbers and truth values.
static void a_cell_may_hold_the_elements_of_an_array(void **state)
{
    static const char *const tables[] = {
        "time,u,i_in,b_in\n0,1 2.5 3,1 2 3 4 5 6,1 0 1\n1,2  3.5\t4,1 2 3 4 5 7,0 0 1\n",
        "Time [s];u;i_in;b_in\n0;1 2,5 3;1 2 3 4 5 6;1 0 1\n1;2 3,5 4;1 2 3 4 5 7;0 0 1\n",
        ("\"t\",\"u\",\"i_in\",\"b_in\"\n\"0\",\"1 2.5 3\",\"1 2 3 4 5 6\",\"1 0 1\"\n"
         "1,2 3.5 4,1 2 3 4 5 7,0 0 1\n")};
    test_sandbox *box = *state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        test_write_text(box, "in.csv", tables[i]);
        test_run(box, "run", ARRAYS, "--input-file", "in.csv", "--step-size", "0.5", "-q", "-o",
                 "r.csv", "--record", "Arrays_fmi3.*_out*", "--record", "Arrays_fmi3.u*", NULL);
        assert_exit(box, 0);
        assert_string_equal(box->err, "");
        test_results r;
        test_results_read(&r, box, "r.csv");
        assert_near(test_result(&r, 1, "Arrays_fmi3.u[2]"), 3, 1e-15); // between the rows
        assert_near(test_result(&r, r.n_rows - 1, "Arrays_fmi3.u[3]"), 4, 0);
        assert_int_equal(test_result(&r, 1, "Arrays_fmi3.i_out[2,1]"), 3);
        assert_int_equal(test_result(&r, r.n_rows - 1, "Arrays_fmi3.i_out[3,2]"), 7);
        assert_int_equal(test_result(&r, 1, "Arrays_fmi3.b_out[1]"), 1);
        assert_int_equal(test_result(&r, r.n_rows - 1, "Arrays_fmi3.b_out[1]"), 0);
        test_results_clear(&r);
    }
    test_run(box, "new", "p.ssd", "--add", "T=in.csv", "--add", "A=" ARRAYS, "--connect", "T.u=A.u",
             NULL);
    assert_exit(box, 0);
    test_run(box, "run", "p.ssd", "--stop-time", "1", "-q", "-o", "r.csv", "--record", "*", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_near(test_result(&r, r.n_rows - 1, "A.u[2]"), 3.5, 0);
    test_results_clear(&r);
}

static void cells_that_are_no_array_of_the_input_are_refused(void **state)
{
    static const struct {
        const char *fmu, *table, *message;
    } cases[] = {
        {ARRAYS, "time,u\n0,1 2 3\n1,1 2\n", "in.csv:3: error: column 'u': '1 2' has not as many"},
        {ARRAYS, "time,u\n0,1 2 3\n1,1 2 3 4\n", "in.csv:3: error: column 'u': '1 2 3 4' has not"},
        {ARRAYS, "time,u\n0,1 2 3\n1,1 2 x\n", "has an element that is not a number"},
        {ARRAYS, "time,u\n0,1 2 3\n1,1 2 nan\n", "has an element that is not a number"},
        {ARRAYS, "time,u\n0,1 2\n1,1 2\n", "input.u has 2 elements, but Arrays_fmi3.u has 3"},
        {ARRAYS, "time,u,u[1]\n0,1 2 3,4\n", "there are two columns 'u[1]'"},
        // A thousand as some write it.
        {TEST_FMUS "/Gain.fmu", "time,u\n0,1 000\n1,2 000\n", "input.u has 2 elements, but Gain.u"},
        {TEST_FMUS "/Gain.fmu", "time,u\n0,1000\n1,2 000\n", "'2 000' is not a number"},
    };
    test_sandbox *box = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_write_text(box, "in.csv", cases[i].table);
        test_run(box, "run", cases[i].fmu, "--input-file", "in.csv", "-q", "-o", "r.csv", NULL);
        assert_exit(box, 3);
        assert_contains(box->err, cases[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(values_of_all_types_pass_through_connections),
        test_in_sandbox(start_values_of_the_fmu_are_used_when_none_are_given),
        test_in_sandbox(values_that_do_not_fit_the_type_are_refused),
        test_in_sandbox(enumerations_can_be_set_by_the_name_of_an_item),
        test_in_sandbox(connections_between_unlike_types_are_refused),
        test_in_sandbox(discrete_outputs_are_recorded),
        test_in_sandbox(tables_may_name_the_items_of_enumerations),
        test_in_sandbox(names_that_are_no_items_are_refused),
        test_in_sandbox(a_column_gives_one_number_to_a_name),
        test_in_sandbox(a_cell_may_hold_the_elements_of_an_array),
        test_in_sandbox(cells_that_are_no_array_of_the_input_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
