// SPDX-License-Identifier: MIT
#include "support/test.h"

#include <pthread.h>

#include "base/log.h"
#include "support/memory.h"

static void messages_keep_level_place_source_and_text(void **state)
{
    (void)state;
    test_log log;
    test_log_init(&log);
    takt_log_write(log.log, TAKT_LEVEL_INFO, "step %d", 3);
    takt_log_problem(log.log, TAKT_LEVEL_ERROR, "plant.ssd", 41, "unknown '%s'", "tank");
    takt_log_problem(log.log, TAKT_LEVEL_WARN, "plant.ssd", 0, "old");
    takt_log_relay(log.log, TAKT_LEVEL_DEBUG, "Tank (logAll)", "100% full: %s");
    assert_string_equal(log.text, "info: step 3\n"
                                  "error: plant.ssd:41: unknown 'tank'\n"
                                  "warn: plant.ssd: old\n"
                                  "debug: Tank (logAll): 100% full: %s\n");
    test_log_clear(&log);
}

static void count_lines(void *context, const takt_message *message)
{
    (void)message;
    ++*(int *)context;
}

static void hidden_errors_and_warnings_are_counted(void **state)
{
    (void)state;
    int n_seen = 0;
    takt_log *log = takt_log_create(TAKT_LEVEL_ERROR, count_lines, &n_seen);
    assert_true(takt_log_wants(log, TAKT_LEVEL_ERROR));
    assert_false(takt_log_wants(log, TAKT_LEVEL_WARN));
    takt_log_write(log, TAKT_LEVEL_ERROR, "a");
    takt_log_write(log, TAKT_LEVEL_WARN, "b");
    takt_log_problem(log, TAKT_LEVEL_WARN, "f", 1, "c");
    takt_log_write(log, TAKT_LEVEL_TRACE, "d");
    assert_int_equal(n_seen, 1);
    assert_int_equal(takt_log_count(log, TAKT_LEVEL_ERROR), 1);
    assert_int_equal(takt_log_count(log, TAKT_LEVEL_WARN), 2);
    takt_log_destroy(log);
}

static void doubts_are_warnings_that_are_counted(void **state)
{
    (void)state;
    test_log log;
    test_log_init(&log);
    takt_error err = {0};
    takt_log_write(log.log, TAKT_LEVEL_WARN, "harmless");
    assert_int_equal(takt_log_count_doubts(log.log), 0);
    assert_int_equal(takt_log_check_doubts(log.log, 0, "plant.ssd", &err), TAKT_OK);
    takt_log_doubt(log.log, "plant.ssd", 41, "loop '%s'", "tank");
    takt_log_doubt(log.log, NULL, 0, "unit");
    assert_string_equal(log.text, "warn: harmless\nwarn: plant.ssd:41: loop 'tank'\nwarn: unit\n");
    assert_int_equal(takt_log_count(log.log, TAKT_LEVEL_WARN), 3);
    assert_int_equal(takt_log_count_doubts(log.log), 2);
    assert_int_equal(takt_log_check_doubts(log.log, 2, "plant.ssd", &err), TAKT_OK);
    assert_int_equal(takt_log_check_doubts(log.log, 0, "plant.ssd", &err), TAKT_ERR_INPUT);
    assert_string_equal(err.message, "plant.ssd: 2 warnings say that results may be wrong, which "
                                     "--strict makes a failure");
    test_log_clear(&log);
}

static void hidden_doubts_are_named_by_the_failure(void **state)
{
    (void)state;
    takt_error err = {0};
    takt_log *log = takt_log_create(TAKT_LEVEL_ERROR, NULL, NULL);
    takt_log_doubt(log, "plant.ssd", 41, "loop");
    takt_log_doubt(log, NULL, 0, "unit");
    assert_int_equal(takt_log_check_doubts(log, 1, "plant.ssd", &err), TAKT_ERR_INPUT);
    assert_string_equal(err.message, "plant.ssd: 1 warning says that results may be wrong, which "
                                     "--strict makes a failure; the first: loop");
    takt_log_destroy(log);
    takt_log_doubt(NULL, NULL, 0, "a");
    assert_int_equal(takt_log_check_doubts(NULL, 0, "plant.ssd", &err), TAKT_OK);
}

static void no_log_and_no_receiver_are_fine(void **state)
{
    (void)state;
    takt_log_write(NULL, TAKT_LEVEL_ERROR, "a");
    takt_log_problem(NULL, TAKT_LEVEL_ERROR, "f", 1, "a");
    takt_log_relay(NULL, TAKT_LEVEL_ERROR, "s", "a");
    assert_false(takt_log_wants(NULL, TAKT_LEVEL_ERROR));
    assert_int_equal(takt_log_count(NULL, TAKT_LEVEL_ERROR), 0);
    takt_log_destroy(NULL);
    takt_log *log = takt_log_create(TAKT_LEVEL_TRACE, NULL, NULL);
    takt_log_write(log, TAKT_LEVEL_ERROR, "a");
    assert_int_equal(takt_log_count(log, TAKT_LEVEL_ERROR), 1);
    takt_log_destroy(log);
}

static void long_messages_are_cut_and_relayed_ones_are_not(void **state)
{
    (void)state;
    test_log log;
    test_log_init(&log);
    char text[10001];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    takt_log_write(log.log, TAKT_LEVEL_INFO, "%s", text);
    assert_in_range(log.length, 1000, 5000);
    size_t before = log.length;
    takt_log_relay(log.log, TAKT_LEVEL_INFO, "Tank", text);
    assert_true(log.length - before > 10000);
    test_log_clear(&log);
}

static void *write_many(void *log)
{
    for (int i = 0; i < 1000; i++) takt_log_write(log, TAKT_LEVEL_WARN, "w");
    return NULL;
}

static void messages_of_several_threads_come_one_at_a_time(void **state)
{
    (void)state;
    int n_seen = 0; // the receiver does not lock: a race would be seen by the thread sanitizer
    takt_log *log = takt_log_create(TAKT_LEVEL_TRACE, count_lines, &n_seen);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, write_many, log);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    assert_int_equal(n_seen, 4000);
    assert_int_equal(takt_log_count(log, TAKT_LEVEL_WARN), 4000);
    takt_log_destroy(log);
}

static void levels_have_names(void **state)
{
    (void)state;
    takt_level level = TAKT_LEVEL_INFO;
    for (int i = 0; i <= TAKT_LEVEL_TRACE; i++) {
        assert_int_equal(takt_level_find(takt_level_name((takt_level)i), &level), 1);
        assert_int_equal(level, i);
    }
    assert_int_equal(takt_level_find("loud", &level), 0);
    assert_int_equal(level, TAKT_LEVEL_TRACE);
    assert_string_equal(takt_level_name((takt_level)9), "unknown");
}

static void exhausted_memory_gives_no_log(void **state)
{
    (void)state;
    test_memory_fail(1);
    assert_null(takt_log_create(TAKT_LEVEL_INFO, NULL, NULL));
    test_memory_fail(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_keep_level_place_source_and_text),
        cmocka_unit_test(hidden_errors_and_warnings_are_counted),
        cmocka_unit_test(doubts_are_warnings_that_are_counted),
        cmocka_unit_test(hidden_doubts_are_named_by_the_failure),
        cmocka_unit_test(no_log_and_no_receiver_are_fine),
        cmocka_unit_test(long_messages_are_cut_and_relayed_ones_are_not),
        cmocka_unit_test(messages_of_several_threads_come_one_at_a_time),
        cmocka_unit_test(levels_have_names),
        cmocka_unit_test(exhausted_memory_gives_no_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
