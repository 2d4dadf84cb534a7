// SPDX-License-Identifier: MIT
// Writes the side file of results; see describe.h.
#include "record/describe.h"

#include <string.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/file.h"
#include "base/text.h"
#include "record/results.h"

static json_t *describe_column(const takt_plan *plan, int i, takt_arena *names)
{
    takt_reference ref = plan->columns[i].reference;
    const takt_component *owner = &plan->system->components[ref.component];
    const takt_variable *variable = &owner->model->variables[ref.variable];
    const char *name = takt_system_name(plan->system, ref.component, ref.variable, names);
    if (!name) return NULL;
    return json_pack("{ss ss ss ss ss ss ss* ss*}", "name", name, "component", owner->name,
                     "variable", variable->name, "type", takt_type_name(variable->type),
                     "causality", takt_causality_name(variable->causality), "variability",
                     takt_variability_name(variable->variability), "unit", variable->unit,
                     "description", variable->description);
}

static char *describe(const takt_plan *plan, const char *results)
{
    takt_arena names = {0};
    takt_json_begin();
    json_t *columns = json_array();
    // Another unit stands in the header of the results, and is not one of what they are converted to.
    bool is_s =
        plan->system->settings.output_time_unit == TAKT_TIME_S || takt_results_is_mat(results);
    int failed = json_array_append_new(columns, json_pack("{ss ss ss ss*}", "name", "time", "type",
                                                          "Float64", "causality", "independent",
                                                          "unit", is_s ? "s" : NULL));
    for (int i = 0; !failed && i < plan->n_columns; i++)
        failed = json_array_append_new(columns, describe_column(plan, i, &names));
    takt_arena_clear(&names);
    if (failed) {
        json_decref(columns);
        return NULL;
    }
    return takt_json_end(json_pack("{ss so so}", "takt", TAKT_VERSION, "results",
                                   takt_json_text(takt_path_name(results)), "columns", columns));
}

takt_status takt_results_describe(const takt_plan *plan, const char *results, takt_error *err)
{
    takt_arena arena = {0};
    const char *path = takt_results_side_file(&arena, results);
    char *text = path ? describe(plan, results) : NULL;
    takt_status st = text ? takt_file_write(path, text, strlen(text), err) : takt_fail_memory(err);
    free(text);
    takt_arena_clear(&arena);
    return st;
}
