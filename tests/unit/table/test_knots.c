// SPDX-License-Identifier: MIT
#include "table/knots.h"

#include <math.h>
#include <string.h>

#include "support/test.h"

enum { MAX_ROWS = 2000 };

// The marked rows as text: "1 2 ".
static const char *knots(const double *t, const double *y, int n, double relative)
{
    static char text[200];
    bool is_knot[MAX_ROWS] = {0};
    size_t length = 0;
    text[0] = 0;
    takt_polyline_mark_knots(&(takt_polyline){t, y, n}, relative, is_knot);
    for (int i = 0; i < n && length < sizeof text - 8; i++)
        if (is_knot[i]) length += (size_t)snprintf(text + length, 8, "%d ", i);
    return text;
}

static void a_triangle_has_three_knots(void **state)
{
    (void)state;
    const double t[] = {0, 1, 4, 5, 6, 7, 100}, y[] = {0, 0, 0, 200, 0, 0, 0};
    assert_string_equal(knots(t, y, 7, 1e-5), "2 3 4 ");
}

static void rows_on_a_straight_line_are_no_knots(void **state)
{
    (void)state;
    double t[MAX_ROWS], y[MAX_ROWS];
    for (int i = 0; i < MAX_ROWS; i++) {
        t[i] = 0.1 * i;
        y[i] = 300 - 0.7 * t[i]; // with rounding errors
    }
    assert_string_equal(knots(t, y, MAX_ROWS, 1e-12), "0 1999 "); // held outside
    for (int i = 0; i < MAX_ROWS; i++) y[i] = 5;
    assert_string_equal(knots(t, y, MAX_ROWS, 1e-12), "");
    assert_string_equal(knots(t, y, 1, 1e-12), "");
}

static void a_jump_is_no_knot_but_lines_end_there(void **state)
{
    (void)state;
    const double t[] = {0, 1, 1, 2, 3}, y[] = {0, 1, 5, 5, 6};
    assert_string_equal(knots(t, y, 5, 1e-5), "0 3 4 ");
    const double t_end[] = {0, 1, 1}, y_end[] = {2, 2, 3};
    assert_string_equal(knots(t_end, y_end, 3, 1e-5), "");
}

// The line through the knots stays within the tolerance of all rows.
static void smooth_data_has_as_few_knots_as_the_tolerance_needs(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-2, 1e-3, 1e-4};
    int n_before = 0;
    for (int k = 0; k < 3; k++) {
        double t[MAX_ROWS], y[MAX_ROWS];
        bool is_knot[MAX_ROWS] = {0};
        for (int i = 0; i < MAX_ROWS; i++) {
            t[i] = 0.005 * i;
            y[i] = 2 + sin(t[i]);
        }
        takt_polyline_mark_knots(&(takt_polyline){t, y, MAX_ROWS}, tolerances[k], is_knot);
        int n = 0, last = 0;
        for (int i = 1; i < MAX_ROWS; i++) {
            if (!is_knot[i]) continue;
            for (int m = last; m < i; m++) {
                double line = y[last] + (y[i] - y[last]) * (t[m] - t[last]) / (t[i] - t[last]);
                assert_near(line, y[m], 3 * tolerances[k]);
            }
            n++, last = i;
        }
        assert_true(n > 2 * n_before && n < MAX_ROWS / 4); // they grow with the root
        n_before = n;
    }
}

static void noise_is_all_knots(void **state)
{
    (void)state;
    double t[100], y[100];
    bool is_knot[100] = {0};
    for (int i = 0; i < 100; i++) {
        t[i] = i;
        y[i] = sin(17.0 * i * i);
    }
    takt_polyline_mark_knots(&(takt_polyline){t, y, 100}, 1e-5, is_knot);
    for (int i = 0; i < 100; i++) assert_true(is_knot[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_has_three_knots),
        cmocka_unit_test(rows_on_a_straight_line_are_no_knots),
        cmocka_unit_test(a_jump_is_no_knot_but_lines_end_there),
        cmocka_unit_test(smooth_data_has_as_few_knots_as_the_tolerance_needs),
        cmocka_unit_test(noise_is_all_knots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
