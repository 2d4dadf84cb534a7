// SPDX-License-Identifier: MIT
// Which values the variants of a sweep have; see sweep_plan.h. Values are made when they are asked for, from the number of the variant
// alone, so that every process and every repetition finds the same ones.
#include "sweep_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { MAX_VARIANTS = 100 * 1000 * 1000 };

// ---- one range ---------------------------------------------------------------------------------

static char *keep_text(sweep_plan *plan, const char *text, size_t length)
{
    if (!cli_grow(&plan->texts, plan->n_texts, &plan->text_capacity, sizeof *plan->texts))
        return NULL;
    char *copy = strndup(text, length);
    if (copy) plan->texts[plan->n_texts++] = copy;
    return copy;
}

static takt_status add_range(sweep_plan *plan, const sweep_range *range, takt_error *err)
{
    if (!*range->name)
        return cli_fail(err, TAKT_ERR_USAGE, "%s: the name of the value is missing", range->place);
    for (int i = 0; i < plan->n_columns; i++)
        if (strcmp(plan->ranges[i].name, range->name) == 0)
            return cli_fail(err, TAKT_ERR_USAGE, "%s: '%s' is varied twice, also by %s",
                            range->place, range->name, plan->ranges[i].place);
    if (!cli_grow(&plan->ranges, plan->n_columns, &plan->range_capacity, sizeof *plan->ranges))
        return cli_fail_memory(err);
    plan->ranges[plan->n_columns++] = *range;
    return TAKT_OK;
}

static takt_status read_bound(const sweep_range *range, const char *text, double *out,
                              takt_error *err)
{
    if (takt_number_read(text, text + strlen(text), out) && isfinite(*out)) return TAKT_OK;
    return cli_fail(err, TAKT_ERR_USAGE,
                    "%s: '%s' is not a number; write FROM:TO:N, such as 1:10:5", range->place,
                    text);
}

// How many points, and whether with equal ratios; NULL or "": not said.
static takt_status read_points(sweep_range *range, const char *n, const char *scale,
                               takt_error *err)
{
    double count = 0;
    if (n && *n) {
        if (!takt_number_read(n, n + strlen(n), &count) || count < 1 || count != floor(count) ||
            count > MAX_VARIANTS)
            return cli_fail(err, TAKT_ERR_USAGE, "%s: '%s' is not a number of points from 1 on",
                            range->place, n);
        range->n = (int64_t)count;
    }
    range->is_log = scale && strcmp(scale, "log") == 0;
    if (scale && *scale && !range->is_log && strcmp(scale, "linear") != 0)
        return cli_fail(err, TAKT_ERR_USAGE, "%s: '%s' is neither linear nor log", range->place,
                        scale);
    if (range->is_log && !(range->from * range->to > 0))
        return cli_fail(err, TAKT_ERR_USAGE,
                        "%s: a range with 'log' must not reach or cross 0, as %g:%g does",
                        range->place, range->from, range->to);
    if (range->n == 1 && range->from != range->to)
        return cli_fail(err, TAKT_ERR_USAGE,
                        "%s: one point cannot cover the range from %g to %g; write two, or one "
                        "value",
                        range->place, range->from, range->to);
    return TAKT_OK;
}

// "1,2,5": a list.
static takt_status read_list(sweep_plan *plan, sweep_range *range, char *text, takt_error *err)
{
    int capacity = 0;
    takt_status st = TAKT_OK;
    for (char *next = text; next && !st;) {
        char *value = next;
        next = strchr(value, ',');
        if (next) *next++ = 0;
        if (!*value)
            st = cli_fail(err, TAKT_ERR_USAGE, "%s: a value of '%s' is missing", range->place,
                          range->name);
        else if (!cli_grow(&range->values, (int)range->n, &capacity, sizeof *range->values))
            st = cli_fail_memory(err);
        else
            range->values[range->n++] = value;
    }
    if (!st) st = add_range(plan, range, err);
    if (st) free(range->values);
    return st;
}

// "Tank.k=1:10:5", "Tank.k=1:10:5:log", "Tank.k=1:10" or "Tank.k=1,2,5".
static takt_status read_vary(sweep_plan *plan, const char *given, takt_error *err)
{
    const char *equals = strchr(given, '=');
    if (!equals || !equals[1])
        return cli_fail(err, TAKT_ERR_USAGE,
                        "--vary %s: write NAME=FROM:TO:N, such as Tank.k=1:10:5", given);
    char *name = keep_text(plan, given, (size_t)(equals - given));
    char *text = keep_text(plan, equals + 1, strlen(equals + 1));
    char label[256];
    snprintf(label, sizeof label, "--vary %s", given);
    char *shown = keep_text(plan, label, strlen(label));
    if (!name || !text || !shown) return cli_fail_memory(err);
    sweep_range range = {.name = name, .place = shown};
    if (!strchr(text, ':')) return read_list(plan, &range, text, err);
    char *parts[4] = {text};
    int n_parts = 1;
    for (char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        if (n_parts == 4)
            return cli_fail(err, TAKT_ERR_USAGE, "%s: has too many parts; write FROM:TO:N",
                            range.place);
        *colon = 0;
        parts[n_parts++] = colon + 1;
    }
    takt_status st = read_bound(&range, parts[0], &range.from, err);
    if (!st) st = read_bound(&range, parts[1], &range.to, err);
    if (!st) st = read_points(&range, parts[2], parts[3], err);
    return st ? st : add_range(plan, &range, err);
}

// ---- tables ------------------------------------------------------------------------------------

// A table whose columns are name, from, to (and n, scale) has ranges.
static bool has_ranges(const cli_table *table)
{
    return cli_table_find(table, "name") >= 0 && cli_table_find(table, "from") >= 0 &&
           cli_table_find(table, "to") >= 0;
}

static takt_status read_ranges(sweep_plan *plan, takt_error *err)
{
    static const char *const known[] = {"name", "from", "to", "n", "scale"};
    const cli_table *table = &plan->table;
    int columns[5], n_known = 0;
    for (int i = 0; i < 5; i++) n_known += (columns[i] = cli_table_find(table, known[i])) >= 0;
    if (n_known < table->n_columns)
        return cli_fail(err, TAKT_ERR_INPUT,
                        "%s:1: a table of ranges has the columns name, from, to, n, scale, and no "
                        "others",
                        plan->path);
    takt_status st = TAKT_OK;
    for (int row = 0; row < table->n_rows && !st; row++) {
        const char *cells[5];
        for (int i = 0; i < 5; i++)
            cells[i] = columns[i] < 0 ? "" : cli_table_cell(table, row, columns[i]);
        char label[512];
        snprintf(label, sizeof label, "%s:%d", plan->path, table->lines[row]);
        sweep_range range = {.name = cells[0], .place = keep_text(plan, label, strlen(label))};
        if (!range.place) return cli_fail_memory(err);
        st = read_bound(&range, cells[1], &range.from, err);
        if (!st) st = read_bound(&range, cells[2], &range.to, err);
        if (!st) st = read_points(&range, cells[3], cells[4], err);
        if (!st) st = add_range(plan, &range, err);
        if (st == TAKT_ERR_USAGE) err->status = st = TAKT_ERR_INPUT;
    }
    return st;
}

static takt_status read_table(sweep_plan *plan, const sweep_plan_options *options, takt_error *err)
{
    takt_status st = cli_table_read(plan->path, false, &plan->table, err);
    if (st) return st;
    if (has_ranges(&plan->table)) return read_ranges(plan, err);
    if (options->n_vary || options->n_samples)
        return cli_fail(err, TAKT_ERR_USAGE,
                        "%s has the variants themselves, so --%s cannot be used; a table of ranges "
                        "has the columns name, from, to, n",
                        plan->path, options->n_vary ? "vary" : "sample");
    plan->n_columns = plan->table.n_columns;
    plan->n_variants = plan->table.n_rows;
    for (int row = 0; row < plan->table.n_rows; row++)
        for (int i = 0; i < plan->n_columns; i++)
            if (!*cli_table_cell(&plan->table, row, i))
                return cli_fail(err, TAKT_ERR_INPUT, "%s:%d: the value of '%s' is missing",
                                plan->path, plan->table.lines[row], plan->table.header[i]);
    if (plan->n_variants > 0) return TAKT_OK;
    return cli_fail(err, TAKT_ERR_INPUT, "%s: has no variants, only the names of its columns",
                    plan->path);
}

// ---- plan --------------------------------------------------------------------------------------

static takt_status count_grid(sweep_plan *plan, takt_error *err)
{
    plan->n_variants = 1;
    for (int i = 0; i < plan->n_columns; i++) {
        const sweep_range *range = &plan->ranges[i];
        if (range->n == 0)
            return cli_fail(err, TAKT_ERR_USAGE,
                            "%s: how many points? Write FROM:TO:N, or draw samples with --sample N",
                            range->place);
        if (range->n > MAX_VARIANTS / plan->n_variants)
            return cli_fail(err, TAKT_ERR_USAGE, "the grid has more than %d variants",
                            MAX_VARIANTS);
        plan->n_variants *= range->n;
    }
    return TAKT_OK;
}

static takt_status begin_samples(sweep_plan *plan, const sweep_plan_options *options,
                                 takt_error *err)
{
    for (int i = 0; i < plan->n_columns; i++)
        if (plan->ranges[i].values || plan->ranges[i].n)
            return cli_fail(err, TAKT_ERR_USAGE,
                            "%s: --sample draws from whole ranges: write FROM:TO",
                            plan->ranges[i].place);
    plan->is_sampled = true;
    plan->n_variants = options->n_samples;
    if (plan->n_variants > MAX_VARIANTS)
        return cli_fail(err, TAKT_ERR_USAGE, "--sample: at most %d variants", MAX_VARIANTS);
    return sweep_sample_init(&plan->sample, options->method, options->seed, options->n_samples,
                             plan->n_columns, err);
}

takt_status sweep_plan_open(sweep_plan *plan, const sweep_plan_options *options, takt_error *err)
{
    *plan = (sweep_plan){.path = options->path};
    takt_status st = options->path ? read_table(plan, options, err) : TAKT_OK;
    for (int i = 0; i < options->n_vary && !st; i++) st = read_vary(plan, options->vary[i], err);
    if (st || plan->n_variants) return st;
    if (plan->n_columns == 0)
        return cli_fail(err, TAKT_ERR_USAGE,
                        "nothing is varied: give a table of variants (takt sweep PLAN PROJECT), or "
                        "--vary NAME=FROM:TO:N");
    return options->n_samples ? begin_samples(plan, options, err) : count_grid(plan, err);
}

void sweep_plan_clear(sweep_plan *plan)
{
    for (int i = 0; i < plan->n_columns && plan->ranges; i++) free(plan->ranges[i].values);
    for (int i = 0; i < plan->n_texts; i++) free(plan->texts[i]);
    free(plan->ranges);
    free(plan->texts);
    cli_table_clear(&plan->table);
    sweep_sample_clear(&plan->sample);
}

const char *sweep_plan_name(const sweep_plan *plan, int column)
{
    return plan->ranges ? plan->ranges[column].name : plan->table.header[column];
}

int sweep_plan_line(const sweep_plan *plan, int64_t variant)
{
    return plan->ranges ? 0 : plan->table.lines[variant];
}

// The value at `share` (0 to 1) of the way.
static double along(const sweep_range *range, double share)
{
    if (share == 0) return range->from;
    if (share == 1) return range->to;
    if (range->is_log)
        return range->from * exp(share * log(range->to / range->from)); // the signs are equal
    return range->from + share * (range->to - range->from);
}

// Every whole number of the range is drawn equally often.
static double sample_integer(const sweep_range *range, double share)
{
    double least = ceil(fmin(range->from, range->to)), most = floor(fmax(range->from, range->to));
    return fmin(least + floor(share * (most - least + 1)), most);
}

const char *sweep_plan_value(const sweep_plan *plan, int64_t variant, int column,
                             char room[TAKT_NUMBER_SIZE])
{
    if (!plan->ranges) return cli_table_cell(&plan->table, (int)variant, column);
    const sweep_range *range = &plan->ranges[column];
    double value;
    if (plan->is_sampled) {
        double share = sweep_sample_at(&plan->sample, variant, column);
        value = range->is_integer ? sample_integer(range, share) : along(range, share);
    } else {
        int64_t i = variant; // the last column runs fastest
        for (int k = plan->n_columns - 1; k > column; k--) i /= plan->ranges[k].n;
        i %= range->n;
        if (range->values) return range->values[i];
        value = range->n == 1 ? range->from : along(range, (double)i / (double)(range->n - 1));
    }
    takt_number_write(room, value);
    return room;
}
