// SPDX-License-Identifier: MIT
// The program takt-worker-win64: a worker for FMUs for Windows, run by Wine. It is a program of Linux that can use the functions
// of Windows, too (Winelib): what it shares with the other worker is the same code, compiled so that FMUs are called as
// Windows does it. A nest starts it (remote/foreign.h).
#include <string.h>

#include "faults.h"
#include "refusals.h"
#include "remote/foreign.h"
#include "remote/foreign_worker.h"

static takt_status prepare(void *context, const char *results, takt_log *log, takt_error *err)
{
    const takt_foreign_worker *self = context;
    if (strcmp(self->sandbox, TAKT_FOREIGN_FREE) != 0) takt_refusals_watch();
    return takt_foreign_worker_prepare(context, results, log, err);
}

int main(int argc, char **argv)
{
    takt_foreign_worker self = {.stage = TAKT_CALLS_OF_SERVED};
    if (!takt_foreign_worker_begin(&self, argc, argv)) return 2;
    takt_faults_watch(self.region);
    takt_model *model = takt_foreign_worker_open(&self);
    if (!model) return 1;
    const takt_serve_options options = {.me = &self.me,
                                        .is_orphan = takt_foreign_worker_is_orphan,
                                        .prepare = prepare,
                                        .context = &self,
                                        .on_instance = takt_faults_watch_instance};
    bool is_well = takt_serve(self.region, model, &options);
    if (is_well) takt_model_close(model); // the DLL's own destructors run
    takt_faults_unwatch();
    return !is_well;
}
