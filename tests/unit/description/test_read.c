// SPDX-License-Identifier: MIT
#include "support/test.h"

#include <time.h>

#include "base/text.h"
#include "description/read.h"

#define HEAD                                                                                       \
    "<fmiModelDescription fmiVersion='2.0' modelName='M' guid='g'>\n"                              \
    "<CoSimulation modelIdentifier='m'/>\n"
#define TAIL "</fmiModelDescription>"

typedef struct fixture {
    test_log log;
    takt_model model;
    takt_description description;
    takt_error err;
} fixture;

static void clear_model(fixture *f)
{
    takt_map_clear(&f->model.names);
    takt_arena_clear(&f->model.arena);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    test_log_init_level(&f->log, TAKT_LEVEL_WARN);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    clear_model(f);
    test_log_clear(&f->log);
    free(f);
    return 0;
}

static takt_status read_bytes(fixture *f, const char *text, size_t size)
{
    clear_model(f);
    f->model = (takt_model){.description_file = "m.xml"};
    f->err = (takt_error){0};
    f->log.length = 0;
    f->log.text[0] = 0;
    return takt_description_read_memory(text, size, f->log.log, &f->model, &f->description,
                                        &f->err);
}

static takt_status read_text(fixture *f, const char *text)
{
    takt_status st = read_bytes(f, text, strlen(text));
    return st;
}

static const takt_variable *variable(fixture *f, const char *name)
{
    int i = takt_map_find(&f->model.names, name);
    assert_true(i >= 0);
    return &f->model.variables[i];
}

static const char complete[] =
    "<?xml version='1.0'?>\n"
    "<fmiModelDescription fmiVersion='2.0' modelName='Tank' guid='{1}' generationTool='T'\n"
    " description='A &lt;tank&gt;' author='x'>\n"
    "<CoSimulation modelIdentifier='tank_1' canGetAndSetFMUstate='true' "
    "needsExecutionTool='1'\n"
    " canSerializeFMUstate='true' canHandleVariableCommunicationStepSize='true'\n"
    " maxOutputDerivativeOrder='2' canInterpolateInputs='true' canRunAsynchronuously='true'\n"
    " canBeInstantiatedOnlyOncePerProcess='true' providesDirectionalDerivative='true'\n"
    " canNotUseMemoryManagementFunctions='false'>\n"
    "<SourceFiles><File name='a.c'/></SourceFiles></CoSimulation>\n"
    "<ModelExchange modelIdentifier='tank_me'/>\n"
    "<UnitDefinitions><Unit name='degC'><BaseUnit K='1' factor='1' offset='273.15'/>\n"
    "<DisplayUnit name='degF' factor='1.8' offset='32'/><DisplayUnit name='x' "
    "factor='?'/></Unit><Unit name='odd'/></UnitDefinitions>\n"
    "<TypeDefinitions><SimpleType name='Temp'><Real unit='degC' min='-273.15' nominal='20'/>\n"
    "</SimpleType><SimpleType name='Valve'><Enumeration><Item name='open' value='1'/>\n"
    "<Item name='shut' value='5' "
    "description='d'/></Enumeration></SimpleType></TypeDefinitions>\n"
    "<LogCategories><Category name='logAll'/></LogCategories>\n"
    "<DefaultExperiment startTime='1' stopTime=' 2.5 ' stepSize='1e-3'/>\n"
    "<VendorAnnotations><Tool name='x'><any/></Tool></VendorAnnotations>\n"
    "<ModelVariables>\n"
    "<ScalarVariable name='der(x, 2)' valueReference='4294967295' description='d'\n"
    " causality='output'><Real declaredType='Temp' max='100'/></ScalarVariable>\n"
    "<ScalarVariable name='v' valueReference='1' causality='input' variability='discrete'>\n"
    "<Enumeration declaredType='Valve' start='5'/><Annotations/></ScalarVariable>\n"
    "<ScalarVariable name='p' valueReference='2' causality='parameter' variability='tunable'>\n"
    "<Boolean start='true'/></ScalarVariable>\n"
    "</ModelVariables>\n"
    "<ModelStructure><Outputs><Unknown index='1' dependencies='2 3'/></Outputs>\n"
    "<InitialUnknowns><Unknown index='1' dependencies=''/></InitialUnknowns></ModelStructure>\n"
    "</fmiModelDescription>\n";

static void attributes_and_capabilities_are_read(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_text(f, complete), TAKT_OK);
    assert_string_equal(f->log.text, "");
    const takt_model *m = &f->model;
    assert_string_equal(m->name, "Tank");
    assert_string_equal(m->tool, "T");
    assert_string_equal(m->description, "A <tank>");
    assert_string_equal(m->version, "FMI 2.0");
    assert_string_equal(f->description.guid, "{1}");
    assert_string_equal(f->description.identifier, "tank_1");
    assert_true(f->description.has_model_exchange);
    assert_int_equal(f->description.n_categories, 1);
    assert_true(m->can.rewind && m->can.serialize && m->can.variable_step &&
                m->can.interpolate_inputs && m->can.directional_derivatives &&
                m->can.asynchronous && m->can.once_per_process && m->can.needs_tool);
    assert_int_equal(m->can.max_output_derivative_order, 2);
    assert_true(m->experiment.has_start && m->experiment.has_stop && m->experiment.has_step &&
                !m->experiment.has_tolerance);
    assert_near(m->experiment.stop, 2.5, 0);
    assert_int_equal(m->n_units, 2);
    assert_int_equal(m->n_display_units, 1); // how the other is related is not known
    assert_string_equal(m->display_units[0].name, "degF");
    assert_near(m->display_units[0].factor * 68 + m->display_units[0].offset, 293.15, 1e-12);
    assert_int_equal(m->units[0].K, 1);
    assert_near(m->units[0].offset, 273.15, 0);
    assert_false(m->units[1].has_base);
}

static void variables_inherit_from_their_types(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_text(f, complete), TAKT_OK);
    const takt_variable *x = variable(f, "der(x, 2)");
    assert_true(x->reference == 4294967295u);
    assert_string_equal(x->unit, "degC");
    assert_near(x->min, -273.15, 0);
    assert_near(x->max, 100, 0);
    assert_near(x->nominal, 20, 0);
    assert_true(x->has_nominal);
    assert_int_equal(x->variability, TAKT_CONTINUOUS);
    assert_int_equal(x->initial, TAKT_CALCULATED);
    assert_int_equal(x->line, 20);
    const takt_variable *v = variable(f, "v");
    assert_int_equal(v->type, TAKT_ENUMERATION);
    assert_int_equal(v->initial, TAKT_INITIAL_NONE);
    assert_true(v->has_start);
    assert_int_equal(v->start.integer, 5);
    assert_true(isinf(v->max));
    const takt_type_definition *type = takt_model_type(&f->model, v->declared_type);
    assert_int_equal(type->n_items, 2);
    assert_string_equal(type->items[1].name, "shut");
    assert_int_equal(type->items[1].value, 5);
    assert_int_equal(variable(f, "p")->initial, TAKT_EXACT);
}

static void dependencies_are_indices_of_variables(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_text(f, complete), TAKT_OK);
    const takt_model *m = &f->model;
    assert_int_equal(m->n_outputs, 1);
    assert_true(m->outputs[0].is_known);
    assert_int_equal(m->outputs[0].n_known, 2);
    assert_int_equal(m->outputs[0].known[1], 2);
    assert_true(m->initial_unknowns[0].is_known); // an empty list says: depends on nothing
    assert_int_equal(m->initial_unknowns[0].n_known, 0);
}

static void missing_dependencies_differ_from_empty_ones(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_text(f,
                               HEAD "<ModelVariables><ScalarVariable name='y' valueReference='0'"
                                    " causality='output'><Real/></ScalarVariable></ModelVariables>"
                                    "<ModelStructure><Outputs><Unknown index='1'/></Outputs>"
                                    "</ModelStructure>" TAIL),
                     TAKT_OK);
    assert_int_equal(f->model.n_outputs, 1);
    assert_false(f->model.outputs[0].is_known);
}

// Reads one variable with the given attributes and content; what was read is in the fixture.
static takt_status read_one(fixture *f, const char *attributes, const char *type)
{
    char text[1024];
    snprintf(text, sizeof text,
             HEAD "<ModelVariables>\n<ScalarVariable name='v' valueReference='0' %s>%s"
                  "</ScalarVariable></ModelVariables>" TAIL,
             attributes, type);
    return read_text(f, text);
}

static void defaults_follow_the_table_of_the_standard(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *attributes, *type;
        takt_variability variability;
        takt_initial initial;
    } rows[] = {
        {"causality='parameter' variability='fixed'", "<Real start='1'/>", TAKT_FIXED, TAKT_EXACT},
        {"causality='calculatedParameter' variability='fixed'", "<Real/>", TAKT_FIXED,
         TAKT_CALCULATED},
        {"causality='calculatedParameter' variability='tunable' initial='approx'",
         "<Real start='1'/>", TAKT_TUNABLE, TAKT_APPROX},
        {"causality='input'", "<Real start='1'/>", TAKT_CONTINUOUS, TAKT_INITIAL_NONE},
        {"causality='input'", "<Integer start='1'/>", TAKT_DISCRETE, TAKT_INITIAL_NONE},
        {"", "<Real/>", TAKT_CONTINUOUS, TAKT_CALCULATED},
        {"initial='exact'", "<Real start='1'/>", TAKT_CONTINUOUS, TAKT_EXACT},
        {"variability='constant'", "<String start=' x '/>", TAKT_CONSTANT, TAKT_EXACT},
        {"variability='fixed'", "<Boolean/>", TAKT_FIXED, TAKT_CALCULATED},
        {"causality='independent'", "<Real/>", TAKT_CONTINUOUS, TAKT_INITIAL_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(read_one(f, rows[i].attributes, rows[i].type), TAKT_OK);
        assert_string_equal(f->log.text, "");
        assert_int_equal(f->model.variables[0].variability, rows[i].variability);
        assert_int_equal(f->model.variables[0].initial, rows[i].initial);
    }
}

static void mistakes_with_a_clear_meaning_are_remarks(void **state)
{
    fixture *f = *state;
    takt_log_set_strict(f->log.log, true);
    static const struct {
        const char *attributes, *type, *warning;
    } rows[] = {
        {"causality='parameter'", "<Real start='1'/>",
         "warn: m.xml:4: variable 'v': variability continuous is not allowed with causality "
         "parameter; taken as fixed\n"},
        {"causality='input' initial='exact'", "<Real start='1'/>",
         "warn: m.xml:4: variable 'v': initial exact is not allowed with causality input and "
         "variability continuous; taken as none\n"},
        {"causality='input'", "<Real/>", "warn: m.xml:4: variable 'v' has no start value\n"},
        {"", "<Real start='1'/>",
         "warn: m.xml:4: variable 'v' must not have a start value: it is calculated\n"},
        {"causality='independent'", "<Real start='1'/>",
         "warn: m.xml:4: variable 'v' must not have a start value: it is independent\n"},
        {"", "<Real declaredType='T'/>",
         "warn: m.xml:4: variable 'v': declaredType 'T' is not defined\n"},
        {"causality='output'", "<Real/>",
         "warn: m.xml:4: output 'v' is not listed in ModelStructure/Outputs\n"},
        {"", "<Real min='2' max='1'/>", "warn: m.xml:4: min 2 is greater than max 1\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(read_one(f, rows[i].attributes, rows[i].type), TAKT_OK);
        assert_contains(f->log.text, rows[i].warning);
    }
    assert_int_equal(
        read_text(f, HEAD "<ModelVariables><ScalarVariable name='a' valueReference='7'><Real/>"
                          "</ScalarVariable>\n<ScalarVariable name='a' valueReference='7'><Real/>"
                          "</ScalarVariable></ModelVariables>" TAIL),
        TAKT_OK);
    assert_contains(f->log.text, "warn: m.xml:4: variable 'a' occurs twice (first in line 3)\n");
    assert_int_equal(f->model.n_variables, 2); // indices of ModelStructure stay right
}

static void other_mistakes_are_errors_with_their_line(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *attributes, *type, *error;
    } rows[] = {
        {"causality='inpt'", "<Real/>", "m.xml:4: unknown causality 'inpt'"},
        {"variability='x'", "<Real/>", "m.xml:4: unknown variability 'x'"},
        {"initial='x'", "<Real/>", "m.xml:4: unknown initial 'x'"},
        {"", "",
         "m.xml:4: variable 'v' has no type (Real, Integer, Boolean, String or Enumeration)"},
        {"causality='input'", "<Real start='1,5'/>",
         "m.xml:4: variable 'v': start '1,5' is not a value of type Real"},
        {"causality='input'", "<Integer start='2147483648'/>",
         "m.xml:4: variable 'v': start '2147483648' is not a value of type Integer"},
        {"causality='input'", "<Boolean start='yes'/>",
         "m.xml:4: variable 'v': start 'yes' is not a value of type Boolean"},
        {"", "<Real min='low'/>", "m.xml:4: min: 'low' is not a number"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(read_one(f, rows[i].attributes, rows[i].type), TAKT_ERR_INPUT);
        assert_string_equal(f->err.message, rows[i].error);
        assert_contains(f->log.text, "error: ");
        assert_contains(f->log.text, rows[i].error);
    }
    static const char *const texts[][2] = {
        {"<ScalarVariable valueReference='0'><Real/></ScalarVariable>",
         "m.xml:3: ScalarVariable has no attribute name"},
        {"<ScalarVariable name='a'><Real/></ScalarVariable>",
         "m.xml:3: variable 'a' has no valueReference"},
        {"<ScalarVariable name='a' valueReference='4294967296'><Real/></ScalarVariable>",
         "m.xml:3: valueReference: '4294967296' is not an integer from 0 to 4294967295"},
        {"<ScalarVariable name='a' valueReference='1'><Real/></ScalarVariable>\n"
         "<ScalarVariable name='a' valueReference='2'><Real/></ScalarVariable>",
         "m.xml:4: variable 'a' occurs twice (first in line 3) with different value references or "
         "types"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[1024];
        snprintf(text, sizeof text, HEAD "<ModelVariables>%s</ModelVariables>" TAIL, texts[i][0]);
        assert_int_equal(read_text(f, text), TAKT_ERR_INPUT);
        assert_string_equal(f->err.message, texts[i][1]);
    }
}

static void wrong_indices_are_errors(void **state)
{
    fixture *f = *state;
    static const char *const unknowns[][2] = {
        {"<Unknown/>", "m.xml:4: Unknown has no attribute index"},
        {"<Unknown index='0'/>", "m.xml:4: index: '0' is not the index of a variable (1 to 1)"},
        {"<Unknown index='2'/>", "m.xml:4: index: '2' is not the index of a variable (1 to 1)"},
        {"<Unknown index='1' dependencies='1 x'/>",
         "m.xml:4: dependencies: 'x' is not the index of a variable (1 to 1)"},
    };
    for (size_t i = 0; i < sizeof unknowns / sizeof *unknowns; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD "<ModelVariables><ScalarVariable name='a' valueReference='0'><Real/>"
                      "</ScalarVariable></ModelVariables>\n"
                      "<ModelStructure><Outputs>%s</Outputs></ModelStructure>" TAIL,
                 unknowns[i][0]);
        assert_int_equal(read_text(f, text), TAKT_ERR_INPUT);
        assert_string_equal(f->err.message, unknowns[i][1]);
    }
}

static void all_problems_are_reported_and_the_failure_counts_them(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_text(f, HEAD "<ModelVariables>\n"
                                       "<ScalarVariable name='a' valueReference='x'><Real/>"
                                       "</ScalarVariable>\n<ScalarVariable name='b' "
                                       "valueReference='1' causality='?'><Real/></ScalarVariable>"
                                       "</ModelVariables>" TAIL),
                     TAKT_ERR_INPUT);
    assert_string_equal(f->err.message, "m.xml:4: valueReference: 'x' is not an integer from 0 to "
                                        "4294967295 (and 1 more errors)");
    assert_contains(f->log.text, "error: m.xml:4: valueReference: 'x'");
    assert_contains(f->log.text, "error: m.xml:5: unknown causality '?'\n");
}

static void a_flood_of_remarks_is_cut(void **state)
{
    fixture *f = *state;
    takt_log_set_strict(f->log.log, true);
    takt_text text = {0};
    takt_text_add(&text, HEAD "<ModelVariables>");
    for (int i = 0; i < 1000; i++)
        takt_text_print(&text,
                        "<ScalarVariable name='v%d' valueReference='0' causality='input'>"
                        "<Real/></ScalarVariable>",
                        i);
    takt_text_add(&text, "</ModelVariables>" TAIL);
    assert_int_equal(read_text(f, text.data), TAKT_OK);
    assert_contains(f->log.text,
                    "warn: m.xml: there are more than 50 such messages; the others are "
                    "not shown\n");
    assert_true(takt_log_count(f->log.log, TAKT_LEVEL_WARN) == 51);
    takt_text_clear(&text);
}

static void other_versions_and_files_are_told_apart(void **state)
{
    fixture *f = *state;
    static const char *const texts[][2] = {
        {"<fmiModelDescription fmiVersion='1.0'/>",
         "m.xml:1: fmiModelDescription has no attribute modelIdentifier"},
        {"<fmiModelDescription fmiVersion='3.0-rc.1'/>",
         "m.xml:1: fmiModelDescription has no attribute modelName"},
        {"<fmiModelDescription fmiVersion='4'/>", "m.xml:1: unknown FMI version '4'"},
        {"<fmiModelDescription/>", "m.xml:1: fmiModelDescription has no attribute fmiVersion"},
        {"<html/>", "m.xml:1: the root element is 'html', not 'fmiModelDescription'"},
        {"<fmiModelDescription fmiVersion='2.0' modelName='m' guid='g'/>",
         "m.xml:1: there is neither a CoSimulation nor a ModelExchange element"},
        {"<fmiModelDescription fmiVersion='2.0' modelName='m'><CoSimulation modelIdentifier='m'/>"
         "</fmiModelDescription>",
         "m.xml:1: fmiModelDescription has no attribute guid"},
        {"<fmiModelDescription fmiVersion='2.0' modelName='m' guid='g'><CoSimulation "
         "modelIdentifier='../../evil'/></fmiModelDescription>",
         "m.xml:1: modelIdentifier '../../evil' cannot be the name of a library"},
        {HEAD "<ModelVariables>", "m.xml:3: the document ends too early"},
        {"<!DOCTYPE x><fmiModelDescription/>", "m.xml:1: a DOCTYPE is not allowed"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(read_text(f, texts[i][0]), TAKT_ERR_INPUT);
        assert_contains(f->err.message, texts[i][1]);
    }
    assert_int_equal(read_text(f, "<fmiModelDescription fmiVersion='2.0' modelName='m' guid='g'>"
                                  "<ModelExchange modelIdentifier='m'/></fmiModelDescription>"),
                     TAKT_OK);
    assert_null(f->description.identifier);
}

static void a_log_is_not_needed(void **state)
{
    fixture *f = *state;
    const char *text = HEAD "<ModelVariables><ScalarVariable/></ModelVariables>" TAIL;
    f->model = (takt_model){.description_file = "m.xml"};
    assert_int_equal(
        takt_description_read_memory(text, strlen(text), NULL, &f->model, &f->description, &f->err),
        TAKT_ERR_INPUT);
}

// Prints how long it takes: a fifth of a second without sanitizers.
static void large_descriptions_are_read(void **state)
{
    fixture *f = *state;
    takt_text text = {0};
    takt_text_add(&text, HEAD "<ModelVariables>\n");
    for (int i = 0; i < 200000; i++)
        takt_text_print(&text,
                        "<ScalarVariable name='system.component_%d.subcomponent.variable[%d]' "
                        "valueReference='%d' description='Some text about the variable'\n"
                        " causality='local' variability='continuous' initial='calculated'>"
                        "<Real unit='kg' min='-1e10' max='1e10'/></ScalarVariable>\n",
                        i, i, i);
    takt_text_add(&text, "</ModelVariables><ModelStructure/>" TAIL);
    struct timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    assert_int_equal(read_bytes(f, text.data, text.length), TAKT_OK);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    double seconds =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    print_message("%zu bytes in %.3f s\n", text.length, seconds);
    assert_int_equal(f->model.n_variables, 200000);
    assert_int_equal(f->model.variables[199999].line, 400002);
    takt_text_clear(&text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(attributes_and_capabilities_are_read),
        TEST(variables_inherit_from_their_types),
        TEST(dependencies_are_indices_of_variables),
        TEST(missing_dependencies_differ_from_empty_ones),
        TEST(defaults_follow_the_table_of_the_standard),
        TEST(mistakes_with_a_clear_meaning_are_remarks),
        TEST(other_mistakes_are_errors_with_their_line),
        TEST(wrong_indices_are_errors),
        TEST(all_problems_are_reported_and_the_failure_counts_them),
        TEST(a_flood_of_remarks_is_cut),
        TEST(other_versions_and_files_are_told_apart),
        TEST(a_log_is_not_needed),
        TEST(large_descriptions_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
