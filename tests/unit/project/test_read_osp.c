// SPDX-License-Identifier: MIT
// Reading projects of the Open Simulation Platform.
#include "support/archive.h"
#include "support/memory.h"
#include "support/project_file.h"

#include "base/file.h"

#define HEAD                                                                                       \
    "<OspSystemStructure version='0.1'"                                                            \
    " xmlns='http://opensimulationplatform.com/MSMI/OSPSystemStructure'>\n"
#define TAIL "</OspSystemStructure>\n"
#define TWO                                                                                        \
    "<Simulators><Simulator name='A' source='a.fmu'/><Simulator name='B' source='b.fmu'/>"         \
    "</Simulators>\n"

static void open_text(test_project_file *f, const char *text)
{
    test_project_file_open(f, "OspSystemStructure.xml", text);
}

static void assert_connection(const takt_project *p, int i, const char *expected)
{
    const takt_project_connection *c = &p->connections[i];
    char text[256];
    assert_true(i < p->n_connections);
    snprintf(text, sizeof text, "%s.%s>%s.%s", c->start_component, c->start_variable,
             c->end_component, c->end_variable);
    assert_string_equal(text, expected);
    assert_true(c->n_hops == 1 && c->hops[0].keeps_unit);
}

static const char full_project[] =
    HEAD "<StartTime> 0.5 </StartTime><EndTime>2</EndTime>\n"
         "<BaseStepSize>1e-2</BaseStepSize><Algorithm>fixedStep</Algorithm>\n"
         "<Simulators>\n"
         "<Simulator name='Crane' source='fmus/my%20crane.fmu' stepSize='0.01'>\n" // 5
         "<InitialValues><InitialValue variable='mass'><Real value='2.5'/></InitialValue>\n"
         "<InitialValue variable='n'><Integer value='3'/></InitialValue>\n"
         "<InitialValue variable='on'><Boolean value='true'/></InitialValue>\n"
         "<InitialValue variable='solver'><String value='Euler'/></InitialValue>\n"
         "</InitialValues></Simulator>\n" // 10
         "<Simulator name='Winch' source='winch.fmu'><InitialValues/></Simulator>\n"
         "</Simulators>\n"
         "<Functions><LinearTransformation name='scale' factor='0.1' offset='123.4'/>\n"
         "<LinearTransformation name='same'/><Sum name='total' inputCount='2'/>\n"
         "<VectorSum name='force' inputCount='2' dimension='3'/></Functions>\n" // 15
         "<Connections>\n"
         "<VariableConnection><Variable simulator='Crane' name='p.e[1]'/>"
         "<Variable simulator='Winch' name='u'/></VariableConnection>\n"
         "<SignalConnection><Variable simulator='Winch' name='y'/>"
         "<Signal function='total' name='in[0]'/></SignalConnection>\n"
         "<SignalConnection><Signal function='total' name='in#1'/>"
         "<Variable simulator='Crane' name='y'/></SignalConnection>\n"
         "<SignalConnection><Signal function='total' name='out'/>" // 20
         "<Variable simulator='Crane' name='v'/></SignalConnection>\n"
         "</Connections>\n" TAIL;

static void a_full_project_is_read(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, full_project);
    const takt_project *p = f.project;
    const takt_settings *s = &p->settings;
    assert_true(s->start_time == 0.5 && s->stop_time == 2 && s->step_size == 0.01);
    assert_int_equal(s->algorithm, TAKT_ALGORITHM_JACOBI);
    assert_int_equal(s->step_control, TAKT_STEP_CONTROL_FIXED);
    assert_int_equal(p->n_components, 6);
    assert_string_equal(p->components[0].name, "Crane");
    assert_string_equal(p->components[0].source, test_project_file_path(&f, "fmus/my crane.fmu"));
    assert_int_equal(p->components[0].place.line, 5);
    assert_string_equal(p->components[2].source, "builtin:linear?factor=0.1&offset=123.4");
    assert_string_equal(p->components[3].source, "builtin:linear?factor=1&offset=0");
    assert_string_equal(p->components[4].name, "total");
    assert_string_equal(p->components[4].source, "builtin:sum?inputs=2");
    assert_string_equal(p->components[5].source, "builtin:vectorsum?inputs=2&dimension=3");
    assert_int_equal(p->n_assignments, 4);
    static const char *const types[] = {"Float64", "Int32", "Boolean", "String"};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(p->assignments[i].component, "Crane");
        assert_string_equal(p->assignments[i].type, types[i]);
    }
    assert_string_equal(p->assignments[0].variable, "mass");
    assert_string_equal(p->assignments[0].value, "2.5");
    assert_int_equal(p->n_connections, 4);
    assert_connection(p, 0, "Crane.p.e[1]>Winch.u");
    assert_connection(p, 1, "Winch.y>total.in[0]");
    assert_connection(p, 2, "Crane.y>total.in[1]");
    assert_connection(p, 3, "Crane.v>total.out");
    assert_problem(&f, "warn", 13,
                   "only 0 of 1 inputs of function 'scale' are connected; the others are 0");
    assert_problem(&f, "warn", 15,
                   "only 0 of 6 inputs of function 'force' are connected; the others are 0");
    assert_int_equal(p->problems.n_errors, 0);
    test_project_file_clear(&f);
}

// An FMU in the folder of the project, with a model description and perhaps another file.
static void make_fmu(test_project_file *f, const char *name, const char *model, const char *osp)
{
    char xml[256];
    snprintf(xml, sizeof xml, "<fmiModelDescription fmiVersion='2.0' modelName='%s'/>", model);
    test_entry entries[] = {{.name = "modelDescription.xml", .data = xml},
                            {.name = "resources/OspModelDescription.xml", .data = osp}};
    test_archive(test_project_file_path(f, name), entries, osp ? 2 : 1);
}

static void write_file(test_project_file *f, const char *name, const char *text)
{
    const char *path = test_project_file_path(f, name);
    assert_int_equal(takt_file_write(path, text, strlen(text), &f->err), TAKT_OK);
}

#define PORT(force, velocity)                                                                      \
    "<OspModelDescription version='1.0' xmlns='x'><VariableGroups>"                                \
    "<Generic name='limits'><Variable ref='" force "'/></Generic>"                                 \
    "<LinearMechanicalPort name='port'><Force name='force'><Variable ref='" force "[1]'/>"         \
    "<Variable ref='" force "[2]'/></Force><LinearVelocity name='velocity'>"                       \
    "<Variable ref='" velocity "'/></LinearVelocity></LinearMechanicalPort>"                       \
    "</VariableGroups></OspModelDescription>"

#define GROUPS(a, b)                                                                               \
    "<VariableGroupConnection><VariableGroup simulator='A' name='" a "'/>"                         \
    "<VariableGroup simulator='B' name='" b "'/></VariableGroupConnection>\n"

static void groups_are_connected_in_their_order(void **state)
{
    (void)state;
    test_project_file f;
    test_project_file_open(
        &f, "plant.xml",
        HEAD TWO "<Functions><VectorSum name='sum' inputCount='1' dimension='2'/></Functions>\n"
                 "<Connections>" GROUPS("port", "port") GROUPS("limits", "force") // line 4
        "<SignalGroupConnection><SignalGroup function='sum' name='in[0]'/>"
        "<VariableGroup simulator='A' name='force'/></SignalGroupConnection>\n"
        "<SignalGroupConnection><VariableGroup simulator='B' name='limits'/>"
        "<SignalGroup function='sum' name='out'/></SignalGroupConnection>\n" GROUPS(
            "prot", "port") "</Connections>\n" TAIL);
    takt_project_close(f.project);
    f.project = NULL;
    make_fmu(&f, "a.fmu", "Alpha", NULL);
    make_fmu(&f, "b.fmu", "Beta", PORT("g", "w"));
    write_file(&f, "Alpha_OspModelDescription.xml", PORT("f", "v"));
    assert_int_equal(takt_project_open(f.path, f.log.log, &f.project, &f.err), TAKT_OK);
    const takt_project *p = f.project;
    assert_int_equal(p->n_connections, 5);
    assert_connection(p, 0, "A.f[1]>B.g[1]");
    assert_connection(p, 1, "A.f[2]>B.g[2]");
    assert_connection(p, 2, "A.v>B.w");
    assert_connection(p, 3, "A.f[1]>sum.in[0][0]");
    assert_connection(p, 4, "A.f[2]>sum.in[0][1]");
    assert_problem(&f, "error", 5,
                   "group 'limits' of 'A' and group 'force' of 'B' have different numbers of "
                   "variables: 1 and 2");
    assert_problem(&f, "error", 7,
                   "group 'limits' of 'B' and group 'out' of 'sum' have different numbers of "
                   "variables: 1 and 2");
    char message[512];
    snprintf(message, sizeof message, "%s has no group 'prot'; did you mean 'port'?",
             test_project_file_path(&f, "Alpha_OspModelDescription.xml"));
    assert_problem(&f, "error", 8, message);
    test_project_file_clear(&f);
}

static void groups_need_a_description(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, HEAD TWO "<Connections>" GROUPS("port", "port") "</Connections>\n" TAIL);
    assert_problem(
        &f, "error", 3,
        "simulator 'A' has no OspModelDescription.xml that says what the group 'port' is; "
        "put MODELNAME_OspModelDescription.xml beside its FMU or beside the project");
    test_project_file_clear(&f);
}

static void step_sizes_are_multiples_of_the_base_step(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, HEAD "<BaseStepSize>0.1</BaseStepSize><Simulators>"
                       "<Simulator name='A b' source='a.fmu' stepSize='0.3'/>"
                       "<Simulator name='B' source='a.fmu' stepSize='0.1'/>"
                       "<Simulator name='C' source='a.fmu' stepSize='0'/>\n"
                       "<Simulator name='D' source='a.fmu' stepSize='0.29'/>\n"
                       "<Simulator name='E' source='a.fmu' stepSize='0.01'/></Simulators>\n" TAIL);
    const takt_settings *s = &f.project->settings;
    assert_int_equal(s->step_sizes_of.n_items, 2);
    char pattern[TAKT_PATTERN_SIZE];
    double size;
    assert_true(takt_step_size_read(s->step_sizes_of.items[0], pattern, &size));
    assert_string_equal(pattern, "A?b");
    assert_near(size, 0.3, 1e-15);
    assert_true(takt_step_size_read(s->step_sizes_of.items[1], pattern, &size));
    assert_string_equal(pattern, "D");
    assert_near(size, 0.2, 1e-15); // as the platform cuts it
    assert_int_equal(takt_log_count(f.log.log, TAKT_LEVEL_WARN), 2);
    assert_problem(&f, "warn", 3,
                   "simulator 'D': stepSize 0.29 s is not a multiple of the base step 0.1 s; 0.2 s "
                   "is taken");
    assert_problem(&f, "warn", 4,
                   "simulator 'E': stepSize 0.01 s is not a multiple of the base step 0.1 s; 0.1 s "
                   "is taken");
    assert_int_equal(takt_log_count_doubts(f.log.log), 2);
    test_project_file_clear(&f);
}

static void what_has_no_effect_is_reported(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, HEAD "<Algorithm>ECCO</Algorithm>\n"
                       "<Simulators><Simulator name='A' source='proxyfmu://localhost?file=a.fmu' "
                       "/></Simulators>\n"
                       "<Connections><VariableConnection powerBond='p'>"
                       "<Variable simulator='A' name='y' causality='input'/>"
                       "<Variable simulator='A' name='u' causality='output'/>"
                       "</VariableConnection></Connections>\n"
                       "<EccoConfiguration><SafetyFactor>0.9</SafetyFactor>"
                       "<StepSize>1e-3</StepSize><MaximumStepSize>0.5</MaximumStepSize>"
                       "</EccoConfiguration>\n" TAIL);
    assert_problem(
        &f, "warn", 2,
        "the algorithm ecco is not available: the steps keep their first size; the option "
        "--step-control richardson controls them by an error test");
    assert_int_equal(takt_log_count_doubts(f.log.log), 1);
    assert_problem(&f, "warn", 3, "simulator 'A' is not run by a proxy but in this process");
    assert_problem(&f, "info", 4, "powerBond has no effect, as only the algorithm ecco uses it");
    assert_problem(&f, "info", 1, "there is no <BaseStepSize>: 0.1 s is taken");
    assert_true(f.project->settings.step_size == 1e-3 && f.project->settings.step_max == 0.5);
    assert_string_equal(f.project->components[0].source, test_project_file_path(&f, "a.fmu"));
    assert_int_equal(f.project->problems.n_errors, 0);
    test_project_file_clear(&f);
}

static void what_the_schema_does_not_allow_is_reported(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f, "<OspSystemStructure version='0.2' xmlns='http://opensimulationplatform.com/MSMI/"
                  "OSPSystemStructure'>\n<BaseStepSize>0.1</BaseStepSize>\n"
                  "<Simulators><Simulator name='A' source='a.fmu' stepsize='0.3'/></Simulators>\n"
                  "<Functions><LinearTransformation name='f' ofset='2'/></Functions>\n"
                  "<Connections><SignalConnection>\n"
                  "<Variable simulator='A' name='y' unit='m'/><Signal function='f' name='in'/>"
                  "</SignalConnection></Connections>\n<Simulators/>\n" TAIL);
    assert_problem(&f, "error", 7, "<Simulators> is given twice");
    assert_problem(&f, "warn", 1, "the version is '0.2'; known is 0.1");
    assert_problem(&f, "warn", 3,
                   "<Simulator>: the attribute 'stepsize' is not known and has no effect; did you "
                   "mean 'stepSize'?");
    assert_problem(&f, "warn", 4,
                   "<LinearTransformation>: the attribute 'ofset' is not known and has no effect; "
                   "did you mean 'offset'?");
    assert_problem(&f, "warn", 6,
                   "<Variable>: the attribute 'unit' is not known and has no effect");
    assert_int_equal(f.project->settings.input_derivatives, TAKT_DERIVATIVES_OFF);
    test_project_file_clear(&f);
}

static void all_problems_are_reported_with_their_lines(void **state)
{
    (void)state;
    test_project_file f;
    open_text(&f,
              HEAD
              "<StartTime>now</StartTime><BaseStepSize>0</BaseStepSize>\n" // 2
              "<Algorithm>fast</Algorithm><Simulator/>\n"
              "<Simulators><Simulator source='a.fmu'/>\n" // 4
              "<Simulator name='A' source='http://x/a.fmu' stepSize='x'>\n"
              "<InitialValues><InitialValue variable='k'/>\n" // 6
              "<InitialValue variable='k'><Reel value='1'/></InitialValue>\n"
              "<InitialValue><Real/></InitialValue></InitialValues></Simulator></Simulators>\n" // 8
              "<Functions><Sum name='s' inputCount='0'/><Product name='p'/>\n"
              "<LinearTransformation name='l' factor='big'/></Functions>\n" // 10
              "<Connections><VariableConnection><Variable simulator='A' name='y'/>"
              "</VariableConnection>\n"
              "<SignalConnection><Variable simulator='A' name='y'/>" // 12
              "<Signal function='ss' name='in'/></SignalConnection>\n"
              "<SignalConnection><Variable name='y'/><Signal function='l' name=''/>"
              "</SignalConnection>\n"
              "<SignalGroupConnection><VariableGroup simulator='C' name='g'/>" // 14
              "<SignalGroup function='l' name='in'/></SignalGroupConnection>\n"
              "</Connections>\n" TAIL);
    assert_problem(&f, "error", 2, "<StartTime>: 'now' is not a number");
    assert_problem(&f, "error", 2, "step-size: '0' is not allowed; it must be greater than 0");
    assert_problem(&f, "error", 3,
                   "<Algorithm>: 'fast' is not known; possible are fixedStep and ecco");
    assert_problem(&f, "error", 3,
                   "<Simulator> is not known inside <OspSystemStructure>; did you mean "
                   "<Simulators>?");
    assert_problem(&f, "error", 4, "<Simulator> has no attribute 'name'");
    assert_problem(&f, "error", 5,
                   "simulator 'A': source 'http://x/a.fmu' is not a file; only paths are possible");
    assert_problem(&f, "error", 5, "simulator 'A': stepSize 'x' is not a number from 0 on");
    assert_problem(&f, "error", 6,
                   "<InitialValue> needs one <Real>, <Integer>, <Boolean> or <String>");
    assert_problem(&f, "error", 7,
                   "<Reel> is not known inside <InitialValue>; did you mean <Real>?");
    assert_problem(&f, "error", 8, "<InitialValue> has no attribute 'variable'");
    assert_problem(&f, "error", 8, "<Real> has no attribute 'value'");
    assert_problem(&f, "error", 9, "<Sum>: inputCount '0' is not a whole number from 1 to 100000");
    assert_problem(&f, "error", 9, "<Product> is not known inside <Functions>");
    assert_problem(&f, "error", 10, "<LinearTransformation>: factor 'big' is not a number");
    assert_problem(&f, "error", 11,
                   "<VariableConnection> needs one <Variable> and another <Variable>");
    assert_problem(&f, "error", 12, "there is no function 'ss'; did you mean 's'?");
    assert_problem(&f, "error", 13, "<Variable> has no attribute 'simulator'");
    assert_problem(&f, "error", 13, "<Signal> has an empty attribute 'name'");
    assert_problem(&f, "error", 14, "there is no simulator 'C'");
    test_project_file_clear(&f);
}

static void other_xml_files_are_refused(void **state)
{
    (void)state;
    test_project_file f;
    test_project_file_try(&f, "a.xml", "<plant/>");
    assert_int_equal(f.status, TAKT_ERR_INPUT);
    assert_problem(&f, "error", 1, "<plant> is not the root of an OspSystemStructure");
    test_project_file_clear(&f);
    test_project_file_try(&f, "a.xml", "<OspSystemStructure>");
    assert_int_equal(f.status, TAKT_ERR_INPUT);
    test_project_file_clear(&f);
}

static void attempt(void *context)
{
    takt_project *project = NULL;
    takt_error err = {0};
    takt_status st = takt_project_create("plant.xml", NULL, &project, &err);
    if (!st) st = takt_project_parse_osp(project, context, strlen(context), &err);
    int has_failed = test_memory_has_failed();
    takt_project_close(project);
    assert_int_equal(st, has_failed ? TAKT_ERR_MEMORY : TAKT_OK);
}

static void exhausted_memory_is_reported(void **state)
{
    (void)state;
    char text[] = HEAD TWO
        "<Functions><Sum name='s' inputCount='2'/><LinearTransformation name='l'/></Functions>"
        "<Connections><SignalConnection><Variable simulator='A' name='y'/>"
        "<Signal function='s' name='in#0'/></SignalConnection>" GROUPS(
            "g", "g") "</Connections><Algorithm>ecco</Algorithm>" TAIL;
    assert_true(test_memory_fail_each(attempt, text) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_project_is_read),
        cmocka_unit_test(groups_are_connected_in_their_order),
        cmocka_unit_test(groups_need_a_description),
        cmocka_unit_test(step_sizes_are_multiples_of_the_base_step),
        cmocka_unit_test(what_has_no_effect_is_reported),
        cmocka_unit_test(what_the_schema_does_not_allow_is_reported),
        cmocka_unit_test(all_problems_are_reported_with_their_lines),
        cmocka_unit_test(other_xml_files_are_refused),
        cmocka_unit_test(exhausted_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
