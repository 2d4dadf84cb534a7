// SPDX-License-Identifier: MIT
// What an instance is doing; the end of a model, by the kind of its instances. See instance.h.
#include "instance/instance.h"

const char *takt_instance_calling(const takt_instance *instance)
{
    const char *function = atomic_load_explicit(&instance->calling, memory_order_acquire);
    if (function || !instance->stage || !instance->type->call_names) return function;
    unsigned stage = atomic_load_explicit(instance->stage, memory_order_acquire);
    return stage ? instance->type->call_names[stage - 1] : NULL;
}

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
