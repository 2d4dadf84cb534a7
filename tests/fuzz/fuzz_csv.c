// SPDX-License-Identifier: MIT
// Fuzzes the CSV reader. What it accepts must hold what csv_reader.h promises: every cell can be
// read, and times are finite and do not decrease.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t touch(const takt_table *table)
{
    size_t sum = 0;
    for (int i = 0; i < table->n_columns; i++) {
        const takt_table_column *column = &table->columns[i];
        sum += strlen(column->name);
        if (!column->numbers == !column->texts) abort();
        for (int k = 0; k < table->n_rows; k++)
            sum += column->texts ? strlen(column->texts[k]) : column->numbers[k] > 0;
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    takt_table *table = NULL;
    takt_error err = {0};
    if (takt_csv_parse("fuzz.csv", (const char *)data, size, NULL, &table, &err)) {
        if (err.status == TAKT_OK || !err.message[0]) abort();
        return 0;
    }
    const double *t = table->columns[0].numbers;
    for (int k = 0; k < table->n_rows; k++)
        if (!isfinite(t[k]) || (k > 0 && t[k] < t[k - 1])) abort();
    volatile size_t sum = touch(table);
    (void)sum;
    takt_table_destroy(table);
    return 0;
}
