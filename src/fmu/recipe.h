// SPDX-License-Identifier: MIT
// What another process needs to open an FMU that is open here, in the same way and without unpacking it again.
#ifndef TAKT_FMU_RECIPE_H
#define TAKT_FMU_RECIPE_H

#include "instance/pack.h"
#include "me/me.h"

/// Appends it. The model must be an FMU and stay open while the other process uses it.
void takt_fmu_recipe_write(const takt_model *model, takt_packer *packer);

/// Does this process see the unpacked FMU? Another computer may not.
bool takt_fmu_recipe_is_here(const char *recipe, size_t size);

/// Where the FMU of a recipe lies unpacked; "": that cannot be read. Refers to the recipe.
const char *takt_fmu_recipe_folder(const char *recipe, size_t size);

/// Opens the FMU of a recipe. `package`: its file, which is unpacked; NULL: it is opened where the other process has unpacked it. `solver`, which
/// must outlive the model, says how an instance is integrated when it is made.
takt_status takt_fmu_recipe_open(const char *recipe, size_t size, const char *package,
                                 const takt_me_options *solver, takt_model **out, takt_error *err);

/// The file of an FMU.
const char *takt_fmu_file(const takt_model *model);

/// How the instance of this name is integrated; all zero for co-simulation.
takt_me_options takt_fmu_solver(const takt_model *model, const char *instance);

/// Where the FMU lies unpacked.
const char *takt_fmu_folder(const takt_model *model);

/// Lets something of another layer live as long as the model; `end` is called before the rest is closed.
void takt_fmu_attach(takt_model *model, void *what, void (*end)(void *what));

#endif
