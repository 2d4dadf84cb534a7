// SPDX-License-Identifier: MIT
// Fuzzes the SSD reader, and with what it accepts the checks of the system.
#include "small_system.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return small_fuzz("fuzz.ssd", data, size, takt_project_parse_ssd);
}
