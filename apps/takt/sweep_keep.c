// SPDX-License-Identifier: MIT
// What is kept of each variant; see sweep_keep.h.
#include "sweep_keep.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const char *const kind_words[] = {[SWEEP_FINAL] = "final",
                                         [SWEEP_INITIAL] = "initial",
                                         [SWEEP_MIN] = "min",
                                         [SWEEP_MAX] = "max",
                                         [SWEEP_TIME_OF_MIN] = "time-of-min",
                                         [SWEEP_TIME_OF_MAX] = "time-of-max",
                                         [SWEEP_MEAN] = "mean",
                                         [SWEEP_INTEGRAL] = "integral"};
enum { N_KINDS = sizeof kind_words / sizeof *kind_words };

// ---- what to keep ------------------------------------------------------------------------------

/// A pattern taken apart.
typedef struct wish {
    sweep_kind kind;
    bool is_said; ///< the kind is written
    const char *glob; ///< NULL: every output
    bool was_met;
} wish;

static wish read_wish(const char *pattern)
{
    const char *colon = strchr(pattern, ':');
    for (int i = 0; colon && i < N_KINDS; i++)
        if (strlen(kind_words[i]) == (size_t)(colon - pattern) &&
            strncmp(kind_words[i], pattern, (size_t)(colon - pattern)) == 0)
            return (wish){.kind = (sweep_kind)i, .is_said = true, .glob = colon + 1};
    return (wish){.kind = SWEEP_FINAL, .glob = pattern};
}

// Only * and ? mean something: names of elements have brackets.
static bool matches(const char *glob, const char *name)
{
    for (; *glob; glob++, name++) {
        if (*glob == '*') {
            while (*glob == '*') glob++;
            for (; *name; name++)
                if (matches(glob, name)) return true;
            return !*glob;
        }
        if (!*name || (*glob != '?' && *glob != *name)) return false;
    }
    return !*name;
}

static takt_status add_item(sweep_keep *keep, const wish *w, const char *component,
                            const takt_variable_info *variable, takt_error *err)
{
    if (!cli_grow(&keep->items, keep->n_items, &keep->capacity, sizeof *keep->items))
        return cli_fail_memory(err);
    size_t begin = w->is_said ? strlen(kind_words[w->kind]) + 1 : 0;
    size_t size = begin + strlen(component) + strlen(variable->name) + 2;
    char *name = malloc(size);
    if (!name) return cli_fail_memory(err);
    snprintf(name, size, "%s%s%s.%s", w->is_said ? kind_words[w->kind] : "", w->is_said ? ":" : "",
             component, variable->name);
    for (int i = 0; i < keep->n_items; i++)
        if (strcmp(keep->items[i].name, name) == 0) {
            free(name); // several patterns match
            return TAKT_OK;
        }
    keep->items[keep->n_items++] = (sweep_item){w->kind, name, name + begin};
    if (takt_type_kind(variable->type) != TAKT_KIND_BYTES || w->kind <= SWEEP_INITIAL)
        return TAKT_OK;
    return cli_fail(err, TAKT_ERR_USAGE,
                    "--keep %s: is a text, of which only final and initial "
                    "values can be kept",
                    name);
}

static takt_status add_matching(sweep_keep *keep, const takt_system *system, wish *w,
                                takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int c = 0; c < takt_system_count_components(system) && !st; c++) {
        takt_model_info model = {.size = sizeof model};
        st = takt_system_get_model(system, c, &model, err);
        for (int v = 0; !st && v < takt_system_count_variables(system, c); v++) {
            takt_variable_info info = {.size = sizeof info};
            st = takt_system_get_variable(system, c, v, &info, err);
            if (st) break;
            size_t n = strlen(model.component);
            bool is_meant = !w->glob && info.causality == TAKT_OUTPUT;
            char *name = w->glob ? malloc(n + strlen(info.name) + 2) : NULL;
            if (w->glob && !name) return cli_fail_memory(err);
            if (name) sprintf(name, "%s.%s", model.component, info.name);
            if (name) is_meant = matches(w->glob, name);
            free(name);
            if (is_meant) st = add_item(keep, w, model.component, &info, err);
            w->was_met = w->was_met || is_meant;
        }
    }
    return st;
}

takt_status sweep_keep_open(sweep_keep *keep, const takt_system *system,
                            const char *const *patterns, int n_patterns, takt_error *err)
{
    *keep = (sweep_keep){0};
    wish all = {.kind = SWEEP_FINAL};
    takt_status st = n_patterns ? TAKT_OK : add_matching(keep, system, &all, err);
    for (int i = 0; i < n_patterns && !st; i++) {
        wish w = read_wish(patterns[i]);
        st = add_matching(keep, system, &w, err);
        if (!st && !w.was_met)
            st = cli_fail(err, TAKT_ERR_USAGE,
                          "--keep %s: no variable matches; write KIND:COMPONENT.VARIABLE, where "
                          "KIND is final, initial, min, max, time-of-min, time-of-max, mean or "
                          "integral",
                          patterns[i]);
    }
    return st;
}

void sweep_keep_clear(sweep_keep *keep)
{
    for (int i = 0; i < keep->n_items; i++) free(keep->items[i].name);
    free(keep->items);
    *keep = (sweep_keep){0};
}

// ---- collecting --------------------------------------------------------------------------------

/// The course of one kept value so far.
typedef struct course {
    takt_kind kind;
    int index; ///< in the rows
    double first, last, least, most, time_of_least, time_of_most;
    double integral; ///< by the trapezoidal rule
    int64_t first_integer, last_integer;
    char *first_text, *last_text; ///< owned
} course;

struct sweep_collection {
    int n;
    int64_t n_rows;
    double begin, time; ///< of the first and the last row
    course courses[];
};

static void take_text(course *c, const char *text, bool is_first)
{
    if (is_first) c->first_text = strdup(text ? text : "");
    if (c->last_text && text && strcmp(c->last_text, text) == 0) return;
    free(c->last_text);
    c->last_text = strdup(text ? text : "");
}

static void take_number(sweep_collection *all, course *c, double t, double x)
{
    if (all->n_rows == 0) {
        c->first = c->least = c->most = x;
        c->time_of_least = c->time_of_most = t;
    } else {
        c->integral += 0.5 * (t - all->time) * (c->last + x);
    }
    if (x < c->least) c->time_of_least = t, c->least = x;
    if (x > c->most) c->time_of_most = t, c->most = x;
    c->last = x;
}

static int take_row(void *context, const takt_row *row)
{
    sweep_collection *all = context;
    for (int i = 0; i < all->n; i++) {
        course *c = &all->courses[i];
        switch (c->kind) {
        case TAKT_KIND_REAL: take_number(all, c, row->time, row->reals[c->index]); break;
        case TAKT_KIND_INTEGER:
            c->last_integer = row->integers[c->index];
            if (all->n_rows == 0) c->first_integer = c->last_integer;
            take_number(all, c, row->time, (double)c->last_integer);
            break;
        case TAKT_KIND_BYTES: take_text(c, row->bytes[c->index], all->n_rows == 0); break;
        }
    }
    if (all->n_rows++ == 0) all->begin = row->time;
    all->time = row->time;
    return 0;
}

// Columns are often in the order of the items.
static takt_status find_column(const takt_run *run, const char *name, int *guess, course *out,
                               takt_error *err)
{
    int n = takt_run_count_columns(run);
    for (int k = 0; k < n; k++) {
        int i = (*guess + k) % n;
        takt_column_info info = {.size = sizeof info};
        takt_status st = takt_run_get_column(run, i, &info, err);
        if (st) return st;
        if (strcmp(info.name, name) != 0) continue;
        *out = (course){.kind = info.kind, .index = info.index};
        *guess = i + 1;
        return TAKT_OK;
    }
    return cli_fail(err, TAKT_ERR_USAGE, "--keep %s: is not recorded; give --record '%s' as well",
                    name, name);
}

takt_status sweep_keep_watch(const sweep_keep *keep, takt_run *run, sweep_collection **out,
                             takt_error *err)
{
    size_t n = (size_t)keep->n_items;
    sweep_collection *all = calloc(1, sizeof *all + n * sizeof *all->courses);
    if (!all) return cli_fail_memory(err);
    all->n = keep->n_items;
    takt_status st = TAKT_OK;
    for (int i = 0, guess = 0; i < all->n && !st; i++)
        st = find_column(run, keep->items[i].variable, &guess, &all->courses[i], err);
    if (!st && n) st = takt_run_observe(run, take_row, all, err);
    if (st)
        sweep_collection_destroy(all);
    else
        *out = all;
    return st;
}

void sweep_collection_destroy(sweep_collection *collection)
{
    for (int i = 0; collection && i < collection->n; i++) {
        free(collection->courses[i].first_text);
        free(collection->courses[i].last_text);
    }
    free(collection);
}

// ---- writing -----------------------------------------------------------------------------------

void sweep_write_cell(FILE *file, const char *text)
{
    size_t n = strlen(text);
    bool needs_quotes =
        text[strcspn(text, ",;\t\"\r\n")] || *text == ' ' || (n && text[n - 1] == ' ');
    if (!needs_quotes) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, file);
    }
    fputc('"', file);
}

static double number_of(const sweep_collection *all, const course *c, sweep_kind kind)
{
    double duration = all->time - all->begin;
    switch (kind) {
    case SWEEP_FINAL: return c->last;
    case SWEEP_INITIAL: return c->first;
    case SWEEP_MIN: return c->least;
    case SWEEP_MAX: return c->most;
    case SWEEP_TIME_OF_MIN: return c->time_of_least;
    case SWEEP_TIME_OF_MAX: return c->time_of_most;
    case SWEEP_MEAN: return duration > 0 ? c->integral / duration : c->last;
    case SWEEP_INTEGRAL: break;
    }
    return c->integral;
}

static void write_value(const sweep_collection *all, const course *c, sweep_kind kind, FILE *file)
{
    bool is_first = kind == SWEEP_INITIAL, is_single = kind <= SWEEP_INITIAL;
    char number[TAKT_NUMBER_SIZE];
    if (c->kind == TAKT_KIND_BYTES) {
        const char *text = is_first ? c->first_text : c->last_text;
        sweep_write_cell(file, text ? text : "");
    } else if (c->kind == TAKT_KIND_INTEGER && is_single) {
        fprintf(file, "%" PRId64, is_first ? c->first_integer : c->last_integer);
    } else {
        takt_number_write(number, number_of(all, c, kind));
        fputs(number, file);
    }
}

void sweep_keep_write(const sweep_keep *keep, const sweep_collection *collection, FILE *file)
{
    for (int i = 0; i < keep->n_items; i++) {
        fputc(',', file);
        if (collection && collection->n_rows)
            write_value(collection, &collection->courses[i], keep->items[i].kind, file);
    }
}
