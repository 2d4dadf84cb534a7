// SPDX-License-Identifier: MIT
// References between variables of FMI 3.0.
#ifndef TAKT_DESCRIPTION_FMI3_LINKS_H
#define TAKT_DESCRIPTION_FMI3_LINKS_H

#include "description/fmi3_reader.h"

/// Checks the links between variables, and moves clocks and clocked variables into the description.
takt_status takt_fmi3_link(takt_description_reader *reader, takt_error *err);

#endif
