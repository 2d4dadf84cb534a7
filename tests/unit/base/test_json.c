// SPDX-License-Identifier: MIT
// JSON: every allocation that fails is noticed, and nothing else is taken for one.
#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "support/memory.h"
#include "support/test.h"

// An optional text ("s*") is what the library leaves out without a word where it cannot be allocated.
static char *write_some(void)
{
    takt_json_begin();
    return takt_json_end(
        json_pack("{s:o, s:s*, s:i}", "name", takt_json_text("a\xff"), "unit", "m", "n", 1));
}

// Where the heap cannot grow at its end, malloc() finds memory elsewhere, and errno stays.
static void errno_of_allocations_that_succeed_is_no_failure(void **state)
{
    (void)state;
    takt_json_begin();
    json_t *all = json_object();
    errno = ENOMEM;
    assert_false(takt_json_has_failed());
    char *text = takt_json_end(all);
    assert_non_null(text);
    assert_string_equal(text, "{}");
    free(text);
}

static void attempt(void *context)
{
    (void)context;
    char *text = write_some();
    assert_int_equal(text == NULL, test_memory_has_failed() != 0);
    if (text)
        assert_string_equal(text, "{\n  \"name\": \"a_\",\n  \"unit\": \"m\",\n  \"n\": 1\n}");
    free(text);
}

static void exhausted_memory_is_noticed(void **state)
{
    (void)state;
    assert_true(test_memory_fail_each(attempt, NULL) >= 8);
    attempt(NULL); // what has failed before does not matter
}

// Those of the library itself, and functions that a program has given it before.
static void *allocate(size_t size)
{
    return malloc(size);
}

int main(void)
{
    json_set_alloc_funcs(allocate, free);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errno_of_allocations_that_succeed_is_no_failure),
        cmocka_unit_test(exhausted_memory_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
