// SPDX-License-Identifier: MIT
// Finding components and variables by name, with suggestions; see builder.h.
#include "system/builder.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

static const char *component_name(void *context, int i)
{
    return ((const takt_system *)context)->components[i].name;
}

static const char *variable_name(void *context, int i)
{
    return ((const takt_model *)context)->variables[i].name;
}

const char *takt_builder_nearest_component(const takt_builder *builder, const char *name)
{
    takt_system *system = builder->system;
    if (!takt_problems_suggests(&builder->problems, system->n_components)) return NULL;
    return takt_text_nearest(name, system->n_components, component_name, system);
}

int takt_builder_component(takt_builder *builder, const char *name, takt_place place)
{
    int found = takt_map_find(&builder->system->names, name);
    if (found >= 0) return found;
    const char *nearest = takt_builder_nearest_component(builder, name);
    takt_problem(&builder->problems, TAKT_LEVEL_ERROR, place, "there is no component '%s'%s%s%s",
                 name, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                 nearest ? "'?" : "");
    return -1;
}

const char *takt_builder_nearest(const takt_builder *builder, int component, const char *name)
{
    takt_model *model = builder->system->components[component].model;
    if (!takt_problems_suggests(&builder->problems, model->n_variables)) return NULL;
    return takt_text_nearest(name, model->n_variables, variable_name, model);
}

int takt_builder_variable(takt_builder *builder, int component, const char *name, takt_place place)
{
    const takt_component *owner = &builder->system->components[component];
    takt_model *model = owner->model;
    if (!model) return -1;
    int found = takt_model_find(model, name);
    if (found >= 0) return found;
    const char *nearest = takt_builder_nearest(builder, component, name);
    takt_problem(&builder->problems, TAKT_LEVEL_ERROR, place,
                 "component '%s' has no variable '%s'%s%s%s", owner->name, name,
                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return -1;
}

bool takt_builder_types_agree(takt_type a, takt_type b)
{
    return a == b || (a == TAKT_ENUMERATION && b == TAKT_INT32) ||
           (a == TAKT_INT32 && b == TAKT_ENUMERATION);
}

bool takt_builder_has_shape(const takt_array *array, const char *shape, char out[static 80])
{
    int n = 0;
    bool is_same = true;
    for (const char *c = shape; *c && *c != ']'; n++) {
        size_t length = strcspn(++c, ",]"); // behind '[' or ','
        long long size = array && n < array->n_dimensions ? array->dimensions[n] : array ? -1 : 1;
        is_same = is_same && (*c == '?' || strtoll(c, NULL, 10) == size);
        c += length;
    }
    if (is_same && (!array || n == array->n_dimensions)) return true;
    size_t used = (size_t)snprintf(out, 80, array ? "" : "a scalar");
    for (int i = 0; array && i < array->n_dimensions && used < 60; i++)
        used +=
            (size_t)snprintf(out + used, 80 - used, "%c%d", i ? ',' : '[', array->dimensions[i]);
    if (array) snprintf(out + used, 80 - used, "]");
    return false;
}
