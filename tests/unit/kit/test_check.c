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
static void assert_complaint(const fmukit_variable *variable, const char *expected)
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
    int n = fmukit_check(&model, 2, out);
    fclose(out);
    if (n != 1) print_error("%s", text);
    assert_int_equal(n, 1);
    assert_string_equal(text, expected);
    free(text);
}

static void good_description_has_no_mistakes(void **unused)
{
    (void)unused;
    assert_int_equal(fmukit_check(&good_model, 2, stderr), 0);
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

static void all_mistakes_of_the_model_are_reported_together(void **unused)
{
    (void)unused;
    fmukit_model model = {.name = "no identifier",
                          .max_output_derivative_order = 1,
                          .start_time = 2,
                          .stop_time = 1,
                          .step_size = -1};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(fmukit_check(&model, 2, out), 6);
    fclose(out);
    assert_contains(text, "the name must consist of letters, digits and underscores");
    assert_contains(text, "the size of the model's struct is missing");
    assert_contains(text, "there must be at least one variable");
    assert_contains(text, "max_output_derivative_order does not fit");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_description_has_no_mistakes),
        cmocka_unit_test(each_mistake_is_named),
        cmocka_unit_test(all_mistakes_of_the_model_are_reported_together),
        cmocka_unit_test(identity_follows_the_description),
        cmocka_unit_test(unsaid_dependencies_mean_all_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
