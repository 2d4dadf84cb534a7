// SPDX-License-Identifier: MIT
// Which files a run must not write; see run_files.h.
#include "run_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

static bool is_file(const cli_written_file *file)
{
    return file->path && strcmp(file->path, "-") != 0;
}

takt_status cli_files_check_read(const cli_written_file *files, int n, const char *what,
                                 const char *path, takt_error *err)
{
    for (int i = 0; i < n; i++)
        if (is_file(&files[i]) && cli_is_same_file(files[i].path, path))
            return cli_fail(err, TAKT_ERR_USAGE, "%s %s would overwrite %s; choose another file",
                            files[i].option, files[i].path, what);
    return TAKT_OK;
}

takt_status cli_files_check(const cli_written_file *files, int n, const char *project,
                            takt_error *err)
{
    takt_status st = cli_files_check_read(files, n, "the project", project, err);
    if (st) return st;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i && is_file(&files[i]); k++)
            if (is_file(&files[k]) && cli_is_same_file(files[i].path, files[k].path))
                return cli_fail(err, TAKT_ERR_USAGE, "%s and %s are the same file %s; choose two",
                                files[k].option, files[i].option, files[i].path);
    return TAKT_OK;
}

takt_status cli_files_check_results(const cli_written_file *files, int n, const char *results,
                                    takt_error *err)
{
    if (!results || strcmp(results, "-") == 0) return TAKT_OK;
    size_t size = strlen(results) + sizeof ".json";
    char *side = malloc(size);
    if (!side) return cli_fail_memory(err);
    snprintf(side, size, "%s.json", results);
    takt_status st = cli_files_check_read(files, n, "the results", results, err);
    if (!st) st = cli_files_check_read(files, n, "the description of the results", side, err);
    free(side);
    return st;
}

// There may be thousands of sources, but few files that exist already.
static int list_existing(const cli_written_file *files, int n, cli_written_file *out)
{
    int n_existing = 0;
    for (int i = 0; i < n; i++)
        if (is_file(&files[i]) && access(files[i].path, F_OK) == 0) out[n_existing++] = files[i];
    return n_existing;
}

static takt_status check_components(const cli_written_file *files, int n,
                                    const takt_project *project, takt_error *err)
{
    char what[256];
    takt_status st = TAKT_OK;
    for (int i = 0; i < takt_project_count_components(project) && n && !st; i++) {
        takt_component_info info = {.size = sizeof info};
        st = takt_project_get_component(project, i, &info, err);
        if (st || !info.source) continue;
        snprintf(what, sizeof what, "the source of component '%.200s'", info.name);
        st = cli_files_check_read(files, n, what, info.source, err);
    }
    return st;
}

takt_status cli_files_check_sources(const cli_written_file *files, int n,
                                    const takt_project *project, const cli_arguments *arguments,
                                    takt_error *err)
{
    static const char *const reading[] = {"input-file", "scenario", "ssv"};
    cli_written_file *existing = calloc((size_t)n + 1, sizeof *existing);
    if (!existing) return cli_fail_memory(err);
    int n_existing = list_existing(files, n, existing);
    takt_status st = check_components(existing, n_existing, project, err);
    for (int i = 0; i < arguments->n_settings && !st; i++)
        for (size_t k = 0; k < sizeof reading / sizeof *reading && !st; k++) {
            const cli_setting *setting = &arguments->settings[i];
            if (strcmp(setting->name, reading[k]) != 0) continue;
            char what[64];
            snprintf(what, sizeof what, "the file of --%s", reading[k]);
            st = cli_files_check_read(existing, n_existing, what, setting->value, err);
        }
    free(existing);
    return st;
}
