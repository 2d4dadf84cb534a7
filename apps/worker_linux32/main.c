// SPDX-License-Identifier: MIT
// The program takt-worker-linux32: a worker for FMUs with libraries of 32 bits. It is the same code as that of other workers,
// compiled with 32 bits, with stand-ins for what needs libraries that are not there with 32 bits. A nest starts it
// (remote/foreign.h).
#include <takt/worker.h>
#include <unistd.h>

#include "integrator.h"
#include "remote/foreign_worker.h"
#include "remote/keeper.h"

// The program's functions that open files (apps/worker/refusals.c) say what they were refused.
void takt_worker_note_refused(const char *path)
{
    takt_sandbox_note(path);
}

int main(int argc, char **argv)
{
    takt_foreign_worker self = {.stage = TAKT_CALLS_OF_FMU};
    if (!takt_foreign_worker_begin(&self, argc, argv)) return 2;
    takt_model *model = takt_foreign_worker_open(&self);
    if (!model) return 1;
    takt_keeper keeper = {.region = self.region};
    takt_keeper_start(&keeper);
    const takt_serve_options options = {.me = &self.me,
                                        .is_orphan = takt_foreign_worker_is_orphan,
                                        .prepare = takt_foreign_worker_prepare,
                                        .begin = takt_integrator_begin,
                                        .context = &self,
                                        .on_instance = takt_keeper_watch,
                                        .keeper = &keeper};
    bool is_well = takt_serve(self.region, model, &options);
    takt_keeper_end(&keeper);
    if (is_well) takt_model_close(model); // the library's own destructors run
    _exit(!is_well);
}
