// SPDX-License-Identifier: MIT
// What only FMI 3.0 has, in coupled runs: clocks that tick from one FMU to another, and arrays.
#include "support/results.h"
#include "support/ssd.h"

static void write_pair(test_sandbox *box, const char *first, const char *second,
                       const char *connections)
{
    char text[4000];
    snprintf(text, sizeof text,
             "<ssd:SystemStructureDescription version='1.0' name='pair' "
             "xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription'>\n"
             "<ssd:System name='s'><ssd:Elements>\n"
             "<ssd:Component name='A' source='" TEST_FMUS "/%s.fmu'/>\n"
             "<ssd:Component name='B' source='" TEST_FMUS "/%s.fmu'/>\n"
             "</ssd:Elements><ssd:Connections>\n%s"
             "</ssd:Connections></ssd:System></ssd:SystemStructureDescription>\n",
             first, second, connections);
    test_write_text(box, "pair.ssd", text);
}

#define CONNECT(from, to)                                                                          \
    "<ssd:Connection startElement='A' startConnector='" from "' endElement='B' endConnector='" to  \
    "'/>\n"

// The last row of pair.csv, in memory of the caller.
static char *last_row(test_sandbox *box)
{
    char *text = test_read_file(box, "pair.csv", NULL);
    size_t length = strlen(text);
    assert_true(length > 1);
    text[length - 1] = 0;
    char *row = strdup(strrchr(text, '\n') + 1);
    free(text);
    return row;
}

static void clocks_tick_from_one_fmu_to_another(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "ClockSource_fmi3", "ClockCounter_fmi3",
               CONNECT("tick", "tick") CONNECT("number", "number"));
    test_run(box, "run", "pair.ssd", "--stop-time", "1.9", "--step-size", "0.1", "-q", NULL);
    assert_string_equal(box->err, "");
    assert_exit(box, 0);
    // Ticks at 0.25, 0.5, ..., 1.75 with the numbers 1, 4, ..., 49; samples at 0.25, 0.75, 1.25, 1.75.
    char *row = last_row(box);
    assert_string_equal(row, "1.9,0,49,7,140,4");
    free(row);
}

static void steps_larger_than_the_time_between_ticks_lose_none(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "ClockSource_fmi3", "ClockCounter_fmi3",
               CONNECT("tick", "tick") CONNECT("number", "number"));
    test_run(box, "run", "pair.ssd", "--stop-time", "1.95", "--step-size", "1.95", "--set",
             "A.period=0.1", "-q", NULL);
    assert_string_equal(box->err, "");
    assert_exit(box, 0);
    char *row = last_row(box);
    assert_string_equal(row, "1.95,0,361,19,2470,4");
    free(row);
}

// 19 * 0.1 is a little more than 1.9: the FMU announces its last tick behind the end.
static void a_tick_at_the_stop_time_is_not_lost(void **state)
{
    test_sandbox *box = *state;
    static const char *const sizes[] = {"0.1", "0.19", "0.3", "0.95", "1.9"};
    write_pair(box, "ClockSource_fmi3", "ClockCounter_fmi3",
               CONNECT("tick", "tick") CONNECT("number", "number"));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        test_run(box, "run", "pair.ssd", "--stop-time", "1.9", "--step-size", sizes[i], "--set",
                 "A.period=0.1", "-q", NULL);
        assert_string_equal(box->err, "");
        assert_exit(box, 0);
        char *row = last_row(box);
        assert_string_equal(row, "1.9,0,361,19,2470,4");
        free(row);
    }
}

static void clocks_tick_by_fractions_changes_and_countdowns(void **state)
{
    test_sandbox *box = *state;
    static const char *const sizes[] = {"0.1", "0.07", "2"};
    write_pair(box, "ClockTimer_fmi3", "ClockTimer_fmi3", "");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        test_run(box, "run", "pair.ssd", "--stop-time", "2", "--step-size", sizes[i], "--record",
                 "A.*s", "-q", NULL);
        assert_string_equal(box->err, "");
        assert_exit(box, 0);
        // 1/3 ... 6/3; 0.1, 0.3, 0.6, 1, 1.5; 0.05 s after each third.
        char *row = last_row(box);
        assert_string_equal(row, "2,6,5,5");
        free(row);
    }
}

// The loop A.y = k B.y + 1, B.y = A.y; after an event at 0.5 s A.y = -k B.y + 1, B.y = -A.y.
static void algebraic_loops_are_solved_in_event_mode(void **state)
{
    test_sandbox *box = *state;
    static const double gains[] = {-0.3, -3, 0.999};
    write_pair(box, "EventGain_fmi3", "EventGain_fmi3",
               CONNECT("y", "u") "<ssd:Connection startElement='B' startConnector='y' "
                                 "endElement='A' endConnector='u'/>\n");
    for (int i = 0; i < 3; i++) {
        char k[40];
        snprintf(k, sizeof k, "A.k=%g", gains[i]);
        test_run(box, "run", "pair.ssd", "--stop-time", "0.5", "--step-size", "0.1", "--algorithm",
                 "newton", "--set", k, "--set", "A.c=1", "-q", NULL);
        assert_string_equal(box->err, "");
        assert_exit(box, 0);
        char *row = last_row(box);
        double x = 0, y = 0;
        assert_int_equal(sscanf(row, "0.5,%lf,%lf", &x, &y), 2);
        assert_near(x, 1 / (1 - gains[i]), 1e-7 / fabs(1 - gains[i]));
        assert_near(y, -x, 1e-7 / fabs(1 - gains[i]));
        free(row);
    }
}

static void arrays_are_connected_as_a_whole_and_in_parts(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "Arrays_fmi3", "Arrays_fmi3",
               CONNECT("y", "u") CONNECT("f_out[2,1]", "f_in[1,2]") CONNECT("s_out[2]", "s_in[1]"));
    test_run(box, "run", "pair.ssd", "--stop-time", "1", "--step-size", "0.5", "--algorithm",
             "seidel", "--set", "A.u[2]=5", "--record", "B.y*", "--record", "B.f_out*", "--record",
             "B.s_out*", "-q", NULL);
    assert_string_equal(box->err, "");
    assert_exit(box, 0);
    char *row = last_row(box);
    assert_string_equal(row, "1,4,20,4,0.5,2.5,2.5,3.5,\"second\",\"second\"");
    free(row);
}

// A circle through different elements of the same arrays is none.
static void dependencies_of_elements_make_loops_smaller(void **state)
{
    test_sandbox *box = *state;
    static const char back[] = "<ssd:Connection startElement='B' startConnector='%s' "
                               "endElement='A' endConnector='u[2]'/>\n";
    char connections[1000];
    size_t n = (size_t)snprintf(connections, sizeof connections, "%s", CONNECT("y[1]", "u[1]"));
    snprintf(connections + n, sizeof connections - n, back, "y[1]");
    write_pair(box, "Arrays_fmi3", "Arrays_fmi3", connections);
    test_run(box, "graph", "pair.ssd", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "(loop)");
    assert_contains(box->out, "A.y[1] <- u[1]\n");
    assert_contains(box->out, "A.z[1] <- u[1], u[2], u[3]\n");
    assert_null(strstr(box->out, "algebraic"));
    snprintf(connections + n, sizeof connections - n, back, "z[1]");
    write_pair(box, "Arrays_fmi3", "Arrays_fmi3", connections);
    test_run(box, "graph", "pair.ssd", NULL);
    assert_null(strstr(box->out, "algebraic")); // A.y[1] does not depend on A.u[2]
    n = (size_t)snprintf(connections, sizeof connections, "%s", CONNECT("y[2]", "u[1]"));
    snprintf(connections + n, sizeof connections - n, back, "z[1]");
    write_pair(box, "Arrays_fmi3", "Arrays_fmi3", connections);
    test_run(box, "graph", "pair.ssd", NULL);
    assert_contains(box->out, "(loop, algebraic)");
}

static void structural_parameters_resize_arrays(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "Arrays_fmi3", "Arrays_fmi3", CONNECT("y", "u") CONNECT("i_out", "i_in"));
    test_run(box, "run", "pair.ssd", "--stop-time", "1", "--step-size", "0.5", "--algorithm",
             "seidel", "--set", "A.n=5", "--set", "B.n=5", "--set", "A.u=1 2 3 4 5", "--set",
             "B.rows=2", "--set", "A.i_in[5,2]=9", "--record", "B.y*", "--record", "B.z*",
             "--record", "B.i_out[5*", "--record", "A.n", "-q", NULL);
    assert_string_equal(box->err, "");
    assert_exit(box, 0);
    // After a change of sizes all elements of B.A begin with 7: z = 7 * 2 * (1 + 2 + 3 + 4 + 5).
    char *row = last_row(box);
    assert_string_equal(row, "1,5,4,8,12,16,20,210,210,0,9");
    free(row);
}

static void components_of_one_fmu_have_different_sizes(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "Arrays_fmi3", "Arrays_fmi3", CONNECT("z", "u"));
    test_run(box, "run", "pair.ssd", "--stop-time", "1", "--step-size", "0.5", "--algorithm",
             "seidel", "--set", "A.rows=1", "--set", "B.n=1", "--set", "A.A=1 10 100", "--record",
             "B.y*", "--record", "A.y*", "-q", NULL);
    assert_string_equal(box->err, "");
    assert_exit(box, 0);
    char *row = last_row(box);
    assert_string_equal(row, "1,2,2,2,222");
    free(row);
}

static void arrays_of_different_new_sizes_are_not_connected(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "Arrays_fmi3", "Arrays_fmi3", CONNECT("y", "u"));
    test_run(box, "check", "pair.ssd", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "pair.ssd", "--stop-time", "1", "--set", "A.n=4", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "A.y has 4 elements, but B.u has 3");
    test_run(box, "run", "pair.ssd", "--stop-time", "1", "--set", "A.n=4", "--set", "B.n=4",
             "--set", "A.u[5]=1", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "component 'A' has no variable 'u[5]'");
}

static void impossible_sizes_are_refused_before_the_run(void **state)
{
    test_sandbox *box = *state;
    static const struct {
        const char *set, *message;
    } cases[] = {
        {"A.n=9", "A.n = 9: "},
        {"A.n=9", "structural parameter 'n' cannot be 9: its greatest value is 8"},
        {"A.n=0", "Dimension: 'n' is 0; arrays without elements are not supported"},
        {"A.rows=0", "structural parameter 'rows' cannot be 0: its least value is 1"},
        {"A.n=-1", "A.n: '-1' is not a value of type UInt64"},
        {"A.n=many", "A.n: 'many' is not a value of type UInt64"},
        {"A.n=9223372036854775807", "cannot be 9223372036854775807: its greatest value is 8"},
        {"A.n=18446744073709551616", "is not a value of type UInt64"},
    };
    write_pair(box, "Arrays_fmi3", "Arrays_fmi3", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_run(box, "run", "pair.ssd", "--stop-time", "1", "--set", cases[i].set, NULL);
        assert_exit(box, 2);
        assert_contains(box->err, cases[i].message);
    }
}

static void nothing_is_connected_to_a_structural_parameter(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "Arrays_fmi3", "Arrays_fmi3", CONNECT("i_out[1,1]", "n"));
    test_run(box, "check", "pair.ssd", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "B.n is a structural parameter");
    assert_contains(box->err, "cannot be connected: give it a value by a parameter binding");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(clocks_tick_from_one_fmu_to_another),
        test_in_sandbox(steps_larger_than_the_time_between_ticks_lose_none),
        test_in_sandbox(a_tick_at_the_stop_time_is_not_lost),
        test_in_sandbox(clocks_tick_by_fractions_changes_and_countdowns),
        test_in_sandbox(algebraic_loops_are_solved_in_event_mode),
        test_in_sandbox(arrays_are_connected_as_a_whole_and_in_parts),
        test_in_sandbox(dependencies_of_elements_make_loops_smaller),
        test_in_sandbox(structural_parameters_resize_arrays),
        test_in_sandbox(components_of_one_fmu_have_different_sizes),
        test_in_sandbox(arrays_of_different_new_sizes_are_not_connected),
        test_in_sandbox(impossible_sizes_are_refused_before_the_run),
        test_in_sandbox(nothing_is_connected_to_a_structural_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
