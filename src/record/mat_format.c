// SPDX-License-Identifier: MIT
// The head of a MAT file; see mat_format.h.
#include "record/mat_format.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static bool add_matrix_head(takt_buffer *buffer, const char *name, int type, size_t n_rows,
                            size_t n_columns)
{
    if (n_rows > INT32_MAX || n_columns > INT32_MAX) return false;
    takt_mat_head head = {type, (int32_t)n_rows, (int32_t)n_columns, 0, (int32_t)strlen(name) + 1};
    if (!takt_buffer_reserve(buffer, sizeof head + (size_t)head.name_size)) return false;
    takt_buffer_put_n(buffer, &head, sizeof head);
    takt_buffer_put_n(buffer, name, (size_t)head.name_size);
    return true;
}

static bool add_class(takt_buffer *buffer)
{
    static const char rows[4][12] = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
    if (!add_matrix_head(buffer, "Aclass", TAKT_MAT_TEXT, 4, 11) ||
        !takt_buffer_reserve(buffer, (size_t)4 * 11))
        return false;
    for (int j = 0; j < 11; j++)
        for (int i = 0; i < 4; i++) takt_buffer_put(buffer, rows[i][j]);
    return true;
}

// Texts side by side, filled up with blanks to the length of the longest one.
static bool add_texts(takt_buffer *buffer, const char *name, char **texts, size_t n)
{
    size_t longest = 1;
    for (size_t i = 0; i < n; i++)
        if (strlen(texts[i]) > longest) longest = strlen(texts[i]);
    if (longest > SIZE_MAX / 2 / n || !add_matrix_head(buffer, name, TAKT_MAT_TEXT, longest, n) ||
        !takt_buffer_reserve(buffer, longest * n))
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(texts[i]);
        takt_buffer_put_n(buffer, texts[i], length);
        memset(buffer->data + buffer->length, ' ', longest - length);
        buffer->length += longest - length;
    }
    return true;
}

// "description [unit]", as Dymola writes it.
static char *describe(takt_arena *arena, const takt_mat_variable *variable)
{
    const char *text = variable->description ? variable->description : "";
    if (!variable->unit) return takt_arena_copy(arena, text);
    return takt_arena_print(arena, "%s%s[%s]", text, *text ? " " : "", variable->unit);
}

static bool add_names(takt_buffer *buffer, const takt_mat_variable *variables, int n)
{
    takt_arena arena = {0};
    size_t n_all = (size_t)n + 1;
    char **names = takt_arena_array(&arena, n_all, sizeof *names);
    char **descriptions = takt_arena_array(&arena, n_all, sizeof *descriptions);
    bool ok = names && descriptions;
    if (ok) {
        names[0] = takt_arena_copy(&arena, "time");
        descriptions[0] = takt_arena_copy(&arena, "time [s]");
        ok = names[0] && descriptions[0];
    }
    for (int i = 0; ok && i < n; i++) {
        names[i + 1] = takt_arena_copy(&arena, variables[i].name);
        descriptions[i + 1] = describe(&arena, &variables[i]);
        ok = names[i + 1] && descriptions[i + 1];
    }
    ok = ok && add_texts(buffer, "name", names, n_all) &&
         add_texts(buffer, "description", descriptions, n_all);
    takt_arena_clear(&arena);
    return ok;
}

static bool add_info(takt_buffer *buffer, const takt_mat_variable *variables, int n,
                     int *n_constants)
{
    size_t n_all = (size_t)n + 1;
    if (!add_matrix_head(buffer, "dataInfo", TAKT_MAT_INT32, 4, n_all) ||
        !takt_buffer_reserve(buffer, n_all * 4 * sizeof(int32_t)))
        return false;
    int next[] = {2, 2}; // rows of data_1 and data_2; the time is the first of both
    takt_buffer_put_n(buffer, (int32_t[]){0, 1, 0, -1}, 4 * sizeof(int32_t));
    for (int i = 0; i < n; i++) {
        bool is_constant = variables[i].is_constant;
        int32_t info[] = {is_constant ? 1 : 2, next[!is_constant]++, 0, is_constant ? 0 : -1};
        takt_buffer_put_n(buffer, info, sizeof info);
    }
    *n_constants = next[0] - 2;
    return true;
}

bool takt_mat_add_head(takt_buffer *buffer, const takt_mat_variable *variables, int n,
                       takt_mat_places *out)
{
    int n_constants;
    if (!add_class(buffer) || !add_names(buffer, variables, n) ||
        !add_info(buffer, variables, n, &n_constants))
        return false;
    size_t n_1 = (size_t)n_constants + 1, size_1 = 2 * n_1 * sizeof(double);
    if (!add_matrix_head(buffer, "data_1", TAKT_MAT_DOUBLE, n_1, 2) ||
        !takt_buffer_reserve(buffer, size_1))
        return false;
    *out = (takt_mat_places){.constants = buffer->length, .n_constants = n_constants};
    memset(buffer->data + buffer->length, 0, size_1);
    buffer->length += size_1;
    out->n_rows = buffer->length + offsetof(takt_mat_head, n_columns);
    return add_matrix_head(buffer, "data_2", TAKT_MAT_DOUBLE, (size_t)(n - n_constants) + 1, 0);
}
