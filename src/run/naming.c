// SPDX-License-Identifier: MIT
// Names of values of y; see naming.h.
#include "run/naming.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NAMED = 6 };

void takt_name_value(const takt_run *run, takt_kind kind, int index, char *text, size_t size)
{
    snprintf(text, size, "?");
    for (int i = 0; i < run->work.n_instances; i++) {
        const takt_plan_instance *plan = &run->plan->instances[i];
        int k = index - plan->first_output[kind];
        if (k < 0 || k >= plan->outputs.n_values[kind]) continue;
        const takt_instance *instance = run->work.instances[i].instance;
        snprintf(text, size, "%s.%s", instance->name,
                 takt_access_variable(&plan->outputs, instance->model, kind, k)->name);
        return;
    }
}

void takt_name_values(const takt_run *run, const int *values, const int *is_listed, int n,
                      char *text, size_t size)
{
    size_t length = 0;
    int n_named = 0;
    text[0] = 0;
    for (int i = 0; i < n; i++) {
        char name[200];
        if (is_listed && !is_listed[i]) continue;
        bool is_enough = n_named++ == MAX_NAMED;
        takt_name_value(run, TAKT_KIND_REAL, values[i], name, sizeof name);
        snprintf(text + length, size - length, "%s%s", length ? ", " : "",
                 is_enough ? "..." : name);
        length += strlen(text + length);
        if (is_enough) return;
    }
}

void takt_name_singular(const takt_run *run, const int *values, const int *is_free, int n,
                        bool has_solutions, char *text, size_t size)
{
    char names[1000];
    takt_name_values(run, values, is_free, n, names, sizeof names);
    snprintf(text, size,
             has_solutions ? "has no unique solution (it is singular): there are infinitely many, "
                             "as nothing determines %s"
                           : "has no unique solution (it is singular): there is none, whatever the "
                             "values of %s",
             names);
}
