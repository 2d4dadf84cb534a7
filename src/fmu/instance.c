// SPDX-License-Identifier: MIT
// The life of an instance of an FMU; see instance.h.
#include "fmu/instance.h"

#include <stdlib.h>
#include <string.h>

#include "base/float_mode.h"
#include "fmu/loader.h"
#include "me/me.h"

// ---- instantiation -------------------------------------------------------------------------------

static takt_status init(takt_fmu_instance *self, takt_error *err)
{
    self->base.n_calls = &self->log.call;
    self->base.stage = &self->log.stage;
    self->float_mode = takt_float_mode();
    self->contact = takt_fmu_add_contact(self->fmu, self);
    if (!self->contact) return takt_fail_memory(err);
    return takt_fmu_acquire_library(self->fmu, &self->library, err);
}

// Changes to a copy of the library, for an FMU that refuses a second instance without having said so
// (canBeInstantiatedOnlyOncePerProcess). Returns false where that cannot help.
static bool change_to_copy(takt_fmu_instance *self)
{
    takt_library *copy = NULL;
    if (self->library->is_dead || takt_fmu_acquire_copy(self->fmu, &copy, NULL)) return false;
    takt_fmu_release_library(self->fmu, self->library);
    self->library = copy;
    takt_log_write(self->base.log, TAKT_LEVEL_INFO,
                   "instance '%s': FMU %s refuses a second instance; a copy of its library is used",
                   self->base.name, self->base.model->path);
    return true;
}

static takt_status create(takt_fmu_instance *self, takt_error *err)
{
    takt_status st = self->kind->create(self, err);
    bool is_refused = st && !self->component;
    return is_refused && change_to_copy(self) ? self->kind->create(self, err) : st;
}

takt_status takt_fmu_instantiate(const takt_fmu_kind *kind, const takt_model *model,
                                 const char *name, takt_log *log, takt_instance **out,
                                 takt_error *err)
{
    takt_fmu_instance *self = calloc(1, kind->size);
    if (!self || !takt_fmu_log_init(&self->log, log, model, name)) {
        free(self);
        return takt_fail_memory(err);
    }
    self->base = (takt_instance){.type = kind->type, .model = model, .name = name, .log = log};
    self->kind = kind;
    self->fmu = (takt_fmu *)model; // the library is loaded with the first instance
    takt_status st = init(self, err);
    if (!st) st = kind->prepare(self, err);
    if (!st) st = create(self, err);
    if (!st && kind->complete) st = kind->complete(self, err);
    if (st)
        takt_fmu_destroy(&self->base);
    else
        *out = &self->base;
    return st;
}

// ---- end -----------------------------------------------------------------------------------------

bool takt_fmu_may_free(const takt_fmu_instance *self)
{
    return self->library && !self->library->is_dead && self->phase != TAKT_FMU_STUCK;
}

// Ends the component as far as the FMU still may be called.
static void free_component(takt_fmu_instance *self)
{
    if (!self->component || !takt_fmu_may_free(self)) return;
    if (self->is_initialized && self->phase < TAKT_FMU_TERMINATED)
        self->kind->terminate(self, NULL);
    if (takt_fmu_may_free(self)) self->kind->free(self);
}

static void release_library(takt_fmu_instance *self)
{
    if (self->phase == TAKT_FMU_STUCK)
        atomic_store(&self->library->stays_loaded, true); // its step may still be running
    takt_fmu_release_library(self->fmu, self->library);
}

void takt_fmu_destroy(takt_instance *instance)
{
    takt_fmu_instance *self = (takt_fmu_instance *)instance;
    if (!self) return;
    free_component(self);
    if (self->contact) takt_fmu_contact_end(self->contact);
    self->kind->clear(self);
    if (self->library) release_library(self);
    takt_fmu_log_clear(&self->log);
    if (self->me) takt_me_clear(self->me);
    free(self->me);
    free(self->tracer);
    free(self);
}

takt_status takt_fmu_terminate(takt_instance *instance, takt_error *err)
{
    takt_fmu_instance *self = (takt_fmu_instance *)instance;
    takt_status st = self->kind->terminate(self, err);
    if (self->phase < TAKT_FMU_FAILED)
        self->phase = TAKT_FMU_TERMINATED; // whatever it said, it is not asked again
    return st;
}

// ---- code ----------------------------------------------------------------------------------------

bool takt_fmu_has_code(const takt_instance *instance, const void *address)
{
    const takt_fmu *fmu = (const takt_fmu *)instance->model;
    return fmu->unpacked.folder && takt_loader_has_code(fmu->unpacked.folder, address);
}

// ---- messages ------------------------------------------------------------------------------------

size_t takt_fmu_problem_categories(const takt_fmu_instance *self,
                                   const char *out[TAKT_FMU_MAX_CATEGORIES])
{
    static const char *const wanted[TAKT_FMU_MAX_CATEGORIES] = {
        "logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal"};
    const takt_description *description = &self->fmu->description;
    size_t n = 0;
    for (int i = 0; i < description->n_categories; i++)
        for (int k = 0; k < TAKT_FMU_MAX_CATEGORIES && n < TAKT_FMU_MAX_CATEGORIES; k++)
            if (strcmp(description->categories[i], wanted[k]) == 0) out[n++] = wanted[k];
    return n;
}
