// SPDX-License-Identifier: MIT
// Advice through the API: its forms, and what happens when memory is exhausted.
#include "support/memory.h"
#include "support/ssd.h"
#include "takt/takt.h"

typedef struct opened {
    takt_project *project;
    takt_system *system;
} opened;

static void open_example(test_sandbox *box, opened *out)
{
    char path[TEST_PATH_SIZE + 32];
    takt_error err = {0};
    test_ssd_example(box, "lotka_volterra");
    snprintf(path, sizeof path, "%s/lotka_volterra.ssd", box->work);
    assert_int_equal(takt_project_open(path, NULL, &out->project, &err), TAKT_OK);
    assert_int_equal(takt_project_set(out->project, "tolerance", "1e-4", &err), TAKT_OK);
    assert_int_equal(takt_system_create(out->project, &out->system, &err), TAKT_OK);
}

static void close_example(opened *it)
{
    takt_system_destroy(it->system);
    takt_project_close(it->project);
}

static void without_options_the_project_is_called_by_its_name(void **state)
{
    opened it;
    takt_error err = {0};
    char *text = NULL;
    open_example(*state, &it);
    assert_int_equal(takt_advise(it.system, NULL, TAKT_FORMAT_TEXT, &text, &err), TAKT_OK);
    assert_non_null(strstr(text, "  takt run lotka_volterra\n"));
    takt_free(text);
    close_example(&it);
}

static void advice_is_not_drawn(void **state)
{
    opened it;
    takt_error err = {0};
    char *text = NULL;
    open_example(*state, &it);
    assert_int_equal(takt_advise(it.system, NULL, TAKT_FORMAT_DOT, &text, &err), TAKT_ERR_USAGE);
    assert_string_equal(err.message, "advice is given as text or as JSON");
    assert_null(text);
    close_example(&it);
}

// What is missing for a measurement is one of the findings; else nothing is returned. FMUs get their memory from
// us, too, and have messages of their own.
static void try_advice(void *context)
{
    const opened *it = context;
    takt_error err = {0};
    char *text = NULL;
    takt_advise_options options = takt_advise_options_default();
    options.max_steps = 6;
    takt_status st = takt_advise(it->system, &options, TAKT_FORMAT_JSON, &text, &err);
    if (st) {
        assert_true(st == TAKT_ERR_MEMORY || st == TAKT_ERR_SIMULATION);
        assert_true(err.message[0]);
        assert_null(text);
    } else {
        assert_non_null(text);
    }
    takt_free(text);
}

static void missing_memory_is_reported(void **state)
{
    opened it;
    open_example(*state, &it);
    assert_true(test_memory_fail_each(try_advice, &it) > 100);
    close_example(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(without_options_the_project_is_called_by_its_name),
        test_in_sandbox(advice_is_not_drawn),
        test_in_sandbox(missing_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
