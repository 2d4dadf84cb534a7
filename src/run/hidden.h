// SPDX-License-Identifier: MIT
// What instances make of inputs that they hold, where outputs do not show it: a saturated one, one within a dead zone, or one
// that has several states between input and output may show nothing in a step, and much later.
//
// The difference that matters is whether it has states. If it has, inputs are led by fine pairs, which are right by themselves.
// If not, it sees inputs at the end of a step only. A delay is neither: it remembers the values at the ends of steps. Until it is
// known what an instance is, it is led as a switch and a delay need it, and has a *twin*: a second state that is led as states
// need it, beside the first one. When it is seen that there are states, the instance takes over that of its twin.
#ifndef TAKT_RUN_HIDDEN_H
#define TAKT_RUN_HIDDEN_H

#include "run/trials.h"

/// Has the instance states that inputs act on, as far as is known?
bool takt_hidden_has_states(const takt_couple *couple, const takt_held *held, int i_instance);

/// The instance is led by pairs that are fine by themselves over the whole step, as far as so many pairs allow it.
void takt_hidden_lead_finely(takt_scheme *scheme, int most);

/// By how much do outputs change if inputs within the step do, and a step later? `at_end` receives the outputs that the values at
/// the end lead to. Notes in the state what that tells.
takt_status takt_hidden_sound_out(takt_trials *all, double *at_end, takt_error *err);

/// Outputs that depend directly on inputs show nothing of the rest: do they later, at two times or more? Then there are states.
takt_status takt_hidden_find_memory(const takt_trials *all, takt_error *err);

/// Is it not known yet what the instance is?
bool takt_hidden_needs_twin(const takt_couple *couple, const takt_held *held, int i_instance);

/// After a step that is kept: the twin makes it, too.
takt_status takt_hidden_lead_twin(takt_held *held, takt_couple *couple, int i_instance,
                                  takt_attempt *at, takt_error *err);

/// The twin shows other outputs, which inputs cannot explain by themselves. Do other trials show that there are states, or often
/// enough that there are none? Then it is a delay.
takt_status takt_hidden_judge_twin(const takt_trials *all, takt_error *err);

/// Has it been seen, after the twin had been led apart, that there are states?
bool takt_hidden_is_twin_right(const takt_trials *all);

/// From the end of the step on the instance is its twin.
takt_status takt_hidden_become_twin(const takt_trials *all, takt_error *err);

#endif
