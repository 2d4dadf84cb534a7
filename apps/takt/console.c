// SPDX-License-Identifier: MIT
// Messages on standard error and in the log file; see console.h. A message is composed first and
// written with one call, so that lines of several threads or processes do not mix.
#include "console.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"
#include "support.h"

#define ERASE_LINE "\r\033[K"

typedef struct level_style {
    const char *word, *colour;
} level_style;

static const level_style level_styles[] = {
    [TAKT_LEVEL_ERROR] = {"error", "\033[1;31m"}, [TAKT_LEVEL_WARN] = {"warning", "\033[1;35m"},
    [TAKT_LEVEL_INFO] = {"info", "\033[36m"},     [TAKT_LEVEL_DEBUG] = {"debug", "\033[2m"},
    [TAKT_LEVEL_TRACE] = {"trace", "\033[2m"},
};

// Texts of FMUs and files may hold anything: control characters must not reach the terminal.
// Further lines of a text are indented, so that each message is seen to start at the margin.
static void add_clean(FILE *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '\n')
            fputs("\n    ", out);
        else
            fputc((c < 0x20 && c != '\t') || c == 0x7F ? '?' : c, out);
    }
}

static void compose(FILE *out, const takt_message *message, bool has_colour)
{
    const level_style *style = &level_styles[message->level];
    add_clean(out, message->file ? message->file : "takt");
    if (message->file && message->line) fprintf(out, ":%d", message->line);
    fprintf(out, ": %s%s:%s ", has_colour ? style->colour : "", style->word,
            has_colour ? "\033[0m" : "");
    if (message->source) {
        add_clean(out, message->source);
        fputs(": ", out);
    }
    add_clean(out, message->text);
    fputc('\n', out);
}

static void write_line(cli_console *console, const char *line)
{
    flockfile(stderr);
    if (console->has_bar) fputs(ERASE_LINE, stderr);
    console->has_bar = false;
    fputs(line, stderr);
    fflush(stderr);
    funlockfile(stderr);
}

static void show(cli_console *console, const takt_message *message)
{
    if (console->log_file) {
        flockfile(console->log_file);
        compose(console->log_file, message, false);
        funlockfile(console->log_file);
        if (message->level > TAKT_LEVEL_WARN) return;
    }
    char *line = NULL;
    size_t size;
    FILE *text = open_memstream(&line, &size);
    if (text) compose(text, message, console->has_colour);
    if (text && fclose(text) == 0) write_line(console, line);
    free(line);
}

static void receive(void *context, const takt_message *message)
{
    show(context, message);
}

takt_status cli_console_open(cli_console *console, takt_level level, const char *log_file,
                             takt_error *err)
{
    *console = (cli_console){.has_colour = cli_terminal_has_colour(stderr)};
    console->log = takt_log_create(level, receive, console);
    if (!console->log) return cli_fail_memory(err);
    if (!log_file) return TAKT_OK;
    console->log_file = fopen(log_file, "w");
    if (!console->log_file)
        return cli_fail(err, TAKT_ERR_OUTPUT, "cannot write the log file %s: %s", log_file,
                        strerror(errno));
    return TAKT_OK;
}

bool cli_console_close(cli_console *console)
{
    takt_log_destroy(console->log);
    console->log = NULL;
    bool is_good = true;
    if (console->log_file) {
        is_good = !ferror(console->log_file);
        if (fclose(console->log_file) != 0) is_good = false;
    }
    console->log_file = NULL;
    return is_good;
}

// Splits "file:12: text" where there is such a file. Returns the text, or NULL for other messages.
static const char *split_place(char *message, int *line)
{
    for (char *colon = strchr(message, ':'); colon; colon = strchr(colon + 1, ':')) {
        size_t n_digits = strspn(colon + 1, "0123456789");
        if (n_digits == 0 || n_digits > 9 || strncmp(colon + 1 + n_digits, ": ", 2) != 0) continue;
        *colon = 0;
        *line = (int)strtol(colon + 1, NULL, 10);
        return access(message, F_OK) == 0 ? colon + n_digits + 3 : NULL;
    }
    return NULL;
}

void cli_console_error(cli_console *console, const takt_error *err)
{
    takt_message message = {.level = TAKT_LEVEL_ERROR, .text = err->message};
    char copy[sizeof err->message];
    memcpy(copy, err->message, sizeof copy);
    const char *text = split_place(copy, &message.line);
    if (text) {
        message.file = copy;
        message.text = text;
    } else {
        message.line = 0;
    }
    show(console, &message);
}

void cli_console_note(cli_console *console, const char *format, ...)
{
    char text[TAKT_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *line = NULL;
    size_t size;
    FILE *clean = open_memstream(&line, &size);
    if (clean) {
        fputs("takt: ", clean);
        add_clean(clean, text);
        fputc('\n', clean);
    }
    if (clean && fclose(clean) == 0) {
        write_line(console, line);
        if (console->log_file) fputs(line, console->log_file);
    }
    free(line);
}

takt_status cli_output_end(FILE *file, takt_error *err)
{
    errno = 0;
    if (fflush(file) == 0 && !ferror(file))
        return TAKT_OK; // of earlier errors only the fact is known
    return cli_fail(err, TAKT_ERR_OUTPUT, "cannot write to standard %s%s%s",
                    file == stdout ? "output" : "error", errno ? ": " : "",
                    errno ? strerror(errno) : "");
}

void cli_console_bar(cli_console *console, const char *line)
{
    flockfile(stderr);
    if (line || console->has_bar) fputs(ERASE_LINE, stderr);
    if (line) fputs(line, stderr);
    console->has_bar = line != NULL;
    fflush(stderr);
    funlockfile(stderr);
}
