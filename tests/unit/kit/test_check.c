// SPDX-License-Identifier: MIT
// Mistakes in an author's description are found when the FMU is built, and the identity follows
// every change of the description.
#include "support/test.h"

#include "check.h"
#include "describe.h"

typedef struct thing {
    double u, y, k;
    int mode, n;
    bool b;
    uint64_t size;
    double array[4];
    int8_t small;
} thing;

static const fmukit_item items[] = {{"one", 1, NULL}, {"two", 2, NULL}};
static const fmukit_enumeration mode = {"Mode", NULL, items, 2};

static const fmukit_variable good_variables[] = {
    {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(thing, u)},
    {.name = "y", .causality = FMUKIT_OUTPUT, .field = FMUKIT_FIELD(thing, y)},
    {.name = "k", .causality = FMUKIT_CALCULATED_PARAMETER, .field = FMUKIT_FIELD(thing, k)},
    {.name = "mode",
     .type = FMUKIT_ENUMERATION,
     .causality = FMUKIT_PARAMETER,
     .enumeration = &mode,
     .field = FMUKIT_FIELD(thing, mode),
     .start = {.integer = 1}},
};
enum { N_GOOD = sizeof good_variables / sizeof *good_variables };

static const fmukit_model good_model = {
    .name = "Thing", .size = sizeof(thing), .variables = good_variables, .n_variables = N_GOOD};

// Checks the good model with one more variable, and wants exactly one complaint.
static void assert_complaint_of(int version, const fmukit_variable *variable, const char *expected)
{
    fmukit_variable variables[N_GOOD + 1];
    memcpy(variables, good_variables, sizeof good_variables);
    variables[N_GOOD] = *variable;
    fmukit_model model = good_model;
    model.variables = variables;
    model.n_variables = N_GOOD + 1;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    int n = fmukit_check(&model, version, out);
    fclose(out);
    if (n != 1) print_error("%s", text);
    assert_int_equal(n, 1);
    assert_string_equal(text, expected);
    free(text);
}

static void assert_complaint(const fmukit_variable *variable, const char *expected)
{
    assert_complaint_of(2, variable, expected);
}

static void good_description_has_no_mistakes(void **unused)
{
    (void)unused;
    for (int version = 1; version <= 3; version++)
        assert_int_equal(fmukit_check(&good_model, version, stderr), 0);
}

#define VARIABLE(...) (&(const fmukit_variable){.name = "v", __VA_ARGS__})
#define N_FIELD .field = FMUKIT_FIELD(thing, n)

static void each_mistake_is_named(void **unused)
{
    (void)unused;
    assert_complaint(VARIABLE(N_FIELD),
                     "Thing: variable 'v': its field has 4 bytes, but a variable "
                     "of type Real needs 'double'\n");
    assert_complaint(VARIABLE(.type = FMUKIT_INTEGER, .field = {sizeof(thing), 4}),
                     "Thing: variable 'v': its field lies outside of the model's struct\n");
    assert_complaint(VARIABLE(.type = FMUKIT_INTEGER, .field = FMUKIT_FIELD(thing, mode)),
                     "Thing: variable 'v': it shares its field with 'mode'\n");
    assert_complaint(VARIABLE(.type = FMUKIT_INTEGER, N_FIELD, .causality = FMUKIT_PARAMETER,
                              .variability = FMUKIT_DISCRETE),
                     "Thing: variable 'v': causality 'parameter' and variability 'discrete' do not "
                     "go together\n");
    assert_complaint(VARIABLE(.type = FMUKIT_INTEGER, N_FIELD, .causality = FMUKIT_OUTPUT,
                              .variability = FMUKIT_CONTINUOUS),
                     "Thing: variable 'v': only reals can have the variability 'continuous'\n");
    assert_complaint(VARIABLE(.type = FMUKIT_INTEGER, N_FIELD, .causality = FMUKIT_INPUT,
                              .initial = FMUKIT_EXACT),
                     "Thing: variable 'v': an input has no 'initial'\n");
    assert_complaint(VARIABLE(.type = FMUKIT_INTEGER, N_FIELD, .causality = FMUKIT_PARAMETER,
                              .initial = FMUKIT_CALCULATED),
                     "Thing: variable 'v': it cannot have initial 'calculated'\n");
    assert_complaint(VARIABLE(.type = FMUKIT_INTEGER, N_FIELD, .causality = FMUKIT_PARAMETER,
                              .range = FMUKIT_RANGE(1, 5)),
                     "Thing: variable 'v': its start value 0 is outside of its range\n");
    assert_complaint(VARIABLE(.type = FMUKIT_INTEGER, N_FIELD, .range = FMUKIT_RANGE(5, 1)),
                     "Thing: variable 'v': min 5 is above max 1\n");
    assert_complaint(VARIABLE(.type = FMUKIT_INTEGER, N_FIELD, .unit = "m"),
                     "Thing: variable 'v': only reals have a unit or a nominal value\n");
    assert_complaint(
        VARIABLE(.type = FMUKIT_ENUMERATION, N_FIELD),
        "Thing: variable 'v': its enumeration is missing or has no name or no items\n");
    assert_complaint(VARIABLE(.type = FMUKIT_ENUMERATION, N_FIELD, .causality = FMUKIT_INPUT,
                              .enumeration = &mode, .start = {.integer = 3}),
                     "Thing: variable 'v': its start value 3 is no item of enumeration 'Mode'\n");
    assert_complaint(VARIABLE(.type = FMUKIT_INTEGER, N_FIELD, .causality = FMUKIT_OUTPUT,
                              .depends_on = FMUKIT_INPUTS("u", "k")),
                     "Thing: variable 'v': it depends on 'k', which is not an input\n");
    assert_complaint(&(const fmukit_variable){.name = "u", .type = FMUKIT_INTEGER, N_FIELD},
                     "Thing: variable 'u': there are two variables with this name\n");
    assert_complaint(&(const fmukit_variable){.name = "a\nb", .type = FMUKIT_INTEGER, N_FIELD},
                     "Thing: variable 4 has no proper name\n");
}

static void what_a_version_does_not_have_is_named(void **unused)
{
    (void)unused;
    const fmukit_variable small = {
        .name = "v", .type = FMUKIT_INT8, .field = FMUKIT_FIELD(thing, small)};
    assert_complaint_of(1, &small,
                        "Thing: variable 'v': it is of the kind 'Int8', which FMI 1.0 does not "
                        "have: build this FMU for FMI 3.0 only (VERSIONS 3)\n");
    assert_complaint_of(2, &small,
                        "Thing: variable 'v': it is of the kind 'Int8', which FMI 2.0 does not "
                        "have: build this FMU for FMI 3.0 only (VERSIONS 3)\n");
    const fmukit_variable array = {
        .name = "v", .field = FMUKIT_FIELD(thing, array), .dimensions = {FMUKIT_SIZE(4)}};
    assert_complaint_of(2, &array,
                        "Thing: variable 'v': it is of the kind 'array', which FMI 2.0 does not "
                        "have: build this FMU for FMI 3.0 only (VERSIONS 3)\n");
    static const fmukit_item gaps[] = {{"one", 1, NULL}, {"five", 5, NULL}};
    static const fmukit_enumeration odd = {"Odd", NULL, gaps, 2};
    assert_complaint_of(1, VARIABLE(.type = FMUKIT_ENUMERATION, N_FIELD, .enumeration = &odd),
                        "Thing: variable 'v': item 2 of enumeration 'Odd' has the value 5, but "
                        "FMI 1.0 can only count items from 1 on\n");
    assert_complaint_of(
        3, &(const fmukit_variable){.name = "time", .type = FMUKIT_INTEGER, N_FIELD},
        "Thing: variable 'time': in FMI 3.0 this is the name of the independent variable\n");
}

static void mistakes_in_arrays_are_named(void **unused)
{
    (void)unused;
#define ARRAY .field = FMUKIT_FIELD(thing, array)
    assert_complaint_of(3, VARIABLE(ARRAY, .dimensions = {FMUKIT_SIZE(2), FMUKIT_SIZE(3)}),
                        "Thing: variable 'v': its field has 32 bytes, but an array of type Float64 "
                        "with these dimensions needs 6 times 'double'\n");
    assert_complaint_of(3, VARIABLE(ARRAY, .dimensions = {FMUKIT_SIZE_OF("k", 4)}),
                        "Thing: variable 'v': its size 'k' is not a structural parameter of type "
                        "UInt64\n");
    assert_complaint_of(3, VARIABLE(.field = FMUKIT_FIELD(thing, array[0]), .starts = ""),
                        "Thing: variable 'v': it has several start values, but is no array\n");
    assert_complaint_of(3,
                        VARIABLE(.type = FMUKIT_UINT64, .field = FMUKIT_FIELD(thing, size),
                                 .causality = FMUKIT_STRUCTURAL_PARAMETER,
                                 .initial = FMUKIT_CALCULATED),
                        "Thing: variable 'v': it cannot have initial 'calculated'\n");
    assert_complaint_of(3,
                        VARIABLE(.type = FMUKIT_INT8, .field = FMUKIT_FIELD(thing, small),
                                 .causality = FMUKIT_INPUT, .start = {.integer = 128}),
                        "Thing: variable 'v': its start value 128 is outside of its range\n");
}

// A structural parameter without a limit could lead outside of the field.
static void size_of_an_array_needs_a_limit(void **unused)
{
    (void)unused;
    fmukit_variable variables[] = {
        {.name = "n",
         .type = FMUKIT_UINT64,
         .causality = FMUKIT_STRUCTURAL_PARAMETER,
         .field = FMUKIT_FIELD(thing, size),
         .start = {.natural = 2}},
        {.name = "v", .field = FMUKIT_FIELD(thing, array), .dimensions = {FMUKIT_SIZE_OF("n", 4)}},
    };
    const fmukit_model model = {
        .name = "Thing", .size = sizeof(thing), .variables = variables, .n_variables = 2};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(fmukit_check(&model, 3, out), 1);
    variables[0].range = (fmukit_range)FMUKIT_MAX(5);
    assert_int_equal(fmukit_check(&model, 3, out), 1);
    variables[0].range = (fmukit_range)FMUKIT_MAX(4);
    assert_int_equal(fmukit_check(&model, 3, out), 0);
    fclose(out);
    const char *complaint = "Thing: variable 'v': its size 'n' needs a range that ends at 4 or "
                            "below\n";
    assert_int_equal(size, 2 * strlen(complaint));
    assert_contains(text, complaint);
    free(text);
}

static void mistakes_with_clocks_are_named(void **unused)
{
    (void)unused;
#define CLOCK .type = FMUKIT_CLOCK, .field = FMUKIT_FIELD(thing, b)
    assert_complaint_of(3, VARIABLE(CLOCK, .causality = FMUKIT_INPUT),
                        "Thing: variable 'v': a clock needs the function 'event'\n");
    assert_complaint_of(3, VARIABLE(.type = FMUKIT_INTEGER, N_FIELD, .clocks = FMUKIT_CLOCKS("u")),
                        "Thing: variable 'v': it belongs to 'u', which is not a clock\n");
}

static fmukit_status no_step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)fmu, (void)model, (void)t, (void)t_end;
    return FMUKIT_OK;
}

static void a_step_of_the_model_holds_inputs_anyway(void **unused)
{
    (void)unused;
    fmukit_model model = good_model;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    model.holds_inputs = true;
    assert_int_equal(fmukit_check(&model, 2, out), 0);
    model.functions.step = no_step;
    assert_int_equal(fmukit_check(&model, 2, out), 1);
    fclose(out);
    assert_string_equal(text, "Thing: holds_inputs is set, but there is a function 'step', which "
                              "holds them anyway\n");
    free(text);
}

static void all_mistakes_of_the_model_are_reported_together(void **unused)
{
    (void)unused;
    fmukit_model model = {.name = "no identifier",
                          .max_output_derivative_order = 1,
                          .interpolates_inputs = true,
                          .start_time = 2,
                          .stop_time = 1,
                          .step_size = -1};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(fmukit_check(&model, 2, out), 7);
    fclose(out);
    assert_contains(text, "the name must consist of letters, digits and underscores");
    assert_contains(text, "the size of the model's struct is missing");
    assert_contains(text, "there must be at least one variable");
    assert_contains(text, "max_output_derivative_order does not fit");
    assert_contains(text, "interpolates_inputs is set, but there is no function 'step'");
    assert_contains(text, "the stop time is not behind the start time");
    assert_contains(text, "step size and tolerance must not be negative");
    free(text);
}

static void identity_follows_the_description(void **unused)
{
    (void)unused;
    char guid[FMUKIT_GUID_SIZE], other[FMUKIT_GUID_SIZE];
    fmukit_guid(&good_model, guid);
    assert_int_equal(strlen(guid), 38);
    fmukit_variable variables[N_GOOD];
    memcpy(variables, good_variables, sizeof variables);
    fmukit_model model = good_model;
    model.variables = variables;
    fmukit_guid(&model, other);
    assert_string_equal(guid, other); // the same content elsewhere

    variables[0].start.real = 1e-300;
    fmukit_guid(&model, other);
    assert_string_not_equal(guid, other);
    variables[0] = good_variables[0];
    variables[1].depends_on = FMUKIT_NO_INPUTS;
    fmukit_guid(&model, other);
    assert_string_not_equal(guid, other);
    variables[1] = good_variables[1];
    variables[2].description = "";
    fmukit_guid(&model, other);
    assert_string_not_equal(guid, other);
    variables[2] = good_variables[2];
    model.no_serialize = true;
    fmukit_guid(&model, other);
    assert_string_not_equal(guid, other);
}

static void unsaid_dependencies_mean_all_inputs(void **unused)
{
    (void)unused;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fmukit_describe_fmi2(&good_model, out);
    fclose(out);
    assert_contains(text, "<Outputs>\n      <Unknown index=\"2\" dependencies=\"1\"/>");
    // The calculated parameter comes from the parameter only.
    assert_contains(text, "<Unknown index=\"2\" dependencies=\"1 4\"/>\n"
                          "      <Unknown index=\"3\" dependencies=\"4\"/>");
    free(text);
}

static void mistakes_about_continuous_states_are_found(void **state)
{
    (void)state;
    assert_complaint(&(fmukit_variable){.name = "d",
                                        .field = FMUKIT_FIELD(thing, array[0]),
                                        .derivative_of = "u"},
                     "Thing: variable 'd': it is the derivative of 'u', which is not a continuous "
                     "real output or local variable\n");
    assert_complaint(&(fmukit_variable){.name = "d",
                                        .field = FMUKIT_FIELD(thing, array[0]),
                                        .derivative_of = "w"},
                     "Thing: variable 'd': it is the derivative of 'w', which is not a continuous "
                     "real output or local variable\n");
    assert_complaint(&(fmukit_variable){.name = "d",
                                        .causality = FMUKIT_INPUT,
                                        .field = FMUKIT_FIELD(thing, array[0]),
                                        .derivative_of = "y"},
                     "Thing: variable 'd': a derivative or event indicator is a continuous real "
                     "output or local variable\n");
    assert_complaint(&(fmukit_variable){.name = "z",
                                        .field = FMUKIT_FIELD(thing, array[0]),
                                        .is_indicator = true},
                     "Thing: variable 'z': an event indicator needs the function 'event'\n");
    assert_complaint(&(fmukit_variable){.name = "z",
                                        .field = FMUKIT_FIELD(thing, array[0]),
                                        .depends_on_states = FMUKIT_STATES("y")},
                     "Thing: variable 'z': it depends on 'y', which is not a continuous state\n");
    assert_complaint_of(3,
                        &(fmukit_variable){.name = "d",
                                           .field = FMUKIT_FIELD(thing, array),
                                           .dimensions = {FMUKIT_SIZE(4)},
                                           .derivative_of = "y"},
                        "Thing: variable 'd': its dimensions differ from those of its state "
                        "'y'\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_about_continuous_states_are_found),
        cmocka_unit_test(good_description_has_no_mistakes),
        cmocka_unit_test(each_mistake_is_named),
        cmocka_unit_test(what_a_version_does_not_have_is_named),
        cmocka_unit_test(mistakes_in_arrays_are_named),
        cmocka_unit_test(size_of_an_array_needs_a_limit),
        cmocka_unit_test(mistakes_with_clocks_are_named),
        cmocka_unit_test(a_step_of_the_model_holds_inputs_anyway),
        cmocka_unit_test(all_mistakes_of_the_model_are_reported_together),
        cmocka_unit_test(identity_follows_the_description),
        cmocka_unit_test(unsaid_dependencies_mean_all_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
