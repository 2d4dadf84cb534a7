// SPDX-License-Identifier: MIT
// What a step of each component costs; see costs.h.
#include "costs.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const double unknown = -1;

bool cli_glob_matches(const char *glob, const char *name)
{
    for (; *glob; glob++, name++) {
        if (*glob == '*') {
            for (; *name; name++)
                if (cli_glob_matches(glob + 1, name)) return true;
            return cli_glob_matches(glob + 1, name);
        }
        if (!*name || (*glob != '?' && *glob != *name)) return false;
    }
    return !*name;
}

bool cli_costs_are_given(const cli_arguments *arguments)
{
    for (int i = 0; i < arguments->n_settings; i++)
        if (strcmp(arguments->settings[i].name, "cost") == 0) return true;
    return false;
}

// ---- from statistics ---------------------------------------------------------------------------

// The time of all calls of an instance, s; negative: it has none.
static double time_of(const json_t *instance)
{
    const char *kind;
    json_t *calls;
    double sum = unknown;
    json_object_foreach((json_t *)instance, kind, calls)
    {
        const json_t *time = json_object_get(calls, "time");
        if (!json_is_number(time) || !(json_number_value(time) >= 0)) continue;
        sum = (sum < 0 ? 0 : sum) + json_number_value(time);
    }
    return sum;
}

// Components that are in the file get the time of their calls per step of the system.
static takt_status take_statistics(const takt_system *system, const char *path, const json_t *root,
                                   double *out, takt_error *err)
{
    const json_t *instances = json_object_get(root, "instances");
    double n_steps = json_number_value(json_object_get(root, "steps"));
    int n_found = 0;
    for (int i = 0; i < takt_system_count_components(system) && n_steps > 0; i++) {
        takt_model_info info = {.size = sizeof info};
        takt_status st = takt_system_get_model(system, i, &info, err);
        if (st) return st;
        double time = time_of(json_object_get(instances, info.component));
        if (time < 0) continue;
        if (out[i] != 0) out[i] = time / n_steps;
        n_found++;
    }
    if (n_found) return TAKT_OK;
    return cli_fail(err, TAKT_ERR_INPUT,
                    "--cost %s: these are no statistics of this project, as `takt run --stats "
                    "FILE` writes them",
                    path);
}

static takt_status read_statistics(const takt_system *system, const char *path, double *out,
                                   takt_error *err)
{
    char *text;
    size_t size;
    json_error_t problem;
    takt_status st = cli_file_read(path, &text, &size, err);
    if (st) return st;
    json_t *root = json_loadb(text, size, 0, &problem);
    free(text);
    if (!root)
        return cli_fail(err, TAKT_ERR_INPUT,
                        "--cost %s:%d: %s; expected GLOB=SECONDS or the "
                        "statistics of a run",
                        path, problem.line, problem.text);
    st = take_statistics(system, path, root, out, err);
    json_decref(root);
    return st;
}

// ---- all ---------------------------------------------------------------------------------------

// "GLOB=SECONDS".
static takt_status take_given(const takt_system *system, const char *text, double *out,
                              takt_error *err)
{
    const char *equals = strrchr(text, '=');
    double cost;
    int n_met = 0;
    if (!takt_number_read_duration(equals + 1, &cost) || !(cost >= 0) || isinf(cost))
        return cli_fail(err, TAKT_ERR_USAGE, "--cost: '%s' is not GLOB=SECONDS", text);
    char *glob = strndup(text, (size_t)(equals - text));
    if (!glob) return cli_fail_memory(err);
    takt_status st = TAKT_OK;
    for (int i = 0; i < takt_system_count_components(system) && !st; i++) {
        takt_model_info info = {.size = sizeof info};
        st = takt_system_get_model(system, i, &info, err);
        if (st || !cli_glob_matches(glob, info.component)) continue;
        out[i] = cost;
        n_met++;
    }
    if (!st && !n_met) st = cli_fail(err, TAKT_ERR_USAGE, "--cost %s: no component matches", text);
    free(glob);
    return st;
}

// What is not known is as that what is.
static void fill(double *out, int n, bool are_given)
{
    double sum = 0;
    int n_known = 0;
    for (int i = 0; i < n; i++) {
        if (!(out[i] > 0)) continue;
        sum += out[i];
        n_known++;
    }
    for (int i = 0; i < n; i++)
        if (out[i] < 0) out[i] = are_given && n_known ? sum / n_known : 1;
}

takt_status cli_costs_find(const takt_system *system, const cli_arguments *arguments, double *out,
                           takt_error *err)
{
    int n = takt_system_count_components(system);
    takt_status st = TAKT_OK;
    for (int i = 0; i < n && !st; i++) {
        takt_model_info info = {.size = sizeof info};
        st = takt_system_get_model(system, i, &info, err);
        bool is_fmu = !st && info.version && strncmp(info.version, "FMI", 3) == 0;
        out[i] = is_fmu ? unknown : 0;
    }
    for (int k = 0; k < arguments->n_settings && !st; k++) {
        const cli_setting *s = &arguments->settings[k];
        if (strcmp(s->name, "cost") != 0) continue;
        st = strchr(s->value, '=') ? take_given(system, s->value, out, err)
                                   : read_statistics(system, s->value, out, err);
    }
    if (!st) fill(out, n, cli_costs_are_given(arguments));
    return st;
}
