// SPDX-License-Identifier: MIT
// The public function for new FMU projects.
#include "takt/author.h"

#include <string.h>

#include "author/like.h"
#include "author/project_files.h"
#include "author/words.h"
#include "base/sized.h"
#include "base/path.h"
#include "fmu/open.h"
#include "instance/instance.h"

static takt_status take_words(const takt_new_fmu *project, takt_draft *draft, takt_error *err)
{
    bool ok = true;
    for (int i = 0; ok && i < project->n_variables; i++) {
        const takt_new_variable *v = &project->variables[i];
        if (!v->kind || !v->text)
            return takt_fail(err, TAKT_ERR_USAGE, "variable number %d has no kind or no text", i);
        ok = takt_draft_read_words(draft, v->kind, v->text);
    }
    return ok ? TAKT_OK : takt_fail_memory(err);
}

static takt_status find_kit(const takt_new_fmu *project, takt_draft *draft, const char **out,
                            takt_error *err)
{
    char *file = takt_path_join(&draft->arena, project->kit, "cmake/FmuKit.cmake");
    if (!file) return takt_fail_memory(err);
    if (!takt_path_is_file(file))
        takt_draft_problem(draft, NULL, 0, "there is no FMU kit at '%s': no %s", project->kit,
                           file);
    return takt_path_real(&draft->arena, project->kit, out, err);
}

takt_status takt_new_fmu_write(const takt_new_fmu *given, takt_log *log, takt_error *err)
{
    takt_new_fmu complete = {0};
    const takt_new_fmu *project = &complete;
    takt_status st = takt_sized_take(&complete, given, sizeof complete, err);
    if (st) return st;
    if (!project->name || !project->folder || !project->kit ||
        (project->n_variables > 0 && !project->variables))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "takt_new_fmu_write: name, folder, kit and variables must not be NULL");
    takt_draft draft = {.log = log,
                        .name = project->name,
                        .description = project->description,
                        .versions = project->versions};
    takt_model *model = NULL;
    const char *kit = NULL;
    st = find_kit(project, &draft, &kit, err);
    if (!st && project->like) st = takt_fmu_open(project->like, log, &model, err);
    if (!st && model && !takt_draft_take(&draft, model, takt_fmu_description(model)))
        st = takt_fail_memory(err);
    if (!st && project->table) st = takt_draft_read_table(&draft, project->table, err);
    if (!st) st = take_words(project, &draft, err);
    if (!st) st = takt_draft_finish(&draft, err);
    if (!st) st = takt_author_write(&draft, project->folder, kit ? kit : project->kit, err);
    if (model) takt_model_close(model);
    takt_draft_clear(&draft);
    return st;
}
