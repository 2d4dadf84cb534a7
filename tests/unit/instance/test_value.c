// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "instance/value.h"
#include "support/memory.h"

static void every_type_has_a_name_and_a_kind(void **state)
{
    (void)state;
    assert_string_equal(takt_type_name(TAKT_FLOAT64), "Float64");
    assert_string_equal(takt_type_name(TAKT_BINARY), "Binary");
    assert_int_equal(takt_type_kind(TAKT_FLOAT32), TAKT_KIND_REAL);
    assert_int_equal(takt_type_kind(TAKT_BOOLEAN), TAKT_KIND_INTEGER);
    assert_int_equal(takt_type_kind(TAKT_ENUMERATION), TAKT_KIND_INTEGER);
    assert_int_equal(takt_type_kind(TAKT_STRING), TAKT_KIND_BYTES);
    for (int i = 0; i < TAKT_N_TYPES; i++) assert_non_null(takt_type_name((takt_type)i));
}

static void bytes_reuse_their_memory(void **state)
{
    (void)state;
    takt_bytes bytes = {0};
    assert_true(takt_bytes_assign(&bytes, "a longer text", 13));
    long before = test_memory_count();
    const char *memory = bytes.data;
    for (int i = 0; i < 100; i++) assert_true(takt_bytes_assign(&bytes, "short", 5));
    assert_true(takt_bytes_assign(&bytes, "a longer text", 13));
    assert_true(takt_bytes_assign(&bytes, NULL, 0));
    assert_int_equal(test_memory_count(), before);
    assert_ptr_equal(bytes.data, memory);
    assert_string_equal(bytes.data, "");
    assert_int_equal(bytes.size, 0);
    takt_bytes_clear(&bytes);
    assert_null(bytes.data);
}

static void bytes_may_hold_zeros_and_end_with_one(void **state)
{
    (void)state;
    takt_bytes a = {0}, b = {0}, empty = {0};
    assert_true(takt_bytes_assign(&a, "x\0y", 3));
    assert_true(takt_bytes_assign(&b, "x\0z", 3));
    assert_int_equal(a.data[3], 0);
    assert_false(takt_bytes_equal(&a, &b));
    assert_false(takt_bytes_equal(&a, &empty));
    assert_true(takt_bytes_assign(&b, "x\0y", 3));
    assert_true(takt_bytes_equal(&a, &b));
    assert_true(takt_bytes_assign(&b, "", 0));
    assert_true(takt_bytes_equal(&b, &empty));
    takt_bytes_clear(&a);
    takt_bytes_clear(&b);
}

static void bytes_that_cannot_grow_keep_their_value(void **state)
{
    (void)state;
    takt_bytes bytes = {0};
    assert_true(takt_bytes_assign(&bytes, "old", 3));
    char large[1000] = {0};
    test_memory_fail(1);
    assert_false(takt_bytes_assign(&bytes, large, sizeof large));
    test_memory_fail(0);
    assert_false(takt_bytes_assign(&bytes, large, SIZE_MAX));
    assert_string_equal(bytes.data, "old");
    assert_int_equal(bytes.size, 3);
    takt_bytes_clear(&bytes);
}

static void attempt_to_init(void *context)
{
    takt_values values;
    const int *n = context;
    bool ok = takt_values_init(&values, n);
    assert_int_equal(ok, !test_memory_has_failed());
    takt_values_clear(&values, n);
}

static void values_start_at_zero_and_survive_exhausted_memory(void **state)
{
    (void)state;
    const int n[TAKT_N_KINDS] = {2, 3, 1};
    takt_values values;
    assert_true(takt_values_init(&values, n));
    assert_true(values.real[1] == 0 && values.integer[2] == 0 && values.bytes[0].size == 0);
    const int first[TAKT_N_KINDS] = {1, 2, 0};
    takt_values inner = takt_values_from(&values, first);
    inner.integer[0] = 7;
    assert_int_equal(values.integer[2], 7);
    assert_true(takt_bytes_assign(&values.bytes[0], "text", 4));
    takt_values_clear(&values, n);
    takt_values_clear(&values, n);
    assert_int_equal(test_memory_fail_each(attempt_to_init, (void *)n), 3);
}

static void no_values_are_arrays_too(void **state)
{
    (void)state;
    const int n[TAKT_N_KINDS] = {0, 0, 0};
    takt_values values;
    assert_true(takt_values_init(&values, n));
    assert_true(values.real && values.integer && values.bytes);
    takt_values_clear(&values, n);
}

static bool read(takt_type type, const char *text, takt_value *out)
{
    takt_arena arena = {0};
    bool ok = takt_value_read(type, text, &arena, out);
    takt_arena_clear(&arena);
    return ok;
}

static void numbers_and_booleans_are_read(void **state)
{
    (void)state;
    takt_value value = {0};
    assert_true(read(TAKT_FLOAT64, "-1.5e3", &value) && value.real == -1500);
    assert_true(read(TAKT_INT32, "-7", &value) && value.integer == -7);
    assert_true(read(TAKT_ENUMERATION, "3", &value) && value.integer == 3);
    assert_true(read(TAKT_BOOLEAN, "true", &value) && value.integer == 1);
    assert_true(read(TAKT_BOOLEAN, "0", &value) && value.integer == 0);
    assert_true(read(TAKT_BOOLEAN, "1", &value) && value.integer == 1);
}

static void values_outside_of_their_type_are_refused(void **state)
{
    (void)state;
    static const struct {
        takt_type type;
        const char *good, *bad;
    } cases[] = {
        {TAKT_INT8, "-128", "128"},
        {TAKT_UINT8, "255", "-1"},
        {TAKT_INT16, "32767", "32768"},
        {TAKT_UINT16, "65535", "65536"},
        {TAKT_INT32, "-2147483648", "2147483648"},
        {TAKT_UINT32, "4294967295", "4294967296"},
        {TAKT_INT64, "-9223372036854775808", "9223372036854775808"},
        {TAKT_UINT64, "9223372036854775807", "-1"},
        {TAKT_INT32, "1", "1.5"},
        {TAKT_FLOAT64, "1", "1,5"},
        {TAKT_BOOLEAN, "false", "True"},
        {TAKT_BOOLEAN, "1", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        takt_value value = {.real = 5, .integer = 5};
        if (read(cases[i].type, cases[i].bad, &value)) fail_msg("%s was read", cases[i].bad);
        assert_true(value.real == 5 && value.integer == 5);
        if (!read(cases[i].type, cases[i].good, &value)) fail_msg("%s was not", cases[i].good);
    }
}

static void texts_are_copied(void **state)
{
    (void)state;
    takt_arena arena = {0};
    takt_value value = {0};
    char text[] = "hello";
    assert_true(takt_value_read(TAKT_STRING, text, &arena, &value));
    text[0] = 'j';
    assert_string_equal(value.text, "hello");
    assert_int_equal(value.size, 5);
    takt_arena_clear(&arena);
    test_memory_fail(1);
    assert_false(takt_value_read(TAKT_STRING, text, &arena, &value));
    test_memory_fail(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_has_a_name_and_a_kind),
        cmocka_unit_test(bytes_reuse_their_memory),
        cmocka_unit_test(bytes_may_hold_zeros_and_end_with_one),
        cmocka_unit_test(bytes_that_cannot_grow_keep_their_value),
        cmocka_unit_test(values_start_at_zero_and_survive_exhausted_memory),
        cmocka_unit_test(no_values_are_arrays_too),
        cmocka_unit_test(numbers_and_booleans_are_read),
        cmocka_unit_test(values_outside_of_their_type_are_refused),
        cmocka_unit_test(texts_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
