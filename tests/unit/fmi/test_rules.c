// SPDX-License-Identifier: MIT
// Each rule of the standard that a strict log tells of, with its line.
#include "unit/fmi/read_description.h"

typedef description_fixture fixture;

#define HEAD                                                                                       \
    "<fmiModelDescription fmiVersion='2.0' modelName='M' guid='g'>\n"                              \
    "<CoSimulation modelIdentifier='m'/>\n"
#define TAIL "</fmiModelDescription>"
#define REAL(name, reference, attributes, type)                                                    \
    "<ScalarVariable name='" name "' valueReference='" reference "' " attributes "><Real " type    \
    "/></ScalarVariable>\n"
#define VARIABLES(text) "<ModelVariables>\n" text "</ModelVariables>\n"
#define STRUCTURE(text) "<ModelStructure>" text "</ModelStructure>\n"
#define EMPTY VARIABLES("") STRUCTURE("")
#define OUTPUT "<Outputs><Unknown index='1'/></Outputs>"

typedef struct row {
    const char *text, *warning;
} row;

// Reads every text and expects exactly these warnings.
static void expect(fixture *f, const row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(description_read(f, rows[i].text), TAKT_OK);
        assert_string_equal(f->log.text, rows[i].warning);
    }
}
#define EXPECT(f, rows) expect(f, rows, sizeof rows / sizeof *rows)

static void names_that_the_standard_does_not_know_are_told(void **state)
{
    static const row rows[] = {
        {HEAD VARIABLES(REAL("a", "1", "variabilty='fixed'", "")) STRUCTURE("") TAIL,
         "warn: m.xml:4: ScalarVariable has an attribute 'variabilty' that FMI 2.0 does not know; "
         "did you mean 'variability'?\n"},
        {HEAD VARIABLES(REAL("a", "1", "", "colour='red'")) STRUCTURE("") TAIL,
         "warn: m.xml:4: Real has an attribute 'colour' that FMI 2.0 does not know\n"},
        {HEAD "<Extra/>" EMPTY TAIL,
         "warn: m.xml:3: fmiModelDescription has an element Extra that FMI 2.0 does not know\n"},
        {"<fmiModelDescription fmiVersion='2.0' modelName='M' guid='g' modelIdentifier='m'>"
         "<CoSimulation modelIdentifier='m'/>" EMPTY TAIL,
         "warn: m.xml:1: fmiModelDescription has an attribute 'modelIdentifier' that FMI 2.0 does "
         "not know\n"},
        {HEAD
         "<VendorAnnotations><Tool name='t'><any x='1'/></Tool></VendorAnnotations>" EMPTY TAIL,
         ""},
    };
    EXPECT(*state, rows);
}

static void elements_occur_once_and_in_order(void **state)
{
    static const row rows[] = {
        {HEAD STRUCTURE("") VARIABLES("") TAIL,
         "warn: m.xml:4: ModelVariables must stand before ModelStructure\n"},
        {HEAD VARIABLES("") VARIABLES("") STRUCTURE("") TAIL,
         "warn: m.xml:5: ModelVariables occurs twice in fmiModelDescription\n"},
        {HEAD VARIABLES("<ScalarVariable name='a' valueReference='0'><Real/><Integer/>"
                        "</ScalarVariable>") STRUCTURE("") TAIL,
         "warn: m.xml:4: Real and Integer exclude each other in ScalarVariable\n"},
        {HEAD "<ModelExchange modelIdentifier='m'/>" EMPTY TAIL, ""},
        {HEAD VARIABLES("") TAIL, "warn: m.xml: there is no ModelStructure\n"},
        {HEAD STRUCTURE("") TAIL, "warn: m.xml: there are no ModelVariables\n"},
    };
    EXPECT(*state, rows);
}

static void units_are_defined_once(void **state)
{
    static const row rows[] = {
        {HEAD VARIABLES(REAL("a", "0", "", "unit='N'") REAL("b", "1", "", "unit='N'")
                            REAL("c", "2", "", "unit='m'")) STRUCTURE("") TAIL,
         "warn: m.xml:4: variable 'a': unit 'N' is not defined in UnitDefinitions\n"
         "warn: m.xml:6: variable 'c': unit 'm' is not defined in UnitDefinitions\n"},
        {HEAD "<UnitDefinitions><Unit name='N'/><Unit name='N'/></UnitDefinitions>" EMPTY TAIL,
         "warn: m.xml: the unit 'N' is defined twice\n"},
        {HEAD "<UnitDefinitions><Unit name='N'/></UnitDefinitions>\n" VARIABLES(
             REAL("a", "0", "", "unit='N'")) STRUCTURE("") TAIL,
         ""},
    };
    EXPECT(*state, rows);
}

#define ENUMERATION(items)                                                                         \
    "<TypeDefinitions><SimpleType name='E'><Enumeration>" items                                    \
    "</Enumeration></SimpleType></TypeDefinitions>\n"

static void types_keep_their_rules(void **state)
{
    static const row rows[] = {
        {HEAD
         "<TypeDefinitions><SimpleType name='a'><Real/></SimpleType></TypeDefinitions>\n" VARIABLES(
             REAL("a", "0", "", "")) STRUCTURE("") TAIL,
         "warn: m.xml:3: the type 'a' has the name of a variable (line 5)\n"},
        {HEAD ENUMERATION("") EMPTY TAIL, "warn: m.xml:3: the enumeration 'E' has no items\n"},
        {HEAD ENUMERATION("<Item name='x' value='1'/><Item name='x' value='2'/>") EMPTY TAIL,
         "warn: m.xml:3: the enumeration 'E' has two items with the name 'x'\n"},
        {HEAD ENUMERATION("<Item name='x' value='1'/><Item name='y' value='1'/>") EMPTY TAIL,
         "warn: m.xml:3: the enumeration 'E' has two items with the value 1\n"},
        {HEAD ENUMERATION("<Item name='x' value='1'/>")
             VARIABLES("<ScalarVariable name='e' valueReference='0' causality='input' "
                       "variability='discrete'><Enumeration declaredType='E' start='2'/>"
                       "</ScalarVariable>\n") STRUCTURE("") TAIL,
         "warn: m.xml:5: variable 'e': start 2 is no item of its type 'E'\n"},
        {HEAD VARIABLES("<ScalarVariable name='e' valueReference='0' variability='discrete'>"
                        "<Enumeration/></ScalarVariable>\n") STRUCTURE("") TAIL,
         "warn: m.xml:4: variable 'e' is an enumeration, but has no declaredType\n"},
    };
    EXPECT(*state, rows);
}

static void values_lie_within_their_limits(void **state)
{
    static const row rows[] = {
        {HEAD VARIABLES(REAL("a", "0", "causality='input'", "start='3' max='2'")) STRUCTURE("")
             TAIL,
         "warn: m.xml:4: variable 'a': start 3 is not within min -inf and max 2\n"},
        {HEAD VARIABLES(REAL("a", "0", "", "nominal='0'")) STRUCTURE("") TAIL,
         "warn: m.xml:4: variable 'a': nominal is 0\n"},
        {HEAD
         "<DefaultExperiment startTime='2' stopTime='1' stepSize='0' tolerance='-1'/>" EMPTY TAIL,
         "warn: m.xml:3: stopTime 1 is before startTime 2\n"
         "warn: m.xml:3: stepSize 0 is not positive\n"
         "warn: m.xml:3: tolerance -1 is not positive\n"},
        {"<fmiModelDescription fmiVersion='2.0' modelName='M' guid='g'>\n"
         "<CoSimulation modelIdentifier='m' canSerializeFMUstate='true'/>" EMPTY TAIL,
         "warn: m.xml:2: canSerializeFMUstate needs canGetAndSetFMUstate\n"},
        {HEAD VARIABLES("<ScalarVariable name='i' valueReference='0' variability='continuous'>"
                        "<Integer/></ScalarVariable>\n") STRUCTURE("") TAIL,
         "warn: m.xml:4: variable 'i' of type Integer cannot have variability continuous\n"},
        {HEAD VARIABLES(REAL("t", "0", "causality='independent'", "")
                            REAL("u", "1", "causality='independent'", "")) STRUCTURE("") TAIL,
         "warn: m.xml:5: there are two variables with causality independent, 't' and 'u'\n"},
    };
    EXPECT(*state, rows);
}

static void aliases_agree(void **state)
{
    static const row rows[] = {
        {HEAD VARIABLES(REAL("a", "7", "causality='input'", "start='0'")
                            REAL("b", "7", "causality='input'", "start='0'")) STRUCTURE("") TAIL,
         "warn: m.xml:5: variables 'a' and 'b' are aliases, but both have a causality that is set "
         "from outside (input and input)\n"},
        {HEAD VARIABLES(REAL("a", "7", "initial='exact'", "start='0'")
                            REAL("b", "7", "initial='exact'", "start='0'")) STRUCTURE("") TAIL,
         "warn: m.xml:5: variables 'a' and 'b' are aliases, but both have a start value\n"},
        {HEAD VARIABLES(REAL("a", "7", "variability='constant'", "start='0'")
                            REAL("b", "7", "", "")) STRUCTURE("") TAIL,
         "warn: m.xml:5: variables 'a' and 'b' are aliases, but only one of them is constant\n"},
        {HEAD "<UnitDefinitions><Unit name='N'/></UnitDefinitions>\n" VARIABLES(
             REAL("a", "7", "", "unit='N'") REAL("b", "7", "", "")) STRUCTURE("") TAIL,
         "warn: m.xml:6: variables 'a' and 'b' are aliases, but have different units\n"},
        {HEAD VARIABLES(REAL("a", "7", "causality='input'", "start='0'") REAL(
             "b", "7", "",
             "") "<ScalarVariable name='c' valueReference='7'><Integer/></ScalarVariable>")
             STRUCTURE("") TAIL,
         ""},
    };
    EXPECT(*state, rows);
}

static void derivatives_refer_to_states(void **state)
{
    static const row rows[] = {
        {HEAD VARIABLES(REAL("x", "0", "", "") REAL("dx", "1", "", "derivative='3'")) STRUCTURE("")
             TAIL,
         "warn: m.xml:5: variable 'dx': derivative 3 is not the index of a variable (1 to 2)\n"},
        {HEAD VARIABLES(REAL("x", "0", "", "") REAL("dx", "1", "", "derivative='2'")) STRUCTURE("")
             TAIL,
         "warn: m.xml:5: variable 'dx' is its own derivative\n"},
        {HEAD VARIABLES(REAL("x", "0", "variability='discrete'", "")
                            REAL("dx", "1", "", "derivative='1'")) STRUCTURE("") TAIL,
         "warn: m.xml:5: variable 'dx' is the derivative of 'x', which is not a continuous Real\n"},
        {HEAD VARIABLES(REAL("x", "0", "", "")) STRUCTURE(
             "<Derivatives><Unknown index='1'/><Unknown index='1'/></Derivatives><InitialUnknowns>"
             "<Unknown index='1'/></InitialUnknowns>") TAIL,
         "warn: m.xml:4: variable 'x' is listed in ModelStructure/Derivatives, but has no "
         "attribute "
         "derivative\n"
         "warn: m.xml:4: variable 'x' is listed in ModelStructure/Derivatives, but has no "
         "attribute "
         "derivative\n"
         "warn: m.xml:4: variable 'x' is listed twice in ModelStructure/Derivatives\n"},
        {HEAD VARIABLES(REAL("x", "0", "initial='exact'", "start='1'")
                            REAL("dx", "1", "", "derivative='1'"))
             STRUCTURE("<Derivatives><Unknown index='2'/></Derivatives>") TAIL,
         "warn: m.xml:5: variable 'dx' is not listed in ModelStructure/InitialUnknowns\n"},
    };
    EXPECT(*state, rows);
}

static void initial_unknowns_are_complete_and_sorted(void **state)
{
    static const row rows[] = {
        {HEAD VARIABLES(REAL("y", "0", "causality='output'", "")) STRUCTURE(OUTPUT) TAIL,
         "warn: m.xml:4: variable 'y' is not listed in ModelStructure/InitialUnknowns\n"},
        {HEAD VARIABLES(REAL("y", "0", "causality='output' initial='exact'", "start='1'"))
             STRUCTURE(OUTPUT "<InitialUnknowns><Unknown index='1'/></InitialUnknowns>") TAIL,
         "warn: m.xml:4: variable 'y' must not be listed in ModelStructure/InitialUnknowns "
         "(causality output, initial exact)\n"},
        {HEAD VARIABLES(
             REAL("y", "0", "causality='calculatedParameter' variability='fixed'", "")
                 REAL("z", "1", "causality='calculatedParameter' variability='fixed'", ""))
             STRUCTURE("<InitialUnknowns><Unknown index='2'/><Unknown "
                       "index='1'/><Unknown index='1'/></InitialUnknowns>") TAIL,
         "warn: m.xml:4: variable 'y' is not in its place in ModelStructure/InitialUnknowns, which "
         "must be sorted\n"
         "warn: m.xml:4: variable 'y' is listed twice in ModelStructure/InitialUnknowns\n"},
    };
    EXPECT(*state, rows);
}

static void dependencies_have_a_kind_each(void **state)
{
#define UNKNOWN(attributes)                                                                        \
    HEAD VARIABLES(REAL("y", "0", "causality='output'", "")                                        \
                       REAL("u", "1", "causality='input'", "start='0'"))                           \
        STRUCTURE("<Outputs><Unknown index='1' " attributes                                        \
                  "/></Outputs><InitialUnknowns><Unknown index='1'/></InitialUnknowns>") TAIL
    static const row rows[] = {
        {UNKNOWN("dependencies='2' dependenciesKind='dependent'"), ""},
        {UNKNOWN("dependencies='2' dependenciesKind='dependent fixed'"),
         "warn: m.xml:7: there are 1 dependencies, but 2 dependenciesKind\n"},
        {UNKNOWN("dependencies='2' dependenciesKind='any'"),
         "warn: m.xml:7: unknown dependenciesKind 'any'\n"},
        {UNKNOWN("dependenciesKind='fixed'"),
         "warn: m.xml:7: there are 0 dependencies, but 1 dependenciesKind\n"},
    };
    EXPECT(*state, rows);
}

static void what_does_not_matter_is_information_in_a_log_that_is_not_strict(void **state)
{
    fixture *f = *state;
    takt_log_set_strict(f->log.log, 0);
    assert_int_equal(description_read(f, HEAD TAIL), TAKT_OK);
    assert_string_equal(f->log.text, "");
    assert_int_equal(takt_log_count(f->log.log, TAKT_LEVEL_WARN), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, description_setup, description_teardown)
    const struct CMUnitTest tests[] = {
        TEST(names_that_the_standard_does_not_know_are_told),
        TEST(elements_occur_once_and_in_order),
        TEST(units_are_defined_once),
        TEST(types_keep_their_rules),
        TEST(values_lie_within_their_limits),
        TEST(aliases_agree),
        TEST(derivatives_refer_to_states),
        TEST(initial_unknowns_are_complete_and_sorted),
        TEST(dependencies_have_a_kind_each),
        TEST(what_does_not_matter_is_information_in_a_log_that_is_not_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
