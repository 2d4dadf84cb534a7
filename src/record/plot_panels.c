// SPDX-License-Identifier: MIT
// Chooses the columns of a plot and arranges them in panels; see plot_panels.h.
#include "record/plot_panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

enum {
    MAX_COLUMNS = 2000,
    MAX_LINES = 14,
    LONGEST_HEADING = 60
}; // of a picture; of a panel; bytes
static const char LANES[] = "\001lanes"; // key of the panel with whole numbers

typedef struct chooser {
    const takt_plot_data *data;
    const takt_table *table; // of it
    const takt_plot_options *options;
    takt_panel_list *out;
    int *shown; // columns
    int n_shown;
    takt_map keys; // of panels
    int *classes; // of size, per column that is shown
    int *more; // per panel: the one in which it goes on; 0: none
    takt_error *err;
} chooser;

// ---- choosing ------------------------------------------------------------------------------------

static const char *column_name(void *context, int i)
{
    return ((const takt_table *)context)->columns[i + 1].name;
}

static bool is_wanted(const takt_plot_options *options, const char *name)
{
    for (int i = 0; i < options->n_columns; i++)
        if (takt_glob_matches(options->columns[i], name)) return true;
    return options->n_columns == 0;
}

static takt_status check_patterns(const chooser *c)
{
    for (int i = 0; i < c->options->n_columns; i++) {
        const char *pattern = c->options->columns[i];
        bool is_used = false;
        for (int k = 1; k < c->table->n_columns && !is_used; k++)
            is_used = takt_glob_matches(pattern, c->table->columns[k].name);
        if (is_used) continue;
        const char *nearest =
            takt_text_nearest(pattern, c->table->n_columns - 1, column_name, (void *)c->table);
        return takt_fail(c->err, TAKT_ERR_USAGE, "%s has no column '%s'%s%s%s", c->table->file,
                         pattern, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                         nearest ? "'?" : "");
    }
    return TAKT_OK;
}

static takt_status choose(chooser *c, takt_log *log)
{
    takt_status st = check_patterns(c);
    c->shown = takt_arena_array(&c->out->arena, (size_t)c->table->n_columns, sizeof *c->shown);
    if (!st && !c->shown) st = takt_fail_memory(c->err);
    for (int i = 1; i < c->table->n_columns && !st; i++) {
        const takt_table_column *column = &c->table->columns[i];
        if (!is_wanted(c->options, column->name)) continue;
        int x = takt_plot_data_x_of(c->data, i);
        if (c->data->x_column && (x == i || x == 0)) continue;
        if (c->data->reference && c->data->reference_of[i] < 0)
            takt_log_write(log, TAKT_LEVEL_WARN,
                           "%s is no column of numbers in %s and is not shown", column->name,
                           c->data->less);
        else if (column->numbers)
            c->shown[c->n_shown++] = i;
        else
            takt_log_write(log, TAKT_LEVEL_WARN, "%s holds text and is not shown", column->name);
    }
    if (st) return st;
    if (c->n_shown == 0)
        return takt_fail(c->err, TAKT_ERR_INPUT, "%s has no numbers to show", c->table->file);
    if (c->n_shown > MAX_COLUMNS)
        return takt_fail(c->err, TAKT_ERR_USAGE,
                         "%s: %d columns are too many for pictures, %d are possible; choose some "
                         "by their names, as --column 'Tank.*'",
                         c->table->file, c->n_shown, MAX_COLUMNS);
    return TAKT_OK;
}

// ---- panels ------------------------------------------------------------------------------------

static takt_panels resolve_auto(const chooser *c)
{
    if (c->options->panels != TAKT_PANELS_AUTO) return c->options->panels;
    for (int i = 0; i < c->n_shown; i++)
        if (c->table->columns[c->shown[i]].unit) return TAKT_PANELS_UNIT;
    return TAKT_PANELS_NAME;
}

// Whole numbers go up and down in lanes of their own.
static bool has_lane(const chooser *c, int column)
{
    return c->data->ranges[column].is_whole && !c->table->columns[column].unit &&
           !c->data->x_column;
}

/// A column that may share a panel with others of the same kind.
typedef struct sized {
    const char *kind; // its unit; "": none
    double size; // largest magnitude, of all columns of its name
    int i; // index in the list of those that are shown
} sized;

static int compare_sizes(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    int difference = strcmp(x->kind, y->kind);
    if (difference) return difference;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

static double size_of(const chooser *c, int column)
{
    const takt_plot_range *range = &c->data->ranges[column];
    return range->low > range->high ? 0 : fmax(fabs(range->low), fabs(range->high));
}

// The columns of one name, of several files, are compared, so that they have one size. false: out of memory.
static bool find_sizes(const chooser *c, sized *list)
{
    takt_map names = {0};
    bool ok = true;
    for (int i = 0; i < c->n_shown && ok; i++) {
        const takt_table_column *column = &c->table->columns[c->shown[i]];
        int first = takt_map_find(&names, column->name);
        const char *unit = column->unit ? column->unit : "";
        list[i] = (sized){has_lane(c, c->shown[i]) ? LANES : unit, size_of(c, c->shown[i]), i};
        if (first < 0)
            ok = takt_map_add(&names, column->name, i);
        else
            list[first].size = fmax(list[first].size, list[i].size);
    }
    for (int i = 0; i < c->n_shown && ok; i++)
        list[i].size = list[takt_map_find(&names, c->table->columns[c->shown[i]].name)].size;
    takt_map_clear(&names);
    return ok;
}

// A line that is fifty times as large as another one hides it: columns of the same unit are put in classes of similar size.
static bool classify(chooser *c)
{
    static const double HIDDEN = 0.02;
    sized *list = takt_arena_array(&c->out->arena, (size_t)c->n_shown, sizeof *list);
    c->classes = takt_arena_array(&c->out->arena, (size_t)c->n_shown, sizeof *c->classes);
    if (!list || !c->classes || !find_sizes(c, list)) return false;
    qsort(list, (size_t)c->n_shown, sizeof *list, compare_sizes);
    int class = 0;
    double largest = 0;
    for (int k = 0; k < c->n_shown; k++) {
        bool is_first = k == 0 || strcmp(list[k].kind, list[k - 1].kind) != 0;
        if (is_first) class = 0;
        if (!is_first && list[k].size > 0 && list[k].size < HIDDEN * largest) class ++;
        if (is_first || list[k].size < HIDDEN * largest) largest = list[k].size;
        c->classes[list[k].i] = class;
    }
    return true;
}

static const char *key_of_unit(const chooser *c, int i)
{
    const char *unit = c->table->columns[c->shown[i]].unit;
    // Who asks for one panel per unit gets that.
    if (unit && c->options->panels == TAKT_PANELS_UNIT) return unit;
    return takt_arena_print(&c->out->arena, "%s\001%d", unit ? unit : "", c->classes[i]);
}

// What the columns of a panel have in common, in the arena; NULL when memory is exhausted.
static const char *key_of(const chooser *c, takt_panels by, int i)
{
    const takt_table_column *column = &c->table->columns[c->shown[i]];
    const char *dot = strchr(column->name, '.');
    const char *variable = dot ? dot + 1 : column->name;
    size_t length;
    bool is_free = c->options->panels == TAKT_PANELS_AUTO || by == TAKT_PANELS_UNIT;
    if (is_free && has_lane(c, c->shown[i])) return LANES;
    switch (by) {
    case TAKT_PANELS_UNIT: return key_of_unit(c, i);
    case TAKT_PANELS_EACH: return column->name;
    case TAKT_PANELS_COMPONENT:
        length = dot ? (size_t)(dot - column->name) : 0;
        return takt_arena_copy_n(&c->out->arena, column->name, length);
    case TAKT_PANELS_NAME:
        length = strcspn(variable, "["); // elements of an array belong together
        return takt_arena_copy_n(&c->out->arena, variable, length ? length : strlen(variable));
    default: return "";
    }
}

static bool add_to_panel(chooser *c, const char *key, int i)
{
    takt_panel_list *out = c->out;
    int at = takt_map_find(&c->keys, key);
    // A panel that is full goes on in another one.
    while (at >= 0 && c->more[at]) at = c->more[at];
    bool is_full =
        at >= 0 && c->options->panels != TAKT_PANELS_ONE && out->panels[at].n_columns >= MAX_LINES;
    if (at < 0 || is_full) {
        bool is_first = at < 0;
        if (is_full) c->more[at] = out->n_panels;
        at = out->n_panels++;
        int n = c->n_shown;
        if (c->options->panels != TAKT_PANELS_ONE && n > MAX_LINES) n = MAX_LINES;
        int *columns = takt_arena_array(&out->arena, (size_t)n, sizeof *columns);
        if (!columns || (is_first && !takt_map_add(&c->keys, key, at))) return false;
        out->panels[at] = (takt_panel){.heading = key, .columns = columns};
    }
    takt_panel *panel = &out->panels[at];
    const char *unit = c->table->columns[c->shown[i]].unit;
    bool is_same = panel->n_columns == 0 || (unit && panel->unit && !strcmp(unit, panel->unit));
    panel->unit = is_same ? unit : NULL;
    panel->columns[panel->n_columns++] = c->shown[i];
    return true;
}

// The names of the variables in a panel, each once.
static const char *name_quantities(const chooser *c, const takt_panel *panel)
{
    const char *all = "";
    for (int i = 0; i < panel->n_columns && all && strlen(all) < LONGEST_HEADING; i++) {
        const char *name = c->table->columns[panel->columns[i]].name, *dot = strrchr(name, '.');
        const char *variable = dot && dot[1] ? dot + 1 : name;
        size_t length = strcspn(variable, "[");
        bool is_known = false;
        for (int k = 0; k < i && !is_known; k++) {
            const char *other = c->table->columns[panel->columns[k]].name,
                       *at = strrchr(other, '.');
            other = at && at[1] ? at + 1 : other;
            is_known = strcspn(other, "[") == length && strncmp(other, variable, length) == 0;
        }
        if (!is_known)
            all = takt_arena_print(&c->out->arena, "%s%s%.*s", all, *all ? ", " : "", (int)length,
                                   variable);
    }
    return all;
}

static bool is_strip(const chooser *c, const takt_panel *panel)
{
    for (int i = 0; i < panel->n_columns; i++)
        if (!has_lane(c, panel->columns[i])) return false;
    return true;
}

static takt_status arrange(chooser *c)
{
    takt_panel_list *out = c->out;
    takt_panels by = resolve_auto(c);
    out->n_columns = c->n_shown;
    out->panels = takt_arena_array(&out->arena, (size_t)c->n_shown, sizeof *out->panels);
    c->more = takt_arena_array(&out->arena, (size_t)c->n_shown, sizeof *c->more);
    bool ok = out->panels && c->more && classify(c);
    for (int i = 0; i < c->n_shown && ok; i++) {
        const char *key = key_of(c, by, i);
        ok = key && add_to_panel(c, key, i);
    }
    for (int i = 0; ok && i < out->n_panels; i++) {
        if (by != TAKT_PANELS_UNIT && out->panels[i].heading != LANES) continue;
        out->panels[i].heading = name_quantities(c, &out->panels[i]); // the unit is shown anyway
        ok = out->panels[i].heading != NULL;
    }
    for (int i = 0; i < out->n_panels && ok; i++)
        out->panels[i].is_strip = is_strip(c, &out->panels[i]);
    return ok ? TAKT_OK : takt_fail_memory(c->err);
}

takt_status takt_panels_choose(const takt_plot_data *data, const takt_plot_options *options,
                               takt_log *log, takt_panel_list *out, takt_error *err)
{
    *out = (takt_panel_list){0};
    chooser c = {.data = data, .table = data->table, .options = options, .out = out, .err = err};
    takt_status st = choose(&c, log);
    if (!st) st = arrange(&c);
    takt_map_clear(&c.keys);
    return st;
}

void takt_panels_clear(takt_panel_list *list)
{
    takt_arena_clear(&list->arena);
}
