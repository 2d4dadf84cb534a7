// SPDX-License-Identifier: MIT
// What a model is when it comes from an FMU: its description, and its library, which instances share or
// have copies of. Only for src/fmu.
#ifndef TAKT_FMU_MODEL_H
#define TAKT_FMU_MODEL_H

#include "base/cache.h"
#include "description/description.h"
#include "fmu/contact.h"
#include "fmu/library.h"
#include "fmu/options.h"
#include "instance/instance.h"

/// Opens an FMU again with other sizes of arrays; see takt_instance_type::resize.
typedef takt_status takt_fmu_resize_fn(const takt_model *model, const takt_structural_value *values,
                                       int n_values, takt_model **out, takt_error *err);

typedef struct takt_fmu {
    takt_model model; ///< first, so that a model can be seen as an FMU
    takt_description description;
    takt_unpacked unpacked;
    const char *file; ///< its path; takt_model::path is what messages show
    takt_fmu_options options; ///< it was opened with
    takt_fmu_resize_fn *resize; ///< as it was opened
    takt_fmi3_sizes sizes; ///< values of structural parameters other than those of the description
    bool is_me; ///< its instances run the interface for model exchange
    takt_me_options me_options; ///< of model exchange
    takt_solver_fn *choose_solver; ///< as in takt_fmu_options
    const void *solver_context;
    takt_fmu_way way; ///< how its instances run
    const char *library_path;
    bool separates; ///< every instance gets a copy of the library
    bool has_sources; ///< that could be compiled
    bool compiles; ///< the library has to be compiled from the FMU's sources if it is not there
    const char *location_uri; ///< of the unpacked FMU; for FMI 1.0
    const char *resource_uri; ///< for FMI 2.0
    const char *resource_path; ///< from FMI 3.0 on, with a '/' at the end
    takt_mutex lock; ///< protects what follows
    takt_library *library; ///< shared by all instances; loaded for the first one
    int n_loaded; ///< how often the library was loaded
    int n_sharing; ///< instances that use the shared library
    takt_fmu_contact *contacts; ///< of all instances that there have been
    void *attached; ///< see takt_fmu_attach()
    void (*end_attached)(void *attached); ///< NULL: nothing is
    bool has_kept; ///< a library could not be unloaded, because its code may still run
} takt_fmu;

/// Makes a model of which nothing is known but the path. Ended with takt_model_close().
takt_status takt_fmu_create(const char *path, const takt_fmu_options *options, takt_fmu **out,
                            takt_error *err);

/// The library for a new instance: the shared one, or one of its own where the FMU can be instantiated
/// only once per process or the user wants it so. May be called from any thread.
takt_status takt_fmu_acquire_library(takt_fmu *fmu, takt_library **out, takt_error *err);

/// A copy of the library with variables of its own, for an FMU that refuses a second instance. Fails where
/// there is no other instance.
takt_status takt_fmu_acquire_copy(takt_fmu *fmu, takt_library **out, takt_error *err);
void takt_fmu_release_library(takt_fmu *fmu, takt_library *library);

/// What the callbacks of a new instance get. Returns NULL when memory is exhausted. May be called from any
/// thread.
takt_fmu_contact *takt_fmu_add_contact(takt_fmu *fmu, struct takt_fmu_instance *instance);

/// Is a model an FMU?
bool takt_fmu_is(const takt_model *model);

/// For the tables of instance types: ends an FMU, and opens it with other sizes of arrays.
void takt_fmu_close(takt_model *model);
takt_status takt_fmu_resize(const takt_model *model, const takt_structural_value *values,
                            int n_values, takt_model **out, takt_error *err);

#endif
