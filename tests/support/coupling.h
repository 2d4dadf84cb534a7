// SPDX-License-Identifier: MIT
// Coupled systems of plain C models (model.h), described in a few words:
//
//     test_coupling c;
//     test_couple(&c, models, "a:Gain b:Gain", "a.y>b.u b.y>a.u", "step-size=0.1 stop-time=1");
//     test_run_all(&c);
#ifndef TAKT_TESTS_SUPPORT_COUPLING_H
#define TAKT_TESTS_SUPPORT_COUPLING_H

#include "run/master.h"
#include "support/system.h"

enum { TEST_MAX_ROWS = 20000, TEST_MAX_COLUMNS = 16 };

typedef struct test_coupling {
    test_system system;
    takt_plan *plan;
    takt_run *run;
    takt_error err;
    takt_status status; ///< of the first thing that failed
    int n_rows;
    double time[TEST_MAX_ROWS];
    double value[TEST_MAX_ROWS][TEST_MAX_COLUMNS]; ///< real and integer columns
} test_coupling;

/// Makes project, system (see system.h), plan and run; the setting `set=a.k=2` gives a start value.
/// Fails the test unless all of it succeeds; with test_try_couple() the outcome is in `status` and
/// `err`. End with test_uncouple().
void test_couple(test_coupling *c, test_model *models, const char *components,
                 const char *connections, const char *settings);
void test_try_couple(test_coupling *c, test_model *models, const char *components,
                     const char *connections, const char *settings);
void test_uncouple(test_coupling *c);

/// Initializes, steps to the end and finishes; fails the test on any error. test_try_run_all()
/// leaves the outcome in `status` and `err`.
void test_run_all(test_coupling *c);
void test_try_run_all(test_coupling *c);

/// The value of a column ("a.y") in row `i`; negative rows count from the end.
double test_value(const test_coupling *c, const char *column, int i);

/// Steps that were kept though a test had not passed, and doubts that were known before.
int64_t test_count_doubts(const test_coupling *c);

#endif
