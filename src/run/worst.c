// SPDX-License-Identifier: MIT
// The largest of many errors; see worst.h. Errors are found a piece at a time, so that the compiler can have several of
// them computed at once, and then compared.
#include "run/worst.h"

#include <math.h>

enum { PIECE = 128 };

static void find_errors(int n, const double *restrict y, const double *restrict reference,
                        const double *restrict scale, double tolerance, double *restrict out)
{
    for (int i = 0; i < n; i++) {
        double size = fabs(y[i]), unit = size > scale[i] ? size : scale[i];
        out[i] = fabs(y[i] - reference[i]) / (tolerance * unit);
    }
}

void takt_worst_raise(takt_worst *worst, const takt_ranges *ranges, const double *y,
                      const double *reference, const takt_error_unit *unit)
{
    double errors[PIECE], largest = worst->error;
    for (int r = 0; r < ranges->n; r++)
        for (int first = ranges->of[r].first; first < ranges->of[r].end; first += PIECE) {
            int n = ranges->of[r].end - first < PIECE ? ranges->of[r].end - first : PIECE;
            find_errors(n, y + first, reference + first, unit->scale + first, unit->tolerance,
                        errors);
            for (int i = 0; i < n; i++) {
                if (!(errors[i] > largest)) continue;
                largest = errors[i];
                worst->i = first + i;
            }
        }
    worst->error = largest;
}
