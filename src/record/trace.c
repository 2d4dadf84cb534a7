// SPDX-License-Identifier: MIT
// Spans of time as events of Chrome's "Trace Event Format"; see trace.h. A span is a row of a row writer.
//
// All spans are complete events ("ph":"X"), which viewers nest by their times. Ticks become microseconds
// by one factor for the whole file, found when the first events are written; whole nanoseconds are
// rounded down, so that spans stay inside of those around them.
#include "record/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/thread.h"
#include "record/row_writer.h"

enum cell { CELL_TIME, CELL_BEGIN, CELL_END, CELL_INSTANCE, CELL_ACTIVITY, CELL_THREAD, N_CELLS };

typedef struct trace {
    takt_row_writer common; // first
    takt_mutex lock; // several threads may report spans
    bool has_lock;
    bool is_finished; // perhaps while threads still report spans: after a timeout in another one
    uint64_t first_tick; // when the trace was opened
    double first_clock; // s

    // Of the writer thread.
    double ns_per_tick; // 0: not known yet
    uint64_t *threads; // those seen so far; the first one is number 1
    int n_threads, thread_capacity;
} trace;

// ---- formatting, by the writer thread ------------------------------------------------------------

static void put_text(takt_buffer *buffer, const char *text)
{
    takt_buffer_put_n(buffer, text, strlen(text));
}

// Between quotes of JSON; needs six characters of room per byte.
static void put_escaped(takt_buffer *buffer, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') takt_buffer_put(buffer, '\\');
        if (c >= ' ') {
            takt_buffer_put(buffer, *text);
            continue;
        }
        put_text(buffer, "\\u00");
        takt_buffer_put(buffer, "0123456789abcdef"[c >> 4]);
        takt_buffer_put(buffer, "0123456789abcdef"[c & 15]);
    }
}

static void put_integer(takt_buffer *buffer, int64_t value)
{
    buffer->length += takt_number_write_integer(buffer->data + buffer->length, value);
}

// Nanoseconds as microseconds with three digits.
static void put_microseconds(takt_buffer *buffer, int64_t ns)
{
    put_integer(buffer, ns / 1000);
    takt_buffer_put(buffer, '.');
    takt_buffer_put(buffer, (char)('0' + ns / 100 % 10));
    takt_buffer_put(buffer, (char)('0' + ns / 10 % 10));
    takt_buffer_put(buffer, (char)('0' + ns % 10));
}

static int64_t nanoseconds(const trace *self, int64_t tick)
{
    int64_t ticks = tick - (int64_t)self->first_tick;
    return ticks > 0 ? (int64_t)((double)ticks * self->ns_per_tick) : 0;
}

// What the viewer shows for a thread.
static void put_thread_name(takt_buffer *buffer, int number)
{
    put_text(buffer, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":");
    put_integer(buffer, number);
    put_text(buffer, ",\"args\":{\"name\":\"");
    put_text(buffer, number == 1 ? "simulation" : "worker ");
    if (number > 1) put_integer(buffer, number - 1);
    put_text(buffer, "\"}}");
}

// The number of a thread; 0 when memory is exhausted.
static int number_of(trace *self, uint64_t thread)
{
    for (int i = 0; i < self->n_threads; i++)
        if (self->threads[i] == thread) return i + 1;
    if (!takt_grow(&self->threads, self->n_threads, &self->thread_capacity, sizeof *self->threads))
        return 0;
    self->threads[self->n_threads++] = thread;
    put_thread_name(&self->common.buffer, self->n_threads);
    return self->n_threads;
}

static const char *const names[] = {[TAKT_ACTIVITY_DO_STEP] = "doStep",
                                    [TAKT_ACTIVITY_GET_STATE] = "getState",
                                    [TAKT_ACTIVITY_SET_STATE] = "setState",
                                    [TAKT_ACTIVITY_SET] = "set",
                                    [TAKT_ACTIVITY_GET] = "get",
                                    [TAKT_ACTIVITY_EVENT] = "event",
                                    [TAKT_ACTIVITY_INITIALIZE] = "initialize",
                                    [TAKT_ACTIVITY_STEP] = "step",
                                    [TAKT_ACTIVITY_OUTPUT] = "output"};

static bool trace_row(takt_row_writer *w, const takt_cell *cells, const takt_bytes *texts)
{
    (void)texts;
    trace *self = (trace *)w;
    takt_buffer *buffer = &w->buffer;
    if (self->ns_per_tick == 0)
        self->ns_per_tick =
            1e9 * (takt_clock() - self->first_clock) / (double)(takt_ticks() - self->first_tick);
    const char *instance = (const char *)(intptr_t)cells[CELL_INSTANCE].integer;
    size_t length = instance ? strlen(instance) : 0;
    if (!takt_buffer_reserve(buffer, 6 * length + 512)) return false;
    int thread = number_of(self, (uint64_t)cells[CELL_THREAD].integer);
    if (!thread) return false;
    int64_t begin = nanoseconds(self, cells[CELL_BEGIN].integer);
    int64_t end = nanoseconds(self, cells[CELL_END].integer);
    put_text(buffer, ",\n{\"name\":\"");
    if (instance) put_escaped(buffer, instance);
    if (instance) put_text(buffer, ": ");
    put_text(buffer, names[cells[CELL_ACTIVITY].integer]);
    put_text(buffer, instance ? "\",\"cat\":\"call\"" : "\",\"cat\":\"run\"");
    put_text(buffer, ",\"ph\":\"X\",\"pid\":1,\"tid\":");
    put_integer(buffer, thread);
    put_text(buffer, ",\"ts\":");
    put_microseconds(buffer, begin);
    put_text(buffer, ",\"dur\":");
    put_microseconds(buffer, end - begin);
    put_text(buffer, ",\"args\":{\"t\":");
    buffer->length += takt_number_write(buffer->data + buffer->length, cells[CELL_TIME].real);
    put_text(buffer, "}}");
    return true;
}

static takt_status trace_head(takt_row_writer *w, const takt_plan *plan, takt_error *err)
{
    (void)plan;
    static const char head[] =
        "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"takt\"}}";
    if (!takt_buffer_reserve(&w->buffer, sizeof head)) return takt_fail_memory(err);
    put_text(&w->buffer, head);
    return TAKT_OK;
}

static bool trace_tail(takt_row_writer *w)
{
    if (!takt_buffer_reserve(&w->buffer, 8)) return false;
    put_text(&w->buffer, "\n]\n");
    return true;
}

static const takt_row_format format = {.what = "the trace",
                                       .option = "--trace",
                                       .n_cells = N_CELLS,
                                       .head = trace_head,
                                       .row = trace_row,
                                       .tail = trace_tail};

// ---- simulation threads --------------------------------------------------------------------------

static void trace_span(takt_observer *observer, const takt_span *span)
{
    trace *self = (trace *)observer;
    takt_mutex_lock(&self->lock);
    takt_cell *cells = self->is_finished ? NULL : takt_row_writer_next(&self->common);
    if (cells) {
        cells[CELL_TIME].real = span->t;
        cells[CELL_BEGIN].integer = (int64_t)span->begin;
        cells[CELL_END].integer = (int64_t)span->end;
        cells[CELL_INSTANCE].integer = (intptr_t)span->instance;
        cells[CELL_ACTIVITY].integer = span->activity;
        cells[CELL_THREAD].integer = (int64_t)takt_thread_id();
        takt_row_writer_push(&self->common);
    }
    takt_mutex_unlock(&self->lock);
}

static takt_status trace_result(takt_observer *observer, double t, const takt_values *y,
                                takt_error *err)
{
    (void)t, (void)y;
    return takt_row_writer_check((takt_row_writer *)observer, err);
}

static takt_status trace_finish(takt_observer *observer, takt_error *err)
{
    trace *self = (trace *)observer;
    takt_mutex_lock(&self->lock);
    self->is_finished = true;
    takt_mutex_unlock(&self->lock);
    return takt_row_writer_finish(observer, err);
}

static void trace_destroy(takt_observer *observer)
{
    trace *self = (trace *)observer;
    if (!self) return;
    takt_row_writer_finish(observer, NULL); // the writer thread uses what follows
    if (self->has_lock) takt_mutex_clear(&self->lock);
    free(self->threads);
    takt_row_writer_destroy(observer);
}

static const takt_observer_type type = {
    .row = trace_result, .span = trace_span, .finish = trace_finish, .destroy = trace_destroy};

takt_status takt_trace_open(const char *path, takt_observer **out, takt_error *err)
{
    takt_observer *observer = NULL;
    takt_status st = takt_row_writer_open(&format, sizeof(trace), NULL, path, &observer, err);
    if (st) return st;
    trace *self = (trace *)observer;
    observer->type = &type;
    self->first_tick = takt_ticks();
    self->first_clock = takt_clock();
    self->has_lock = takt_mutex_init(&self->lock);
    if (!self->has_lock) {
        trace_destroy(observer);
        return takt_fail_memory(err);
    }
    *out = observer;
    return TAKT_OK;
}
