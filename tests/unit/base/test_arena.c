// SPDX-License-Identifier: MIT
#include "support/test.h"

#include <limits.h>
#include <malloc.h>
#include <stdalign.h>

#include "base/arena.h"
#include "support/memory.h"

static void memory_is_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    takt_arena arena = {0};
    unsigned char *items[2000];
    for (int i = 0; i < 2000; i++) {
        size_t size = (size_t)(i * 7 % 97);
        if (i % 3 == 0) assert_non_null(takt_arena_copy(&arena, "odd")); // breaks the alignment
        items[i] = takt_arena_alloc(&arena, size);
        assert_non_null(items[i]);
        assert_int_equal((uintptr_t)items[i] % alignof(max_align_t), 0);
        for (size_t k = 0; k < size; k++) assert_int_equal(items[i][k], 0);
        memset(items[i], i & 0xff, size);
    }
    for (int i = 0; i < 2000; i++)
        for (size_t k = 0; k < (size_t)(i * 7 % 97); k++) assert_int_equal(items[i][k], i & 0xff);
    takt_arena_clear(&arena);
    assert_null(arena.chunks);
}

static void large_items_do_not_waste_the_current_chunk(void **state)
{
    (void)state;
    test_memory_use_chunks(1);
    takt_arena arena = {0};
    char *first = takt_arena_alloc(&arena, 16);
    char *large = takt_arena_alloc(&arena, 1 << 20);
    char *second = takt_arena_alloc(&arena, 16);
    assert_true(first && large && second);
    assert_int_equal(second - first, 16);
    memset(large, 1, 1 << 20);
    takt_arena_clear(&arena);
    test_memory_use_chunks(0);
}

static void a_small_arena_is_small_and_a_large_one_asks_seldom(void **state)
{
    (void)state;
    test_memory_use_chunks(1);
    takt_arena arena = {0};
    assert_non_null(takt_arena_alloc(&arena, 16));
    assert_in_range(malloc_usable_size(arena.chunks), 16, 1024);
    long before = test_memory_count();
    for (int i = 0; i < 10000; i++) assert_non_null(takt_arena_alloc(&arena, 16));
    assert_in_range(test_memory_count() - before, 1, 20);
    takt_arena_clear(&arena);
    test_memory_use_chunks(0);
}

static void in_tests_every_item_is_an_allocation_of_its_own(void **state)
{
    (void)state;
    takt_arena arena = {0};
    long before = test_memory_count();
    for (int i = 0; i < 100; i++) assert_non_null(takt_arena_alloc(&arena, (size_t)i));
    for (int i = 0; i < 100; i++) assert_non_null(takt_arena_copy(&arena, "x"));
    assert_int_equal(test_memory_count() - before, 200);
    takt_arena_clear(&arena);
}

static void nothing_is_still_something(void **state)
{
    (void)state;
    takt_arena arena = {0};
    assert_non_null(takt_arena_alloc(&arena, 0));
    assert_non_null(takt_arena_array(&arena, 0, 8));
    assert_non_null(takt_arena_array(&arena, 8, 0));
    takt_arena_clear(&arena);
    takt_arena_clear(&arena);
}

static void impossible_sizes_give_null(void **state)
{
    (void)state;
    takt_arena arena = {0};
    assert_null(takt_arena_alloc(&arena, SIZE_MAX));
    assert_null(takt_arena_array(&arena, SIZE_MAX / 2, 4));
    assert_null(takt_arena_array(&arena, 4, SIZE_MAX / 2));
    assert_null(takt_arena_copy_n(&arena, "", SIZE_MAX));
    takt_arena_clear(&arena);
}

static void texts_are_copied_and_printed(void **state)
{
    (void)state;
    takt_arena arena = {0};
    char source[] = "level";
    const char *copy = takt_arena_copy(&arena, source);
    const char *piece = takt_arena_copy_n(&arena, source, 2);
    const char *printed = takt_arena_print(&arena, "%s.%s[%d]", "Tank", source, 3);
    source[0] = 'X';
    assert_string_equal(copy, "level");
    assert_string_equal(piece, "le");
    assert_string_equal(printed, "Tank.level[3]");
    assert_string_equal(takt_arena_copy(&arena, ""), "");
    takt_arena_clear(&arena);
}

static void exhausted_memory_gives_null_and_leaves_the_arena_usable(void **state)
{
    (void)state;
    takt_arena arena = {0};
    test_memory_fail(1);
    assert_null(takt_arena_print(&arena, "%d", 1));
    assert_non_null(takt_arena_alloc(&arena, 8));
    test_memory_fail(1);
    assert_null(takt_arena_alloc(&arena, 100000));
    test_memory_fail(0);
    assert_non_null(takt_arena_alloc(&arena, 8));
    takt_arena_clear(&arena);
}

static void arrays_grow_zeroed_and_keep_their_items(void **state)
{
    (void)state;
    int *items = NULL, capacity = 0;
    for (int i = 0; i < 1000; i++) {
        assert_true(takt_grow(&items, i, &capacity, sizeof *items));
        assert_int_equal(items[i], 0);
        items[i] = i + 1;
    }
    for (int i = 0; i < 1000; i++) assert_int_equal(items[i], i + 1);
    assert_in_range(capacity, 1000, 2000);
    int before = capacity;
    test_memory_fail(1);
    assert_false(takt_grow(&items, capacity, &capacity, sizeof *items));
    test_memory_fail(0);
    assert_int_equal(capacity, before);
    assert_int_equal(items[999], 1000);
    free(items);
}

static void growth_beyond_the_range_of_int_is_refused(void **state)
{
    (void)state;
    char *items = NULL;
    int capacity = INT_MAX / 2 + 1;
    assert_false(takt_grow(&items, capacity, &capacity, 1));
    assert_null(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(large_items_do_not_waste_the_current_chunk),
        cmocka_unit_test(a_small_arena_is_small_and_a_large_one_asks_seldom),
        cmocka_unit_test(in_tests_every_item_is_an_allocation_of_its_own),
        cmocka_unit_test(nothing_is_still_something),
        cmocka_unit_test(impossible_sizes_give_null),
        cmocka_unit_test(texts_are_copied_and_printed),
        cmocka_unit_test(exhausted_memory_gives_null_and_leaves_the_arena_usable),
        cmocka_unit_test(arrays_grow_zeroed_and_keep_their_items),
        cmocka_unit_test(growth_beyond_the_range_of_int_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
