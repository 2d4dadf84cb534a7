// SPDX-License-Identifier: MIT
// The functions of FMI 3.0 for scheduled execution. No FMU of the kit needs them, but some importing
// programs look for all functions before they do anything.
#include "fmi3_instance.h"

#define DECLARE(result, name, parameters) FMUKIT_EXPORT result name parameters;
FMI3_SE_FUNCTIONS(DECLARE)
#undef DECLARE

static fmi3Status refuse(fmi3Instance c, const char *name)
{
    const fmukit_call call = {name, ~0u, 0};
    fmukit_instance *fmu = fmukit_enter(c, &call, "called");
    if (fmu) fmukit_fail(fmu, FMUKIT_ERROR, FMUKIT_NO_SCHEDULING);
    return fmi3Error;
}

// Each is called with the instance `c` and arguments that are not used.
#if defined __GNUC__
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#define DEFINE(result, name, parameters)                                                           \
    result name parameters                                                                         \
    {                                                                                              \
        return refuse(c, #name);                                                                   \
    }
FMI3_SE_FUNCTIONS(DEFINE)
