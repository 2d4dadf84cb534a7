// SPDX-License-Identifier: MIT
// The program takt-worker-win64: a worker for FMUs for Windows, run by Wine. It is a program of Linux that can use the functions
// of Windows, too (Winelib): what it shares with the other worker is the same code, compiled so that FMUs are called as
// Windows does it. A nest starts it (remote/foreign.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults.h"
#include "fmu/recipe.h"
#include "refusals.h"
#include "remote/foreign.h"
#include "remote/sandbox.h"
#include "remote/serve.h"

typedef struct worker {
    pid_t nest;
    const char *sandbox; // what the nest says about it (remote/foreign.h)
    takt_region *region;
    takt_me_options me; // of the instance
} worker;

static bool is_orphan(void *context)
{
    return getppid() != ((const worker *)context)->nest;
}

// The sandbox restricts files already; system calls only from here on.
static takt_status prepare(void *context, const char *results, takt_log *log, takt_error *err)
{
    const worker *self = context;
    (void)results, (void)err;
    if (strcmp(self->sandbox, TAKT_FOREIGN_FREE) == 0) return TAKT_OK;
    takt_refusals_watch();
    bool has_calls = takt_sandbox_restrict(TAKT_CALLS_OF_SERVED, &self->region->note);
    const char *lacks =
        takt_sandbox_lack(strcmp(self->sandbox, TAKT_FOREIGN_CONFINED) == 0, has_calls);
    if (lacks) takt_log_write(log, TAKT_LEVEL_WARN, "the sandbox is incomplete here: %s", lacks);
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
        fputs("takt-worker-win64 is started by takt, for FMUs for Windows\n", stderr);
        return 2;
    }
    worker self = {.nest = atoi(argv[1]), .sandbox = argv[4]};
    int file = atoi(argv[2]);
    takt_region *region = takt_region_open(file);
    takt_model *model = NULL;
    takt_error err = {0};
    if (!region || is_orphan(&self)) return 1;
    self.region = region;
    close(file);
    takt_faults_watch(region);
    if (open_fmu(&self, atoi(argv[3]), &model, &err)) {
        snprintf(region->note.how, sizeof region->note.how, "exit(1): %.100s", err.message);
        return 1;
    }
    const takt_serve_options options = {.me = &self.me,
                                        .is_orphan = is_orphan,
                                        .prepare = prepare,
                                        .context = &self,
                                        .on_instance = takt_faults_watch_instance};
    bool is_well = takt_serve(region, model, &options);
    if (is_well) takt_model_close(model); // the DLL's own destructors run
    takt_faults_unwatch();
    return !is_well;
}
