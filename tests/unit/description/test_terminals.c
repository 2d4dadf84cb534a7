// SPDX-License-Identifier: MIT
#include "support/archive.h"
#include "support/memory.h"
#include "support/test.h"

#include "description/terminals.h"
#include "fmu/open.h"
#include "instance/instance.h"

#define HEAD "<fmiTerminalsAndIcons fmiVersion='3.0'>\n<GraphicalRepresentation/>\n<Terminals>\n"
#define TAIL "</Terminals>\n</fmiTerminalsAndIcons>\n"

static const char good[] =
    HEAD "<Terminal name='pin' matchingRule='plug' terminalKind='electric' description='A pin'>\n"
         "<TerminalMemberVariable variableName='v' memberName='voltage' variableKind='signal'/>\n"
         "<TerminalMemberVariable variableName='a' memberName='all' variableKind='signal'/>\n"
         "<Terminal name='fluid' matchingRule='bus'>\n"
         "<TerminalStreamMemberVariable inStreamMemberName='h_in' outStreamMemberName='h_out' "
         "inStreamVariableName='v' outStreamVariableName='w'/>\n"
         "<TerminalGraphicalRepresentation x1='0' y1='0' x2='1' y2='1' iconBaseName='i'/>\n"
         "</Terminal></Terminal>\n" TAIL;

static const char description[] =
    "<fmiModelDescription fmiVersion='3.0' modelName='T' instantiationToken='t'>"
    "<CoSimulation modelIdentifier='t'/><ModelVariables>"
    "<Float64 name='time' valueReference='0' causality='independent'/>"
    "<Float64 name='v' valueReference='1' causality='input' start='0'/>"
    "<Float64 name='w' valueReference='2' causality='output'/>"
    "<Float64 name='a' valueReference='3' causality='input' start='0'><Dimension start='2'/>"
    "</Float64></ModelVariables><ModelStructure><Output valueReference='2'/></ModelStructure>"
    "</fmiModelDescription>";

typedef struct fixture {
    test_folder folder;
    char path[512];
    test_log log;
    takt_model *model;
    takt_error err;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->folder = test_folder_create();
    test_log_init(&f->log);
    takt_log_set_strict(f->log.log, true);
    snprintf(f->path, sizeof f->path, "%s/t.fmu", f->folder.path);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    takt_model_close(f->model);
    test_log_clear(&f->log);
    test_folder_remove(&f->folder);
    free(f);
    return 0;
}

static const char description2[] =
    "<fmiModelDescription fmiVersion='2.0' modelName='T' guid='t'>"
    "<CoSimulation modelIdentifier='t'/><ModelVariables>"
    "<ScalarVariable name='v' valueReference='1' causality='input'><Real start='0'/>"
    "</ScalarVariable></ModelVariables><ModelStructure/></fmiModelDescription>";

static void open_as(fixture *f, const char *description_text, const char *terminals)
{
    test_archive(
        f->path,
        (test_entry[]){{.name = "modelDescription.xml", .data = description_text},
                       {.name = "terminalsAndIcons/terminalsAndIcons.xml", .data = terminals}},
        2);
    if (takt_fmu_open(f->path, f->log.log, &f->model, &f->err)) fail_msg("%s", f->err.message);
}

static void open_with(fixture *f, const char *terminals)
{
    open_as(f, description, terminals);
}

// FMI 2.0.4, section 2.3: as FMI 3.0 defines it.
static void fmus_of_fmi_2_have_terminals_too(void **state)
{
    fixture *f = *state;
    open_as(f, description2,
            HEAD "<Terminal name='pin' matchingRule='bus'><TerminalMemberVariable "
                 "variableName='v' memberName='voltage' variableKind='signal'/></Terminal>" TAIL);
    assert_int_equal(f->model->n_terminals, 1);
    assert_int_equal(f->model->terminal_members[0].variable, takt_model_find(f->model, "v"));
}

static void terminals_have_members_and_inner_terminals(void **state)
{
    fixture *f = *state;
    open_with(f, good);
    assert_null(strstr(f->log.text, "terminalsAndIcons"));
    const takt_model *m = f->model;
    assert_int_equal(m->n_terminals, 2);
    assert_string_equal(m->terminals[0].name, "pin");
    assert_string_equal(m->terminals[0].kind, "electric");
    assert_string_equal(m->terminals[0].matching_rule, "plug");
    assert_int_equal(m->terminals[0].line, 4);
    assert_int_equal(m->terminals[0].n_members, 2);
    assert_string_equal(m->terminal_members[0].name, "voltage");
    assert_int_equal(m->terminal_members[1].variable, takt_model_find(m, "a[1]"));
    assert_string_equal(m->terminals[1].name, "pin.fluid");
    assert_int_equal(m->terminals[1].n_members, 2);
    const takt_terminal_member *out = &m->terminal_members[m->terminals[1].first_member + 1];
    assert_string_equal(out->name, "h_out");
    assert_int_equal(out->variable, takt_model_find(m, "w"));
}

static void broken_references_are_told_with_their_line(void **state)
{
    static const struct {
        const char *xml, *message;
    } cases[] = {
        {HEAD "<Terminal name='p' matchingRule='plug'>\n<TerminalMemberVariable "
              "variableName='gone' variableKind='signal'/></Terminal>" TAIL,
         "terminalsAndIcons/terminalsAndIcons.xml:5: the FMU has no variable 'gone'"},
        {HEAD "<Terminal name='p' matchingRule='plug'/><Terminal name='p' "
              "matchingRule='plug'/>" TAIL,
         "xml:4: terminal 'p' occurs twice"},
        {HEAD "<Terminal matchingRule='plug'/>" TAIL, "xml:4: Terminal has no attribute name"},
        {HEAD "<Terminal name='p'/>" TAIL, "xml:4: Terminal has no attribute matchingRule"},
        {HEAD "<Terminal name='p' matchingRule='plug'><TerminalMemberVariable "
              "variableKind='signal'/></Terminal>" TAIL,
         "xml:4: TerminalMemberVariable has no attribute variableName"},
        {"<icons/>", "xml:1: the root element is 'icons', not 'fmiTerminalsAndIcons'"},
        {HEAD "<Terminal name='p' matchingRule='plug'>", "its terminals are left out"},
        {"", "its terminals are left out"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture *f = *state;
        open_with(f, cases[i].xml);
        assert_contains(f->log.text, cases[i].message);
        teardown(state);
        setup(state);
    }
}

static void very_many_terminals_are_cut(void **state)
{
    fixture *f = *state;
    static const char one[] = "<Terminal name='p%06d' matchingRule='plug'/>\n";
    enum { N = 100001, LENGTH = sizeof "<Terminal name='p000000' matchingRule='plug'/>\n" - 1 };
    char *text = malloc(sizeof HEAD + sizeof TAIL + (size_t)N * LENGTH);
    size_t length = (size_t)sprintf(text, "%s", HEAD);
    for (int i = 0; i < N; i++) length += (size_t)sprintf(text + length, one, i);
    sprintf(text + length, "%s", TAIL);
    open_with(f, text);
    free(text);
    assert_int_equal(f->model->n_terminals, 100000);
    assert_contains(f->log.text, "there are more than 100000 terminals and members");
}

static void read_good(void *context)
{
    (void)context;
    takt_model model = {.description_file = "m.xml"};
    takt_status st = takt_terminals_read_memory(good, sizeof good - 1, "t.xml", NULL, &model, NULL);
    assert_int_equal(st, test_memory_has_failed() ? TAKT_ERR_MEMORY : TAKT_OK);
    takt_map_clear(&model.terminal_names);
    takt_arena_clear(&model.arena);
}

static void reading_survives_every_failing_allocation(void **state)
{
    (void)state;
    assert_true(test_memory_fail_each(read_good, NULL) > 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(terminals_have_members_and_inner_terminals),
        TEST(fmus_of_fmi_2_have_terminals_too),
        TEST(broken_references_are_told_with_their_line),
        TEST(very_many_terminals_are_cut),
        cmocka_unit_test(reading_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
