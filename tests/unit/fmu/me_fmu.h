// SPDX-License-Identifier: MIT
// What the tests know about me_fmu.c: value references and modes.
#ifndef TAKT_TESTS_UNIT_FMI_ME_FMU_H
#define TAKT_TESTS_UNIT_FMI_ME_FMU_H

enum { ME_U, ME_X1, ME_X2, ME_T_EVENT, ME_N_EVENTS, ME_DER1, ME_DER2 };

enum {
    ME_DECAY, // x1' = u - x1, x2' = x1
    ME_BALL, // height x1 and speed x2; bounces with a state event
    ME_TIME_EVENT, // as ME_DECAY, with an event at t = 0.37
    ME_STEP_EVENT, // as ME_DECAY, with an event after the first internal step beyond t = 0.37
    ME_NAN, // derivatives are no numbers after t = 0.37
    ME_DISCARD, // derivatives are discarded after t = 0.37
    ME_ERROR, // derivatives are an error after t = 0.37
    ME_ENDLESS_UPDATES, // at t = 0.37
    ME_ENDLESS_EVENTS, // at t = 0.37 time events for ever
    ME_CHATTER, // x1' = -1 above 0, else 1
    ME_TERMINATE, // at t = 0.37
    ME_BY_INPUT, // counts an event whenever u becomes greater than 0.5
    ME_NOMINALS, // changes nominal values at t = 0.37
};

#endif
