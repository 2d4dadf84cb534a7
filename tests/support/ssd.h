// SPDX-License-Identifier: MIT
// Writing project files (.ssd) for tests.
#ifndef TAKT_TESTS_SUPPORT_SSD_H
#define TAKT_TESTS_SUPPORT_SSD_H

#include "base/text.h"
#include "support/command.h"

/// A project file under construction. A zeroed one is empty and ready for use.
typedef struct test_ssd {
    takt_text components, connections;
} test_ssd;

/// Adds a component whose FMU is TEST_FMUS/<fmu>.fmu, or a path if it contains a '/'. `connectors`
/// are words like "in:x1 out:y:Boolean parameter:k"; the type is Real when not given.
void test_ssd_component(test_ssd *ssd, const char *name, const char *fmu, const char *connectors);

/// Connects "Part1.x1" with "Part2.x1".
void test_ssd_connect(test_ssd *ssd, const char *from, const char *to);

/// Writes the project into the sandbox and clears it. `settings` are the attributes of our
/// annotation (step-size="0.1"); NULL: there is no annotation.
#define test_ssd_write(ssd, box, name, start, stop, settings)                                      \
    (test_link(box, "fmus", TEST_FMUS), test_ssd_print(ssd, box, name, start, stop, settings))
void test_ssd_print(test_ssd *ssd, test_sandbox *box, const char *name, double start, double stop,
                    const char *settings);

/// Copies the example examples/<name>/<name>.ssd into the sandbox, with the FMUs of this build.
#define test_ssd_example(box, name)                                                                \
    (test_link(box, "fmus", TEST_FMUS),                                                            \
     test_ssd_copy(box, TAKT_EXAMPLES "/" name "/" name ".ssd", name ".ssd"))
void test_ssd_copy(test_sandbox *box, const char *path, const char *name);

#endif
