// SPDX-License-Identifier: MIT
// Writes results from a thread of its own; see row_writer.h.
//
// The simulation copies each row into a slot of a ring (ring.h). The writer thread formats all rows
// that wait into a buffer of whole rows and writes it when it is large or nothing more waits. On a
// failure it stores the message, gives up the ring, and ends; the simulation sees that at its next
// row. Only the writer thread touches the file, from the head on, with SIGPIPE and the signals
// meant for the program blocked.
#include "record/row_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/number.h"
#include "record/results.h"
#include "takt/results.h"

enum {
    RING_BYTES = 4 * 1024 * 1024,
    LEAST_ROWS = 64,
    MOST_ROWS = 65536,
    EXPECTED_TEXT = 48, // bytes of a string, for the size of the ring
    WRITE_SIZE = 256 * 1024, // the buffer is written from this size on
};
static const double WRITE_INTERVAL = 0.25; // s

// ---- writer thread -----------------------------------------------------------------------------

static bool format_row(takt_row_writer *w, uint64_t slot)
{
    const takt_cell *cells = w->cells + slot * (size_t)(w->n_columns + 1);
    const takt_bytes *texts = w->texts + slot * (size_t)w->n_texts;
    if (!takt_grow(&w->marks, w->n_marks, &w->mark_capacity, sizeof *w->marks) ||
        !w->format->row(w, cells, texts))
        return false;
    w->marks[w->n_marks++] = (takt_row_mark){w->buffer.length, cells[0].real};
    return true;
}

// Writes the buffer; `done` is how much of it arrived, also after a failure. Returns 0 or errno.
static int write_all(int fd, const takt_buffer *buffer, size_t *done)
{
    for (*done = 0; *done < buffer->length;) {
        ssize_t n = write(fd, buffer->data + *done, buffer->length - *done);
        if (n >= 0) {
            *done += (size_t)n;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            // Another process made the pipe non-blocking; what cannot be written now waits here.
            struct pollfd ready = {.fd = fd, .events = POLLOUT};
            if (poll(&ready, 1, -1) < 0 && errno != EINTR) return errno;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

// The first `n` rows of the buffer are in the file.
static int commit(takt_row_writer *w, int n)
{
    if (n == 0) return 0;
    uint64_t n_rows = w->n_rows + (uint64_t)n;
    double t = w->marks[n - 1].t;
    int problem = w->format->commit ? w->format->commit(w, n_rows, t) : 0;
    if (problem) return problem;
    w->n_rows = n_rows;
    w->valid_time = t;
    return 0;
}

// After `done` bytes of the buffer arrived: keeps the whole rows and cuts off the rest.
static void cut_incomplete_row(takt_row_writer *w, size_t done)
{
    int n = 0;
    while (n < w->n_marks && w->marks[n].end <= done) n++;
    size_t rest = done - (n ? w->marks[n - 1].end : 0);
    struct stat status;
    off_t position = lseek(w->fd, 0, SEEK_CUR);
    bool can_cut = !fstat(w->fd, &status) && S_ISREG(status.st_mode) && position >= (off_t)rest;
    // If that fails too, the reader of the file meets an incomplete row; the message is the same.
    if (can_cut && rest && ftruncate(w->fd, position - (off_t)rest)) can_cut = false;
    commit(w, n);
}

// The message for a failed write or close. `problem` is an errno.
static takt_status fail_to_write(takt_row_writer *w, int problem)
{
    char valid[96] = "no row was written";
    if (w->n_rows) {
        char time[TAKT_NUMBER_SIZE];
        takt_number_write(time, w->valid_time);
        snprintf(valid, sizeof valid, "the rows up to t = %s s are valid", time);
    }
    const char *hint = problem == EPIPE ? "the program that read them has ended"
                                        : "free some space or choose another place with";
    bool names_option = problem != EPIPE;
    return takt_fail(&w->error, TAKT_ERR_OUTPUT, "%s: cannot write %s: %s; %s; %s%s%s", w->name,
                     w->format->what, strerror(problem), valid, hint, names_option ? " " : "",
                     names_option ? w->format->option : "");
}

// Results of an earlier run give way when there is a row to take their place; all, or those behind a checkpoint.
static int take_place(takt_row_writer *w)
{
    w->waits = false;
    w->has_replaced = true;
    return ftruncate(w->fd, (off_t)w->kept) == 0 ? 0 : errno;
}

// FNV-1a: for changes by accident, not by intent.
static uint64_t add_checksum(uint64_t sum, const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++) sum = (sum ^ (unsigned char)data[i]) * 0x100000001b3u;
    return sum;
}

static const uint64_t EMPTY_CHECKSUM = 0xcbf29ce484222325u;

// The buffer is in the file. Heads do not count: those of some formats change with every row.
static void note_written(takt_row_writer *w)
{
    const takt_buffer *buffer = &w->buffer;
    size_t head = w->size < w->head_size ? (size_t)(w->head_size - w->size) : 0;
    if (w->is_marked && buffer->length > head)
        w->checksum = add_checksum(w->checksum, buffer->data + head, buffer->length - head);
    w->size += buffer->length;
}

static takt_status flush(takt_row_writer *w)
{
    if (w->waits && w->n_marks == 0) return TAKT_OK;
    int problem_before = w->waits ? take_place(w) : 0;
    if (problem_before) return fail_to_write(w, problem_before);
    size_t done = 0;
    int problem = write_all(w->fd, &w->buffer, &done);
    if (problem) {
        cut_incomplete_row(w, done);
        return fail_to_write(w, problem);
    }
    problem = commit(w, w->n_marks);
    if (problem) return fail_to_write(w, problem);
    note_written(w);
    w->n_marks = 0;
    w->buffer.length = 0;
    return TAKT_OK;
}

// Formats rows that wait; gives their slots back in portions, so that a full ring moves on soon.
static takt_status take_rows(takt_row_writer *w, uint64_t first, uint64_t n)
{
    uint64_t portion = w->ring.n_slots / 8;
    if (n > portion) n = portion;
    for (uint64_t i = 0; i < n; i++) {
        if (!format_row(w, (first + i) & (w->ring.n_slots - 1)))
            return takt_fail(&w->error, TAKT_ERR_MEMORY, "%s: out of memory", w->name);
        takt_status st = w->buffer.length < WRITE_SIZE ? TAKT_OK : flush(w);
        if (st) return st;
    }
    takt_ring_pop(&w->ring, n);
    return TAKT_OK;
}

static takt_status write_waiting_rows(takt_row_writer *w)
{
    takt_status st = TAKT_OK;
    uint64_t first, n;
    while (!st && (n = takt_ring_items(&w->ring, &first)) > 0) st = take_rows(w, first, n);
    return st ? st : flush(w);
}

static takt_status write_tail(takt_row_writer *w)
{
    if (!w->format->tail) return TAKT_OK;
    if (w->format->tail(w)) return flush(w);
    return takt_fail(&w->error, TAKT_ERR_MEMORY, "%s: out of memory", w->name);
}

static void run_writer(void *context)
{
    takt_row_writer *w = context;
    takt_status st = flush(w); // the head
    if (st) takt_ring_abandon(&w->ring);
    takt_semaphore_post(&w->head_tried);
    while (!st) {
        // Asked before the rows are taken: those pushed before the end must not be missed.
        bool is_last = takt_ring_is_ended(&w->ring);
        bool is_hurried = takt_ring_take_hurry(&w->ring);
        st = write_waiting_rows(w);
        if (!st && is_last) st = write_tail(w);
        if (st) takt_ring_abandon(&w->ring);
        if (is_last) break;
        if (!st && is_hurried) takt_semaphore_post(&w->hurried);
        if (!st) takt_ring_sleep(&w->ring, WRITE_INTERVAL);
    }
    takt_semaphore_post(&w->hurried); // nobody waits for ever
}

// ---- simulation thread ---------------------------------------------------------------------------

static takt_status report(takt_row_writer *w, takt_error *err)
{
    w->is_reported = true;
    return takt_fail(err, w->error.status, "%s", w->error.message);
}

takt_cell *takt_row_writer_next(takt_row_writer *w)
{
    uint64_t slot;
    if (!takt_ring_wait_for_room(&w->ring, &slot)) return NULL;
    return w->cells + slot * (size_t)(w->n_columns + 1);
}

void takt_row_writer_push(takt_row_writer *w)
{
    takt_ring_push(&w->ring);
}

takt_status takt_row_writer_check(takt_row_writer *w, takt_error *err)
{
    return takt_ring_is_abandoned(&w->ring) && !w->is_reported ? report(w, err) : TAKT_OK;
}

TAKT_APART static takt_status copy_texts(takt_row_writer *w, uint64_t slot, const takt_bytes *from,
                                         takt_error *err)
{
    takt_bytes *texts = w->texts + slot * (size_t)w->n_texts;
    for (int i = 0; i < w->n_columns; i++) {
        const takt_row_column *col = &w->columns[i];
        if (col->slot.kind != TAKT_KIND_BYTES) continue;
        const takt_bytes *text = &from[col->slot.index];
        if (!takt_bytes_assign(&texts[col->text], text->data, text->size))
            return takt_fail(err, TAKT_ERR_MEMORY, "%s: out of memory", w->name);
    }
    return TAKT_OK;
}

static takt_status row_writer_row(takt_observer *observer, double t, const takt_values *y,
                                  takt_error *err)
{
    takt_row_writer *w = (takt_row_writer *)observer;
    uint64_t slot;
    if (!takt_ring_wait_for_room(&w->ring, &slot)) return report(w, err);
    takt_cell *cells = w->cells + slot * (size_t)(w->n_columns + 1);
    cells[0].real = t;
    for (int i = 0; i < w->n_columns; i++) {
        const takt_row_column *col = &w->columns[i];
        if (col->slot.kind == TAKT_KIND_REAL)
            cells[i + 1].real = y->real[col->slot.index];
        else if (col->slot.kind == TAKT_KIND_INTEGER)
            cells[i + 1].integer = y->integer[col->slot.index];
    }
    takt_status st = w->n_texts ? copy_texts(w, slot, y->bytes, err) : TAKT_OK;
    if (!st) takt_ring_push(&w->ring);
    return st;
}

// Between two rows: the writer thread has nothing to do after it was hurried.
static takt_status row_writer_mark(takt_observer *observer, takt_file_mark *out, takt_error *err)
{
    takt_row_writer *w = (takt_row_writer *)observer;
    *out = (takt_file_mark){0};
    if (!w->has_thread) return TAKT_OK;
    if (!takt_ring_is_abandoned(&w->ring)) {
        takt_ring_hurry(&w->ring);
        takt_semaphore_wait(&w->hurried);
    }
    if (takt_ring_is_abandoned(&w->ring)) return report(w, err);
    if (!w->is_regular || !w->is_marked) return TAKT_OK;
    if (fsync(w->fd) && errno != EINVAL)
        return takt_fail(err, TAKT_ERR_OUTPUT, "%s: cannot be written to the disk: %s", w->name,
                         strerror(errno));
    // Nothing was cut if there was no row yet.
    *out = (takt_file_mark){w->path, w->waits ? w->kept : w->size, w->n_rows, w->valid_time,
                            w->checksum};
    return TAKT_OK;
}

// A file that is continued, but got no row, ends where it was to be cut.
static void cut_kept(takt_row_writer *w)
{
    if (!w->waits || !w->kept || w->error.status) return;
    int problem = take_place(w);
    if (!problem && w->format->commit) problem = w->format->commit(w, w->n_rows, w->valid_time);
    if (problem) fail_to_write(w, problem);
}

takt_status takt_row_writer_finish(takt_observer *observer, takt_error *err)
{
    takt_row_writer *w = (takt_row_writer *)observer;
    if (w->has_thread) {
        takt_ring_end(&w->ring);
        takt_thread_join(&w->thread);
        w->has_thread = false;
        cut_kept(w);
    }
    // What was replaced must not be lost with it.
    if (w->fd >= 0 && w->has_replaced && fsync(w->fd) && errno != EINVAL && !w->error.status)
        fail_to_write(w, errno);
    // Some file systems report a full disk only here.
    if (w->fd >= 0 && close(w->fd) && errno != EINTR && !w->error.status) fail_to_write(w, errno);
    w->fd = -1;
    return w->error.status && !w->is_reported ? report(w, err) : TAKT_OK;
}

void takt_row_writer_destroy(takt_observer *observer)
{
    takt_row_writer *w = (takt_row_writer *)observer;
    if (!w) return;
    takt_row_writer_finish(observer, NULL);
    if (w->texts)
        for (uint64_t i = 0; i < w->ring.n_slots * (uint64_t)w->n_texts; i++)
            takt_bytes_clear(&w->texts[i]);
    free(w->marks);
    free(w->cells);
    free(w->texts);
    takt_buffer_clear(&w->buffer);
    if (w->has_ring) {
        takt_ring_clear(&w->ring);
        takt_semaphore_clear(&w->head_tried);
        takt_semaphore_clear(&w->hurried);
    }
    takt_arena_clear(&w->arena);
    free(w);
}

static const takt_observer_type row_writer = {.row = row_writer_row,
                                              .mark = row_writer_mark,
                                              .finish = takt_row_writer_finish,
                                              .destroy = takt_row_writer_destroy};

// ---- opening -------------------------------------------------------------------------------------

static takt_status open_file(takt_row_writer *w, const char *path, takt_error *err)
{
    bool is_standard_output = strcmp(path, "-") == 0;
    int empties = w->format->keeps_old ? 0 : O_TRUNC;
    struct stat status;
    if (is_standard_output) {
        w->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    } else {
        w->fd = open(path, O_WRONLY | O_CREAT | empties | O_CLOEXEC, 0666);
        w->is_regular = w->fd >= 0 && fstat(w->fd, &status) == 0 && S_ISREG(status.st_mode);
        w->waits = w->format->keeps_old && w->is_regular && status.st_size > 0;
    }
    if (w->fd >= 0 && w->format->needs_file && lseek(w->fd, 0, SEEK_CUR) < 0)
        return takt_fail(err, TAKT_ERR_OUTPUT,
                         "%s: results of this kind need a file, not a pipe; CSV can go anywhere",
                         w->name);
    if (w->fd >= 0) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_OUTPUT,
                     "%s: cannot create the file for %s: %s; choose another place with %s", w->name,
                     w->format->what, strerror(errno), w->format->option);
}

static takt_status make_columns(takt_row_writer *w, const takt_plan *plan, takt_error *err)
{
    w->n_columns = plan->n_columns;
    w->columns = takt_arena_array(&w->arena, (size_t)plan->n_columns, sizeof *w->columns);
    if (!w->columns) return takt_fail_memory(err);
    for (int i = 0; i < plan->n_columns; i++) {
        takt_reference ref = plan->columns[i].reference;
        const takt_model *model = plan->system->components[ref.component].model;
        takt_slot slot = plan->columns[i].slot;
        int text = slot.kind == TAKT_KIND_BYTES ? w->n_texts++ : -1;
        w->columns[i] = (takt_row_column){slot, model->variables[ref.variable].type, text};
    }
    return TAKT_OK;
}

static takt_status make_ring(takt_row_writer *w, takt_error *err)
{
    size_t n_cells = (size_t)w->n_columns + 1, n_texts = (size_t)w->n_texts;
    size_t row = n_cells * sizeof(takt_cell) + n_texts * (sizeof(takt_bytes) + EXPECTED_TEXT);
    size_t n_rows = RING_BYTES / row;
    if (n_rows < LEAST_ROWS) n_rows = LEAST_ROWS;
    if (n_rows > MOST_ROWS) n_rows = MOST_ROWS;
    if (!takt_semaphore_init(&w->head_tried)) return takt_fail_memory(err);
    bool can_hurry = takt_semaphore_init(&w->hurried);
    w->has_ring = can_hurry && takt_ring_init(&w->ring, n_rows);
    if (!w->has_ring) {
        takt_semaphore_clear(&w->head_tried);
        if (can_hurry) takt_semaphore_clear(&w->hurried);
        return takt_fail_memory(err);
    }
    w->cells = calloc(w->ring.n_slots, n_cells * sizeof *w->cells);
    w->texts = calloc(w->ring.n_slots, (n_texts ? n_texts : 1) * sizeof *w->texts);
    return w->cells && w->texts ? TAKT_OK : takt_fail_memory(err);
}

static takt_status start_thread(takt_row_writer *w, takt_error *err)
{
    w->has_thread = takt_thread_start(&w->thread, run_writer, w);
    if (!w->has_thread)
        return takt_fail(
            err, TAKT_ERR_MEMORY,
            "%s: cannot start a thread for writing: out of memory, or too many threads", w->name);
    takt_semaphore_wait(&w->head_tried);
    uint64_t slot;
    return takt_ring_wait_for_room(&w->ring, &slot) ? TAKT_OK : report(w, err);
}

// ---- continuing --------------------------------------------------------------------------------------

static takt_status fail_changed(const takt_row_writer *w, const char *why, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_INPUT,
                     "%s: results cannot be continued: %s; nothing was changed; --output-file with "
                     "another name begins a new file at the checkpoint",
                     w->name, why);
}

// Are the rows of the file, up to the mark, those that were there?
static takt_status check_rows(const takt_row_writer *w, FILE *file, const takt_file_mark *from,
                              takt_error *err)
{
    char piece[16 * 1024];
    uint64_t left = from->size - w->head_size, sum = EMPTY_CHECKSUM;
    while (left > 0) {
        size_t n = fread(piece, 1, left < sizeof piece ? (size_t)left : sizeof piece, file);
        if (n == 0) return fail_changed(w, "it is shorter than at the checkpoint", err);
        sum = add_checksum(sum, piece, n);
        left -= n;
    }
    return sum == from->checksum
               ? TAKT_OK
               : fail_changed(w, "its rows have changed since the checkpoint", err);
}

static takt_status check_content(takt_row_writer *w, FILE *file, const takt_file_mark *from,
                                 takt_error *err)
{
    size_t size = w->buffer.length;
    if (from->size < size) return fail_changed(w, "it has other columns", err);
    char *head = malloc(size);
    if (!head) return takt_fail_memory(err);
    takt_status st = TAKT_OK;
    if (fread(head, 1, size, file) != size) {
        st = fail_changed(w, "it is shorter than at the checkpoint", err);
    } else {
        if (w->format->adopt) w->format->adopt(w, head);
        if (memcmp(head, w->buffer.data, size) != 0)
            st = fail_changed(w, "it has other columns", err);
    }
    free(head);
    return st ? st : check_rows(w, file, from, err);
}

// Checks the file, and lets the writer go on at the mark.
static takt_status continue_file(takt_row_writer *w, const char *path, const takt_file_mark *from,
                                 takt_error *err)
{
    FILE *file = fopen(path, "rbe");
    if (!file) return fail_changed(w, strerror(errno), err);
    struct stat status;
    takt_status st = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode)
                         ? check_content(w, file, from, err)
                         : fail_changed(w, "it is no regular file", err);
    fclose(file);
    if (st) return st;
    w->buffer.length = 0;
    w->kept = w->size = from->size;
    w->n_rows = from->n_rows;
    w->valid_time = from->time;
    w->checksum = from->checksum;
    return TAKT_OK;
}

static takt_status open_place(takt_row_writer *w, const char *path, const takt_row_begin *begin,
                              takt_error *err)
{
    const takt_file_mark *from = begin ? begin->from : NULL;
    takt_status st = from ? continue_file(w, path, from, err) : TAKT_OK;
    if (!st) st = open_file(w, path, err); // late: it empties the file
    if (st || !w->is_regular) return st;
    if (from && lseek(w->fd, (off_t)from->size, SEEK_SET) < 0)
        return fail_changed(w, strerror(errno), err);
    char *place = realpath(path, NULL);
    w->path = place ? takt_arena_copy(&w->arena, place) : NULL;
    free(place);
    return w->path ? TAKT_OK : takt_fail_memory(err);
}

takt_status takt_row_writer_open_at(const takt_row_format *format, size_t size,
                                    const takt_plan *plan, const char *path,
                                    const takt_row_begin *begin, takt_observer **out,
                                    takt_error *err)
{
    takt_row_writer *w = calloc(1, size);
    if (!w) return takt_fail_memory(err);
    w->observer.type = &row_writer;
    w->format = format;
    w->fd = -1;
    w->is_marked = begin && begin->is_marked;
    w->checksum = EMPTY_CHECKSUM;
    w->observer.has_past = begin && begin->from;
    w->name = strcmp(path, "-") == 0 ? "standard output" : takt_arena_copy(&w->arena, path);
    takt_status st = w->name ? TAKT_OK : takt_fail_memory(err);
    if (!st && plan)
        st = make_columns(w, plan, err);
    else if (!st)
        w->n_columns = format->n_cells - 1;
    if (!st) st = format->head(w, plan, err); // the writer thread writes it first
    if (!st) st = make_ring(w, err);
    w->head_size = w->buffer.length;
    if (!st) st = open_place(w, path, begin, err);
    if (!st) st = start_thread(w, err);
    if (st) {
        takt_row_writer_destroy(&w->observer);
        return st;
    }
    *out = &w->observer;
    return TAKT_OK;
}

takt_status takt_row_writer_open(const takt_row_format *format, size_t size, const takt_plan *plan,
                                 const char *path, takt_observer **out, takt_error *err)
{
    return takt_row_writer_open_at(format, size, plan, path, NULL, out, err);
}

static void report_seconds(const takt_system *system)
{
    const takt_settings *settings = &system->settings;
    if (settings->output_time_unit == TAKT_TIME_S) return;
    bool is_asked = takt_settings_is_overridden(settings, &settings->output_time_unit);
    takt_log_write(system->log, is_asked ? TAKT_LEVEL_WARN : TAKT_LEVEL_INFO,
                   "output-time-unit has no effect: MAT files have times in seconds");
}

takt_status takt_results_writer_open_at(const takt_plan *plan, const char *path,
                                        const takt_row_begin *begin, takt_observer **out,
                                        takt_error *err)
{
    takt_status st = takt_results_check_ending(path, err);
    if (st) return st;
    if (!takt_results_is_mat(path)) return takt_csv_writer_open_at(plan, path, begin, out, err);
    report_seconds(plan->system);
    return takt_mat_writer_open_at(plan, path, begin, out, err);
}

takt_status takt_results_writer_open(const takt_plan *plan, const char *path, takt_observer **out,
                                     takt_error *err)
{
    return takt_results_writer_open_at(plan, path, NULL, out, err);
}
