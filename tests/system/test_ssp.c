// SPDX-License-Identifier: MIT
// Projects of SSP from end to end: packages with everything in them run, are converted, and run the
// same again.
#include <glob.h>

#include "support/archive.h"
#include "support/results.h"
#include "support/ssd.h"

#define SPACES                                                                                     \
    " xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription'"                         \
    " xmlns:ssc='http://ssp-standard.org/SSP1/SystemStructureCommon'"                              \
    " xmlns:ssv='http://ssp-standard.org/SSP1/SystemStructureParameterValues'"                     \
    " xmlns:ssm='http://ssp-standard.org/SSP1/SystemStructureParameterMapping'"
#define SSD(name, content)                                                                         \
    "<?xml version='1.0' encoding='UTF-8'?>\n"                                                     \
    "<ssd:SystemStructureDescription version='1.0' name='" name "'" SPACES ">\n" content           \
    "</ssd:SystemStructureDescription>\n"

// Brings a value of every type through a connector of the system Sub, changed on the way.
#define CONNECTOR(name, kind) "<ssd:Connector name='" name "' kind='" kind "'/>\n"
#define FORWARD(name, attributes, transformation)                                                  \
    "<ssd:Connection startElement='A' startConnector='" name "_out' endElement='Sub' "             \
    "endConnector='" name "'" attributes ">" transformation "</ssd:Connection>\n"
#define INWARD(name)                                                                               \
    "<ssd:Connection startConnector='" name "' endElement='B' endConnector='" name "_in'/>\n"
#define ENTRY(source, target) "<ssc:MapEntry source='" source "' target='" target "'/>"

// The names between the two maps of the enumeration are only those of the connector.
#define SUB_CONNECTORS                                                                             \
    CONNECTOR("real", "input")                                                                     \
    CONNECTOR("integer", "input")                                                                  \
    CONNECTOR("boolean", "input")                                                                  \
    CONNECTOR("enumeration", "input")                                                              \
    CONNECTOR("start", "parameter")
#define SUB_CONNECTIONS                                                                            \
    "<ssd:Connection startConnector='real' endElement='B' endConnector='real_in'>"                 \
    "<ssc:LinearTransformation factor='10'/></ssd:Connection>\n" INWARD("integer") INWARD(         \
        "boolean") "<ssd:Connection startConnector='enumeration' endElement='B' "                  \
                   "endConnector='enumeration_in'><ssc:EnumerationMappingTransformation>" ENTRY(   \
                       "hurried", "fast")                                                          \
                       ENTRY("off",                                                                \
                             "slow") "</ssc:EnumerationMappingTransformation></ssd:Connection>\n"  \
                                     "<ssd:Connection startConnector='start' endElement='G' "      \
                                     "endConnector='k'><ssc:LinearTransformation factor='3'/>"     \
                                     "</ssd:Connection>"

static const char sub[] =
    "<ssd:System name='Sub'>\n<ssd:Connectors>" SUB_CONNECTORS "</ssd:Connectors>\n"
    "<ssd:Elements><ssd:Component name='B' source='resources/Passthrough.fmu'/>"
    "<ssd:Component name='G' source='resources/Gain.fmu'/></ssd:Elements>\n"
    "<ssd:Connections>" SUB_CONNECTIONS "</ssd:Connections></ssd:System>\n";

static const char head[] =
    "<ssd:System name='root'>\n"
    "<ssd:ParameterBindings><ssd:ParameterBinding source='resources/values.ssv'>"
    "<ssd:ParameterMapping source='resources/names.ssm'/></ssd:ParameterBinding>"
    "</ssd:ParameterBindings>\n"
    "<ssd:Elements><ssd:Component name='A' source='resources/Passthrough.fmu'/>\n";

static const char tail[] = "</ssd:Elements><ssd:Connections>\n" FORWARD(
    "real", "", "<ssc:LinearTransformation factor='2' offset='1'/>")
    FORWARD("integer", "",
            "<ssc:IntegerMappingTransformation>" ENTRY("7", "-7")
                ENTRY("1", "2") "</ssc:IntegerMappingTransformation>")
        FORWARD("boolean", "",
                "<ssc:BooleanMappingTransformation>" ENTRY("true", "false")
                    ENTRY("false", "true") "</ssc:BooleanMappingTransformation>")
            FORWARD(
                "enumeration", "",
                "<ssc:EnumerationMappingTransformation>" ENTRY(
                    "slow",
                    "hurried") "</ssc:EnumerationMappingTransformation>") "</ssd:Connections></"
                                                                          "ssd:System>\n"
                                                                          "<ssd:DefaultExperiment "
                                                                          "startTime='0' "
                                                                          "stopTime='1'/>\n";

static const char values[] =
    "<ssv:ParameterSet version='1.0' name='v'" SPACES "><ssv:Parameters>\n"
    "<ssv:Parameter name='r'><ssv:Real value='50' unit='cm'/></ssv:Parameter>\n"
    "<ssv:Parameter name='i'><ssv:Integer value='7'/></ssv:Parameter>\n"
    "<ssv:Parameter name='b'><ssv:Boolean value='true'/></ssv:Parameter>\n"
    "<ssv:Parameter name='e'><ssv:Enumeration value='slow'/></ssv:Parameter>\n"
    "<ssv:Parameter name='g'><ssv:Real value='2'/></ssv:Parameter>\n"
    "<ssv:Parameter name='unused'><ssv:Real value='2'/></ssv:Parameter>\n"
    "</ssv:Parameters><ssv:Units><ssc:Unit name='cm'><ssc:BaseUnit m='1' factor='0.01'/></ssc:Unit>"
    "</ssv:Units></ssv:ParameterSet>\n";

#define MAP(source, target) "<ssm:MappingEntry source='" source "' target='" target "'/>\n"
static const char names[] =
    "<ssm:ParameterMapping version='1.0'" SPACES ">\n"
    "<ssm:MappingEntry source='r' target='A.real_in' suppressUnitConversion='true'>"
    "<ssc:LinearTransformation factor='0.01'/></ssm:MappingEntry>\n" MAP("i", "A.integer_in")
        MAP("b", "A.boolean_in") MAP("e", "A.enumeration_in")
            MAP("g", "Sub.start") "</ssm:ParameterMapping>\n";

static void write_package(test_sandbox *box, const char *name)
{
    char path[2 * TEST_PATH_SIZE], text[16384];
    snprintf(path, sizeof path, "%s/%s", box->work, name);
    snprintf(text, sizeof text, SSD("main", "%s%s%s"), head, sub, tail);
    test_archive(
        path,
        (test_entry[]){
            {.name = "SystemStructure.ssd", .data = text},
            {.name = "Small.ssd",
             .data = SSD("small one",
                         "<!-- of somebody else -->\n<ssd:System name='s'><ssd:Elements>"
                         "<ssd:Component name='G' source='resources/Gain.fmu'>"
                         "<ssd:ElementGeometry x1='1' y1='2' x2='3' y2='4'/>"
                         "<ssd:Annotations><ssc:Annotation type='com.other'><x:y xmlns:x='x:x' "
                         "z='1'/></ssc:Annotation></ssd:Annotations>"
                         "</ssd:Component></ssd:Elements></ssd:System>\n")},
            {.name = "resources/values.ssv", .data = values},
            {.name = "resources/names.ssm", .data = names},
            {.name = "resources/Passthrough.fmu", .file = TEST_FMUS "/Passthrough.fmu"},
            {.name = "resources/Gain.fmu", .file = TEST_FMUS "/Gain.fmu"},
            {.name = "extra/com.other/notes.txt", .data = "notes"},
        },
        7);
}

static void check_results(test_sandbox *box, const char *name)
{
    test_results r;
    test_results_read(&r, box, name);
    int last = r.n_rows - 1;
    assert_near(test_result(&r, last, "A.real_out"), 0.5, 0);
    assert_near(test_result(&r, last, "Sub.B.real_out"), 20, 1e-12); // 10 (2 * 0.5 + 1)
    assert_near(test_result(&r, last, "Sub.B.integer_out"), -7, 0);
    assert_near(test_result(&r, last, "Sub.B.boolean_out"), 0, 0);
    assert_near(test_result(&r, last, "Sub.B.enumeration_out"), 5, 0);
    test_results_clear(&r);
}

static void a_package_with_everything_runs(void **state)
{
    test_sandbox *box = *state;
    write_package(box, "all.ssp");
    test_run(box, "run", "all.ssp", "--set", "Sub.G.u=1", "-q", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    check_results(box, "all.csv");
    test_results r;
    test_results_read(&r, box, "all.csv");
    assert_near(test_result(&r, 0, "Sub.G.y"), 6, 0); // the connector Sub.start is 2, three times
    test_results_clear(&r);
}

static void a_converted_package_gives_the_same_results(void **state)
{
    test_sandbox *box = *state;
    write_package(box, "all.ssp");
    test_run_program(box, "mkdir", "other", NULL);
    test_run(box, "convert", "all.ssp", "other/all.ssd", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->out, "other/all.ssd: written\n");
    assert_true(test_has_file(box, "other/resources/Gain.fmu"));
    assert_true(test_has_file(box, "other/extra/com.other/notes.txt"));
    test_run(box, "run", "other/all.ssd", "-q", NULL);
    assert_exit(box, 0);
    check_results(box, "all.csv");
    test_run(box, "convert", "other/all.ssd", "again.ssp", "--set", "A.real_in=25 cm", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "again.ssp", "-q", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "again.csv");
    assert_near(test_result(&r, 0, "A.real_out"), 0.25, 0);
    test_results_clear(&r);
}

// A folder is a package, too: what belongs to it keeps its place, the rest comes into resources/.
static void a_folder_becomes_a_package_and_is_written(void **state)
{
    test_sandbox *box = *state;
    test_run_program(box, "mkdir", "-p", "plant/resources/sub", "plant/extra", NULL);
    test_write_text(box, "plant/SystemStructure.ssd",
                    SSD("plant",
                        "<ssd:System name='s'><ssd:Elements>"
                        "<ssd:Component name='A' source='resources/sub/Gain.fmu'>"
                        "<ssd:ElementGeometry x1='0' y1='0' x2='1' y2='1' iconSource='none.png'/>"
                        "</ssd:Component>"
                        "<ssd:Component name='B' source='../Gain.fmu'/>"
                        "<ssd:Component name='C' type='application/x-ssp-definition' "
                        "source='resources/sub/inner.ssd'/>"
                        "</ssd:Elements></ssd:System>"));
    test_write_text(box, "plant/resources/sub/inner.ssd",
                    SSD("inner", "<ssd:System name='s'><ssd:Elements>"
                                 "<ssd:Component name='D' source='../../../Gain.fmu'/>"
                                 "</ssd:Elements></ssd:System>"));
    test_write_text(box, "plant/Winter.ssd",
                    SSD("winter", "<ssd:System name='s'><ssd:Elements>"
                                  "<ssd:Component name='W' source='resources/sub/Gain.fmu'/>"
                                  "</ssd:Elements></ssd:System>"));
    test_write_text(box, "plant/resources/notes.txt", "notes");
    test_write_text(box, "plant/extra/a.txt", "a");
    test_run_program(box, "cp", TEST_FMUS "/Gain.fmu", "plant/resources/sub", NULL);
    test_run_program(box, "cp", TEST_FMUS "/Gain.fmu", ".", NULL);
    test_run(box, "convert", "plant", "plant.ssp", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "plant/none.png: cannot be found; the reference stays as it is");
    test_run(box, "convert", "plant.ssp", "new/", NULL);
    assert_exit(box, 0);
    test_run(box, "convert", "plant", "direct/", "-q", NULL);
    assert_exit(box, 0);
    static const char *const files[] = {"resources/sub/Gain.fmu", "resources/Gain.fmu",
                                        "resources/notes.txt", "extra/a.txt", "Winter.ssd"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[100];
        snprintf(name, sizeof name, "new/%s", files[i]);
        assert_true(test_has_file(box, name));
        snprintf(name, sizeof name, "direct/%s", files[i]);
        assert_true(test_has_file(box, name));
    }
    char *text = test_read_file(box, "new/resources/sub/inner.ssd", NULL);
    assert_contains(text, "source='../Gain.fmu'");
    free(text);
    test_run(box, "info", "new", NULL);
    assert_contains(box->out, "components 3");
    test_run(box, "run", "new", "--variant", "winter", "--no-output", NULL);
    assert_exit(box, 0);
}

static void assert_same_files(test_sandbox *box, const char *a, const char *b, const char *what)
{
    size_t n_a = 0, n_b = 0;
    char *x = test_read_file(box, a, &n_a), *y = test_read_file(box, b, &n_b);
    if (!x != !y || n_a != n_b || (x && memcmp(x, y, n_a) != 0))
        fail_msg("%s: %s and %s differ", what, a, b);
    free(x);
    free(y);
}

// Only what was read is written anew; all else that is there belongs to somebody.
static void converting_replaces_no_description_that_it_did_not_read(void **state)
{
    test_sandbox *box = *state;
    const char *inner = SSD("inner", "<ssd:System name='s'><ssd:Elements>"
                                     "<ssd:Component name='D' source='Gain.fmu'/>"
                                     "</ssd:Elements></ssd:System>");
    test_link(box, "Gain.fmu", TEST_FMUS "/Gain.fmu");
    test_write_text(box, "inner.ssd", inner);
    test_write_text(box, "outer.ssd",
                    SSD("outer", "<ssd:System name='s'><ssd:Elements>"
                                 "<ssd:Component name='C' source='inner.ssd'/>"
                                 "</ssd:Elements></ssd:System>"));
    test_run(box, "convert", "outer.ssd", "./inner.ssd", NULL);
    assert_one_error(box, 2, "./inner.ssd: would replace a file that the project refers to");
    test_run_program(box, "mkdir", "mine", NULL);
    test_write_text(box, "mine/SystemStructure.ssd", inner);
    test_run(box, "convert", "outer.ssd", "mine", NULL);
    assert_one_error(box, 1, "mine/SystemStructure.ssd: is there already, with other content");
    assert_same_files(box, "inner.ssd", "mine/SystemStructure.ssd", "other project");
    test_run(box, "convert", "outer.ssd", "new/", NULL);
    assert_exit(box, 0);
    test_run(box, "convert", "outer.ssd", "new/", NULL); // the same once more
    assert_exit(box, 0);
    test_run(box, "convert", "new", "new", "--stop-time", "3", NULL); // edits it
    assert_exit(box, 0);
    char *text = test_read_file(box, "new/SystemStructure.ssd", NULL);
    assert_contains(text, "stopTime=\"3\"");
    free(text);
    test_run(box, "convert", "outer.ssd", "CAPITAL.SSP", "-q", NULL);
    assert_exit(box, 0);
    test_run(box, "check", "CAPITAL.SSP", NULL);
    assert_exit(box, 0);
}

#define ARRAYS "<ssd:Component name='A' source='resources/Arrays_fmi3.fmu'>"
#define NUMBERS(name, value, sizes)                                                                \
    "<ssv:Parameter name='" name "'><ssv:Float64 value='" value "'/>" sizes "</ssv:Parameter>\n"
#define SIZE(size) "<ssc:Dimension size='" size "'/>"
#define BINDING(parameters)                                                                        \
    "<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>"                           \
    "<ssv:ParameterSet version='2.0' name='v'><ssv:Parameters>\n" parameters                       \
    "</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>"            \
    "</ssd:ParameterBindings>\n"

static void write_arrays(test_sandbox *box, const char *name, const char *ssd)
{
    test_write_text(box, name, ssd);
    test_run_program(box, "mkdir", "-p", "resources", NULL);
    test_run_program(box, "cp", TEST_FMUS "/Arrays_fmi3.fmu", "resources", NULL);
}

static void dimensions_must_be_those_of_the_fmu(void **state)
{
    test_sandbox *box = *state;
    write_arrays(
        box, "a.ssd",
        SSD("a", "<ssd:System name='s'>" BINDING(
                     NUMBERS("A.A", "1 2 3 4 5 6", SIZE("3") SIZE("2"))
                         NUMBERS("A.u", "1 2 3", SIZE("3")) NUMBERS(
                             "A.u", "1",
                             SIZE("x"))) "<ssd:Elements>" ARRAYS "<ssd:Connectors>\n"
                                         "<ssd:Connector name='u' kind='input'><ssc:Float64/>" SIZE(
                                             "5") "</ssd:Connector>\n"
                                                  "<ssd:Connector name='z' "
                                                  "kind='output'><ssc:Float64/><ssc:Dimension "
                                                  "sizeConnector='rows'/></ssd:Connector>\n"
                                                  "<ssd:Connector name='n' "
                                                  "kind='structuralParameter'>" SIZE(
                                                      "2") "</ssd:Connector>\n"
                                                           "</ssd:Connectors></ssd:Component></"
                                                           "ssd:Elements></ssd:System>"));
    test_run(box, "check", "a.ssd", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "connector A.u is declared with the dimensions [5], but the FMU's "
                              "variable is [3]");
    assert_contains(box->err, "connector A.n is declared with the dimensions [2], but the FMU's "
                              "variable is a scalar");
    assert_contains(box->err, "the value of 'A.A' has the dimensions [3,2], but the variable is "
                              "[2,3]");
    assert_int_equal(test_count(box->err, "A.z"), 0);
    assert_int_equal(test_count(box->err, "error:"), 4); // A.u is given twice
}

static void values_reach_elements_of_arrays_behind_connectors(void **state)
{
    test_sandbox *box = *state;
    write_arrays(
        box, "a.ssd",
        SSD("a",
            "<ssd:System name='s'>" BINDING(
                NUMBERS("S.m", "1 0 0 0 1 0", SIZE("2") SIZE("3")) NUMBERS(
                    "S.m[2,2]", "9",
                    "")) "<ssd:Elements>"
                         "<ssd:System name='S'><ssd:Connectors>" CONNECTOR("m", "parameter")
                             CONNECTOR("t", "input") "</ssd:Connectors>" BINDING(
                                 "<ssv:Parameter name='t'><ssv:String>"
                                 "<ssv:Value value='x y'/><ssv:Value "
                                 "value='z'/></ssv:String>" SIZE(
                                     "2") "</ssv:Parameter>") "<ssd:Elements>" ARRAYS
                                                              "</ssd:Component></"
                                                              "ssd:Elements><ssd:Connections>"
                                                              "<ssd:Connection startConnector='m' "
                                                              "endElement='A' endConnector='A'/>"
                                                              "<ssd:Connection startConnector='t' "
                                                              "endElement='A' endConnector='s_in'/>"
                                                              "</ssd:Connections></ssd:System></"
                                                              "ssd:Elements></ssd:System>"));
    test_run(box, "run", "a.ssd", "-q", "--stop-time", "1", "--set", "S.m[1,3]=4", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    char *csv = test_read_file(box, "a.csv", NULL);
    assert_contains(csv, "\"x y\",\"z\"");
    free(csv);
    test_run(box, "run", "a.ssd", "-q", "--stop-time", "1", "--record", "S.A.z*", "--set",
             "S.m[1,3]=4", NULL);
    test_results r;
    test_results_read(&r, box, "a.csv");
    assert_near(test_result(&r, 0, "S.A.z[1]"), 5, 0);
    assert_near(test_result(&r, 0, "S.A.z[2]"), 9, 0);
    test_results_clear(&r);
    test_run(box, "check", "a.ssd", "--set", "S.m[7,7]=4", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "component 'S.A' has no variable 'A[7,7]'");
}

static void values_for_connectors_are_converted_to_their_units(void **state)
{
    test_sandbox *box = *state;
    test_run_program(box, "mkdir", "resources", NULL);
    test_run_program(box, "cp", TEST_FMUS "/Arrays_fmi3.fmu", TEST_FMUS "/Gain.fmu", "resources",
                     NULL);
    test_run_program(box, "cp", TEST_DATA "/ssp/connector_units.ssd", "a.ssd", NULL);
    test_run(box, "run", "a.ssd", "-q", "--stop-time", "1", "--record", "*.u*", "--record", "S.*.k",
             NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "a.csv");
    assert_near(test_result(&r, 0, "S.G.k"), 200, 1e-12);
    assert_near(test_result(&r, 0, "S.H.u"), 200, 1e-12); // the second of the list
    assert_near(test_result(&r, 0, "S.T.I.u"), 40, 1e-12); // the factor instead of a conversion
    assert_near(test_result(&r, 0, "J.u"), 300,
                1e-12); // a constant that S gives, not its own start
    assert_near(test_result(&r, 0, "S.A.u[1]"), 500, 1e-12);
    assert_near(test_result(&r, 0, "S.A.u[3]"), 700, 1e-12);
    test_results_clear(&r);
    test_run(box, "run", "a.ssd", "-q", "--stop-time", "1", "--record", "*.u*", "--set",
             "S.list=4 5 6 m", "--set", "S.list[3]=1", "--set", "J.u=7", NULL);
    assert_exit(box, 0);
    test_results_read(&r, box, "a.csv");
    assert_near(test_result(&r, 0, "S.H.u"), 500, 1e-12);
    assert_near(test_result(&r, 0, "J.u"), 7, 0); // what is given for a run wins over all
    test_results_clear(&r);
    test_run(box, "check", "a.ssd", "--set", "S.list=4 5", NULL);
    assert_exit(box, 0);
}

static void elements_of_arrays_become_indices_when_converted(void **state)
{
    test_sandbox *box = *state;
    write_arrays(
        box, "OspSystemStructure.xml",
        "<OspSystemStructure xmlns='http://opensimulationplatform.com/MSMI/OSPSystemStructure' "
        "version='0.1'><Simulators>"
        "<Simulator name='A' source='resources/Arrays_fmi3.fmu'/>"
        "<Simulator name='B' source='resources/Arrays_fmi3.fmu'/></Simulators><Connections>"
        "<VariableConnection><Variable simulator='A' name='y[2]'/>"
        "<Variable simulator='B' name='u[3]'/></VariableConnection>"
        "<VariableConnection><Variable simulator='A' name='f_out[1,2]'/>"
        "<Variable simulator='B' name='f_in[2,1]'/></VariableConnection>"
        "</Connections></OspSystemStructure>");
    test_run(box, "convert", "OspSystemStructure.xml", "a.ssd", "-q", "--set", "A.u=1 2 3", NULL);
    assert_exit(box, 0);
    char *text = test_read_file(box, "a.ssd", NULL);
    assert_contains(text, "SystemStructureParameterValues\" version=\"2.0\"");
    assert_contains(text, "startConnector=\"f_out\" startIndices=\"1 2\" endElement=\"B\" "
                          "endConnector=\"f_in\" endIndices=\"2 1\"");
    assert_contains(text, "<ssd:Connector name=\"f_in\" kind=\"input\">");
    assert_contains(text, "<ssc:Dimension size=\"3\"/>");
    free(text);
    test_run(box, "run", "a.ssd", "-q", "--stop-time", "1", "-o", "a.csv", "--set", "A.n=3", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "OspSystemStructure.xml", "-q", "--stop-time", "1", "-o", "b.csv", "--set",
             "A.u=1 2 3", NULL);
    assert_same_files(box, "a.csv", "b.csv", "arrays");
}

static void values_on_the_command_line_win_in_their_order(void **state)
{
    test_sandbox *box = *state;
    write_package(box, "all.ssp");
    test_write_text(box, "more.ssv",
                    "<ssv:ParameterSet version='1.0' name='v'" SPACES "><ssv:Parameters>\n"
                    "<ssv:Parameter name='A.real_in'><ssv:Real value='3'/></ssv:Parameter>\n"
                    "<ssv:Parameter name='Sub.start'><ssv:Real value='5'/></ssv:Parameter>\n"
                    "<ssv:Parameter name='A.nothing'><ssv:Real value='5'/></ssv:Parameter>\n"
                    "<ssv:Parameter name='A.real_inn'><ssv:Real value='5'/></ssv:Parameter>\n"
                    "<ssv:Parameter name='Subb.G.k'><ssv:Real value='5'/></ssv:Parameter>\n"
                    "</ssv:Parameters></ssv:ParameterSet>\n");
    test_run(box, "run", "all.ssp", "--ssv", "more.ssv", "--set", "Sub.G.u=1", "-q", NULL);
    assert_exit(box, 0);
    assert_contains(box->err,
                    "more.ssv:4: warning: 'A.nothing' names no variable; its value is not used\n"
                    "more.ssv:5: warning: 'A.real_inn' names no variable; its value is not used; "
                    "did you mean 'real_in'?\n"
                    "more.ssv:6: warning: 'Subb.G.k' names no variable; its value is not used; "
                    "did you mean 'Sub.G'?\n");
    test_results r;
    test_results_read(&r, box, "all.csv");
    assert_near(test_result(&r, 0, "A.real_out"), 3, 0);
    assert_near(test_result(&r, 0, "Sub.G.y"), 15, 0);
    test_results_clear(&r);
    test_run(box, "run", "all.ssp", "--set", "A.real_in=1", "--ssv", "more.ssv", "--set",
             "A.real_in=4 mm", "-q", NULL);
    test_results_read(&r, box, "all.csv");
    assert_near(test_result(&r, 0, "A.real_out"), 0.004, 1e-15);
    test_results_clear(&r);
}

static void units_that_do_not_fit_are_refused(void **state)
{
    test_sandbox *box = *state;
    write_package(box, "all.ssp");
    static const char *const wrong[][2] = {
        {"A.real_in=4 kg", "A.real_in is measured in 'm', but the value is given in 'kg', which "
                           "measures something else"},
        {"Subb.G.k=1", "there is no component 'Subb.G'; did you mean 'Sub.G'?"},
        {"A.real_in=4 furlong", "A.real_in = 4 furlong: the unit 'furlong' is not known"},
        {"Sub.G.k=4 m", "the variable has no unit; write the number alone, without 'm'"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        test_run(box, "run", "all.ssp", "--set", wrong[i][0], "-q", NULL);
        assert_one_error(box, 2, wrong[i][1]);
    }
}

static void numbers_are_mapped_to_items_only(void **state)
{
    test_sandbox *box = *state;
    test_write_text(
        box, "m.ssd",
        SSD("m",
            "<ssd:System name='s'><ssd:Elements>"
            "<ssd:Component name='A' source='Passthrough.fmu'/>"
            "<ssd:Component name='B' source='Passthrough.fmu'/></ssd:Elements>"
            "<ssd:Connections><ssd:Connection startElement='A' "
            "startConnector='enumeration_out' endElement='B' endConnector='enumeration_in'>"
            "<ssc:IntegerMappingTransformation>" ENTRY("77", "78") ENTRY(
                "2", "3") "</ssc:IntegerMappingTransformation></ssd:Connection></ssd:Connections>"
                          "</ssd:System>"));
    test_run_program(box, "cp", TEST_FMUS "/Passthrough.fmu", ".", NULL);
    test_run(box, "check", "m.ssd", NULL);
    assert_one_error(box, 3,
                     "A.enumeration_out to B.enumeration_in: 2 is mapped to 3, which is no "
                     "item of the enumeration of B.enumeration_in");
}

#define MAPPED(kind, source, target)                                                               \
    "<ssc:" kind "MappingTransformation>" ENTRY(source, target) "</ssc:" kind                      \
                                                                "MappingTransformation>"

// A connector of S leads to B through an integer map and, with `outer`, to it from A.
static void write_mapped(test_sandbox *box, const char *outer)
{
    char text[4096];
    snprintf(text, sizeof text,
             SSD("m", "<ssd:System name='s'><ssd:Elements>"
                      "<ssd:Component name='A' source='Passthrough.fmu'/><ssd:System name='S'>"
                      "<ssd:Connectors><ssd:Connector name='in' kind='input'/></ssd:Connectors>"
                      "<ssd:Elements><ssd:Component name='B' source='Passthrough.fmu'/>"
                      "</ssd:Elements><ssd:Connections>"
                      "<ssd:Connection startConnector='in' endElement='B' "
                      "endConnector='enumeration_in'>%s</ssd:Connection></ssd:Connections>"
                      "</ssd:System></ssd:Elements>%s</ssd:System>"),
             MAPPED("Integer", "2", "5"), outer);
    test_write_text(box, "m.ssd", text);
    test_run_program(box, "cp", TEST_FMUS "/Passthrough.fmu", ".", NULL);
}

static void a_map_of_integers_takes_items_by_name(void **state)
{
    test_sandbox *box = *state;
    write_mapped(box, "");
    test_run(box, "run", "m.ssd", "-q", "--stop-time", "1", "--set", "S.in=slow", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "m.csv");
    assert_near(test_result(&r, 0, "S.B.enumeration_out"), 5, 0);
    test_results_clear(&r);
    test_run(box, "check", "m.ssd", "--set", "S.in=quick", NULL);
    assert_contains(box->err, "a map of integers cannot be applied to 'quick'");
}

// 'fast' is 2 at the connector, and 5 in the FMU.
static void items_at_connectors_have_the_numbers_that_the_description_defines(void **state)
{
    test_sandbox *box = *state;
    test_write_text(
        box, "m.ssd",
        SSD("m", "<ssd:System name='s'><ssd:Connectors><ssd:Connector name='in' kind='input'>"
                 "<ssc:Enumeration name='Gear'/></ssd:Connector></ssd:Connectors><ssd:Elements>"
                 "<ssd:Component name='B' source='" TEST_FMUS "/Passthrough.fmu'/></ssd:Elements>"
                 "<ssd:Connections><ssd:Connection startConnector='in' endElement='B' "
                 "endConnector='enumeration_in'><ssc:IntegerMappingTransformation>" ENTRY("2", "5")
                     ENTRY("5", "1") "</ssc:IntegerMappingTransformation>"
                                     "</ssd:Connection><ssd:Connection "
                                     "startConnector='in' endElement='B' "
                                     "endConnector='integer_in'/></ssd:Connections>"
                                     "</ssd:System><ssd:Enumerations><ssc:Enumeration "
                                     "name='Gear'><ssc:Item name='slow' value='1'/>"
                                     "<ssc:Item name='fast' value='2'/>"
                                     "</ssc:Enumeration></ssd:Enumerations>"));
    test_run(box, "run", "m.ssd", "-q", "--stop-time", "1", "--set", "in=fast", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "m.csv");
    assert_near(test_result(&r, 0, "B.enumeration_out"), 5, 0);
    assert_near(test_result(&r, 0, "B.integer_out"), 2, 0);
    test_results_clear(&r);
}

static void maps_of_integers_and_of_items_are_not_mixed(void **state)
{
    test_sandbox *box = *state;
    write_mapped(box, "<ssd:Connections><ssd:Connection startElement='A' "
                      "startConnector='enumeration_out' endElement='S' endConnector='in'>" MAPPED(
                          "Enumeration", "off", "slow") "</ssd:Connection></ssd:Connections>");
    test_run(box, "check", "m.ssd", NULL);
    assert_one_error(box, 3,
                     "A.enumeration_out to S.B.enumeration_in: maps of integers and of items on "
                     "the way of one value are not supported; write the maps with items only");
}

static void variants_are_chosen_and_become_the_default_when_converted(void **state)
{
    test_sandbox *box = *state;
    write_package(box, "all.ssp");
    test_run(box, "run", "all.ssp", "--variant", "small one", "-q", NULL);
    assert_exit(box, 0);
    char *csv = test_read_file(box, "all.csv", NULL);
    assert_contains(csv, "time,G.y\n");
    free(csv);
    test_run(box, "check", "all.ssp", "--variant", "big", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "possible are Small.ssd, SystemStructure.ssd");
    test_run(box, "convert", "all.ssp", "small.ssd", "--variant", "Small", "--step-size", "0.5",
             NULL);
    assert_exit(box, 0);
    char *text = test_read_file(box, "small.ssd", NULL);
    // What is not ours stays.
    assert_contains(text, "<!-- of somebody else -->");
    assert_contains(text, "<ssd:ElementGeometry x1='1' y1='2' x2='3' y2='4'/>");
    assert_contains(text, "<ssc:Annotation type='com.other'><x:y xmlns:x='x:x' z='1'/>");
    assert_contains(text, "step-size=\"0.5\"");
    free(text);
    test_run(box, "convert", "all.ssp", "small.ssp", "--variant", "Small", NULL);
    test_run(box, "info", "small.ssp", NULL);
    assert_contains(box->out, "components 1");
}

static void what_cannot_be_written_is_told(void **state)
{
    test_sandbox *box = *state;
    write_package(box, "all.ssp");
    test_run(box, "convert", "all.ssp", "all.msim", NULL);
    assert_one_error(box, 2, "all.msim: only .ssp (SystemStructurePackage), .ssd");
    test_run(box, "convert", "all.ssp", "nowhere/all.ssd", NULL);
    assert_one_error(box, 1, "nowhere/all.ssd: its folder does not exist");
    test_run_program(box, "mkdir", "resources", NULL);
    test_write_text(box, "resources/Gain.fmu", "something else");
    test_run(box, "convert", "all.ssp", "all.ssd", NULL);
    assert_one_error(box, 1, "resources/Gain.fmu: is there already, with other content");
    test_write_text(box, "gone.ssd",
                    SSD("gone", "<ssd:System name='s'><ssd:Elements><ssd:Component name='A' "
                                "source='gone.fmu'/></ssd:Elements></ssd:System>"));
    test_run(box, "convert", "gone.ssd", "gone.ssp", NULL);
    assert_one_error(box, 3, "gone.fmu: cannot be found");
    assert_false(test_has_file(box, "gone.ssp"));
}

// Nobody knows the folder in the cache that a package is unpacked to.
static void files_of_packages_are_called_by_their_place_inside(void **state)
{
    test_sandbox *box = *state;
    char path[2 * TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/bad.ssp", box->work);
    test_archive(
        path,
        (test_entry[]){{.name = "SystemStructure.ssd",
                        .data = SSD("bad", "<ssd:System name='s'><ssd:Elements>\n"
                                           "<ssd:Component name='A' source='resources/a.fmu'/>\n"
                                           "<ssd:Component name='G' source='resources/G.fmu' "
                                           "implementation='ModelExchange'/>\n"
                                           "<ssd:Component name='H' source='resources/G.fmu' "
                                           "implementation='CoSimulation'/>\n"
                                           "<ssd:Component name='N' source='resources/n.fmu'/>\n"
                                           "<ssd:Component name='T' source='resources/t.csv'/>\n"
                                           "</ssd:Elements></ssd:System>")},
                       {.name = "resources/a.fmu", .data = "nothing"},
                       {.name = "resources/G.fmu", .file = TEST_FMUS "/Gain.fmu"},
                       {.name = "resources/t.csv", .data = "time,x\n0,a\n1\n"}},
        4);
    test_run(box, "run", "bad.ssp", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "component 'A': FMU bad.ssp/resources/a.fmu: is not");
    assert_contains(box->err, "component 'G': FMU bad.ssp/resources/G.fmu: does not offer model "
                              "exchange, which the project asks for");
    assert_contains(box->err, "bad.ssp/resources/n.fmu: cannot be opened");
    assert_contains(box->err, "bad.ssp/resources/t.csv:3: error: the row has 1 cell");
    assert_int_equal(test_count(box->err, "component 'H'"), 0);
    assert_int_equal(test_count(box->err, "cache"), 0);
}

static void an_fmu_becomes_a_project(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "convert", TEST_FMUS "/Gain.fmu", "gain.ssp", "--set", "k=3", "--set", "Gain.u=2",
             "--stop-time", "2", "--algorithm", "seidel", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "gain.ssp", "-q", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "gain.csv");
    assert_near(test_result(&r, r.n_rows - 1, "Gain.y"), 6, 0);
    assert_near(test_result_time(&r, r.n_rows - 1), 2, 0);
    test_results_clear(&r);
}

// A text such as 1 or true does not tell which type it has; the FMU does.
static void converted_values_have_the_types_of_their_variables(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "convert", TEST_FMUS "/Passthrough.fmu", "p.ssp", "--set", "boolean_in=1",
             "--set", "string_in=3", "--set", "real_in=2", "--set", "enumeration_in=slow", NULL);
    assert_exit(box, 0);
    test_run(box, "convert", "p.ssp", "q.ssp", "--set", "string_in=true", "--set",
             "Passthrough.real_in=25 mm", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "q.ssp", "-q", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    char *csv = test_read_file(box, "q.csv", NULL);
    assert_contains(csv, "\n0,0.025,0,1,\"true\",2\n");
    free(csv);
    test_run(box, "convert", "p.ssp", "p.ssd", NULL);
    char *ssd = test_read_file(box, "p.ssd", NULL);
    assert_contains(ssd, "<ssv:Real value=\"2\"/>");
    assert_contains(ssd, "<ssv:String value=\"3\"/>");
    free(ssd);
    test_run(box, "convert", "p.ssp", "r.ssp", "--set", "nonsense=2", NULL);
    assert_one_error(box, 2, "component 'Passthrough' has no variable 'nonsense'");
    test_run(box, "convert", TEST_FMUS "/Arrays_fmi3.fmu", "a.ssp", "--set", "u=1 2 3", NULL);
    test_run(box, "run", "a.ssp", "-q", "--record", "*.y*", NULL);
    assert_exit(box, 0);
    csv = test_read_file(box, "a.csv", NULL);
    assert_contains(csv, "\n0,2,4,6\n");
    free(csv);
}

// ---- examples ------------------------------------------------------------------------------------

// Some examples show what cannot be simulated: then all of them fail in the same way.
static void check_round_trip(test_sandbox *box, const char *path)
{
    bool is_long = strstr(path, "/building/") != NULL; // a year
    const char *stop = is_long ? "--stop-time" : NULL;
    test_run(box, "convert", path, "packed.ssp", "-q", NULL);
    assert_exit(box, 0);
    test_run_program(box, "rm", "-rf", "plain", NULL);
    test_run_program(box, "mkdir", "plain", NULL);
    test_run(box, "convert", "packed.ssp", "plain/plain.ssd", "-q", NULL);
    assert_exit(box, 0);
    test_run(box, "run", path, "-q", "-o", "a.csv", stop, "7200", NULL);
    int code = box->exit_code;
    test_run(box, "run", "packed.ssp", "-q", "-o", "b.csv", stop, "7200", NULL);
    assert_exit(box, code);
    test_run(box, "run", "plain/plain.ssd", "-q", "-o", "c.csv", stop, "7200", NULL);
    assert_exit(box, code);
    assert_same_files(box, "a.csv", "b.csv", path);
    assert_same_files(box, "a.csv", "c.csv", path);
}

static void every_example_survives_the_round_trip(void **state)
{
    test_sandbox *box = *state;
    static const char *const patterns[] = {
        TAKT_EXAMPLES "/*/*.ssd", TAKT_EXAMPLES "/coupling/*/system.ssd", TAKT_EXAMPLES "/*/*.msim",
        TAKT_EXAMPLES "/*/*.eas", TAKT_EXAMPLES "/*/OspSystemStructure.xml"};
    int n = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        assert_int_equal(glob(patterns[i], 0, NULL, &found), 0);
        for (size_t k = 0; k < found.gl_pathc; k++, n++) check_round_trip(box, found.gl_pathv[k]);
        globfree(&found);
    }
    assert_true(n > 25);
}

// ---- large projects --------------------------------------------------------------------------------

static void a_thousand_components_with_ten_thousand_connections_load(void **state)
{
    test_sandbox *box = *state;
    enum { N = 1000, WIDTH = 10 };
    takt_text text = {0};
    takt_text_add(&text, "<ssd:SystemStructureDescription version='1.0' name='big'" SPACES
                         "><ssd:System name='s'><ssd:Elements>\n");
    for (int i = 0; i < N; i++)
        takt_text_print(&text, "<ssd:Component name='C%d' source='Wide.fmu'/>\n", i);
    takt_text_add(&text, "</ssd:Elements><ssd:Connections>\n");
    for (int i = 0; i < N * WIDTH; i++)
        takt_text_print(&text,
                        "<ssd:Connection startElement='C%d' startConnector='y[%d]' "
                        "endElement='C%d' endConnector='u[%d]'/>\n",
                        i / WIDTH, i % WIDTH + 1, (i / WIDTH + i % WIDTH + 1) % N, i % WIDTH + 1);
    takt_text_add(&text, "</ssd:Connections></ssd:System></ssd:SystemStructureDescription>\n");
    assert_false(text.failed);
    char path[2 * TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/big.ssp", box->work);
    test_archive(path,
                 (test_entry[]){{.name = "SystemStructure.ssd", .data = text.data},
                                {.name = "Wide.fmu", .file = TEST_FMUS "/Wide.fmu"}},
                 2);
    takt_text_clear(&text);
    test_run(box, "check", "big.ssp", NULL);
    assert_exit(box, 0);
    test_run(box, "info", "big.ssp", NULL);
    assert_contains(box->out, "components 1000, connections 10000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(a_package_with_everything_runs),
        test_in_sandbox(a_converted_package_gives_the_same_results),
        test_in_sandbox(a_folder_becomes_a_package_and_is_written),
        test_in_sandbox(converting_replaces_no_description_that_it_did_not_read),
        test_in_sandbox(dimensions_must_be_those_of_the_fmu),
        test_in_sandbox(values_reach_elements_of_arrays_behind_connectors),
        test_in_sandbox(values_for_connectors_are_converted_to_their_units),
        test_in_sandbox(elements_of_arrays_become_indices_when_converted),
        test_in_sandbox(values_on_the_command_line_win_in_their_order),
        test_in_sandbox(units_that_do_not_fit_are_refused),
        test_in_sandbox(numbers_are_mapped_to_items_only),
        test_in_sandbox(a_map_of_integers_takes_items_by_name),
        test_in_sandbox(items_at_connectors_have_the_numbers_that_the_description_defines),
        test_in_sandbox(maps_of_integers_and_of_items_are_not_mixed),
        test_in_sandbox(variants_are_chosen_and_become_the_default_when_converted),
        test_in_sandbox(what_cannot_be_written_is_told),
        test_in_sandbox(files_of_packages_are_called_by_their_place_inside),
        test_in_sandbox(an_fmu_becomes_a_project),
        test_in_sandbox(converted_values_have_the_types_of_their_variables),
        test_in_sandbox(every_example_survives_the_round_trip),
        test_in_sandbox(a_thousand_components_with_ten_thousand_connections_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
