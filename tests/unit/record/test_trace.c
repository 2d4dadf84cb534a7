// SPDX-License-Identifier: MIT
#include "support/test.h"

#include <jansson.h>
#include <pthread.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/trace.h"
#include "support/memory.h"

static char path[256];

static takt_observer *open_trace(void)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/trace-%ld.json", folder ? folder : "/tmp", (long)getpid());
    takt_observer *trace = NULL;
    takt_error err = {0};
    assert_int_equal(takt_trace_open(path, &trace, &err), TAKT_OK);
    return trace;
}

static void report(takt_observer *trace, takt_activity activity, const char *instance,
                   uint64_t begin)
{
    takt_span span = {activity, instance, 0.5, begin, takt_ticks()};
    trace->type->span(trace, &span);
}

static json_t *close_and_read(takt_observer *trace)
{
    takt_error err = {0};
    assert_int_equal(trace->type->finish(trace, &err), TAKT_OK);
    trace->type->destroy(trace);
    json_error_t problem;
    json_t *events = json_load_file(path, JSON_REJECT_DUPLICATES, &problem);
    if (!events) fail_msg("line %d: %s", problem.line, problem.text);
    unlink(path);
    return events;
}

static const char *name_of(const json_t *event)
{
    return json_string_value(json_object_get(event, "name"));
}

static double number_of(const json_t *event, const char *key)
{
    return json_number_value(json_object_get(event, key));
}

static void an_empty_trace_is_valid(void **state)
{
    (void)state;
    json_t *events = close_and_read(open_trace());
    assert_int_equal(json_array_size(events), 1); // the name of the process
    json_decref(events);
}

static void spans_become_complete_events_that_nest(void **state)
{
    (void)state;
    takt_observer *trace = open_trace();
    uint64_t begin = takt_ticks();
    for (int i = 0; i < 3; i++) report(trace, TAKT_ACTIVITY_DO_STEP, "a", takt_ticks());
    report(trace, TAKT_ACTIVITY_STEP, NULL, begin);
    json_t *events = close_and_read(trace);
    assert_int_equal(json_array_size(events), 6);
    const json_t *step = json_array_get(events, 5);
    assert_string_equal(name_of(step), "step");
    double from = number_of(step, "ts"), to = from + number_of(step, "dur");
    for (size_t i = 2; i < 5; i++) {
        const json_t *call = json_array_get(events, i);
        assert_string_equal(name_of(call), "a: doStep");
        assert_string_equal(json_string_value(json_object_get(call, "ph")), "X");
        assert_near(number_of(json_object_get(call, "args"), "t"), 0.5, 0);
        assert_true(number_of(call, "ts") >= from);
        assert_true(number_of(call, "ts") + number_of(call, "dur") <= to + 1e-9);
        from = number_of(call, "ts"); // in the order of time
    }
    json_decref(events);
}

static void durations_are_microseconds(void **state)
{
    (void)state;
    takt_observer *trace = open_trace();
    uint64_t begin = takt_ticks();
    double clock = takt_clock();
    usleep(50000);
    report(trace, TAKT_ACTIVITY_INITIALIZE, NULL, begin);
    double us = 1e6 * (takt_clock() - clock);
    json_t *events = close_and_read(trace);
    assert_near(number_of(json_array_get(events, 2), "dur"), us, 0.02 * us);
    json_decref(events);
}

static void names_with_quotes_and_control_characters_are_escaped(void **state)
{
    (void)state;
    takt_observer *trace = open_trace();
    report(trace, TAKT_ACTIVITY_GET, "a\"b\\c\n\x01\xc3\xa4", takt_ticks());
    json_t *events = close_and_read(trace);
    assert_string_equal(name_of(json_array_get(events, 2)), "a\"b\\c\n\x01\xc3\xa4: get");
    json_decref(events);
}

enum { N_SPANS = 20000 };

static void *report_many(void *trace)
{
    for (int i = 0; i < N_SPANS; i++) report(trace, TAKT_ACTIVITY_SET, "worker", takt_ticks());
    return NULL;
}

static void several_threads_can_report_and_nothing_is_lost(void **state)
{
    (void)state;
    takt_observer *trace = open_trace();
    report(trace, TAKT_ACTIVITY_STEP, NULL, takt_ticks());
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, report_many, trace), 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    json_t *events = close_and_read(trace);
    int n_of[4] = {0};
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        if (strcmp(json_string_value(json_object_get(event, "ph")), "X") != 0) continue;
        double thread = number_of(event, "tid");
        assert_true(thread >= 1 && thread <= 3);
        n_of[(int)thread]++;
    }
    assert_int_equal(n_of[1], 1);
    assert_int_equal(n_of[2] + n_of[3], 2 * N_SPANS);
    assert_true(n_of[2] == N_SPANS ||
                n_of[3] == 0); // a thread may get the number of one that ended
    json_decref(events);
}

static void spans_cost_no_allocation(void **state)
{
    (void)state;
    takt_observer *trace = open_trace();
    long before = test_memory_count();
    for (int i = 0; i < 1000; i++) report(trace, TAKT_ACTIVITY_SET, "a", takt_ticks());
    assert_int_equal(test_memory_count(), before);
    json_decref(close_and_read(trace));
}

static void a_file_that_cannot_be_written_fails_at_once(void **state)
{
    (void)state;
    takt_observer *trace = NULL;
    takt_error err = {0};
    assert_int_equal(takt_trace_open("/nowhere/t.json", &trace, &err), TAKT_ERR_OUTPUT);
    assert_string_equal(err.message,
                        "/nowhere/t.json: cannot create the file for the trace: No such file or "
                        "directory; choose another place with --trace");
    assert_int_equal(takt_trace_open("/dev/full", &trace, &err), TAKT_ERR_OUTPUT);
    assert_contains(err.message, "/dev/full: cannot write the trace: ");
    assert_contains(err.message, "free some space or choose another place with --trace");
    assert_null(trace);
}

static void attempt(void *context)
{
    (void)context;
    takt_observer *trace = NULL;
    takt_error err = {0};
    takt_status st = takt_trace_open("/dev/null", &trace, &err);
    if (st) assert_int_equal(st, TAKT_ERR_MEMORY);
    if (trace) trace->type->destroy(trace);
}

static void exhausted_memory_is_reported_and_cleaned_up(void **state)
{
    (void)state;
    assert_true(test_memory_fail_each(attempt, NULL) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_trace_is_valid),
        cmocka_unit_test(spans_become_complete_events_that_nest),
        cmocka_unit_test(durations_are_microseconds),
        cmocka_unit_test(names_with_quotes_and_control_characters_are_escaped),
        cmocka_unit_test(several_threads_can_report_and_nothing_is_lost),
        cmocka_unit_test(spans_cost_no_allocation),
        cmocka_unit_test(a_file_that_cannot_be_written_fails_at_once),
        cmocka_unit_test(exhausted_memory_is_reported_and_cleaned_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
