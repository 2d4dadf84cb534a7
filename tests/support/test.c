// SPDX-License-Identifier: MIT
// Helpers for all tests; see test.h.
#include "support/test.h"

#include "base/log.h"

static void remember(void *context, const takt_message *message)
{
    test_log *log = context;
    char line[32] = "";
    if (message->line) snprintf(line, sizeof line, ":%d", message->line);
    int n = snprintf(log->text + log->length, sizeof log->text - log->length, "%s: %s%s%s%s%s%s\n",
                     takt_level_name(message->level), message->file ? message->file : "", line,
                     message->file ? ": " : "", message->source ? message->source : "",
                     message->source ? ": " : "", message->text);
    log->length += (size_t)n;
    if (log->length >= sizeof log->text) log->length = sizeof log->text - 1;
}

void test_log_init_level(test_log *log, takt_level level)
{
    log->length = 0;
    log->text[0] = 0;
    log->log = takt_log_create(level, remember, log);
    assert_non_null(log->log);
}

void test_log_init(test_log *log)
{
    test_log_init_level(log, TAKT_LEVEL_TRACE);
}

void test_log_clear(test_log *log)
{
    takt_log_destroy(log->log);
    log->log = NULL;
}

void test_contains(const char *text, const char *piece, const char *file, int line)
{
    if (text && strstr(text, piece)) return;
    print_error("'%s'\ndoes not contain\n'%s'\n", text ? text : "(null)", piece);
    _fail(file, line);
}

void test_near(double a, double b, double tolerance, const char *file, int line)
{
    if (fabs(a - b) <= tolerance) return;
    print_error("%.17g and %.17g differ by %.3g, more than %.3g\n", a, b, fabs(a - b), tolerance);
    _fail(file, line);
}
