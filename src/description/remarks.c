// SPDX-License-Identifier: MIT
// Collecting remarks; see remarks.h.
#include "description/remarks.h"

#include <stdio.h>

static takt_level level_of(const takt_log *log)
{
    return takt_log_is_strict(log) ? TAKT_LEVEL_WARN : TAKT_LEVEL_DEBUG;
}

void takt_remark(takt_remarks *remarks, int line, const char *text)
{
    takt_level level = level_of(remarks->log);
    if (remarks->n++ == 0) {
        remarks->first_line = line;
        snprintf(remarks->first, sizeof remarks->first, "%.*s", (int)sizeof remarks->first - 1,
                 text);
    }
    if (remarks->n <= TAKT_MAX_REMARKS)
        takt_log_problem(remarks->log, level, remarks->file, line, "%s", text);
    if (remarks->n == TAKT_MAX_REMARKS + 1)
        takt_log_problem(remarks->log, level, remarks->file, 0,
                         "there are more than %d such messages; the others are not shown",
                         TAKT_MAX_REMARKS);
}

void takt_remarks_end(const takt_remarks *remarks)
{
    if (remarks->n == 0 || takt_log_is_strict(remarks->log)) return;
    takt_log_problem(remarks->log, TAKT_LEVEL_INFO, remarks->file, remarks->first_line,
                     "%d unusual thing%s in this file, which `takt check` of the FMU lists; the "
                     "first: %s",
                     remarks->n, remarks->n == 1 ? "" : "s", remarks->first);
}
