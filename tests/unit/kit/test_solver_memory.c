// SPDX-License-Identifier: MIT
// Memory of SUNDIALS in FMUs: whichever allocation fails, the job is left there, and everything is given back (sanitizers
// would tell).
#include "solver_memory.h"

#include <string.h>

#include "support/memory.h"
#include "support/test.h"

enum { N_BLOCKS = 300 }; // more than the list of blocks begins with

typedef struct work {
    fmukit_memory memory;
    void *blocks[N_BLOCKS];
    bool is_nested, is_done;
} work;

static void take_blocks(work *w)
{
    for (int i = 0; i < N_BLOCKS; i++) {
        w->blocks[i] = i % 2 ? fmukit_sundials_malloc(8) : fmukit_sundials_calloc(2, 8);
        assert_non_null(w->blocks[i]);
        memset(w->blocks[i], i, 8);
        if (i % 10 == 0) w->blocks[i] = fmukit_sundials_realloc(w->blocks[i], 1000);
        assert_int_equal(((unsigned char *)w->blocks[i])[7], i % 256);
    }
}

static void use_and_free(void *data)
{
    work *w = data;
    take_blocks(w);
    for (int i = 0; i < N_BLOCKS; i++) fmukit_sundials_free(w->blocks[i]);
    assert_int_equal(w->memory.n, 0);
    w->is_done = true;
}

// Another solver within a function of the first one's author.
static void use_another_inside(void *data)
{
    work *w = data, other = {0};
    void *mine = fmukit_sundials_malloc(100);
    if (!fmukit_memory_try(&other.memory, use_and_free, &other)) fmukit_memory_clear(&other.memory);
    fmukit_memory_end(&other.memory);
    fmukit_sundials_free(mine);
    w->is_done = other.is_done;
}

static void attempt(void *context)
{
    work w = {.is_nested = *(bool *)context};
    bool ok = fmukit_memory_try(&w.memory, w.is_nested ? use_another_inside : use_and_free, &w);
    assert_int_equal(ok && w.is_done, !test_memory_has_failed());
    if (ok)
        fmukit_memory_end(&w.memory);
    else
        fmukit_memory_clear(&w.memory);
}

static void every_failed_allocation_ends_the_job(void **state)
{
    (void)state;
    bool is_nested = false;
    assert_true(test_memory_fail_each(attempt, &is_nested) > N_BLOCKS);
}

static void solvers_within_solvers_fail_alone(void **state)
{
    (void)state;
    bool is_nested = true;
    assert_true(test_memory_fail_each(attempt, &is_nested) > N_BLOCKS);
}

static void outside_of_jobs_memory_is_the_usual_one(void **state)
{
    (void)state;
    void *block = fmukit_sundials_realloc(fmukit_sundials_malloc(0), 10);
    assert_non_null(block);
    fmukit_sundials_free(block);
    fmukit_sundials_free(NULL);
    test_memory_fail(1);
    assert_null(fmukit_sundials_malloc(8));
    test_memory_fail(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_ends_the_job),
        cmocka_unit_test(solvers_within_solvers_fail_alone),
        cmocka_unit_test(outside_of_jobs_memory_is_the_usual_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
