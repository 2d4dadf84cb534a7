// SPDX-License-Identifier: MIT
// The pieces of memory that a run carries; see pieces.h.
#include "run/pieces.h"

#include "run/control.h"
#include "run/derivatives.h"
#include "run/scale.h"
#include "run/tested.h"

void takt_pieces_find(takt_run *run, takt_piece out[TAKT_N_PIECES])
{
    const takt_control_type *control = run->control->type;
    out[0] = (takt_piece){"moving inputs", takt_derivatives_memory(run), takt_derivatives_is_sound};
    out[1] = (takt_piece){"step control", control->memory ? control->memory(run) : (takt_memory){0},
                          control->is_sound};
    out[2] = (takt_piece){"scales", takt_scale_memory(run), NULL};
    out[3] = (takt_piece){"changes", takt_tested_memory(run), NULL};
}
