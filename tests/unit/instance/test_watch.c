// SPDX-License-Identifier: MIT
// Calls that take too long are found and named: of instances that run, and of those that are being made or
// asked by their owner.
#include "instance/watch.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "support/test.h"

static const double TIMEOUT = 0.05; // s

typedef struct report {
    atomic_int n; // timeouts
    atomic_int n_finished; // results that were completed before
    char message[sizeof((takt_error *)0)->message];
} report;

static void on_timeout(void *context, const takt_error *err)
{
    report *to = context;
    snprintf(to->message, sizeof to->message, "%s", err->message);
    atomic_fetch_add(&to->n, 1);
}

static takt_watch *start(report *to)
{
    takt_watch *watch = NULL;
    takt_error err = {0};
    memset(to->message, 0, sizeof to->message);
    atomic_store(&to->n, 0);
    atomic_store(&to->n_finished, 0);
    assert_int_equal(takt_watch_create(TIMEOUT, NULL,
                                       &(takt_watch_options){.on_end = on_timeout, .context = to},
                                       &watch, &err),
                     TAKT_OK);
    assert_non_null(watch);
    return watch;
}

static bool expires_within(const report *from, double seconds)
{
    for (double end = takt_clock() + seconds; takt_clock() < end;)
        if (atomic_load(&from->n)) return true;
    return false;
}

static void without_a_timeout_nothing_is_watched(void **state)
{
    (void)state;
    takt_watch *watch = (takt_watch *)1;
    assert_int_equal(takt_watch_create(0, NULL, NULL, &watch, NULL), TAKT_OK);
    assert_null(watch);
    takt_watch_enter(watch, NULL, "a", "its instantiation");
    takt_watch_leave(watch);
    takt_watch_detach(watch);
    takt_watch_destroy(watch);
}

static void what_its_owner_does_to_an_instance_is_named(void **state)
{
    (void)state;
    report seen;
    takt_watch *watch = start(&seen);
    takt_watch_enter(watch, NULL, "tank", "asking it for its dependencies");
    assert_true(expires_within(&seen, 20));
    assert_contains(seen.message, "instance 'tank': asking it for its dependencies has not "
                                  "returned within 0.05 s of real time; raise --timeout");
    takt_watch_destroy(watch);

    watch = start(&seen);
    takt_watch_enter(watch, NULL, "tank", "asking it for its dependencies");
    takt_watch_leave(watch);
    assert_false(expires_within(&seen, 4 * TIMEOUT));
    takt_watch_destroy(watch);
}

// ---- instances -------------------------------------------------------------------------------------

static takt_instance_type type;
static takt_instance instance;
static atomic_uint n_calls;
static double simulated;

static const takt_instance *get_instance(void *context, int i)
{
    (void)context;
    return i == 0 ? &instance : NULL; // the second one does not exist yet
}

static double get_time(void *context)
{
    (void)context;
    return simulated;
}

static void finish(void *context)
{
    atomic_fetch_add(&((report *)context)->n_finished, 1);
}

static void a_call_that_hangs_ends_with_complete_results(void **state)
{
    (void)state;
    report seen;
    takt_watch *watch = start(&seen);
    instance = (takt_instance){.type = &type, .name = "room", .n_calls = &n_calls};
    simulated = 2.5;
    const takt_watched watched = {&seen, 2, get_instance, get_time, finish, NULL, NULL};
    assert_int_equal(takt_watch_attach(watch, &watched, NULL), TAKT_OK);
    assert_false(expires_within(&seen, 3 * TIMEOUT)); // nothing is being called
    atomic_store(&n_calls, 1);
    atomic_store(&instance.calling, "fmi2DoStep");
    assert_true(expires_within(&seen, 20));
    assert_contains(seen.message, "instance 'room' at t=2.5 s: fmi2DoStep has not returned");
    assert_int_equal(atomic_load(&seen.n_finished), 1);
    takt_watch_destroy(watch);
    atomic_store(&instance.calling, NULL);
}

static void note_wait(void *context, const char *text)
{
    report *to = context;
    snprintf(to->message, sizeof to->message, "%s", text);
    atomic_fetch_add(&to->n, 1);
}

static void a_long_call_is_told_once(void **state)
{
    (void)state;
    report seen = {0};
    takt_watch *watch = NULL;
    const takt_watch_options options = {
        .on_wait = note_wait, .patience = TIMEOUT, .context = &seen};
    assert_int_equal(takt_watch_create(0, NULL, &options, &watch, NULL), TAKT_OK);
    instance = (takt_instance){.type = &type, .name = "room", .n_calls = &n_calls};
    simulated = 2.5;
    const takt_watched watched = {&seen, 1, get_instance, get_time, finish, NULL, NULL};
    assert_int_equal(takt_watch_attach(watch, &watched, NULL), TAKT_OK);
    atomic_store(&instance.calling, "fmi2DoStep");
    assert_true(expires_within(&seen, 20));
    assert_contains(seen.message, "component 'room' at t=2.5 s: fmi2DoStep has been running for");
    atomic_store(&seen.n, 0);
    assert_false(expires_within(&seen, 4 * TIMEOUT));
    assert_int_equal(atomic_load(&seen.n_finished), 0);
    takt_watch_destroy(watch);
    atomic_store(&instance.calling, NULL);
}

static void many_short_calls_are_no_long_one(void **state)
{
    (void)state;
    report seen;
    takt_watch *watch = start(&seen);
    instance = (takt_instance){.type = &type, .name = "room", .n_calls = &n_calls};
    const takt_watched watched = {&seen, 1, get_instance, get_time, finish, NULL, NULL};
    assert_int_equal(takt_watch_attach(watch, &watched, NULL), TAKT_OK);
    atomic_store(&instance.calling, "fmi2DoStep");
    for (double end = takt_clock() + 4 * TIMEOUT; takt_clock() < end;)
        atomic_fetch_add(&n_calls, 1);
    assert_int_equal(atomic_load(&seen.n), 0);
    takt_watch_detach(watch); // from now on the instance may be gone
    assert_false(expires_within(&seen, 3 * TIMEOUT));
    takt_watch_destroy(watch);
    atomic_store(&instance.calling, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_timeout_nothing_is_watched),
        cmocka_unit_test(what_its_owner_does_to_an_instance_is_named),
        cmocka_unit_test(a_call_that_hangs_ends_with_complete_results),
        cmocka_unit_test(a_long_call_is_told_once),
        cmocka_unit_test(many_short_calls_are_no_long_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
