// SPDX-License-Identifier: MIT
#include "unit/description/read_description.h"

typedef description_fixture fixture;

#define HEAD                                                                                       \
    "<fmiModelDescription fmiVersion='1.0' modelName='M' modelIdentifier='m' guid='g'\n"           \
    " numberOfContinuousStates='0' numberOfEventIndicators='0'>\n"
#define STAND_ALONE                                                                                \
    "<Implementation><CoSimulation_StandAlone><Capabilities/></CoSimulation_StandAlone>"           \
    "</Implementation>\n"
#define TAIL "</fmiModelDescription>"
#define VARIABLES(text) "<ModelVariables>\n" text "</ModelVariables>\n"
#define VARIABLE(name, reference, attributes, type)                                                \
    "<ScalarVariable name='" name "' valueReference='" reference "' " attributes ">" type          \
    "</ScalarVariable>\n"

static const char complete[] =
    "<?xml version='1.0' encoding='ISO-8859-1'?>\r"
    "<fmiModelDescription fmiVersion='1.0' modelName='Pumpe f\xfcr \xd6l' modelIdentifier='pump'\r"
    " guid='{2}' description='d' author='a' version='1' generationTool='T'\r"
    " generationDateAndTime='2011-09-23T16:57:33Z' variableNamingConvention='flat'\r"
    " numberOfContinuousStates='1' numberOfEventIndicators='0'>\r"
    "<UnitDefinitions><BaseUnit unit='K'><DisplayUnitDefinition displayUnit='degC' gain='1'\r"
    " offset='-273.15'/></BaseUnit></UnitDefinitions>\r"
    "<TypeDefinitions><Type name='Temperature' description='t'><RealType unit='K' min='0'\r"
    " nominal='300'/></Type><Type name='Mode'><EnumerationType><Item name='on'/>\r"
    "<Item name='off' description='o'/></EnumerationType></Type></TypeDefinitions>\r"
    "<DefaultExperiment startTime='0' stopTime='10' tolerance='1e-4'/>\r"
    "<VendorAnnotations><Tool name='T'><Annotation name='x' value='y'/></Tool>"
    "</VendorAnnotations>\r"
    "<ModelVariables>\r"
    "<ScalarVariable name='T[1,2]' valueReference='2147483650' causality='output'>\r"
    "<Real declaredType='Temperature' max='400'/><DirectDependency><Name>in let</Name>\r"
    "</DirectDependency></ScalarVariable>\r"
    "<ScalarVariable name='in let' valueReference='1' causality='input'><Real start='1'/>\r"
    "</ScalarVariable>\r"
    "<ScalarVariable name='mode' valueReference='2' variability='parameter'>\r"
    "<Enumeration declaredType='Mode' start='2'/></ScalarVariable>\r"
    "</ModelVariables>\r"
    "<Implementation><CoSimulation_StandAlone><Capabilities\r"
    " canHandleVariableCommunicationStepSize='true' canHandleEvents='true' canRejectSteps='true'\r"
    " canInterpolateInputs='true' maxOutputDerivativeOrder='1' canRunAsynchronuously='true'\r"
    " canSignalEvents='false' canBeInstantiatedOnlyOncePerProcess='true'\r"
    " canNotUseMemoryManagementFunctions='true'/></CoSimulation_StandAlone></Implementation>\r"
    "</fmiModelDescription>\r";

static void everything_is_read(void **state)
{
    fixture *f = *state;
    assert_int_equal(description_read(f, complete), TAKT_OK);
    assert_string_equal(f->log.text, "");
    const takt_model *m = &f->model;
    assert_string_equal(m->name, "Pumpe f\xc3\xbcr \xc3\x96l");
    assert_string_equal(m->version, "FMI 1.0");
    assert_string_equal(m->tool, "T");
    assert_string_equal(f->description.identifier, "pump");
    assert_string_equal(f->description.guid, "{2}");
    assert_false(f->description.has_model_exchange);
    assert_true(m->can.variable_step && m->can.interpolate_inputs && m->can.asynchronous &&
                m->can.once_per_process);
    assert_false(m->can.rewind || m->can.serialize || m->can.needs_tool);
    assert_int_equal(m->can.max_output_derivative_order, 1);
    assert_true(m->experiment.has_stop && m->experiment.stop == 10 && m->experiment.has_tolerance);
    assert_int_equal(m->n_units, 1);
    assert_string_equal(m->units[0].name, "K");
    const takt_variable *v = description_variable(f, "T[1,2]");
    assert_int_equal(v->reference, 2147483650u);
    assert_string_equal(v->unit, "K");
    assert_true(v->min == 0 && v->max == 400 && v->nominal == 300);
    assert_true(v->has_nominal && !description_variable(f, "in let")->has_nominal);
    const takt_type_definition *mode = takt_model_type(m, "Mode");
    assert_int_equal(mode->n_items, 2);
    assert_true(mode->items[0].value == 1 && mode->items[1].value == 2);
    assert_string_equal(mode->items[1].description, "o");
}

static void words_are_translated_into_those_of_fmi_2(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *attributes, *type;
        takt_causality causality;
        takt_variability variability;
        takt_initial initial;
    } rows[] = {
        {"variability='parameter'", "<Real start='1'/>", TAKT_PARAMETER, TAKT_FIXED, TAKT_EXACT},
        {"variability='parameter' causality='input'", "<Real start='1'/>", TAKT_PARAMETER,
         TAKT_FIXED, TAKT_EXACT},
        {"variability='parameter'", "<Real/>", TAKT_CALCULATED_PARAMETER, TAKT_FIXED,
         TAKT_CALCULATED},
        {"variability='parameter'", "<Real start='1' fixed='false'/>", TAKT_CALCULATED_PARAMETER,
         TAKT_FIXED, TAKT_APPROX},
        {"variability='parameter' causality='output'", "<Real/>", TAKT_OUTPUT, TAKT_DISCRETE,
         TAKT_CALCULATED},
        {"variability='constant'", "<Real start='1'/>", TAKT_LOCAL, TAKT_CONSTANT, TAKT_EXACT},
        {"causality='input'", "<Real/>", TAKT_INPUT, TAKT_CONTINUOUS, TAKT_INITIAL_NONE},
        {"causality='input'", "<Boolean start='1'/>", TAKT_INPUT, TAKT_DISCRETE, TAKT_INITIAL_NONE},
        {"causality='output'", "<Integer/>", TAKT_OUTPUT, TAKT_DISCRETE, TAKT_CALCULATED},
        {"causality='internal'", "<Real start='1'/>", TAKT_LOCAL, TAKT_CONTINUOUS, TAKT_EXACT},
        {"causality='none'", "<Real start='1' fixed='0'/>", TAKT_LOCAL, TAKT_CONTINUOUS,
         TAKT_APPROX},
        {"variability='discrete'", "<String/>", TAKT_LOCAL, TAKT_DISCRETE, TAKT_CALCULATED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD VARIABLES("<ScalarVariable name='v' valueReference='0' %s>%s"
                                "</ScalarVariable>") STAND_ALONE TAIL,
                 rows[i].attributes, rows[i].type);
        assert_int_equal(description_read(f, text), TAKT_OK);
        assert_string_equal(f->log.text, "");
        const takt_variable *v = &f->model.variables[0];
        assert_int_equal(v->causality, rows[i].causality);
        assert_int_equal(v->variability, rows[i].variability);
        assert_int_equal(v->initial, rows[i].initial);
    }
}

static void direct_dependencies_become_those_of_outputs(void **state)
{
    fixture *f = *state;
    const char *text = HEAD VARIABLES(
        VARIABLE("a", "0", "causality='output'",
                 "<Real/><DirectDependency><Name>v</Name><Name> u </Name></DirectDependency>")
            VARIABLE("b", "1", "causality='output'", "<Real/><DirectDependency/>")
                VARIABLE("c", "2", "causality='output'", "<Real/>")
                    VARIABLE("u", "3", "causality='input'", "<Real/>")
                        VARIABLE("v", "4", "causality='input'", "<Real/>")) STAND_ALONE TAIL;
    assert_int_equal(description_read(f, text), TAKT_OK);
    assert_string_equal(f->log.text, "");
    const takt_dependency *outputs = f->model.outputs;
    assert_int_equal(f->model.n_outputs, 3);
    assert_true(outputs[0].is_known && outputs[0].n_known == 2);
    assert_true(outputs[0].known[0] == 4 && outputs[0].known[1] == 3);
    assert_true(outputs[1].is_known && outputs[1].n_known == 0);
    assert_false(outputs[2].is_known);
}

static void negated_aliases_are_noted(void **state)
{
    fixture *f = *state;
    const char *text = HEAD VARIABLES(
        VARIABLE("a", "0", "", "<Real/>") VARIABLE("b", "0", "alias='alias'", "<Real/>")
            VARIABLE("c", "0", "alias='negatedAlias'", "<Real/>")) STAND_ALONE TAIL;
    assert_int_equal(description_read(f, text), TAKT_OK);
    assert_string_equal(f->log.text, "");
    const bool *is_negated = f->description.is_negated;
    assert_true(!is_negated[0] && !is_negated[1] && is_negated[2]);
    assert_int_equal(
        description_read(f, HEAD VARIABLES(VARIABLE("a", "0", "", "<Real/>")) STAND_ALONE TAIL),
        TAKT_OK);
    assert_null(f->description.is_negated);
}

static void model_exchange_and_tool_coupling_are_told_apart(void **state)
{
    fixture *f = *state;
    assert_int_equal(description_read(f, HEAD VARIABLES("") TAIL), TAKT_OK);
    assert_null(f->description.identifier);
    assert_true(f->description.has_model_exchange);
    assert_int_equal(
        description_read(f, HEAD VARIABLES("") "<Implementation><CoSimulation_Tool><Capabilities/>"
                                               "<Model entryPoint='e' manualStart='0' type='a/b'>"
                                               "<File file='f'/></Model></CoSimulation_Tool>"
                                               "</Implementation>" TAIL),
        TAKT_OK);
    assert_string_equal(f->log.text, "");
    assert_string_equal(f->description.identifier, "m");
    assert_string_equal(f->description.mime_type, "a/b");
    assert_true(f->model.can.needs_tool);
}

static void broken_rules_are_warnings_with_their_line(void **state)
{
    fixture *f = *state;
    static const char *const rows[][2] = {
        {VARIABLE("a", "0", "", "<Real fixed='true'/>"),
         "warn: m.xml:4: variable 'a' has the attribute fixed, but no start value\n"},
        {VARIABLE("a", "0", "variability='constant'", "<Real/>"),
         "warn: m.xml:4: the constant 'a' has no start value\n"},
        {VARIABLE("a", "0", "variability='constant' causality='input'", "<Real start='1'/>"),
         "warn: m.xml:4: the input 'a' cannot be constant\n"},
        {VARIABLE("a", "0", "variability='continuous'", "<Integer/>"),
         "warn: m.xml:4: variable 'a' of type Integer cannot have variability continuous\n"},
        {VARIABLE("a", "0", "", "<Real/>") VARIABLE("b", "0", "", "<Real/>"),
         "warn: m.xml:5: variable 'b' has the same valueReference as 'a', but is not marked as its "
         "alias\n"},
        {VARIABLE("a", "4294967295", "alias='alias'", "<Real/>"),
         "warn: m.xml:4: variable 'a' is an alias, but of no variable: all with its valueReference "
         "4294967295 are aliases\n"},
        {VARIABLE("a", "0", "", "<String/>")
             VARIABLE("b", "0", "alias='negatedAlias'", "<String/>"),
         "warn: m.xml:5: variable 'b' of type String has no negative; negatedAlias is taken as "
         "alias\n"},
        {VARIABLE("a", "0", "", "<Real/><DirectDependency/>"),
         "warn: m.xml:4: variable 'a' has a DirectDependency, but is not an output\n"},
        {VARIABLE("a", "0", "causality='output'",
                  "<Real/><DirectDependency><Name>b</Name><Name>a</Name></DirectDependency>"),
         "warn: m.xml:4: variable 'a': DirectDependency names 'b', which is no variable\n"
         "warn: m.xml:4: variable 'a': DirectDependency names 'a', which is no input\n"},
        {VARIABLE("a", "0", "initial='exact'", "<Real/>"),
         "warn: m.xml:4: ScalarVariable has an attribute 'initial' that FMI 1.0 does not know\n"},
        {VARIABLE("a", "0", "", "<Real unit='bar'/>"),
         "warn: m.xml:4: variable 'a': unit 'bar' is not defined in UnitDefinitions\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        snprintf(text, sizeof text, HEAD VARIABLES("%s") STAND_ALONE TAIL, rows[i][0]);
        assert_int_equal(description_read(f, text), TAKT_OK);
        assert_string_equal(f->log.text, rows[i][1]);
    }
}

static void mistakes_are_errors_with_their_line(void **state)
{
    fixture *f = *state;
    static const char *const rows[][2] = {
        {HEAD VARIABLES(VARIABLE("a", "0", "causality='parameter'", "<Real/>")) TAIL,
         "m.xml:4: unknown causality 'parameter'"},
        {HEAD VARIABLES(VARIABLE("a", "0", "variability='fixed'", "<Real/>")) TAIL,
         "m.xml:4: unknown variability 'fixed'"},
        {HEAD VARIABLES(VARIABLE("a", "0", "alias='a'", "<Real/>")) TAIL,
         "m.xml:4: unknown alias 'a'"},
        {HEAD VARIABLES(VARIABLE("a", "-1", "", "<Real/>")) TAIL,
         "m.xml:4: valueReference: '-1' is not an integer from 0 to 4294967295"},
        {HEAD VARIABLES(VARIABLE("a", "0", "", "<Real start='one'/>")) TAIL,
         "m.xml:4: variable 'a': start 'one' is not a value of type Real"},
        {HEAD VARIABLES(VARIABLE("a", "0", "", "")) TAIL,
         "m.xml:4: variable 'a' has no type (Real, Integer, Boolean, String or Enumeration)"},
        {HEAD "<Implementation/>" TAIL,
         "m.xml:3: Implementation has neither CoSimulation_StandAlone nor CoSimulation_Tool"},
        {"<fmiModelDescription fmiVersion='1.0' modelName='M' modelIdentifier='a/b' guid='g'/>",
         "m.xml:1: modelIdentifier 'a/b' cannot be the name of a library"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(description_read(f, rows[i][0]), TAKT_ERR_INPUT);
        assert_string_equal(f->err.message, rows[i][1]);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, description_setup, description_teardown)
    const struct CMUnitTest tests[] = {
        TEST(everything_is_read),
        TEST(words_are_translated_into_those_of_fmi_2),
        TEST(direct_dependencies_become_those_of_outputs),
        TEST(negated_aliases_are_noted),
        TEST(model_exchange_and_tool_coupling_are_told_apart),
        TEST(broken_rules_are_warnings_with_their_line),
        TEST(mistakes_are_errors_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
