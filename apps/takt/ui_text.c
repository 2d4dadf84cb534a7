// SPDX-License-Identifier: MIT
// A text that grows; see ui_text.h.
#include "ui_text.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "takt/text.h"

static bool make_room(ui_text *text, size_t more)
{
    if (text->is_failed) return false;
    size_t wanted = text->capacity ? text->capacity : 256;
    while (wanted < text->size + more + 1) wanted *= 2;
    char *grown = wanted > text->capacity ? realloc(text->data, wanted) : text->data;
    if (!grown) {
        text->is_failed = true;
        return false;
    }
    text->data = grown;
    text->capacity = wanted;
    return true;
}

void ui_text_add(ui_text *text, const char *data, size_t size)
{
    if (!make_room(text, size)) return;
    memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = 0;
}

void ui_text_print(ui_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int wanted = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (wanted >= 0 && make_room(text, (size_t)wanted)) {
        vsnprintf(text->data + text->size, (size_t)wanted + 1, format, again);
        text->size += (size_t)wanted;
    }
    va_end(again);
}

void ui_text_number(ui_text *text, double value, bool has_comma)
{
    char number[TAKT_NUMBER_SIZE + 1];
    number[0] = ',';
    if (!isfinite(value)) {
        ui_text_add(text, has_comma ? ",null" : "null", has_comma ? 5 : 4);
        return;
    }
    size_t length = takt_number_write(number + 1, value);
    ui_text_add(text, number + !has_comma, length + has_comma);
}

void ui_text_html(ui_text *text, const char *plain)
{
    for (; plain && *plain; plain++) {
        const char *replaced = *plain == '&'   ? "&amp;"
                               : *plain == '<' ? "&lt;"
                               : *plain == '>' ? "&gt;"
                               : *plain == '"' ? "&quot;"
                                               : NULL;
        ui_text_add(text, replaced ? replaced : plain, replaced ? strlen(replaced) : 1);
    }
}

char *ui_text_take(ui_text *text)
{
    if (!text->is_failed && !text->data) ui_text_add(text, "", 0);
    if (text->is_failed) free(text->data);
    char *data = text->is_failed ? NULL : text->data;
    *text = (ui_text){0};
    return data;
}

json_t *ui_text_json(const char *text)
{
    json_t *json = json_string(text);
    char *copy = json ? NULL : strdup(text);
    if (!copy) return json;
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c > 127) *c = '_';
    json = json_string(copy);
    free(copy);
    return json;
}
