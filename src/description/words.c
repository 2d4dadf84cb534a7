// SPDX-License-Identifier: MIT
// Words of descriptions; see words.h.
#include "description/words.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

// ---- names ---------------------------------------------------------------------------------------

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

// Behind a quoted name, in which a backslash takes away the meaning of the next character; NULL: none.
static const char *skip_quoted(const char *at)
{
    for (at++; *at && *at != '\''; at++)
        if (*at == '\\' && at[1]) at++;
    return *at == '\'' ? at + 1 : NULL;
}

// Behind "[1,2]"; NULL: there is no such thing.
static const char *skip_indices(const char *at)
{
    do {
        at += 1 + strspn(at + 1, " ");
        size_t n = strspn(at, "0123456789");
        if (n == 0) return NULL;
        at += n;
    } while (*at == ',');
    return *at == ']' ? at + 1 : NULL;
}

// Behind "a.b[1].'c'"; NULL: there is no such thing.
static const char *skip_path(const char *at)
{
    for (;; at++) {
        if (*at == '\'')
            at = skip_quoted(at);
        else if (is_letter(*at))
            while (is_letter(*at) || isdigit((unsigned char)*at)) at++;
        else
            return NULL;
        if (at && *at == '[') at = skip_indices(at);
        if (!at || *at != '.') return at;
    }
}

bool takt_word_is_structured(const char *name)
{
    bool is_derivative = strncmp(name, "der(", 4) == 0;
    const char *at = skip_path(is_derivative ? name + 4 : name);
    if (!at) return false;
    if (!is_derivative) return *at == 0;
    if (*at == ',') {
        at += 1 + strspn(at + 1, " ");
        size_t n = strspn(at, "0123456789");
        if (n == 0) return false;
        at += n;
    }
    return strcmp(at, ")") == 0;
}

// ---- values --------------------------------------------------------------------------------------

// Is a text a date and time of XML: 2026-11-15T12:30:00Z?
static bool is_date(const char *text)
{
    static const char pattern[] = "0000-00-00T00:00:00"; // 0: a digit
    size_t i = 0;
    for (; pattern[i]; i++)
        if (pattern[i] == '0' ? !isdigit((unsigned char)text[i]) : text[i] != pattern[i])
            return false;
    if (text[i] == '.') i += 1 + strspn(text + i + 1, "0123456789");
    if (text[i] == 'Z') return text[i + 1] == 0;
    if (text[i] == '+' || text[i] == '-') {
        const char *zone = text + i + 1;
        return strlen(zone) == 5 && strspn(zone, "0123456789") == 2 && zone[2] == ':' &&
               strspn(zone + 3, "0123456789") == 2;
    }
    return text[i] == 0;
}

static bool is_boolean(const char *text)
{
    return strcmp(text, "true") == 0 || strcmp(text, "false") == 0 || strcmp(text, "1") == 0 ||
           strcmp(text, "0") == 0;
}

static bool is_number(const char *text)
{
    double number;
    return takt_number_read(text, text + strlen(text), &number);
}

static bool is_count(const char *text)
{
    int64_t number;
    return takt_number_read_integer(text, text + strlen(text), &number) && number >= 0;
}

// Attributes that no reader looks at. `element` NULL: whatever element has it.
static const struct {
    const char *element, *attribute;
    bool (*is_allowed)(const char *text);
    const char *expected;
} words[] = {
    {"fmiModelDescription", "generationDateAndTime", is_date, "a date like 2026-11-15T12:30:00Z"},
    {NULL, "canHandleMultipleSetPerTimeInstant", is_boolean, "true or false"},
    {NULL, "canNotUseMemoryManagementFunctions", is_boolean, "true or false"},
    {NULL, "reinit", is_boolean, "true or false"},
    {NULL, "unbounded", is_boolean, "true or false"},
    {NULL, "supportsFraction", is_boolean, "true or false"},
    {NULL, "priority", is_count, "a priority of 0 or more"},
    {NULL, "inverse", is_boolean, "true or false"},
    {NULL, "canHandleEvents", is_boolean, "true or false"},
    {NULL, "canRejectSteps", is_boolean, "true or false"},
    {NULL, "canSignalEvents", is_boolean, "true or false"},
    {NULL, "manualStart", is_boolean, "true or false"},
    {"DisplayUnit", "factor", is_number, "a number"},
    {"DisplayUnit", "offset", is_number, "a number"},
    {"DisplayUnitDefinition", "gain", is_number, "a number"},
    {"DisplayUnitDefinition", "offset", is_number, "a number"},
};

void takt_words_check(takt_description_reader *reader)
{
    const char *name, *element = takt_xml_name(reader->xml);
    for (int i = 0; (name = takt_xml_attribute_name(reader->xml, i)); i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            if (words[k].attribute[0] != name[0] || strcmp(words[k].attribute, name) != 0) continue;
            if (words[k].element && strcmp(words[k].element, element) != 0) continue;
            const char *value =
                takt_description_trim(reader, takt_xml_attribute(reader->xml, name));
            if (!words[k].is_allowed(value))
                takt_description_note(reader, takt_xml_line(reader->xml), "%s: '%.100s' is not %s",
                                      name, value, words[k].expected);
        }
}
