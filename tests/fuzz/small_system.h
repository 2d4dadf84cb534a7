// SPDX-License-Identifier: MIT
// What the fuzzers of project formats share: a project that was read becomes a system and a plan, in which
// every component finds the same small model, whose code is never run. Nothing may crash, leak or
// hang, and a failure has a message.
#ifndef TAKT_TESTS_FUZZ_SMALL_SYSTEM_H
#define TAKT_TESTS_FUZZ_SMALL_SYSTEM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "builtin/builtin.h"
#include "instance/instance.h"
#include "plan/plan.h"
#include "project/project.h"
#include "system/system.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void small_close(takt_model *model)
{
    free(model);
}

static const takt_instance_type small_type = {.name = "none", .close_model = small_close};

static const takt_variable small_variables[] = {
    {.name = "k",
     .causality = TAKT_PARAMETER,
     .variability = TAKT_FIXED,
     .initial = TAKT_EXACT,
     .max = INFINITY},
    {.name = "u", .causality = TAKT_INPUT, .variability = TAKT_CONTINUOUS},
    {.name = "y", .causality = TAKT_OUTPUT, .variability = TAKT_CONTINUOUS},
};

static takt_status small_open(void *context, const char *path, takt_model **out, takt_error *err)
{
    (void)context;
    if (takt_builtin_is_source(path) && path[8] != 'v') return takt_builtin_open(path, out, err);
    takt_model *model = calloc(1, sizeof *model);
    if (!model) return takt_fail_memory(err);
    *model = (takt_model){.type = &small_type, .path = path, .name = "small", .version = "none"};
    model->n_variables = sizeof small_variables / sizeof *small_variables;
    model->variables = (takt_variable *)small_variables;
    for (int i = 0; i < model->n_variables; i++)
        if (!takt_map_add(&model->names, small_variables[i].name, i)) abort();
    *out = model;
    return TAKT_OK;
}

/// Reads a text with one of the parsers and makes what can be made of it.
static inline int small_fuzz(const char *name, const uint8_t *data, size_t size,
                             takt_status (*parse)(takt_project *, const void *, size_t,
                                                  takt_error *))
{
    takt_project *project = NULL;
    takt_system *system = NULL;
    takt_plan *plan = NULL;
    takt_error err = {0};
    if (takt_project_create(name, NULL, &project, &err)) abort();
    takt_status st = parse(project, data, size, &err);
    if (!st) st = takt_system_make(project, small_open, NULL, &system, &err);
    if (!st) st = takt_plan_create(system, &plan, &err);
    if (st && (err.status != st || !err.message[0])) abort();
    takt_plan_destroy(plan);
    takt_system_destroy(system);
    takt_project_close(project);
    return 0;
}

#endif
