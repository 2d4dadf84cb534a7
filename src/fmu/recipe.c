// SPDX-License-Identifier: MIT
// Opening FMUs in other processes; see recipe.h.
#include "fmu/recipe.h"

#include <string.h>

#include "base/path.h"
#include "fmu/model.h"
#include "fmu/open.h"

// ---- writing -------------------------------------------------------------------------------------

static void put_text(takt_packer *packer, const char *text)
{
    size_t size = strlen(text) + 1;
    takt_pack_integer(packer, (int64_t)size);
    takt_pack(packer, text, size);
}

void takt_fmu_recipe_write(const takt_model *model, takt_packer *packer)
{
    const takt_fmu *fmu = (const takt_fmu *)model;
    put_text(packer, fmu->file);
    put_text(packer, fmu->model.path);
    put_text(packer, fmu->unpacked.folder);
    takt_pack_integer(packer, fmu->way);
    takt_pack_integer(packer, fmu->is_me);
    takt_pack_integer(packer, fmu->sizes.n_items);
    for (int i = 0; i < fmu->sizes.n_items; i++) {
        takt_pack_integer(packer, fmu->sizes.items[i].reference);
        takt_pack_integer(packer, (int64_t)fmu->sizes.items[i].value);
    }
}

takt_me_options takt_fmu_solver(const takt_model *model, const char *instance)
{
    const takt_fmu *fmu = (const takt_fmu *)model;
    takt_me_options options = fmu->me_options;
    if (fmu->is_me && fmu->choose_solver)
        fmu->choose_solver(fmu->solver_context, instance, &options);
    return options;
}

const char *takt_fmu_file(const takt_model *model)
{
    return ((const takt_fmu *)model)->file;
}

const char *takt_fmu_folder(const takt_model *model)
{
    return ((const takt_fmu *)model)->unpacked.folder;
}

void takt_fmu_attach(takt_model *model, void *what, void (*end)(void *what))
{
    takt_fmu *fmu = (takt_fmu *)model;
    fmu->attached = what;
    fmu->end_attached = end;
}

// ---- reading -------------------------------------------------------------------------------------

static const char *take_text(takt_unpacker *unpacker)
{
    size_t size = (size_t)takt_unpack_integer(unpacker, 1, INT32_MAX);
    const char *text = takt_unpack_place(unpacker, size);
    if (text && text[size - 1] == 0) return text;
    unpacker->failed = true;
    return "";
}

static takt_status take_sizes(takt_unpacker *unpacker, takt_arena *arena, takt_fmi3_sizes *out,
                              takt_error *err)
{
    int64_t n = takt_unpack_integer(unpacker, 0, INT16_MAX);
    takt_fmi3_size *items = takt_arena_array(arena, (size_t)n + 1, sizeof *items);
    if (!items) return takt_fail_memory(err);
    for (int64_t i = 0; i < n; i++) {
        items[i].reference = (uint32_t)takt_unpack_integer(unpacker, 0, UINT32_MAX);
        items[i].value = (uint64_t)takt_unpack_integer(unpacker, INT64_MIN, INT64_MAX);
    }
    *out = (takt_fmi3_sizes){items, (int)n};
    return TAKT_OK;
}

static void use_given(const void *context, const char *instance, takt_me_options *options)
{
    (void)instance;
    *options = *(const takt_me_options *)context;
}

// Where the FMU lies: its file, the name in messages, the folder.
typedef struct place {
    const char *path, *shown, *folder;
} place;

static place take_place(takt_unpacker *unpacker)
{
    place out = {.path = take_text(unpacker)};
    out.shown = take_text(unpacker);
    out.folder = take_text(unpacker);
    return out;
}

bool takt_fmu_recipe_is_here(const char *recipe, size_t size)
{
    takt_unpacker unpacker = {.next = recipe, .left = size};
    place at = take_place(&unpacker);
    return !unpacker.failed && takt_path_is_folder(at.folder);
}

const char *takt_fmu_recipe_folder(const char *recipe, size_t size)
{
    takt_unpacker unpacker = {.next = recipe, .left = size};
    place at = take_place(&unpacker);
    return unpacker.failed ? "" : at.folder;
}

takt_status takt_fmu_recipe_open(const char *recipe, size_t size, const char *package,
                                 const takt_me_options *solver, takt_model **out, takt_error *err)
{
    takt_unpacker unpacker = {.next = recipe, .left = size};
    takt_arena arena = {0};
    takt_fmi3_sizes sizes = {0};
    place at = take_place(&unpacker);
    takt_fmu_options options = {.folder = package ? NULL : at.folder,
                                .shown = at.shown,
                                .choose_solver = use_given,
                                .context = solver};
    options.way =
        (takt_fmu_way)takt_unpack_integer(&unpacker, TAKT_FMU_NATIVE, TAKT_FMU_N_WAYS - 1);
    options.prefers_me = takt_unpack_integer(&unpacker, 0, 1);
    takt_status st = take_sizes(&unpacker, &arena, &sizes, err);
    if (!st) st = takt_unpack_end(&unpacker, err);
    if (!st) st = takt_fmu_open_sized(package ? package : at.path, &options, &sizes, out, err);
    takt_arena_clear(&arena);
    return st;
}
