// SPDX-License-Identifier: MIT
// Values of any variables of a run, recorded or not, read and set in bulk at communication points.
//
// A view holds a list of variables and room for their values: one array of doubles, one of integers, and one of strings, each in the
// order of the list. takt_view_read() brings the present values there; takt_view_write() sets what stands there.
#ifndef TAKT_VIEW_H
#define TAKT_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "takt/run.h"
#include "takt/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Variables of a run and room for their values.
typedef struct takt_view takt_view;

/// One item of a view: a variable, or a whole array.
typedef struct takt_view_item {
    size_t size; ///< of this struct, set by the caller
    const char *component; ///< its name; borrowed from the run, like all texts here
    const char *variable; ///< name without the component's
    takt_type type; ///< Float64, ...
    takt_kind kind; ///< in which of the arrays its values lie
    int first; ///< index of its first value there
    int n; ///< of values; 1 unless it is an array
    int n_dimensions; ///< of an array; else 0
    const int *dimensions; ///< their sizes
    const char *unit; ///< NULL: none
    int is_settable; ///< takt_view_write() may set it, now: before the initialization more than later
} takt_view_item;

/// Makes a view of the variables with these names: "Tank.level"; of an array "Tank.x" (all) or "Tank.x[1,2]". The FMUs are not called. Owned by
/// the caller; when its run ends first, only takt_view_destroy() is left.
TAKT_API takt_status takt_view_create(takt_run *run, const char *const *names, int n,
                                      takt_view **out, takt_error *err);
TAKT_API void takt_view_destroy(takt_view *view); ///< accepts NULL

/// The items, by index from 0 in the order of the names.
TAKT_API int takt_view_count(const takt_view *view);
TAKT_API takt_status takt_view_get_item(const takt_view *view, int index, takt_view_item *out,
                                        takt_error *err);

/// How many values of a kind there are, and where they lie: the arrays stay where they are as long as the view exists, and may be written to by
/// the caller. NULL: there are no values of this kind.
TAKT_API int takt_view_size(const takt_view *view, takt_kind kind);
TAKT_API double *takt_view_reals(takt_view *view);
TAKT_API int64_t *takt_view_integers(takt_view *view);

/// String or binary number `index` of the view; a 0 that does not count is behind it. Borrowed until the next call with this view.
TAKT_API const void *takt_view_bytes(const takt_view *view, int index, size_t *size);

/// Puts a string or binary there, to be set by takt_view_write().
TAKT_API takt_status takt_view_put_bytes(takt_view *view, int index, const void *data, size_t size,
                                         takt_error *err);

/// Brings the present values of all variables into the view, between initialization and the end of the run. A connected
/// input has the present value of its source. Reading changes no results. After a failure of an FMU the run cannot go on.
TAKT_API takt_status takt_view_read(takt_view *view, takt_error *err);

/// Sets all variables of the view to the values that stand in it. Before takt_run_initialize() these are start values, which win over those of
/// the project; then parameters, inputs and everything that has a start value can be set. Later inputs that are not connected and tunable parameters can: the
/// change is an event at the present communication point, which others see at once as far as their FMUs
/// show it, and results have a row before and a row after it. If one of the variables cannot be set, none is.
TAKT_API takt_status takt_view_write(takt_view *view, takt_error *err);

/// Holds all variables of the view, which must be inputs, at the values that stand in it, whatever their connections deliver, until they are released;
/// after the initialization. That is an event as well. Holds belong to snapshots and checkpoints. If one of the variables cannot be held,
/// none is.
TAKT_API takt_status takt_view_hold(takt_view *view, takt_error *err);

/// Releases them: connected inputs follow their connections again, others keep the value that they have. Inputs that are not held stay as they are.
TAKT_API takt_status takt_view_release(takt_view *view, takt_error *err);

#ifdef __cplusplus
}
#endif
#endif
