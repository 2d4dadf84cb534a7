// SPDX-License-Identifier: MIT
// Reading result files in tests; see results.h.
#include "support/results.h"

// Cuts one field of a line in place (quotes of RFC 4180 are resolved). Returns what follows the
// comma, or NULL after the last field.
static char *cut_field(char *field, const char **out)
{
    char *from = field, *to = field;
    bool is_quoted = *from == '"';
    if (is_quoted) from++;
    *out = field;
    for (; *from; from++) {
        if (is_quoted && from[0] == '"' && from[1] == '"') {
            from++;
        } else if (is_quoted && from[0] == '"') {
            from++;
            break;
        } else if (!is_quoted && *from == ',') {
            break;
        }
        *to++ = *from;
    }
    assert_true(*from == 0 || *from == ',');
    char *next = *from ? from + 1 : NULL;
    *to = 0;
    return next;
}

static double to_number(const char *field)
{
    char *end;
    double value = strtod(field, &end);
    return *field && *end == 0 ? value : NAN;
}

static int cut_line(char *line, const char **fields, int n_most)
{
    int n = 0;
    while (line) {
        assert_true(n < n_most);
        line = cut_field(line, &fields[n++]);
    }
    return n;
}

static void add_row(test_results *results, char *line)
{
    size_t n = (size_t)results->n_columns;
    const char **fields = calloc(n, sizeof *fields);
    assert_non_null(fields);
    assert_int_equal(cut_line(line, fields, results->n_columns), results->n_columns);
    size_t row = (size_t)results->n_rows++;
    results->values = realloc(results->values, (row + 1) * n * sizeof *results->values);
    assert_non_null(results->values);
    for (size_t i = 0; i < n; i++) results->values[row * n + i] = to_number(fields[i]);
    free(fields);
    double t = results->values[row * n];
    assert_true(isfinite(t));
    if (row) assert_true(t >= results->values[(row - 1) * n]);
}

void test_results_parse(test_results *results, const char *text)
{
    enum { COLUMNS_MOST = 1000 };
    *results =
        (test_results){.text = strdup(text), .names = calloc(COLUMNS_MOST, sizeof *results->names)};
    assert_non_null(results->text);
    assert_non_null(results->names);
    size_t length = strlen(text);
    assert_true(length > 0 && text[length - 1] == '\n');
    assert_null(strchr(text, '\r'));
    bool is_first = true;
    for (char *line = results->text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = 0;
        if (is_first)
            results->n_columns = cut_line(line, results->names, COLUMNS_MOST);
        else
            add_row(results, line);
        is_first = false;
    }
    assert_string_equal(results->names[0], "time");
}

void test_results_read(test_results *results, test_sandbox *box, const char *name)
{
    char *text = test_read_file(box, name, NULL);
    if (!text) fail_msg("there is no file %s", name);
    test_results_parse(results, text);
    free(text);
}

void test_results_clear(test_results *results)
{
    free(results->text);
    free(results->names);
    free(results->values);
}

double test_result(const test_results *results, int row, const char *column)
{
    assert_true(row >= 0 && row < results->n_rows);
    for (int i = 0; i < results->n_columns; i++)
        if (strcmp(results->names[i], column) == 0)
            return results->values[row * results->n_columns + i];
    fail_msg("there is no column %s", column);
    return NAN;
}

double test_result_time(const test_results *results, int row)
{
    return test_result(results, row, "time");
}

int test_row_at(const test_results *results, double time)
{
    for (int i = 0; i < results->n_rows; i++)
        if (fabs(test_result_time(results, i) - time) < 1e-9) return i;
    fail_msg("there is no row at t = %g", time);
    return -1;
}

int test_first_nonzero(const test_results *results, const char *column)
{
    for (int i = 0; i < results->n_rows; i++)
        if (test_result(results, i, column) != 0) return i;
    return -1;
}
