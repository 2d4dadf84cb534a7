// SPDX-License-Identifier: MIT
// Fuzzes the MAT reader. What it accepts must hold what mat_reader.h promises: every value can be read,
// and times are finite and do not decrease.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/mat_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    takt_table *table = NULL;
    takt_error err = {0};
    if (takt_mat_parse("fuzz.mat", data, size, &table, &err)) {
        if (table || !err.message[0]) abort();
        return 0;
    }
    volatile double sum = 0; // every number is read
    for (int i = 0; i < table->n_columns; i++) {
        const takt_table_column *column = &table->columns[i];
        if (!column->numbers || !*column->name) abort();
        for (int k = 0; k < table->n_rows; k++) sum += column->numbers[k];
    }
    (void)sum;
    const double *t = table->columns[0].numbers;
    for (int k = 0; k < table->n_rows; k++)
        if (!isfinite(t[k]) || (k > 0 && t[k] < t[k - 1])) abort();
    takt_table_destroy(table);
    return 0;
}
