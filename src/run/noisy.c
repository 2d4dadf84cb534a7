// SPDX-License-Identifier: MIT
// Noisy instances; see noisy.h.
#include "run/noisy.h"

#include <math.h>

#include "run/doubts.h"
#include "run/scale.h"

// In tolerances: beyond this results may be wrong by more than the tolerance.
static const double NOISY = 0.05;
// In tolerances of nominal values: what is to be expected of an instance.
static const double EXPECTED = 1e-3;

double takt_noisy_size(const takt_couple *couple, int i_instance)
{
    const double *nominals = couple->run->scale->nominal, *noise = couple->noise.of;
    double largest = 0;
    for (int k = couple->first_tested[i_instance]; k < couple->first_tested[i_instance + 1]; k++) {
        int i = couple->tested[k];
        double nominal = nominals[i] > 0 ? nominals[i] : 1;
        if (noise[i] <= EXPECTED * couple->tolerance * nominal) continue;
        largest = fmax(largest, noise[i] / (couple->tolerance * couple->scale[i]));
    }
    return largest;
}

takt_status takt_noisy_note(const takt_couple *couple, int i_instance, double size, takt_error *err)
{
    takt_run *run = couple->run;
    return takt_doubt_note(run, TAKT_DOUBT_NOISY, run->work.instances[i_instance].instance->name,
                           size, err);
}

takt_status takt_noisy_judge(const takt_couple *couple, int i_instance, takt_error *err)
{
    double size = takt_noisy_size(couple, i_instance);
    return size > NOISY ? takt_noisy_note(couple, i_instance, size, err) : TAKT_OK;
}
