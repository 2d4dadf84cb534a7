// SPDX-License-Identifier: MIT
// Inputs that move along polynomials.
#include "instance/motion.h"

#include "support/memory.h"
#include "support/test.h"

static const takt_access two = {.n_values = {[TAKT_KIND_REAL] = 2}};
static const takt_access three = {.n_values = {[TAKT_KIND_REAL] = 3}};

// u = (s + 2)^6 and u = 7 - s, with s = time - 3
static void polynomials_have_their_values(void **state)
{
    (void)state;
    takt_motion motion = {0};
    const double derivatives[] = {64, 7, 192, -1, 480, 0, 960, 0, 1440, 0, 1440, 0, 720, 0};
    assert_true(takt_motion_begin(&motion, 3, &two, 6, derivatives));
    for (double s = -0.5; s <= 2; s += 0.25) {
        const double *values = takt_motion_at(&motion, 3 + s);
        assert_near(values[0], pow(s + 2, 6), 1e-13 * pow(s + 2, 6));
        assert_near(values[1], 7 - s, 1e-15);
    }
    takt_motion_clear(&motion);
}

static void room_grows_with_the_number_of_inputs(void **state)
{
    (void)state;
    takt_motion motion = {0};
    const double derivatives[] = {1, 2, 3, 10, 20, 30};
    assert_true(takt_motion_begin(&motion, 0, &two, 1, (double[]){1, 2, 3, 4}));
    const double *room = motion.room;
    assert_true(takt_motion_begin(&motion, 0, &two, 1, (double[]){1, 2, 3, 4}));
    assert_ptr_equal(motion.room, room); // nothing is allocated again
    assert_true(takt_motion_begin(&motion, 0, &three, 1, derivatives));
    for (int i = 0; i < 3; i++) assert_near(takt_motion_at(&motion, 1)[i], 11 * (i + 1), 0);
    takt_motion_end(&motion);
    assert_null(motion.inputs);
    takt_motion_clear(&motion);
}

static void without_inputs_nothing_moves(void **state)
{
    (void)state;
    takt_motion motion = {0};
    const takt_access none = {0};
    assert_true(takt_motion_begin(&motion, 0, &none, 1, NULL));
    assert_null(motion.inputs);
    takt_motion_clear(&motion);
}

static void exhausted_memory_is_reported(void **state)
{
    (void)state;
    takt_motion motion = {0};
    test_memory_fail(1);
    assert_false(takt_motion_begin(&motion, 0, &two, 1, (double[]){1, 2, 3, 4}));
    test_memory_fail(0);
    assert_null(motion.inputs);
    takt_motion_clear(&motion);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_have_their_values),
        cmocka_unit_test(room_grows_with_the_number_of_inputs),
        cmocka_unit_test(without_inputs_nothing_moves),
        cmocka_unit_test(exhausted_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
