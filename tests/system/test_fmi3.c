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

static void sizes_of_arrays_cannot_be_changed(void **state)
{
    test_sandbox *box = *state;
    write_pair(box, "Arrays_fmi3", "Arrays_fmi3", CONNECT("y", "u"));
    test_run(box, "run", "pair.ssd", "--stop-time", "1", "--set", "A.n=4", NULL);
    assert_true(box->exit_code != 0);
    assert_contains(box->err, "structural parameter 'n' cannot be set to 4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(clocks_tick_from_one_fmu_to_another),
        test_in_sandbox(steps_larger_than_the_time_between_ticks_lose_none),
        test_in_sandbox(arrays_are_connected_as_a_whole_and_in_parts),
        test_in_sandbox(sizes_of_arrays_cannot_be_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
