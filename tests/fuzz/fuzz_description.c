// SPDX-License-Identifier: MIT
// Fuzzes the readers of XML: any bytes as a model description, and as a tree.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/xml_tree.h"
#include "description/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void visit(const takt_xml_element *element, takt_arena *arena)
{
    takt_xml_element_attribute(element, "name");
    takt_xml_element_text(element, arena);
    for (element = takt_xml_first_child(element, NULL, NULL); element;
         element = takt_xml_next_sibling(element, NULL, NULL))
        visit(element, arena);
}

// The elements of an array lie together and know it.
static void check_arrays(const takt_model *model)
{
    for (int i = 0; i < model->n_arrays; i++) {
        const takt_array *array = &model->arrays[i];
        int64_t n = 1;
        for (int k = 0; k < array->n_dimensions; k++) n *= array->dimensions[k];
        if (n != array->n_elements || array->first + n > model->n_variables) abort();
        for (int k = 0; k < array->n_elements; k++)
            if (model->variables[array->first + k].array != array) abort();
        if (takt_map_find(&model->array_names, array->name) != i) abort();
    }
}

// What is read must be consistent, however strange it is.
static void check_model(const takt_model *model)
{
    for (int i = 0; i < model->n_variables; i++) {
        const takt_variable *v = &model->variables[i];
        if (!v->name || (int)v->type >= TAKT_N_TYPES || takt_map_find(&model->names, v->name) < 0)
            abort();
        if (v->has_start && v->type == TAKT_STRING && strlen(v->start.text) != v->start.size)
            abort();
    }
    check_arrays(model);
    for (int i = 0; i < model->n_outputs; i++) {
        if (model->outputs[i].variable >= model->n_variables) abort();
        for (int k = 0; k < model->outputs[i].n_known; k++)
            if (model->outputs[i].known[k] >= model->n_variables) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    takt_model model = {.description_file = "m.xml"};
    takt_description description;
    takt_error err = {0};
    if (takt_description_read_memory(data, size, NULL, &model, &description, &err) == TAKT_OK)
        check_model(&model);
    else if (!err.message[0])
        abort();
    takt_map_clear(&model.names);
    takt_map_clear(&model.array_names);
    takt_arena_clear(&model.arena);

    takt_xml_tree *tree = NULL;
    takt_arena arena = {0};
    if (takt_xml_tree_open_memory(data, size, "m.xml", &tree, &err) == TAKT_OK)
        visit(takt_xml_tree_root(tree), &arena);
    takt_arena_clear(&arena);
    takt_xml_tree_close(tree);
    return 0;
}
