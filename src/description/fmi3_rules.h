// SPDX-License-Identifier: MIT
// Rules of FMI 3.0.
#ifndef TAKT_DESCRIPTION_FMI3_RULES_H
#define TAKT_DESCRIPTION_FMI3_RULES_H

#include "description/rules.h"

/// Initial unknowns, states, links between variables (FMI 3.0.2, sections 2.4.7 and 2.4.8).
void takt_rules_check_fmi3(takt_description_reader *reader);

#endif
