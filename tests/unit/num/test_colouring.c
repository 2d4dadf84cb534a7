// SPDX-License-Identifier: MIT
#include "support/memory.h"
#include "support/test.h"

#include "num/colouring.h"

enum { MAX = 50 };

// No row has two columns of the same colour.
static void assert_separated(const takt_pattern *p, const int *colours)
{
    for (int i = 0; i < p->n_rows; i++)
        for (int a = p->first[i]; a < p->first[i + 1]; a++)
            for (int b = p->first[i]; b < a; b++)
                assert_int_not_equal(colours[p->columns[a]], colours[p->columns[b]]);
}

static void band_matrices_need_as_many_colours_as_they_are_wide(void **state)
{
    (void)state;
    for (int half = 0; half < 4; half++) {
        int first[MAX + 1] = {0}, columns[7 * MAX], colours[MAX], n = 0;
        for (int i = 0; i < MAX; i++) {
            for (int j = i - half; j <= i + half; j++)
                if (j >= 0 && j < MAX) columns[n++] = j;
            first[i + 1] = n;
        }
        const takt_pattern p = {MAX, MAX, first, columns};
        assert_int_equal(takt_colour_columns(&p, colours), 2 * half + 1);
        assert_separated(&p, colours);
    }
}

static void a_full_row_needs_all_colours(void **state)
{
    (void)state;
    const int first[] = {0, 1, 5, 5}, columns[] = {2, 0, 1, 2, 3};
    int colours[4];
    const takt_pattern p = {3, 4, first, columns};
    assert_int_equal(takt_colour_columns(&p, colours), 4);
    assert_separated(&p, colours);
}

static void an_arrow_needs_two_colours(void **state)
{
    (void)state;
    // Row i has columns i and the last one, which shares a row with every other.
    int first[MAX + 1] = {0}, columns[2 * MAX], colours[MAX], n = 0;
    for (int i = 0; i < MAX; i++) {
        columns[n++] = i;
        if (i < MAX - 1) columns[n++] = MAX - 1;
        first[i + 1] = n;
    }
    const takt_pattern p = {MAX, MAX, first, columns};
    assert_int_equal(takt_colour_columns(&p, colours), 2);
    assert_separated(&p, colours);
}

static void an_empty_matrix_needs_one_colour_or_none(void **state)
{
    (void)state;
    const int first[] = {0, 0, 0};
    int colours[2] = {7, 7};
    assert_int_equal(takt_colour_columns(&(takt_pattern){2, 2, first, NULL}, colours), 1);
    assert_int_equal(colours[1], 0);
    assert_int_equal(takt_colour_columns(&(takt_pattern){0, 0, first, NULL}, colours), 0);
}

static void exhausted_memory_is_reported(void **state)
{
    (void)state;
    const int first[] = {0, 1}, columns[] = {0};
    int colours[1];
    for (int n = 1; n <= 3; n++) {
        test_memory_fail(n);
        int n_colours = takt_colour_columns(&(takt_pattern){1, 1, first, columns}, colours);
        test_memory_fail(0);
        assert_int_equal(n_colours, -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(band_matrices_need_as_many_colours_as_they_are_wide),
        cmocka_unit_test(a_full_row_needs_all_colours),
        cmocka_unit_test(an_arrow_needs_two_colours),
        cmocka_unit_test(an_empty_matrix_needs_one_colour_or_none),
        cmocka_unit_test(exhausted_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
