// SPDX-License-Identifier: MIT
// Writes a file of its own into the folder that the parameter ResultsRootDir names, as FMUs of building
// simulations do. The folder must be there.
#include <stdio.h>

#include <fmukit/fmukit.h>

typedef struct results_folder {
    const char *folder;
    double is_written;
} results_folder;

static const fmukit_variable variables[] = {
    {.name = "ResultsRootDir",
     .type = FMUKIT_STRING,
     .causality = FMUKIT_PARAMETER,
     .variability = FMUKIT_FIXED,
     .field = FMUKIT_FIELD(results_folder, folder),
     .start = {.string = ""}},
    {.name = "is_written",
     .type = FMUKIT_REAL,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(results_folder, is_written),
     .depends_on = FMUKIT_NO_INPUTS},
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    results_folder *m = model;
    char path[1024];
    if (m->is_written != 0 || !*m->folder) return FMUKIT_OK;
    snprintf(path, sizeof path, "%s/own.txt", m->folder);
    FILE *file = fopen(path, "w");
    m->is_written = file && fputs("written\n", file) >= 0;
    if (file) fclose(file);
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "ResultsFolder",
    .description = "Writes a file into a folder that it is told",
    .size = sizeof(results_folder),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .functions = {.evaluate = evaluate},
};
