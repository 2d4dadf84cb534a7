// SPDX-License-Identifier: MIT
// Remarks: what is unusual in the XML of an FMU and does not make results wrong. Where the log is strict
// each is a warning. Else users see one line of information per file, with the number of remarks and the
// first one; all of them have the level debug.
#ifndef TAKT_DESCRIPTION_REMARKS_H
#define TAKT_DESCRIPTION_REMARKS_H

#include "base/log.h"

/// A tool that makes a mistake makes it in every variable: more messages than this are not shown.
enum { TAKT_MAX_REMARKS = 50 };

typedef struct takt_remarks {
    takt_log *log; ///< borrowed; may be NULL
    const char *file; ///< for messages; borrowed
    int n;
    int first_line; ///< of the first one
    char first[512]; ///< the first one; cut if it is longer
} takt_remarks;

void takt_remark(takt_remarks *remarks, int line, const char *text);

/// Writes the line of information; called once, after the last remark.
void takt_remarks_end(const takt_remarks *remarks);

#endif
