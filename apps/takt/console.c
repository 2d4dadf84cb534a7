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

// A line that is composed. Most fit into `local`, for which no memory is needed: what happens must be told also
// where there is none. A long one that cannot grow any more is cut.
typedef struct line_text {
    char *data; // `local`, or malloc'ed
    size_t length, capacity;
    char local[2048];
} line_text;

static void line_begin(line_text *line)
{
    line->data = line->local;
    line->length = 0;
    line->capacity = sizeof line->local;
}

static void line_end(line_text *line)
{
    if (line->data != line->local) free(line->data);
}

static bool line_grow(line_text *line, size_t wanted)
{
    bool is_local = line->data == line->local;
    size_t capacity = 2 * wanted;
    char *grown = realloc(is_local ? NULL : line->data, capacity);
    if (!grown) return false;
    if (is_local) memcpy(grown, line->local, line->length);
    line->data = grown;
    line->capacity = capacity;
    return true;
}

// A place for a line break at the end is always kept.
static void add_character(line_text *line, char c)
{
    if (line->length + 2 > line->capacity && !line_grow(line, line->length + 2)) {
        memcpy(line->data + line->capacity - 5, "...\n", 5);
        return;
    }
    line->data[line->length++] = c;
    line->data[line->length] = 0;
}

static void add_text(line_text *line, const char *text)
{
    for (; *text; text++) add_character(line, *text);
}

// Texts of FMUs and files may hold anything: control characters must not reach the terminal.
// Further lines of a text are indented, so that each message is seen to start at the margin.
static void add_clean(line_text *line, const char *text)
{
    for (const char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '\n')
            add_text(line, "\n    ");
        else
            add_character(line, (c < 0x20 && c != '\t') || c == 0x7F ? '?' : *p);
    }
}

static void compose(line_text *line, const takt_message *message, bool has_colour)
{
    const level_style *style = &level_styles[message->level];
    char number[16];
    add_clean(line, message->file ? message->file : "takt");
    snprintf(number, sizeof number, ":%d", message->line);
    if (message->file && message->line) add_text(line, number);
    add_text(line, ": ");
    if (has_colour) add_text(line, style->colour);
    add_text(line, style->word);
    add_text(line, has_colour ? ":\033[0m " : ": ");
    if (message->source) {
        add_clean(line, message->source);
        add_text(line, ": ");
    }
    add_clean(line, message->text);
    add_character(line, '\n');
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
    if (console->listen) console->listen(console->listen_context, message);
    if (console->collect) {
        console->collect(console->collect_context, message);
        return;
    }
    line_text line;
    if (console->log_file) {
        line_begin(&line);
        compose(&line, message, false);
        fputs(line.data, console->log_file);
        line_end(&line);
        if (message->level > TAKT_LEVEL_WARN) return;
    }
    line_begin(&line);
    compose(&line, message, console->has_colour);
    write_line(console, line.data);
    line_end(&line);
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
    takt_message message = {
        .size = sizeof message, .level = TAKT_LEVEL_ERROR, .text = err->message};
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
    line_text line;
    line_begin(&line);
    add_text(&line, "takt: ");
    add_clean(&line, text);
    add_character(&line, '\n');
    write_line(console, line.data);
    if (console->log_file) fputs(line.data, console->log_file);
    line_end(&line);
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
