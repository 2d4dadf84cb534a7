// SPDX-License-Identifier: MIT
// Lists of problems; see takt/problems.h. Messages are sentences for people; what programs want to have apart is taken
// from their usual form: "component 'Tank': what is wrong; what to do about it". Names of users may hold all of these signs:
// a quote ends a name only where no letter or digit follows, and what stands in quotes is passed over.
#include "takt/problems.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sized.h"

struct takt_problem_list {
    takt_log *log;
    takt_arena arena;
    takt_problem_info *items; // malloc'ed
    int n_items, capacity;
    bool is_cut;
};

// ---- taking messages apart -------------------------------------------------------------------------

// The quote that ends a name whose first character is at `name`; NULL: none.
static const char *find_quote(const char *name)
{
    const char *end = name;
    do end = strchr(end + (end != name), '\'');
    while (end && isalnum((unsigned char)end[1]));
    return end;
}

// What stands between quotes behind a word; a copy.
static const char *copy_quoted(takt_arena *arena, const char *text, const char *word)
{
    const char *begin = strstr(text, word);
    if (!begin) return NULL;
    begin += strlen(word);
    const char *end = find_quote(begin);
    return end ? takt_arena_copy_n(arena, begin, (size_t)(end - begin)) : NULL;
}

// The first "; " that is not part of a name; NULL: none.
static const char *find_suggestion(const char *text)
{
    for (const char *p = text; *p; p++) {
        if (p[0] == ';' && p[1] == ' ') return p;
        bool opens = *p == '\'' && (p == text || !isalnum((unsigned char)p[-1]));
        const char *end = opens ? find_quote(p + 1) : NULL;
        if (end) p = end;
    }
    return NULL;
}

static bool take_apart(takt_arena *arena, const takt_message *message, takt_problem_info *out)
{
    const char *text = takt_arena_copy(arena, message->text);
    const char *file = message->file ? takt_arena_copy(arena, message->file) : NULL;
    if (!text || (message->file && !file)) return false;
    const char *suggestion = find_suggestion(text);
    *out = (takt_problem_info){.severity = message->level,
                               .file = file,
                               .line = message->line,
                               .component = copy_quoted(arena, text, "component '"),
                               .message = text,
                               .suggestion = suggestion ? suggestion + 2 : NULL,
                               .text = text,
                               .is_doubt = message->is_doubt};
    if (!out->component) out->component = copy_quoted(arena, text, "instance '");
    if (suggestion) out->message = takt_arena_copy_n(arena, text, (size_t)(suggestion - text));
    return out->message != NULL;
}

// ---- the list --------------------------------------------------------------------------------------

takt_problem_list *takt_problem_list_create(takt_level level)
{
    takt_problem_list *list = calloc(1, sizeof *list);
    if (list) list->log = takt_log_create(level, takt_problem_list_add, list);
    if (list && list->log) return list;
    free(list);
    return NULL;
}

void takt_problem_list_destroy(takt_problem_list *list)
{
    if (!list) return;
    takt_log_destroy(list->log);
    takt_arena_clear(&list->arena);
    free(list->items);
    free(list);
}

takt_log *takt_problem_list_log(takt_problem_list *list)
{
    return list ? list->log : NULL;
}

void takt_problem_list_add(void *context, const takt_message *message)
{
    takt_problem_list *list = context;
    takt_problem_info item;
    takt_message whole = {0};
    if (!list || !message || takt_sized_take(&whole, message, sizeof whole, NULL)) return;
    if (!whole.text) whole.text = "";
    if (!take_apart(&list->arena, &whole, &item) ||
        !takt_grow(&list->items, list->n_items, &list->capacity, sizeof item)) {
        list->is_cut = true;
        return;
    }
    list->items[list->n_items++] = item;
}

int takt_problem_list_count(const takt_problem_list *list)
{
    return list ? list->n_items : 0;
}

takt_status takt_problem_list_get(const takt_problem_list *list, int index, takt_problem_info *out,
                                  takt_error *err)
{
    if (!list || index < 0 || index >= list->n_items)
        return takt_fail(err, TAKT_ERR_USAGE, "there is no problem number %d", index);
    return takt_sized_fill(out, &list->items[index], sizeof *out, err);
}

int takt_problem_list_is_cut(const takt_problem_list *list)
{
    return list && list->is_cut;
}

void takt_problem_list_clear(takt_problem_list *list)
{
    if (!list) return;
    takt_arena_clear(&list->arena);
    list->n_items = 0;
    list->is_cut = false;
}
