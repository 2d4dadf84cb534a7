// SPDX-License-Identifier: MIT
// Several runs at the same time share a cache of unpacked FMUs and do not disturb each other.
#include "support/results.h"
#include "support/ssd.h"

enum { N_RUNS = 4 };

static void runs_at_the_same_time_share_an_empty_cache(void **state)
{
    test_sandbox *first = *state;
    test_sandbox_empty_cache(first);
    void *boxes[N_RUNS] = {first};
    for (int i = 1; i < N_RUNS; i++) {
        assert_int_equal(test_sandbox_setup(&boxes[i]), 0);
        memcpy(((test_sandbox *)boxes[i])->cache, first->cache, sizeof first->cache);
    }
    for (int i = 0; i < N_RUNS; i++) {
        test_ssd_example(boxes[i], "math003");
        test_start(boxes[i], "run", "math003.ssd", NULL);
    }
    for (int i = 0; i < N_RUNS; i++) test_wait(boxes[i]);
    char *wanted = test_read_file(first, "math003.csv", NULL);
    assert_non_null(wanted);
    for (int i = 0; i < N_RUNS; i++) {
        assert_exit((test_sandbox *)boxes[i], 0);
        char *got = test_read_file(boxes[i], "math003.csv", NULL);
        assert_string_equal(got, wanted);
        free(got);
    }
    free(wanted);
    for (int i = 1; i < N_RUNS; i++) assert_int_equal(test_sandbox_teardown(&boxes[i]), 0);
}

static void second_run_uses_what_the_first_unpacked(void **state)
{
    test_sandbox *box = *state;
    test_sandbox_empty_cache(box);
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", NULL);
    assert_exit(box, 0);
    char *first = test_read_file(box, "math003.csv", NULL);
    test_run(box, "run", "math003.ssd", NULL);
    assert_exit(box, 0);
    char *second = test_read_file(box, "math003.csv", NULL);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void cache_that_cannot_be_written_is_no_riddle(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    snprintf(box->cache, sizeof box->cache, "/proc/nowhere");
    test_run(box, "run", "math003.ssd", NULL);
    // Either it works without a cache, or the message names the folder.
    if (box->exit_code != 0) assert_contains(box->err, "/proc/nowhere");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(runs_at_the_same_time_share_an_empty_cache),
        test_in_sandbox(second_run_uses_what_the_first_unpacked),
        test_in_sandbox(cache_that_cannot_be_written_is_no_riddle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
