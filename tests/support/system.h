// SPDX-License-Identifier: MIT
// Systems made from plain C models by a short description, for tests of the layers above.
//
//     test_system s;
//     test_system_init(&s, models, "A:Gain B:Gain", "A.y>B.u B.y>A.u", "step-size=0.1");
//     ... s.system ...
//     test_system_clear(&s);
#ifndef TAKT_TESTS_SUPPORT_SYSTEM_H
#define TAKT_TESTS_SUPPORT_SYSTEM_H

#include "support/model.h"
#include "support/test.h"
#include "system/system.h"

typedef struct test_system {
    test_log log;
    takt_project *project;
    takt_system *system; ///< NULL when it could not be made
    takt_status status; ///< of takt_system_make()
    takt_error err;
} test_system;

/// Makes a project: components "NAME:MODEL", connections "NAME.VARIABLE>NAME.VARIABLE", settings
/// "NAME=VALUE" and start values "set=NAME.VARIABLE=VALUE", each list separated by blanks. Component number i is in line i + 1 of "test.ssd",
/// connection number i in line 101 + i.
void test_project_init(test_system *s, const char *components, const char *connections,
                       const char *settings);

/// The same, then makes the system, which may fail: look at `status`.
void test_system_try(test_system *s, test_model *models, const char *components,
                     const char *connections, const char *settings);

/// The same, and fails the test when the system cannot be made.
void test_system_init(test_system *s, test_model *models, const char *components,
                      const char *connections, const char *settings);

void test_system_clear(test_system *s);

#endif
