// SPDX-License-Identifier: MIT
// Fuzzes the SSD reader, and with what it accepts the checks of the system: every component finds
// the same small model, whose code is never run. Nothing may crash, leak or hang, and a failure has
// a message.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "instance/instance.h"
#include "plan/plan.h"
#include "project/project.h"
#include "system/system.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void close_model(takt_model *model)
{
    free(model);
}

static const takt_instance_type type = {.name = "none", .close_model = close_model};

static const takt_variable variables[] = {
    {.name = "k",
     .causality = TAKT_PARAMETER,
     .variability = TAKT_FIXED,
     .initial = TAKT_EXACT,
     .max = INFINITY},
    {.name = "u", .causality = TAKT_INPUT, .variability = TAKT_CONTINUOUS},
    {.name = "y", .causality = TAKT_OUTPUT, .variability = TAKT_CONTINUOUS},
};

static takt_status open_model(void *context, const char *path, takt_model **out, takt_error *err)
{
    (void)context;
    takt_model *model = calloc(1, sizeof *model);
    if (!model) return takt_fail_memory(err);
    *model = (takt_model){.type = &type, .path = path, .name = "small", .version = "none"};
    model->n_variables = sizeof variables / sizeof *variables;
    model->variables = (takt_variable *)variables;
    for (int i = 0; i < model->n_variables; i++)
        if (!takt_map_add(&model->names, variables[i].name, i)) abort();
    *out = model;
    return TAKT_OK;
}

static void check(takt_status status, const takt_error *err)
{
    if (status && (err->status != status || !err->message[0])) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    takt_project *project = NULL;
    takt_system *system = NULL;
    takt_plan *plan = NULL;
    takt_error err = {0};
    if (takt_project_create("fuzz.ssd", NULL, &project, &err)) abort();
    takt_status st = takt_project_parse_ssd(project, data, size, &err);
    if (!st) st = takt_system_make(project, open_model, NULL, &system, &err);
    if (!st) st = takt_plan_create(system, &plan, &err);
    check(st, &err);
    takt_plan_destroy(plan);
    takt_system_destroy(system);
    takt_project_close(project);
    return 0;
}
