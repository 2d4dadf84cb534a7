// SPDX-License-Identifier: MIT
// Compares a result with a reference, column by column, at the times of the reference.
//
// What the result offers at a time t is found by two indices that move forward with t:
//   time tolerance 0: the rows at t if there are some (at a jump its first, its last, and the one
//     with the same number as in the reference), else the linear interpolation between neighbours, or
//     the value before for types that are not continuous;
//   time tolerance w > 0: every value between the least and the greatest in [t - w, t + w], for the
//     interpolated result takes on all of them. Two queues keep the extremes of the moving window,
//     so that the cost stays linear in the number of rows. Of types that are not continuous only
//     the values themselves.
// A difference is ranked by how many times it exceeds what is allowed.
#include "takt/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/number.h"
#include "record/results.h"

// The times of two programs agree only up to rounding: within this share of the result's interval
// they are the same.
static const double SAME_TIME = 1e-10;

// The worst difference in a column, or in all.
typedef struct finding {
    double excess; // difference / allowed difference; more than 1 differs
    int row; // of the reference
    double value, reference; // NaN for text
    const char *text, *reference_text; // NULL for numbers
    int n_differing; // rows
    int n_compared; // rows
} finding;

typedef struct comparison {
    const takt_table *result, *reference;
    const double *t, *t_reference; // their times
    int n; // rows of the result
    takt_compare_options options;
    double same; // s; times this near are the same
    bool holds; // values between rows are those of the row before
    int n_outside, first_outside; // rows of the reference that the result does not cover
    int *queue; // memory for two queues of n indices
    double *booleans; // room for a column of both tables
    size_t instance; // length of "Tank." that the names of all columns begin with; 0: none
    char *name; // room for the longest name of the reference behind that of the instance
    takt_log *log;
} comparison;

takt_compare_options takt_compare_options_default(void)
{
    return (takt_compare_options){.relative = 1e-6, .absolute = 1e-9};
}

// ---- one value ---------------------------------------------------------------------------------

// How much `value` exceeds what is allowed around `reference`: up to 1 passes.
static double excess(const comparison *c, double value, double reference)
{
    if (value == reference || (isnan(value) && isnan(reference))) return 0;
    if (!isfinite(value) || !isfinite(reference)) return INFINITY;
    double allowed = c->options.absolute + c->options.relative * fabs(reference);
    double difference = fabs(value - reference);
    return difference <= allowed ? fmin(difference / allowed, 1) : difference / allowed;
}

static void note(finding *worst, double by, int row, double value, double reference)
{
    worst->n_compared++;
    worst->n_differing += by > 1;
    if (by <= worst->excess) return;
    worst->excess = by;
    worst->row = row;
    worst->value = value;
    worst->reference = reference;
}

// The rows of the result at the time of a row of the reference: [begin, end), perhaps none.
typedef struct rows {
    int begin, end;
    int same_number; // the row with the same number among those of this time as in the reference
} rows;

static void move_rows(const comparison *c, int i_reference, rows *at)
{
    double t = c->t_reference[i_reference];
    bool is_repeated = i_reference > 0 && t == c->t_reference[i_reference - 1];
    while (at->begin < c->n && c->t[at->begin] < t - c->same) at->begin++;
    if (at->end < at->begin) at->end = at->begin;
    while (at->end < c->n && c->t[at->end] <= t + c->same) at->end++;
    at->same_number = is_repeated ? at->same_number + 1 : at->begin;
    if (at->same_number >= at->end) at->same_number = at->end - 1;
}

static double interpolate(const comparison *c, const double *values, int right, double t)
{
    if (c->holds) return values[right - 1];
    double t0 = c->t[right - 1], t1 = c->t[right];
    double share = (t - t0) / (t1 - t0);
    return values[right - 1] * (1 - share) + values[right] * share;
}

// Of several values that the result has at a time, the nearest one counts.
static void compare_at(const comparison *c, const double *values, const double *references,
                       int i_reference, const rows *at, finding *worst)
{
    double reference = references[i_reference];
    if (at->begin == at->end) {
        if (at->begin == 0 || at->begin == c->n) return; // outside; reported for all columns
        double value = interpolate(c, values, at->begin, c->t_reference[i_reference]);
        note(worst, excess(c, value, reference), i_reference, value, reference);
        return;
    }
    const int candidates[] = {at->same_number, at->begin, at->end - 1};
    double least = INFINITY, value = values[at->same_number];
    for (int i = 0; i < 3; i++) {
        double by = excess(c, values[candidates[i]], reference);
        if (by >= least) continue;
        least = by;
        value = values[candidates[i]];
    }
    note(worst, least, i_reference, value, reference);
}

static void compare_exact(const comparison *c, const double *values, const double *references,
                          finding *worst)
{
    rows at = {0};
    for (int i = 0; i < c->reference->n_rows; i++) {
        move_rows(c, i, &at);
        compare_at(c, values, references, i, &at, worst);
    }
}

// ---- values within a window of time ------------------------------------------------------------

// Indices of rows whose values ascend (sign 1) or descend (sign -1): the first is the extreme one.
typedef struct extreme {
    int *rows;
    int first, end;
    double sign;
} extreme;

static void enter(extreme *e, const double *values, int row)
{
    if (isnan(values[row])) return;
    while (e->end > e->first && e->sign * values[e->rows[e->end - 1]] >= e->sign * values[row])
        e->end--;
    e->rows[e->end++] = row;
}

static void leave(extreme *e, int begin)
{
    while (e->first < e->end && e->rows[e->first] < begin) e->first++;
}

typedef struct window {
    int begin, end; // rows of the result
    int n_nan;
    extreme least, greatest;
} window;

static void move_window(const comparison *c, const double *values, double t, double reach,
                        window *w)
{
    for (; w->end < c->n && c->t[w->end] <= t + reach; w->end++) {
        w->n_nan += isnan(values[w->end]);
        enter(&w->least, values, w->end);
        enter(&w->greatest, values, w->end);
    }
    for (; w->begin < w->end && c->t[w->begin] < t - reach; w->begin++)
        w->n_nan -= isnan(values[w->begin]);
    leave(&w->least, w->begin);
    leave(&w->greatest, w->begin);
}

// The interpolated values at both ends of the window belong to it.
static void widen(const comparison *c, const double *values, const window *w, double t,
                  double reach, double *low, double *high)
{
    double ends[2] = {NAN, NAN};
    if (w->begin > 0 && w->begin < c->n) ends[0] = interpolate(c, values, w->begin, t - reach);
    if (w->end > 0 && w->end < c->n) ends[1] = interpolate(c, values, w->end, t + reach);
    for (int i = 0; i < 2; i++) {
        *low = fmin(*low, ends[i]); // fmin and fmax pass over NaN
        *high = fmax(*high, ends[i]);
    }
}

static bool is_covered(const comparison *c, double t)
{
    return c->n && t >= c->t[0] - c->same && t <= c->t[c->n - 1] + c->same;
}

static void compare_window(const comparison *c, const double *values, const double *references,
                           finding *worst)
{
    double reach = fmax(c->options.time, c->same);
    window w = {.least = {c->queue, 0, 0, 1}, .greatest = {c->queue + c->n, 0, 0, -1}};
    for (int i = 0; i < c->reference->n_rows; i++) {
        double t = c->t_reference[i], reference = references[i];
        if (!is_covered(c, t)) continue; // reported for all columns
        move_window(c, values, t, reach, &w);
        double low = INFINITY, high = -INFINITY;
        if (w.least.first < w.least.end) low = values[w.least.rows[w.least.first]];
        if (w.greatest.first < w.greatest.end) high = values[w.greatest.rows[w.greatest.first]];
        widen(c, values, &w, t, reach, &low, &high);
        double nearest = isnan(reference) ? low : fmin(fmax(reference, low), high);
        if (low > high || (isnan(reference) && w.n_nan)) nearest = NAN;
        note(worst, excess(c, nearest, reference), i, nearest, reference);
    }
}

// Values that hold take on none of those in between: the nearest one that the window has counts.
static void compare_held(const comparison *c, const double *values, const double *references,
                         finding *worst)
{
    comparison wide = *c;
    wide.same = fmax(c->same, c->options.time);
    rows at = {0};
    for (int i = 0; i < c->reference->n_rows; i++) {
        if (!is_covered(c, c->t_reference[i])) continue; // reported for all columns
        move_rows(&wide, i, &at);
        double least = INFINITY, value = NAN;
        for (int k = at.begin - (at.begin > 0); k < at.end && least > 0; k++) {
            double by = excess(c, values[k], references[i]);
            if (by < least || isnan(value)) value = values[k];
            least = fmin(least, by);
        }
        note(worst, least, i, value, references[i]);
    }
}

// ---- columns of text ---------------------------------------------------------------------------

// Text holds until the next row. With a time tolerance all texts within it count.
static void compare_texts(const comparison *c, const char **values, const char **references,
                          finding *worst)
{
    comparison wide = *c;
    wide.same = fmax(c->same, c->options.time);
    rows at = {0};
    for (int i = 0; i < c->reference->n_rows; i++) {
        move_rows(&wide, i, &at);
        bool is_between = at.begin == at.end;
        if (is_between && (at.begin == 0 || at.begin == c->n)) continue; // reported for all columns
        int first = at.begin - (at.begin > 0 && (is_between || c->options.time > 0));
        int usual = is_between ? first : at.same_number;
        bool differs = strcmp(values[usual], references[i]) != 0;
        for (int k = first; differs && k < at.end; k++)
            differs = strcmp(values[k], references[i]) != 0;
        if (differs && worst->excess == 0) {
            worst->text = values[usual];
            worst->reference_text = references[i];
        }
        note(worst, differs ? INFINITY : 0, i, NAN, NAN);
    }
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

static void report_difference(const comparison *c, const char *name, const finding *worst)
{
    double t = c->t_reference[worst->row];
    if (worst->text) {
        takt_log_write(c->log, TAKT_LEVEL_WARN,
                       "%s differs in %d of %d rows, first at t = %s s: \"%s\", reference \"%s\"",
                       name, worst->n_differing, worst->n_compared, shown(t).text, worst->text,
                       worst->reference_text);
        return;
    }
    double allowed = c->options.absolute + c->options.relative * fabs(worst->reference);
    takt_log_write(c->log, TAKT_LEVEL_WARN,
                   "%s differs in %d of %d rows, most at t = %s s: %s, reference %s, allowed "
                   "difference %s",
                   name, worst->n_differing, worst->n_compared, shown(t).text,
                   shown(worst->value).text, shown(worst->reference).text, shown(allowed).text);
}

static void find_outside(comparison *c)
{
    for (int i = c->reference->n_rows - 1; i >= 0; i--) {
        if (is_covered(c, c->t_reference[i])) continue;
        c->n_outside++;
        c->first_outside = i;
    }
    if (c->n_outside == 0) return;
    if (c->n == 0)
        takt_log_write(c->log, TAKT_LEVEL_WARN, "%s has no rows", c->result->file);
    else
        takt_log_write(c->log, TAKT_LEVEL_WARN,
                       "%s covers only t = %s s to %s s; %d of %d rows of the reference lie "
                       "outside, the first at t = %s s",
                       c->result->file, shown(c->t[0]).text, shown(c->t[c->n - 1]).text,
                       c->n_outside, c->reference->n_rows,
                       shown(c->t_reference[c->first_outside]).text);
}

// ---- all columns -------------------------------------------------------------------------------

// A difference that has no size; `row` is of the reference.
static finding total_difference(const takt_table_column *reference, int row)
{
    double number = reference->numbers ? reference->numbers[row] : NAN;
    return (finding){.excess = INFINITY, .row = row, .value = NAN, .reference = number};
}

// Reads a column of "true" and "false" as numbers into `room`. False: it is none.
static bool read_booleans(const takt_table_column *column, int n, double *room,
                          takt_table_column *out)
{
    for (int i = 0; i < n; i++) {
        if (!column->texts) return false;
        room[i] = strcasecmp(column->texts[i], "true") == 0;
        if (room[i] == 0 && strcasecmp(column->texts[i], "false") != 0) return false;
    }
    *out = (takt_table_column){
        .name = column->name, .unit = column->unit, .type = "Boolean", .numbers = room};
    return n > 0;
}

// Values of types that are not continuous hold until the next row, where a side file gives the type.
static bool is_held(const takt_table_column *column)
{
    return column->type && strncmp(column->type, "Float", 5) != 0;
}

static finding compare_values(const comparison *given, const takt_table_column *value,
                              const takt_table_column *reference)
{
    finding worst = {0};
    comparison copy = *given;
    const comparison *c = &copy;
    copy.holds = is_held(value) || is_held(reference);
    if (!value->texts != !reference->texts) {
        takt_log_write(c->log, TAKT_LEVEL_WARN, "%s holds %s in %s, but %s in %s", value->name,
                       value->texts ? "text" : "numbers", c->result->file,
                       value->texts ? "numbers" : "text", c->reference->file);
        return total_difference(reference, 0);
    }
    if (value->texts)
        compare_texts(c, value->texts, reference->texts, &worst);
    else if (c->options.time > 0 && c->holds)
        compare_held(c, value->numbers, reference->numbers, &worst);
    else if (c->options.time > 0)
        compare_window(c, value->numbers, reference->numbers, &worst);
    else
        compare_exact(c, value->numbers, reference->numbers, &worst);
    if (worst.n_differing) report_difference(c, value->name, &worst);
    return worst;
}

// Compares a column that both have.
static finding compare_column(const comparison *c, const takt_table_column *value,
                              const takt_table_column *reference)
{
    takt_table_column numbers[2];
    if (!value->texts != !reference->texts) {
        // Booleans are numbers in our results, but words in those of other programs.
        if (read_booleans(value, c->n, c->booleans, &numbers[0])) value = &numbers[0];
        if (read_booleans(reference, c->reference->n_rows, c->booleans + c->n, &numbers[1]))
            reference = &numbers[1];
    }
    return compare_values(c, value, reference);
}

// Finds a column of the result. References of single FMUs often name variables only, where the result
// has the instance in front, the same in all columns.
static int find_column(const comparison *c, const char *name)
{
    int found = takt_map_find(&c->result->names, name);
    if (found >= 0 || c->instance == 0) return found;
    memcpy(c->name + c->instance, name, strlen(name) + 1);
    return takt_map_find(&c->result->names, c->name);
}

// Makes room for names behind that of the instance, if all columns of the result begin with one.
static bool prepare_names(comparison *c)
{
    const char *first = c->result->n_columns > 1 ? c->result->columns[1].name : "";
    const char *dot = strchr(first, '.');
    size_t length = dot ? (size_t)(dot - first) + 1 : 0, longest = 0;
    for (int i = 1; i < c->result->n_columns; i++)
        if (strncmp(c->result->columns[i].name, first, length) != 0) length = 0;
    for (int i = 1; i < c->reference->n_columns; i++) {
        size_t size = strlen(c->reference->columns[i].name);
        if (size > longest) longest = size;
    }
    c->name = malloc(length + longest + 1);
    if (c->name) memcpy(c->name, first, length);
    c->instance = length;
    return c->name != NULL;
}

// Compares a column of the reference, which the result may lack.
static finding judge_column(const comparison *c, const takt_table_column *reference)
{
    int found = find_column(c, reference->name);
    if (found < 0) {
        takt_log_write(c->log, TAKT_LEVEL_WARN, "%s is missing in %s", reference->name,
                       c->result->file);
        return total_difference(reference, 0);
    }
    // Without rows the result's columns have no kind.
    finding worst = {0};
    if (c->n) worst = compare_column(c, &c->result->columns[found], reference);
    if (worst.excess <= 1 && c->n_outside) worst = total_difference(reference, c->first_outside);
    return worst;
}

static void compare_columns(const comparison *c, takt_comparison *out)
{
    double most = 1;
    out->n_columns = c->reference->n_columns - 1;
    for (int i = 1; i < c->reference->n_columns; i++) {
        const takt_table_column *reference = &c->reference->columns[i];
        finding worst = judge_column(c, reference);
        if (worst.excess <= 1) continue;
        out->n_differing++;
        if (worst.excess <= most) continue;
        most = worst.excess;
        snprintf(out->worst, sizeof out->worst, "%s", reference->name);
        out->time = c->t_reference[worst.row];
        out->value = worst.value;
        out->reference = worst.reference;
    }
    for (int i = 1; i < c->result->n_columns; i++)
        if (takt_map_find(&c->reference->names, c->result->columns[i].name) < 0)
            takt_log_write(c->log, TAKT_LEVEL_INFO, "%s is not in the reference",
                           c->result->columns[i].name);
    takt_log_write(
        c->log, TAKT_LEVEL_INFO,
        "%d of %d columns agree (rows: %d; tolerances: relative %s, absolute %s, time %s s)",
        out->n_columns - out->n_differing, out->n_columns, out->n_rows,
        shown(c->options.relative).text, shown(c->options.absolute).text,
        shown(c->options.time).text);
}

static takt_status compare_tables(const takt_table *result, const takt_table *reference,
                                  const takt_compare_options *options, takt_log *log,
                                  takt_comparison *out, takt_error *err)
{
    if (reference->n_rows == 0 || reference->n_columns == 1)
        return takt_fail(err, TAKT_ERR_INPUT, "%s: the reference has no %s to compare with",
                         reference->file, reference->n_rows ? "columns" : "rows");
    comparison c = {.result = result,
                    .reference = reference,
                    .t = result->columns[0].numbers,
                    .t_reference = reference->columns[0].numbers,
                    .n = result->n_rows,
                    .options = *options,
                    .log = log};
    if (c.n) c.same = SAME_TIME * (c.t[c.n - 1] - c.t[0]);
    c.queue = calloc(2 * (size_t)c.n + 1, sizeof *c.queue);
    c.booleans = calloc((size_t)c.n + (size_t)reference->n_rows + 1, sizeof *c.booleans);
    bool ok = c.queue && c.booleans && prepare_names(&c);
    takt_status st = ok ? TAKT_OK : takt_fail_memory(err);
    if (!st) {
        *out = (takt_comparison){.n_rows = reference->n_rows};
        find_outside(&c);
        compare_columns(&c, out);
    }
    free(c.queue);
    free(c.booleans);
    free(c.name);
    return st;
}

// Is it a tolerance: finite and not negative?
static bool is_tolerance(double value)
{
    return value >= 0 && isfinite(value);
}

takt_status takt_compare(const char *result, const char *reference,
                         const takt_compare_options *options, takt_log *log, takt_comparison *out,
                         takt_error *err)
{
    takt_compare_options usual = takt_compare_options_default();
    if (!options) options = &usual;
    if (!result || !reference || !out)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_compare: an argument is NULL");
    if (!is_tolerance(options->relative) || !is_tolerance(options->absolute) ||
        !is_tolerance(options->time))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "tolerances must be finite and not negative: relative %s, absolute %s, "
                         "time %s",
                         shown(options->relative).text, shown(options->absolute).text,
                         shown(options->time).text);
    takt_table *a = NULL, *b = NULL;
    takt_status st = takt_results_read(result, log, &a, err);
    if (!st) st = takt_results_read(reference, log, &b, err);
    if (!st) st = compare_tables(a, b, options, log, out, err);
    takt_table_destroy(a);
    takt_table_destroy(b);
    return st;
}
