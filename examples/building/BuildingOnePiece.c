// SPDX-License-Identifier: MIT
// The building with its plant and controller in one piece: the same equations, not coupled but integrated together.
#define ONE_PIECE
#include "Building.c"
