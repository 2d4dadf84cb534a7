// SPDX-License-Identifier: MIT
// An FMU that misbehaves, made of unit/fmu/hostile_fmu.c.
#ifndef TEST_SUPPORT_HOSTILE_H
#define TEST_SUPPORT_HOSTILE_H

#include "support/command.h"

/// Writes the FMU into the folder of the sandbox. What it does and where is its GUID: "segfault step". `library` is TEST_HOSTILE.
void test_hostile_fmu(test_sandbox *box, const char *library, const char *name, const char *guid);

#endif
