// SPDX-License-Identifier: MIT
// An FMU that misbehaves, made of unit/fmu/hostile_fmu.c.
#ifndef TEST_SUPPORT_HOSTILE_H
#define TEST_SUPPORT_HOSTILE_H

#include "support/command.h"

/// Writes the FMU into the folder of the sandbox. What it does and where is its GUID: "segfault step". `library` is TEST_HOSTILE, or
/// TEST_HOSTILE_DLL, made of unit/fmu/hostile_dll.c, or TEST_32_BITS "/hostile_32.so".
void test_hostile_fmu(test_sandbox *box, const char *library, const char *name, const char *guid);

/// Makes the FMU and runs it, ten steps of 0.1 s, with more options, ended by NULL. Results are in r.csv.
#define test_run_hostile(box, guid, ...) test_run_library(box, TEST_HOSTILE, guid, __VA_ARGS__)

/// The same with another library.
#define test_run_library(box, library, guid, ...)                                                  \
    do {                                                                                           \
        test_hostile_fmu(box, library, "Engine.fmu", guid);                                        \
        test_run(box, "run", "Engine.fmu", "--step-size", "0.1", "--stop-time", "1",               \
                 "--output-file", "r.csv", "--stats", "stats.json", __VA_ARGS__);                  \
    } while (0)

/// The results have so many rows, on their grid, and the statistics this status.
void test_hostile_rows(test_sandbox *box, int n_rows, const char *status);

#endif
