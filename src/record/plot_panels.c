// SPDX-License-Identifier: MIT
// Chooses the columns of a plot and arranges them in panels; see plot_panels.h.
#include "record/plot_panels.h"

#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

enum { MAX_COLUMNS = 120 }; // more cannot be distinguished in a picture

typedef struct chooser {
    const takt_table *table;
    const takt_plot_options *options;
    takt_panel_list *out;
    int *shown; // columns
    int n_shown;
    takt_map keys; // of panels
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
        if (column->numbers)
            c->shown[c->n_shown++] = i;
        else
            takt_log_write(log, TAKT_LEVEL_WARN, "%s holds text and is not shown", column->name);
    }
    if (st) return st;
    if (c->n_shown == 0)
        return takt_fail(c->err, TAKT_ERR_INPUT, "%s has no numbers to show", c->table->file);
    if (c->n_shown > MAX_COLUMNS)
        return takt_fail(c->err, TAKT_ERR_USAGE,
                         "%s: %d columns are too many for a picture, %d are possible; choose some "
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

// What the columns of a panel have in common, in the arena; NULL when memory is exhausted.
static const char *key_of(const chooser *c, takt_panels by, int i)
{
    const takt_table_column *column = &c->table->columns[c->shown[i]];
    const char *dot = strchr(column->name, '.');
    const char *variable = dot ? dot + 1 : column->name;
    size_t length;
    switch (by) {
    case TAKT_PANELS_UNIT: return column->unit ? column->unit : "";
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
    if (at < 0) {
        at = out->n_panels++;
        int *columns = takt_arena_array(&out->arena, (size_t)c->n_shown, sizeof *columns);
        if (!columns || !takt_map_add(&c->keys, key, at)) return false;
        out->panels[at] = (takt_panel){.heading = key, .columns = columns};
    }
    takt_panel *panel = &out->panels[at];
    const char *unit = c->table->columns[c->shown[i]].unit;
    bool is_same = panel->n_columns == 0 || (unit && panel->unit && !strcmp(unit, panel->unit));
    panel->unit = is_same ? unit : NULL;
    panel->columns[panel->n_columns++] = c->shown[i];
    return true;
}

static takt_status arrange(chooser *c)
{
    takt_panel_list *out = c->out;
    takt_panels by = resolve_auto(c);
    out->n_columns = c->n_shown;
    out->panels = takt_arena_array(&out->arena, (size_t)c->n_shown, sizeof *out->panels);
    bool ok = out->panels != NULL;
    for (int i = 0; i < c->n_shown && ok; i++) {
        const char *key = key_of(c, by, i);
        ok = key && add_to_panel(c, key, i);
    }
    for (int i = 0; ok && by == TAKT_PANELS_UNIT && i < out->n_panels; i++)
        out->panels[i].heading = ""; // the unit is shown anyway
    return ok ? TAKT_OK : takt_fail_memory(c->err);
}

takt_status takt_panels_choose(const takt_table *table, const takt_plot_options *options,
                               takt_log *log, takt_panel_list *out, takt_error *err)
{
    *out = (takt_panel_list){0};
    chooser c = {.table = table, .options = options, .out = out, .err = err};
    takt_status st = choose(&c, log);
    if (!st) st = arrange(&c);
    takt_map_clear(&c.keys);
    return st;
}

void takt_panels_clear(takt_panel_list *list)
{
    takt_arena_clear(&list->arena);
}
