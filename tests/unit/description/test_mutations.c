// SPDX-License-Identifier: MIT
// Complete descriptions of all versions, with one attribute after the other misspelt, left out, or given a
// value that makes no sense: a misspelt one is always reported, and nothing does worse than fail with a line.
#include "unit/description/read_description.h"

#include <ctype.h>

#include "support/command.h"

typedef description_fixture fixture;

static const char *const files[] = {
    TEST_DATA "/../fuzz/corpus/description/fmi1_complete.xml",
    TEST_DATA "/../fuzz/corpus/description/complete.xml",
    TEST_DATA "/../fuzz/corpus/description/fmi3_complete.xml",
};

// The next attribute in a text: its name, and its value with quotes. False after the last one.
typedef struct place {
    const char *name, *value;
    size_t name_length, value_length;
} place;

static bool find_attribute(const char **at, place *out)
{
    for (const char *c = *at; (c = strchr(c, '=')); c++) {
        if (c[1] != '\'' && c[1] != '"') continue;
        const char *end = strchr(c + 2, c[1]);
        if (!end) return false;
        const char *name = c;
        while (isalnum((unsigned char)name[-1]) || name[-1] == ':') name--;
        *out = (place){name, c + 1, (size_t)(c - name), (size_t)(end + 1 - (c + 1))};
        *at = end + 1;
        return true;
    }
    return false;
}

// The text with another attribute in that place.
static char *replace(const char *text, const place *p, const char *name_end, const char *value)
{
    size_t before = (size_t)(p->name - text);
    const char *rest = p->value + p->value_length;
    size_t size = strlen(text) + 100 + (value ? strlen(value) : 0);
    char *out = malloc(size);
    assert_non_null(out);
    if (!name_end) // without it
        snprintf(out, size, "%.*s%s", (int)before, text, rest);
    else
        snprintf(out, size, "%.*s%.*s%s=%.*s%s", (int)before, text, (int)p->name_length, p->name,
                 name_end, (int)(value ? strlen(value) : p->value_length), value ? value : p->value,
                 rest);
    return out;
}

// Reads a text; a failure must name the file and a line.
static void read_mutation(fixture *f, char *text)
{
    takt_status st = description_read(f, text);
    free(text);
    if (!st) return;
    assert_int_equal(st, TAKT_ERR_INPUT);
    assert_contains(f->err.message, "m.xml:");
}

static const char *tag_of(const char *text, const place *p)
{
    const char *tag = p->name;
    while (tag > text && *tag != '<') tag--;
    return tag + 1;
}

// Is it an attribute of the standard: not of XML itself, a namespace, or an annotation?
static bool is_ours(const char *tag, const place *p)
{
    static const char *const foreign[] = {"?", "Tool", "Annotation"};
    if (memchr(p->name, ':', p->name_length) || strncmp(p->name, "xmlns", 5) == 0) return false;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strncmp(tag, foreign[i], strlen(foreign[i])) == 0) return false;
    return isupper((unsigned char)tag[0]) || strncmp(tag, "fmiModelDescription", 19) == 0;
}

static void misspelt_attributes_are_told(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *text = test_read_path(files[i], NULL);
        assert_non_null(text);
        int n = 0;
        place p;
        for (const char *at = text; find_attribute(&at, &p);) {
            n += is_ours(tag_of(text, &p), &p);
            read_mutation(f, replace(text, &p, "x", NULL));
            if (is_ours(tag_of(text, &p), &p) && !f->err.message[0] && !f->log.text[0])
                fail_msg("%s: %.*s was not missed", files[i], (int)p.name_length, p.name);
        }
        assert_true(n > 20);
        free(text);
    }
}

static void missing_and_senseless_values_fail_with_a_line_at_most(void **state)
{
    static const char *const values[] = {"''",
                                         "'?!'",
                                         "'-1'",
                                         "'1e999'",
                                         "'nan'",
                                         "'99999999999999999999999999'",
                                         "'-2147483649'",
                                         "'true'",
                                         "' '",
                                         "'0'"};
    fixture *f = *state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *text = test_read_path(files[i], NULL);
        assert_non_null(text);
        place p;
        for (const char *at = text; find_attribute(&at, &p);) {
            if (*tag_of(text, &p) == '?') continue; // of XML itself
            read_mutation(f, replace(text, &p, NULL, NULL));
            for (size_t k = 0; k < sizeof values / sizeof *values; k++)
                read_mutation(f, replace(text, &p, "", values[k]));
        }
        free(text);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, description_setup, description_teardown)
    const struct CMUnitTest tests[] = {
        TEST(misspelt_attributes_are_told),
        TEST(missing_and_senseless_values_fail_with_a_line_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
