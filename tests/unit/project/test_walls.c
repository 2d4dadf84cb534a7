// SPDX-License-Identifier: MIT
// Connections through the walls of subsystems, before anything is written or run.
#include "support/memory.h"
#include "support/test.h"

#include "base/file.h"
#include "project/project.h"

static const char text[] =
    "<ssd:SystemStructureDescription "
    "xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription' "
    "xmlns:ssc='http://ssp-standard.org/SSP1/SystemStructureCommon' name='n' version='1.0'>"
    "<ssd:System name='n'><ssd:Elements><ssd:Component name='Top' source='t.fmu'/>"
    "<ssd:System name='Sub'><ssd:Connectors>"
    "<ssd:Connector name='in' kind='input'><ssc:Real unit='kW'/></ssd:Connector>"
    "<ssd:Connector name='out' kind='output'/></ssd:Connectors><ssd:Elements>"
    "<ssd:Component name='A' source='a.fmu'/><ssd:Component name='B' source='a.fmu'/>"
    "<ssd:System name='Deep'><ssd:Elements><ssd:Component name='C' source='a.fmu'/>"
    "</ssd:Elements></ssd:System></ssd:Elements><ssd:Connections>"
    "<ssd:Connection startConnector='in' endElement='A' endConnector='u'/>"
    "<ssd:Connection startConnector='in' endElement='B' endConnector='u'/>"
    "<ssd:Connection startElement='B' startConnector='y' endConnector='out'/></ssd:Connections>"
    "</ssd:System></ssd:Elements></ssd:System>"
    "<ssd:Units><ssc:Unit name='kW'><ssc:BaseUnit kg='1' m='2' s='-3' factor='1000'/></ssc:Unit>"
    "</ssd:Units></ssd:SystemStructureDescription>";

typedef struct fixture {
    takt_arena arena;
    char *folder, *path;
    takt_project *project;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_int_equal(takt_folder_create_temporary(&f->arena, NULL, "test", &f->folder, NULL), 0);
    f->path = takt_path_join(&f->arena, f->folder, "n.ssd");
    assert_int_equal(takt_file_write(f->path, text, sizeof text - 1, NULL), TAKT_OK);
    takt_error err = {0};
    if (takt_project_open(f->path, NULL, &f->project, &err)) fail_msg("%s", err.message);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    takt_project_close(f->project);
    takt_tree_remove(f->folder);
    takt_arena_clear(&f->arena);
    free(f);
    return 0;
}

static void connect(fixture *f, const char *from, const char *to)
{
    takt_error err = {0};
    if (takt_project_connect(f->project, from, to, &err)) fail_msg("%s", err.message);
}

static void assert_refused(fixture *f, const char *from, const char *to, const char *message)
{
    takt_error err = {0};
    assert_int_equal(takt_project_connect(f->project, from, to, &err), TAKT_ERR_USAGE);
    assert_contains(err.message, message);
}

// "Top.y=Sub.A.u ...", in the order in which they were made.
static void assert_connections(const fixture *f, const char *expected)
{
    char all[2000] = "";
    for (int i = 0; i < takt_project_count_connections(f->project); i++) {
        takt_connection_info c = {.size = sizeof c};
        assert_int_equal(takt_project_get_connection(f->project, i, &c, NULL), TAKT_OK);
        size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s%s.%s=%s.%s", n ? " " : "", c.from_component,
                 c.from_variable, c.to_component, c.to_variable);
    }
    assert_string_equal(all, expected);
}

// "Sub.in=Sub.A.u ..."
static void assert_connectors(const fixture *f, const char *expected)
{
    char all[2000] = "";
    for (int i = 0; i < takt_project_count_connectors(f->project); i++) {
        takt_connector_info c = {.size = sizeof c};
        assert_int_equal(takt_project_get_connector(f->project, i, &c, NULL), TAKT_OK);
        size_t n = strlen(all);
        if (c.component)
            snprintf(all + n, sizeof all - n, "%s%.*s|%s=%s.%s", n ? " " : "", c.n_system, c.name,
                     c.name + c.n_system, c.component, c.variable);
    }
    assert_string_equal(all, expected);
}

static void connectors_of_subsystems_are_listed(void **state)
{
    fixture *f = *state;
    assert_connectors(f, "Sub|.in=Sub.A.u Sub|.in=Sub.B.u Sub|.out=Sub.B.y");
}

static void a_connector_gives_its_value_to_all_that_it_stands_for(void **state)
{
    fixture *f = *state;
    connect(f, "Top.y", "Sub.in");
    assert_connections(f, "Top.y=Sub.A.u Top.y=Sub.B.u");
    // The unit of the connector is on the way.
    assert_int_equal(f->project->connections[0].n_hops, 2);
    assert_string_equal(f->project->connections[0].hops[0].unit->name, "kW");
    assert_refused(f, "Top.y", "Sub.A.u", "are connected already");
    // They go together, as one wire makes them.
    assert_int_equal(takt_project_disconnect(f->project, "Top.y", "Sub.B.u", NULL), TAKT_OK);
    assert_connections(f, "");
    connect(f, "Top.y", "Sub.B.u"); // the same, named by the variable
    assert_connections(f, "Top.y=Sub.A.u Top.y=Sub.B.u");
}

static void connectors_are_made_where_none_leads(void **state)
{
    fixture *f = *state;
    connect(f, "Top.y", "Sub.Deep.C.u");
    connect(f, "Sub.Deep.C.y", "Top.u");
    connect(f, "Sub.B.y", "Top.v");
    assert_connections(f, "Top.y=Sub.Deep.C.u Sub.Deep.C.y=Top.u Sub.B.y=Top.v");
    assert_connectors(f, "Sub|.in=Sub.A.u Sub|.in=Sub.B.u Sub|.out=Sub.B.y "
                         "Sub.Deep|.C_u=Sub.Deep.C.u Sub|.Deep_C_u=Sub.Deep.C.u "
                         "Sub.Deep|.C_y=Sub.Deep.C.y Sub|.Deep_C_y=Sub.Deep.C.y");
}

static void what_is_removed_or_renamed_is_so_on_the_way_too(void **state)
{
    fixture *f = *state;
    connect(f, "Top.y", "Sub.Deep.C.u");
    assert_int_equal(takt_project_rename(f->project, "Sub.Deep.C", "Sub.Deep.D", NULL), TAKT_OK);
    assert_connections(f, "Top.y=Sub.Deep.D.u");
    assert_string_equal(f->project->wires[0].start_owner, "Sub.Deep.D");
    assert_int_equal(takt_project_remove(f->project, "Sub.Deep.D", NULL), TAKT_OK);
    assert_connections(f, "");
    assert_connectors(f, "Sub|.in=Sub.A.u Sub|.in=Sub.B.u Sub|.out=Sub.B.y");
}

static void two_sides_of_a_wall_are_not_connected(void **state)
{
    fixture *f = *state;
    assert_refused(f, "Sub.A.y", "Sub.in", "on two sides of a wall");
    assert_refused(f, "Top.y", "Sub.nothing", "there is no component 'Sub'");
    assert_connections(f, "");
}

static void attempt(void *context)
{
    takt_project *project = NULL;
    takt_error err = {0};
    takt_status st = takt_project_open(context, NULL, &project, &err);
    if (!st) st = takt_project_connect(project, "Top.y", "Sub.Deep.C.u", &err);
    if (!st) st = takt_project_connect(project, "Top.y", "Sub.in", &err);
    takt_project_close(project);
    assert_int_equal(st, test_memory_has_failed() ? TAKT_ERR_MEMORY : TAKT_OK);
}

static void connecting_survives_every_failing_allocation(void **state)
{
    fixture *f = *state;
    assert_true(test_memory_fail_each(attempt, f->path) > 50);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(connectors_of_subsystems_are_listed),
        TEST(a_connector_gives_its_value_to_all_that_it_stands_for),
        TEST(connectors_are_made_where_none_leads),
        TEST(what_is_removed_or_renamed_is_so_on_the_way_too),
        TEST(two_sides_of_a_wall_are_not_connected),
        TEST(connecting_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
