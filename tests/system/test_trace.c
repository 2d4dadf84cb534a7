// SPDX-License-Identifier: MIT
// `takt run --trace`: the trace of a whole run agrees with its statistics.
#include "support/ssd.h"
#include "support/statistics.h"

static int count(const json_t *events, const char *name)
{
    int n = 0;
    for (size_t i = 0; i < json_array_size(events); i++)
        n += strcmp(test_word(json_array_get(events, i), "name"), name) == 0;
    return n;
}

static bool is_span(const json_t *event)
{
    return strcmp(test_word(event, "ph"), "X") == 0;
}

// Every call lies within a span of the run that comes later in the file, as spans are told at their end.
static void assert_calls_are_inside(const json_t *events)
{
    double from = 0, to = 0;
    int n_calls = 0;
    for (size_t i = json_array_size(events); i-- > 0;) {
        const json_t *event = json_array_get(events, i);
        if (!is_span(event)) continue;
        double begin = test_number(event, "ts"), end = begin + test_number(event, "dur");
        if (strcmp(test_word(event, "cat"), "run") == 0) {
            if (to > 0) assert_true(end <= from + 1e-6); // one after the other
            from = begin, to = end;
        } else {
            assert_true(begin >= from - 1e-6 && end <= to + 1e-6);
            n_calls++;
        }
    }
    assert_true(n_calls > 1000);
}

static void counts_are_those_of_the_statistics_and_spans_nest(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--trace", "t.json", "--stats", "s.json", "--algorithm",
             "fixed-point", NULL);
    assert_exit(box, 0);
    json_t *events = test_statistics_read(box, "t.json"), *s = test_statistics_read(box, "s.json");
    static const char *const calls[][2] = {{"do_step", "doStep"},
                                           {"get_state", "getState"},
                                           {"set_state", "setState"},
                                           {"set", "set"},
                                           {"get", "get"}};
    for (int part = 1; part <= 3; part++)
        for (int i = 0; i < 5; i++) {
            char member[64], name[64];
            snprintf(member, sizeof member, "instances/Part%d/%s/count", part, calls[i][0]);
            snprintf(name, sizeof name, "Part%d: %s", part, calls[i][1]);
            assert_near(count(events, name), test_number(s, member), 0);
        }
    assert_near(count(events, "step"), test_number(s, "steps"), 0);
    assert_near(count(events, "output"), 101, 0);
    assert_int_equal(count(events, "initialize"), 1);
    assert_calls_are_inside(events);
    json_decref(events);
    json_decref(s);
}

static void results_are_the_same_with_a_trace(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    test_run(box, "run", "lotka_volterra.ssd", "-o", "a.csv", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "lotka_volterra.ssd", "-o", "b.csv", "--trace", "t.json", NULL);
    assert_exit(box, 0);
    char *a = test_read_file(box, "a.csv", NULL), *b = test_read_file(box, "b.csv", NULL);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

static void a_trace_needs_a_file_of_its_own(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--trace", "-", NULL);
    assert_one_error(box, 2, "--trace needs the name of a file");
    test_run(box, "run", "math003.ssd", "--trace", "x", "--stats", "x", NULL);
    assert_one_error(box, 2, "--stats and --trace are the same file x; choose two");
    test_run(box, "run", "math003.ssd", "--trace", "/dev/full", NULL);
    assert_one_error(box, 1, "/dev/full: cannot write the trace: No space left on device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(counts_are_those_of_the_statistics_and_spans_nest),
        test_in_sandbox(results_are_the_same_with_a_trace),
        test_in_sandbox(a_trace_needs_a_file_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
