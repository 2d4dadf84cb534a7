// SPDX-License-Identifier: MIT
// The table of outcomes in examples/README.md; see table.h.
#include "system/coupling/table.h"

#define BEGIN "<!-- outcomes: begin -->\n"
#define END "<!-- outcomes: end -->\n"

// Differences below this are rounding errors, which depend on compiler and machine.
static const double SMALLEST_SHOWN = 1e-9;

static void print_outcome(FILE *out, const coupling_outcome *outcome)
{
    fprintf(out, " | %c", outcome->letter);
    if (!outcome->is_complete) {
        fputs(outcome->letter == 'w' ? " (infinite)" : "", out);
        return;
    }
    fprintf(out, " %.2f ", outcome->calls);
    if (outcome->error < SMALLEST_SHOWN)
        fprintf(out, "(<%.0e)", SMALLEST_SHOWN);
    else
        fprintf(out, "(%.0e)", outcome->error);
}

char *coupling_table_print(coupling_outcome outcomes[][N_ALGORITHMS])
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("| example | paper |", out);
    for (int k = 0; k < N_ALGORITHMS; k++)
        fprintf(out, " `%s` |", coupling_algorithm_name((coupling_algorithm)k));
    fputs("\n|---|---|", out);
    for (int k = 0; k < N_ALGORITHMS; k++) fputs("---|", out);
    fputs("\n", out);
    for (int i = 0; i < n_coupling_examples; i++) {
        const coupling_example *example = &coupling_examples[i];
        char key[8];
        coupling_key(example, key);
        fprintf(out, "| [%s %s](coupling/%s) | %s", key, example->title, example->folder,
                example->of_paper ? example->of_paper : "");
        for (int k = 0; k < N_ALGORITHMS; k++) print_outcome(out, &outcomes[i][k]);
        fputs(" |\n", out);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

char *coupling_table_find(const char *text)
{
    const char *begin = strstr(text, BEGIN);
    const char *end = begin ? strstr(begin, END) : NULL;
    if (!end) return NULL;
    begin += strlen(BEGIN);
    return strndup(begin, (size_t)(end - begin));
}

void coupling_table_replace(const char *path, const char *table)
{
    char *text = test_read_path(path, NULL);
    assert_non_null(text);
    const char *begin = strstr(text, BEGIN), *end = strstr(text, END);
    assert_true(begin && end && begin < end);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "%.*s%s%s%s", (int)(begin - text), text, BEGIN, table, end);
    assert_int_equal(fclose(file), 0);
    free(text);
}
