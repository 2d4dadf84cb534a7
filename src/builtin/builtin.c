// SPDX-License-Identifier: MIT
// Reads the sources of built-in components; see builtin.h.
#include "builtin/builtin.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "builtin/function.h"

#define PREFIX "builtin:"

// More inputs than this are a mistake; it also limits what a hostile source can cost.
enum { MAX_INPUTS = 100000 };

typedef struct option {
    const char *name;
    size_t offset; // in takt_function
    bool is_count, is_required;
} option;

#define OPTION(name, field, ...)                                                                   \
    {                                                                                              \
        name, offsetof(takt_function, field), __VA_ARGS__                                          \
    }

enum { MAX_OPTIONS = 2 };

static const struct kind {
    takt_function function; // as it is without options
    int n_options;
    option options[MAX_OPTIONS];
} kinds[] = {
    {{"linear", 1, 1, .is_linear = true, .factor = 1},
     2,
     {OPTION("factor", factor, false, false), OPTION("offset", offset, false, false)}},
    {{"sum", 1, 1, .factor = 1, .has_term_index = true},
     1,
     {OPTION("inputs", n_terms, true, true)}},
    {{"vectorsum", 1, 1, .factor = 1, .has_term_index = true, .has_element_index = true},
     2,
     {OPTION("inputs", n_terms, true, true), OPTION("dimension", dimension, true, true)}},
};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

static const char *kind_name(void *context, int i)
{
    (void)context;
    return kinds[i].function.name;
}

static const char *option_name(void *context, int i)
{
    return ((const struct kind *)context)->options[i].name;
}

static takt_status read_kind(const char *name, const struct kind **out, takt_error *err)
{
    for (int i = 0; i < N_KINDS; i++) {
        if (strcmp(kinds[i].function.name, name) != 0) continue;
        *out = &kinds[i];
        return TAKT_OK;
    }
    const char *nearest = takt_text_nearest(name, N_KINDS, kind_name, NULL);
    if (nearest)
        return takt_fail(err, TAKT_ERR_INPUT, "there is no '%s'; did you mean '%s'?", name,
                         nearest);
    return takt_fail(err, TAKT_ERR_INPUT,
                     "there is no '%s'; possible are linear, sum and vectorsum", name);
}

static takt_status store(const option *to, const char *value, takt_function *out, takt_error *err)
{
    const char *end = value + strlen(value);
    char *field = (char *)out + to->offset;
    if (to->is_count) {
        int64_t count;
        if (!takt_number_read_integer(value, end, &count) || count < 1 || count > MAX_INPUTS)
            return takt_fail(err, TAKT_ERR_INPUT, "%s=%s must be a whole number from 1 to %d",
                             to->name, value, MAX_INPUTS);
        int number = (int)count;
        memcpy(field, &number, sizeof number);
    } else {
        double number;
        if (!takt_number_read(value, end, &number) || !isfinite(number))
            return takt_fail(err, TAKT_ERR_INPUT, "%s=%s is not a finite number", to->name, value);
        memcpy(field, &number, sizeof number);
    }
    return TAKT_OK;
}

// Reads "name=value" in place.
static takt_status read_option(const struct kind *kind, char *text, bool is_given[MAX_OPTIONS],
                               takt_function *out, takt_error *err)
{
    char *equals = strchr(text, '=');
    if (equals) *equals = 0;
    for (int i = 0; i < kind->n_options; i++) {
        const option *known = &kind->options[i];
        if (strcmp(known->name, text) != 0) continue;
        if (!equals)
            return takt_fail(err, TAKT_ERR_INPUT, "'%s' has no value; write %s=NUMBER", text, text);
        if (is_given[i]) return takt_fail(err, TAKT_ERR_INPUT, "'%s' is given twice", text);
        is_given[i] = true;
        return store(known, equals + 1, out, err);
    }
    const char *nearest = takt_text_nearest(text, kind->n_options, option_name, (void *)kind);
    return takt_fail(err, TAKT_ERR_INPUT, "%s has no option '%s'%s%s%s", kind->function.name, text,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "",
                     nearest ? "'?" : "");
}

static takt_status check(const struct kind *kind, const bool is_given[MAX_OPTIONS],
                         const takt_function *function, takt_error *err)
{
    for (int i = 0; i < kind->n_options; i++)
        if (kind->options[i].is_required && !is_given[i])
            return takt_fail(err, TAKT_ERR_INPUT, "the option '%s' is missing",
                             kind->options[i].name);
    if ((int64_t)function->n_terms * function->dimension > MAX_INPUTS)
        return takt_fail(err, TAKT_ERR_INPUT, "more than %d inputs are not possible", MAX_INPUTS);
    return TAKT_OK;
}

// Reads what follows "builtin:", in place.
static takt_status read_source(char *text, takt_function *out, takt_error *err)
{
    bool is_given[MAX_OPTIONS] = {false};
    const struct kind *kind = NULL;
    char *next = strchr(text, '?');
    if (next) *next++ = 0;
    takt_status st = read_kind(text, &kind, err);
    if (st) return st;
    *out = kind->function;
    while (next && !st) {
        char *this = next;
        next = strchr(this, '&');
        if (next) *next++ = 0;
        st = read_option(kind, this, is_given, out, err);
    }
    return st ? st : check(kind, is_given, out, err);
}

bool takt_builtin_is_source(const char *source)
{
    return strncmp(source, PREFIX, strlen(PREFIX)) == 0;
}

takt_status takt_builtin_open(const char *source, takt_model **out, takt_error *err)
{
    takt_arena arena = {0};
    takt_function function;
    char *copy = takt_arena_copy(&arena, source + strlen(PREFIX));
    takt_status st = copy ? read_source(copy, &function, err) : takt_fail_memory(err);
    if (!st) st = takt_function_create(&function, source, out, err);
    takt_arena_clear(&arena);
    return st && st != TAKT_ERR_MEMORY ? takt_within(err, st, "built-in %s", source) : st;
}
