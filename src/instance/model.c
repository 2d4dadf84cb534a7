// SPDX-License-Identifier: MIT
// Names of FMI's enumerations, and what is found by name in a model; see model.h.
#include "instance/model.h"

#include <string.h>

const char *takt_causality_name(takt_causality causality)
{
    static const char *const names[] = {
        "parameter", "calculatedParameter", "structuralParameter", "input", "output",
        "local",     "independent"};
    int n = (int)(sizeof names / sizeof *names), i = (int)causality;
    return i >= 0 && i < n ? names[i] : "unknown";
}

const char *takt_variability_name(takt_variability variability)
{
    static const char *const names[] = {"constant", "fixed", "tunable", "discrete", "continuous"};
    int n = (int)(sizeof names / sizeof *names), i = (int)variability;
    return i >= 0 && i < n ? names[i] : "unknown";
}

const char *takt_initial_name(takt_initial initial)
{
    static const char *const names[] = {"none", "exact", "approx", "calculated"};
    return names[initial];
}

int takt_model_find(const takt_model *model, const char *name)
{
    int variable = takt_map_find(&model->names, name);
    int array = variable < 0 ? takt_map_find(&model->array_names, name) : -1;
    return array < 0 ? variable : model->arrays[array].first;
}

const takt_type_definition *takt_model_type(const takt_model *model, const char *name)
{
    for (int i = 0; name && i < model->n_types; i++)
        if (strcmp(model->types[i].name, name) == 0) return &model->types[i];
    return NULL;
}

const takt_unit *takt_model_unit(const takt_model *model, const char *name)
{
    for (int i = 0; i < model->n_units; i++)
        if (strcmp(model->units[i].name, name) == 0) return &model->units[i];
    return NULL;
}
