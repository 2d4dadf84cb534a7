// SPDX-License-Identifier: MIT
// Fuzzes the SSD reader, and with what it accepts the checks of the system: every component finds
// the same small model, whose code is never run. Nothing may crash, leak or hang, and a failure has
// a message.
#include "small_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    takt_project *project = NULL;
    takt_error err = {0};
    if (takt_project_create("fuzz.ssd", NULL, &project, &err)) abort();
    takt_status st = takt_project_parse_ssd(project, data, size, &err);
    fuzz_make_system(project, st, &err);
    return 0;
}
