// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "base/memory.h"

static void memory_is_read_only_where_it_is(void **state)
{
    (void)state;
    char text[8] = "";
    assert_true(takt_memory_read(text, "hello", 6));
    assert_string_equal(text, "hello");
    assert_false(takt_memory_read(text, NULL, 1));
    assert_false(takt_memory_read(text, (const void *)8, 4));
    assert_string_equal(text, "hello");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_is_read_only_where_it_is)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
