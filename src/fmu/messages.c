// SPDX-License-Identifier: MIT
// Messages of FMUs of FMI 1.0 and 2.0 (specification 2.0.5, section 2.1.5); see messages.h.
#include "fmu/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/format.h"

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

void takt_fmu_log_format(takt_fmu_log *self, int status, const char *category, const char *message,
                         takt_fmu_arguments arguments)
{
    if (!self || !message) return;
    char raw[TAKT_FMU_TEXT_SIZE], text[TAKT_FMU_TEXT_SIZE];
    takt_fmu_format(raw, sizeof raw, message, arguments);
    resolve(self->model, raw, text, sizeof text);
    takt_fmu_log_receive(self, status, category, text);
}
