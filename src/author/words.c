// SPDX-License-Identifier: MIT
// See words.h. Both sources end in the same list of keys and values per variable, so that they accept and refuse the same.
#include "author/words.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"

enum { MAX_TABLE_SIZE = 64 << 20, MAX_FIELDS = 64, MAX_ELEMENTS = 1000000 };

static const char *const keys[] = {
    "causality", "type",        "variability", "initial", "start", "unit",          "min", "max",
    "nominal",   "description", "items",       "size",    "clock", "derivative_of", "name"};
enum { N_KEYS = sizeof keys / sizeof *keys };

static const char *key_name(void *context, int i)
{
    (void)context;
    return keys[i];
}

// What is known of a variable; a start value waits for its type.
typedef struct entry {
    takt_draft *draft;
    takt_draft_variable v;
    const char *start;
    bool is_state;
} entry;

#define complain(e, ...) takt_draft_problem((e)->draft, (e)->v.place, (e)->v.line, __VA_ARGS__)

// ---- values of keys ----------------------------------------------------------------------------

static int find_word(const char *(*name)(int), int n, const char *text)
{
    for (int i = 0; i < n; i++)
        if (strcasecmp(name(i), text) == 0) return i;
    return -1;
}

static const char *causality_name(int i)
{
    return takt_causality_name((takt_causality)i);
}

static const char *variability_name(int i)
{
    return takt_variability_name((takt_variability)i);
}

static const char *initial_name(int i)
{
    return takt_initial_name((takt_initial)(i + TAKT_EXACT));
}

static const char *type_name(int i)
{
    return takt_type_name((takt_type)i);
}

static void set_type(entry *e, const char *text)
{
    int type = find_word(type_name, TAKT_N_TYPES, text);
    if (strcasecmp(text, "Real") == 0) type = TAKT_FLOAT64;
    if (strcasecmp(text, "Integer") == 0) type = TAKT_INT32;
    if (type < 0)
        complain(e,
                 "variable '%s': '%s' is no type; there are Real, Integer, Boolean, String, "
                 "Enumeration, and of FMI 3.0 Float32, Int8 to UInt64, Binary, Clock",
                 e->v.name, text);
    else
        e->v.type = (takt_type)type;
}

static void set_causality(entry *e, const char *text)
{
    e->is_state = strcasecmp(text, "state") == 0;
    int causality = e->is_state ? TAKT_LOCAL : find_word(causality_name, TAKT_INDEPENDENT, text);
    if (causality < 0)
        complain(e,
                 "variable '%s': '%s' is no causality; there are input, output, parameter, "
                 "calculatedParameter, structuralParameter, local, and state",
                 e->v.name, text);
    else
        e->v.causality = (takt_causality)causality;
}

static void set_number(entry *e, const char *key, const char *text, double *out)
{
    if (!takt_number_read(text, text + strlen(text), out))
        complain(e, "variable '%s': %s '%s' is not a number", e->v.name, key, text);
}

// "2" or "2,3"
static void set_size(entry *e, const char *text)
{
    const char *at = text;
    int64_t n_elements = 1;
    int n = 0;
    for (;; at++) {
        int64_t size = 0;
        const char *end = at + strcspn(at, ",x");
        bool ok = takt_number_read_integer(at, end, &size) && size > 0 && size <= MAX_ELEMENTS;
        if (!ok || n == TAKT_DRAFT_MAX_DIMENSIONS) {
            complain(e, "variable '%s': size '%s' must be up to %d positive numbers, as in 2,3",
                     e->v.name, text, TAKT_DRAFT_MAX_DIMENSIONS);
            return;
        }
        n_elements *= size;
        if (n_elements > MAX_ELEMENTS) {
            complain(e, "variable '%s': size '%s' has more than %d elements", e->v.name, text,
                     MAX_ELEMENTS);
            return;
        }
        e->v.dimensions[n++] = (int)size;
        at = end;
        if (!*at) break;
    }
    e->v.n_dimensions = n;
}

// "off|on", counted from 1 on, which all versions can.
static bool set_items(entry *e, const char *text)
{
    takt_arena *arena = &e->draft->arena;
    int n = 1, k = 0;
    for (const char *c = text; *c; c++) n += *c == '|';
    takt_enumeration_item *items = takt_arena_array(arena, (size_t)n, sizeof *items);
    for (const char *at = text; items && k < n; k++) {
        size_t length = strcspn(at, "|");
        items[k] =
            (takt_enumeration_item){.name = takt_arena_copy_n(arena, at, length), .value = k + 1};
        if (!items[k].name) return false;
        if (length == 0) complain(e, "variable '%s': an item of '%s' has no name", e->v.name, text);
        at += length + (at[length] == '|');
    }
    takt_draft_enumeration type = {.items = items, .n_items = n};
    type.name = takt_arena_print(arena, "%s_type", e->v.name);
    e->v.type = TAKT_ENUMERATION;
    return items && type.name && takt_draft_add_enumeration(e->draft, &type, &e->v.enumeration);
}

static void set_choice(entry *e, const char *key, const char *text)
{
    bool is_initial = strcmp(key, "initial") == 0;
    int i = is_initial ? find_word(initial_name, 3, text)
                       : find_word(variability_name, TAKT_CONTINUOUS + 1, text);
    if (i < 0)
        complain(e, "variable '%s': '%s' is no %s; there are %s", e->v.name, text, key,
                 is_initial ? "exact, approx, calculated"
                            : "constant, fixed, tunable, discrete, continuous");
    else if (is_initial)
        e->v.initial = i + TAKT_EXACT;
    else
        e->v.variability = i;
}

static bool set_clock(entry *e, const char *text)
{
    const char **names = takt_arena_array(&e->draft->arena, 1, sizeof *names);
    if (names) *names = text;
    e->v.clocks = names;
    e->v.n_clocks = 1;
    return names != NULL;
}

// False: out of memory. `text` lives as long as the draft.
static bool set(entry *e, const char *key, const char *text)
{
    if (strcmp(key, "causality") == 0)
        set_causality(e, text);
    else if (strcmp(key, "type") == 0)
        set_type(e, text);
    else if (strcmp(key, "variability") == 0 || strcmp(key, "initial") == 0)
        set_choice(e, key, text);
    else if (strcmp(key, "start") == 0)
        e->start = text;
    else if (strcmp(key, "unit") == 0)
        e->v.unit = text;
    else if (strcmp(key, "min") == 0)
        set_number(e, key, text, &e->v.min);
    else if (strcmp(key, "max") == 0)
        set_number(e, key, text, &e->v.max);
    else if (strcmp(key, "nominal") == 0)
        set_number(e, key, text, &e->v.nominal);
    else if (strcmp(key, "description") == 0)
        e->v.description = text;
    else if (strcmp(key, "items") == 0)
        return set_items(e, text);
    else if (strcmp(key, "size") == 0)
        set_size(e, text);
    else if (strcmp(key, "clock") == 0)
        return set_clock(e, text);
    else if (strcmp(key, "derivative_of") == 0)
        e->v.derivative_of = text;
    return true;
}

static void complain_of_key(takt_draft *draft, const char *place, int line, const char *key)
{
    const char *nearest = takt_text_nearest(key, N_KEYS, key_name, NULL);
    takt_draft_problem(draft, place, line, "'%s' is not known of a variable%s%s%s", key,
                       nearest ? "; did you mean '" : "", nearest ? nearest : "",
                       nearest ? "'?" : "");
}

static bool is_key(const char *key)
{
    for (int i = 0; i < N_KEYS; i++)
        if (strcmp(keys[i], key) == 0) return true;
    return false;
}

// ---- the end of a variable ---------------------------------------------------------------------

static bool read_start(entry *e)
{
    if (!e->start) return true;
    int n = 1;
    for (int i = 0; i < e->v.n_dimensions; i++) n *= e->v.dimensions[i];
    takt_value *starts = takt_arena_array(&e->draft->arena, (size_t)n, sizeof *starts), value = {0};
    bool is_read = false;
    if (e->v.enumeration >= 0) {
        const takt_draft_enumeration *type = &e->draft->enumerations[e->v.enumeration];
        for (int i = 0; i < type->n_items; i++) {
            if (strcmp(type->items[i].name, e->start) != 0) continue;
            value.integer = type->items[i].value;
            is_read = true;
        }
    }
    if (!is_read) is_read = takt_value_read(e->v.type, e->start, &e->draft->arena, &value);
    if (!is_read)
        complain(e, "variable '%s': start '%s' is no value of type %s", e->v.name, e->start,
                 takt_type_name(e->v.type));
    for (int i = 0; starts && i < n; i++) starts[i] = value;
    e->v.starts = is_read ? starts : NULL;
    e->v.n_starts = is_read ? n : 0;
    return starts != NULL;
}

// A state has its derivative behind it.
static bool add_derivative(entry *e)
{
    takt_draft_variable d = takt_draft_plain(NULL);
    d.name = takt_arena_print(&e->draft->arena, "der(%s)", e->v.name);
    d.derivative_of = e->v.name;
    d.place = e->v.place;
    d.line = e->v.line;
    d.n_dimensions = e->v.n_dimensions;
    memcpy(d.dimensions, e->v.dimensions, sizeof d.dimensions);
    if (e->v.unit) d.unit = takt_arena_print(&e->draft->arena, "%s/s", e->v.unit);
    if (!d.name || (e->v.unit && !d.unit)) return false;
    const takt_unit *unit = e->v.unit ? takt_unit_common(e->v.unit) : NULL;
    takt_unit by_time = unit ? *unit : (takt_unit){0};
    by_time.name = d.unit;
    by_time.s--;
    by_time.offset = 0;
    return takt_draft_add(e->draft, &d) && (!unit || takt_draft_add_unit(e->draft, &by_time));
}

static bool finish(entry *e)
{
    if (e->v.type == TAKT_ENUMERATION && e->v.enumeration < 0)
        complain(e, "variable '%s': an enumeration needs items=first|second", e->v.name);
    bool ok = read_start(e);
    if (e->v.unit) ok = ok && takt_draft_add_unit(e->draft, takt_unit_common(e->v.unit));
    if (e->is_state && e->v.initial == TAKT_DRAFT_USUAL) e->v.initial = TAKT_EXACT;
    ok = ok && takt_draft_add(e->draft, &e->v);
    return ok && (!e->is_state || add_derivative(e));
}

// ---- words -------------------------------------------------------------------------------------

// The text up to the next colon without a backslash before it.
static char *next_field(takt_arena *arena, const char **at)
{
    takt_text field = {0};
    const char *c = *at;
    for (; *c && *c != ':'; c++) {
        if (*c == '\\' && (c[1] == ':' || c[1] == '\\')) c++;
        takt_text_add_n(&field, c, 1);
    }
    *at = *c ? c + 1 : NULL;
    char *copy = field.failed ? NULL : takt_arena_copy(arena, field.data ? field.data : "");
    takt_text_clear(&field);
    return copy;
}

bool takt_draft_read_words(takt_draft *draft, const char *kind, const char *text)
{
    const char *at = text;
    char *field = next_field(&draft->arena, &at);
    const char *place = takt_arena_print(&draft->arena, "--%s %s", kind, text);
    if (!field || !place) return false;
    entry e = {.draft = draft, .v = takt_draft_plain(field)};
    e.v.place = place;
    bool ok = set(&e, "causality", kind);
    while (ok && at) {
        field = next_field(&draft->arena, &at);
        char *equals = field ? strchr(field, '=') : NULL;
        if (!field)
            ok = false;
        else if (!equals)
            ok = set(&e, "type", field);
        else {
            *equals = 0;
            if (is_key(field) && strcmp(field, "name") != 0 && strcmp(field, "causality") != 0)
                ok = set(&e, field, equals + 1);
            else
                complain_of_key(draft, place, 0, field);
        }
    }
    return ok && finish(&e);
}

// ---- tables ------------------------------------------------------------------------------------

typedef struct table {
    takt_draft *draft;
    const char *path, *at;
    int line; // of `at`
    char separator;
    char *cells[MAX_FIELDS];
    int n_cells;
    bool is_broken; // the present row has been complained of
} table;

// One cell, as RFC 4180 says; NULL: out of memory.
static char *read_cell(table *t)
{
    takt_text cell = {0};
    const char *c = t->at + strspn(t->at, t->separator == '\t' ? " " : " \t");
    bool is_quoted = *c == '"';
    if (is_quoted) c++;
    for (; *c && (is_quoted || (*c != t->separator && *c != '\n' && *c != '\r')); c++) {
        if (is_quoted && *c == '"' && *++c != '"') break;
        if (*c == '\n') t->line++;
        takt_text_add_n(&cell, c, 1);
    }
    while (!is_quoted && cell.length && cell.data[cell.length - 1] == ' ')
        cell.data[--cell.length] = 0;
    c += strspn(c, " ");
    t->at = c;
    char *copy = cell.failed ? NULL : takt_arena_copy(&t->draft->arena, cell.data ? cell.data : "");
    takt_text_clear(&cell);
    return copy;
}

// False: out of memory.
static bool read_row(table *t, int *line)
{
    t->n_cells = 0;
    t->is_broken = false;
    *line = t->line;
    for (;;) {
        char *cell = read_cell(t);
        if (!cell) return false;
        if (t->n_cells < MAX_FIELDS) t->cells[t->n_cells++] = cell;
        if (*t->at != t->separator) break;
        t->at++;
    }
    if (*t->at && *t->at != '\n' && *t->at != '\r') {
        takt_draft_problem(t->draft, t->path, t->line, "there is text behind a quoted cell");
        t->is_broken = true;
        t->at += strcspn(t->at, "\r\n");
    }
    if (*t->at == '\r') t->at++;
    if (*t->at == '\n') t->at++, t->line++;
    return true;
}

static bool read_variable(table *t, char **heads, int n_heads, int line)
{
    if (t->is_broken || (t->n_cells == 1 && !*t->cells[0])) return true; // or a blank line
    entry e = {.draft = t->draft, .v = takt_draft_plain("")};
    e.v.place = t->path;
    e.v.line = line;
    if (t->n_cells > n_heads) {
        complain(&e, "%d cells, but the header has %d", t->n_cells, n_heads);
        return true;
    }
    bool ok = true;
    for (int i = 0; i < t->n_cells; i++)
        if (strcmp(heads[i], "name") == 0) e.v.name = t->cells[i];
    for (int i = 0; ok && i < t->n_cells; i++)
        if (is_key(heads[i]) && *t->cells[i] && strcmp(heads[i], "name") != 0)
            ok = set(&e, heads[i], t->cells[i]);
    return ok && finish(&e);
}

static bool read_table(table *t)
{
    char *heads[MAX_FIELDS];
    int n_heads, line;
    bool has_name = false;
    if (!read_row(t, &line)) return false;
    n_heads = t->n_cells;
    for (int i = 0; i < n_heads; i++) {
        heads[i] = t->cells[i];
        has_name |= strcmp(heads[i], "name") == 0;
        if (!is_key(heads[i])) complain_of_key(t->draft, t->path, line, heads[i]);
    }
    if (!has_name)
        takt_draft_problem(t->draft, t->path, line, "there is no column 'name' in the header");
    while (has_name && *t->at) {
        if (!read_row(t, &line) || !read_variable(t, heads, n_heads, line)) return false;
    }
    return true;
}

takt_status takt_draft_read_table(takt_draft *draft, const char *path, takt_error *err)
{
    char *data = NULL;
    size_t size = 0;
    takt_status st = takt_file_read(path, MAX_TABLE_SIZE, &data, &size, err);
    if (st) return st;
    if (strlen(data) != size || !takt_utf8_is_valid(data))
        st = takt_fail(err, TAKT_ERR_INPUT, "%s: is not a table in UTF-8", path);
    const char *begin = strncmp(data, "\xEF\xBB\xBF", 3) == 0 ? data + 3 : data;
    size_t head = strcspn(begin, "\r\n"), comma = strcspn(begin, ","), semi = strcspn(begin, ";"),
           tab = strcspn(begin, "\t");
    table t = {.draft = draft, .at = begin, .line = 1, .separator = ','};
    if (comma >= head && semi < head) t.separator = ';';
    if (comma >= head && semi >= head && tab < head) t.separator = '\t';
    t.path = takt_arena_copy(&draft->arena, path);
    if (!st && (!t.path || !read_table(&t))) st = takt_fail_memory(err);
    free(data);
    return st;
}
