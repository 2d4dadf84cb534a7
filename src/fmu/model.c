// SPDX-License-Identifier: MIT
// The life of an FMU as a model, and its libraries; see model.h.
#include "fmu/model.h"

#include <stdlib.h>

#include "base/elf.h"
#include "base/file.h"
#include "compile/compile.h"
#include "compile/stamp.h"

// ---- life ----------------------------------------------------------------------------------------

void takt_fmu_close(takt_model *model)
{
    takt_fmu *fmu = (takt_fmu *)model;
    if (fmu->end_attached) fmu->end_attached(fmu->attached);
    bool is_kept = !takt_library_close(fmu->library) || fmu->has_kept;
    takt_fmu_contacts_destroy(fmu->contacts, is_kept);
    takt_cache_close(&fmu->unpacked);
    takt_mutex_clear(&fmu->lock);
    free(fmu);
}

bool takt_fmu_is(const takt_model *model)
{
    return model->type->close_model == takt_fmu_close;
}

takt_status takt_fmu_resize(const takt_model *model, const takt_structural_value *values,
                            int n_values, takt_model **out, takt_error *err)
{
    return ((const takt_fmu *)model)->resize(model, values, n_values, out, err);
}

// Until the version is known.
static const takt_instance_type unknown = {.name = "FMU", .close_model = takt_fmu_close};

// Messages and descriptions call the FMU by options->shown.
takt_status takt_fmu_create(const char *path, const takt_fmu_options *options, takt_fmu **out,
                            takt_error *err)
{
    takt_fmu *fmu = calloc(1, sizeof *fmu);
    if (!fmu || !takt_mutex_init(&fmu->lock)) {
        free(fmu);
        return takt_fail_memory(err);
    }
    fmu->options = *options;
    fmu->model.type = &unknown;
    const char *shown = options->shown ? options->shown : path;
    fmu->file = takt_arena_copy(&fmu->model.arena, path);
    fmu->model.path = takt_arena_copy(&fmu->model.arena, shown);
    fmu->options.shown = fmu->model.path;
    fmu->model.description_file =
        takt_arena_print(&fmu->model.arena, "%s/modelDescription.xml", shown);
    if (!fmu->file || !fmu->model.path || !fmu->model.description_file) {
        takt_model_close(&fmu->model);
        return takt_fail_memory(err);
    }
    *out = fmu;
    return TAKT_OK;
}

// ---- library -------------------------------------------------------------------------------------

static takt_status compile(const takt_fmu *fmu, takt_error *err)
{
    const takt_description *description = &fmu->description;
    takt_arena arena = {0};
    takt_sources sources;
    const takt_sources_wish wish = {.folder = fmu->unpacked.folder,
                                    .fmi_major = description->fmi_major,
                                    .platform = takt_library_platform(3),
                                    .identifier = description->identifier,
                                    .is_me = fmu->is_me,
                                    .listed = description->sources,
                                    .n_listed = description->n_sources};
    takt_status st = takt_sources_find(&wish, &arena, &sources, err);
    if (!st)
        st = takt_compile(fmu->unpacked.folder, &sources, description->fmi_major, fmu->library_path,
                          err);
    takt_arena_clear(&arena);
    return st;
}

static const char *const way_words[TAKT_FMU_N_WAYS] = {"auto", "native", "sources", "wine",
                                                       "linux32"};
static const char *const way_lacks[TAKT_FMU_N_WAYS] = {
    "", "no library for this platform", "no sources", "no library for Windows with 64 bits",
    "no library for Linux with 32 bits"};

static takt_status find_library(const takt_fmu *fmu, takt_error *err)
{
    const char *platform = takt_library_platform(fmu->description.fmi_major);
    const char *identifier = fmu->description.identifier;
    const char *hint = fmu->has_sources ? "; it has sources: give --compile-sources to "
                                          "compile them with this system's C compiler"
                                        : "";
    const takt_fmu_way wanted = fmu->options.way;
    if (wanted != TAKT_FMU_ANY && wanted != fmu->way)
        return takt_fail(err, TAKT_ERR_INPUT,
                         "cannot run as --binary %s wants: it has %s; it has libraries for: %s",
                         way_words[wanted], way_lacks[wanted],
                         fmu->model.platforms[0] ? fmu->model.platforms : "nothing");
    if (takt_path_is_file(fmu->library_path)) return TAKT_OK;
    if (fmu->model.platforms[0] == 0)
        return takt_fail(err, TAKT_ERR_INPUT,
                         "has no compiled libraries; export it with binaries for %s%s", platform,
                         hint);
    return takt_fail(err, TAKT_ERR_INPUT,
                     "has no library for this platform: binaries/%s/%s.so is missing; it has "
                     "libraries for: %s%s",
                     platform, identifier, fmu->model.platforms, hint);
}

static takt_status check_library(const takt_fmu *fmu, takt_error *err)
{
    if (!fmu->compiles) return find_library(fmu, err);
    bool is_done = takt_stamp_is_intact(fmu->library_path);
    // Who opened it for this process has asked the compiler, which cannot run in a sandbox.
    bool is_asked = fmu->options.folder || fmu->n_loaded > 0;
    takt_status st = TAKT_OK;
    if (is_done && !is_asked) st = takt_stamp_is_current(fmu->library_path, &is_done, err);
    if (st) return st;
    return is_done ? find_library(fmu, err) : compile(fmu, err);
}

takt_status takt_fmu_provide_library(const takt_model *model, takt_error *err)
{
    takt_status st = check_library((const takt_fmu *)model, err);
    return st ? takt_within(err, st, "FMU %s", model->path) : TAKT_OK;
}

takt_status takt_fmu_check_library(const takt_model *model, takt_error *err)
{
    const takt_fmu *fmu = (const takt_fmu *)model;
    char obstacle[TAKT_ELF_TEXT_SIZE] = "";
    if (!takt_fmu_is(model)) return TAKT_OK;
    if (fmu->compiles && !takt_stamp_is_intact(fmu->library_path)) return TAKT_OK;
    takt_status st = find_library(fmu, err);
    // Those of other ways are looked at by their workers.
    if (!st && fmu->way != TAKT_FMU_WINE && fmu->way != TAKT_FMU_32_BITS)
        st = takt_elf_find_obstacle(fmu->library_path, obstacle, err);
    if (!st && obstacle[0])
        st = takt_fail(err, TAKT_ERR_INPUT, "cannot be loaded on this machine: %s", obstacle);
    return st ? takt_within(err, st, "FMU %s", model->path) : TAKT_OK;
}

static takt_status acquire(takt_fmu *fmu, takt_library **out, takt_error *err)
{
    if (fmu->library && fmu->library->is_dead)
        return takt_fail(err, TAKT_ERR_SIMULATION, "has failed fatally before");
    takt_library *library = fmu->library;
    takt_status st = TAKT_OK;
    if (!library) {
        st = check_library(fmu, err);
        if (!st)
            st = takt_library_open(fmu->library_path, fmu->description.fmi_major,
                                   fmu->description.identifier, fmu->n_loaded > 0, &library, err);
        if (st) return st;
        fmu->n_loaded++;
        if (!fmu->separates) fmu->library = library;
    }
    fmu->n_sharing += library == fmu->library;
    *out = library;
    return TAKT_OK;
}

takt_status takt_fmu_acquire_library(takt_fmu *fmu, takt_library **out, takt_error *err)
{
    takt_mutex_lock(&fmu->lock);
    takt_status st = acquire(fmu, out, err);
    takt_mutex_unlock(&fmu->lock);
    return st ? takt_within(err, st, "FMU %s", fmu->model.path) : TAKT_OK;
}

takt_status takt_fmu_acquire_copy(takt_fmu *fmu, takt_library **out, takt_error *err)
{
    takt_mutex_lock(&fmu->lock);
    takt_status st = fmu->n_sharing > 1
                         ? takt_library_open(fmu->library_path, fmu->description.fmi_major,
                                             fmu->description.identifier, true, out, err)
                         : takt_fail(err, TAKT_ERR_SIMULATION, "has no other instance");
    takt_mutex_unlock(&fmu->lock);
    return st;
}

void takt_fmu_release_library(takt_fmu *fmu, takt_library *library)
{
    takt_mutex_lock(&fmu->lock);
    if (library == fmu->library)
        fmu->n_sharing--;
    else if (!takt_library_close(library))
        fmu->has_kept = true;
    takt_mutex_unlock(&fmu->lock);
}

takt_fmu_contact *takt_fmu_add_contact(takt_fmu *fmu, struct takt_fmu_instance *instance)
{
    takt_mutex_lock(&fmu->lock);
    takt_fmu_contact *contact = takt_fmu_contact_create(instance, &fmu->contacts);
    takt_mutex_unlock(&fmu->lock);
    return contact;
}
