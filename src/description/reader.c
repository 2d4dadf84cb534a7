// SPDX-License-Identifier: MIT
// Tools for reading model descriptions; see reader.h.
#include "description/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

// ---- problems ------------------------------------------------------------------------------------

enum { TEXT_SIZE = 1024 };

void takt_description_error(takt_description_reader *reader, int line, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *file = reader->model->description_file;
    if (++reader->n_errors == 1)
        takt_fail(&reader->first, TAKT_ERR_INPUT, "%s:%d: %s", file, line, text);
    if (reader->n_errors <= TAKT_MAX_REMARKS)
        takt_log_problem(reader->log, TAKT_LEVEL_ERROR, file, line, "%s", text);
    if (reader->n_errors == TAKT_MAX_REMARKS + 1)
        takt_log_problem(reader->log, TAKT_LEVEL_ERROR, file, 0,
                         "there are more than %d such messages; the others are not shown",
                         TAKT_MAX_REMARKS);
}

void takt_description_doubt(takt_description_reader *reader, int line, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    takt_log_doubt(reader->log, reader->model->description_file, line, "%s", text);
}

void takt_description_note(takt_description_reader *reader, int line, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    takt_remark(&reader->remarks, line, text);
}

// ---- attributes ----------------------------------------------------------------------------------

static void wrong_value(takt_description_reader *reader, const char *name, const char *value,
                        const char *expected)
{
    takt_description_error(reader, takt_xml_line(reader->xml), "%s: '%.100s' is not %s", name,
                           value, expected);
}

const char *takt_description_text(takt_description_reader *reader, const char *name)
{
    const char *value = takt_xml_attribute(reader->xml, name);
    if (!value) return NULL;
    const char *copy = takt_arena_copy(&reader->model->arena, value);
    if (!copy) reader->out_of_memory = true;
    return copy;
}

const char *takt_description_required(takt_description_reader *reader, const char *name)
{
    const char *value = takt_description_text(reader, name);
    if (!value && !reader->out_of_memory)
        takt_description_error(reader, takt_xml_line(reader->xml), "%s has no attribute %s",
                               takt_xml_name(reader->xml), name);
    return value;
}

const char *takt_description_trim(takt_description_reader *reader, const char *text)
{
    const char *trimmed = takt_arena_trim(&reader->model->arena, text);
    if (!trimmed) reader->out_of_memory = true;
    return trimmed ? trimmed : "";
}

// The trimmed value of an attribute, or NULL.
static const char *word(takt_description_reader *reader, const char *name)
{
    const char *value = takt_xml_attribute(reader->xml, name);
    return value ? takt_description_trim(reader, value) : NULL;
}

bool takt_description_boolean(takt_description_reader *reader, const char *name, bool fallback)
{
    const char *value = word(reader, name);
    takt_value read;
    if (!value) return fallback;
    if (takt_value_read(TAKT_BOOLEAN, value, NULL, &read)) return read.integer;
    wrong_value(reader, name, value, "true or false");
    return fallback;
}

double takt_description_number(takt_description_reader *reader, const char *name, double fallback)
{
    const char *value = word(reader, name);
    double number = fallback;
    if (value && !takt_number_read(value, value + strlen(value), &number))
        wrong_value(reader, name, value, "a number");
    return number;
}

int64_t takt_description_integer(takt_description_reader *reader, const char *name, int64_t least,
                                 int64_t greatest, int64_t fallback)
{
    const char *value = word(reader, name);
    int64_t number = fallback;
    if (!value) return fallback;
    if (takt_number_read_integer(value, value + strlen(value), &number) && number >= least &&
        number <= greatest)
        return number;
    takt_description_error(reader, takt_xml_line(reader->xml),
                           "%s: '%.100s' is not an integer from %lld to %lld", name, value,
                           (long long)least, (long long)greatest);
    return fallback;
}

int takt_description_choice(takt_description_reader *reader, const char *name,
                            const takt_word *words, int fallback)
{
    const char *value = word(reader, name);
    if (!value) return fallback;
    for (const takt_word *w = words; w->text; w++)
        if (strcmp(w->text, value) == 0) return w->value;
    takt_description_error(reader, takt_xml_line(reader->xml), "unknown %s '%.100s'", name, value);
    return fallback;
}

int takt_description_line(const takt_description_reader *reader)
{
    return takt_xml_line(reader->xml);
}

const char *takt_description_type_name(const takt_description_reader *reader, takt_type type)
{
    if (reader->out->fmi_major >= 3) return takt_type_name(type);
    return type == TAKT_FLOAT64 ? "Real" : type == TAKT_INT32 ? "Integer" : takt_type_name(type);
}

bool takt_description_token(const char **text, const char **begin, const char **end)
{
    static const char blanks[] = " \t\r\n";
    *begin = *text + strspn(*text, blanks);
    *end = *text = *begin + strcspn(*begin, blanks);
    return *begin < *end;
}

// ---- lists -----------------------------------------------------------------------------------------

void *takt_list_add(takt_description_reader *reader, takt_list *list, size_t item_size)
{
    if (!takt_grow(&list->items, list->n, &list->capacity, item_size)) {
        reader->out_of_memory = true;
        return NULL;
    }
    char *item = (char *)list->items + (size_t)list->n++ * item_size;
    memset(item, 0, item_size);
    return item;
}

void *takt_list_take(takt_description_reader *reader, takt_list *list, size_t item_size)
{
    void *items = takt_arena_array(&reader->model->arena, (size_t)list->n, item_size);
    if (!items) reader->out_of_memory = true;
    if (items && list->n) memcpy(items, list->items, (size_t)list->n * item_size);
    free(list->items);
    *list = (takt_list){0};
    return items;
}
