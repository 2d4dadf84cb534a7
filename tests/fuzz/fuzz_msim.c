// SPDX-License-Identifier: MIT
// Fuzzes the reader of projects of MasterSim, and with what it accepts the checks of the system.
#include "small_system.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return small_fuzz("fuzz.msim", data, size, takt_project_parse_msim);
}
