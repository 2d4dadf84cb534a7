// SPDX-License-Identifier: MIT
// The settings that matter for the result of a run, and where each comes from: an option or the API (user), the project,
// an FMU, or nowhere (default). Only what has an effect is listed.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "system/describe.h"

/// A setting that is told.
typedef struct told_setting {
    const char *name;
    const void *field; // in the settings of the system
    const char *text, *unit; // value
    const char *origin;
} told_setting;

enum { MOST_TOLD = 12 };

typedef struct told_list {
    const takt_system *system;
    takt_arena arena;
    told_setting items[MOST_TOLD];
    int n_items;
    bool failed; // for lack of memory
} told_list;

// ---- what FMUs say -----------------------------------------------------------------------------------

typedef bool (*suggests_fn)(const takt_default_experiment *e, double value);

static bool suggests_start(const takt_default_experiment *e, double value)
{
    return e->has_start && e->start == value;
}

static bool suggests_stop(const takt_default_experiment *e, double value)
{
    return e->has_stop && e->stop == value;
}

static bool suggests_step(const takt_default_experiment *e, double value)
{
    return e->has_step && e->step == value;
}

static bool is_suggested(const takt_system *system, suggests_fn suggests, double value)
{
    for (int i = 0; i < system->n_models; i++)
        if (system->models[i] && suggests(&system->models[i]->experiment, value)) return true;
    return false;
}

// ---- the list ----------------------------------------------------------------------------------------

static void tell(told_list *list, const void *field, const char *unit, suggests_fn suggests)
{
    const takt_settings *settings = &list->system->settings;
    int index = takt_settings_index(settings, field);
    const char *text = takt_settings_text(settings, index, &list->arena);
    if (!text) list->failed = true;
    if (!text || list->n_items == MOST_TOLD) return;
    const char *origin = takt_settings_is_overridden(settings, field) ? "user"
                         : takt_settings_has(settings, field)         ? "project"
                         : suggests && is_suggested(list->system, suggests, *(const double *)field)
                             ? "FMU"
                             : "default";
    list->items[list->n_items++] = (told_setting){.name = takt_setting(index)->name,
                                                  .field = field,
                                                  .text = text,
                                                  .unit = unit,
                                                  .origin = origin};
}

static bool has_model_exchange(const takt_system *system)
{
    for (int i = 0; i < system->n_models; i++)
        if (system->models[i] && system->models[i]->type->equations) return true;
    return false;
}

static void tell_accuracy(told_list *list)
{
    const takt_settings *s = &list->system->settings;
    bool is_fixed = s->step_control == TAKT_STEP_CONTROL_FIXED;
    bool is_automatic = s->step_control == TAKT_STEP_CONTROL_AUTO;
    if (!is_automatic) tell(list, &s->step_size, " s", suggests_step);
    if (is_automatic || takt_settings_has(s, &s->tolerance)) tell(list, &s->tolerance, "", NULL);
    if (is_fixed || is_automatic) return;
    tell(list, &s->relative_tolerance, "", NULL);
    tell(list, &s->absolute_tolerance, "", NULL);
}

static void fill(told_list *list)
{
    const takt_settings *s = &list->system->settings;
    tell(list, &s->start_time, " s", suggests_start);
    tell(list, &s->stop_time, " s", suggests_stop);
    tell(list, &s->algorithm, "", NULL);
    tell(list, &s->step_control, "", NULL);
    tell_accuracy(list);
    if (s->output_interval > 0)
        tell(list, &s->output_interval, " s", suggests_step);
    else
        tell(list, &s->output_interval, " (every communication point)", NULL);
    if (has_model_exchange(list->system)) tell(list, &s->solver, "", NULL);
}

// ---- forms -------------------------------------------------------------------------------------------

static char *as_text(const told_list *list)
{
    takt_text text = {0};
    for (int i = 0; i < list->n_items; i++) {
        const told_setting *at = &list->items[i];
        takt_text_print(&text, "%-20s %s%s (%s)\n", at->name, at->text, at->unit, at->origin);
    }
    return takt_text_take(&text);
}

static json_t *item_json(const told_setting *at)
{
    json_t *value = NULL;
    double number;
    if (takt_number_read(at->text, at->text + strlen(at->text), &number) && isfinite(number))
        value = json_real(number);
    else
        value = takt_json_text(at->text);
    return json_pack("{s:o, s:s}", "value", value, "from", at->origin);
}

static char *as_json(const told_list *list)
{
    json_t *out = json_object();
    bool ok = out != NULL;
    for (int i = 0; ok && i < list->n_items; i++)
        ok = json_object_set_new(out, list->items[i].name, item_json(&list->items[i])) == 0;
    char *text = ok ? json_dumps(out, JSON_INDENT(2)) : NULL;
    json_decref(out);
    return text;
}

takt_status takt_system_describe_experiment(const takt_system *system, takt_format format,
                                            char **out, takt_error *err)
{
    if (format != TAKT_FORMAT_TEXT && format != TAKT_FORMAT_JSON)
        return takt_fail(err, TAKT_ERR_USAGE, "settings can be described as text or JSON only");
    told_list list = {.system = system};
    fill(&list);
    char *text = list.failed ? NULL : format == TAKT_FORMAT_TEXT ? as_text(&list) : as_json(&list);
    takt_arena_clear(&list.arena);
    if (!text) return takt_fail_memory(err);
    *out = text;
    return TAKT_OK;
}
