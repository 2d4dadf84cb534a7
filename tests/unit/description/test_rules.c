// SPDX-License-Identifier: MIT
// Each rule of the standard that a strict log names, with its line.
#include "unit/description/read_description.h"

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

static void kinds_of_initial_dependencies_are_fewer(void **state)
{
    static const row rows[] = {
        {HEAD VARIABLES(REAL("y", "0", "causality='output'", "")
                            REAL("u", "1", "causality='input'", "start='0'"))
             STRUCTURE(OUTPUT "<InitialUnknowns><Unknown index='1' dependencies='2' "
                              "dependenciesKind='fixed'/></InitialUnknowns>") TAIL,
         "warn: m.xml:7: the dependenciesKind 'fixed' is not for unknowns of initialization\n"},
    };
    EXPECT(*state, rows);
}

static void unknowns_depend_on_knowns(void **state)
{
#define DEPENDS(other)                                                                             \
    HEAD VARIABLES(REAL("y", "0", "causality='output'", "") other)                                 \
        STRUCTURE("<Outputs><Unknown index='1' dependencies='2'/></Outputs><InitialUnknowns>"      \
                  "<Unknown index='1' dependencies='2'/></InitialUnknowns>") TAIL
    static const row rows[] = {
        {DEPENDS(REAL("u", "1", "causality='input'", "start='0'")), ""},
        {DEPENDS(REAL("p", "1", "causality='parameter' variability='fixed'", "start='0'")),
         "warn: m.xml:4: variable 'y': dependencies name 'p', which is no input and no state\n"},
        {DEPENDS(REAL("c", "1", "", "")),
         "warn: m.xml:4: variable 'y': dependencies name 'c', which is no input and no state\n"
         "warn: m.xml:4: variable 'y': dependencies name 'c', which is neither an input nor has "
         "initial exact\n"},
    };
    EXPECT(*state, rows);
}

static void display_units_belong_to_units(void **state)
{
#define UNITS(units) "<UnitDefinitions>" units "</UnitDefinitions>\n"
    static const row rows[] = {
        {HEAD UNITS("<Unit name='K'><DisplayUnit name='C' offset='1'/></Unit>")
             VARIABLES(REAL("a", "0", "", "unit='K' displayUnit='C'")) STRUCTURE("") TAIL,
         ""},
        {HEAD UNITS("<Unit name='K'/>") VARIABLES(REAL("a", "0", "", "unit='K' displayUnit='F'"))
             STRUCTURE("") TAIL,
         "warn: m.xml:5: variable 'a': displayUnit 'F' is not defined for unit 'K'\n"},
        {HEAD VARIABLES(REAL("a", "0", "", "displayUnit='F'")) STRUCTURE("") TAIL,
         "warn: m.xml:4: variable 'a' has the displayUnit 'F', but no unit\n"},
        {HEAD UNITS("<Unit name='K'><DisplayUnit name='C'/><DisplayUnit name='C'/></Unit>")
             EMPTY TAIL,
         "warn: m.xml:3: the display unit 'C' is defined twice for 'K'\n"},
        {HEAD UNITS("<Unit name='K'><DisplayUnit name='C' factor='x'/></Unit>") EMPTY TAIL,
         "warn: m.xml:3: factor: 'x' is not a number\n"},
        {HEAD "<TypeDefinitions><SimpleType name='T'><Real unit='N'/></SimpleType>"
              "</TypeDefinitions>\n" EMPTY TAIL,
         "warn: m.xml:3: the type 'T': unit 'N' is not defined in UnitDefinitions\n"},
        {"<fmiModelDescription fmiVersion='1.0' modelName='M' modelIdentifier='m' guid='g' "
         "numberOfContinuousStates='0' numberOfEventIndicators='0'><UnitDefinitions><BaseUnit "
         "unit='K'><DisplayUnitDefinition displayUnit='C' gain='x'/></BaseUnit></UnitDefinitions>"
         "<ModelVariables><ScalarVariable name='a' valueReference='0'><Real unit='K' "
         "displayUnit='F'/></ScalarVariable></ModelVariables><Implementation>"
         "<CoSimulation_StandAlone><Capabilities canRejectSteps='maybe'/>"
         "</CoSimulation_StandAlone></Implementation>" TAIL,
         "warn: m.xml:1: gain: 'x' is not a number\n"
         "warn: m.xml:1: variable 'a': displayUnit 'F' is not defined for unit 'K'\n"
         "warn: m.xml:1: canRejectSteps: 'maybe' is not true or false\n"},
    };
    EXPECT(*state, rows);
}

#define ROOT(attributes)                                                                           \
    "<fmiModelDescription fmiVersion='2.0' modelName='M' guid='g' " attributes ">\n"               \
    "<CoSimulation modelIdentifier='m'/>\n"
#define NAMED(name)                                                                                \
    ROOT("variableNamingConvention='structured'")                                                  \
    VARIABLES(REAL(name, "0", "", "")) STRUCTURE("") TAIL

static void names_follow_the_convention(void **state)
{
    static const char *const good[] = {NAMED("a"),
                                       NAMED("vehicle.engine.speed"),
                                       NAMED("_a1.b_2[3,14].c"),
                                       NAMED("der(x)"),
                                       NAMED("der(a.b[1],2)"),
                                       NAMED("a.&apos;any thing \\&apos; here&apos;.b"),
                                       ROOT("") VARIABLES(REAL("any thing", "0", "", ""))
                                           STRUCTURE("") TAIL};
    static const char *const bad[] = {
        NAMED("a b"),   NAMED("1a"),      NAMED("a."),      NAMED("a[x]"),  NAMED("a[1"),
        NAMED("der(x"), NAMED("der(x,)"), NAMED("a..b"),    NAMED("a[]"),   NAMED(".a"),
        NAMED("der()"), NAMED("der(x)y"), NAMED("a&apos;"), NAMED("&apos;")};
    fixture *f = *state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(description_read(f, good[i]), TAKT_OK);
        assert_string_equal(f->log.text, "");
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(description_read(f, bad[i]), TAKT_OK);
        assert_contains(f->log.text, "has a name that is not structured, although");
    }
}

static void values_of_attributes_are_of_their_type(void **state)
{
    static const row rows[] = {
        {ROOT("generationDateAndTime='2026-11-15T12:30:00Z'") EMPTY TAIL, ""},
        {ROOT("generationDateAndTime='2026-11-15T12:30:00.25+01:00'") EMPTY TAIL, ""},
        {ROOT("generationDateAndTime='15.11.2026'") EMPTY TAIL,
         "warn: m.xml:1: generationDateAndTime: '15.11.2026' is not a date like "
         "2026-11-15T12:30:00Z\n"},
        {ROOT("generationDateAndTime='2026-11-15T12:30:00+1'") EMPTY TAIL,
         "warn: m.xml:1: generationDateAndTime: '2026-11-15T12:30:00+1' is not a date like "
         "2026-11-15T12:30:00Z\n"},
        {ROOT("variableNamingConvention='tree'") EMPTY TAIL,
         "warn: m.xml:1: variableNamingConvention: 'tree' is neither flat nor structured\n"},
        {HEAD VARIABLES(REAL("a", "0", "canHandleMultipleSetPerTimeInstant='no'", "")) STRUCTURE("")
             TAIL,
         "warn: m.xml:4: canHandleMultipleSetPerTimeInstant: 'no' is not true or false\n"},
        {HEAD VARIABLES(REAL("x", "0", "", "reinit='true'")) STRUCTURE("") TAIL,
         "warn: m.xml:4: variable 'x' has the attribute reinit, but is no state\n"},
        {HEAD VARIABLES(REAL("x", "0", "", "reinit='true'") REAL("dx", "1", "", "derivative='1'"))
             STRUCTURE("") TAIL,
         ""},
        {HEAD "<LogCategories><Category name='a'/><Category name='a'/></LogCategories>" EMPTY TAIL,
         "warn: m.xml:3: the category 'a' is defined twice\n"},
        {HEAD VARIABLES("<ScalarVariable name='t' valueReference='0' causality='independent'>"
                        "<Integer/></ScalarVariable>\n") STRUCTURE("") TAIL,
         "warn: m.xml:4: variable 't': variability discrete is not allowed with causality "
         "independent; taken as discrete\n"
         "warn: m.xml:4: the independent variable 't' has type Integer\n"},
    };
    EXPECT(*state, rows);
}

#define HEAD3                                                                                      \
    "<fmiModelDescription fmiVersion='3.0' modelName='M' instantiationToken='t'>\n"                \
    "<CoSimulation modelIdentifier='m' hasEventMode='true'/>\n<ModelVariables>\n"                  \
    "<Float64 name='time' valueReference='0' causality='independent' variability='continuous'/>\n"
#define STRUCTURE3(text) "</ModelVariables><ModelStructure>" text "</ModelStructure>" TAIL

static void variables_of_fmi_3_keep_their_rules(void **state)
{
    static const row rows[] = {
        {HEAD3 "<Float64 name='y' valueReference='1' causality='output'/>\n" STRUCTURE3(
             "<Output valueReference='1'/>"),
         "warn: m.xml:5: variable 'y' is not listed as InitialUnknown\n"},
        {HEAD3 "<Float64 name='y' valueReference='1' causality='output'><Dimension start='3'/>"
               "</Float64>\n" STRUCTURE3("<Output valueReference='1'/>"),
         "warn: m.xml:5: variable 'y' is not listed as InitialUnknown\n"},
        {HEAD3 "<Float64 name='p' valueReference='1' causality='calculatedParameter' "
               "variability='fixed'/>\n" STRUCTURE3(""),
         "warn: m.xml:5: variable 'p' is not listed as InitialUnknown\n"},
        {HEAD3 "<Float64 name='x' valueReference='1' initial='exact' start='1'/>\n"
               "<Float64 name='dx' valueReference='2' derivative='1'/>\n"
               "<Float64 name='z' valueReference='3' initial='calculated'/>\n"
               "<Float64 name='dz' valueReference='4' derivative='3'/>\n" STRUCTURE3(
                   "<ContinuousStateDerivative valueReference='2'/>"
                   "<ContinuousStateDerivative valueReference='4'/>"
                   "<InitialUnknown valueReference='4'/>"),
         "warn: m.xml:6: variable 'dx' is not listed as InitialUnknown\n"
         "warn: m.xml:7: variable 'z' is not listed as InitialUnknown\n"},
        {HEAD3 "<Float64 name='u' valueReference='1' causality='input' start='0'/>\n" STRUCTURE3(
             "<InitialUnknown valueReference='1'/>"),
         "warn: m.xml:5: variable 'u' must not be listed as InitialUnknown (causality input, "
         "initial none)\n"},
        {HEAD3 "<Float64 name='y' valueReference='1' causality='output'/>\n" STRUCTURE3(
             "<Output valueReference='1'/><InitialUnknown valueReference='1'/>"
             "<InitialUnknown valueReference='1'/>"),
         "warn: m.xml:5: variable 'y' is listed twice as InitialUnknown\n"},
        {HEAD3 "<Float64 name='x' valueReference='1' reinit='true'/>\n" STRUCTURE3(""),
         "warn: m.xml:5: variable 'x' has the attribute reinit, but is no state\n"},
        {HEAD3 "<Float64 name='x' valueReference='1' reinit='true'/>\n"
               "<Float64 name='dx' valueReference='2' derivative='1'/>\n" STRUCTURE3(""),
         ""},
        {HEAD3 "<Float64 name='u' valueReference='1' causality='input' start='0'/>\n"
               "<Float64 name='du' valueReference='2' derivative='1'/>\n" STRUCTURE3(""),
         "warn: m.xml:6: variable 'du' is the derivative of 'u', which is continuous input\n"},
        {HEAD3 "<Int32 name='a' valueReference='1' start='0' initial='exact'/>\n"
               "<Int32 name='b' valueReference='2' previous='1'/>\n"
               "<Int32 name='c' valueReference='3' previous='1'/>\n" STRUCTURE3(""),
         "warn: m.xml:7: variable 'c': previous names 'a', as another variable does\n"},
        {HEAD3
         "<UInt8 name='a' valueReference='1' causality='input' start='9' max='7'/>\n" STRUCTURE3(
             ""),
         "warn: m.xml:5: variable 'a': start 9 is not within min -inf and max 7\n"},
        {HEAD3 "<Clock name='c' valueReference='1' causality='output' "
               "intervalVariability='triggered' priority='1'/>\n" STRUCTURE3(
                   "<Output valueReference='1'/>"),
         "warn: m.xml:5: clock 'c' is an output and must not have a priority\n"},
        {HEAD3 "<Clock name='c' valueReference='1' causality='input' "
               "intervalVariability='fixed' supportsFraction='true'/>\n" STRUCTURE3(""),
         "warn: m.xml:5: clock 'c': supportsFraction needs resolution\n"},
        {HEAD3 STRUCTURE3("<Output valueReference='0' dependencies='0' dependenciesKind='any'/>"),
         "warn: m.xml:5: unknown dependenciesKind 'any'\n"
         "warn: m.xml:4: variable 'time' is listed in ModelStructure, but has causality "
         "independent\n"},
    };
    EXPECT(*state, rows);
}

static const char three_remarks[] =
    HEAD3 "<Float64 name='u' valueReference='1' causality='input'/>\n"
          "<Float64 name='v' valueReference='2' causality='input' variability='constant' "
          "start='0'/>\n"
          "<Int32 name='n' valueReference='3' variability='continuous'/>\n" STRUCTURE3("");

static void remarks_are_one_information_in_a_log_that_is_not_strict(void **state)
{
    fixture *f = *state;
    test_log_clear(&f->log);
    test_log_init_level(&f->log, TAKT_LEVEL_INFO);
    assert_int_equal(description_read(f, three_remarks), TAKT_OK);
    assert_string_equal(f->log.text,
                        "info: m.xml:5: 3 unusual things in this file, which `takt check` "
                        "of the FMU lists; the first: variable 'u' has no start "
                        "value\n");
    assert_int_equal(takt_log_count(f->log.log, TAKT_LEVEL_WARN), 0);
}

static void each_remark_is_a_message_for_debugging(void **state)
{
    fixture *f = *state;
    test_log_clear(&f->log);
    test_log_init_level(&f->log, TAKT_LEVEL_DEBUG);
    assert_int_equal(description_read(f, three_remarks), TAKT_OK);
    assert_contains(f->log.text, "debug: m.xml:5: variable 'u' has no start value\n");
    assert_contains(f->log.text, "debug: m.xml:7: variable 'n' of type Int32 cannot be continuous");
}

static void each_remark_is_a_warning_in_a_strict_log(void **state)
{
    fixture *f = *state;
    assert_int_equal(description_read(f, three_remarks), TAKT_OK);
    assert_int_equal(takt_log_count(f->log.log, TAKT_LEVEL_WARN), 3);
    assert_null(strstr(f->log.text, "unusual"));
}

static void clocks_that_never_tick_are_a_doubt(void **state)
{
    fixture *f = *state;
    takt_log_set_strict(f->log.log, 0);
    static const char text[] =
        "<fmiModelDescription fmiVersion='3.0' modelName='M' instantiationToken='t'>\n"
        "<CoSimulation modelIdentifier='m'/>\n<ModelVariables>\n"
        "<Float64 name='time' valueReference='0' causality='independent'/>\n"
        "<Clock name='c' valueReference='1' causality='input' intervalVariability='triggered'/>"
        "\n" STRUCTURE3("");
    assert_int_equal(description_read(f, text), TAKT_OK);
    assert_contains(f->log.text, "there are clocks, but hasEventMode is not true: they never tick");
    assert_int_equal(takt_log_count_doubts(f->log.log), 1);
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
        TEST(kinds_of_initial_dependencies_are_fewer),
        TEST(unknowns_depend_on_knowns),
        TEST(display_units_belong_to_units),
        TEST(names_follow_the_convention),
        TEST(values_of_attributes_are_of_their_type),
        TEST(variables_of_fmi_3_keep_their_rules),
        TEST(remarks_are_one_information_in_a_log_that_is_not_strict),
        TEST(each_remark_is_a_message_for_debugging),
        TEST(each_remark_is_a_warning_in_a_strict_log),
        TEST(clocks_that_never_tick_are_a_doubt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
