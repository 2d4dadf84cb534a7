// SPDX-License-Identifier: MIT
// A small model with a variable of most kinds, for fuzzing readers of projects together with the checks
// of the system. Its code is never run.
#ifndef TAKT_TESTS_FUZZ_SMALL_MODEL_H
#define TAKT_TESTS_FUZZ_SMALL_MODEL_H

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
    {.name = "y", .causality = TAKT_OUTPUT, .variability = TAKT_CONTINUOUS, .unit = "m"},
    {.name = "n",
     .type = TAKT_INT32,
     .causality = TAKT_INPUT,
     .variability = TAKT_DISCRETE,
     .max = INFINITY},
    {.name = "m", .type = TAKT_INT32, .causality = TAKT_OUTPUT, .variability = TAKT_DISCRETE},
    {.name = "b",
     .type = TAKT_BINARY,
     .causality = TAKT_PARAMETER,
     .variability = TAKT_FIXED,
     .initial = TAKT_EXACT},
    {.name = "e",
     .type = TAKT_ENUMERATION,
     .declared_type = "Mode",
     .causality = TAKT_PARAMETER,
     .variability = TAKT_FIXED,
     .initial = TAKT_EXACT,
     .max = INFINITY},
};

static takt_unit units[] = {{"m", .has_base = true, .m = 1, .factor = 1}};
static takt_enumeration_item items[] = {{"off", NULL, 1}, {"on", NULL, 2}};
static takt_type_definition types[] = {
    {.name = "Mode", .type = TAKT_ENUMERATION, .items = items, .n_items = 2}};

static takt_status open_model(void *context, const takt_model_source *source, takt_model **out,
                              takt_error *err)
{
    (void)context;
    const char *path = source->path;
    if (takt_builtin_is_source(path) && path[8] != 'v') return takt_builtin_open(path, out, err);
    takt_model *model = calloc(1, sizeof *model);
    if (!model) return takt_fail_memory(err);
    *model = (takt_model){.type = &type, .path = path, .name = "small", .version = "none"};
    model->units = units;
    model->n_units = 1;
    model->types = types;
    model->n_types = 1;
    model->n_variables = sizeof variables / sizeof *variables;
    model->variables = (takt_variable *)variables;
    for (int i = 0; i < model->n_variables; i++)
        if (!takt_map_add(&model->names, variables[i].name, i)) abort();
    *out = model;
    return TAKT_OK;
}

/// Goes on with a project that was read with `status`: makes a system and a plan of it, and ends it. A
/// failure without a message ends the program.
static void fuzz_make_system(takt_project *project, takt_status status, takt_error *err)
{
    takt_system *system = NULL;
    takt_plan *plan = NULL;
    if (!status) status = takt_system_make(project, open_model, NULL, &system, err);
    if (!status) status = takt_plan_create(system, &plan, err);
    if (status && (err->status != status || !err->message[0])) abort();
    takt_plan_destroy(plan);
    takt_system_destroy(system);
    takt_project_close(project);
}

/// Applies parameter values, with a mapping unless it is NULL, to a project of two components, and makes
/// what can be made of it.
static inline int fuzz_parameters(const void *values, size_t values_size, const void *mapping,
                                  size_t mapping_size)
{
    takt_project *project = NULL;
    takt_error err = {0};
    if (takt_project_create("fuzz.ssd", NULL, &project, &err)) abort();
    static const char *const names[] = {"A", "Sub.A"};
    for (int i = 0; i < 2; i++)
        if (!takt_project_add_component(
                project, &(takt_project_component){.name = names[i], .source = "small.fmu"}))
            abort();
    takt_project_alias alias = {.name = "Sub.k", .component = "Sub.A", .variable = "k"};
    if (!takt_project_add_alias(project, &alias)) abort();
    takt_status st =
        takt_project_parse_ssv(project, values, values_size, mapping, mapping_size, &err);
    fuzz_make_system(project, st, &err);
    return 0;
}

/// Reads a text with one of the parsers of whole projects and makes what can be made of it.
static inline int fuzz_project(const char *name, const uint8_t *data, size_t size,
                               takt_status (*parse)(takt_project *, const void *, size_t,
                                                    takt_error *))
{
    takt_project *project = NULL;
    takt_error err = {0};
    if (takt_project_create(name, NULL, &project, &err)) abort();
    takt_status st = parse(project, data, size, &err);
    fuzz_make_system(project, st, &err);
    return 0;
}

#endif
