// SPDX-License-Identifier: MIT
// See xml_keep.h. Both texts are cut into tags and what stands between them. A tag has a key that does not depend on how it is
// written: its name and its attributes, sorted. Of several tags with one key the first that is left is taken.
#include "base/xml_keep.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/map.h"

enum { MOST_ATTRIBUTES = 64 };

/// A part of a text: a start tag, an empty element, the XML declaration; or, without a key, anything else.
typedef struct piece {
    const char *begin, *end;
    const char *name_end; // of a tag
    bool is_tag, is_empty;
} piece;

typedef struct attribute {
    const char *name, *value; // between the quotes
    size_t name_length, value_length;
} attribute;

/// A tag as it was written.
typedef struct written {
    piece at;
    int next; // of the same key; -1: none
} written;

typedef struct keeper {
    takt_arena arena;
    takt_map keys; // -> the first that is left
    int *firsts; // per key: the first that is left, and the last one
    int *lasts;
    int n_keys, key_capacity, last_capacity;
    written *tags; // malloc'ed, like all lists here
    int n_tags, capacity;
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
static void take_end_tag(piece *tag, const char *end)
{
    size_t length = (size_t)(tag->name_end - tag->begin - 1);
    const char *at = tag->end;
    if (!begins(at, end, "</") || (size_t)(end - at) < length + 3) return;
    if (memcmp(at + 2, tag->begin + 1, length) != 0 || at[length + 2] != '>') return;
    tag->end = at + length + 3;
    tag->is_empty = true;
}

static piece next_piece(const char *at, const char *end)
{
    piece out = {.begin = at, .end = end};
    const char *open = memchr(at, '<', (size_t)(end - at));
    if (open != at) {
        out.end = open ? open : end;
        return out;
    }
    out.is_tag = !begins(at, end, "<!") && !begins(at, end, "</") &&
                 (!begins(at, end, "<?") || begins(at, end, "<?xml "));
    if (begins(at, end, "<!--"))
        out.end = find(at, end, "-->");
    else if (begins(at, end, "<![CDATA["))
        out.end = find(at, end, "]]>");
    else
        out.end = end_of_tag(at, end);
    for (out.name_end = at + 1; out.name_end < out.end; out.name_end++)
        if (is_space(*out.name_end) || *out.name_end == '/' || *out.name_end == '>') break;
    out.is_empty = out.is_tag && out.end - at > 2 && out.end[-2] == '/';
    if (out.is_tag && !out.is_empty) take_end_tag(&out, end);
    return out;
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

// In `out`, which is empty. The XML declaration always has the same.
static void print_key(const piece *tag, takt_text *out)
{
    attribute list[MOST_ATTRIBUTES];
    int n = 0;
    const char *at = tag->name_end;
    bool is_declaration = begins(tag->begin, tag->end, "<?xml");
    takt_text_add_n(out, tag->begin, (size_t)(tag->name_end - tag->begin));
    while (!is_declaration && n < MOST_ATTRIBUTES && next_attribute(&at, tag->end, &list[n])) n++;
    qsort(list, (size_t)n, sizeof *list, compare);
    for (int i = 0; i < n; i++) {
        takt_text_add(out, "\n");
        takt_text_add_n(out, list[i].name, list[i].name_length);
        takt_text_add(out, "=");
        takt_text_add_n(out, list[i].value, list[i].value_length);
    }
    if (tag->is_empty) takt_text_add(out, "\n/");
}

// ---- keeping ---------------------------------------------------------------------------------------

static bool add_tag(keeper *k, const piece *tag, const char *key)
{
    int at = takt_map_find(&k->keys, key), i = k->n_tags;
    if (!takt_grow(&k->tags, k->n_tags, &k->capacity, sizeof *k->tags)) return false;
    k->tags[k->n_tags++] = (written){*tag, -1};
    if (at >= 0) {
        if (k->firsts[at] < 0)
            k->firsts[at] = i;
        else
            k->tags[k->lasts[at]].next = i;
        k->lasts[at] = i;
        return true;
    }
    const char *copy = takt_arena_copy(&k->arena, key);
    if (!copy || !takt_grow(&k->firsts, k->n_keys, &k->key_capacity, sizeof *k->firsts) ||
        !takt_grow(&k->lasts, k->n_keys, &k->last_capacity, sizeof *k->lasts) ||
        !takt_map_add(&k->keys, copy, k->n_keys))
        return false;
    k->firsts[k->n_keys] = k->lasts[k->n_keys] = i;
    k->n_keys++;
    return true;
}

static bool collect(keeper *k, const char *text, size_t n)
{
    takt_text key = {0};
    bool ok = true;
    for (const char *at = text, *end = text + n; at < end && ok;) {
        piece p = next_piece(at, end);
        at = p.end;
        if (!p.is_tag) continue;
        key.length = 0;
        print_key(&p, &key);
        ok = !key.failed && add_tag(k, &p, key.data);
    }
    takt_text_clear(&key);
    return ok;
}

static void write_again(keeper *k, const char *text, size_t n, takt_text *out)
{
    takt_text key = {0};
    for (const char *at = text, *end = text + n; at < end;) {
        piece p = next_piece(at, end);
        at = p.end;
        key.length = 0;
        if (p.is_tag) print_key(&p, &key);
        int i = p.is_tag && !key.failed ? takt_map_find(&k->keys, key.data) : -1;
        int first = i >= 0 ? k->firsts[i] : -1;
        if (first >= 0) {
            p = k->tags[first].at;
            k->firsts[i] = k->tags[first].next;
        }
        takt_text_add_n(out, p.begin, (size_t)(p.end - p.begin));
    }
    if (key.failed) out->failed = true;
    takt_text_clear(&key);
}

// "\r\n" at the end of each line.
static void end_lines(takt_text *text)
{
    takt_text out = {0};
    for (size_t i = 0, from = 0; i <= text->length; i++) {
        bool is_end = i == text->length;
        if (!is_end && (text->data[i] != '\n' || (i > 0 && text->data[i - 1] == '\r'))) continue;
        takt_text_add_n(&out, text->data + from, i - from);
        if (!is_end) takt_text_add(&out, "\r\n");
        from = i + 1;
    }
    out.failed = out.failed || text->failed;
    takt_text_clear(text);
    *text = out;
}

// Is it in UTF-8, as all that is written?
static bool is_utf8(const char *text, size_t n)
{
    const char *end = text + n;
    if (!begins(text, end, "<?xml")) return true;
    end = find(text, end, "?>");
    const char *at = find(find(text, end, "encoding"), end, "=");
    return at >= end || (end - at > 6 && strncasecmp(at + 1, "utf-8", 5) == 0);
}

bool takt_xml_keep(const char *before, size_t n_before, const char *after, size_t n_after,
                   takt_text *out)
{
    keeper k = {0};
    bool ok = true;
    if (is_utf8(before, n_before)) ok = collect(&k, before, n_before);
    if (ok) write_again(&k, after, n_after, out);
    const char *line = memchr(before, '\n', n_before);
    if (ok && line && line > before && line[-1] == '\r') end_lines(out);
    takt_map_clear(&k.keys);
    takt_arena_clear(&k.arena);
    free(k.firsts);
    free(k.lasts);
    free(k.tags);
    return ok && !out->failed;
}
