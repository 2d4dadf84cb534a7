// SPDX-License-Identifier: MIT
// Beginning as a worker of a nest; see foreign_worker.h.
#include "remote/foreign_worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fmu/recipe.h"
#include "remote/foreign.h"

bool takt_foreign_worker_is_orphan(void *context)
{
    return getppid() != ((const takt_foreign_worker *)context)->nest;
}

bool takt_foreign_worker_begin(takt_foreign_worker *self, int argc, char **argv)
{
    long numbers[3];
    if (argc != 5) {
        fprintf(stderr, "%s is started by takt, for FMUs for other platforms\n",
                argc > 0 ? argv[0] : "the worker");
        return false;
    }
    for (int i = 0; i < 3; i++) numbers[i] = strtol(argv[i + 1], NULL, 10);
    self->nest = (int)numbers[0];
    self->recipe = (int)numbers[2];
    self->sandbox = argv[4];
    self->region = takt_region_open((int)numbers[1]);
    close((int)numbers[1]);
    return self->region && !takt_foreign_worker_is_orphan(self);
}

takt_status takt_foreign_worker_prepare(void *context, const char *results, takt_log *log,
                                        takt_error *err)
{
    const takt_foreign_worker *self = context;
    (void)results, (void)err;
    if (strcmp(self->sandbox, TAKT_FOREIGN_FREE) == 0) return TAKT_OK;
    bool has_calls = takt_sandbox_restrict(self->stage, &self->region->note);
    const char *lacks =
        takt_sandbox_lack(strcmp(self->sandbox, TAKT_FOREIGN_CONFINED) == 0, has_calls);
    if (lacks) takt_log_write(log, TAKT_LEVEL_WARN, "the sandbox is incomplete here: %s", lacks);
    return TAKT_OK;
}

takt_model *takt_foreign_worker_open(takt_foreign_worker *self)
{
    struct stat status;
    takt_model *model = NULL;
    takt_error err = {0};
    void *recipe = fstat(self->recipe, &status) ? MAP_FAILED
                                                : mmap(NULL, (size_t)status.st_size, PROT_READ,
                                                       MAP_PRIVATE, self->recipe, 0);
    takt_status st = recipe == MAP_FAILED ? takt_fail(&err, TAKT_ERR_USAGE, "there is no recipe")
                                          : takt_fmu_recipe_open(recipe, (size_t)status.st_size,
                                                                 NULL, &self->me, &model, &err);
    close(self->recipe);
    if (st)
        snprintf(self->region->note.how, sizeof self->region->note.how, "exit(1): %.100s",
                 err.message);
    return st ? NULL : model;
}
