// SPDX-License-Identifier: MIT
// See xml_keep.h. Both texts are cut into tokens: tags, comments, texts, each with the blanks before it. A token has a key that says what it means,
// however it is written: of a tag its name and its sorted attributes, of a text its characters. A token of the new text is written
// as one of the old text with the same key, if possible one behind the token before; or like the tag that stands at its place, with other attributes.
#include "base/xml_keep.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/xml_encoding.h"

enum { MOST_ATTRIBUTES = 64 };

typedef enum token_kind {
    START, // also an empty element, and the XML declaration
    END,
    OTHER, // text that is not blank, comments, instructions
} token_kind;

/// A part of a text, with the blanks before it.
typedef struct token {
    const char *blank, *begin, *end;
    const char *name_end; // of a tag
    token_kind kind;
    bool is_empty, is_used;
    int mate; // of a start its end, of an end its start; -1: none
    int next; // of the same key; -1: none
    int match; // the token of the other text; -1: none
    bool is_similar; // that one has other attributes
} token;

typedef struct tokens {
    token *items; // malloc'ed
    int n, capacity;
} tokens;

typedef struct attribute {
    const char *name, *value; // between the quotes
    size_t name_length, value_length;
} attribute;

/// Tokens of the text before, by their keys.
typedef struct keeper {
    takt_arena arena;
    takt_map keys; // -> the first one
    tokens before, after;
    int *lasts; // per token that is the first of its key: the last one
    const char *line_end; // as in the first line of the text before
} keeper;

// ---- cutting ---------------------------------------------------------------------------------------

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *find(const char *at, const char *end, const char *what)
{
    size_t length = strlen(what);
    for (; (size_t)(end - at) >= length; at++)
        if (memcmp(at, what, length) == 0) return at + length;
    return end;
}

static bool begins(const char *at, const char *end, const char *what)
{
    return (size_t)(end - at) >= strlen(what) && memcmp(at, what, strlen(what)) == 0;
}

// Behind the '>' of a tag; quotes may hold others.
static const char *end_of_tag(const char *at, const char *end)
{
    for (char quote = 0; at < end; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '>')
            return at + 1;
    }
    return end;
}

// An element without content may be written with an end tag.
static void take_end_tag(token *tag, const char *end)
{
    size_t length = (size_t)(tag->name_end - tag->begin - 1);
    const char *at = tag->end;
    if (!begins(at, end, "</") || (size_t)(end - at) < length + 3) return;
    if (memcmp(at + 2, tag->begin + 1, length) != 0 || at[length + 2] != '>') return;
    tag->end = at + length + 3;
    tag->is_empty = true;
}

static void take_tag(token *out, const char *end)
{
    const char *at = out->begin;
    out->kind = begins(at, end, "</") ? END : START;
    out->end = end_of_tag(at, end);
    for (out->name_end = at + 1; out->name_end < out->end; out->name_end++)
        if (is_space(*out->name_end) || *out->name_end == '/' || *out->name_end == '>') break;
    out->is_empty = out->kind == START && out->end - at > 2 && out->end[-2] == '/';
    if (out->kind == START && !out->is_empty) take_end_tag(out, end);
    if (begins(at, end, "<?xml")) out->is_empty = true;
}

// Text with all its CDATA, up to a tag, comment or instruction.
static const char *end_of_text(const char *at, const char *end)
{
    while (at < end) {
        if (begins(at, end, "<![CDATA["))
            at = find(at, end, "]]>");
        else if (*at == '<')
            break;
        else
            at++;
    }
    return at;
}

static token next_token(const char *at, const char *end)
{
    token out = {.blank = at, .begin = at, .kind = OTHER, .mate = -1, .next = -1, .match = -1};
    while (out.begin < end && is_space(*out.begin)) out.begin++;
    const char *text_end = end_of_text(out.begin, end);
    if (text_end > out.begin) {
        out.begin = at;
        out.end = text_end;
    } else if (begins(out.begin, end, "<!--"))
        out.end = find(out.begin, end, "-->");
    else if (begins(out.begin, end, "<!") ||
             (begins(out.begin, end, "<?") && !begins(out.begin, end, "<?xml ")))
        out.end = end_of_tag(out.begin, end);
    else if (out.begin < end)
        take_tag(&out, end);
    else
        out.end = end;
    return out;
}

static bool cut(tokens *list, const char *text, size_t n)
{
    int *open = NULL, depth = 0, capacity = 0;
    bool ok = true;
    for (const char *at = text, *end = text + n; at < end && ok;) {
        token one = next_token(at, end);
        at = one.end;
        if (one.kind == END && depth > 0) {
            one.mate = open[--depth];
            list->items[one.mate].mate = list->n;
        }
        ok = takt_grow(&list->items, list->n, &list->capacity, sizeof one) &&
             takt_grow(&open, depth, &capacity, sizeof *open);
        if (!ok) break;
        if (one.kind == START && !one.is_empty) open[depth++] = list->n;
        list->items[list->n++] = one;
    }
    free(open);
    return ok;
}

// ---- keys ------------------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const attribute *x = a, *y = b;
    size_t n = x->name_length < y->name_length ? x->name_length : y->name_length;
    int difference = memcmp(x->name, y->name, n);
    return difference ? difference
                      : (x->name_length > y->name_length) - (x->name_length < y->name_length);
}

// Reads the next attribute; false: there is none, or it is not understood.
static bool next_attribute(const char **at, const char *end, attribute *out)
{
    const char *p = *at;
    while (p < end && is_space(*p)) p++;
    out->name = p;
    while (p < end && !is_space(*p) && *p != '=' && *p != '/' && *p != '>') p++;
    out->name_length = (size_t)(p - out->name);
    while (p < end && is_space(*p)) p++;
    if (out->name_length == 0 || p >= end || *p != '=') return false;
    for (p++; p < end && is_space(*p);) p++;
    if (p >= end || (*p != '"' && *p != '\'')) return false;
    const char *close = memchr(p + 1, *p, (size_t)(end - p - 1));
    if (!close) return false;
    out->value = p + 1;
    out->value_length = (size_t)(close - p - 1);
    *at = close + 1;
    return true;
}

// The character of a number in UTF-8.
static void add_code(unsigned long code, takt_text *out)
{
    static const unsigned long limits[] = {0x80, 0x800, 0x10000, 0x110000};
    static const unsigned char heads[] = {0, 0xc0, 0xe0, 0xf0};
    char bytes[4];
    int n = 0;
    while (code >= limits[n]) n++;
    for (int i = n; i > 0; i--, code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(heads[n] | code);
    takt_text_add_n(out, bytes, (size_t)n + 1);
}

// A character by its number, "#10" or "#xA"; what is none stays as it is.
static size_t add_character(const char *name, size_t length, takt_text *out)
{
    char *end;
    bool is_hex = name[1] == 'x';
    unsigned long code = strtoul(name + 1 + is_hex, &end, is_hex ? 16 : 10);
    if (code == 0 || code >= 0x110000 || end != name + length) return 0;
    add_code(code, out);
    return length;
}

// What stands behind '&', and how long that is; 0: nothing that is known.
static size_t add_entity(const char *at, const char *end, takt_text *out)
{
    static const char *const names[][2] = {
        {"lt;", "<"}, {"gt;", ">"}, {"amp;", "&"}, {"quot;", "\""}, {"apos;", "'"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!begins(at, end, names[i][0])) continue;
        takt_text_add(out, names[i][1]);
        return strlen(names[i][0]);
    }
    const char *close = memchr(at, ';', (size_t)(end - at));
    if (!close || *at != '#') return 0;
    size_t length = add_character(at, (size_t)(close - at), out);
    return length ? length + 1 : 0;
}

// What a text means, however it is written.
static void add_meaning(const char *at, const char *end, takt_text *out)
{
    while (at < end) {
        size_t n = 0;
        if (begins(at, end, "<![CDATA[")) {
            const char *close = find(at, end, "]]>");
            takt_text_add_n(out, at + 9, close - at > 12 ? (size_t)(close - at - 12) : 0);
            n = (size_t)(close - at);
        } else if (*at == '&')
            n = (n = add_entity(at + 1, end, out)) ? n + 1 : 0;
        else if (begins(at, end, "\r\n"))
            at++;
        if (n == 0) takt_text_add_n(out, at, n = 1);
        at += n;
    }
}

static int list_attributes(const token *tag, attribute *list)
{
    int n = 0;
    const char *at = tag->name_end;
    while (n < MOST_ATTRIBUTES && next_attribute(&at, tag->end, &list[n])) n++;
    qsort(list, (size_t)n, sizeof *list, compare);
    return n;
}

static bool is_declaration(const token *one)
{
    return begins(one->begin, one->end, "<?xml ");
}

// In `out`, which is empty. The XML declaration always has the same.
static void print_key(const token *one, takt_text *out)
{
    attribute list[MOST_ATTRIBUTES];
    if (one->kind == OTHER) {
        takt_text_add(out, " ");
        add_meaning(one->begin, one->end, out);
        return;
    }
    int n = is_declaration(one) ? 0 : list_attributes(one, list);
    takt_text_add_n(out, one->begin, (size_t)(one->name_end - one->begin));
    for (int i = 0; i < n; i++) {
        takt_text_add(out, "\n");
        takt_text_add_n(out, list[i].name, list[i].name_length);
        takt_text_add(out, "=");
        add_meaning(list[i].value, list[i].value + list[i].value_length, out);
    }
    if (one->is_empty) takt_text_add(out, "\n/");
}

// ---- matching --------------------------------------------------------------------------------------

static bool add_key(keeper *k, int i, const char *key)
{
    int first = takt_map_find(&k->keys, key);
    if (first >= 0) {
        k->before.items[k->lasts[first]].next = i;
        k->lasts[first] = i;
        return true;
    }
    const char *copy = takt_arena_copy(&k->arena, key);
    k->lasts[i] = i;
    return copy && takt_map_add(&k->keys, copy, i);
}

// The first unused one behind the last match, or else the first unused one.
static int find_match(const keeper *k, const char *key, int last)
{
    int found = -1;
    for (int i = takt_map_find(&k->keys, key); i >= 0; i = k->before.items[i].next) {
        if (k->before.items[i].is_used) continue;
        if (found < 0 || i > last) found = i;
        if (i > last) break;
    }
    return found;
}

static void join(keeper *k, int i, int match)
{
    k->after.items[i].match = match;
    k->before.items[match].is_used = true;
}

// Both texts have tokens without ends; those are matched with their starts.
static bool match_equal(keeper *k)
{
    takt_text key = {0};
    bool ok = true;
    for (int i = 0, last = -1; i < k->before.n + k->after.n && ok; i++) {
        bool is_before = i < k->before.n;
        int at = is_before ? i : i - k->before.n;
        const token *one = is_before ? &k->before.items[at] : &k->after.items[at];
        if (one->kind == END) continue;
        key.length = 0;
        print_key(one, &key);
        ok = !key.failed;
        if (ok && is_before) ok = add_key(k, at, key.data);
        int match = ok && !is_before ? find_match(k, key.data, last) : -1;
        if (match < 0) continue;
        join(k, at, match);
        last = match;
    }
    takt_text_clear(&key);
    return ok;
}

static bool has_same_name(const token *a, const token *b)
{
    size_t length = (size_t)(a->name_end - a->begin);
    return b->kind == START && (size_t)(b->name_end - b->begin) == length &&
           memcmp(a->begin, b->begin, length) == 0;
}

// A tag that has other attributes stands at the same place. Ends belong to their starts.
static void match_others(keeper *k)
{
    for (int i = 0; i < k->after.n; i++) {
        token *one = &k->after.items[i];
        int start = one->kind == END && one->mate >= 0 ? k->after.items[one->mate].match : -1;
        if (start >= 0) one->match = k->before.items[start].mate;
        if (one->kind != START || one->match >= 0 || i == 0) continue;
        int at = k->after.items[i - 1].match + 1;
        if (at == 0 || at >= k->before.n || k->before.items[at].is_used) continue;
        if (!has_same_name(one, &k->before.items[at])) continue;
        join(k, i, at);
        one->is_similar = true;
    }
}

// ---- writing ---------------------------------------------------------------------------------------

/// An element that is being written: where in the text the blanks before it lie, and those before the last tag in it; 0 bytes
/// if they are on one line with others.
typedef struct place {
    size_t own, n_own, inner, n_inner;
} place;

// A value between quotes of a kind; libxml2 has put it between double ones.
static void add_value(const attribute *given, char quote, takt_text *out)
{
    const char *at = given->value, *end = at + given->value_length;
    for (; at < end; at++) {
        if (*at == quote)
            takt_text_add(out, quote == '"' ? "&quot;" : "&apos;");
        else
            takt_text_add_n(out, at, 1);
    }
}

// The attributes that `is` has and `was` had not.
static void add_others(const token *is, const attribute *old, size_t n_old, takt_text *out)
{
    attribute new;
    const char *at = is->name_end;
    while (next_attribute(&at, is->end, &new)) {
        if (bsearch(&new, old, n_old, sizeof *old, compare)) continue;
        takt_text_add(out, " ");
        takt_text_add_n(out, new.name, (size_t)(at - new.name));
    }
}

// The tag as it was, with the attributes that it has now. Returns false where there are too many.
static bool add_similar(const token *was, const token *is, takt_text *out)
{
    attribute old, had[MOST_ATTRIBUTES], has[MOST_ATTRIBUTES];
    int n_had = list_attributes(was, had), n_has = list_attributes(is, has);
    if (n_had == MOST_ATTRIBUTES || n_has == MOST_ATTRIBUTES) return false;
    const char *from = was->begin, *at = was->name_end;
    takt_text_add_n(out, from, (size_t)(at - from));
    for (from = at; next_attribute(&at, was->end, &old); from = at) {
        const attribute *new = bsearch(&old, has, (size_t)n_has, sizeof *has, compare);
        if (!new) continue;
        takt_text_add_n(out, from, (size_t)(old.value - from));
        add_value(new, old.value[-1], out);
        takt_text_add_n(out, at - 1, 1);
    }
    add_others(is, had, (size_t)n_had, out);
    if (was->is_empty == is->is_empty)
        takt_text_add_n(out, from, (size_t)(was->end - from));
    else
        takt_text_add(out, is->is_empty ? "/>" : ">");
    return true;
}

// Blanks that have been written before, perhaps with a step further in.
static void repeat(takt_text *out, size_t at, size_t n, bool is_inside)
{
    char blank[256];
    if (out->failed || n >= sizeof blank) return;
    memcpy(blank, out->data + at, n);
    takt_text_add_n(out, blank, n);
    if (is_inside) takt_text_add(out, memchr(blank, '\t', n) ? "\t" : "  ");
}

// Text that is new.
static void add_new(const keeper *k, const char *text, const char *end, takt_text *out)
{
    for (const char *line; text < end && (line = memchr(text, '\n', (size_t)(end - text)));) {
        takt_text_add_n(out, text, (size_t)(line - text));
        takt_text_add(out, k->line_end);
        text = line + 1;
    }
    takt_text_add_n(out, text, (size_t)(end - text));
}

// Before what is new: as before its neighbours, or further in than what encloses it.
static void add_blank(const keeper *k, const token *one, const place *around, takt_text *out)
{
    size_t n = (size_t)(one->begin - one->blank);
    bool is_line = memchr(one->blank, '\n', n) != NULL;
    if (is_line && one->kind == END && around->n_own)
        repeat(out, around->own, around->n_own, false);
    else if (is_line && one->kind != END && around->n_inner)
        repeat(out, around->inner, around->n_inner, false);
    else if (is_line && one->kind != END && around->n_own)
        repeat(out, around->own, around->n_own, true);
    else
        add_new(k, one->blank, one->begin, out);
}

static void add_token(const keeper *k, const token *one, takt_text *out)
{
    const token *was = one->match >= 0 ? &k->before.items[one->match] : NULL;
    if (one->is_similar && add_similar(was, one, out)) return;
    if (!was || one->is_similar)
        add_new(k, one->begin, one->end, out);
    else
        takt_text_add_n(out, was->begin, (size_t)(was->end - was->begin));
}

// Goes into an element, or out of it.
static void walk(const token *one, size_t blank, size_t n_blank, place *places, int *depth)
{
    if (one->kind == END) {
        *depth -= *depth > 0;
    } else if (one->kind == START) {
        places[*depth].inner = blank;
        places[*depth].n_inner = n_blank;
        if (!one->is_empty) places[++*depth] = (place){.own = blank, .n_own = n_blank};
    }
}

static bool write_again(const keeper *k, takt_text *out)
{
    place *places = calloc(1, sizeof *places);
    int depth = 0, capacity = 1;
    bool ok = places != NULL;
    for (int i = 0; i < k->after.n && ok; i++) {
        const token *one = &k->after.items[i];
        const token *was = one->match >= 0 ? &k->before.items[one->match] : NULL;
        size_t begin = out->length;
        if (i == 0 && !was && k->before.n && k->after.n > 1 && is_declaration(one))
            continue; // there was none
        if (was)
            takt_text_add_n(out, was->blank, (size_t)(was->begin - was->blank));
        else
            add_blank(k, one, &places[depth], out);
        size_t n_blank = out->length - begin;
        bool is_line = !out->failed && n_blank && memchr(out->data + begin, '\n', n_blank);
        add_token(k, one, out);
        ok = !out->failed && takt_grow(&places, depth + 1, &capacity, sizeof *places);
        if (ok) walk(one, begin, is_line ? n_blank : 0, places, &depth);
    }
    free(places);
    return ok;
}

// Both texts are in UTF-8.
static bool keep(const char *before, size_t n_before, const char *after, size_t n_after,
                 takt_text *out)
{
    keeper k = {0};
    bool ok = cut(&k.after, after, n_after) && cut(&k.before, before, n_before);
    k.lasts = calloc((size_t)k.before.n + 1, sizeof *k.lasts);
    ok = ok && k.lasts && match_equal(&k);
    if (ok) match_others(&k);
    const char *line = n_before ? memchr(before, '\n', n_before) : NULL;
    k.line_end = line && line > before && line[-1] == '\r' ? "\r\n" : "\n";
    if (ok) ok = write_again(&k, out);
    takt_map_clear(&k.keys);
    takt_arena_clear(&k.arena);
    free(k.lasts);
    free(k.before.items);
    free(k.after.items);
    return ok && !out->failed;
}

bool takt_xml_keep(const char *before, size_t n_before, const char *after, size_t n_after,
                   takt_text *out)
{
    takt_xml_encoding encoding = takt_xml_encoding_of(before, n_before);
    takt_text decoded = {0};
    bool ok = takt_xml_decode(&encoding, before, n_before, &decoded);
    if (ok) ok = keep(decoded.data, decoded.length, after, n_after, out);
    if (ok && decoded.length) ok = takt_xml_encode(&encoding, out);
    takt_text_clear(&decoded);
    return ok;
}
