// SPDX-License-Identifier: MIT
// Result files of an FMU; see fmukit/results.h. What counts is the state: the time of the last row that belongs into the
// file, `written`, and the rows behind it, `pending`. Before rows are appended the file is made to end with the row of
// `written`, so that it does not matter what has happened to instance and file in between. Source: Nicolai and Paepcke,
// Transformation der Gebäudeenergiesimulation NANDRAD, BauSIM 2016, whose second variant and three cases these are.
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L // ftruncate, fileno
#endif
#include <fmukit/results.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream.h"

enum { MOST_PENDING = 1 << 13, LONGEST_NUMBER = 32, CHUNK = 4096 }; // values; characters; bytes

struct fmukit_results {
    fmukit_instance *fmu;
    char *path; // NULL: not known yet
    char *header; // the first line, with its end
    size_t n; // columns besides the time
    // The state.
    double written; // s; time of the last row that belongs into the file; -infinite: none
    uint64_t end; // bytes of the file up to there, if nothing else has happened to it
    double *pending; // rows of 1 + n numbers
    size_t n_pending; // numbers
    size_t room; // numbers; not in the state
};

// ---- numbers, without the locale of the importing program ---------------------------------------------

static size_t write_number(char *to, double value)
{
    int n = snprintf(to, LONGEST_NUMBER, "%.17g", value);
    const char point = *localeconv()->decimal_point;
    for (char *c = to; point != '.' && *c; c++)
        if (*c == point) *c = '.';
    return (size_t)n;
}

// The time at the beginning of a line; NaN: there is none.
static double read_time(const char *line)
{
    char text[LONGEST_NUMBER], *end;
    size_t n = strcspn(line, ",\n");
    if (n == 0 || n >= sizeof text) return NAN;
    memcpy(text, line, n);
    text[n] = 0;
    char *point = strchr(text, '.');
    if (point) *point = *localeconv()->decimal_point;
    double t = strtod(text, &end);
    return *end ? NAN : t;
}

// ---- creation --------------------------------------------------------------------------------------

static char *make_header(fmukit_instance *fmu, const char *const *names, size_t n)
{
    size_t size = sizeof "time\n";
    for (size_t i = 0; i < n; i++) size += 2 * strlen(names[i]) + 3; // a comma, quotes
    char *header = fmukit_alloc(fmu, size, 1), *to = header;
    if (!header) return NULL;
    to += strlen(strcpy(to, "time"));
    for (size_t i = 0; i < n; i++) {
        bool is_quoted = strpbrk(names[i], ",\"\n\r") != NULL;
        *to++ = ',';
        if (is_quoted) *to++ = '"';
        for (const char *c = names[i]; *c; c++) {
            if (*c == '"') *to++ = '"';
            *to++ = *c == '\n' || *c == '\r' ? ' ' : *c; // a row is a line
        }
        if (is_quoted) *to++ = '"';
    }
    *to = '\n';
    return header;
}

fmukit_results *fmukit_results_create(fmukit_instance *fmu, const char *const *names, size_t n)
{
    fmukit_results *own = fmukit_alloc(fmu, 1, sizeof *own);
    if (!own) return NULL;
    *own = (fmukit_results){.fmu = fmu, .n = n, .written = -INFINITY};
    own->header = make_header(fmu, names, n);
    if (own->header) return own;
    fmukit_results_destroy(own);
    return NULL;
}

void fmukit_results_destroy(fmukit_results *own)
{
    if (!own) return;
    if (own->path) fmukit_results_finish(own);
    fmukit_free(own->fmu, own->path);
    fmukit_free(own->fmu, own->header);
    fmukit_free(own->fmu, own->pending);
    fmukit_free(own->fmu, own);
}

fmukit_status fmukit_results_place(fmukit_results *own, const char *folder, const char *file)
{
    size_t n = strlen(folder), size = n + strlen(file) + 2;
    char *path = fmukit_alloc(own->fmu, size, 1);
    if (!path) {
        fmukit_log(own->fmu, FMUKIT_ERROR, NULL, "out of memory for the path of results");
        return FMUKIT_ERROR;
    }
    bool needs_slash = n > 0 && folder[n - 1] != '/';
    snprintf(path, size, "%s%s%s", folder, needs_slash ? "/" : "", file);
    fmukit_free(own->fmu, own->path);
    own->path = path;
    return FMUKIT_OK;
}

// ---- the file --------------------------------------------------------------------------------------

static fmukit_status fail(const fmukit_results *own, const char *what)
{
    fmukit_log(own->fmu, FMUKIT_ERROR, NULL, "results %s: cannot %s: %s", own->path, what,
               strerror(errno));
    return FMUKIT_ERROR;
}

// Does the line that ends at own->end belong to the time own->written? Then nothing has to be searched.
static bool is_known(const fmukit_results *own, FILE *file, uint64_t size)
{
    char text[LONGEST_NUMBER + 2] = "", chunk[CHUNK];
    if (own->end == 0 || own->end > size) return false;
    size_t n = own->end < CHUNK ? (size_t)own->end : CHUNK;
    if (fseeko(file, (off_t)(own->end - n), SEEK_SET) || fread(chunk, 1, n, file) != n)
        return false;
    if (chunk[n - 1] != '\n') return false;
    size_t begin = n - 1;
    while (begin > 0 && chunk[begin - 1] != '\n') begin--;
    if (begin == 0 && n < own->end) return false; // a line longer than the chunk
    size_t length = write_number(text, own->written);
    return n - begin > length && memcmp(chunk + begin, text, length) == 0 &&
           (chunk[begin + length] == ',' || chunk[begin + length] == '\n');
}

// Bytes of the file up to the end of the last row that is not later than own->written; 0: not even the names are ours.
static uint64_t find_end(const fmukit_results *own, FILE *file, double *last)
{
    uint64_t end = 0, position = 0;
    char start[LONGEST_NUMBER];
    *last = -INFINITY;
    rewind(file);
    size_t n_header = strlen(own->header);
    for (size_t i = 0; i < n_header; i++, position++)
        if (getc(file) != own->header[i]) return 0;
    for (end = position;; end = position) {
        size_t n = 0;
        int c;
        while ((c = getc(file)) != EOF && c != '\n') {
            if (n + 1 < sizeof start) start[n++] = (char)c;
            position++;
        }
        start[n] = 0;
        position++;
        double t = read_time(start);
        if (c == EOF || !(t <= own->written))
            return end; // also what is no number, or no whole line
        *last = t;
    }
}

// Makes the file end with the row of own->written, and puts it there.
static fmukit_status go_to_end(fmukit_results *own, FILE *file)
{
    double last = own->written;
    if (fseeko(file, 0, SEEK_END)) return fail(own, "read the file");
    off_t size = ftello(file);
    if (size < 0) return fail(own, "read the file");
    uint64_t end = own->end;
    if (own->written == -INFINITY)
        end = 0;
    else if (!is_known(own, file, (uint64_t)size))
        end = find_end(own, file, &last);
    if (own->written != -INFINITY && last < own->written)
        fmukit_log(own->fmu, FMUKIT_WARNING, NULL,
                   "results %s: rows up to time %.15g are missing; the file goes on behind them",
                   own->path, own->written);
    if (fflush(file) || ftruncate(fileno(file), (off_t)end)) return fail(own, "cut the file");
    if (fseeko(file, (off_t)end, SEEK_SET)) return fail(own, "write the file");
    own->end = end;
    if (end > 0) return FMUKIT_OK;
    own->end = strlen(own->header);
    return fputs(own->header, file) < 0 ? fail(own, "write the file") : FMUKIT_OK;
}

static bool write_row(fmukit_results *own, FILE *file, const double *row)
{
    char text[LONGEST_NUMBER + 1];
    for (size_t i = 0; i <= own->n; i++) {
        size_t n = write_number(text, row[i]);
        text[n++] = i < own->n ? ',' : '\n';
        if (fwrite(text, 1, n, file) != n) return false;
        own->end += n;
    }
    return true;
}

// Rows up to time t go from memory to the file. If that fails, they stay in memory.
static fmukit_status write_rows(fmukit_results *own, double t)
{
    size_t width = 1 + own->n, n = 0;
    while (n < own->n_pending && own->pending[n] <= t) n += width;
    if (n == 0 || !own->path) return FMUKIT_OK;
    FILE *file = fopen(own->path, "r+b");
    if (!file) file = fopen(own->path, "w+b");
    if (!file) return fail(own, "open the file");
    uint64_t before = own->end;
    fmukit_status status = go_to_end(own, file);
    bool ok = true;
    for (size_t i = 0; i < n && ok && status == FMUKIT_OK; i += width)
        ok = write_row(own, file, own->pending + i);
    if (fclose(file) != 0 || !ok) status = fail(own, "write the file");
    if (status != FMUKIT_OK) {
        own->end = before;
        return status;
    }
    own->written = own->pending[n - width];
    own->n_pending -= n;
    memmove(own->pending, own->pending + n, own->n_pending * sizeof *own->pending);
    return FMUKIT_OK;
}

// ---- rows ------------------------------------------------------------------------------------------

static bool make_room(fmukit_results *own, size_t n)
{
    if (n <= own->room) return true;
    size_t room = own->room * 2 > n ? own->room * 2 : n;
    double *fresh = fmukit_alloc(own->fmu, room, sizeof *fresh);
    if (!fresh) return false;
    if (own->n_pending) memcpy(fresh, own->pending, own->n_pending * sizeof *fresh);
    fmukit_free(own->fmu, own->pending);
    own->pending = fresh;
    own->room = room;
    return true;
}

fmukit_status fmukit_results_row(fmukit_results *own, double t, const double *values)
{
    size_t width = 1 + own->n;
    double last = own->n_pending ? own->pending[own->n_pending - width] : own->written;
    if (!(t >= last)) {
        fmukit_log(own->fmu, FMUKIT_ERROR, NULL, "a row at time %.15g comes after one at %.15g", t,
                   last);
        return FMUKIT_ERROR;
    }
    if (!make_room(own, own->n_pending + width)) {
        fmukit_log(own->fmu, FMUKIT_ERROR, NULL, "out of memory for results");
        return FMUKIT_ERROR;
    }
    double *row = own->pending + own->n_pending;
    row[0] = t;
    if (own->n) memcpy(row + 1, values, own->n * sizeof *values);
    own->n_pending += width;
    return FMUKIT_OK;
}

fmukit_status fmukit_results_begin_step(fmukit_results *own, double t)
{
    bool is_due = fmukit_is_final(own->fmu) || own->n_pending > MOST_PENDING;
    return is_due ? write_rows(own, t) : FMUKIT_OK;
}

fmukit_status fmukit_results_finish(fmukit_results *own)
{
    return write_rows(own, INFINITY);
}

void fmukit_results_state(fmukit_stream *s, fmukit_results *own)
{
    size_t n = own->n_pending;
    fmukit_real(s, &own->written);
    fmukit_bytes(s, &own->end, sizeof own->end);
    fmukit_count(s, &n, SIZE_MAX / sizeof(double));
    if (fmukit_is_loading(s)) {
        bool is_whole = n % (1 + own->n) == 0 && n * sizeof(double) <= fmukit_left(s);
        if (!is_whole || !make_room(own, n)) {
            fmukit_refuse(s, "its rows of results are not complete, or there is no memory");
            return;
        }
        own->n_pending = n;
    }
    fmukit_reals(s, own->pending, n);
}
