// SPDX-License-Identifier: MIT
// Messages of FMUs (specification 2.0.5, section 2.1.5); see fmi2_log.h.
#include "fmi/fmi2_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void takt_fmi2_log_init(takt_fmi2_log *self, takt_log *log, const takt_model *model,
                        const char *instance)
{
    *self = (takt_fmi2_log){.log = log, .model = model, .instance = instance};
    self->call = 1;
    pthread_mutex_init(&self->lock, NULL);
}

void takt_fmi2_log_clear(takt_fmi2_log *self)
{
    pthread_mutex_destroy(&self->lock);
}

// The length of a conversion that printf can do without harm, without its '%'; 0 if it is none. Plain
// texts with a percent sign ("50% done") also end here: a blank after '%' is taken for such a text.
static size_t conversion_length(const char *c)
{
    const char *start = c;
    c += strspn(c, "-+#0");
    size_t width = strspn(c, "0123456789");
    if (width > 3) return 0; // would only fill memory
    c += width ? width : *c == '*';
    if (*c == '.') {
        c++;
        width = strspn(c, "0123456789");
        if (width > 3) return 0;
        c += width ? width : *c == '*';
    }
    c += strspn(c, "hlLjzt");
    return *c && strchr("diouxXeEfFgGaAcsp%", *c) ? (size_t)(c - start) + 1 : 0;
}

// Is a text a format that may be handed to printf? "%n" writes to memory and is never harmless.
static bool is_format(const char *text)
{
    for (const char *c = text; (c = strchr(c, '%'));) {
        size_t length = conversion_length(c + 1);
        if (length == 0) return false;
        c += 1 + length;
    }
    return true;
}

static void copy_text(char *out, size_t size, const char *text)
{
    size_t length = strnlen(text, size - 1);
    memcpy(out, text, length);
    out[length] = 0;
}

// The variable with a value reference; type is 'r', 'i', 'b' or 's'.
static const char *variable_name(const takt_model *model, char type, unsigned long reference)
{
    static const struct {
        char letter;
        takt_type type;
    } letters[] = {{'r', TAKT_FLOAT64},
                   {'i', TAKT_INT32},
                   {'i', TAKT_ENUMERATION},
                   {'b', TAKT_BOOLEAN},
                   {'s', TAKT_STRING}};
    for (int i = 0; i < model->n_variables; i++)
        for (size_t k = 0; k < sizeof letters / sizeof *letters; k++)
            if (letters[k].letter == type && model->variables[i].type == letters[k].type &&
                model->variables[i].reference == reference)
                return model->variables[i].name;
    return NULL;
}

// Reads "#r123#" at `text`. Returns its length and the variable's name, or 0 if it is nothing such.
static size_t read_reference(const takt_model *model, const char *text, const char **name)
{
    if (text[1] == 0 || !strchr("ribs", text[1])) return 0;
    size_t n_digits = strspn(text + 2, "0123456789");
    if (n_digits == 0 || n_digits > 10 || text[2 + n_digits] != '#') return 0;
    *name = variable_name(model, text[1], strtoul(text + 2, NULL, 10));
    return *name ? n_digits + 3 : 0;
}

// Puts names in place of "#r123#" and '#' in place of "##".
static void resolve(const takt_model *model, const char *text, char *out, size_t size)
{
    size_t used = 0;
    while (*text && used + 1 < size) {
        const char *name = NULL;
        size_t length = *text == '#' ? read_reference(model, text, &name) : 0;
        if (length > 0) {
            used += (size_t)snprintf(out + used, size - used, "%s", name);
            if (used >= size) used = size - 1;
            text += length;
            continue;
        }
        out[used++] = *text;
        text += text[0] == '#' && text[1] == '#' ? 2 : 1;
    }
    out[used] = 0;
}

static void cut_line_ends(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr("\r\n \t", text[length - 1])) text[--length] = 0;
}

static takt_level level_of(fmi2Status status)
{
    switch (status) {
    case fmi2Warning:
    case fmi2Discard: return TAKT_LEVEL_WARN;
    case fmi2Error:
    case fmi2Fatal: return TAKT_LEVEL_ERROR;
    default: return TAKT_LEVEL_DEBUG;
    }
}

void takt_fmi2_log_receive(fmi2ComponentEnvironment environment, fmi2String instance,
                           fmi2Status status, fmi2String category, fmi2String message, ...)
{
    (void)instance; // we know better which one it is
    takt_fmi2_log *self = environment;
    if (!self || !message) return;
    char raw[TAKT_FMI2_TEXT_SIZE], text[TAKT_FMI2_TEXT_SIZE], source[256];
    int length = -1;
    if (is_format(message)) {
        va_list arguments;
        va_start(arguments, message);
        length = vsnprintf(raw, sizeof raw, message, arguments);
        va_end(arguments);
    }
    if (length < 0) copy_text(raw, sizeof raw, message);
    resolve(self->model, raw, text, sizeof text);
    cut_line_ends(text);

    pthread_mutex_lock(&self->lock);
    self->last_call = self->call;
    copy_text(self->last, sizeof self->last, text);
    pthread_mutex_unlock(&self->lock);

    bool has_category = category && category[0];
    snprintf(source, sizeof source, "%s%s%.100s", self->instance, has_category ? ": " : "",
             has_category ? category : "");
    takt_log_relay(self->log, level_of(status), source, text);
}

void takt_fmi2_log_last(takt_fmi2_log *self, char out[TAKT_FMI2_TEXT_SIZE])
{
    out[0] = 0;
    pthread_mutex_lock(&self->lock);
    if (self->last_call == self->call) copy_text(out, TAKT_FMI2_TEXT_SIZE, self->last);
    pthread_mutex_unlock(&self->lock);
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
}
