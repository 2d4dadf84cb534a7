// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "base/error.h"

static void a_failure_carries_status_and_message(void **state)
{
    (void)state;
    takt_error err = {0};
    assert_int_equal(takt_fail(&err, TAKT_ERR_INPUT, "line %d: '%s'", 12, "inpt"), TAKT_ERR_INPUT);
    assert_int_equal(err.status, TAKT_ERR_INPUT);
    assert_string_equal(err.message, "line 12: 'inpt'");
}

static void context_goes_in_front_and_may_change_the_status(void **state)
{
    (void)state;
    takt_error err = {0};
    takt_fail(&err, TAKT_ERR_INPUT, "unknown causality");
    takt_within(&err, TAKT_ERR_INPUT, "FMU %s", "tank.fmu");
    assert_int_equal(takt_within(&err, TAKT_ERR_SIMULATION, "plant.ssd:%d", 41),
                     TAKT_ERR_SIMULATION);
    assert_string_equal(err.message, "plant.ssd:41: FMU tank.fmu: unknown causality");
    assert_int_equal(err.status, TAKT_ERR_SIMULATION);
}

static void an_error_is_not_required(void **state)
{
    (void)state;
    assert_int_equal(takt_fail(NULL, TAKT_ERR_OUTPUT, "lost"), TAKT_ERR_OUTPUT);
    assert_int_equal(takt_within(NULL, TAKT_ERR_OUTPUT, "lost"), TAKT_ERR_OUTPUT);
    assert_int_equal(takt_fail_memory(NULL), TAKT_ERR_MEMORY);
}

static void messages_that_do_not_fit_end_in_dots(void **state)
{
    (void)state;
    char longer[2 * TAKT_MESSAGE_SIZE];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    takt_error err = {0};
    takt_fail(&err, TAKT_ERR_INPUT, "%s", longer);
    assert_int_equal(strlen(err.message), TAKT_MESSAGE_SIZE - 1);
    assert_string_equal(err.message + TAKT_MESSAGE_SIZE - 5, "x...");
    takt_within(&err, TAKT_ERR_INPUT, "where");
    assert_memory_equal(err.message, "where: xxx", 10);
    assert_string_equal(err.message + TAKT_MESSAGE_SIZE - 4, "...");
    takt_within(&err, TAKT_ERR_INPUT, "%s", longer);
    assert_int_equal(strlen(err.message), TAKT_MESSAGE_SIZE - 1);
}

static void a_message_that_just_fits_is_whole(void **state)
{
    (void)state;
    char exact[TAKT_MESSAGE_SIZE];
    memset(exact, 'x', sizeof exact - 1);
    exact[sizeof exact - 1] = 0;
    takt_error err = {0};
    takt_fail(&err, TAKT_ERR_INPUT, "%s", exact);
    assert_string_equal(err.message, exact);
}

static void every_status_has_a_text_and_an_exit_code(void **state)
{
    (void)state;
    assert_string_equal(takt_status_text(TAKT_OK), "success");
    assert_int_equal(takt_status_exit_code(TAKT_OK), 0);
    assert_int_equal(takt_status_exit_code(TAKT_ERR_SIMULATION), 1);
    assert_int_equal(takt_status_exit_code(TAKT_ERR_USAGE), 2);
    assert_int_equal(takt_status_exit_code(TAKT_ERR_INPUT), 3);
#define HAS_TEXT(name, exit_code, text) assert_true(strlen(takt_status_text(name)) > 0);
    TAKT_STATUS_LIST(HAS_TEXT)
#undef HAS_TEXT
    assert_string_equal(takt_status_text((takt_status)99), "unknown status");
    assert_int_equal(takt_status_exit_code((takt_status)99), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_carries_status_and_message),
        cmocka_unit_test(context_goes_in_front_and_may_change_the_status),
        cmocka_unit_test(an_error_is_not_required),
        cmocka_unit_test(messages_that_do_not_fit_end_in_dots),
        cmocka_unit_test(a_message_that_just_fits_is_whole),
        cmocka_unit_test(every_status_has_a_text_and_an_exit_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
