// SPDX-License-Identifier: MIT
// The report of a run that the page asks for.
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "support.h"
#include "ui_run.h"

static json_t *worries_of(const ui_run *run)
{
    json_t *list = json_array();
    const json_t *one;
    size_t i;
    json_array_foreach(run->messages, i, one)
    {
        const char *level = json_string_value(json_object_get(one, "level"));
        if (level && (strcmp(level, "warn") == 0 || strcmp(level, "error") == 0))
            json_array_append(list, (json_t *)(size_t)one);
    }
    return list;
}

static cli_report_column *columns_of(const ui_rows *rows)
{
    cli_report_column *columns = calloc((size_t)rows->n_columns + 1, sizeof *columns);
    for (int i = 0; columns && i < rows->n_columns; i++) {
        const ui_column *c = &rows->columns[i];
        columns[i] = cli_report_column_begin(c->name, c->unit);
        for (size_t row = 0; row < rows->n; row++)
            cli_report_column_add(&columns[i], c->values[row]);
    }
    return columns;
}

// What belongs to the thread of the run is free once that is over.
takt_status ui_run_report(ui_run *run, char **out, takt_error *err)
{
    if (!ui_run_is_over(run) || !run->system || !run->statistics)
        return cli_fail(err, TAKT_ERR_USAGE, "a report is made of a run that has begun and ended");
    ui_text command = {0};
    ui_text_print(&command, "takt run %s", run->name);
    json_t *messages = worries_of(run);
    cli_report_column *columns = columns_of(&run->rows);
    const cli_report report = {.file = run->name,
                               .project = run->project,
                               .system = run->system,
                               .statistics = run->statistics,
                               .results = run->results,
                               .columns = columns,
                               .n_columns = columns ? run->rows.n_columns : 0,
                               .messages = messages,
                               .command = command.data};
    takt_status st = cli_report_make(&report, out, err);
    free(ui_text_take(&command));
    free(columns);
    json_decref(messages);
    return st;
}
