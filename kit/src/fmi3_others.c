// SPDX-License-Identifier: MIT
// The functions of FMI 3.0 for model exchange and scheduled execution. An FMU for co-simulation does
// not need them, but some importing programs look for all functions before they do anything.
#include "fmi3_instance.h"

#define DECLARE(result, name, parameters) FMUKIT_EXPORT result name parameters;
FMI3_ME_FUNCTIONS(DECLARE)
FMI3_SE_FUNCTIONS(DECLARE)
#undef DECLARE

static fmi3Status refuse(fmi3Instance c, const char *name)
{
    const fmukit_call call = {name, ~0u};
    fmukit_instance *fmu = fmukit_enter(c, &call, "called");
    if (fmu) fmukit_fail(fmu, FMUKIT_ERROR, FMUKIT_ONLY_CO_SIMULATION);
    return fmi3Error;
}

// Each is called with the instance `c` and arguments that nobody looks at.
#if defined __GNUC__
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#define DEFINE(result, name, parameters)                                                           \
    result name parameters                                                                         \
    {                                                                                              \
        return refuse(c, #name);                                                                   \
    }
FMI3_ME_FUNCTIONS(DEFINE)
FMI3_SE_FUNCTIONS(DEFINE)
