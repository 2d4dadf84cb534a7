// SPDX-License-Identifier: MIT
// The log: counts errors and warnings and hands messages to one receiver, one at a time.
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"

struct takt_log {
    takt_level level;
    bool is_strict;
    takt_message_fn receive;
    void *context;
    takt_mutex lock;
    int n_messages[TAKT_LEVEL_TRACE + 1];
    int n_doubts;
    char first_doubt[TAKT_MESSAGE_SIZE / 2]; // longer ones are cut
};

static const char *const level_names[] = {"error", "warn", "info", "debug", "trace"};

static bool is_level(takt_level level)
{
    return (int)level >= TAKT_LEVEL_ERROR && (int)level <= TAKT_LEVEL_TRACE;
}

const char *takt_level_name(takt_level level)
{
    return is_level(level) ? level_names[level] : "unknown";
}

int takt_level_find(const char *name, takt_level *out)
{
    for (int i = 0; name && out && i <= TAKT_LEVEL_TRACE; i++) {
        if (strcmp(level_names[i], name) != 0) continue;
        *out = (takt_level)i;
        return 1;
    }
    return 0;
}

takt_log *takt_log_create(takt_level level, takt_message_fn receive, void *context)
{
    takt_log *log = calloc(1, sizeof *log);
    if (!log) return NULL;
    log->level = level;
    log->receive = receive;
    log->context = context;
    if (takt_mutex_init(&log->lock)) return log;
    free(log);
    return NULL;
}

void takt_log_destroy(takt_log *log)
{
    if (!log) return;
    takt_mutex_clear(&log->lock);
    free(log);
}

void takt_log_set_strict(takt_log *log, int is_strict)
{
    if (log) log->is_strict = is_strict;
}

bool takt_log_is_strict(const takt_log *log)
{
    return log && log->is_strict;
}

int takt_log_count(const takt_log *log, takt_level level)
{
    return log && is_level(level) ? log->n_messages[level] : 0;
}

int takt_log_count_doubts(const takt_log *log)
{
    return log ? log->n_doubts : 0;
}

bool takt_log_wants(const takt_log *log, takt_level level)
{
    return log && log->receive && level <= log->level;
}

static void deliver_locked(takt_log *log, const takt_message *message)
{
    log->n_messages[message->level]++;
    if (takt_log_wants(log, message->level)) log->receive(log->context, message);
}

static void deliver(takt_log *log, const takt_message *message)
{
    if (!log) return;
    takt_mutex_lock(&log->lock);
    deliver_locked(log, message);
    takt_mutex_unlock(&log->lock);
}

// Messages longer than this are cut; only texts of FMUs, which are relayed whole, may be longer.
enum { TEXT_SIZE = 4096 };

void takt_log_write(takt_log *log, takt_level level, const char *format, ...)
{
    if (!takt_log_wants(log, level) && level > TAKT_LEVEL_WARN) return;
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    deliver(log, &(takt_message){.size = sizeof(takt_message), .level = level, .text = text});
}

void takt_log_problem(takt_log *log, takt_level level, const char *file, int line,
                      const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    deliver(log, &(takt_message){.size = sizeof(takt_message),
                                 .level = level,
                                 .file = file,
                                 .line = line,
                                 .text = text});
}

void takt_log_relay(takt_log *log, takt_level level, const char *source, const char *text)
{
    deliver(log, &(takt_message){
                     .size = sizeof(takt_message), .level = level, .source = source, .text = text});
}

void takt_log_doubt(takt_log *log, const char *file, int line, const char *format, ...)
{
    if (!log) return;
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    takt_mutex_lock(&log->lock);
    if (log->n_doubts++ == 0)
        snprintf(log->first_doubt, sizeof log->first_doubt, "%.*s",
                 (int)sizeof log->first_doubt - 1, text);
    deliver_locked(log, &(takt_message){.size = sizeof(takt_message),
                                        .level = TAKT_LEVEL_WARN,
                                        .file = file,
                                        .line = line,
                                        .text = text,
                                        .is_doubt = 1});
    takt_mutex_unlock(&log->lock);
}

takt_status takt_log_check_doubts(const takt_log *log, int n_before, const char *what,
                                  takt_error *err)
{
    int n = takt_log_count_doubts(log) - n_before;
    if (n <= 0) return TAKT_OK;
    bool is_shown = takt_log_wants(log, TAKT_LEVEL_WARN);
    return takt_fail(err, TAKT_ERR_INPUT,
                     "%s: %d warning%s that results may be wrong, which --strict makes a "
                     "failure%s%s",
                     what, n, n == 1 ? " says" : "s say",
                     is_shown ? "" : "; the first: ", is_shown ? "" : log->first_doubt);
}
