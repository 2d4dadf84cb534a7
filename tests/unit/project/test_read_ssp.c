// SPDX-License-Identifier: MIT
// Reading SSP; the projects are in tests/data/ssp.
#include "support/test.h"

#include "base/file.h"
#include "base/text.h"
#include "project/project.h"
#include "support/archive.h"

#define DATA TEST_DATA "/ssp/"

typedef struct fixture {
    test_log log;
    takt_arena arena;
    takt_project *project;
    takt_status status;
    takt_error err;
} fixture;

static void open_variant(fixture *f, const char *path, const char *variant)
{
    memset(f, 0, sizeof *f);
    test_log_init(&f->log);
    f->status = takt_project_open_variant(path, variant, f->log.log, &f->project, &f->err);
}

static void open_project(fixture *f, const char *path)
{
    open_variant(f, path, NULL);
}

static void clear(fixture *f)
{
    takt_project_close(f->project);
    takt_arena_clear(&f->arena);
    test_log_clear(&f->log);
}

static void open_good(fixture *f, const char *path)
{
    open_project(f, path);
    if (f->status || takt_log_count(f->log.log, TAKT_LEVEL_ERROR))
        fail_msg("%s\n%s", f->err.message, f->log.text);
}

// The project has exactly these errors, one per line, each without its folder: "a.ssd:4: ...". Their
// ends may be left out.
static void assert_errors(const char *path, const char *expected)
{
    fixture f;
    open_project(&f, path);
    int n = 0;
    for (const char *line = expected; *line; n++) {
        size_t length = strcspn(line, "\n");
        assert_contains(f.log.text, takt_arena_print(&f.arena, "/%.*s", (int)length, line));
        line += length + (line[length] == '\n');
    }
    if (takt_log_count(f.log.log, TAKT_LEVEL_ERROR) != n) fail_msg("%s", f.log.text);
    clear(&f);
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

static void systems_are_made_flat(void **state)
{
    (void)state;
    fixture f;
    open_good(&f, DATA "nested.ssd");
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
    open_good(&f, DATA "by_id.ssd");
    assert_string_equal(components(&f), "One.C Two.C ");
    assert_string_equal(connections(&f), "One.C.y>Two.C.u ");
    assert_string_equal(assignments(&f), ".Two.C.k=2 ");
    clear(&f);
}

// A package with inner.ssp in it, which has a second description of that name.
static void pack_nested(const char *outer, const char *inner, const char *second)
{
    test_archive(inner,
                 (test_entry[]){
                     {.name = "SystemStructure.ssd", .file = DATA "package/inner.ssd"},
                     {.name = second, .file = DATA "package/other.ssd"},
                 },
                 2);
    test_archive(outer,
                 (test_entry[]){
                     {.name = "SystemStructure.ssd", .file = DATA "package/outer.ssd"},
                     {.name = "resources/inner.ssp", .file = inner},
                 },
                 2);
}

static void packages_within_packages_are_read(void **state)
{
    (void)state;
    fixture f;
    test_folder folder = test_folder_create();
    char inner[300], outer[300];
    snprintf(inner, sizeof inner, "%s/inner.ssp", folder.path);
    snprintf(outer, sizeof outer, "%s/outer.ssp", folder.path);
    pack_nested(outer, inner, "Var B.ssd");
    open_good(&f, outer);
    assert_string_equal(components(&f), "P.C Q.D A ");
    assert_string_equal(connections(&f), "A.y>P.C.u ");
    // What is bound to the component wins over what the package says.
    assert_string_equal(assignments(&f), ".P.C.k=1 .P.C.k=5 ");
    assert_contains(f.project->components[0].place.file,
                    "outer.ssp/resources/inner.ssp/SystemStructure.ssd");
    assert_string_equal(takt_path_name(f.project->components[0].source), "C.fmu");
    clear(&f);
    // The message about a missing variant names those that exist.
    pack_nested(outer, inner, "C.ssd");
    assert_errors(outer, "outer.ssp/SystemStructure.ssd:22: component 'Q': source "
                         "'resources/inner.ssp#Var%20B.ssd': the package has no Var B.ssd; at its "
                         "top are: C.ssd, SystemStructure.ssd\n");
    test_folder_remove(&folder);
}

static void a_folder_is_a_package_and_has_variants(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {NULL, "A "}, {"VarB.ssd", "B "}, {"VarB", "B "}, {"the second", "B "}};
    fixture f;
    for (int i = 0; i < 4; i++) {
        open_variant(&f, DATA "variants", names[i][0]);
        assert_int_equal(f.status, TAKT_OK);
        assert_string_equal(components(&f), names[i][1]);
        clear(&f);
    }
    open_variant(&f, DATA "variants", "VarC");
    assert_int_equal(f.status, TAKT_ERR_USAGE);
    assert_contains(f.err.message, "there is no variant 'VarC'; possible are SystemStructure.ssd, "
                                   "VarB.ssd");
    clear(&f);
    open_variant(&f, DATA "variants/VarB.ssd", "x");
    assert_contains(f.err.message, "is one variant itself");
    clear(&f);
}

static void references_that_contain_themselves_are_errors(void **state)
{
    (void)state;
    assert_errors(DATA "circle/a.ssd",
                  "b.ssd:6: the source './a.ssd' refers to a system that contains it\n"
                  "a.ssd:9: the source '#s' refers to a system that contains it\n");
}

// Ten systems, each of which holds the next one eight times.
static void references_that_multiply_are_stopped(void **state)
{
    (void)state;
    takt_text text = {0};
    takt_project *project = NULL;
    takt_error err = {0};
    takt_text_add(&text, "<s:SystemStructureDescription version='1.0' name='x' "
                         "xmlns:s='http://ssp-standard.org/SSP1/SystemStructureDescription'>"
                         "<s:System name='s'><s:Elements>");
    for (int i = 0; i < 10; i++) {
        takt_text_print(&text, "<s:System name='S%d' id='s%d'><s:Elements>", i, i);
        for (int k = 0; k < 8; k++)
            takt_text_print(&text, "<s:Component name='C%d' source='%s%d'/>", k,
                            i == 9 ? "C" : "#s", i + 1);
        takt_text_add(&text, "</s:Elements></s:System>");
    }
    takt_text_add(&text, "</s:Elements></s:System></s:SystemStructureDescription>");
    assert_int_equal(takt_project_create("x.ssd", NULL, &project, &err), TAKT_OK);
    assert_int_equal(takt_project_parse_ssd(project, text.data, text.length, &err), TAKT_ERR_INPUT);
    assert_int_equal(project->problems.n_errors, 1);
    assert_string_equal(err.message,
                        "x.ssd:1: the project has more than 100000 elements, counting those of all "
                        "references");
    takt_text_clear(&text);
    takt_project_close(project);
}

static void paths_must_not_leave_a_package(void **state)
{
    (void)state;
    test_folder folder = test_folder_create();
    char path[300];
    snprintf(path, sizeof path, "%s/x.ssp", folder.path);
    test_archive(path, (test_entry[]){{.name = "SystemStructure.ssd", .file = DATA "escaping.ssd"}},
                 1);
    assert_errors(
        path,
        "SystemStructure.ssd:6: source '../p.ssv' leaves the package, which is not allowed\n"
        "SystemStructure.ssd:9: component 'A': source '../A.fmu' leaves the package\n"
        "SystemStructure.ssd:10: component 'B': source '/tmp/B.fmu' is an absolute path, which is "
        "not allowed inside a package\n"
        "SystemStructure.ssd:11: component 'C': source 'resources/../../C.fmu' leaves the package\n"
        "SystemStructure.ssd:12: component 'D': source 'resources/%2E%2E/%2e%2e/D.fmu' leaves the "
        "package\n"
        "SystemStructure.ssd:13: component 'E': source 'file:///tmp/E.fmu' is an absolute path\n");
    test_folder_remove(&folder);
}

// ---- connections ---------------------------------------------------------------------------------

// A hundred outputs and inputs at one entry of a dictionary are ten thousand ways.
static void an_entry_with_many_sources_is_reported_once(void **state)
{
    (void)state;
    takt_text text = {0};
    takt_project *project = NULL;
    takt_error err = {0};
    takt_text_add(&text, "<s:SystemStructureDescription version='1.0' name='x' "
                         "xmlns:s='http://ssp-standard.org/SSP1/SystemStructureDescription'>"
                         "<s:System name='s'><s:Elements>\n");
    for (int i = 0; i < 100; i++)
        takt_text_print(&text,
                        "<s:Component name='c%d' source='a.fmu'><s:Connectors><s:Connector "
                        "name='u' kind='input'/><s:Connector name='y' kind='output'/>"
                        "</s:Connectors></s:Component>\n",
                        i);
    takt_text_add(&text, "<s:SignalDictionaryReference name='r' dictionary='d'><s:Connectors>"
                         "<s:Connector name='x' kind='inout'/></s:Connectors>"
                         "</s:SignalDictionaryReference></s:Elements><s:Connections>\n");
    for (int i = 0; i < 100; i++)
        takt_text_print(&text,
                        "<s:Connection startElement='c%d' startConnector='y' endElement='r' "
                        "endConnector='x'/><s:Connection startElement='r' startConnector='x' "
                        "endElement='c%d' endConnector='u'/>\n",
                        i, i);
    takt_text_add(&text,
                  "</s:Connections><s:SignalDictionaries><s:SignalDictionary name='d'>"
                  "<b:SignalDictionary version='1.0' "
                  "xmlns:b='http://ssp-standard.org/SSP1/SystemStructureSignalDictionary' "
                  "xmlns:c='http://ssp-standard.org/SSP1/SystemStructureCommon'>"
                  "<b:DictionaryEntry name='x'><c:Real/></b:DictionaryEntry>"
                  "</b:SignalDictionary></s:SignalDictionary></s:SignalDictionaries></s:System>"
                  "</s:SystemStructureDescription>");
    assert_int_equal(takt_project_create("x.ssd", NULL, &project, &err), TAKT_OK);
    takt_project_parse_ssd(project, text.data, text.length, &err);
    assert_int_equal(project->problems.n_errors, 1);
    assert_string_equal(
        project->problems.first,
        "x.ssd:104: connector 'd.x' is driven more than once: here and in line 103");
    assert_int_equal(project->n_connections, 0);
    takt_text_clear(&text);
    takt_project_close(project);
}

static void dictionaries_connect_across_systems(void **state)
{
    (void)state;
    fixture f;
    open_good(&f, DATA "dictionary.ssd");
    assert_string_equal(connections(&f), "A.y>Sub.C.u ");
    clear(&f);
    // Without kinds of connectors it is not known which end writes.
    assert_errors(DATA "dictionary_unclear.ssd",
                  "dictionary_unclear.ssd:14: it is not known whether 'u' or 'speed' gives the "
                  "value; declare a connector with its kind\n"
                  "dictionary_unclear.ssd:19: it is not known whether 'speed' or 'y' gives\n");
    assert_errors(DATA "dictionary_kind.ssd",
                  "dictionary_kind.ssd:8: connector 'speed': 'inot' is not a kind of connector; "
                  "did you mean 'inout'?\n"
                  "dictionary_kind.ssd:9: connector 'spede' does not exist in the signal "
                  "dictionary of 'bus'; did you mean 'speed'?\n");
}

static void elements_of_arrays_travel_through_connectors(void **state)
{
    (void)state;
    fixture f;
    open_good(&f, DATA "arrays.ssd");
    assert_string_equal(connections(&f), "A.y>Sub.C.u[1] B.m[3,4]>Sub.C.u[2] B.m[3,4]>Sub.C.w "
                                         "Sub.C.y[5]>A.u ");
    clear(&f);
}

static void connections_that_are_not_allowed_are_errors(void **state)
{
    (void)state;
    assert_errors(
        DATA "not_allowed.ssd",
        "not_allowed.ssd:15: there is already a connector 'u', in line 12\n"
        "not_allowed.ssd:25: connector 'u' of A (input) and connector 'k' of A (parameter) both "
        "take a value; they cannot be connected\n"
        "not_allowed.ssd:26: connector 'k' of A (parameter) cannot get its value from 'y' of A "
        "(output)\n"
        "not_allowed.ssd:27: connector 'k' of A (parameter) cannot get its value from 'in' of the "
        "system (input)\n"
        "not_allowed.ssd:28: connector 'c' of the system (constant) cannot get its value from 'y' "
        "of A (output)\n"
        "not_allowed.ssd:29: 'S' has no connector 'sped'; did you mean 'speed'?\n"
        "not_allowed.ssd:31: connector 'S.speed' is driven more than once: here and in line 30\n"
        "not_allowed.ssd:32: startIndices=\"0\" are not indices; they count from 1\n"
        "not_allowed.ssd:33: there is no component 'Aa'; did you mean 'A'?\n");
}

static void circles_of_connectors_are_errors(void **state)
{
    (void)state;
    assert_errors(DATA "connector_circle.ssd",
                  "connector_circle.ssd:18: connections lead in a circle through 'S.o'\n");
}

static void components_without_a_source_deliver_nothing(void **state)
{
    (void)state;
    assert_errors(DATA "no_source.ssd",
                  "no_source.ssd:17: a component without a source cannot deliver 'X.y'\n");
    fixture f;
    open_project(&f, DATA "no_source.ssd");
    assert_contains(f.log.text, "no_source.ssd:8: component 'X' has no source and is left out");
    assert_true(takt_log_count_doubts(f.log.log) > 0);
    assert_string_equal(components(&f), "A B ");
    clear(&f);
}

static void transformations_are_read_and_checked(void **state)
{
    (void)state;
    static const char path[] = DATA "transformations.ssd";
    fixture f;
    open_project(&f, path);
    const takt_project_hop *hop = f.project->connections[0].hops;
    assert_int_equal(hop->transformation.kind, TAKT_TRANSFORM_INTEGER);
    assert_int_equal(hop->transformation.n_entries, 2);
    assert_string_equal(hop->transformation.entries[1].target, "4");
    assert_true(hop->keeps_unit);
    clear(&f);
    assert_errors(path,
                  "transformations.ssd:17: suppressUnitConversion=\"maybe\" is neither true nor "
                  "false\n"
                  "transformations.ssd:20: the value '1' is mapped twice; only one is possible\n"
                  "transformations.ssd:21: 'yes' is not a value that can be mapped here\n"
                  "transformations.ssd:23: <LinearTransformation> is a second transformation; only "
                  "one is possible\n");
}

// ---- parameters ----------------------------------------------------------------------------------

static void values_of_files_are_mapped(void **state)
{
    (void)state;
    fixture f;
    open_good(&f, DATA "values/a.ssd");
    assert_string_equal(assignments(&f), ".A.k=2 .A.l=2 .A.k=2 .A.other=3 ");
    assert_true(f.project->assignments[0].hops[0].transformation.factor == 10);
    assert_int_equal(f.project->assignments[0].if_missing, TAKT_LEVEL_INFO);
    assert_contains(f.log.text, "info: ");
    assert_contains(f.log.text, "m.ssm:9: there is no parameter 'pre.missing' to be mapped, so ");
    clear(&f);
}

static void problems_of_value_files_are_reported_with_their_place(void **state)
{
    (void)state;
    assert_errors(
        DATA "wrong_values/a.ssd",
        "m.ssm:5: 'A.k' is the target of two entries, here and in line 4\n"
        "m.ssm:6: <MappingEntry> has no attribute 'source'\n"
        "p.ssv:6: parameter 'x' has no value\n"
        "m.ssm:2: <ParameterMapping> is not the root of a ParameterSet\n"
        "a.ssd:10: sourceBase=\"component\" is possible only for components with a source\n"
        "a.ssd:11: sourceBase=\"nowhere\" is neither SSD nor component\n"
        "a.ssd:12: the type 'text/plain' is not supported; possible is "
        "application/x-ssp-parameter-set\n");
    fixture f;
    open_project(&f, DATA "wrong_values/a.ssd");
    assert_contains(f.log.text, "m.ssm:2: the version of SSP is '3.0'; known are 1.0 and 2.0");
    clear(&f);
}

static void values_can_lie_inside_of_an_fmu(void **state)
{
    (void)state;
    takt_error err = {0};
    test_folder folder = test_folder_create();
    char fmu[300], ssd[300];
    snprintf(fmu, sizeof fmu, "%s/A.fmu", folder.path);
    snprintf(ssd, sizeof ssd, "%s/a.ssd", folder.path);
    test_archive(fmu, (test_entry[]){{.name = "extra/p.ssv", .file = DATA "values/sub/p.ssv"}}, 1);
    assert_int_equal(takt_file_copy(DATA "inside_fmu.ssd", ssd, &err), TAKT_OK);
    fixture f;
    open_project(&f, ssd);
    assert_string_equal(assignments(&f), "A.k=2 A.other=3 ");
    assert_contains(f.project->assignments[0].place.file, "A.fmu/extra/p.ssv");
    assert_contains(f.log.text, "a.ssd:9: source '../p.ssv' leaves the package");
    clear(&f);
    test_folder_remove(&folder);
}

static void units_belong_to_their_file(void **state)
{
    (void)state;
    fixture f;
    open_project(&f, DATA "units/a.ssd");
    assert_int_equal(f.project->connectors[0].unit->m, 1);
    assert_true(f.project->connectors[0].unit->factor == 0.01);
    assert_int_equal(f.project->assignments[0].unit_definition->kg, 1);
    assert_contains(f.log.text, "p.ssv:11: the unit 'x' has other base units than in " DATA
                                "units/a.ssd; give one of them another name");
    clear(&f);
    assert_errors(DATA "units/a.ssd", "a.ssd:24: the exponent m=\"1.5\" is not possible\n"
                                      "a.ssd:24: the unit 'bad' has the factor 0\n");
}

static void arrays_of_texts_are_assigned_element_by_element(void **state)
{
    (void)state;
    fixture f;
    open_good(&f, DATA "text_arrays.ssd");
    assert_string_equal(assignments(&f),
                        ".A.s[1,1]=a b .A.s[1,2]=c .A.s[2,1]=d .A.t=red .A.v=1 2 3 ");
    clear(&f);
    assert_errors(DATA "wrong_dimension.ssd",
                  "wrong_dimension.ssd:11: the dimension '0' is not possible\n"
                  "wrong_dimension.ssd:16: the dimension 'many' is not possible\n");
}

static void what_other_tools_write_is_tolerated(void **state)
{
    (void)state;
    fixture f;
    open_good(&f, DATA "tolerated.ssd");
    assert_string_equal(connections(&f), "A.y>Sub.C.u A.c>B.k ");
    assert_true(f.project->connections[0].hops[0].unit->factor == 0.01);
    // A value for an output that nothing drives goes where the output leads.
    int alias = takt_project_find_alias(f.project, "Constants.five");
    assert_true(alias >= 0);
    assert_string_equal(f.project->aliases[alias].component, "B");
    assert_string_equal(f.project->aliases[alias].variable, "w");
    clear(&f);
}

// XML Schema allows them around everything that is not a text.
static void blanks_around_values_are_left_out(void **state)
{
    (void)state;
    fixture f;
    open_good(&f, DATA "blanks.ssd");
    assert_string_equal(assignments(&f), ".A.r=1 .A.b=true .A.s= x  .A.v=1 2 ");
    assert_string_equal(f.project->assignments[3].shape, "[2]");
    assert_string_equal(connections(&f), "A.y>A.u A.n[1,2]>A.i ");
    const takt_project_connection *c = f.project->connections;
    assert_true(c[0].hops[0].keeps_unit && c[0].hops[0].transformation.factor == 2);
    assert_string_equal(c[1].hops[0].transformation.entries[0].target, "2");
    assert_true(f.project->settings.start_time == 1 && f.project->settings.stop_time == 2);
    clear(&f);
}

static void names_that_are_misspelt_are_reported(void **state)
{
    (void)state;
    assert_errors(
        DATA "misspelt.ssd",
        "misspelt.ssd:14: <Paramter> is not known inside <Parameters>; did you mean <Parameter>?\n"
        "misspelt.ssd:20: <MapingEntry> is not known inside <ParameterMapping>; did you mean "
        "<MappingEntry>?\n"
        "misspelt.ssd:29: connector 'in' is declared as output, but in the system of 'One' it is "
        "input\n"
        "misspelt.ssd:30: connector 'inn' does not exist in the system of 'One'; did you mean "
        "'in'?\n"
        "misspelt.ssd:42: <MapEntri> is not known inside <IntegerMappingTransformation>; did you "
        "mean <MapEntry>?\n"
        "misspelt.ssd:50: <SignalDictonary> is not known inside <SignalDictionaries>; did you mean "
        "<SignalDictionary>?\n"
        "misspelt.ssd:53: <DictionaryEntri> is not known inside <SignalDictionary>; did you mean "
        "<DictionaryEntry>?\n"
        "misspelt.ssd:59: <Unit> is not known inside <Units>; it holds <Unit> of the namespace "
        "http://ssp-standard.org/SSP1/SystemStructureCommon\n");
    fixture f;
    open_project(&f, DATA "misspelt.ssd");
    assert_contains(f.log.text, "misspelt.ssd:10: <ParameterBinding> has no attribute 'prefx'; it "
                                "is not used; did you mean 'prefix'?");
    assert_contains(f.log.text, "misspelt.ssd:26: <Component> has no attribute 'implementaton'");
    assert_contains(f.log.text,
                    "misspelt.ssd:40: <Connection> has no attribute 'suppresUnitConversion'; it is "
                    "not used; did you mean 'suppressUnitConversion'?");
    assert_contains(f.log.text, "misspelt.ssd:46: <LinearTransformation> has no attribute");
    assert_contains(f.log.text, "misspelt.ssd:61: <BaseUnit> has no attribute 'k'; it is not used");
    assert_contains(f.log.text, "misspelt.ssd:64: <DefaultExperiment> has no attribute 'stopTme'; "
                                "it is not used; did you mean 'stopTime'?");
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
        cmocka_unit_test(an_entry_with_many_sources_is_reported_once),
        cmocka_unit_test(dictionaries_connect_across_systems),
        cmocka_unit_test(elements_of_arrays_travel_through_connectors),
        cmocka_unit_test(connections_that_are_not_allowed_are_errors),
        cmocka_unit_test(circles_of_connectors_are_errors),
        cmocka_unit_test(components_without_a_source_deliver_nothing),
        cmocka_unit_test(transformations_are_read_and_checked),
        cmocka_unit_test(values_of_files_are_mapped),
        cmocka_unit_test(problems_of_value_files_are_reported_with_their_place),
        cmocka_unit_test(values_can_lie_inside_of_an_fmu),
        cmocka_unit_test(units_belong_to_their_file),
        cmocka_unit_test(arrays_of_texts_are_assigned_element_by_element),
        cmocka_unit_test(what_other_tools_write_is_tolerated),
        cmocka_unit_test(blanks_around_values_are_left_out),
        cmocka_unit_test(names_that_are_misspelt_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
