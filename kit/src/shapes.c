// SPDX-License-Identifier: MIT
// Arrays: how many elements they have now, where in the field these are, and start values. A field
// has room for the largest shape, and element [i][j] stays where C puts it, so elements in use are
// not always neighbours.
#include "core.h"

#include <string.h>

bool fmukit_prepare_shapes(fmukit_instance *fmu)
{
    const fmukit_model *model = fmu->model;
    bool has_arrays = false;
    for (size_t i = 0; i < model->n_variables; i++)
        has_arrays |= fmukit_is_array(&model->variables[i]);
    if (has_arrays) fmu->shapes = fmukit_alloc(fmu, model->n_variables, sizeof *fmu->shapes);
    return !has_arrays || fmu->shapes;
}

// The check at build time has made sure that parameters exist and stay within the room.
static fmukit_shape find_shape(const fmukit_instance *fmu, const fmukit_variable *variable)
{
    fmukit_shape shape = {.count = 1, .is_dense = true};
    for (size_t d = 0; d < FMUKIT_MAX_DIMENSIONS && variable->dimensions[d].size; d++) {
        const fmukit_dimension *dimension = &variable->dimensions[d];
        size_t size = dimension->size;
        if (dimension->parameter) {
            size_t i = fmukit_find_variable(fmu->model, dimension->parameter);
            size = (size_t) * (const uint64_t *)fmukit_field_of(fmu, &fmu->model->variables[i]);
        }
        shape.sizes[d] = size;
        shape.count *= size;
        // The first dimension may be shorter: what is missing lies at the end.
        if (d > 0 && size != dimension->size) shape.is_dense = false;
    }
    return shape;
}

size_t fmukit_n_elements(const fmukit_instance *fmu, const fmukit_variable *variable)
{
    if (!fmu->shapes || !fmukit_is_array(variable)) return 1;
    return fmu->shapes[variable - fmu->model->variables].count;
}

bool fmukit_is_dense(const fmukit_instance *fmu, const fmukit_variable *variable)
{
    if (!fmu->shapes || !fmukit_is_array(variable)) return true;
    return fmu->shapes[variable - fmu->model->variables].is_dense;
}

size_t fmukit_place(const fmukit_instance *fmu, const fmukit_variable *variable, size_t k)
{
    if (fmukit_is_dense(fmu, variable)) return k;
    const fmukit_shape *shape = &fmu->shapes[variable - fmu->model->variables];
    size_t place = 0, stride = 1;
    for (size_t d = FMUKIT_MAX_DIMENSIONS; d-- > 0;) {
        if (variable->dimensions[d].size == 0) continue;
        place += k % shape->sizes[d] * stride;
        k /= shape->sizes[d];
        stride *= variable->dimensions[d].size;
    }
    return place;
}

// ---- start values ------------------------------------------------------------------------------------

static void set_start(fmukit_instance *fmu, const fmukit_variable *variable, bool is_first_shape)
{
    if (!fmukit_has_start(variable)) return;
    size_t size = fmukit_facts(variable->type)->size;
    char *field = fmukit_field_of(fmu, variable);
    const char *starts = is_first_shape ? variable->starts : NULL;
    for (size_t k = 0; k < fmukit_n_elements(fmu, variable); k++) {
        char *item = field + fmukit_place(fmu, variable, k) * size;
        if (starts)
            memcpy(item, starts + k * size, size);
        else
            fmukit_start_item(variable, item);
    }
}

void fmukit_take_shapes(fmukit_instance *fmu, bool is_renewed)
{
    if (!fmu->shapes) return;
    for (size_t i = 0; i < fmu->model->n_variables; i++) {
        const fmukit_variable *variable = &fmu->model->variables[i];
        fmukit_shape shape = find_shape(fmu, variable);
        bool has_changed = memcmp(shape.sizes, fmu->shapes[i].sizes, sizeof shape.sizes) != 0;
        fmu->shapes[i] = shape;
        if (!has_changed || !is_renewed) continue;
        // Strings and binaries keep their copies; fields that point nowhere become empty.
        memset(fmukit_field_of(fmu, variable), 0, variable->field.size);
        set_start(fmu, variable, false);
    }
}

// Structural parameters first: they decide how many elements there are.
void fmukit_set_start_values(fmukit_instance *fmu)
{
    const fmukit_model *model = fmu->model;
    for (size_t i = 0; i < model->n_variables; i++) {
        if (model->variables[i].causality == FMUKIT_STRUCTURAL_PARAMETER)
            set_start(fmu, &model->variables[i], true);
    }
    fmukit_take_shapes(fmu, false);
    for (size_t i = 0; i < model->n_variables; i++) set_start(fmu, &model->variables[i], true);
}
