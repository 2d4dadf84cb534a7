// SPDX-License-Identifier: MIT
// Compares a result with a reference, column by column, at the times of the reference.
//
// Files may be of any size: the reference is read once, some rows at a time, and the result moves along with it
// (held_rows.h), after it was read once for its first and last time, which decide which times are the same. Of the result
// only the rows around the present time are at hand. What was found is reported at the end.
// A difference is ranked by how many times it exceeds what is allowed.
#include "takt/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/number.h"
#include "base/sized.h"
#include "record/compare_column.h"
#include "record/results.h"

// The times of two programs agree only up to rounding: within this share of the result's interval
// they are the same.
static const double SAME_TIME = 1e-10;

// A column of the reference, and what was found about it.
typedef struct pair {
    const takt_table_column *reference;
    const char *name; // in the result; NULL: it is missing
    takt_held_column *held; // NULL: it is missing, or the result has no rows
    bool reads_booleans; // the reference has words "true" and "false" that are read as numbers
    bool has_other_kind; // numbers here, text there
    double first,
        outside; // values of the reference in its first row, and in the first outside; NaN for text
    takt_column_state state;
} pair;

typedef struct comparison {
    takt_held_rows result;
    takt_results_stream *stream; // of the reference
    const takt_table *reference; // some rows of it
    int64_t n_rows; // of the reference, so far
    double t_before; // s; of the row before those at hand; NaN: none
    bool
        is_void; // the times of the reference go back, which is reported when it is read to its end
    takt_compare_options options;
    double same; // s; times this near are the same
    double reach; // s; the time tolerance, at least `same`
    int64_t n_outside; // rows of the reference that the result does not cover
    double t_outside; // s; the first of them
    pair *pairs; // per column of the reference, without the time
    int n_pairs;
    double *booleans; // room for a column of the reference
    int n_booleans;
    size_t instance; // length of "Tank." that the names of all columns begin with; 0: none
    char *name; // room for the longest name of the reference behind that of the instance
    takt_log *log;
} comparison;

void takt_compare_options_init(takt_compare_options *options)
{
    const takt_compare_options defaults = {
        .size = sizeof(takt_compare_options), .relative = 1e-6, .absolute = 1e-9};
    takt_sized_fill(options, &defaults, sizeof defaults, NULL);
}

// ---- columns -------------------------------------------------------------------------------------

// Finds a column of the result. References of single FMUs often name variables only, where the result
// has the instance in front, the same in all columns.
static int find_column(const comparison *c, const char *name)
{
    int found = takt_map_find(&c->result.table->names, name);
    if (found >= 0 || c->instance == 0) return found;
    memcpy(c->name + c->instance, name, strlen(name) + 1);
    return takt_map_find(&c->result.table->names, c->name);
}

// Makes room for names behind that of the instance, if all columns of the result begin with one.
static bool prepare_names(comparison *c)
{
    const char *first = c->result.table->n_columns > 1 ? c->result.table->columns[1].name : "";
    const char *dot = strchr(first, '.');
    size_t length = dot ? (size_t)(dot - first) + 1 : 0, longest = 0;
    for (int i = 1; i < c->result.table->n_columns; i++)
        if (strncmp(c->result.table->columns[i].name, first, length) != 0) length = 0;
    for (int i = 1; i < c->reference->n_columns; i++) {
        size_t size = strlen(c->reference->columns[i].name);
        if (size > longest) longest = size;
    }
    c->name = malloc(length + longest + 1);
    if (c->name) memcpy(c->name, first, length);
    c->instance = length;
    return c->name != NULL;
}

// Values of types that are not continuous hold until the next row, where a side file gives the type.
static bool is_held(const takt_table_column *column)
{
    return column->type && strncmp(column->type, "Float", 5) != 0;
}

// Booleans are numbers in our results, but words in those of other programs.
static void choose_kind(const comparison *c, pair *p)
{
    const takt_table_column *value = &c->result.table->columns[p->held->source];
    bool is_mixed = !value->texts != !p->reference->texts;
    p->reads_booleans = is_mixed && p->reference->texts;
    p->held->reads_booleans = is_mixed && value->texts;
    p->has_other_kind = p->held->reads_booleans && p->held->has_other_words;
    takt_column_state_init(&p->state, is_mixed || is_held(value) || is_held(p->reference));
}

// Finds the columns that both have. What they hold is known with the first rows of both.
static takt_status pair_columns(comparison *c, takt_error *err)
{
    int n = c->reference->n_columns - 1, n_found = 0;
    int *sources = calloc((size_t)n + 1, sizeof *sources);
    c->pairs = calloc((size_t)n + 1, sizeof *c->pairs);
    if (!sources || !c->pairs || !prepare_names(c)) {
        free(sources);
        return takt_fail_memory(err);
    }
    c->n_pairs = n;
    for (int i = 0; i < n; i++) {
        pair *p = &c->pairs[i];
        p->reference = &c->reference->columns[i + 1];
        int found = find_column(c, p->reference->name);
        if (found < 0) continue;
        p->name = c->result.table->columns[found].name;
        sources[n_found++] = found;
    }
    takt_status st = takt_held_rows_choose(&c->result, sources, n_found, err);
    n_found = 0;
    for (int i = 0; i < n && !st && c->result.n; i++) { // without rows columns have no kind
        if (!c->pairs[i].name) continue;
        c->pairs[i].held = &c->result.columns[n_found++];
        choose_kind(c, &c->pairs[i]);
    }
    free(sources);
    return st;
}

// ---- rows ----------------------------------------------------------------------------------------

static double number_at(const takt_table_column *column, int row)
{
    return column->numbers ? column->numbers[row] : NAN;
}

// Notes what the reports need of rows that are gone by then.
static void note_rows(comparison *c)
{
    const double *t = c->reference->columns[0].numbers;
    for (int k = 0; k < c->n_pairs && c->n_rows == 0; k++)
        c->pairs[k].first = number_at(c->pairs[k].reference, 0);
    for (int i = 0; i < c->reference->n_rows; i++) {
        if (takt_held_rows_cover(&c->result, t[i], c->same)) continue;
        if (c->n_outside++) continue;
        c->t_outside = t[i];
        for (int k = 0; k < c->n_pairs; k++)
            c->pairs[k].outside = number_at(c->pairs[k].reference, i);
    }
    c->n_rows += c->reference->n_rows;
}

// Reads a column of "true" and "false" as numbers.
static takt_status read_booleans(comparison *c, pair *p, int row, int n, takt_error *err)
{
    if (n > c->n_booleans) {
        double *larger = realloc(c->booleans, (size_t)n * sizeof *larger);
        if (!larger) return takt_fail_memory(err);
        c->booleans = larger;
        c->n_booleans = n;
    }
    for (int i = 0; i < n; i++) {
        c->booleans[i] = takt_boolean_read(p->reference->texts[row + i]);
        if (isnan(c->booleans[i])) p->has_other_kind = true;
    }
    return TAKT_OK;
}

static takt_status compare_pair(comparison *c, pair *p, const takt_compare_portion *portion,
                                int row, takt_error *err)
{
    if (!p->held || p->has_other_kind) return TAKT_OK;
    if (p->held->texts)
        return takt_compare_texts(portion, p->held->texts,
                                  (const char *const *)p->reference->texts + row, &p->state, err);
    takt_status st = TAKT_OK;
    if (p->reads_booleans) st = read_booleans(c, p, row, portion->n, err);
    if (st || p->has_other_kind) return st;
    const double *references = p->reads_booleans ? c->booleans : p->reference->numbers + row;
    return takt_compare_numbers(portion, p->held->numbers, references, &p->state, err);
}

// Can the time t be judged with the rows of the result at hand?
static bool is_at_hand(const comparison *c, double t)
{
    const takt_held_rows *held = &c->result;
    if (held->end == held->n) return true;
    return held->end > held->first && held->t[held->end - held->first - 1] > t + c->reach;
}

// Compares the rows of the reference at hand: each time as many as the rows of the result allow, column by column.
static takt_status compare_rows(comparison *c, takt_error *err)
{
    const double *t = c->reference->columns[0].numbers;
    int n_rows = c->reference->n_rows;
    for (int i = 0; i < n_rows; i++) {
        if (t[i] < (i ? t[i - 1] : c->t_before)) c->is_void = true;
    }
    takt_status st = TAKT_OK;
    for (int row = 0; row < n_rows && !st && !c->is_void;) {
        int end = row;
        while (end < n_rows && is_at_hand(c, t[end])) end++;
        if (end == row) {
            st = takt_held_rows_advance(&c->result, t[row] - c->reach, err);
            continue;
        }
        takt_compare_portion portion = {.held = &c->result,
                                        .options = &c->options,
                                        .same = c->same,
                                        .reach = c->reach,
                                        .t = t + row,
                                        .t_before = row ? t[row - 1] : c->t_before,
                                        .n = end - row};
        for (int k = 0; k < c->n_pairs && !st; k++)
            st = compare_pair(c, &c->pairs[k], &portion, row, err);
        row = end;
    }
    if (n_rows) c->t_before = t[n_rows - 1];
    return st;
}

// ---- reports -----------------------------------------------------------------------------------

typedef struct number_text {
    char text[TAKT_NUMBER_SIZE];
} number_text;

static number_text shown(double value)
{
    number_text n;
    takt_number_write(n.text, value);
    return n;
}

static void report_difference(const comparison *c, const char *name, const takt_finding *worst)
{
    if (worst->text) {
        takt_log_write(
            c->log, TAKT_LEVEL_WARN,
            "%s differs in %lld of %lld rows, first at t = %s s: \"%s\", reference \"%s\"", name,
            (long long)worst->n_differing, (long long)worst->n_compared, shown(worst->time).text,
            worst->text, worst->reference_text);
        return;
    }
    double allowed = c->options.absolute + c->options.relative * fabs(worst->reference);
    takt_log_write(c->log, TAKT_LEVEL_WARN,
                   "%s differs in %lld of %lld rows, most at t = %s s: %s, reference %s, allowed "
                   "difference %s",
                   name, (long long)worst->n_differing, (long long)worst->n_compared,
                   shown(worst->time).text, shown(worst->value).text, shown(worst->reference).text,
                   shown(allowed).text);
}

static void report_outside(const comparison *c)
{
    const takt_held_rows *result = &c->result;
    if (c->n_outside == 0) return;
    if (result->n == 0)
        takt_log_write(c->log, TAKT_LEVEL_WARN, "%s has no rows", result->table->file);
    else
        takt_log_write(c->log, TAKT_LEVEL_WARN,
                       "%s covers only t = %s s to %s s; %lld of %lld rows of the reference lie "
                       "outside, the first at t = %s s",
                       result->table->file, shown(result->t_first).text, shown(result->t_last).text,
                       (long long)c->n_outside, (long long)c->n_rows, shown(c->t_outside).text);
}

// A difference that has no size.
static takt_finding total_difference(double time, double reference)
{
    return (takt_finding){.excess = INFINITY, .time = time, .value = NAN, .reference = reference};
}

// Reports a column and returns its worst difference, whose texts stay with the pair.
static takt_finding judge_pair(const comparison *c, const pair *p, double t_first)
{
    const char *file = c->result.table->file;
    takt_finding worst = {0};
    if (!p->name) {
        takt_log_write(c->log, TAKT_LEVEL_WARN, "%s is missing in %s", p->reference->name, file);
        return total_difference(t_first, p->first);
    }
    if (p->has_other_kind) {
        takt_log_write(c->log, TAKT_LEVEL_WARN, "%s holds %s in %s, but %s in %s", p->name,
                       p->reads_booleans ? "numbers" : "text", file,
                       p->reads_booleans ? "text" : "numbers", c->reference->file);
        worst = total_difference(t_first, p->first);
    } else if (p->held) {
        worst = p->state.worst;
        if (worst.n_differing) report_difference(c, p->name, &worst);
    }
    if (worst.excess <= 1 && c->n_outside) worst = total_difference(c->t_outside, p->outside);
    return worst;
}

static void judge_columns(const comparison *c, double t_first, takt_comparison *out)
{
    double most = 1;
    for (int i = 0; i < c->n_pairs; i++) {
        takt_finding worst = judge_pair(c, &c->pairs[i], t_first);
        if (worst.excess <= 1) continue;
        out->n_differing++;
        if (worst.excess <= most) continue;
        most = worst.excess;
        snprintf(out->worst, sizeof out->worst, "%s", c->pairs[i].reference->name);
        out->time = worst.time;
        out->value = worst.value;
        out->reference = worst.reference;
    }
}

static void report_all(const comparison *c, double t_first, takt_comparison *out)
{
    *out = (takt_comparison){.n_columns = c->n_pairs, .n_rows = c->n_rows};
    report_outside(c);
    judge_columns(c, t_first, out);
    const takt_table *result = c->result.table;
    for (int i = 1; i < result->n_columns; i++)
        if (takt_map_find(&c->reference->names, result->columns[i].name) < 0)
            takt_log_write(c->log, TAKT_LEVEL_INFO, "%s is not in the reference",
                           result->columns[i].name);
    takt_log_write(
        c->log, TAKT_LEVEL_INFO,
        "%d of %d columns agree (rows: %lld; tolerances: relative %s, absolute %s, time %s s)",
        out->n_columns - out->n_differing, out->n_columns, (long long)out->n_rows,
        shown(c->options.relative).text, shown(c->options.absolute).text,
        shown(c->options.time).text);
}

// ---- files -------------------------------------------------------------------------------------

static takt_status fail_empty(const comparison *c, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_INPUT, "%s: the reference has no %s to compare with",
                     c->reference->file, c->n_rows ? "columns" : "rows");
}

// Reads the reference to its end, and the result beside it.
static takt_status compare_files(comparison *c, takt_comparison *out, takt_error *err)
{
    double t_first = 0;
    if (c->result.n) c->same = SAME_TIME * (c->result.t_last - c->result.t_first);
    c->reach = fmax(c->options.time, c->same);
    takt_status st = takt_results_stream_next(c->stream, err);
    if (!st) st = pair_columns(c, err);
    if (!st && c->reference->n_rows) t_first = c->reference->columns[0].numbers[0];
    while (!st && c->reference->n_rows) {
        note_rows(c);
        st = compare_rows(c, err);
        if (!st) st = takt_results_stream_next(c->stream, err);
    }
    if (!st && (c->n_rows == 0 || c->n_pairs == 0)) st = fail_empty(c, err);
    if (!st) report_all(c, t_first, out);
    return st;
}

static void clear(comparison *c)
{
    for (int i = 0; c->pairs && i < c->n_pairs; i++) takt_column_state_clear(&c->pairs[i].state);
    takt_held_rows_clear(&c->result);
    takt_results_stream_close(c->stream);
    free(c->pairs);
    free(c->booleans);
    free(c->name);
}

// Is it a tolerance: finite and not negative?
static bool is_tolerance(double value)
{
    return value >= 0 && isfinite(value);
}

static takt_status check_tolerances(const takt_compare_options *options, takt_error *err)
{
    if (is_tolerance(options->relative) && is_tolerance(options->absolute) &&
        is_tolerance(options->time))
        return TAKT_OK;
    return takt_fail(
        err, TAKT_ERR_USAGE,
        "tolerances must be finite and not negative: relative %s, absolute %s, time %s",
        shown(options->relative).text, shown(options->absolute).text, shown(options->time).text);
}

takt_status takt_compare(const char *result, const char *reference,
                         const takt_compare_options *options, takt_log *log, takt_comparison *out,
                         takt_error *err)
{
    if (!result || !reference || !out)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "takt_compare: result, reference and out must not be NULL");
    comparison c = {.t_before = NAN, .options = takt_compare_options_default(), .log = log};
    takt_comparison found = {0};
    takt_status st = takt_sized_take(&c.options, options, sizeof c.options, err);
    if (!st) st = takt_sized_fill(out, &found, sizeof found, err); // wrong sizes are found at once
    if (!st) st = check_tolerances(&c.options, err);
    if (!st) st = takt_held_rows_open(&c.result, result, log, err);
    if (!st) st = takt_results_stream_open(reference, log, &c.stream, err);
    if (!st) c.reference = takt_results_stream_table(c.stream);
    if (!st) st = compare_files(&c, &found, err);
    clear(&c);
    return st ? st : takt_sized_fill(out, &found, sizeof found, err);
}
