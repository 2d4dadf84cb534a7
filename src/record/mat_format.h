// SPDX-License-Identifier: MIT
// MAT files of level 4 in the layout that Dymola and OpenModelica write for trajectories. A file is a
// sequence of matrices, each with a head of 20 bytes, its name and its values, column by column:
//   Aclass       4 x 11 text: "Atrajectory", "1.1", "", and "binTrans": all below is transposed
//   name         text, one name per column; the first one is the time
//   description  text, the same
//   dataInfo     4 x n int32: in which matrix a variable lies (0: the time, which every one has), in
//                which of its rows (from 1 on; negative: with the opposite sign), how it is
//                interpolated (0: linearly), what it is outside (-1: not defined, 0: held)
//   data_1       n_1 x 2: time and constants, at the start and at the end
//   data_2       n_2 x rows: time and all the others; it comes last and grows
// In "binNormal" files all matrices but the first are transposed the other way.
#ifndef TAKT_RECORD_MAT_FORMAT_H
#define TAKT_RECORD_MAT_FORMAT_H

#include <stdint.h>

#include "base/table.h"
#include "record/buffer.h"

/// Type of a matrix: 1000 * byte order + 10 * precision + 1 for text.
enum { TAKT_MAT_DOUBLE = 0, TAKT_MAT_INT32 = 20, TAKT_MAT_TEXT = 51 };

/// The head of a matrix, as it lies in the file, in the byte order of x86. The name follows, with its
/// final 0, then the values.
typedef struct takt_mat_head {
    int32_t type, n_rows, n_columns, is_complex, name_size;
} takt_mat_head;

/// What the head of a file says about a variable other than the time.
typedef struct takt_mat_variable {
    const char *name, *unit, *description; ///< unit and description may be NULL
    bool is_constant;
} takt_mat_variable;

/// Where the values lie that are known only later, in bytes from its start.
typedef struct takt_mat_places {
    size_t constants; ///< n_constants + 1 values at the start, as many at the end; the time first
    int n_constants;
    size_t n_rows; ///< an int32_t
} takt_mat_places;

/// Adds everything before the rows. A row is the time and one double per variable that is not constant.
/// Returns false when memory is exhausted.
bool takt_mat_add_head(takt_buffer *buffer, const takt_mat_variable *variables, int n,
                       takt_mat_places *out);

#endif
