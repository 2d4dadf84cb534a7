// SPDX-License-Identifier: MIT
// Running and judging coupling examples; see measure.h.
#include "system/coupling/measure.h"

#include "support/ssd.h"
#include "support/statistics.h"

// Integration steps of the references: their error is below 1e-9 (tested).
static const double H_REFERENCE = 1e-3;

const char *coupling_algorithm_name(coupling_algorithm algorithm)
{
    static const char *const names[] = {
        [SEIDEL] = "seidel",     [FIXED_POINT] = "fixed-point",
        [NEWTON] = "newton",     [QUASI_NEWTON] = "quasi-newton",
        [ANDERSON] = "anderson",
    };
    return names[algorithm];
}

void coupling_prepare(test_sandbox *box, const coupling_example *example)
{
    char path[TEST_PATH_SIZE];
    snprintf(path, sizeof path, TAKT_EXAMPLES "/coupling/%s/system.ssd", example->folder);
    test_link(box, "fmus", TEST_FMUS);
    test_ssd_copy(box, path, "system.ssd");
}

// ---- what outcomes are compared with ---------------------------------------------------------------

static void find_scales(coupling_standard *s)
{
    int n_columns = s->example->reference->n_columns;
    for (int c = 0; c < n_columns; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int row = 0; row < s->converged.n_rows; row++) {
            double value = s->reference[row * n_columns + c];
            low = fmin(low, value);
            high = fmax(high, value);
        }
        s->scale[c] = s->example->scale > 0 ? s->example->scale : high - low;
        assert_true(s->scale[c] > 1e-6);
    }
}

void coupling_standard_init(coupling_standard *s, test_sandbox *box,
                            const coupling_example *example)
{
    *s = (coupling_standard){.example = example};
    test_run(box, "run", "system.ssd", "-q", "--algorithm", "newton", "--relative-tolerance",
             "1e-10", "--absolute-tolerance", "1e-12", "-o", "converged.csv", NULL);
    assert_exit(box, 0);
    test_results_read(&s->converged, box, "converged.csv");
    int n = s->converged.n_rows;
    double *t = calloc((size_t)n, sizeof *t);
    s->reference = calloc((size_t)n * (size_t)example->reference->n_columns, sizeof *s->reference);
    assert_true(t && s->reference);
    for (int row = 0; row < n; row++) t[row] = test_result_time(&s->converged, row);
    reference_solve(example->reference, t, n, H_REFERENCE, s->reference);
    free(t);
    find_scales(s);
}

void coupling_standard_clear(coupling_standard *s)
{
    test_results_clear(&s->converged);
    free(s->reference);
}

// ---- judging ---------------------------------------------------------------------------------------

static double worse(double error, double difference)
{
    return isfinite(difference) ? fmax(error, fabs(difference)) : INFINITY;
}

static void compare(const coupling_standard *s, const test_results *rows, coupling_outcome *out)
{
    const coupling_example *example = s->example;
    int n_columns = example->reference->n_columns;
    assert_int_equal(rows->n_rows, s->converged.n_rows);
    for (int c = 0; c < n_columns; c++) {
        const char *name = example->columns[c];
        for (int row = 1; row < rows->n_rows; row++) {
            double y = test_result(rows, row, name);
            double from_reference = y - s->reference[row * n_columns + c];
            double from_converged = y - test_result(&s->converged, row, name);
            out->error = worse(out->error, from_reference / s->scale[c]);
            out->coupling_error = worse(out->coupling_error, from_converged / s->scale[c]);
        }
    }
}

// Calls of doStep of the loops' members, or of all instances if there is no loop.
static double count_calls(const json_t *statistics)
{
    const json_t *instances = json_object_get(statistics, "instances");
    const json_t *loops = json_object_get(statistics, "loops"), *loop;
    size_t i, k, n = 0;
    double calls = 0;
    const json_t *member;
    json_array_foreach(loops, i, loop)
    {
        json_array_foreach(json_object_get(loop, "members"), k, member)
        {
            const json_t *instance = json_object_get(instances, json_string_value(member));
            calls += test_number(instance, "do_step/count");
            n++;
        }
    }
    if (n == 0) {
        n = json_object_size(instances);
        calls = test_number(statistics, "do_step_total");
    }
    return calls / (double)n;
}

static void read_statistics(test_sandbox *box, coupling_outcome *out)
{
    json_t *statistics = test_statistics_read(box, "stats.json");
    double n_steps = test_number(statistics, "steps");
    out->unconverged = test_number(statistics, "iteration_limit_exceeded") / n_steps;
    out->calls = count_calls(statistics) / n_steps;
    json_decref(statistics);
}

// A value that became infinite stops the run with a message of the master, not of an FMU.
static char letter_of_failure(const test_sandbox *box)
{
    bool is_infinite = strstr(box->err, "is infinite") || strstr(box->err, "is not a number");
    return is_infinite && !strstr(box->err, "logStatusError") ? 'w' : 'e';
}

static char letter_of_success(const coupling_outcome *out)
{
    if (out->error > 0.5) return 'w';
    bool is_right = out->error <= 0.03 && out->coupling_error <= 0.02 && out->unconverged <= 0.1;
    return is_right ? 'Y' : 'd';
}

coupling_outcome coupling_measure(const coupling_standard *s, test_sandbox *box,
                                  coupling_algorithm algorithm)
{
    coupling_outcome out = {.letter = 'e'};
    const char *name = coupling_algorithm_name(algorithm);
    char file[32];
    snprintf(file, sizeof file, "%s.csv", name);
    test_run(box, "run", "system.ssd", "-q", "--algorithm", name, "--norm", "papers", "-o", file,
             "--stats", "stats.json", NULL);
    if (box->exit_code != 0) {
        assert_exit(box, 1);
        out.letter = letter_of_failure(box);
        return out;
    }
    assert_non_null(s); // it should not have been possible
    test_results rows;
    test_results_read(&rows, box, file);
    compare(s, &rows, &out);
    test_results_clear(&rows);
    read_statistics(box, &out);
    out.is_complete = true;
    out.letter = letter_of_success(&out);
    return out;
}
