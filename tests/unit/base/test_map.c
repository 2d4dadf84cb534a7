// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "base/map.h"
#include "support/memory.h"

static void an_empty_map_finds_nothing(void **state)
{
    (void)state;
    takt_map map = {0};
    assert_int_equal(takt_map_find(&map, "x"), -1);
    takt_map_clear(&map);
}

static void many_names_are_found_again_and_others_are_not(void **state)
{
    (void)state;
    enum { N = 5000 };
    static char names[N][16];
    takt_map map = {0};
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "name%d", i);
        assert_int_equal(takt_map_find(&map, names[i]), -1);
        assert_true(takt_map_add(&map, names[i], i));
    }
    assert_int_equal(map.n_entries, N);
    for (int i = 0; i < N; i++) assert_int_equal(takt_map_find(&map, names[i]), i);
    assert_int_equal(takt_map_find(&map, "name5000"), -1);
    assert_int_equal(takt_map_find(&map, ""), -1);
    takt_map_clear(&map);
    assert_int_equal(takt_map_find(&map, "name0"), -1);
}

// Models that wrap another one have a copy of its maps.
static void copies_wherever_they_lie_find_the_same(void **state)
{
    (void)state;
    takt_map map = {0}, copies[64];
    static const char *const names[] = {"x", "y", "a", "b", "x0"};
    for (int i = 0; i < 5; i++) assert_true(takt_map_add(&map, names[i], i));
    for (int k = 0; k < 64; k++) {
        copies[k] = map;
        for (int i = 0; i < 5; i++) assert_int_equal(takt_map_find(&copies[k], names[i]), i);
    }
    takt_map_clear(&map);
}

static void names_are_compared_byte_by_byte(void **state)
{
    (void)state;
    takt_map map = {0};
    assert_true(takt_map_add(&map, "", 0));
    assert_true(takt_map_add(&map, "a", 1));
    assert_true(takt_map_add(&map, "A", 2));
    assert_true(takt_map_add(&map, "\xc3\xa4", 3));
    assert_int_equal(takt_map_find(&map, ""), 0);
    assert_int_equal(takt_map_find(&map, "a"), 1);
    assert_int_equal(takt_map_find(&map, "A"), 2);
    assert_int_equal(takt_map_find(&map, "\xc3\xa4"), 3);
    takt_map_clear(&map);
}

static void exhausted_memory_leaves_the_map_as_it_was(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    takt_map map = {0};
    test_memory_fail(1);
    assert_false(takt_map_add(&map, "a", 0));
    assert_int_equal(takt_map_find(&map, "a"), -1);
    for (int i = 0; i < 8; i++) assert_true(takt_map_add(&map, names[i], i));
    test_memory_fail(1); // the ninth name needs a larger table
    assert_false(takt_map_add(&map, names[8], 8));
    test_memory_fail(0);
    for (int i = 0; i < 8; i++) assert_int_equal(takt_map_find(&map, names[i]), i);
    assert_int_equal(takt_map_find(&map, names[8]), -1);
    assert_true(takt_map_add(&map, names[8], 8));
    assert_int_equal(takt_map_find(&map, names[8]), 8);
    takt_map_clear(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_finds_nothing),
        cmocka_unit_test(many_names_are_found_again_and_others_are_not),
        cmocka_unit_test(copies_wherever_they_lie_find_the_same),
        cmocka_unit_test(names_are_compared_byte_by_byte),
        cmocka_unit_test(exhausted_memory_leaves_the_map_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
