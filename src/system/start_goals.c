// SPDX-License-Identifier: MIT
// Finding the variables of start values by name; see start_goals.h.
#include "system/start_goals.h"

#include <string.h>

// Component names with more dots than this are not looked for in "a.b.c": a hostile name of
// nothing but dots must not take too long.
enum { MAX_DOTS = TAKT_MAX_GOALS };

// Splits "component.variable" where both exist; either may contain dots.
static void split(const takt_system *system, const char *name, char *buffer, takt_start_goals *out)
{
    const char *dot = strchr(name, '.');
    for (int i = 0; dot && i < MAX_DOTS; i++, dot = strchr(dot + 1, '.')) {
        size_t length = (size_t)(dot - name);
        memcpy(buffer, name, length);
        buffer[length] = 0;
        int c = takt_map_find(&system->names, buffer);
        if (c < 0) continue;
        if (out->component < 0) out->component = c;
        const takt_model *model = system->components[c].model;
        int v = model ? takt_model_find(model, dot + 1) : -1;
        if (v >= 0)
            out->items[out->n_items++] =
                (takt_start_goal){{c, v}, NULL, takt_builder_is_element(name)};
    }
}

bool takt_builder_split(const takt_system *system, const char *name, char *buffer, int *component,
                        int *variable)
{
    takt_start_goals found = {.component = -1};
    split(system, name, buffer, &found);
    *component = found.n_items ? found.items[0].variable.component : found.component;
    *variable = found.n_items ? found.items[0].variable.variable : -1;
    return found.n_items > 0;
}

// Of "a.b.c", where no component fits: what in front of a dot is most likely meant for one,
// into `buffer`. Returns the component that is like it; NULL: none is.
static const char *likely_component(const takt_builder *builder, const char *name, char *buffer)
{
    size_t length = strlen(name), shortest = strcspn(name, ".");
    const char *nearest = NULL;
    memcpy(buffer, name, length + 1);
    for (int i = 0; i < MAX_DOTS && !nearest && length > shortest; i++) {
        while (buffer[length - 1] != '.') length--;
        buffer[--length] = 0;
        nearest = takt_builder_nearest_component(builder, buffer);
    }
    if (!nearest) buffer[shortest] = 0;
    return nearest;
}

// Reports a name that may be missing: its value is not used.
static void report_unused(takt_builder *builder, const takt_project_assignment *given,
                          const takt_start_goals *found, char *buffer)
{
    const char *name = given->variable, *nearest = NULL;
    if (found->component >= 0) {
        size_t length = strlen(builder->system->components[found->component].name);
        nearest = takt_builder_nearest(builder, found->component, name + length + 1);
    } else if (strchr(name, '.')) {
        nearest = likely_component(builder, name, buffer);
    }
    takt_problem(&builder->problems, given->if_missing, given->place,
                 "'%s' names no variable; its value is not used%s%s%s", name,
                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

// Reports that a name has no meaning, unless that is allowed.
static void report_missing(takt_builder *builder, const takt_project_assignment *given,
                           const takt_start_goals *found, char *buffer)
{
    takt_system *system = builder->system;
    const char *name = given->variable;
    if (found->component >= 0 && !system->components[found->component].model) return;
    if (given->if_missing != TAKT_LEVEL_ERROR) {
        report_unused(builder, given, found, buffer);
    } else if (found->component >= 0) {
        const char *rest = name + strlen(system->components[found->component].name) + 1;
        takt_builder_variable(builder, found->component, rest, given->place);
    } else if (strchr(name, '.')) {
        likely_component(builder, name, buffer);
        takt_builder_component(builder, buffer, given->place);
    } else if (takt_builder_only_component(builder) >= 0) {
        takt_builder_variable(builder, takt_builder_only_component(builder), name, given->place);
    } else {
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                     "'%s' names no variable; write COMPONENT.VARIABLE", name);
    }
}

int takt_start_find_alias(const takt_builder *builder, const char *name, char *buffer,
                          const char **index)
{
    int found = takt_project_find_alias(builder->project, name);
    const char *bracket = takt_builder_is_element(name) ? strrchr(name, '[') : NULL;
    *index = "";
    if (found >= 0 || !bracket) return found;
    size_t length = (size_t)(bracket - name);
    memcpy(buffer, name, length);
    buffer[length] = 0;
    *index = bracket;
    return takt_project_find_alias(builder->project, buffer);
}

void takt_start_find_dotted(takt_builder *builder, const takt_project_assignment *given,
                            char *buffer, takt_start_goals *out)
{
    const takt_system *system = builder->system;
    split(system, given->variable, buffer, out);
    const char *index;
    if (out->n_items || takt_start_find_alias(builder, given->variable, buffer, &index) >= 0)
        return;
    int only = takt_builder_only_component(builder);
    if (only >= 0) {
        int v = takt_model_find(system->components[only].model, given->variable);
        if (v >= 0)
            out->items[out->n_items++] =
                (takt_start_goal){{only, v}, NULL, takt_builder_is_element(given->variable)};
        if (v >= 0) return;
    }
    report_missing(builder, given, out, buffer);
}

void takt_start_find_in_component(takt_builder *builder, const takt_project_assignment *given,
                                  takt_start_goals *out)
{
    int c = takt_builder_component(builder, given->component, given->place);
    const takt_model *model = c < 0 ? NULL : builder->system->components[c].model;
    int v = model ? takt_model_find(model, given->variable) : -1;
    if (v >= 0)
        out->items[out->n_items++] =
            (takt_start_goal){{c, v}, NULL, takt_builder_is_element(given->variable)};
    else if (model && given->if_missing == TAKT_LEVEL_ERROR)
        takt_builder_variable(builder, c, given->variable, given->place);
    else if (model)
        takt_problem(&builder->problems, given->if_missing, given->place,
                     "component '%s' has no variable '%s'; its value is not used", given->component,
                     given->variable);
}
