// SPDX-License-Identifier: MIT
// The end of a model, by the kind of its instances; see instance.h.
#include "instance/instance.h"

void takt_model_close(takt_model *model)
{
    if (!model) return;
    takt_map_clear(&model->names);
    takt_map_clear(&model->array_names);
    takt_map_clear(&model->terminal_names);
    takt_arena arena = model->arena;
    model->type->close_model(model);
    takt_arena_clear(&arena);
}
