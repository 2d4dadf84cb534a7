// SPDX-License-Identifier: MIT
// Reads a file of its folder `resources`; outputs the path of the folder and what the file says.
#include <fmukit/fmukit.h>

#include <stdio.h>
#include <string.h>

typedef struct reader {
    const char *path, *text;
    char line[256];
} reader;

static const fmukit_variable variables[] = {
    {.name = "path",
     .type = FMUKIT_STRING,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(reader, path)},
    {.name = "text",
     .description = "The first line of text.txt; empty: it could not be read",
     .type = FMUKIT_STRING,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(reader, text)},
};

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    (void)t;
    reader *m = model;
    char path[4096];
    m->path = fmukit_resources(fmu);
    int n = snprintf(path, sizeof path, "%stext.txt", m->path);
    FILE *file = n > 0 && n < (int)sizeof path ? fopen(path, "r") : NULL;
    if (!file) fmukit_log(fmu, FMUKIT_WARNING, NULL, "cannot read %stext.txt", m->path);
    if (file && fgets(m->line, sizeof m->line, file)) m->line[strcspn(m->line, "\n")] = 0;
    if (file) fclose(file);
    m->text = m->line;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Resources",
    .description = "Reads a file of its resources",
    .size = sizeof(reader),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .functions = {.initialize = initialize},
};
