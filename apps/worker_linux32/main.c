// SPDX-License-Identifier: MIT
// The program takt-worker-linux32: a worker for FMUs with libraries of 32 bits. It is the same code as that of other workers,
// compiled with 32 bits, with stand-ins for what needs libraries that are not there with 32 bits. A nest starts it
// (remote/foreign.h).
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread.h"
#include "fmu/recipe.h"
#include "remote/keeper.h"
#include "remote/serve.h"

typedef struct worker {
    pid_t nest;
    takt_me_options me; // of the instance
} worker;

static bool is_orphan(void *context)
{
    return getppid() != ((const worker *)context)->nest;
}

static takt_status prepare(void *context, const char *results, takt_log *log, takt_error *err)
{
    (void)context, (void)results, (void)log, (void)err;
    return TAKT_OK;
}

static takt_status open_fmu(worker *self, int file, takt_model **out, takt_error *err)
{
    struct stat status;
    void *recipe = fstat(file, &status)
                       ? MAP_FAILED
                       : mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (recipe == MAP_FAILED) return takt_fail(err, TAKT_ERR_USAGE, "there is no recipe");
    close(file);
    return takt_fmu_recipe_open(recipe, (size_t)status.st_size, NULL, &self->me, out, err);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fputs("takt-worker-linux32 is started by takt, for FMUs with 32 bits\n", stderr);
        return 2;
    }
    worker self = {.nest = atoi(argv[1])};
    int file = atoi(argv[2]);
    takt_region *region = takt_region_open(file);
    takt_model *model = NULL;
    takt_error err = {0};
    if (!region || is_orphan(&self)) return 1;
    close(file);
    if (open_fmu(&self, atoi(argv[3]), &model, &err)) {
        snprintf(region->note.how, sizeof region->note.how, "exit(1): %.100s", err.message);
        return 1;
    }
    takt_keeper keeper = {.region = region};
    takt_keeper_start(&keeper);
    const takt_serve_options options = {.me = &self.me,
                                        .is_orphan = is_orphan,
                                        .prepare = prepare,
                                        .context = &self,
                                        .on_instance = takt_keeper_watch,
                                        .keeper = &keeper};
    bool is_well = takt_serve(region, model, &options);
    takt_keeper_end(&keeper);
    if (is_well) takt_model_close(model); // the library's own destructors run
    _exit(!is_well);
}
