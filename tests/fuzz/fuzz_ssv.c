// SPDX-License-Identifier: MIT
// Fuzzes the reader of parameter values, and the checks of the system with what it
// accepts. Nothing may crash, leak or hang, and a failure has a message.
#include "small_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_parameters(data, size, NULL, 0);
}
