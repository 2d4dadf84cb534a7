// SPDX-License-Identifier: MIT
// The header files of the standard that sources of FMUs include, under the names that the standard gives
// them. They are made of our own headers (include/fmi).
#ifndef TAKT_COMPILE_STANDARD_HEADERS_H
#define TAKT_COMPILE_STANDARD_HEADERS_H

/// Our headers of the standard as texts; made from include/fmi by the build.
extern const char takt_fmi1_header[], takt_fmi2_header[], takt_fmi3_header[];

typedef struct takt_standard_header {
    const char *name, *text;
} takt_standard_header;

/// All of a version of FMI; the last one has no name.
const takt_standard_header *takt_standard_headers(int fmi_major);

#endif
