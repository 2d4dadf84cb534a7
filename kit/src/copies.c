// SPDX-License-Identifier: MIT
// Strings and binaries: outside of the author's functions each such field points at a copy of the
// kit's, which this file keeps.
#include "core.h"

#include <string.h>

char *fmukit_copy_text(fmukit_instance *fmu, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fmukit_alloc(fmu, size, 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

static bool has_copies(const fmukit_variable *variable)
{
    return variable->type == FMUKIT_STRING || variable->type == FMUKIT_BINARY;
}

bool fmukit_prepare_copies(fmukit_instance *fmu)
{
    const fmukit_model *model = fmu->model;
    size_t n = 0;
    for (size_t i = 0; i < model->n_variables; i++)
        n += has_copies(&model->variables[i]) ? fmukit_capacity(&model->variables[i]) : 0;
    if (n == 0) return true;
    fmu->copies = fmukit_alloc(fmu, n, sizeof *fmu->copies);
    if (!fmu->copies) return false;
    for (size_t i = 0; i < model->n_variables; i++) {
        const fmukit_variable *variable = &model->variables[i];
        if (!has_copies(variable)) continue;
        for (size_t k = 0; k < fmukit_capacity(variable); k++) {
            fmukit_copy *copy = &fmu->copies[fmu->n_copies++];
            copy->offset = variable->field.offset + k * fmukit_facts(variable->type)->size;
            copy->is_binary = variable->type == FMUKIT_BINARY;
        }
    }
    return true;
}

// What the field points at now; missing ones are empty.
static fmukit_binary look(const fmukit_instance *fmu, const fmukit_copy *copy)
{
    const void *field = (const char *)fmu->data + copy->offset;
    fmukit_binary current;
    if (copy->is_binary) {
        current = *(const fmukit_binary *)field;
    } else {
        const char *text = *(const char *const *)field;
        current = (fmukit_binary){text, text ? strlen(text) + 1 : 0};
    }
    if (current.bytes && current.size > 0) return current;
    return (fmukit_binary){"", copy->is_binary ? 0 : 1};
}

static bool is_current(const fmukit_copy *copy, fmukit_binary current)
{
    return copy->bytes && copy->size == current.size &&
           (copy->bytes == current.bytes || memcmp(copy->bytes, current.bytes, copy->size) == 0);
}

static bool renew(fmukit_instance *fmu, fmukit_copy *copy)
{
    fmukit_binary current = look(fmu, copy);
    if (is_current(copy, current)) return true;
    copy->fresh = fmukit_alloc(fmu, current.size ? current.size : 1, 1);
    if (!copy->fresh) return false;
    memcpy(copy->fresh, current.bytes, current.size);
    copy->fresh_size = current.size;
    return true;
}

static void point_at_copy(fmukit_instance *fmu, const fmukit_copy *copy)
{
    void *field = (char *)fmu->data + copy->offset;
    if (copy->is_binary)
        *(fmukit_binary *)field = (fmukit_binary){copy->bytes, copy->size};
    else
        *(const char **)field = copy->bytes;
}

// All are copied before any old copy is freed: fields may point at copies of each other.
bool fmukit_adopt(fmukit_instance *fmu)
{
    bool ok = true;
    for (size_t i = 0; ok && i < fmu->n_copies; i++) ok = renew(fmu, &fmu->copies[i]);
    for (size_t i = 0; i < fmu->n_copies; i++) {
        fmukit_copy *copy = &fmu->copies[i];
        if (ok && copy->fresh) {
            fmukit_free(fmu, copy->bytes);
            copy->bytes = copy->fresh;
            copy->size = copy->fresh_size;
        } else {
            fmukit_free(fmu, copy->fresh);
        }
        copy->fresh = NULL;
        point_at_copy(fmu, copy);
    }
    return ok;
}

void fmukit_free_copies(fmukit_instance *fmu)
{
    for (size_t i = 0; i < fmu->n_copies; i++) fmukit_free(fmu, fmu->copies[i].bytes);
    fmukit_free(fmu, fmu->copies);
}
