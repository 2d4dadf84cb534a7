// SPDX-License-Identifier: MIT
#include "support/system.h"

#include <jansson.h>
#include <time.h>

#include "plan/plan.h"

static const test_variable source_variables[] = {{"y", TAKT_OUTPUT, .depends = ""}, {0}};
static const test_variable gain_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "u"}, {0}};
// An integrator: its output does not depend on its input at once.
static const test_variable integrator_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
static const test_variable silent_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", .causality = TAKT_OUTPUT}, {0}};
// Two independent channels.
static const test_variable pair_variables[] = {{"u1", TAKT_INPUT, .start = "0"},
                                               {"u2", TAKT_INPUT, .start = "0"},
                                               {"y1", TAKT_OUTPUT, .depends = "u1"},
                                               {"y2", TAKT_OUTPUT, .depends = "u2"},
                                               {0}};
static const test_variable exact_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .start = "1", .initial = TAKT_EXACT}, {0}};
static const test_variable mixed_variables[] = {
    {"u", TAKT_INPUT, .start = "0"},
    {"n", TAKT_INPUT, .type = TAKT_INT32, .start = "0"},
    {"s", TAKT_INPUT, .type = TAKT_STRING, .start = ""},
    {"b", TAKT_INPUT, .type = TAKT_BOOLEAN, .start = "false"},
    {"x", .causality = TAKT_LOCAL},
    {"y", TAKT_OUTPUT, .depends = ""},
    {"m", TAKT_OUTPUT, .type = TAKT_INT32, .depends = ""},
    {"t", TAKT_OUTPUT, .type = TAKT_STRING, .depends = ""},
    {"c", TAKT_OUTPUT, .type = TAKT_BOOLEAN, .depends = ""},
    {"z", TAKT_OUTPUT, .depends = ""},
    {0}};

#define REWINDS .can = {.rewind = true, .variable_step = true}

static test_model models[] = {{"Source", source_variables, REWINDS},
                              {"Gain", gain_variables, REWINDS},
                              {"Integrator", integrator_variables, REWINDS},
                              {"Silent", silent_variables, REWINDS},
                              {"Pair", pair_variables, REWINDS},
                              {"Exact", exact_variables, REWINDS},
                              {"Mixed", mixed_variables, REWINDS},
                              {"OneWay", gain_variables, .can = {.variable_step = true}},
                              {0}};

typedef struct fixture {
    test_system s;
    takt_plan *plan;
    takt_status status;
    takt_error err;
} fixture;

static void try_plan(fixture *f, const char *components, const char *connections,
                     const char *settings)
{
    f->plan = NULL;
    f->err = (takt_error){0};
    test_system_init(&f->s, models, components, connections, settings);
    f->status = takt_plan_create(f->s.system, &f->plan, &f->err);
}

static void make_plan(fixture *f, const char *components, const char *connections,
                      const char *settings)
{
    try_plan(f, components, connections, settings);
    if (f->status) fail_msg("%s\n%s", f->err.message, f->s.log.text);
}

static void clear(fixture *f)
{
    takt_plan_destroy(f->plan);
    test_system_clear(&f->s);
}

// ---- blocks ------------------------------------------------------------------------------------

// "0:A seidel | 1:B,C quasi-newton loop algebraic"
static void assert_blocks(const char *components, const char *connections, const char *settings,
                          const char *expected)
{
    fixture f;
    make_plan(&f, components, connections, settings);
    takt_text text = {0};
    for (int i = 0; i < f.plan->n_blocks; i++) {
        const takt_block *block = &f.plan->blocks[i];
        takt_text_print(&text, "%s%d:", i ? " | " : "", block->level);
        for (int k = 0; k < block->n_members; k++)
            takt_text_print(&text, "%s%s", k ? "," : "",
                            f.s.system->components[block->members[k]].name);
        takt_text_print(&text, " %s%s%s", takt_algorithm_name(block->algorithm),
                        block->is_loop ? " loop" : "", block->is_algebraic ? " algebraic" : "");
        assert_true(block->level < f.plan->n_levels);
    }
    assert_string_equal(text.data, expected);
    takt_text_clear(&text);
    clear(&f);
}

static void values_flow_forward_through_the_blocks(void **state)
{
    (void)state;
    assert_blocks("C:Gain B:Gain A:Source", "A.y>B.u B.y>C.u", "",
                  "0:A seidel | 1:B seidel | 2:C seidel");
    assert_blocks("A:Gain B:Gain", "", "", "0:A seidel | 0:B seidel");
}

static void the_listed_order_makes_loops_of_values_that_flow_backward(void **state)
{
    (void)state;
    const char *listed = "call-order=listed algorithm=seidel";
    assert_blocks("C:Gain B:Gain A:Source", "A.y>B.u B.y>C.u", listed, "0:C,B,A seidel loop");
    assert_blocks("A:Source C:Gain B:Gain D:Gain", "A.y>B.u B.y>C.u C.y>D.u", listed,
                  "0:A seidel | 1:C,B seidel loop | 2:D seidel");
    assert_blocks("A:Source B:Gain", "A.y>B.u", listed, "0:A seidel | 1:B seidel");
}

static void a_loop_iterates_where_all_members_rewind(void **state)
{
    (void)state;
    // Math003 of the papers: Part1 drives the loop of Part2 and Part3.
    assert_blocks("P1:Source P2:Pair P3:Integrator", "P1.y>P2.u1 P2.y2>P3.u P3.y>P2.u2", "",
                  "0:P1 seidel | 1:P3,P2 fixed-point loop");
    assert_blocks("A:Gain B:Gain", "A.y>B.u B.y>A.u", "", "0:A,B quasi-newton loop algebraic");
    assert_blocks("A:Gain B:OneWay", "A.y>B.u B.y>A.u", "", "0:A,B seidel loop algebraic");
    assert_blocks("A:Silent B:Gain", "A.y>B.u B.y>A.u", "", "0:A,B quasi-newton loop algebraic");
}

static void a_loop_between_components_need_not_be_one_of_variables(void **state)
{
    (void)state;
    // A.u1 -> A.y1 -> B.u1 -> B.y1 -> A.u2 -> A.y2: no circle.
    assert_blocks("A:Pair B:Pair", "A.y1>B.u1 B.y1>A.u2", "", "0:A,B fixed-point loop");
    assert_blocks("A:Pair B:Pair", "A.y1>B.u1 B.y1>A.u1", "", "0:A,B quasi-newton loop algebraic");
}

static void a_component_connected_with_itself_is_iterated_as_other_loops(void **state)
{
    (void)state;
    assert_blocks("A:Gain", "A.y>A.u", "", "0:A quasi-newton loop algebraic");
    assert_blocks("A:Gain", "A.y>A.u", "algorithm=newton", "0:A newton loop algebraic");
    assert_blocks("A:Gain", "A.y>A.u", "algorithm=A=seidel", "0:A seidel loop algebraic");
    assert_blocks("A:OneWay", "A.y>A.u", "", "0:A seidel loop algebraic");
    assert_blocks("A:Gain", "", "algorithm=fixed-point", "0:A seidel");
}

// "A,B | B.y": the members of the only loop in calling order, and what is torn.
static void assert_loop(const char *components, const char *connections, const char *settings,
                        const char *expected)
{
    fixture f;
    make_plan(&f, components, connections, settings);
    takt_text text = {0};
    for (int i = 0; i < f.plan->n_blocks; i++) {
        const takt_block *block = &f.plan->blocks[i];
        if (!block->is_loop) assert_int_equal(block->n_torn, 0);
        if (!block->is_loop) continue;
        for (int k = 0; k < block->n_members; k++)
            takt_text_print(&text, "%s%s", k ? "," : "",
                            f.s.system->components[block->members[k]].name);
        takt_text_add(&text, " |");
        for (int k = 0; k < block->n_torn; k++)
            for (int c = 0; c < f.s.system->n_components; c++) {
                const takt_plan_instance *at = &f.plan->instances[c];
                int index = block->torn[k] - at->first_output[TAKT_KIND_REAL];
                if (index < 0 || index >= at->outputs.n_values[TAKT_KIND_REAL]) continue;
                const takt_component *owner = &f.s.system->components[c];
                int variable = takt_access_index(&at->outputs, TAKT_KIND_REAL, index);
                takt_text_print(&text, " %s.%s", owner->name,
                                owner->model->variables[variable].name);
            }
    }
    assert_string_equal(text.data, expected);
    takt_text_clear(&text);
    clear(&f);
}

static void members_of_a_loop_are_called_by_feedthrough(void **state)
{
    (void)state;
    // The gain's output depends on the integrator's at once, not the other way round.
    const char *pair = "A.y>B.u B.y>A.u";
    assert_loop("A:Gain B:Integrator", pair, "", "B,A | A.y");
    assert_loop("B:Integrator A:Gain", pair, "", "B,A | A.y");
    assert_loop("A:Integrator B:Gain", pair, "", "A,B | B.y");
    // A chain of gains behind one integrator.
    const char *ring = "A.y>B.u B.y>C.u C.y>D.u D.y>A.u";
    assert_loop("D:Gain A:Gain B:Integrator C:Gain", ring, "", "B,C,D,A | A.y");
    // Without feedthrough as few values are torn as possible.
    assert_loop("D:Integrator B:Integrator A:Integrator C:Integrator", ring, "", "A,B,C,D | D.y");
    // P.y is torn for H, which comes first. C reacts to it at once, and waits for it all the same.
    assert_loop("C:Gain H:Integrator P:Integrator S:Pair",
                "P.y>C.u P.y>H.u C.y>S.u1 H.y>S.u2 S.y2>P.u", "", "H,S,P,C | C.y P.y");
    // The listed order stays possible.
    const char *listed = "D:Gain C:Gain B:Integrator A:Gain";
    assert_loop(listed, ring, "", "B,C,D,A | A.y");
    assert_loop(listed, ring, "call-order=flow", "D,C,B,A | C.y B.y A.y");
    assert_loop(listed, ring, "norm=papers", "D,C,B,A | C.y B.y A.y");
    assert_loop(listed, ring, "call-order=listed", "D,C,B,A | C.y B.y A.y");
}

static void circles_of_feedthrough_are_torn_at_few_values(void **state)
{
    (void)state;
    assert_loop("C:Gain B:Gain A:Gain", "A.y>B.u B.y>C.u C.y>A.u", "", "A,B,C | C.y");
    // Two circles share H: tearing H.y opens both.
    assert_loop("A:Gain B:Gain C:Gain H:Pair", "H.y1>B.u B.y>A.u A.y>H.u1 H.y1>C.u C.y>H.u2", "",
                "B,C,A,H | H.y1");
    // C follows the circle of A and B, though it would tear only one value there.
    assert_loop("A:Pair B:Pair C:Gain D:Integrator",
                "A.y1>B.u1 B.y1>A.u1 A.y2>B.u2 B.y2>C.u C.y>D.u D.y>A.u2", "",
                "D,A,B,C | B.y1 C.y");
    // A value that feeds several inputs is torn once; a component may read itself.
    assert_loop("A:Pair", "A.y1>A.u1 A.y1>A.u2", "", "A | A.y1");
}

static void the_order_does_not_depend_on_the_list(void **state)
{
    (void)state;
    const char *connections = "S.y>A.u1 A.y1>B.u B.y>A.u2 S.y>C.u D.y>E.u E.y>D.u";
    const char *expected =
        "0:D,E quasi-newton loop algebraic | 0:S seidel | 1:A,B fixed-point loop | "
        "1:C seidel";
    assert_blocks("A:Pair B:Gain C:Gain D:Gain E:Gain S:Source", connections, "", expected);
    assert_blocks("S:Source E:Gain D:Gain C:Gain B:Gain A:Pair", connections, "", expected);
    assert_blocks("C:Gain B:Gain S:Source D:Gain A:Pair E:Gain", connections, "", expected);
}

static void algorithms_are_chosen_in_general_and_per_loop(void **state)
{
    (void)state;
    const char *components = "A:Gain B:Gain C:Gain D:Gain E:Source";
    const char *connections = "A.y>B.u B.y>A.u C.y>D.u D.y>C.u";
    assert_blocks(components, connections, "algorithm=seidel",
                  "0:A,B seidel loop algebraic | 0:C,D seidel loop algebraic | 0:E seidel");
    assert_blocks(components, connections, "algorithm=seidel algorithm=D=fixed-point",
                  "0:A,B seidel loop algebraic | 0:C,D fixed-point loop algebraic | 0:E seidel");
    assert_blocks(components, connections, "algorithm=B=jacobi algorithm=A=seidel",
                  "0:A,B seidel loop algebraic | 0:C,D quasi-newton loop algebraic | 0:E seidel");
}

static void jacobi_is_for_all_without_an_own_algorithm(void **state)
{
    (void)state;
    const char *components = "B:Gain A:Source C:Gain D:Gain F:Gain";
    const char *connections = "A.y>B.u B.y>F.u C.y>D.u D.y>C.u";
    assert_blocks(components, connections, "algorithm=jacobi",
                  "0:A jacobi | 1:B jacobi | 0:C,D jacobi loop algebraic | 2:F jacobi");
    assert_blocks(components, connections, "algorithm=jacobi algorithm=C=auto",
                  "0:A jacobi | 1:B jacobi | 0:C,D quasi-newton loop algebraic | 2:F jacobi");
    assert_blocks("A:Gain B:Gain", "A.y>B.u B.y>A.u", "algorithm=jacobi algorithm=B=seidel",
                  "0:A,B seidel loop algebraic");
}

static void an_algorithm_that_rewinds_needs_members_that_can(void **state)
{
    (void)state;
    fixture f;
    try_plan(&f, "A:Gain B:OneWay C:OneWay", "A.y>B.u B.y>A.u", "algorithm=fixed-point");
    assert_int_equal(f.status, TAKT_ERR_USAGE);
    assert_null(f.plan);
    assert_contains(
        f.s.log.text,
        "error: algorithm fixed-point needs to rewind the loop of A, B, but component "
        "'B' cannot be rewound (its FMU does not save its state); seidel and jacobi are "
        "possible\n");
    assert_int_equal(takt_log_count(f.s.log.log, TAKT_LEVEL_ERROR), 1);
    clear(&f);
    make_plan(&f, "A:Gain B:OneWay", "A.y>B.u B.y>A.u", "");
    assert_contains(f.s.log.text,
                    "warn: test.ssd:2: component 'B' cannot be rewound (its FMU does not save its "
                    "state), so the algebraic loop of A, B is computed with seidel, without "
                    "iterating: it is not solved, and its results may be wrong by any amount; use "
                    "an FMU that saves its state, or break the loop\n");
    assert_int_equal(takt_log_count_doubts(f.s.log.log), 1);
    clear(&f);
    make_plan(&f, "A:Gain B:OneWay", "", "algorithm=B=seidel");
    assert_contains(f.s.log.text, "warn: algorithm B=seidel: component 'B' is in no loop, so this "
                                  "has no effect\n");
    clear(&f);
}

// ---- layout ------------------------------------------------------------------------------------

static void connected_outputs_lie_before_recorded_variables(void **state)
{
    (void)state;
    fixture f;
    make_plan(&f, "A:Mixed B:Mixed", "A.y>B.u A.m>B.n A.t>B.s A.c>B.b B.y>A.u",
              "step-control=fixed record=A.y record=?.x record=?.z record=B.u");
    const takt_plan *p = f.plan;
    const takt_plan_instance *a = &p->instances[0], *b = &p->instances[1];
    assert_int_equal(p->n_inputs[TAKT_KIND_REAL], 2);
    assert_int_equal(p->n_inputs[TAKT_KIND_INTEGER], 2);
    assert_int_equal(p->n_inputs[TAKT_KIND_BYTES], 1);
    // A.y B.y | A.x A.z | B.u, copied from u | B.x B.z
    assert_int_equal(p->n_outputs[TAKT_KIND_REAL], 7);
    assert_int_equal(p->n_outputs[TAKT_KIND_INTEGER], 2);
    assert_int_equal(a->first_output[TAKT_KIND_REAL], 0);
    assert_int_equal(b->first_output[TAKT_KIND_REAL], 1);
    assert_int_equal(a->first_recorded[TAKT_KIND_REAL], 2);
    assert_int_equal(b->first_recorded[TAKT_KIND_REAL], 5);
    assert_int_equal(a->outputs.n_values[TAKT_KIND_INTEGER], 2);
    assert_int_equal(a->recorded.n_values[TAKT_KIND_REAL], 2);
    assert_int_equal(b->recorded.n_values[TAKT_KIND_REAL], 2);
    assert_int_equal(b->n_copies, 1);
    assert_int_equal(b->copies[0].from, b->first_input[TAKT_KIND_REAL]);
    assert_int_equal(b->copies[0].to, 4);
    // u: A.u, B.u
    assert_int_equal(p->sources[TAKT_KIND_REAL][a->first_input[TAKT_KIND_REAL]], 1);
    assert_int_equal(p->sources[TAKT_KIND_REAL][b->first_input[TAKT_KIND_REAL]], 0);
    assert_int_equal(p->sources[TAKT_KIND_BYTES][0], 0);
    // Integers come before booleans in an access, on both sides.
    assert_int_equal(p->sources[TAKT_KIND_INTEGER][0], 0);
    assert_int_equal(p->sources[TAKT_KIND_INTEGER][1], 1);
    static const int slots[] = {2, 0, 3, 4, 5, 6};
    assert_int_equal(p->n_columns, 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(p->columns[i].slot.kind, TAKT_KIND_REAL);
        assert_int_equal(p->columns[i].slot.index, slots[i]);
    }
    clear(&f);
}

static void an_output_with_many_inputs_is_read_once(void **state)
{
    (void)state;
    fixture f;
    make_plan(&f, "A:Source B:Gain C:Gain", "A.y>B.u A.y>C.u", "");
    assert_int_equal(f.plan->instances[0].outputs.n_values[TAKT_KIND_REAL], 1);
    assert_int_equal(f.plan->n_inputs[TAKT_KIND_REAL], 2);
    assert_int_equal(f.plan->sources[TAKT_KIND_REAL][0], 0);
    assert_int_equal(f.plan->sources[TAKT_KIND_REAL][1], 0);
    // A.y is connected; B.y and C.y are only recorded.
    assert_int_equal(f.plan->n_outputs[TAKT_KIND_REAL], 3);
    assert_int_equal(f.plan->columns[0].slot.index, 0);
    assert_int_equal(f.plan->columns[2].slot.index, 2);
    clear(&f);
}

// ---- initialization ----------------------------------------------------------------------------

// "get A: y | set B: u | loop(...)"
static void assert_stages(const char *components, const char *connections, const char *expected)
{
    fixture f;
    make_plan(&f, components, connections, "");
    takt_text text = {0};
    for (int i = 0; i < f.plan->n_init_stages; i++) {
        const takt_init_stage *stage = &f.plan->init_stages[i];
        takt_text_add(&text, i ? " | " : "");
        if (stage->is_loop) takt_text_add(&text, "loop(");
        for (int k = 0; k < stage->n_actions; k++) {
            const takt_init_action *action = &stage->actions[k];
            const takt_component *component = &f.s.system->components[action->instance];
            takt_text_print(&text, "%s%s %s", k ? ", " : "", action->is_set ? "set" : "get",
                            component->name);
            for (int g = 0; g < action->access.n_batches; g++)
                for (int v = 0; v < action->access.batches[g].n_refs; v++)
                    takt_text_print(
                        &text, ".%s",
                        component->model->variables[action->access.batches[g].variables[v]].name);
        }
        if (stage->is_loop) takt_text_add(&text, ")");
    }
    assert_string_equal(text.data ? text.data : "", expected);
    takt_text_clear(&text);
    clear(&f);
}

static void initialization_follows_the_dependencies(void **state)
{
    (void)state;
    assert_stages("A:Gain", "", "");
    assert_stages("C:Gain B:Gain A:Source", "A.y>B.u B.y>C.u",
                  "get A.y, set B.u, get B.y, set C.u");
    assert_stages("A:Integrator B:Integrator", "A.y>B.u B.y>A.u",
                  "get A.y, get B.y, set A.u, set B.u");
}

static void variables_of_one_instance_are_read_and_set_together(void **state)
{
    (void)state;
    assert_stages("A:Pair B:Pair", "A.y1>B.u1 A.y2>B.u2", "get A.y1.y2, set B.u1.u2");
    // A.u2 waits for B.y1, which waits for A.y1.
    assert_stages("A:Pair B:Pair", "A.y1>B.u1 B.y1>A.u2 A.y2>B.u2",
                  "get A.y1, set B.u1, get B.y1, set A.u2, get A.y2, set B.u2");
}

static void circles_become_loops(void **state)
{
    (void)state;
    assert_stages("A:Gain B:Gain", "A.y>B.u B.y>A.u", "loop(set A.u, get A.y, set B.u, get B.y)");
    assert_stages("S:Source A:Pair B:Gain C:Gain", "S.y>A.u1 A.y2>B.u B.y>A.u2 B.y>C.u",
                  "get S.y | loop(set A.u2, get A.y2, set B.u, get B.y) | set A.u1, set C.u");
    assert_stages("A:Gain", "A.y>A.u", "loop(set A.u, get A.y)");
}

static void an_output_about_which_nothing_is_said_depends_on_all_inputs(void **state)
{
    (void)state;
    assert_stages("A:Silent B:Integrator", "A.y>B.u B.y>A.u", "get B.y, set A.u, get A.y, set B.u");
    assert_stages("A:Silent B:Gain", "A.y>B.u B.y>A.u", "loop(set A.u, get A.y, set B.u, get B.y)");
}

static void an_output_with_an_exact_start_value_depends_on_nothing(void **state)
{
    (void)state;
    assert_stages("A:Exact B:Gain", "A.y>B.u B.y>A.u", "get A.y, set B.u, get B.y, set A.u");
}

static void actions_know_where_their_values_lie(void **state)
{
    (void)state;
    fixture f;
    make_plan(&f, "A:Pair B:Pair", "A.y1>B.u1 B.y1>A.u2 A.y2>B.u2", "");
    // y: A.y1 A.y2 B.y1; u: A.u2 B.u1 B.u2
    static const int expected[] = {0, 1, 2, 0, 1, 2};
    assert_int_equal(f.plan->n_init_stages, 1);
    assert_int_equal(f.plan->init_stages[0].n_actions, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(f.plan->init_stages[0].actions[i].index[TAKT_KIND_REAL][0], expected[i]);
    clear(&f);
}

// ---- size --------------------------------------------------------------------------------------

static void ten_thousand_components_are_planned_in_linear_time(void **state)
{
    (void)state;
    enum { N = 10000 };
    fixture f = {0};
    test_project_init(&f.s, "", "", "");
    takt_place place = {"test.ssd", 1};
    for (int i = 0; i < N; i++) {
        char name[16], next[16];
        snprintf(name, sizeof name, "C%d", i);
        snprintf(next, sizeof next, "C%d", (i + 1) % N);
        assert_true(takt_project_add_component(
            f.s.project,
            &(takt_project_component){.name = name, .source = "Pair", .place = place}));
        assert_true(takt_project_add_connection(f.s.project,
                                                &(takt_project_connection){.start_component = name,
                                                                           .start_variable = "y1",
                                                                           .end_component = next,
                                                                           .end_variable = "u1",
                                                                           .place = place}));
        assert_true(takt_project_add_connection(f.s.project,
                                                &(takt_project_connection){.start_component = name,
                                                                           .start_variable = "y2",
                                                                           .end_component = next,
                                                                           .end_variable = "u2",
                                                                           .place = place}));
    }
    clock_t begin = clock();
    assert_int_equal(takt_system_make(f.s.project, test_model_open, models, &f.s.system, &f.err),
                     TAKT_OK);
    assert_int_equal(takt_plan_create(f.s.system, &f.plan, &f.err), TAKT_OK);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    assert_int_equal(f.plan->n_blocks, 1);
    assert_int_equal(f.plan->blocks[0].n_members, N);
    assert_int_equal(f.plan->n_init_stages, 2); // one loop per channel
    assert_true(seconds < 2); // 0.1 s without sanitizers
    clear(&f);
}

// ---- description -------------------------------------------------------------------------------

static void the_plan_is_described_in_three_formats(void **state)
{
    (void)state;
    fixture f;
    make_plan(&f, "P1:Source P2:Pair P3:Silent", "P1.y>P2.u1 P2.y2>P3.u P3.y>P2.u2", "");
    char *text = NULL;
    assert_int_equal(takt_plan_describe(f.plan, TAKT_FORMAT_TEXT, &text, NULL), TAKT_OK);
    assert_string_equal(text, "Calling sequence of test (components 3, blocks 2, levels 2)\n"
                              "  1. level 0, auto: P1\n"
                              "  2. level 1, auto: P2, P3  (loop, algebraic)\n"
                              "\n"
                              "Torn: read in a step before it is delivered\n"
                              "  2. P3.y\n"
                              "\n"
                              "Feedthrough\n"
                              "  P2.y1 <- u1\n"
                              "  P2.y2 <- u2\n"
                              "  P3.y <- all inputs, as the FMU does not say\n"
                              "\n"
                              "Initialization\n"
                              "  get P1: y\n"
                              "  repeat until nothing changes\n"
                              "    set P2: u2\n"
                              "    get P2: y2\n"
                              "    set P3: u\n"
                              "    get P3: y\n"
                              "  set P2: u1\n");
    free(text);
    assert_int_equal(takt_plan_describe(f.plan, TAKT_FORMAT_DOT, &text, NULL), TAKT_OK);
    assert_contains(text, "digraph \"test\" {");
    assert_contains(text, "subgraph cluster_2 {\n  label=\"2: auto, algebraic\";\n");
    assert_contains(text, "c1 -> c2 [taillabel=\"y2\", headlabel=\"u\"];\n");
    free(text);
    assert_int_equal(takt_plan_describe(f.plan, TAKT_FORMAT_JSON, &text, NULL), TAKT_OK);
    json_t *all = json_loads(text, 0, NULL);
    assert_non_null(all);
    json_t *block = json_array_get(json_object_get(all, "blocks"), 1);
    assert_true(json_is_true(json_object_get(block, "loop")));
    assert_string_equal(json_string_value(json_object_get(block, "algorithm")), "auto");
    json_t *torn = json_object_get(block, "torn");
    assert_int_equal(json_array_size(torn), 1);
    assert_string_equal(json_string_value(json_array_get(torn, 0)), "P3.y");
    json_t *feedthrough = json_object_get(all, "feedthrough");
    assert_int_equal(json_array_size(feedthrough), 4);
    assert_true(json_is_null(json_object_get(json_array_get(feedthrough, 3), "inputs")));
    assert_int_equal(json_array_size(json_object_get(all, "initialization")), 3);
    json_decref(all);
    free(text);
    clear(&f);
}

// Where steps are made by prediction, the run says `auto`; where an algorithm is named, that is used.
static void the_algorithm_is_the_one_that_the_run_will_name(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *algorithm;
    } cases[] = {{"tolerance=1e-4", "auto"},
                 {"step-size=0.1", "auto"}, // fixed steps by prediction
                 {"algorithm=newton step-size=0.1", "newton"},
                 {"norm=papers step-size=0.1", "quasi-newton"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        char *text = NULL, expected[100];
        make_plan(&f, "A:Gain B:Gain", "A.y>B.u B.y>A.u", cases[i].settings);
        assert_int_equal(takt_plan_describe(f.plan, TAKT_FORMAT_JSON, &text, NULL), TAKT_OK);
        snprintf(expected, sizeof expected, "\"algorithm\": \"%s\"", cases[i].algorithm);
        assert_contains(text, expected);
        free(text);
        clear(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_flow_forward_through_the_blocks),
        cmocka_unit_test(the_listed_order_makes_loops_of_values_that_flow_backward),
        cmocka_unit_test(a_loop_iterates_where_all_members_rewind),
        cmocka_unit_test(a_loop_between_components_need_not_be_one_of_variables),
        cmocka_unit_test(a_component_connected_with_itself_is_iterated_as_other_loops),
        cmocka_unit_test(members_of_a_loop_are_called_by_feedthrough),
        cmocka_unit_test(circles_of_feedthrough_are_torn_at_few_values),
        cmocka_unit_test(the_order_does_not_depend_on_the_list),
        cmocka_unit_test(algorithms_are_chosen_in_general_and_per_loop),
        cmocka_unit_test(jacobi_is_for_all_without_an_own_algorithm),
        cmocka_unit_test(an_algorithm_that_rewinds_needs_members_that_can),
        cmocka_unit_test(connected_outputs_lie_before_recorded_variables),
        cmocka_unit_test(an_output_with_many_inputs_is_read_once),
        cmocka_unit_test(initialization_follows_the_dependencies),
        cmocka_unit_test(variables_of_one_instance_are_read_and_set_together),
        cmocka_unit_test(circles_become_loops),
        cmocka_unit_test(an_output_about_which_nothing_is_said_depends_on_all_inputs),
        cmocka_unit_test(an_output_with_an_exact_start_value_depends_on_nothing),
        cmocka_unit_test(actions_know_where_their_values_lie),
        cmocka_unit_test(ten_thousand_components_are_planned_in_linear_time),
        cmocka_unit_test(the_plan_is_described_in_three_formats),
        cmocka_unit_test(the_algorithm_is_the_one_that_the_run_will_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
