// SPDX-License-Identifier: MIT
// The readers of descriptions, one per FMI version.
#ifndef TAKT_DESCRIPTION_VERSIONS_H
#define TAKT_DESCRIPTION_VERSIONS_H

#include "description/reader.h"

/// One per FMI version: reads a description whose root element has just started.
takt_status takt_description_read_fmi1(takt_description_reader *reader, takt_error *err);
takt_status takt_description_read_fmi2(takt_description_reader *reader, takt_error *err);
takt_status takt_description_read_fmi3(takt_description_reader *reader, takt_error *err);

#endif
