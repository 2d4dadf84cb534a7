// SPDX-License-Identifier: MIT
// What all observers that write results to a file share. A thread of its own formats and writes; the
// simulation only copies numbers into a ring of rows and waits only when the ring is full. No row is
// lost.
//
// The file is written in place, not renamed at the end: the results so far can be watched during a
// run and stay after a killed one. Rows reach the file at the latest half a second after
// they were recorded. Results of an earlier run stay until the first row takes their place.
#ifndef TAKT_RECORD_ROW_WRITER_H
#define TAKT_RECORD_ROW_WRITER_H

#include "record/buffer.h"
#include "record/ring.h"
#include "run/observer.h"

typedef struct takt_row_writer takt_row_writer;

typedef union takt_cell {
    double real;
    int64_t integer;
} takt_cell;

typedef struct takt_row_column {
    takt_slot slot; ///< in y
    takt_type type;
    int text; ///< its place among the texts of a row, if it is one
} takt_row_column;

/// A kind of result file puts a takt_row_writer first in its own struct.
typedef struct takt_row_format {
    const char *what; ///< is written, for messages: "results"
    const char *option; ///< that chooses the file, for messages

    /// For rows that are not those of a plan: the number of their cells. The first one is the time.
    int n_cells;

    /// Puts the head of the file into the buffer. Called once, when the file is opened.
    takt_status (*head)(takt_row_writer *writer, const takt_plan *plan, takt_error *err);

    /// Adds a row to the buffer: the time in cells[0], then one cell per column. Returns false when
    /// memory is exhausted.
    bool (*row)(takt_row_writer *writer, const takt_cell *cells, const takt_bytes *texts);

    /// Optional: adds what stands behind the last row. Returns false when memory is exhausted.
    bool (*tail)(takt_row_writer *writer);

    /// Optional: `n_rows` rows are in the file now, the last one of time `t`. Returns 0 or errno.
    int (*commit)(takt_row_writer *writer, uint64_t n_rows, double t);

    /// Optional: takes over from the head of a file that is continued what is not known before the run, so that
    /// the head in the buffer is the same if the file is. Without it, heads are the same at once.
    void (*adopt)(takt_row_writer *writer, const char *head);

    /// The file is changed at places before its end, which pipes do not allow.
    bool needs_file;

    /// A file that was there stays as it is until there is a row.
    bool keeps_old;
} takt_row_format;

/// Where a row ends in the buffer, and its time.
typedef struct takt_row_mark {
    size_t end;
    double t;
} takt_row_mark;

struct takt_row_writer {
    takt_observer observer;
    const takt_row_format *format;
    takt_arena arena;
    const char *name; ///< of the file, for messages
    int fd;
    takt_row_column *columns;
    int n_columns, n_texts;
    takt_ring ring;
    takt_cell *cells; ///< per slot: the time, then one per column
    takt_bytes *texts; ///< per slot: one per column that holds text
    bool has_ring, has_thread, is_reported;
    bool waits; ///< for the first row before anything is written, as there is an earlier file
    bool has_replaced; ///< an earlier file
    bool is_regular; ///< a file that can be cut
    bool is_marked; ///< rows have a checksum, for checkpoints
    const char *path; ///< absolute; NULL: standard output
    takt_thread thread;
    takt_semaphore head_tried, hurried;

    // Of the writer thread, and of the others only once the ring is abandoned or the thread ended.
    takt_buffer buffer; ///< whole rows
    takt_row_mark *marks; ///< one per row in the buffer
    int n_marks, mark_capacity;
    uint64_t n_rows; ///< in the file
    uint64_t head_size, size, checksum; ///< of the file so far; of its rows
    uint64_t kept; ///< bytes of a file that was there and is continued
    double valid_time; ///< of the last row in the file
    takt_error error;
};

/// Opens the file ("-": standard output) and writes its head. `size` is that of the struct that the
/// format uses. Owned by the caller; the plan is needed only during the call, and NULL for formats with
/// n_cells, whose rows come through takt_row_writer_next() and not through the observer's `row`. A failure to
/// write later on (a full disk, a closed pipe) stops the writer: every further row fails with TAKT_ERR_OUTPUT, and
/// `finish` does unless a row has. The message says up to which time the file is valid; an incomplete
/// last row is cut off where the file allows it.
takt_status takt_row_writer_open(const takt_row_format *format, size_t size, const takt_plan *plan,
                                 const char *path, takt_observer **out, takt_error *err);

/// How a file is begun.
typedef struct takt_row_begin {
    bool is_marked; ///< checkpoints will be made
    const takt_file_mark *from; ///< the file is cut there and continued; NULL: it is a new one
} takt_row_begin;

/// The same as takt_row_writer_open(). A file that is to be continued must have the same columns and rows up to the
/// mark, else fails with TAKT_ERR_INPUT; nothing is cut before the first row. `begin` may be NULL.
takt_status takt_row_writer_open_at(const takt_row_format *format, size_t size,
                                    const takt_plan *plan, const char *path,
                                    const takt_row_begin *begin, takt_observer **out,
                                    takt_error *err);

/// For rows that are not those of a plan: the cells of the next row, to be filled, and handing them over.
/// NULL: the writer has given up; takt_row_writer_check() says why. One thread at a time.
takt_cell *takt_row_writer_next(takt_row_writer *writer);
void takt_row_writer_push(takt_row_writer *writer);
takt_status takt_row_writer_check(takt_row_writer *writer, takt_error *err);

/// For observers that build on this one: the same as the fields of takt_observer_type.
takt_status takt_row_writer_finish(takt_observer *observer, takt_error *err);
void takt_row_writer_destroy(takt_observer *observer);

/// One observer per kind of file. `begin` may be NULL.
takt_status takt_csv_writer_open(const takt_plan *plan, const char *path, takt_observer **out,
                                 takt_error *err);
takt_status takt_mat_writer_open(const takt_plan *plan, const char *path, takt_observer **out,
                                 takt_error *err);
takt_status takt_csv_writer_open_at(const takt_plan *plan, const char *path,
                                    const takt_row_begin *begin, takt_observer **out,
                                    takt_error *err);
takt_status takt_mat_writer_open_at(const takt_plan *plan, const char *path,
                                    const takt_row_begin *begin, takt_observer **out,
                                    takt_error *err);

/// Chooses by the end of the name: .mat, else CSV.
takt_status takt_results_writer_open(const takt_plan *plan, const char *path, takt_observer **out,
                                     takt_error *err);
takt_status takt_results_writer_open_at(const takt_plan *plan, const char *path,
                                        const takt_row_begin *begin, takt_observer **out,
                                        takt_error *err);

#endif
