// SPDX-License-Identifier: MIT
// Status codes and error messages; see error.h.
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *takt_status_text(takt_status status)
{
    switch (status) {
#define STATUS_CASE(name, exit_code, text)                                                         \
    case name: return text;
        TAKT_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

int takt_status_exit_code(takt_status status)
{
    switch (status) {
#define STATUS_CASE(name, exit_code, text)                                                         \
    case name: return exit_code;
        TAKT_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    }
    return 1;
}

// Shows that a message did not fit.
static void mark_cut(char *message, int wanted)
{
    if (wanted >= TAKT_MESSAGE_SIZE) memcpy(message + TAKT_MESSAGE_SIZE - 4, "...", 4);
}

takt_status takt_fail(takt_error *err, takt_status status, const char *format, ...)
{
    if (!err) return status;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    mark_cut(err->message, wanted);
    err->status = status;
    return status;
}

takt_status takt_within(takt_error *err, takt_status status, const char *format, ...)
{
    if (!err) return status;
    char inner[TAKT_MESSAGE_SIZE];
    memcpy(inner, err->message, sizeof inner);
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    if (n >= 0 && n < TAKT_MESSAGE_SIZE)
        n += snprintf(err->message + n, sizeof err->message - (size_t)n, ": %s", inner);
    mark_cut(err->message, n);
    err->status = status;
    return status;
}

takt_status takt_status_of_errno(int number, takt_status otherwise)
{
    return number == ENOMEM ? TAKT_ERR_MEMORY : otherwise;
}

takt_status takt_fail_missing(takt_error *err, const char *function, const char *what)
{
    return takt_fail(err, TAKT_ERR_USAGE, "%s: %s must not be NULL", function, what);
}

takt_status takt_fail_memory(takt_error *err)
{
    return takt_fail(err, TAKT_ERR_MEMORY, "out of memory");
}
