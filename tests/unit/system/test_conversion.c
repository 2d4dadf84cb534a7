// SPDX-License-Identifier: MIT
// Hops, units and aliases of a project become factors, maps and values of the system.
#include "support/system.h"

static const test_variable plant_variables[] = {
    {"way", TAKT_OUTPUT, .depends = "", .unit = "km"},
    {"plain", TAKT_OUTPUT, .depends = ""},
    {"n", TAKT_OUTPUT, .type = TAKT_INT32, .depends = ""},
    {"flag", TAKT_OUTPUT, .type = TAKT_BOOLEAN, .depends = ""},
    {"m", TAKT_INPUT, .start = "0", .unit = "m"},
    {"T", TAKT_INPUT, .start = "0", .unit = "K"},
    {"u", TAKT_INPUT, .start = "0"},
    {"i", TAKT_INPUT, .type = TAKT_INT32, .start = "0"},
    {"b", TAKT_INPUT, .type = TAKT_BOOLEAN, .start = "0"},
    {"k", TAKT_PARAMETER, .start = "1"},
    {"sub.k", TAKT_PARAMETER, .start = "1"},
    {0}};

static test_model models[] = {{"Plant", plant_variables, .can = {.variable_step = true}}, {0}};

static const takt_unit dm = {"dm", .has_base = true, .m = 1, .factor = 0.1};
static const takt_unit degC = {"degC", .has_base = true, .K = 1, .factor = 1, .offset = 273.15};

static void make(test_system *s)
{
    s->status = takt_system_make(s->project, test_model_open, models, &s->system, &s->err);
}

// A system whose only connection leads from a.SOURCE to b.TARGET over the hops.
static void connect(test_system *s, const char *source, const char *target,
                    const takt_project_hop *hops, int n_hops)
{
    test_project_init(s, "a:Plant b:Plant", "", "");
    takt_project_connection connection = {.start_component = "a",
                                          .start_variable = source,
                                          .end_component = "b",
                                          .end_variable = target,
                                          .hops = hops,
                                          .n_hops = n_hops,
                                          .place = {"test.ssd", 7}};
    assert_true(takt_project_add_connection(s->project, &connection));
    make(s);
}

static void hops_become_one_linear_function(void **state)
{
    (void)state;
    test_system s;
    // km -> dm, times 2, plus 1, dm -> m, times 3
    takt_project_hop hops[] = {takt_project_hop_linear(2, 1), takt_project_hop_linear(3, 0)};
    hops[0].unit = &dm;
    connect(&s, "way", "m", hops, 2);
    assert_int_equal(s.status, TAKT_OK);
    assert_near(s.system->connections[0].factor, 10000.0 * 2 * 0.1 * 3, 1e-9);
    assert_near(s.system->connections[0].offset, 0.1 * 3, 1e-12);
    test_system_clear(&s);

    // A hop may do something else instead of the conversion.
    hops[0] = takt_project_hop_linear(5, 0);
    hops[0].keeps_unit = true;
    connect(&s, "way", "m", hops, 1);
    assert_near(s.system->connections[0].factor, 5, 0);
    test_system_clear(&s);

    // A connector in between is not one of the ends.
    hops[0] = (takt_project_hop){.unit = &degC, .place = {"test.ssd", 8}};
    connect(&s, "way", "m", hops, 2);
    assert_contains(s.log.text, "test.ssd:8: the value of a.way is in 'km' where, on its way to "
                                "b.m, a connector is declared in 'degC'; it cannot be converted");
    test_system_clear(&s);

    // A connector in between that says nothing passes the unit on.
    takt_project_hop none[2] = {0};
    connect(&s, "way", "m", none, 2);
    assert_near(s.system->connections[0].factor, 1000, 0);
    test_system_clear(&s);
}

static takt_project_hop map_hop(takt_transformation_kind kind,
                                const takt_transformation_entry *entries, int n)
{
    return (takt_project_hop){.transformation = {.kind = kind, .entries = entries, .n_entries = n},
                              .place = {"test.ssd", 8}};
}

static void maps_are_joined_and_leave_other_values(void **state)
{
    (void)state;
    static const takt_transformation_entry first[] = {{"5", "1"}, {"1", "2"}, {"9", "3"}};
    static const takt_transformation_entry second[] = {{"2", "20"}, {"4", "40"}};
    takt_project_hop hops[] = {map_hop(TAKT_TRANSFORM_INTEGER, first, 3),
                               map_hop(TAKT_TRANSFORM_INTEGER, second, 2)};
    test_system s;
    connect(&s, "n", "i", hops, 2);
    assert_int_equal(s.status, TAKT_OK);
    const takt_value_map *map = &s.system->connections[0].map;
    static const int64_t expected[][2] = {{1, 20}, {2, 20}, {4, 40},  {5, 1},  {9, 3},
                                          {0, 0},  {3, 3},  {20, 20}, {-1, -1}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(takt_value_map_find(map, expected[i][0]), expected[i][1]);
    test_system_clear(&s);

    // A truth value is mapped, becomes a number, and that is scaled.
    static const takt_transformation_entry invert[] = {{"true", "false"}, {"0", "1"}};
    takt_project_hop both[] = {map_hop(TAKT_TRANSFORM_BOOLEAN, invert, 2),
                               takt_project_hop_linear(10, 5)};
    connect(&s, "flag", "u", both, 2);
    assert_int_equal(s.status, TAKT_OK);
    const takt_connection *c = s.system->connections;
    assert_int_equal(takt_value_map_find(&c->map, 0), 1);
    assert_true(c->factor == 10 && c->offset == 5);
    test_system_clear(&s);
}

static void transformations_of_the_wrong_type_are_errors(void **state)
{
    (void)state;
    static const takt_transformation_entry entry[] = {{"1", "2"}};
    takt_project_hop integer = map_hop(TAKT_TRANSFORM_INTEGER, entry, 1);
    takt_project_hop boolean = map_hop(TAKT_TRANSFORM_BOOLEAN, entry, 1);
    takt_project_hop names = map_hop(TAKT_TRANSFORM_ENUMERATION, entry, 1);
    takt_project_hop linear = takt_project_hop_linear(2, 0);
    linear.place = (takt_place){"test.ssd", 8};
    takt_project_hop late[] = {linear, integer};
    const struct {
        const char *source, *target;
        const takt_project_hop *hops;
        int n_hops;
        const char *message;
    } wrong[] = {
        {"n", "i", &linear, 1, "a.n to b.i: a linear transformation is possible only for real"},
        {"plain", "u", &integer, 1, "a map of integers is possible only for integers"},
        {"n", "i", &boolean, 1, "a map of truth values is possible only for a Boolean"},
        {"n", "u", late, 2, "a map cannot follow a linear transformation"},
        {"n", "i", &names, 1, "the enumeration of a.n has no item '1'"},
        {"plain", "u", &names, 1, "a map of items is possible only for enumerations"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        test_system s;
        connect(&s, wrong[i].source, wrong[i].target, wrong[i].hops, wrong[i].n_hops);
        assert_int_equal(s.status, TAKT_ERR_INPUT);
        assert_contains(s.log.text, "error: test.ssd:8: ");
        assert_contains(s.log.text, wrong[i].message);
        test_system_clear(&s);
    }
}

// ---- units of connectors -------------------------------------------------------------------------

static void declare(test_system *s, const char *name, const char *kind, const takt_unit *unit)
{
    takt_project_connector connector = {
        .name = name, .kind = kind, .unit = unit, .place = {"test.ssd", 11}};
    assert_true(takt_project_add_connector(s->project, &connector));
}

static void units_of_connectors_must_not_contradict(void **state)
{
    (void)state;
    static const takt_unit km = {"kilometre", .has_base = true, .m = 1, .factor = 1000};
    static const takt_unit odd = {.name = "odd"};
    const struct {
        const takt_unit *unit;
        const char *message; // NULL: none
    } cases[] = {
        {&km, NULL}, // another name for the same
        {&dm, "error: test.ssd:11: connector a.way is declared with the unit 'dm', but the FMU's "
              "variable has 'km'\n"},
        {&degC, "error: test.ssd:11: connector a.way is declared with the unit 'degC'"},
        {&odd,
         "warn: test.ssd:11: connector a.way is declared with the unit 'odd', but the FMU's "
         "variable has 'km'; how they are related is not known; declare the unit of the FMU\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_system s;
        test_project_init(&s, "a:Plant", "", "");
        declare(&s, "way", "output", cases[i].unit);
        make(&s);
        if (cases[i].message)
            assert_contains(s.log.text, cases[i].message);
        else
            assert_int_equal(takt_log_count(s.log.log, TAKT_LEVEL_WARN), 0);
        test_system_clear(&s);
    }
}

static void a_declared_unit_counts_where_the_fmu_says_none(void **state)
{
    (void)state;
    test_system s;
    test_project_init(&s, "a:Plant b:Plant", "a.plain>b.m", "");
    declare(&s, "plain", "output", &dm);
    make(&s);
    assert_int_equal(s.status, TAKT_OK);
    assert_near(s.system->connections[0].factor, 0.1, 0);
    test_system_clear(&s);
}

// ---- values --------------------------------------------------------------------------------------

static double start_of(const test_system *s, int component, const char *name)
{
    const takt_model *model = s->system->components[component].model;
    for (int i = 0; i < s->system->n_starts[component]; i++) {
        const takt_start *start = &s->system->starts[component][i];
        if (strcmp(model->variables[start->variable].name, name) == 0) return start->value.real;
    }
    fail_msg("%s has no start value", name);
    return 0;
}

static void assign(test_system *s, const takt_project_assignment *assignment)
{
    takt_project_assignment copy = *assignment;
    copy.place = (takt_place){"test.ssd", 20};
    assert_true(takt_project_add_assignment(s->project, &copy));
}

static void values_are_converted_and_transformed(void **state)
{
    (void)state;
    test_system s;
    test_project_init(&s, "a:Plant", "", "");
    takt_project_hop twice = takt_project_hop_linear(2, 0);
    takt_project_hop instead = twice;
    instead.keeps_unit = true;
    assign(&s, &(takt_project_assignment){.component = "a",
                                          .variable = "m",
                                          .value = "5",
                                          .type = "Float64",
                                          .unit = "dm",
                                          .unit_definition = &dm,
                                          .hops = &twice,
                                          .n_hops = 1});
    assign(&s, &(takt_project_assignment){.component = "a",
                                          .variable = "T",
                                          .value = "20",
                                          .type = "Float64",
                                          .unit = "degC",
                                          .unit_definition = &degC});
    assign(&s, &(takt_project_assignment){.component = "a",
                                          .variable = "u",
                                          .value = "20",
                                          .type = "Float64",
                                          .unit = "degC",
                                          .unit_definition = &degC,
                                          .hops = &instead,
                                          .n_hops = 1});
    make(&s);
    assert_int_equal(s.status, TAKT_OK);
    assert_near(start_of(&s, 0, "m"), 1, 1e-15); // first the unit, then the transformation
    assert_near(start_of(&s, 0, "T"), 293.15, 1e-12);
    assert_near(start_of(&s, 0, "u"), 40, 0);
    test_system_clear(&s);
}

static void contradictory_units_of_values_are_errors(void **state)
{
    (void)state;
    test_system s;
    test_project_init(&s, "a:Plant", "", "");
    assign(&s, &(takt_project_assignment){.component = "a",
                                          .variable = "m",
                                          .value = "5",
                                          .unit = "degC",
                                          .unit_definition = &degC});
    assign(&s, &(takt_project_assignment){
                   .component = "a", .variable = "m", .value = "5", .unit = "odd"});
    make(&s);
    assert_contains(s.log.text,
                    "error: test.ssd:20: a.m is measured in 'm', but the value is given "
                    "in 'degC', which measures something else\n");
    assert_contains(s.log.text,
                    "warn: test.ssd:20: a.m has the unit 'm', but the value is given in "
                    "'odd'; how they are related is not known, and it is set unchanged; give it "
                    "in 'm'\n");
    assert_int_equal(takt_log_count_doubts(s.log.log), 1);
    test_system_clear(&s);
}

static void a_value_goes_to_all_that_have_its_name(void **state)
{
    (void)state;
    test_system s;
    // "p.sub.k" is k of the component p.sub, sub.k of p, and a connector of a system.
    test_project_init(&s, "p:Plant p.sub:Plant q:Plant", "", "");
    takt_project_hop tenfold = takt_project_hop_linear(10, 0);
    takt_project_alias alias = {
        .name = "p.sub.k", .component = "q", .variable = "k", .hops = &tenfold, .n_hops = 1};
    assert_true(takt_project_add_alias(s.project, &alias));
    alias.variable = "u";
    alias.n_hops = 0;
    assert_true(takt_project_add_alias(s.project, &alias));
    assign(&s, &(takt_project_assignment){.variable = "p.sub.k", .value = "7"});
    make(&s);
    assert_int_equal(s.status, TAKT_OK);
    assert_near(start_of(&s, 0, "sub.k"), 7, 0);
    assert_near(start_of(&s, 1, "k"), 7, 0);
    assert_near(start_of(&s, 2, "k"), 70, 0);
    assert_near(start_of(&s, 2, "u"), 7, 0);
    test_system_clear(&s);
}

static void values_for_nothing_are_reported_as_they_should_be(void **state)
{
    (void)state;
    test_system s;
    test_project_init(&s, "a:Plant b:Plant", "", "");
    assign(&s, &(takt_project_assignment){
                   .variable = "a.x", .value = "1", .if_missing = TAKT_LEVEL_INFO});
    assign(&s, &(takt_project_assignment){
                   .component = "a", .variable = "y", .value = "1", .if_missing = TAKT_LEVEL_WARN});
    make(&s);
    assert_int_equal(s.status, TAKT_OK);
    assert_contains(s.log.text,
                    "info: test.ssd:20: 'a.x' names no variable; its value is not used\n");
    assert_contains(
        s.log.text,
        "warn: test.ssd:20: component 'a' has no variable 'y'; its value is not used\n");
    test_system_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hops_become_one_linear_function),
        cmocka_unit_test(maps_are_joined_and_leave_other_values),
        cmocka_unit_test(transformations_of_the_wrong_type_are_errors),
        cmocka_unit_test(units_of_connectors_must_not_contradict),
        cmocka_unit_test(a_declared_unit_counts_where_the_fmu_says_none),
        cmocka_unit_test(values_are_converted_and_transformed),
        cmocka_unit_test(contradictory_units_of_values_are_errors),
        cmocka_unit_test(a_value_goes_to_all_that_have_its_name),
        cmocka_unit_test(values_for_nothing_are_reported_as_they_should_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
