// SPDX-License-Identifier: MIT
// Collecting problems; see problems.h.
#include "project/problems.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void keep_first(takt_problems *problems, takt_place place, const char *text)
{
    if (problems->n_errors++ == 0) {
        char line[32] = "";
        if (place.line) snprintf(line, sizeof line, ":%d", place.line);
        int n = snprintf(problems->first, sizeof problems->first, "%s%s%s%s",
                         place.file ? place.file : "", place.file ? line : "",
                         place.file ? ": " : "", text);
        if (n < 0) problems->first[0] = 0; // a message that is too long is cut
    }
    if (place.file) problems->n_errors_in_files++;
}

void takt_problem(takt_problems *problems, takt_level level, takt_place place, const char *format,
                  ...)
{
    char text[TAKT_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    problems->n_reported++;
    if (level == TAKT_LEVEL_ERROR) keep_first(problems, place, text);
    takt_log_problem(problems->log, level, place.file, place.line, "%s", text);
}

void takt_problem_doubt(takt_problems *problems, takt_place place, const char *format, ...)
{
    char text[TAKT_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    problems->n_reported++;
    takt_log_doubt(problems->log, place.file, place.line, "%s", text);
}

void takt_problems_add(takt_problems *problems, int n, const char *first)
{
    if (problems->n_errors == 0) snprintf(problems->first, sizeof problems->first, "%s", first);
    problems->n_errors += n;
    problems->n_errors_in_files += n;
}

takt_status takt_problems_end(const takt_problems *problems, const char *what, takt_error *err)
{
    if (problems->n_errors == 0) return TAKT_OK;
    takt_status status = problems->n_errors_in_files ? TAKT_ERR_INPUT : TAKT_ERR_USAGE;
    if (takt_log_wants(problems->log, TAKT_LEVEL_ERROR))
        return takt_fail(err, status, "%s: %d problem%s", what, problems->n_errors,
                         problems->n_errors == 1 ? "" : "s");
    if (problems->n_errors == 1) return takt_fail(err, status, "%s", problems->first);
    return takt_fail(err, status, "%s: %d problems; the first: %s", what, problems->n_errors,
                     problems->first);
}

static const char *name_at(void *context, int i)
{
    return ((const char *const *)context)[i];
}

bool takt_problems_is_listed(const takt_problems *problems, const char *name,
                             const char *const *list, const char **nearest)
{
    int n = 0;
    while (list[n] && strcmp(list[n], name) != 0) n++;
    if (list[n]) return true;
    *nearest = takt_problems_suggests(problems, n)
                   ? takt_text_nearest(name, n, name_at, (void *)list)
                   : NULL;
    return false;
}
