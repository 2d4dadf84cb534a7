// SPDX-License-Identifier: MIT
// FMI 3.0: all types, arrays, structural parameters, and derivatives of arrays.
#include "support/raw_fmu.h"

#define UNPACKED TEST_FMUS ".unpacked"

static void initialization_mode(raw_fmu *f)
{
    assert_int_equal(f->fmi3EnterInitializationMode(f->c, false, 0, 0, false, 0), fmi3OK);
}

// Sets an input, steps are not needed, and reads the output.
#define PASS(f, type, name, sent)                                                                  \
    do {                                                                                           \
        fmi3ValueReference in = raw_reference(f, name "_in"), out = raw_reference(f, name "_out"); \
        fmi3##type value = sent, back = 0;                                                         \
        assert_int_equal((f)->fmi3Set##type((f)->c, &in, 1, &value, 1), fmi3OK);                   \
        assert_int_equal((f)->fmi3Get##type((f)->c, &out, 1, &back, 1), fmi3OK);                   \
        assert_memory_equal(&value, &back, sizeof value);                                          \
    } while (0)

static void every_type_passes_through(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Types3_fmi3");
    raw_start(&f);
    PASS(&f, Float32, "float32", -1.5e-38f);
    PASS(&f, Float64, "float64", 1e300);
    PASS(&f, Int8, "int8", INT8_MAX);
    PASS(&f, UInt8, "uint8", 200);
    PASS(&f, Int16, "int16", -1000);
    PASS(&f, UInt16, "uint16", 40000);
    PASS(&f, Int32, "int32", INT32_MAX);
    PASS(&f, UInt32, "uint32", 3000000000u);
    PASS(&f, Int64, "int64", INT64_MAX);
    PASS(&f, UInt64, "uint64", UINT64_MAX - 1);
    PASS(&f, Boolean, "boolean", false);
    PASS(&f, Int64, "enumeration", -3);
    raw_close(&f);
}

#define START(f, type, name, expected)                                                             \
    do {                                                                                           \
        fmi3ValueReference vr = raw_reference(f, name);                                            \
        fmi3##type value = 0, start = expected;                                                    \
        assert_int_equal((f)->fmi3Get##type((f)->c, &vr, 1, &value, 1), fmi3OK);                   \
        assert_memory_equal(&value, &start, sizeof value);                                         \
    } while (0)

static void start_values_are_there_after_instantiation(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Types3_fmi3");
    raw_instantiate(&f);
    START(&f, Float32, "float32_in", 0.1f);
    START(&f, Int8, "int8_in", -128);
    START(&f, UInt32, "uint32_in", UINT32_MAX);
    START(&f, Int64, "int64_in", INT64_MIN);
    START(&f, UInt64, "uint64_in", UINT64_MAX);
    START(&f, Boolean, "boolean_in", true);
    START(&f, Int64, "enumeration_in", 1);
    raw_set(&f, "float64_in", 4); // inputs may be set before initialization
    initialization_mode(&f);
    assert_true(raw_get(&f, "float64_out") == 4);
    raw_close(&f);
}

static void binaries_and_strings_are_copied(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Types3_fmi3");
    raw_start(&f);
    fmi3ValueReference in = raw_reference(&f, "binary_in"), out = raw_reference(&f, "binary_out");
    fmi3Binary value = NULL;
    size_t size = 99;
    assert_int_equal(f.fmi3GetBinary(f.c, &out, 1, &size, &value, 1), fmi3OK);
    assert_int_equal(size, 3);
    assert_memory_equal(value, "\0\1\xff", 3);
    fmi3Byte mine[] = {1, 0, 2, 0};
    value = mine;
    size = sizeof mine;
    assert_int_equal(f.fmi3SetBinary(f.c, &in, 1, &size, &value, 1), fmi3OK);
    memset(mine, 9, sizeof mine);
    assert_int_equal(f.fmi3GetBinary(f.c, &out, 1, &size, &value, 1), fmi3OK);
    assert_int_equal(size, 4);
    assert_memory_equal(value, "\1\0\2\0", 4);
    // Nothing at all is a value; NULL is not, unless there are no bytes.
    size = 0, value = NULL;
    assert_int_equal(f.fmi3SetBinary(f.c, &in, 1, &size, &value, 1), fmi3OK);
    assert_int_equal(f.fmi3GetBinary(f.c, &out, 1, &size, &value, 1), fmi3OK);
    assert_int_equal(size, 0);
    assert_non_null(value);
    size = 3, value = NULL;
    assert_int_equal(f.fmi3SetBinary(f.c, &in, 1, &size, &value, 1), fmi3Error);
    assert_contains(f.log, "the binary for variable 'binary_in' is NULL");
    assert_int_equal(f.fmi3SetBinary(f.c, &in, 1, NULL, &value, 1), fmi3Error);
    assert_contains(f.log, "the argument 'valueSizes' is NULL");

    fmi3ValueReference text = raw_reference(&f, "string_in");
    const char *string = NULL;
    assert_int_equal(f.fmi3SetString(f.c, &text, 1, &string, 1), fmi3Error);
    assert_contains(f.log, "the string for variable 'string_in' is NULL");
    raw_close(&f);
}

static void wrong_values_are_refused(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Types3_fmi3");
    raw_start(&f);
    fmi3ValueReference vr = raw_reference(&f, "int16_in");
    int16_t small = 1001;
    assert_int_equal(f.fmi3SetInt16(f.c, &vr, 1, &small, 1), fmi3Discard);
    assert_contains(f.log, "1001 is outside of the range of variable 'int16_in'");
    int8_t smaller = 1;
    assert_int_equal(f.fmi3SetInt8(f.c, &vr, 1, &smaller, 1), fmi3Error);
    assert_contains(f.log, "variable 'int16_in' (value reference 8) has type Int16, not Int8");
    vr = raw_reference(&f, "enumeration_in");
    int64_t wide = (INT64_C(1) << 32) + 1; // as an int it would be an item
    assert_int_equal(f.fmi3SetInt64(f.c, &vr, 1, &wide, 1), fmi3Discard);
    assert_contains(f.log, "4294967297 is no value of the enumeration 'Mode'");
    int32_t narrow = 1;
    assert_int_equal(f.fmi3SetInt32(f.c, &vr, 1, &narrow, 1), fmi3Error);
    double time = 3;
    vr = raw_reference(&f, "time");
    assert_int_equal(f.fmi3SetFloat64(f.c, &vr, 1, &time, 1), fmi3Error);
    assert_contains(f.log, "variable 'time' (local, continuous) cannot be set");
    vr++;
    assert_int_equal(f.fmi3GetFloat64(f.c, &vr, 1, &time, 1), fmi3Error);
    assert_contains(f.log, "there is no variable with value reference 29");
    raw_close(&f);
}

static void time_is_a_variable(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain_fmi3");
    raw_start(&f);
    assert_int_equal(raw_step(&f, 0, 0.125), fmi3OK);
    assert_true(raw_get(&f, "time") == 0.125);
    fmi3ValueReference vr[] = {raw_reference(&f, "time"), raw_reference(&f, "k")};
    double values[2];
    assert_int_equal(f.fmi3GetFloat64(f.c, vr, 2, values, 2), fmi3OK);
    assert_true(values[0] == 0.125 && values[1] == 1);
    raw_close(&f);
}

// ---- arrays ----------------------------------------------------------------------------------------

static void arrays_travel_one_behind_the_other(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Arrays_fmi3");
    raw_start(&f);
    fmi3ValueReference u = raw_reference(&f, "u");
    const double sent[] = {1, 10, 100};
    assert_int_equal(f.fmi3SetFloat64(f.c, &u, 1, sent, 3), fmi3OK);
    fmi3ValueReference vr[] = {raw_reference(&f, "y"), raw_reference(&f, "z"),
                               raw_reference(&f, "A")};
    double values[11];
    assert_int_equal(f.fmi3GetFloat64(f.c, vr, 3, values, 11), fmi3OK);
    const double expected[] = {2, 20, 200, 321, 654, 1, 2, 3, 4, 5, 6};
    assert_memory_equal(values, expected, sizeof expected);
    assert_int_equal(f.fmi3GetFloat64(f.c, vr, 3, values, 10), fmi3Error);
    assert_contains(f.log, "the variables have 11 values, but nValues is 10");
    assert_int_equal(f.fmi3SetFloat64(f.c, &u, 1, sent, 2), fmi3Error);
    raw_close(&f);
}

// i_in is used in 2 of the 3 columns that its field has.
static void matrix_with_room_to_spare_is_dense_outside(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Arrays_fmi3");
    raw_start(&f);
    fmi3ValueReference in = raw_reference(&f, "i_in"), out = raw_reference(&f, "i_out");
    int64_t sent[] = {1, 2, 3, 4, 5, 6}, back[6];
    assert_int_equal(f.fmi3SetInt64(f.c, &in, 1, sent, 6), fmi3OK);
    assert_int_equal(f.fmi3GetInt64(f.c, &out, 1, back, 6), fmi3OK);
    assert_memory_equal(sent, back, sizeof sent);
    sent[0] = 7, sent[5] = 1001; // one bad element spoils the call
    assert_int_equal(f.fmi3SetInt64(f.c, &in, 1, sent, 6), fmi3Discard);
    assert_int_equal(f.fmi3GetInt64(f.c, &in, 1, back, 6), fmi3OK);
    assert_int_equal(back[0], 1);
    raw_close(&f);
}

static void arrays_of_other_types_pass_through(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Arrays_fmi3");
    raw_start(&f);
    fmi3ValueReference b_in = raw_reference(&f, "b_in"), b_out = raw_reference(&f, "b_out");
    bool flags[] = {true, false, true}, back[3] = {false, true, false};
    assert_int_equal(f.fmi3SetBoolean(f.c, &b_in, 1, flags, 3), fmi3OK);
    assert_int_equal(f.fmi3GetBoolean(f.c, &b_out, 1, back, 3), fmi3OK);
    assert_memory_equal(flags, back, sizeof flags);

    fmi3ValueReference f_out = raw_reference(&f, "f_out");
    float floats[4];
    assert_int_equal(f.fmi3GetFloat32(f.c, &f_out, 1, floats, 4), fmi3OK);
    assert_true(floats[0] == 0.5f && floats[3] == 3.5f);

    fmi3ValueReference s_in = raw_reference(&f, "s_in"), s_out = raw_reference(&f, "s_out");
    const char *strings[2];
    assert_int_equal(f.fmi3GetString(f.c, &s_out, 1, strings, 2), fmi3OK);
    assert_string_equal(strings[1], "second");
    const char *swapped[] = {strings[1], strings[0]}; // texts of the FMU itself
    assert_int_equal(f.fmi3SetString(f.c, &s_in, 1, swapped, 2), fmi3OK);
    assert_int_equal(f.fmi3GetString(f.c, &s_out, 1, strings, 2), fmi3OK);
    assert_string_equal(strings[0], "second");
    assert_string_equal(strings[1], "first");

    fmi3ValueReference raw = raw_reference(&f, "raw_out");
    fmi3Binary binaries[2];
    size_t sizes[2];
    assert_int_equal(f.fmi3GetBinary(f.c, &raw, 1, sizes, binaries, 2), fmi3OK);
    assert_int_equal(sizes[1], 2);
    assert_memory_equal(binaries[1], "ab", 2);
    raw_close(&f);
}

static fmi3Status set_size(raw_fmu *f, const char *name, uint64_t value)
{
    fmi3ValueReference vr = raw_reference(f, name);
    return f->fmi3SetUInt64(f->c, &vr, 1, &value, 1);
}

static void structural_parameter_changes_arrays_in_configuration_mode(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Arrays_fmi3");
    raw_instantiate(&f);
    assert_int_equal(set_size(&f, "n", 5), fmi3Error);
    assert_contains(f.log, "variable 'n' (structuralParameter, fixed) cannot be set in the state "
                           "'instantiated'");
    assert_int_equal(f.fmi3EnterConfigurationMode(f.c), fmi3OK);
    assert_int_equal(set_size(&f, "n", 9), fmi3Discard);
    assert_contains(f.log, "9 is outside of the range of variable 'n'");
    assert_int_equal(set_size(&f, "n", 5), fmi3OK);
    fmi3ValueReference u = raw_reference(&f, "u");
    double five[] = {1, 2, 3, 4, 5};
    assert_int_equal(f.fmi3SetFloat64(f.c, &u, 1, five, 3), fmi3Error); // not now
    assert_int_equal(f.fmi3ExitConfigurationMode(f.c), fmi3OK);
    assert_int_equal(f.fmi3SetFloat64(f.c, &u, 1, five, 5), fmi3OK);
    initialization_mode(&f);
    fmi3ValueReference z = raw_reference(&f, "z");
    double values[2];
    assert_int_equal(f.fmi3GetFloat64(f.c, &z, 1, values, 2), fmi3OK);
    assert_true(values[0] == 7 * 15 &&
                values[1] == 7 * 15); // A begins with 7 when its size changes
    assert_int_equal(f.fmi3ExitInitializationMode(f.c), fmi3OK);
    raw_close(&f);
}

static void array_may_have_no_elements(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Arrays_fmi3");
    raw_instantiate(&f);
    f.fmi3EnterConfigurationMode(f.c);
    assert_int_equal(set_size(&f, "n", 0), fmi3OK);
    f.fmi3ExitConfigurationMode(f.c);
    initialization_mode(&f);
    fmi3ValueReference vr[] = {raw_reference(&f, "y"), raw_reference(&f, "z")};
    double values[2] = {1, 1};
    assert_int_equal(f.fmi3GetFloat64(f.c, vr, 2, values, 2), fmi3OK);
    assert_true(values[0] == 0 && values[1] == 0);
    raw_close(&f);
}

static void tunable_structural_parameter_changes_between_steps(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Arrays_fmi3");
    raw_start(&f);
    assert_int_equal(f.fmi3EnterConfigurationMode(f.c), fmi3OK);
    assert_int_equal(set_size(&f, "n", 2), fmi3Error); // it is fixed
    assert_int_equal(set_size(&f, "rows", 3), fmi3OK);
    assert_int_equal(f.fmi3ExitConfigurationMode(f.c), fmi3OK);
    fmi3ValueReference vr[] = {raw_reference(&f, "u"), raw_reference(&f, "z")};
    double values[6];
    assert_int_equal(f.fmi3GetFloat64(f.c, vr, 2, values, 6), fmi3OK);
    for (int i = 0; i < 3; i++)
        assert_true(values[i] == 1 && values[3 + i] == 21); // u is as before
    assert_int_equal(raw_step(&f, 0, 1), fmi3OK);
    assert_int_equal(f.fmi3Reset(f.c), fmi3OK);
    initialization_mode(&f);
    assert_int_equal(f.fmi3GetFloat64(f.c, &vr[1], 1, values, 2), fmi3OK); // 2 rows again
    assert_true(values[0] == 6 && values[1] == 15);
    raw_close(&f);
}

// ---- derivatives -------------------------------------------------------------------------------------

static void derivatives_of_arrays_have_one_value_per_element(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Arrays_fmi3");
    raw_start(&f);
    fmi3ValueReference unknowns[] = {raw_reference(&f, "y"), raw_reference(&f, "z")};
    fmi3ValueReference u = raw_reference(&f, "u");
    const double seed[] = {1, 10, 100};
    double values[5];
    assert_int_equal(f.fmi3GetDirectionalDerivative(f.c, unknowns, 2, &u, 1, seed, 3, values, 5),
                     fmi3OK);
    const double expected[] = {2, 20, 200, 321, 654};
    assert_memory_equal(values, expected, sizeof expected);

    const double weights[] = {0, 0, 1, 1, 10}; // z[1] + 10 z[2] + y[3]
    double gradient[3];
    assert_int_equal(f.fmi3GetAdjointDerivative(f.c, unknowns, 2, &u, 1, weights, 5, gradient, 3),
                     fmi3OK);
    assert_true(gradient[0] == 41 && gradient[1] == 52 && gradient[2] == 65);

    assert_int_equal(f.fmi3GetDirectionalDerivative(f.c, unknowns, 2, &u, 1, seed, 2, values, 5),
                     fmi3Error);
    assert_contains(f.log, "the knowns have 3 elements, but 2 values are given");
    fmi3ValueReference n = raw_reference(&f, "n");
    assert_int_equal(f.fmi3GetDirectionalDerivative(f.c, unknowns, 2, &n, 1, seed, 1, values, 5),
                     fmi3Error);
    raw_close(&f);
}

static void output_derivatives_exist_up_to_the_declared_order(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "LotkaVolterraPrey_fmi3");
    raw_start(&f);
    raw_set(&f, "y", 10);
    fmi3ValueReference x = raw_reference(&f, "x");
    int32_t order = 1;
    double value = 0;
    assert_int_equal(f.fmi3GetOutputDerivatives(f.c, &x, 1, &order, &value, 1), fmi3OK);
    assert_near(value, (0.1 - 0.02 * 10) * 10, 1e-15);
    order = 2;
    assert_int_equal(f.fmi3GetOutputDerivatives(f.c, &x, 1, &order, &value, 1), fmi3Error);
    raw_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_passes_through),
        cmocka_unit_test(start_values_are_there_after_instantiation),
        cmocka_unit_test(binaries_and_strings_are_copied),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(time_is_a_variable),
        cmocka_unit_test(arrays_travel_one_behind_the_other),
        cmocka_unit_test(matrix_with_room_to_spare_is_dense_outside),
        cmocka_unit_test(arrays_of_other_types_pass_through),
        cmocka_unit_test(structural_parameter_changes_arrays_in_configuration_mode),
        cmocka_unit_test(array_may_have_no_elements),
        cmocka_unit_test(tunable_structural_parameter_changes_between_steps),
        cmocka_unit_test(derivatives_of_arrays_have_one_value_per_element),
        cmocka_unit_test(output_derivatives_exist_up_to_the_declared_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
