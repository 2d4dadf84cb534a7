// SPDX-License-Identifier: MIT
// A capacitor whose voltage is an input: i = -dy/dt. FMI 2.0 for co-simulation hands over values, not
// the derivative that is needed here (the index of the model is two), so it refuses to start.
#include "common.h"

typedef struct model {
    double y, i;
} model;

static const fmukit_variable variables[] = {
    INPUT(y, "Voltage"),
    OUTPUT(i, FMUKIT_INPUTS("y"), "Current, -dy/dt"),
};

static fmukit_status initialize(fmukit_instance *fmu, void *data, double t)
{
    (void)data, (void)t;
    fmukit_log(fmu, FMUKIT_ERROR, NULL,
               "the current i = -dy/dt needs the derivative of the input 'y' (index 2), which "
               "cannot be had; swap input and output, or put a resistor before the capacitor");
    return FMUKIT_ERROR;
}

const fmukit_model fmukit_this_model = {
    MODEL("VoltageDrivenCapacitor", "Capacitor whose voltage is given"),
    .functions = {.initialize = initialize},
};
