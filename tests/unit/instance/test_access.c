// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "instance/access.h"
#include "support/memory.h"

static takt_variable variables[] = {
    {.name = "s", .type = TAKT_STRING, .reference = 10},
    {.name = "x", .type = TAKT_FLOAT64, .reference = 11},
    {.name = "n", .type = TAKT_INT32, .reference = 12},
    {.name = "on", .type = TAKT_BOOLEAN, .reference = 13},
    {.name = "y", .type = TAKT_FLOAT64, .reference = 14},
    {.name = "m", .type = TAKT_INT32, .reference = 15},
};
static const takt_model model = {.variables = variables, .n_variables = 6};

static void variables_are_grouped_by_type_and_keep_their_order(void **state)
{
    (void)state;
    takt_arena arena = {0};
    takt_access access;
    takt_slot slots[6];
    const int wanted[] = {5, 4, 3, 2, 1, 0};
    assert_true(takt_access_create(&arena, &model, wanted, 6, &access, slots));
    assert_int_equal(access.n_batches, 4);
    assert_int_equal(access.n_values[TAKT_KIND_REAL], 2);
    assert_int_equal(access.n_values[TAKT_KIND_INTEGER], 3);
    assert_int_equal(access.n_values[TAKT_KIND_BYTES], 1);

    const takt_access_batch *reals = &access.batches[0], *integers = &access.batches[1];
    assert_int_equal(reals->type, TAKT_FLOAT64);
    assert_int_equal(reals->refs[0], 14);
    assert_int_equal(reals->refs[1], 11);
    assert_int_equal(integers->type, TAKT_INT32);
    assert_int_equal(integers->refs[0], 15);
    assert_int_equal(integers->refs[1], 12);
    assert_int_equal(access.batches[2].type, TAKT_BOOLEAN);
    assert_int_equal(access.batches[2].first, 2); // behind the other integers

    const takt_slot expected[] = {{TAKT_KIND_INTEGER, 0}, {TAKT_KIND_REAL, 0},
                                  {TAKT_KIND_INTEGER, 2}, {TAKT_KIND_INTEGER, 1},
                                  {TAKT_KIND_REAL, 1},    {TAKT_KIND_BYTES, 0}};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(slots[i].kind, expected[i].kind);
        assert_int_equal(slots[i].index, expected[i].index);
        const takt_variable *found =
            takt_access_variable(&access, &model, slots[i].kind, slots[i].index);
        assert_ptr_equal(found, &variables[wanted[i]]);
    }
    assert_null(takt_access_variable(&access, &model, TAKT_KIND_REAL, 2));
    takt_arena_clear(&arena);
}

static void an_access_to_nothing_is_empty(void **state)
{
    (void)state;
    takt_arena arena = {0};
    takt_access access;
    assert_true(takt_access_create(&arena, &model, NULL, 0, &access, NULL));
    assert_int_equal(access.n_batches, 0);
    assert_null(takt_access_variable(&access, &model, TAKT_KIND_REAL, 0));
    takt_arena_clear(&arena);
}

static void attempt_to_create(void *context)
{
    (void)context;
    takt_arena arena = {0};
    takt_access access = {.n_batches = 77};
    const int wanted[] = {0, 1, 2};
    bool ok = takt_access_create(&arena, &model, wanted, 3, &access, NULL);
    assert_int_equal(ok, !test_memory_has_failed());
    assert_int_equal(access.n_batches, ok ? 3 : 77);
    takt_arena_clear(&arena);
}

static void exhausted_memory_is_reported(void **state)
{
    (void)state;
    assert_true(test_memory_fail_each(attempt_to_create, NULL) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_grouped_by_type_and_keep_their_order),
        cmocka_unit_test(an_access_to_nothing_is_empty),
        cmocka_unit_test(exhausted_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
