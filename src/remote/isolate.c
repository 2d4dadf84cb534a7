// SPDX-License-Identifier: MIT
// Isolating an FMU; see isolate.h.
#include "remote/isolate.h"

#include <stdlib.h>

#include "fmu/recipe.h"
#include "remote/forward.h"
#include "remote/held.h"
#include "remote/link.h"

static void end_kind(void *what)
{
    takt_remote_kind *kind = what;
    takt_nest_destroy(kind->nest);
    free(kind->models);
    free(kind);
}

static takt_status remote_resize(const takt_model *model, const takt_structural_value *values,
                                 int n_values, takt_model **out, takt_error *err)
{
    const takt_remote_kind *kind = (const takt_remote_kind *)model->type;
    takt_model *resized = NULL;
    takt_status st = kind->inner->resize(model, values, n_values, &resized, err);
    if (!st)
        st = kind->placement.ranks
                 ? takt_place_on_ranks(resized, kind->options.timeout, &kind->placement, err)
                 : takt_isolate(resized, &kind->options, err);
    if (st)
        takt_model_close(resized);
    else
        *out = resized;
    return st;
}

static takt_status make_kind(takt_model *model, const takt_isolation *options,
                             takt_remote_kind **out, takt_error *err)
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
    *out = kind;
    return TAKT_OK;
}

takt_status takt_isolate(takt_model *model, const takt_isolation *options, takt_error *err)
{
    takt_remote_kind *kind;
    takt_status st = make_kind(model, options, &kind, err);
    if (!st) model->is_isolated = true;
    return st;
}

takt_status takt_place_on_ranks(takt_model *model, double timeout, const takt_placement *placement,
                                takt_error *err)
{
    takt_remote_kind *kind;
    const takt_isolation options = {.timeout = timeout, .after_crash = TAKT_CRASH_STOPS};
    takt_status st = make_kind(model, &options, &kind, err);
    if (st) return st;
    int n = takt_link_count(placement->ranks);
    kind->placement = *placement;
    kind->models = malloc((size_t)n * sizeof *kind->models);
    if (!kind->models) return takt_fail_memory(err);
    for (int i = 0; i < n; i++) kind->models[i] = -1;
    return TAKT_OK;
}
