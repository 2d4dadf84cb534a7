// SPDX-License-Identifier: MIT
// modelDescription.xml of the built FMUs: what the standard demands, and what the plan of a coupled
// system relies on.
#include "support/raw_fmu.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>

#define UNPACKED TEST_FMUS ".unpacked"

static xmlDocPtr open_xml(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/modelDescription.xml", UNPACKED, name);
    xmlDocPtr xml = xmlReadFile(path, NULL, XML_PARSE_NONET);
    assert_non_null(xml);
    return xml;
}

// The text value of an XPath expression.
static void assert_value(xmlDocPtr xml, const char *expression, const char *expected)
{
    xmlXPathContextPtr context = xmlXPathNewContext(xml);
    char whole[512];
    snprintf(whole, sizeof whole, "string(%s)", expression);
    xmlXPathObjectPtr result = xmlXPathEvalExpression((const xmlChar *)whole, context);
    assert_non_null(result);
    if (strcmp((const char *)result->stringval, expected) != 0) print_error("%s:\n", expression);
    assert_string_equal((const char *)result->stringval, expected);
    xmlXPathFreeObject(result);
    xmlXPathFreeContext(context);
}

#define OUTPUT(name)                                                                               \
    "//Outputs/Unknown[@index = count(//ScalarVariable[@name='" name                               \
    "']/preceding-sibling::ScalarVariable) + 1]/@dependencies"
#define INITIAL(name)                                                                              \
    "//InitialUnknowns/Unknown[@index = count(//ScalarVariable[@name='" name                       \
    "']/preceding-sibling::ScalarVariable) + 1]/@dependencies"

static void dependencies_show_feedthrough(void **unused)
{
    (void)unused;
    xmlDocPtr xml = open_xml("Math003Part2"); // x1 x2 x4 -> x3
    assert_value(xml, "count(//Outputs/Unknown)", "1");
    assert_value(xml, OUTPUT("x3"), "1 2 3");
    assert_value(xml, INITIAL("x3"), "1 2 3");
    xmlFreeDoc(xml);

    xml = open_xml("Math003Part3");
    assert_value(xml, "count(//Outputs/Unknown/@dependencies)", "1");
    assert_value(xml, OUTPUT("x4"), "");
    assert_value(xml, INITIAL("x4"), "");
    xmlFreeDoc(xml);

    xml = open_xml("LotkaVolterraPrey"); // y, x, a, b, x0
    assert_value(xml, OUTPUT("x"), "");
    assert_value(xml, INITIAL("x"), "3 4 5"); // parameters, but not the input
    xmlFreeDoc(xml);

    xml = open_xml("Gain"); // u, y, k
    assert_value(xml, OUTPUT("y"), "1");
    assert_value(xml, INITIAL("y"), "1 3");
    xmlFreeDoc(xml);
}

static void exact_outputs_are_no_initial_unknowns(void **unused)
{
    (void)unused;
    xmlDocPtr xml = open_xml("Counter");
    assert_value(xml, "count(//Outputs/Unknown)", "4");
    assert_value(xml, "count(//InitialUnknowns/Unknown)", "3"); // without `count`
    assert_value(xml, "//ScalarVariable[@name='count']/@initial", "exact");
    assert_value(xml, "//ScalarVariable[@name='count']/Integer/@start", "0");
    assert_value(xml, "count(//ScalarVariable[@name='is_even']/Boolean/@start)", "0");
    assert_value(xml, "//ScalarVariable[@name='increment']/@variability", "tunable");
    assert_value(xml, "//ScalarVariable[@name='increment']/Integer/@max", "10");
    xmlFreeDoc(xml);
}

static void capabilities_are_declared(void **unused)
{
    (void)unused;
    xmlDocPtr xml = open_xml("Gain");
    assert_value(xml, "/fmiModelDescription/@fmiVersion", "2.0");
    assert_value(xml, "//CoSimulation/@modelIdentifier", "Gain");
    assert_value(xml, "//CoSimulation/@canGetAndSetFMUstate", "true");
    assert_value(xml, "//CoSimulation/@canSerializeFMUstate", "true");
    assert_value(xml, "//CoSimulation/@canHandleVariableCommunicationStepSize", "true");
    assert_value(xml, "//CoSimulation/@providesDirectionalDerivative", "true");
    assert_value(xml, "count(//LogCategories/Category[@name='logFmi2Call'])", "1");
    xmlFreeDoc(xml);
    xml = open_xml("LotkaVolterraPredator");
    assert_value(xml, "//CoSimulation/@maxOutputDerivativeOrder", "1");
    assert_value(xml, "//DefaultExperiment/@stopTime", "100");
    assert_value(xml, "//Unit[@name='1/s']/BaseUnit/@s", "-1");
    xmlFreeDoc(xml);
    xml = open_xml("OncePerProcess");
    assert_value(xml, "//CoSimulation/@canBeInstantiatedOnlyOncePerProcess", "true");
    xmlFreeDoc(xml);
    xml = open_xml("Misbehave");
    assert_value(xml, "//CoSimulation/@canRunAsynchronuously", "true");
    xmlFreeDoc(xml);
}

static void capabilities_of_fmi3_are_declared(void **unused)
{
    (void)unused;
    xmlDocPtr xml = open_xml("Gain_fmi3");
    assert_value(xml, "/fmiModelDescription/@fmiVersion", "3.0");
    assert_value(xml, "//CoSimulation/@modelIdentifier", "Gain");
    assert_value(xml, "//CoSimulation/@canGetAndSetFMUState", "true");
    assert_value(xml, "//CoSimulation/@providesAdjointDerivatives", "true");
    assert_value(xml, "count(//CoSimulation/@hasEventMode)", "0");
    assert_value(xml, "//Float64[@causality='independent']/@valueReference", "3");
    assert_value(xml, "//Output[@valueReference='1']/@dependencies", "0");
    assert_value(xml, "//InitialUnknown[@valueReference='1']/@dependencies", "0 2");
    xmlFreeDoc(xml);
    xml = open_xml("Thermostat_fmi3");
    assert_value(xml, "//CoSimulation/@hasEventMode", "true");
    assert_value(xml, "//CoSimulation/@mightReturnEarlyFromDoStep", "true");
    xmlFreeDoc(xml);
}

static void clocks_are_described(void **unused)
{
    (void)unused;
    xmlDocPtr xml = open_xml("ClockCounter_fmi3");
    assert_value(xml, "//Clock[@name='tick']/@intervalVariability", "triggered");
    assert_value(xml, "//Clock[@name='sample']/@intervalVariability", "constant");
    assert_value(xml, "//Clock[@name='sample']/@intervalDecimal", "0.5");
    assert_value(xml, "//Clock[@name='sample']/@shiftDecimal", "0.25");
    assert_value(xml, "//Int32[@name='number']/@clocks", "0");
    xmlFreeDoc(xml);
    xml = open_xml("ClockSource_fmi3");
    assert_value(xml, "count(//Output)", "2");
    assert_value(xml, "count(//InitialUnknown)", "1"); // not what belongs to a clock
    assert_value(xml, "//Int32[@name='number']/@variability", "discrete");
    xmlFreeDoc(xml);
}

static void arrays_are_described(void **unused)
{
    (void)unused;
    xmlDocPtr xml = open_xml("Arrays_fmi3");
    assert_value(xml, "//UInt64[@name='n']/@causality", "structuralParameter");
    assert_value(xml, "//Float64[@name='A']/Dimension[1]/@valueReference", "1");
    assert_value(xml, "//Float64[@name='A']/Dimension[2]/@valueReference", "0");
    assert_value(xml, "//Float64[@name='A']/@start", "1 2 3 4 5 6");
    assert_value(xml, "//Float32[@name='f_in']/Dimension[2]/@start", "2");
    assert_value(xml, "//String[@name='s_in']/Start[2]/@value", "second");
    assert_value(xml, "//Binary[@name='raw_in']/Start/@value", "6162");
    xmlFreeDoc(xml);
}

static void fmi1_describes_dependencies_and_capabilities(void **unused)
{
    (void)unused;
    xmlDocPtr xml = open_xml("LotkaVolterraPrey_fmi1");
    assert_value(xml, "/fmiModelDescription/@fmiVersion", "1.0");
    assert_value(xml, "/fmiModelDescription/@modelIdentifier", "LotkaVolterraPrey");
    assert_value(xml, "//Capabilities/@canHandleVariableCommunicationStepSize", "true");
    assert_value(xml, "//Capabilities/@maxOutputDerivativeOrder", "1");
    assert_value(xml, "count(//ScalarVariable[@name='x']/DirectDependency)", "1");
    assert_value(xml, "count(//ScalarVariable[@name='x']/DirectDependency/Name)", "0");
    assert_value(xml, "//ScalarVariable[@name='x0']/@causality", "internal");
    assert_value(xml, "//ScalarVariable[@name='x0']/@variability", "parameter");
    assert_value(xml, "//BaseUnit/@unit", "1/s");
    xmlFreeDoc(xml);
    xml = open_xml("Gain_fmi1");
    assert_value(xml, "//ScalarVariable[@name='y']/DirectDependency/Name", "u");
    xmlFreeDoc(xml);
    xml = open_xml("Counter_fmi1");
    assert_value(xml, "//Type[@name='Amount']/EnumerationType/Item[3]/@name", "many");
    assert_value(xml, "count(//Item/@value)", "0");
    xmlFreeDoc(xml);
}

static void special_characters_survive(void **unused)
{
    (void)unused;
    xmlDocPtr xml = open_xml("Passthrough");
    assert_value(xml, "//ScalarVariable[@name='string_in']/String/@start", "start & <text>");
    assert_value(xml, "//SimpleType[@name='Mode']/@description", "Three modes & <one> \"quote\"");
    assert_value(xml, "//SimpleType[@name='Mode']/Enumeration/Item[3]/@value", "5");
    assert_value(xml, "//ScalarVariable[@name='enumeration_in']/Enumeration/@declaredType", "Mode");
    assert_value(xml, "count(//SimpleType)", "1");
    xmlFreeDoc(xml);
}

static void wide_fmu_sets_and_gets_all_values_in_one_call(void **unused)
{
    (void)unused;
    xmlDocPtr xml = open_xml("Wide");
    assert_value(xml, "count(//ScalarVariable[@causality='input'])", "20");
    assert_value(xml, "count(//ScalarVariable[@causality='output'])", "20");
    xmlFreeDoc(xml);
    raw_fmu f;
    raw_open(&f, UNPACKED, "Wide");
    raw_start(&f);
    fmi2ValueReference vr[20];
    double values[20];
    for (unsigned i = 0; i < 20; i++) vr[i] = i, values[i] = 1;
    assert_int_equal(f.fmi2SetReal(f.c, vr, 20, values), fmi2OK);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0.1, fmi2True), fmi2OK);
    for (unsigned i = 0; i < 20; i++) vr[i] = 20 + i;
    assert_int_equal(f.fmi2GetReal(f.c, vr, 20, values), fmi2OK);
    for (int i = 0; i < 20; i++) assert_near(values[i], 0.1, 1e-12); // heated evenly
    raw_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependencies_show_feedthrough),
        cmocka_unit_test(exact_outputs_are_no_initial_unknowns),
        cmocka_unit_test(capabilities_are_declared),
        cmocka_unit_test(capabilities_of_fmi3_are_declared),
        cmocka_unit_test(clocks_are_described),
        cmocka_unit_test(arrays_are_described),
        cmocka_unit_test(fmi1_describes_dependencies_and_capabilities),
        cmocka_unit_test(special_characters_survive),
        cmocka_unit_test(wide_fmu_sets_and_gets_all_values_in_one_call),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xmlCleanupParser();
    return failed;
}
