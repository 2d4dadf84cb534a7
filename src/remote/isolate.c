// SPDX-License-Identifier: MIT
// Isolating an FMU; see isolate.h.
#include "remote/isolate.h"

#include <stdlib.h>

#include "fmu/recipe.h"
#include "remote/forward.h"
#include "remote/held.h"

static void end_kind(void *what)
{
    takt_remote_kind *kind = what;
    takt_nest_destroy(kind->nest);
    free(kind);
}

static takt_status remote_resize(const takt_model *model, const takt_structural_value *values,
                                 int n_values, takt_model **out, takt_error *err)
{
    const takt_remote_kind *kind = (const takt_remote_kind *)model->type;
    takt_model *resized = NULL;
    takt_status st = kind->inner->resize(model, values, n_values, &resized, err);
    if (!st) st = takt_isolate(resized, &kind->options, err);
    if (st)
        takt_model_close(resized);
    else
        *out = resized;
    return st;
}

takt_status takt_isolate(takt_model *model, const takt_isolation *options, takt_error *err)
{
    takt_remote_kind *kind = calloc(1, sizeof *kind);
    if (!kind) return takt_fail_memory(err);
    *kind = (takt_remote_kind){
        .type = takt_forward_type(model->type), .inner = model->type, .options = *options};
    kind->forward = kind->type;
    if (options->after_crash == TAKT_CRASH_HOLDS) takt_held_wrap(&kind->type);
    if (model->type->resize) kind->type.resize = remote_resize;
    takt_fmu_attach(model, kind, end_kind);
    model->type = &kind->type;
    return TAKT_OK;
}
