// SPDX-License-Identifier: MIT
// modelDescription.xml of FMI 2.0.
#ifndef FMUKIT_DESCRIBE_FMI2_H
#define FMUKIT_DESCRIBE_FMI2_H

#include "model.h"

#include <stdio.h>

/// Writes the XML for a description that has passed fmukit_check().
void fmukit_describe_fmi2(const fmukit_model *model, FILE *out);

#endif
