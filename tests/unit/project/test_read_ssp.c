// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "base/file.h"
#include "project/project.h"
#include "support/archive.h"

#define XML "<?xml version='1.0' encoding='UTF-8'?>"
#define SPACES                                                                                     \
    " xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription'"                         \
    " xmlns:ssc='http://ssp-standard.org/SSP1/SystemStructureCommon'"                              \
    " xmlns:ssv='http://ssp-standard.org/SSP1/SystemStructureParameterValues'"                     \
    " xmlns:ssm='http://ssp-standard.org/SSP1/SystemStructureParameterMapping'"                    \
    " xmlns:ssb='http://ssp-standard.org/SSP1/SystemStructureSignalDictionary'"
// A description: the system begins in line 2.
#define SSD(name, content)                                                                         \
    XML "<ssd:SystemStructureDescription version='2.0' name='" name "'" SPACES ">\n" content       \
        "</ssd:SystemStructureDescription>"
#define SYSTEM(content) "<ssd:System name='s'>\n" content "</ssd:System>\n"
#define COMPONENT(name) "<ssd:Component name='" name "' source='" name ".fmu'/>\n"
#define CONNECT(from, from_connector, to, to_connector)                                            \
    "<ssd:Connection startElement='" from "' startConnector='" from_connector "' endElement='" to  \
    "' endConnector='" to_connector "'/>\n"
#define PARAMETER(name, value)                                                                     \
    "<ssv:Parameter name='" name "'><ssv:Real value='" value "'/></ssv:Parameter>\n"
#define SET(content)                                                                               \
    "<ssv:ParameterSet version='1.0' name='p'" SPACES "><ssv:Parameters>\n" content                \
    "</ssv:Parameters></ssv:ParameterSet>"
#define BIND(content)                                                                              \
    "<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>\n" SET(                    \
        content) "</ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>\n"

typedef struct file {
    const char *name, *text;
} file;

typedef struct fixture {
    test_log log;
    test_folder folder;
    takt_arena arena;
    takt_project *project;
    takt_status status;
    takt_error err;
} fixture;

static const char *path_of(fixture *f, const char *name)
{
    return takt_path_join(&f->arena, f->folder.path, name);
}

static void init(fixture *f)
{
    memset(f, 0, sizeof *f);
    test_log_init(&f->log);
    f->folder = test_folder_create();
}

static void write_files(fixture *f, const file *files, int n)
{
    for (int i = 0; i < n; i++) {
        const char *path = path_of(f, files[i].name);
        assert_int_equal(takt_folder_create(takt_path_folder(&f->arena, path), &f->err), TAKT_OK);
        assert_int_equal(takt_file_write(path, files[i].text, strlen(files[i].text), &f->err),
                         TAKT_OK);
    }
}

static void open_project(fixture *f, const char *name, const char *variant)
{
    f->status =
        takt_project_open_variant(path_of(f, name), variant, f->log.log, &f->project, &f->err);
}

#define OPEN(f, name, ...)                                                                         \
    do {                                                                                           \
        static const file files[] = {__VA_ARGS__};                                                 \
        init(f);                                                                                   \
        write_files(f, files, (int)(sizeof files / sizeof *files));                                \
        open_project(f, name, NULL);                                                               \
    } while (0)

static void clear(fixture *f)
{
    takt_project_close(f->project);
    test_folder_remove(&f->folder);
    takt_arena_clear(&f->arena);
    test_log_clear(&f->log);
}

static void assert_good(const fixture *f)
{
    if (f->status || takt_log_count(f->log.log, TAKT_LEVEL_ERROR))
        fail_msg("%s\n%s", f->err.message, f->log.text);
}

// The connections as "A.y>B.u ".
static const char *connections(fixture *f)
{
    const char *text = "";
    for (int i = 0; i < f->project->n_connections; i++) {
        const takt_project_connection *c = &f->project->connections[i];
        text = takt_arena_print(&f->arena, "%s%s.%s>%s.%s ", text, c->start_component,
                                c->start_variable, c->end_component, c->end_variable);
    }
    return text;
}

// The assignments as "A.k=1 ", those to dotted names as ".A.k=1 ".
static const char *assignments(fixture *f)
{
    const char *text = "";
    for (int i = 0; i < f->project->n_assignments; i++) {
        const takt_project_assignment *a = &f->project->assignments[i];
        text = takt_arena_print(&f->arena, "%s%s.%s=%s ", text, a->component ? a->component : "",
                                a->variable, a->value);
    }
    return text;
}

static const char *components(fixture *f)
{
    const char *text = "";
    for (int i = 0; i < f->project->n_components; i++)
        text = takt_arena_print(&f->arena, "%s%s ", text, f->project->components[i].name);
    return text;
}

// ---- nested systems ------------------------------------------------------------------------------

#define INNER_CONNECTORS                                                                           \
    "<ssd:Connectors><ssd:Connector name='in' kind='input'/>"                                      \
    "<ssd:Connector name='out' kind='output'/><ssd:Connector name='p' kind='parameter'/>"          \
    "</ssd:Connectors>\n"
#define INNER_CONNECTIONS                                                                          \
    "<ssd:Connections>"                                                                            \
    "<ssd:Connection startConnector='in' endElement='C' endConnector='u'>"                         \
    "<ssc:LinearTransformation factor='2' offset='1'/></ssd:Connection>"                           \
    "<ssd:Connection startElement='C' startConnector='y' endConnector='out'/>"                     \
    "<ssd:Connection startConnector='p' endElement='C' endConnector='k'/></ssd:Connections>\n"

static void systems_are_made_flat(void **state)
{
    (void)state;
    fixture f;
    OPEN(&f, "a.ssd",
         {"a.ssd", SSD("a", SYSTEM("<ssd:Elements>\n" COMPONENT(
                                "A") "<ssd:System name='Sub'>" INNER_CONNECTORS
                                     "<ssd:Elements>" COMPONENT(
                                         "C") "</ssd:Elements>" INNER_CONNECTIONS
                                              "</ssd:System>\n" COMPONENT(
                                                  "B") "</ssd:Elements><ssd:Connections>\n"
                                   // Start and end do not tell the direction.
                                   CONNECT("Sub", "in", "A", "y")
                                       CONNECT("Sub", "out", "B", "u") "</ssd:Connections>"))});
    assert_good(&f);
    assert_string_equal(components(&f), "A Sub.C B ");
    assert_string_equal(connections(&f), "A.y>Sub.C.u Sub.C.y>B.u ");
    const takt_project_connection *c = &f.project->connections[0];
    assert_int_equal(c->n_hops, 2);
    assert_int_equal(c->hops[0].transformation.kind, TAKT_TRANSFORM_NONE);
    assert_true(c->hops[1].transformation.factor == 2 && c->hops[1].transformation.offset == 1);
    int alias = takt_project_find_alias(f.project, "Sub.p");
    assert_true(alias >= 0);
    assert_string_equal(f.project->aliases[alias].component, "Sub.C");
    assert_string_equal(f.project->aliases[alias].variable, "k");
    alias = takt_project_find_alias(f.project, "Sub.out");
    assert_string_equal(f.project->aliases[alias].variable, "y");
    clear(&f);
}

static void a_system_can_be_used_several_times_by_its_id(void **state)
{
    (void)state;
    fixture f;
    OPEN(&f, "a.ssd",
         {"a.ssd",
          SSD("a",
              SYSTEM("<ssd:Elements>\n"
                     "<ssd:System name='One' id='one'>" INNER_CONNECTORS "<ssd:Elements>" COMPONENT(
                         "C") "</ssd:Elements>" INNER_CONNECTIONS "</ssd:System>\n"
                              "<ssd:Component name='Two' source='#one'>" BIND(
                                  PARAMETER("C.k", "2")) "</ssd:Component></"
                                                         "ssd:Elements><ssd:Connections>"
                                                         "\n" CONNECT("One", "out", "Two",
                                                                      "in") "</"
                                                                            "ssd:Connections>"))});
    assert_good(&f);
    assert_string_equal(components(&f), "One.C Two.C ");
    assert_string_equal(connections(&f), "One.C.y>Two.C.u ");
    assert_string_equal(assignments(&f), ".Two.C.k=2 ");
    clear(&f);
}

#define INNER_SSD(name)                                                                            \
    SSD(name, SYSTEM(INNER_CONNECTORS "<ssd:Elements>" COMPONENT(                                  \
                  "C") "</ssd:Elements>" INNER_CONNECTIONS BIND(PARAMETER("C.k", "1"))))

static void packages_within_packages_are_read(void **state)
{
    (void)state;
    fixture f;
    init(&f);
    const char *inner = path_of(&f, "inner.ssp"), *outer = path_of(&f, "outer.ssp");
    test_archive(
        inner,
        (test_entry[]){
            {.name = "SystemStructure.ssd", .data = INNER_SSD("default")},
            {.name = "B.ssd",
             .data = SSD("other", SYSTEM("<ssd:Elements>" COMPONENT("D") "</ssd:Elements>"))}},
        2);
    static const char outer_text[] = SSD(
        "outer",
        SYSTEM("<ssd:Elements>\n"
               "<ssd:Component name='P' type='application/x-ssp-package' "
               "source='resources/inner.ssp'>" BIND(PARAMETER(
                   "C.k",
                   "5")) "</ssd:Component>\n"
                         "<ssd:Component name='Q' type='application/x-ssp-package' "
                         "source='resources/inner.ssp#B.ssd'/>\n" COMPONENT(
                             "A") "</ssd:Elements><ssd:Connections>" CONNECT("A", "y", "P",
                                                                             "in") "</"
                                                                                   "ssd:"
                                                                                   "Connections>"));
    test_archive(outer,
                 (test_entry[]){{.name = "SystemStructure.ssd", .data = outer_text},
                                {.name = "resources/inner.ssp", .file = inner}},
                 2);
    open_project(&f, "outer.ssp", NULL);
    assert_good(&f);
    assert_string_equal(components(&f), "P.C Q.D A ");
    assert_string_equal(connections(&f), "A.y>P.C.u ");
    // What is bound to the component wins over what the package says.
    assert_string_equal(assignments(&f), ".P.C.k=1 .P.C.k=5 ");
    assert_contains(f.project->components[0].place.file,
                    "outer.ssp/resources/inner.ssp/SystemStructure.ssd");
    assert_string_equal(takt_path_name(f.project->components[0].source), "C.fmu");
    clear(&f);
}

static void a_folder_is_a_package_and_has_variants(void **state)
{
    (void)state;
    static const file files[] = {
        {"SystemStructure.ssd",
         SSD("main", SYSTEM("<ssd:Elements>" COMPONENT("A") "</ssd:Elements>"))},
        {"VarB.ssd", SSD("the second", SYSTEM("<ssd:Elements>" COMPONENT("B") "</ssd:Elements>"))}};
    static const char *const names[][2] = {
        {NULL, "A "}, {"VarB.ssd", "B "}, {"VarB", "B "}, {"the second", "B "}};
    for (int i = 0; i < 4; i++) {
        fixture f;
        init(&f);
        write_files(&f, files, 2);
        open_project(&f, ".", names[i][0]);
        assert_good(&f);
        assert_string_equal(components(&f), names[i][1]);
        clear(&f);
    }
    fixture f;
    init(&f);
    write_files(&f, files, 2);
    open_project(&f, ".", "VarC");
    assert_int_equal(f.status, TAKT_ERR_USAGE);
    assert_contains(f.err.message, "there is no variant 'VarC'; possible are SystemStructure.ssd, "
                                   "VarB.ssd");
    open_project(&f, "VarB.ssd", "x");
    assert_contains(f.err.message, "is one variant itself");
    clear(&f);
}

static void references_that_contain_themselves_are_errors(void **state)
{
    (void)state;
    fixture f;
    OPEN(&f, "a.ssd",
         {"a.ssd", SSD("a", SYSTEM("<ssd:Elements>\n"
                                   "<ssd:Component name='B' source='b.ssd'/>\n"
                                   "<ssd:System name='S' id='s'><ssd:Elements>\n"
                                   "<ssd:Component name='T' source='#s'/>\n" // line 6
                                   "</ssd:Elements></ssd:System></ssd:Elements>"))},
         {"b.ssd", SSD("b", SYSTEM("<ssd:Elements>\n"
                                   "<ssd:Component name='A' source='./a.ssd'/>\n"
                                   "</ssd:Elements>"))});
    assert_contains(f.log.text, "a.ssd:6: the source '#s' refers to a system that contains it\n");
    assert_contains(f.log.text,
                    "b.ssd:4: the source './a.ssd' refers to a system that contains it\n");
    clear(&f);
}

static void references_that_multiply_are_stopped(void **state)
{
    (void)state;
    fixture f;
    init(&f);
    takt_arena *arena = &f.arena;
    const char *text = XML "<ssd:SystemStructureDescription version='1.0' name='x'" SPACES
                           "><ssd:System name='s'><ssd:Elements>";
    for (int i = 0; i < 10; i++) {
        text =
            takt_arena_print(arena, "%s<ssd:System name='S%d' id='s%d'><ssd:Elements>", text, i, i);
        for (int k = 0; k < 8; k++)
            text = takt_arena_print(arena, "%s<ssd:Component name='C%d' source='%s%d'/>", text, k,
                                    i == 9 ? "C.fmu?" : "#s", i + 1);
        text = takt_arena_print(arena, "%s</ssd:Elements></ssd:System>", text);
    }
    text = takt_arena_print(
        arena, "%s</ssd:Elements></ssd:System></ssd:SystemStructureDescription>", text);
    assert_int_equal(takt_file_write(path_of(&f, "a.ssd"), text, strlen(text), &f.err), TAKT_OK);
    f.project = NULL;
    test_log_clear(&f.log); // would be full
    test_log_init(&f.log);
    f.status = takt_project_open(path_of(&f, "a.ssd"), NULL, &f.project, &f.err);
    if (!f.status) assert_int_not_equal(f.project->problems.n_errors, 0);
    clear(&f);
}

static void paths_must_not_leave_a_package(void **state)
{
    (void)state;
    fixture f;
    init(&f);
    static const char text[] =
        SSD("x", SYSTEM("<ssd:Elements>\n"
                        "<ssd:Component name='A' source='../A.fmu'/>\n"
                        "<ssd:Component name='B' source='/tmp/B.fmu'/>\n"
                        "<ssd:Component name='C' source='resources/../../C.fmu'/>\n"
                        "<ssd:Component name='D' source='resources/%2E%2E/%2e%2e/D.fmu'/>\n"
                        "<ssd:Component name='E' source='file:///tmp/E.fmu'/>\n"
                        "<ssd:Component name='F' source='resources/../F.fmu'/>\n"
                        "</ssd:Elements><ssd:ParameterBindings>\n"
                        "<ssd:ParameterBinding source='../p.ssv'/></ssd:ParameterBindings>"));
    test_archive(path_of(&f, "x.ssp"),
                 (test_entry[]){{.name = "SystemStructure.ssd", .data = text}}, 1);
    open_project(&f, "x.ssp", NULL);
    static const char *const expected[] = {
        ":4: component 'A': source '../A.fmu' leaves the package, which is not allowed",
        ":5: component 'B': source '/tmp/B.fmu' is an absolute path, which is not allowed inside a "
        "package",
        ":6: component 'C': source 'resources/../../C.fmu' leaves the package",
        ":7: component 'D': source 'resources/%2E%2E/%2e%2e/D.fmu' leaves the package",
        ":8: component 'E': source 'file:///tmp/E.fmu' is an absolute path",
        ":11: source '../p.ssv' leaves the package"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_contains(f.log.text, expected[i]);
    assert_int_equal(takt_log_count(f.log.log, TAKT_LEVEL_ERROR), 6);
    clear(&f);
}

// ---- connections ---------------------------------------------------------------------------------

static void dictionaries_connect_across_systems(void **state)
{
    (void)state;
    fixture f;
    OPEN(&f, "a.ssd",
         {"a.ssd",
          SSD("a", SYSTEM("<ssd:Elements>\n" COMPONENT(
                       "A") "<ssd:SignalDictionaryReference name='bus' dictionary='d'/>"
                            "<ssd:System name='Sub'><ssd:Elements>" COMPONENT(
                                "C") "<ssd:SignalDictionaryReference name='b' "
                                     "dictionary='d'/></ssd:Elements>"
                                     "<ssd:Connections><ssd:Connection startElement='C' "
                                     "startConnector='u' "
                                     "endElement='b' "
                                     "endConnector='speed'/></ssd:Connections></ssd:System>\n"
                                     "</ssd:Elements><ssd:Connections>"
                                     "<ssd:Connection startElement='bus' startConnector='speed' "
                                     "endElement='A' "
                                     "endConnector='y'/></ssd:Connections>"
                                     "<ssd:SignalDictionaries><ssd:SignalDictionary name='d' "
                                     "source='d.ssb'/>"
                                     "</ssd:SignalDictionaries>"))},
         {"d.ssb", XML "<ssb:SignalDictionary version='1.0'" SPACES
                       "><ssb:DictionaryEntry name='speed'><ssc:Real/></ssb:DictionaryEntry>"
                       "</ssb:SignalDictionary>"});
    // Components declare no connectors: nobody tells who writes.
    assert_contains(f.log.text, "it is not known whether 'u' or 'speed' gives the value; declare a "
                                "connector with its kind");
    clear(&f);

    OPEN(&f, "a.ssd",
         {"a.ssd",
          SSD("a",
              SYSTEM("<ssd:Elements>\n"
                     "<ssd:Component name='A' source='A.fmu'><ssd:Connectors>"
                     "<ssd:Connector name='y' kind='output'/></ssd:Connectors></ssd:Component>"
                     "<ssd:SignalDictionaryReference name='bus' dictionary='d'/>"
                     "<ssd:System name='Sub'><ssd:Elements>"
                     "<ssd:Component name='C' source='C.fmu'><ssd:Connectors>"
                     "<ssd:Connector name='u' kind='input'/></ssd:Connectors></ssd:Component>"
                     "<ssd:SignalDictionaryReference name='b' dictionary='d'/></ssd:Elements>"
                     "<ssd:Connections><ssd:Connection startElement='C' startConnector='u' "
                     "endElement='b' endConnector='speed'/></ssd:Connections></ssd:System>\n"
                     "</ssd:Elements><ssd:Connections>"
                     "<ssd:Connection startElement='bus' startConnector='speed' endElement='A' "
                     "endConnector='y'/></ssd:Connections>"
                     "<ssd:SignalDictionaries><ssd:SignalDictionary name='d'>"
                     "<ssb:SignalDictionary version='1.0'>"
                     "<ssb:DictionaryEntry name='speed'><ssc:Real/></ssb:DictionaryEntry>"
                     "</ssb:SignalDictionary></ssd:SignalDictionary></ssd:SignalDictionaries>"))});
    assert_good(&f);
    assert_string_equal(connections(&f), "A.y>Sub.C.u ");
    clear(&f);
}

static void elements_of_arrays_travel_through_connectors(void **state)
{
    (void)state;
    fixture f;
    OPEN(&f, "a.ssd",
         {"a.ssd",
          SSD("a",
              SYSTEM("<ssd:Elements>\n" COMPONENT("A") COMPONENT(
                  "B") "<ssd:System name='Sub'><ssd:Connectors><ssd:Connector name='in' "
                       "kind='input'/>"
                       "<ssd:Connector name='out' "
                       "kind='output'/></ssd:Connectors><ssd:Elements>" COMPONENT(
                           "C") "</ssd:Elements><ssd:Connections>"
                                "<ssd:Connection startConnector='in' endElement='C' "
                                "endConnector='u'/>"
                                "<ssd:Connection startConnector='in' startIndices='2' "
                                "endElement='C' "
                                "endConnector='w'/>"
                                "<ssd:Connection startElement='C' startConnector='y' "
                                "endConnector='out'/>"
                                "</ssd:Connections></ssd:System></ssd:Elements><ssd:Connections>\n"
                                "<ssd:Connection startElement='A' startConnector='y' "
                                "endElement='Sub' "
                                "endConnector='in' endIndices='1'/>"
                                "<ssd:Connection startElement='B' startConnector='m' "
                                "startIndices='3 4' "
                                "endElement='Sub' endConnector='in' endIndices='2'/>"
                                "<ssd:Connection startElement='Sub' startConnector='out' "
                                "startIndices='5' "
                                "endElement='A' endConnector='u'/>"
                                "</ssd:Connections>"))});
    assert_good(&f);
    assert_string_equal(connections(&f), "A.y>Sub.C.u[1] B.m[3,4]>Sub.C.u[2] B.m[3,4]>Sub.C.w "
                                         "Sub.C.y[5]>A.u ");
    clear(&f);
}

static void connections_that_are_not_allowed_are_errors(void **state)
{
    (void)state;
    fixture f;
    OPEN(&f, "a.ssd",
         {"a.ssd",
          SSD("a",
              SYSTEM(
                  "<ssd:Connectors><ssd:Connector name='in' kind='input'/>"
                  "<ssd:Connector name='c' kind='constant'/></ssd:Connectors>\n" // line 3
                  "<ssd:Elements><ssd:Component name='A' source='A.fmu'><ssd:Connectors>"
                  "<ssd:Connector name='u' kind='input'/><ssd:Connector name='y' kind='output'/>"
                  "<ssd:Connector name='k' kind='parameter'/>"
                  "<ssd:Connector name='u' kind='input'/></ssd:Connectors></ssd:Component>\n"
                  "<ssd:System name='S'><ssd:Connectors><ssd:Connector name='speed' "
                  "kind='input'/></ssd:Connectors></ssd:System></ssd:Elements>"
                  "<ssd:Connections>\n" // 6
                  CONNECT("A", "u", "A", "k") // both take
                  CONNECT("A", "y", "A", "k") // 7: an output is no parameter
                  "<ssd:Connection startConnector='in' endElement='A' endConnector='k'/>\n"
                  "<ssd:Connection startConnector='c' endElement='A' endConnector='y'/>\n" CONNECT(
                      "A", "y", "S", "sped") // 10
                  CONNECT("A", "y", "S", "speed") CONNECT("A", "y", "S", "speed") // 12
                  "<ssd:Connection startElement='A' startConnector='y' startIndices='0' "
                  "endElement='S' endConnector='speed'/>\n" CONNECT("Aa", "y", "A",
                                                                    "u") "</ssd:Connections>"))});
    static const char *const expected[] = {
        ":4: there is already a connector 'u', in line 4",
        ":6: connector 'u' of A (input) and connector 'k' of A (parameter) both take a value; they "
        "cannot be connected",
        ":7: connector 'k' of A (parameter) cannot get its value from 'y' of A (output)",
        ":8: connector 'k' of A (parameter) cannot get its value from 'in' of the system (input)",
        ":9: connector 'c' of the system (constant) cannot get its value from 'y' of A (output)",
        ":10: 'S' has no connector 'sped'; did you mean 'speed'?",
        ":12: connector 'S.speed' is driven more than once: here and in line 11",
        ":13: startIndices=\"0\" are not indices; they count from 1",
        ":14: there is no component 'Aa'; did you mean 'A'?"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_contains(f.log.text, expected[i]);
    clear(&f);
}

static void circles_of_connectors_are_errors(void **state)
{
    (void)state;
    fixture f;
    OPEN(&f, "a.ssd",
         {"a.ssd",
          SSD("a",
              SYSTEM("<ssd:Elements>" COMPONENT(
                  "A") "<ssd:System name='S'><ssd:Connectors><ssd:Connector name='i' kind='input'/>"
                       "<ssd:Connector name='o' kind='output'/></ssd:Connectors><ssd:Connections>"
                       "<ssd:Connection startConnector='i' endConnector='o'/></ssd:Connections>"
                       "</ssd:System></ssd:Elements><ssd:Connections>\n" CONNECT("S", "o", "S", "i")
                           CONNECT("S", "o", "A", "u") "</ssd:Connections>"))});
    assert_contains(f.log.text, "connections lead in a circle through 'S.");
    clear(&f);
}

static void components_without_a_source_deliver_nothing(void **state)
{
    (void)state;
    fixture f;
    OPEN(&f, "a.ssd",
         {"a.ssd", SSD("a", SYSTEM("<ssd:Elements>" COMPONENT("A") COMPONENT(
                                "B") "<ssd:Component name='X'><ssd:Connectors>"
                                     "<ssd:Connector name='y' kind='output'/>"
                                     "<ssd:Connector name='u' kind='input'/></ssd:Connectors>"
                                     "</ssd:Component></ssd:Elements><ssd:Connections>\n" CONNECT(
                                         "A", "y", "X", "u")
                                         CONNECT("X", "y", "B", "u") "</ssd:Connections>"))});
    assert_contains(f.log.text, "component 'X' has no source and is left out");
    assert_contains(f.log.text, "a component without a source cannot deliver 'X.y'");
    assert_int_equal(takt_log_count(f.log.log, TAKT_LEVEL_ERROR), 1);
    assert_int_equal(f.project->n_components, 2);
    clear(&f);
}

static void transformations_are_read_and_checked(void **state)
{
    (void)state;
    fixture f;
    OPEN(&f, "a.ssd",
         {"a.ssd",
          SSD("a",
              SYSTEM("<ssd:Elements>" COMPONENT("A") COMPONENT(
                  "B") "</ssd:Elements>"
                       "<ssd:Connections>\n"
                       "<ssd:Connection startElement='A' startConnector='y' endElement='B' "
                       "endConnector='u' suppressUnitConversion='true'>"
                       "<ssc:IntegerMappingTransformation><ssc:MapEntry source='1' target='2'/>"
                       "<ssc:MapEntry source='3' target='4'/></ssc:IntegerMappingTransformation>"
                       "</ssd:Connection>\n"
                       "<ssd:Connection startElement='A' startConnector='y' endElement='B' "
                       "endConnector='v' suppressUnitConversion='maybe'>" // 7
                       "<ssc:BooleanMappingTransformation><ssc:MapEntry source='true' target='0'/>"
                       "<ssc:MapEntry source='1' target='false'/>" // the same again
                       "<ssc:MapEntry source='yes' target='false'/>"
                       "</ssc:BooleanMappingTransformation>"
                       "<ssc:LinearTransformation/></ssd:Connection>\n"
                       "</ssd:Connections>"))});
    const takt_project_hop *hop = f.project->connections[0].hops;
    assert_int_equal(hop->transformation.kind, TAKT_TRANSFORM_INTEGER);
    assert_int_equal(hop->transformation.n_entries, 2);
    assert_string_equal(hop->transformation.entries[1].target, "4");
    assert_true(hop->keeps_unit);
    static const char *const expected[] = {
        ":7: suppressUnitConversion=\"maybe\" is neither true nor false",
        ":7: the value '1' is mapped twice; only one is possible",
        ":7: 'yes' is not a value that can be mapped here",
        ":7: <LinearTransformation> is a second transformation; only one is possible"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_contains(f.log.text, expected[i]);
    clear(&f);
}

// ---- parameters ----------------------------------------------------------------------------------

static void values_of_files_are_mapped(void **state)
{
    (void)state;
    fixture f;
    OPEN(&f, "a.ssd",
         {"a.ssd",
          SSD("a",
              SYSTEM("<ssd:ParameterBindings>\n"
                     "<ssd:ParameterBinding source='sub/p.ssv' prefix='pre.'>"
                     "<ssd:ParameterMapping source='sub/m.ssm'/></ssd:ParameterBinding>\n"
                     "<ssd:ParameterBinding source='sub/p.ssv' prefix='A.'/>"
                     "</ssd:ParameterBindings><ssd:Elements>" COMPONENT("A") "</ssd:Elements>"))},
         {"sub/p.ssv", XML SET(PARAMETER("k", "2") PARAMETER("other", "3"))},
         {"sub/m.ssm", XML "<ssm:ParameterMapping version='1.0'" SPACES ">\n"
                           "<ssm:MappingEntry source='pre.k' target='A.k'>"
                           "<ssc:LinearTransformation factor='10'/></ssm:MappingEntry>\n"
                           "<ssm:MappingEntry source='pre.k' target='A.l'/>\n"
                           "<ssm:MappingEntry source='pre.missing' target='A.m'/>\n"
                           "</ssm:ParameterMapping>"});
    assert_good(&f);
    assert_string_equal(assignments(&f), ".A.k=2 .A.l=2 .A.k=2 .A.other=3 ");
    assert_true(f.project->assignments[0].hops[0].transformation.factor == 10);
    assert_int_equal(f.project->assignments[0].if_missing, TAKT_LEVEL_INFO);
    assert_contains(f.log.text, "m.ssm:4: there is no parameter 'pre.missing' to be mapped\n");
    clear(&f);
}

static void problems_of_value_files_are_told_with_their_place(void **state)
{
    (void)state;
    fixture f;
    OPEN(&f, "a.ssd",
         {"a.ssd", SSD("a", SYSTEM("<ssd:ParameterBindings>\n"
                                   "<ssd:ParameterBinding source='p.ssv'>"
                                   "<ssd:ParameterMapping source='m.ssm'/></ssd:ParameterBinding>\n"
                                   "<ssd:ParameterBinding source='m.ssm'/>\n"
                                   "<ssd:ParameterBinding source='p.ssv' sourceBase='component'/>\n"
                                   "<ssd:ParameterBinding source='p.ssv' sourceBase='nowhere'/>\n"
                                   "<ssd:ParameterBinding type='text/plain' source='p.ssv'/>\n"
                                   "</ssd:ParameterBindings><ssd:Elements>" COMPONENT(
                                       "A") "</ssd:Elements>"))},
         {"p.ssv", XML SET("<ssv:Parameter name='x'><ssv:Real/></ssv:Parameter>\n")},
         {"m.ssm", XML "<ssm:ParameterMapping version='3.0'" SPACES ">\n"
                       "<ssm:MappingEntry source='a' target='A.k'/>\n"
                       "<ssm:MappingEntry source='b' target='A.k'/>\n"
                       "<ssm:MappingEntry target='A.l'/>\n"
                       "</ssm:ParameterMapping>"});
    static const char *const expected[] = {
        "m.ssm:3: 'A.k' is the target of two entries, here and in line 2",
        "m.ssm:4: <MappingEntry> has no attribute 'source'",
        "m.ssm:1: the version of SSP is '3.0'; known are 1.0 and 2.0",
        "p.ssv:2: parameter 'x' has no value",
        "m.ssm:1: <ParameterMapping> is not the root of a ParameterSet",
        "a.ssd:6: sourceBase=\"component\" is possible only for components with a source",
        "a.ssd:7: sourceBase=\"nowhere\" is neither SSD nor component",
        "a.ssd:8: the type 'text/plain' is not supported; possible is "
        "application/x-ssp-parameter-set"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_contains(f.log.text, expected[i]);
    clear(&f);
}

static void values_can_lie_inside_of_an_fmu(void **state)
{
    (void)state;
    fixture f;
    init(&f);
    test_archive(path_of(&f, "A.fmu"),
                 (test_entry[]){{.name = "extra/p.ssv", .data = XML SET(PARAMETER("k", "7"))}}, 1);
    static const file files[] = {
        {"a.ssd",
         SSD("a", SYSTEM("<ssd:Elements><ssd:Component name='A' source='A.fmu'>"
                         "<ssd:ParameterBindings>"
                         "<ssd:ParameterBinding source='extra/p.ssv' sourceBase='component'/>\n"
                         "<ssd:ParameterBinding source='../p.ssv' sourceBase='component'/>"
                         "</ssd:ParameterBindings></ssd:Component></ssd:Elements>"))}};
    write_files(&f, files, 1);
    open_project(&f, "a.ssd", NULL);
    assert_string_equal(assignments(&f), "A.k=7 ");
    assert_contains(f.project->assignments[0].place.file, "A.fmu/extra/p.ssv");
    assert_contains(f.log.text, ":4: source '../p.ssv' leaves the package");
    clear(&f);
}

static void units_belong_to_their_file(void **state)
{
    (void)state;
    fixture f;
    OPEN(
        &f, "a.ssd",
        {"a.ssd",
         SSD("a",
             SYSTEM(
                 "<ssd:ParameterBindings><ssd:ParameterBinding source='p.ssv'/>"
                 "</ssd:ParameterBindings><ssd:Elements>"
                 "<ssd:Component name='A' source='A.fmu'><ssd:Connectors>"
                 "<ssd:Connector name='y' kind='output'><ssc:Real unit='x'/></ssd:Connector>"
                 "</ssd:Connectors></ssd:Component></ssd:Elements>") "<ssd:Units><ssc:Unit "
                                                                     "name='x'><ssc:BaseUnit m='1' "
                                                                     "factor='0.01'/></ssc:Unit>"
                                                                     "<ssc:Unit "
                                                                     "name='bad'><ssc:BaseUnit "
                                                                     "m='1.5' "
                                                                     "factor='0'/></ssc:Unit></"
                                                                     "ssd:Units>\n")},
        {"p.ssv",
         XML "<ssv:ParameterSet version='1.0' name='p'" SPACES "><ssv:Parameters>"
             "<ssv:Parameter name='A.k'><ssv:Real value='1' unit='x'/></ssv:Parameter>"
             "</ssv:Parameters><ssv:Units><ssc:Unit name='x'><ssc:BaseUnit kg='1' factor='5'/>"
             "</ssc:Unit></ssv:Units></ssv:ParameterSet>"});
    assert_int_equal(f.project->connectors[0].unit->m, 1);
    assert_true(f.project->connectors[0].unit->factor == 0.01);
    assert_int_equal(f.project->assignments[0].unit_definition->kg, 1);
    assert_contains(f.log.text, "the exponent m=\"1.5\" is not possible");
    assert_contains(f.log.text, "the unit 'bad' has the factor 0");
    clear(&f);
}

static void arrays_of_texts_are_assigned_element_by_element(void **state)
{
    (void)state;
    fixture f;
    OPEN(
        &f, "a.ssd",
        {"a.ssd",
         SSD("a", SYSTEM("<ssd:Elements>" COMPONENT("A") "</ssd:Elements>" BIND(
                      "<ssv:Parameter name='A.s'><ssv:String><ssv:Value value='a b'/>"
                      "<ssv:Value value='c'/><ssv:Value value='d'/></ssv:String>"
                      "<ssc:Dimension size='2'/><ssc:Dimension size='2'/></ssv:Parameter>\n"
                      "<ssv:Parameter name='A.t'><ssv:Enumeration><ssv:Value value='red'/>"
                      "</ssv:Enumeration></ssv:Parameter>\n"
                      "<ssv:Parameter name='A.v'><ssv:Real value='1 2 3'/><ssc:Dimension size='3'/>"
                      "</ssv:Parameter>\n")))});
    assert_good(&f);
    assert_string_equal(assignments(&f),
                        ".A.s[1,1]=a b .A.s[1,2]=c .A.s[2,1]=d .A.t=red .A.v=1 2 3 ");
    clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_are_made_flat),
        cmocka_unit_test(a_system_can_be_used_several_times_by_its_id),
        cmocka_unit_test(packages_within_packages_are_read),
        cmocka_unit_test(a_folder_is_a_package_and_has_variants),
        cmocka_unit_test(references_that_contain_themselves_are_errors),
        cmocka_unit_test(references_that_multiply_are_stopped),
        cmocka_unit_test(paths_must_not_leave_a_package),
        cmocka_unit_test(dictionaries_connect_across_systems),
        cmocka_unit_test(elements_of_arrays_travel_through_connectors),
        cmocka_unit_test(connections_that_are_not_allowed_are_errors),
        cmocka_unit_test(circles_of_connectors_are_errors),
        cmocka_unit_test(components_without_a_source_deliver_nothing),
        cmocka_unit_test(transformations_are_read_and_checked),
        cmocka_unit_test(values_of_files_are_mapped),
        cmocka_unit_test(problems_of_value_files_are_told_with_their_place),
        cmocka_unit_test(values_can_lie_inside_of_an_fmu),
        cmocka_unit_test(units_belong_to_their_file),
        cmocka_unit_test(arrays_of_texts_are_assigned_element_by_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
