// SPDX-License-Identifier: MIT
// Messages about crashes in other processes; see crashed.h.
#include "instance/crashed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *file_name(const takt_model *model)
{
    const char *path = model && model->path ? model->path : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

void takt_crashed_name(const char *name, const takt_model *model, char out[TAKT_CRASHED_NAME_SIZE])
{
    const char *file = file_name(model);
    snprintf(out, TAKT_CRASHED_NAME_SIZE, "component '%s'%s%s%s", name, file ? " (" : "",
             file ? file : "", file ? ")" : "");
}

takt_status takt_crashed_begin(const takt_instance *instance, takt_status status, takt_error *err)
{
    char name[TAKT_CRASHED_NAME_SIZE];
    takt_crashed_name(instance->name, instance->model, name);
    return takt_within(err, status, "%s", name);
}

void takt_crashed_complete(takt_error *err, double t, double row_time)
{
    char text[TAKT_MESSAGE_SIZE], moment[64] = "", results[96] = "";
    if (!err || err->status != TAKT_ERR_CRASH) return;
    const char *begin = strstr(err->message, "component '"), *next = begin;
    while (next && (next = strstr(next + 1, ": component '"))) begin = next + 2; // the innermost
    if (!isnan(t)) snprintf(moment, sizeof moment, " at t=%.15g s", t);
    if (!isnan(row_time))
        snprintf(results, sizeof results, "; results up to t=%.15g s are complete", row_time);
    snprintf(text, sizeof text, "%s", begin ? begin : err->message);
    takt_fail(err, TAKT_ERR_CRASH, "%s%s%s", text, moment, results);
}
