// SPDX-License-Identifier: MIT
// The names of the methods; see ode_problem.h.
#include "num/ode_problem.h"

const char *takt_ode_method_name(takt_ode_method method)
{
    static const char *const names[] = {
#define METHOD_NAME(name, text) text,
        TAKT_ODE_METHOD_LIST(METHOD_NAME)
#undef METHOD_NAME
    };
    return names[method];
}
