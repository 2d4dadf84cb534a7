// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "base/file.h"
#include "project/project.h"

#define HEAD                                                                                       \
    "<?xml version='1.0' encoding='UTF-8'?>\n"                                                     \
    "<ssd:SystemStructureDescription version='1.0' name='test'\n"                                  \
    " xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription'\n"                       \
    " xmlns:ssc='http://ssp-standard.org/SSP1/SystemStructureCommon'\n"                            \
    " xmlns:ssv='http://ssp-standard.org/SSP1/SystemStructureParameterValues'>\n"
#define TAIL "</ssd:SystemStructureDescription>\n"
#define ONE_COMPONENT "<ssd:Elements><ssd:Component name='A' source='A.fmu'/></ssd:Elements>\n"

typedef struct fixture {
    test_log log;
    char *folder, *path;
    takt_arena arena;
    takt_project *project;
    takt_status status;
    takt_error err;
} fixture;

// Writes the text into a file of a new folder and opens it as a project.
static void open_text(fixture *f, const char *text)
{
    memset(f, 0, sizeof *f);
    test_log_init(&f->log);
    assert_int_equal(takt_folder_create_temporary(&f->arena, NULL, "test", &f->folder, &f->err), 0);
    f->path = takt_path_join(&f->arena, f->folder, "plant.ssd");
    assert_int_equal(takt_file_write(f->path, text, strlen(text), &f->err), TAKT_OK);
    f->status = takt_project_open(f->path, f->log.log, &f->project, &f->err);
}

static void clear(fixture *f)
{
    takt_project_close(f->project);
    takt_tree_remove(f->folder);
    takt_arena_clear(&f->arena);
    test_log_clear(&f->log);
}

static void open_good(fixture *f, const char *text)
{
    open_text(f, text);
    if (f->status) fail_msg("%s\n%s", f->err.message, f->log.text);
}

// The log must contain "error: <path>:<line>: <message>".
static void assert_error(const fixture *f, int line, const char *message)
{
    char expected[1024];
    snprintf(expected, sizeof expected, "error: %s:%d: %s\n", f->path, line, message);
    assert_contains(f->log.text, expected);
}

static void a_full_example_is_read(void **state)
{
    (void)state;
    fixture f;
    open_good(&f,
              HEAD
              "<ssd:System name='s'>\n" // line 6
              "<ssd:Elements>\n"
              "<ssd:Component name='A' source='sub/../My%20Model.fmu'>\n"
              "<ssd:Connectors>\n"
              "<ssd:Connector name='y' kind='output'><ssc:Real unit='m'/></ssd:Connector>\n" // 10
              "<ssd:Connector name='k' kind='parameter'/>\n"
              "</ssd:Connectors>\n"
              "</ssd:Component>\n"
              "<ssd:Component name='B' source='./B.fmu' type='application/x-fmu-sharedlibrary' "
              "implementation='CoSimulation'>"
              "<ssd:ElementGeometry x1='0' y1='0' x2='1' y2='1'/></ssd:Component>\n"
              "</ssd:Elements>\n" // 15
              "<ssd:Connections>\n"
              "<ssd:Connection startElement='A' startConnector='y' endElement='B' "
              "endConnector='u'/>\n"
              "</ssd:Connections>\n"
              "</ssd:System>\n"
              "<ssd:DefaultExperiment startTime='1.0' stopTime='1E1'/>\n" // 20
              TAIL);
    const takt_project *p = f.project;
    assert_string_equal(takt_project_name(p), "plant");
    assert_int_equal(p->n_components, 2);
    assert_string_equal(p->components[0].name, "A");
    char *source = takt_path_join(&f.arena, f.folder, "sub/../My Model.fmu");
    assert_string_equal(p->components[0].source, source);
    assert_int_equal(p->components[0].place.line, 8);
    assert_string_equal(p->components[1].source, takt_path_join(&f.arena, f.folder, "B.fmu"));
    assert_int_equal(p->n_connectors, 2);
    assert_string_equal(p->connectors[0].kind, "output");
    assert_string_equal(p->connectors[0].type, "Float64");
    assert_int_equal(p->connectors[0].place.line, 10);
    assert_null(p->connectors[1].type);
    assert_int_equal(p->n_connections, 1);
    assert_string_equal(p->connections[0].start_component, "A");
    assert_string_equal(p->connections[0].end_variable, "u");
    assert_int_equal(p->connections[0].place.line, 17);
    assert_true(p->settings.start_time == 1 && p->settings.stop_time == 10);
    assert_true(takt_settings_has(&p->settings, &p->settings.stop_time));
    assert_int_equal(takt_log_count(f.log.log, TAKT_LEVEL_WARN), 0);
    clear(&f);
}

#define VALUES(content)                                                                            \
    "<ssd:ParameterBindings><ssd:ParameterBinding%s><ssd:ParameterValues>\n"                       \
    "<ssv:ParameterSet version='1.0' name='p'><ssv:Parameters>\n" content                          \
    "</ssv:Parameters></ssv:ParameterSet>\n"                                                       \
    "</ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>\n"

static void parameters_of_the_system_come_after_those_of_components(void **state)
{
    (void)state;
    char text[4096];
    snprintf(text, sizeof text,
             HEAD "<ssd:System name='s'>\n" VALUES(
                 "<ssv:Parameter name='k'><ssv:Real value='3' "
                 "unit='K'/></ssv:Parameter>\n") "<ssd:Elements>"
                                                 "<ssd:Component "
                                                 "name='A' "
                                                 "source='A.fmu'>"
                                                 "\n" VALUES("<ssv:Parameter "
                                                             "name='k'><ssv:"
                                                             "Integer "
                                                             "value='2'/></"
                                                             "ssv:Parameter>\n"
                                                             "<ssv:Parameter "
                                                             "name='s'><ssv:"
                                                             "String "
                                                             "value=''/></"
                                                             "ssv:Parameter>"
                                                             "\n") "</"
                                                                   "ssd:"
                                                                   "Component>"
                                                                   "</"
                                                                   "ssd:"
                                                                   "Elements><"
                                                                   "/ssd:"
                                                                   "System>"
                                                                   "\n" TAIL,
             " prefix='A.'", "");
    fixture f;
    open_good(&f, text);
    const takt_project_assignment *a = f.project->assignments;
    assert_int_equal(f.project->n_assignments, 3);
    assert_string_equal(a[0].component, "A");
    assert_string_equal(a[0].variable, "k");
    assert_string_equal(a[0].value, "2");
    assert_string_equal(a[0].type, "Int32");
    assert_string_equal(a[1].value, "");
    assert_null(a[2].component);
    assert_string_equal(a[2].variable, "A.k");
    assert_string_equal(a[2].type, "Float64");
    assert_string_equal(a[2].unit, "K");
    assert_int_equal(a[2].place.line, 9);
    clear(&f);
}

#define EXPERIMENT(attributes, content)                                                            \
    "<ssd:DefaultExperiment stopTime='5'><ssd:Annotations>\n"                                      \
    "<ssc:Annotation type='com.other'><nonsense/></ssc:Annotation>\n"                              \
    "<ssc:Annotation type='org.takt.experiment'>\n"                                                \
    "<takt:Experiment xmlns:takt='https://takt.org/experiment' " attributes ">\n" content          \
    "</takt:Experiment></ssc:Annotation></ssd:Annotations></ssd:DefaultExperiment>\n"

static void our_annotation_gives_settings(void **state)
{
    (void)state;
    fixture f;
    open_good(&f, HEAD "<ssd:System name='s'>" ONE_COMPONENT "</ssd:System>\n" EXPERIMENT(
                      "step-size='0.1' algorithm='seidel' record='A.* B.x' stop-time='7'",
                      "<takt:Loop member='Part 2' algorithm='fixed-point'/>") TAIL);
    const takt_settings *s = &f.project->settings;
    assert_true(s->step_size == 0.1 && s->stop_time == 7);
    assert_int_equal(s->algorithm, TAKT_ALGORITHM_SEIDEL);
    assert_int_equal(s->loop_algorithms.n_items, 1);
    assert_string_equal(s->loop_algorithms.items[0], "Part 2=fixed-point");
    assert_int_equal(s->record.n_items, 2);
    assert_string_equal(s->record.items[1], "B.x");
    clear(&f);
}

static void wrong_settings_in_the_annotation_are_reported_with_their_line(void **state)
{
    (void)state;
    fixture f;
    open_text(&f, HEAD "<ssd:System name='s'>" ONE_COMPONENT
                       "</ssd:System>\n" EXPERIMENT("stepsize='0.1' algorithm='magic'",
                                                    "<takt:Loop member='A'/><takt:Lop/>") TAIL);
    assert_error(&f, 11, "there is no setting 'stepsize'; did you mean 'step-size'?");
    assert_error(&f, 11,
                 "algorithm: 'magic' is not possible; choose auto, jacobi, seidel, fixed-point, "
                 "newton, quasi-newton or anderson");
    assert_error(&f, 12, "<Loop> has no attribute 'algorithm'");
    assert_error(&f, 12, "<Lop> is not known here; possible is <Loop>");
    assert_int_equal(f.project->problems.n_errors, 4);
    clear(&f);
}

static void all_problems_are_reported_together(void **state)
{
    (void)state;
    fixture f;
    open_text(&f,
              HEAD
              "<ssd:System name='s'>\n<ssd:Elements>\n"
              "<ssd:Component source='A.fmu'/>\n" // 8
              "<ssd:Component name='B'/>\n"
              "<ssd:Component name='C' source='http://x.org/C.fmu'/>\n" // 10
              "<ssd:Component name='D' source='/D.fmu'/>\n"
              "<ssd:Component name='E' source='E%2.fmu'/>\n"
              "<ssd:Component name='F' source='F.mo' type='text/x-modelica'/>\n"
              "<ssd:Component name='G' source='G.fmu' implementation='ScheduledExecution'/>\n"
              "<ssd:Sytem name='inner'/>\n" // 15
              "<ssd:Component name='H' source='H.fmu'><ssd:Connectors>\n"
              "<ssd:Connector name='u' kind='inputt'/>\n"
              "<ssd:Connector kind='input'/>\n"
              "<ssd:Connector name='v' kind='input'><ssc:Rael/></ssd:Connector>\n"
              "</ssd:Connectors></ssd:Component>\n" // 20
              "</ssd:Elements>\n"
              "<ssd:Connections>\n"
              "<ssd:Connection startElement='C' startConnector='y' endElement='D'/>\n"
              "<ssd:Connection startElement='C' startConnector='y' endElement='X' endConnector='u'>"
              "<ssc:LinearTransformation factor='two'/></ssd:Connection>\n"
              "<ssd:Connection startConnector='y' endElement='B' endConnector='u'/>\n" // 25
              "</ssd:Connections>\n<ssd:Conections/>\n"
              "<ssd:SignalDictionaries><ssd:SignalDictionary name='d'/></ssd:SignalDictionaries>\n"
              "</ssd:System>\n"
              "<ssd:DefaultExperiment stopTime='soon'/>\n" // 30
              TAIL);
    assert_int_not_equal(f.project->problems.n_errors, 0);
    assert_error(&f, 8, "<Component> has no attribute 'name'");
    assert_contains(f.log.text, ":9: component 'B' has no source and is left out; write "
                                "source=\"NAME.fmu\"\n");
    assert_error(
        &f, 10,
        "component 'C': source 'http://x.org/C.fmu' is not a file; only paths are possible");
    assert_error(&f, 12,
                 "component 'E': source 'E%2.fmu' has a '%' that is not followed by a code such as "
                 "%20");
    assert_error(&f, 13,
                 "component 'F': the type 'text/x-modelica' is not supported; possible are "
                 "application/x-fmu-sharedlibrary, application/x-ssp-definition, "
                 "application/x-ssp-package, text/csv and text/tab-separated-values");
    assert_error(
        &f, 14,
        "component 'G': the implementation 'ScheduledExecution' is not supported; possible "
        "are any, CoSimulation and ModelExchange");
    assert_error(&f, 15, "<Sytem> is not known inside <Elements>; did you mean <System>?");
    assert_error(&f, 17,
                 "connector 'u': 'inputt' is not a kind of connector; did you mean 'input'?");
    assert_error(&f, 18, "<Connector> has no attribute 'name'");
    assert_error(&f, 19, "<Rael> is not a type");
    assert_error(&f, 23, "<Connection> has no attribute 'endConnector'");
    assert_error(&f, 24, "factor=\"two\" is not a number");
    assert_error(&f, 24, "there is no component 'X'");
    assert_error(&f, 25, "the system itself has no connector 'y'");
    assert_error(&f, 27, "<Conections> is not known inside <System>; did you mean <Connections>?");
    assert_error(&f, 28, "<SignalDictionary> has neither source nor content");
    assert_contains(f.log.text, ":30: stop-time: 'soon' is not a time");
    clear(&f);
}

static void parameters_that_cannot_be_used_are_errors(void **state)
{
    (void)state;
    fixture f;
    open_text(&f, HEAD "<ssd:System name='s'>" ONE_COMPONENT "<ssd:ParameterBindings>\n"
                       "<ssd:ParameterBinding source='p.ssv'/>\n" // 8
                       "<ssd:ParameterBinding/>\n"
                       "<ssd:ParameterBinding><ssd:ParameterMapping/></ssd:ParameterBinding>\n"
                       "<ssd:ParameterBinding><ssd:ParameterValues/></ssd:ParameterBinding>\n"
                       "<ssd:ParameterBinding><ssd:ParameterValues>"
                       "<ssv:ParameterSet version='1.0' name='p'><ssv:Parameters>\n"
                       "<ssv:Parameter name='a'/>\n" // 13
                       "<ssv:Parameter><ssv:Real value='1'/></ssv:Parameter>\n"
                       "<ssv:Parameter name='b'><ssv:Real/></ssv:Parameter>\n"
                       "<ssv:Parameter name='a'><ssv:Binary value='00'/></ssv:Parameter>\n"
                       "<ssv:Parameter name='d'><ssv:Rael value='0'/></ssv:Parameter>\n"
                       "<ssv:Parameter name='e'><ssv:Real value='0'/><ssv:Real value='0'/>"
                       "</ssv:Parameter>\n"
                       "</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>"
                       "</ssd:ParameterBinding></ssd:ParameterBindings></ssd:System>" TAIL);
    assert_int_not_equal(f.project->problems.n_errors, 0);
    assert_contains(f.log.text, "p.ssv: cannot be opened: No such file or directory");
    assert_error(&f, 9, "<ParameterBinding> has neither source nor values");
    assert_error(&f, 10, "<ParameterMapping> has neither source nor content");
    assert_error(&f, 11, "<ParameterValues> holds no ssv:ParameterSet/Parameters");
    assert_error(&f, 13, "parameter 'a' has no value");
    assert_error(&f, 14, "<Parameter> has no attribute 'name'");
    assert_error(&f, 15, "parameter 'b' has no value");
    assert_error(&f, 16, "parameter 'a' is given twice, here and in line 13");
    assert_error(&f, 17, "parameter 'd': <Rael> is not a type");
    assert_error(&f, 18, "parameter 'e' has more than one value");
    clear(&f);
}

static void an_entry_of_a_mapping_without_a_parameter_is_a_warning(void **state)
{
    (void)state;
    fixture f;
    open_text(&f, HEAD "<ssd:System name='s'>" ONE_COMPONENT "<ssd:ParameterBindings>"
                       "<ssd:ParameterBinding><ssd:ParameterValues>"
                       "<ssv:ParameterSet version='1.0' name='p'><ssv:Parameters>"
                       "<ssv:Parameter name='a'><ssv:Real value='1'/></ssv:Parameter>"
                       "</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>"
                       "<ssd:ParameterMapping><ssm:ParameterMapping version='1.0' "
                       "xmlns:ssm='http://ssp-standard.org/SSP1/SystemStructureParameterMapping'>\n"
                       "<ssm:MappingEntry source='a' target='A.k'/>\n"
                       "<ssm:MappingEntry source='b' target='A.l'/>\n" // 9
                       "</ssm:ParameterMapping></ssd:ParameterMapping></ssd:ParameterBinding>"
                       "</ssd:ParameterBindings></ssd:System>" TAIL);
    assert_contains(f.log.text, "warn: ");
    assert_contains(f.log.text,
                    ":9: there is no parameter 'b' to be mapped, so 'A.l' is not set by "
                    "this\n");
    assert_int_equal(takt_log_count(f.log.log, TAKT_LEVEL_WARN), 1);
    clear(&f);
}

static void inputs_and_outputs_of_the_whole_system_have_no_effect(void **state)
{
    (void)state;
    fixture f;
    open_good(&f, HEAD "<ssd:System name='s'><ssd:Connectors>\n"
                       "<ssd:Connector name='out' kind='output'><ssc:Real/></ssd:Connector>\n"
                       "</ssd:Connectors>" ONE_COMPONENT "<ssd:Connections>\n"
                       "<ssd:Connection startElement='A' startConnector='y' endConnector='out'/>\n"
                       "</ssd:Connections></ssd:System>" TAIL);
    assert_int_equal(f.project->n_connections, 0);
    assert_contains(f.log.text,
                    ":10: the connection with 'out' of the system itself has no effect");
    clear(&f);
}

static void other_xml_is_refused(void **state)
{
    (void)state;
    fixture f;
    open_text(&f, "<project/>");
    assert_int_equal(f.status, TAKT_ERR_INPUT);
    assert_contains(f.log.text, ":1: <project> is not the root of a SystemStructureDescription");
    clear(&f);
    open_text(&f, HEAD "<ssd:System>");
    assert_int_equal(f.status, TAKT_ERR_INPUT);
    assert_contains(f.err.message, "plant.ssd:");
    clear(&f);
    open_text(&f, "<!DOCTYPE x [<!ENTITY a 'b'>]>" HEAD TAIL);
    assert_int_equal(f.status, TAKT_ERR_INPUT);
    assert_contains(f.err.message, "DOCTYPE");
    clear(&f);
    open_text(&f, HEAD TAIL);
    assert_error(&f, 2, "the file has no <System>");
    clear(&f);
    open_text(&f, HEAD "<ssd:System name='s'/>" TAIL);
    assert_error(&f, 6, "the system has no components");
    clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_example_is_read),
        cmocka_unit_test(an_entry_of_a_mapping_without_a_parameter_is_a_warning),
        cmocka_unit_test(parameters_of_the_system_come_after_those_of_components),
        cmocka_unit_test(our_annotation_gives_settings),
        cmocka_unit_test(wrong_settings_in_the_annotation_are_reported_with_their_line),
        cmocka_unit_test(all_problems_are_reported_together),
        cmocka_unit_test(parameters_that_cannot_be_used_are_errors),
        cmocka_unit_test(inputs_and_outputs_of_the_whole_system_have_no_effect),
        cmocka_unit_test(other_xml_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
