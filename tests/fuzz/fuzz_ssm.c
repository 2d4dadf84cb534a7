// SPDX-License-Identifier: MIT
// Fuzzes the reader of parameter mappings, which are applied to fixed values, and the checks of the system with what it
// accepts. Nothing may crash, leak or hang, and a failure has a message.
#include "small_model.h"

static const char values[] =
    "<ssv:ParameterSet version='1.0' name='v' "
    "xmlns:ssv='http://ssp-standard.org/SSP1/SystemStructureParameterValues'><ssv:Parameters>"
    "<ssv:Parameter name='k'><ssv:Real value='1' unit='m'/></ssv:Parameter>"
    "<ssv:Parameter name='n'><ssv:Integer value='3'/></ssv:Parameter>"
    "<ssv:Parameter name='e'><ssv:Enumeration value='on'/></ssv:Parameter>"
    "<ssv:Parameter name='t'><ssv:Boolean value='true'/></ssv:Parameter>"
    "</ssv:Parameters></ssv:ParameterSet>";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_parameters(values, sizeof values - 1, data, size);
}
