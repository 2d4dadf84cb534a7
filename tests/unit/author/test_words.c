// SPDX-License-Identifier: MIT
// Variables in words and tables become a draft, or problems, all of them.
#include "author/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"

static takt_draft new_draft(void)
{
    return (takt_draft){.name = "Model"};
}

static int n_problems_of(const char *kind, const char *text)
{
    takt_draft draft = new_draft();
    assert_true(takt_draft_read_words(&draft, kind, text));
    takt_draft_finish(&draft, NULL);
    int n = draft.n_problems;
    takt_draft_clear(&draft);
    return n;
}

static void words_give_type_unit_and_start(void **unused)
{
    (void)unused;
    takt_draft draft = new_draft();
    assert_true(takt_draft_read_words(&draft, "input", "u:unit=W:start=2.5:min=0:max=10"));
    assert_true(takt_draft_read_words(&draft, "output", "n:Integer:description=a\\:b"));
    assert_int_equal(takt_draft_finish(&draft, NULL), TAKT_OK);
    assert_int_equal(draft.n_variables, 2);
    const takt_draft_variable *u = &draft.variables[0], *n = &draft.variables[1];
    assert_int_equal(u->causality, TAKT_INPUT);
    assert_string_equal(u->unit, "W");
    assert_true(u->starts[0].real == 2.5 && u->min == 0 && u->max == 10);
    assert_int_equal(n->type, TAKT_INT32);
    assert_string_equal(n->description, "a:b");
    assert_string_equal(draft.versions, "2");
    takt_draft_clear(&draft);
}

static void state_brings_its_derivative(void **unused)
{
    (void)unused;
    takt_draft draft = new_draft();
    assert_true(takt_draft_read_words(&draft, "state", "x:unit=m:start=1"));
    assert_int_equal(takt_draft_finish(&draft, NULL), TAKT_OK);
    assert_int_equal(draft.n_variables, 2);
    assert_string_equal(draft.variables[1].name, "der(x)");
    assert_string_equal(draft.variables[1].field, "der_x");
    assert_string_equal(draft.variables[1].unit, "m/s");
    assert_true(takt_draft_is_state(&draft, &draft.variables[0]));
    takt_draft_clear(&draft);
}

static void names_in_c_are_valid_and_differ(void **unused)
{
    (void)unused;
    const char *const names[] = {"a.b", "a_b", "a[b]", "int", "\xc3\xa4", "1", "*/", "x\"y", "NAN"};
    enum { N = sizeof names / sizeof *names };
    takt_draft draft = new_draft();
    for (int i = 0; i < N; i++) assert_true(takt_draft_read_words(&draft, "local", names[i]));
    assert_int_equal(takt_draft_finish(&draft, NULL), TAKT_OK);
    for (int i = 0; i < N; i++) {
        const char *field = draft.variables[i].field;
        assert_true(strspn(field, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"
                                  "") == strlen(field));
        assert_string_not_equal(field, "int");
        for (int k = 0; k < i; k++) assert_string_not_equal(field, draft.variables[k].field);
    }
    takt_draft_clear(&draft);
}

static void mistakes_are_problems(void **unused)
{
    (void)unused;
    const char *const texts[] = {"",
                                 "u:Reel",
                                 "u:untit=W",
                                 "u:Integer:start=1.5",
                                 "u:Int8:start=300",
                                 "u:start=one",
                                 "u:min=2:max=1",
                                 "u:start=3:max=1",
                                 "u:Boolean:unit=W",
                                 "u:size=0",
                                 "u:size=1000000,1000000,1000000,1000000:start=1",
                                 "u:Enumeration",
                                 "u:items=off|on:start=maybe",
                                 "u:variability=fixed",
                                 "a\nb"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (n_problems_of("input", texts[i]) == 0) fail_msg("'%s' is accepted", texts[i]);
    assert_int_equal(n_problems_of("input", "u:items=off|on:start=on"), 0);
}

static void name_given_twice_is_a_problem(void **unused)
{
    (void)unused;
    takt_draft draft = new_draft();
    assert_true(takt_draft_read_words(&draft, "input", "u"));
    assert_true(takt_draft_read_words(&draft, "output", "u"));
    assert_int_equal(takt_draft_finish(&draft, NULL), TAKT_ERR_USAGE);
    assert_int_equal(draft.n_problems, 1);
    takt_draft_clear(&draft);
}

static int read_table(const char *text, takt_draft *draft)
{
    char path[] = "/tmp/takt_table_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    *draft = new_draft();
    takt_status st = takt_draft_read_table(draft, path, NULL);
    unlink(path);
    return (int)st;
}

static void table_has_columns_in_any_order_and_quoted_cells(void **unused)
{
    (void)unused;
    takt_draft draft;
    assert_int_equal(read_table("unit,name,causality,description\r\n"
                                "W,u,input,\"a, \"\"b\"\"\"\r\n\r\n,x,state,\n",
                                &draft),
                     TAKT_OK);
    assert_int_equal(takt_draft_finish(&draft, NULL), TAKT_OK);
    assert_int_equal(draft.n_variables, 3);
    assert_string_equal(draft.variables[0].description, "a, \"b\"");
    assert_null(draft.variables[1].unit);
    assert_int_equal(draft.variables[1].line, 4);
    takt_draft_clear(&draft);
}

static void table_reports_every_bad_row(void **unused)
{
    (void)unused;
    takt_draft draft;
    assert_int_equal(
        read_table("name;causality;start\nu;inptu;1\nv;input;x\nw;input;1;2\n", &draft), TAKT_OK);
    assert_int_equal(draft.n_problems, 3);
    takt_draft_clear(&draft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_give_type_unit_and_start),
        cmocka_unit_test(state_brings_its_derivative),
        cmocka_unit_test(names_in_c_are_valid_and_differ),
        cmocka_unit_test(mistakes_are_problems),
        cmocka_unit_test(name_given_twice_is_a_problem),
        cmocka_unit_test(table_has_columns_in_any_order_and_quoted_cells),
        cmocka_unit_test(table_reports_every_bad_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
