// SPDX-License-Identifier: MIT
// Models in plain C, for tests without FMUs. A test describes a model by a table of variables and a
// few functions; instances of it count their calls, check the order in which they are called, and
// misbehave on request.
//
//     static const test_variable gain_variables[] = {
//         {"k", TAKT_PARAMETER, .start = "2"},
//         {"u", TAKT_INPUT, .start = "0"},
//         {"y", TAKT_OUTPUT, .depends = "u"},
//         {0}};
//     static void gain_output(test_instance *g) { g->real[2] = g->real[0] * g->real[1]; }
//     test_model models[] = {{"Gain", gain_variables, .output = gain_output}, {0}};
#ifndef TAKT_TESTS_SUPPORT_MODEL_H
#define TAKT_TESTS_SUPPORT_MODEL_H

#include "base/text.h"
#include "me/me.h"
#include "instance/instance.h"

typedef struct test_variable {
    const char *name;
    takt_causality causality;
    takt_type type; ///< 0: Float64
    const char *start; ///< in text form; NULL: none
    const char *depends; ///< of outputs: names separated by blanks; NULL: unknown
    const char *initially; ///< the same during initialization; NULL: as `depends`; "?": unknown
    takt_initial initial; ///< 0: what FMI 2.0 takes when nothing is said
    bool is_constant;
    bool is_discrete; ///< of a real variable
    double min, max; ///< both 0: no limits
    const char *unit; ///< "K", "degC", "m", "km" are known; of others only the name
    bool is_relative; ///< a difference, to which offsets of units do not apply
    double nominal; ///< 0: none is declared
} test_variable;

/// What an instance does wrong. Faults of a step happen in steps that end after the fault time.
typedef enum test_fault {
    TEST_FAULT_NONE,
    TEST_DISCARDS, ///< computes up to the fault time only
    TEST_CREEPS, ///< computes almost up to the end of the step
    TEST_TERMINATES, ///< wants the simulation to end at the end of the step
    TEST_STOPS, ///< wants the simulation to end at the fault time
    TEST_FAILS, ///< the step returns an error
    TEST_GIVES_NAN, ///< real outputs are NaN after the step
    TEST_FAILS_TO_INSTANTIATE,
    TEST_FAILS_TO_ENTER, ///< initialization
    TEST_FAILS_TO_EXIT, ///< initialization
    TEST_FAILS_TO_SET,
    TEST_FAILS_TO_GET,
    TEST_FAILS_TO_SAVE,
    TEST_FAILS_TO_RESTORE,
    TEST_FAILS_TO_TERMINATE,
    TEST_FAILS_TO_DERIVE, ///< from the fault time on
    TEST_DERIVES_NAN, ///< derivatives by time are NaN from the fault time on
    TEST_FAILS_TO_SET_MOTION,
    TEST_REFUSES_ORDER, ///< follows lines only, as FMUs that refuse higher derivatives
} test_fault;

/// Calls, summed over all instances of a model.
typedef struct test_counts {
    int instantiate, destroy, enter, exit, set, get, step, save, restore, terminate;
    int enter_events, update_events, leave_events;
    int get_derivatives, set_motion;
    int states; ///< saved ones that exist
} test_counts;

typedef struct test_model test_model;

enum { TEST_N_STATES = 8 };

typedef struct test_instance {
    takt_instance base;
    test_model *model;
    double time; ///< s
    double final_time; ///< s; it was promised not to be rewound before
    double state[TEST_N_STATES]; ///< for the model's own use; saved and restored
    double *slopes; ///< of variable i, an input: the derivative by time that was set last
    takt_motion motion; ///< of inputs in the present step; use test_input_at()
    double *real; ///< the value of variable i, by index, if it is of that kind
    int64_t *integer;
    takt_bytes *bytes;
    bool refused; ///< see TEST_REFUSES_ORDER
    int phase;
    double begun_t, begun_h; ///< s; of a step between its two phases
    bool begun_final; ///< likewise
    bool wants_event; ///< set by a step: events must be handled at its end
    double stop_at; ///< s; set by a step that stops early for an event; NaN: it does not
    test_counts counts; ///< of this instance
    takt_me me; ///< of a model for model exchange
    bool is_in_events; ///< likewise
} test_instance;

/// A model. Not constant, as it counts.
struct test_model {
    const char *name;
    const test_variable *variables; ///< ended by one without a name
    void (*init)(test_instance *instance); ///< at the end of initialization; may be NULL
    void (*output)(test_instance *instance); ///< before every get; may be NULL
    void (*step)(test_instance *instance, double t, double h); ///< may be NULL
    /// Updates discrete states in event mode; used if `can.events`. `out` is preset to no more updates
    /// and no next event.
    void (*event)(test_instance *instance, takt_event *out);
    double (*derivative)(test_instance *instance, int output, int input); ///< may be NULL
    double (*slope)(test_instance *instance, int output); ///< derivative by time; may be NULL
    /// A model for model exchange has `derivatives`; then `state` holds its continuous states, and `step` and
    /// `event` are not used. Its functions may look at time, state and inputs; `update` may change states.
    void (*derivatives)(test_instance *instance, double *dx);
    void (*indicators)(test_instance *instance, double *g); ///< may be NULL
    void (*update)(test_instance *instance, takt_me_update *out); ///< may be NULL
    int n_states, n_indicators;
    takt_me_options options;
    takt_capabilities can;
    takt_default_experiment experiment;
    test_fault fault;
    double fault_time; ///< s
    takt_text *journal; ///< receives every call as "name.step(0,0.1) "; may be NULL
    void *context; ///< for the test's own use
    bool is_split; ///< steps in two phases
    const double *knots; ///< s; of its outputs, ascending, for takt_instance_type::find_knots
    int n_knots;
    test_counts counts;
    int n_open; ///< models that are open
};

/// A takt_model_open_fn. `context` is an array of test_model, ended by one without a name; the path is
/// the name of one of them, perhaps with a folder before and ".fmu" behind it.
takt_status test_model_open(void *context, const takt_model_source *source, takt_model **out,
                            takt_error *err);

/// The value of variable i, an input, at a time within the present step: for `step`. After the step the inputs
/// that moved have their values at its end.
double test_input_at(test_instance *instance, int variable, double time);

/// Instances of all models but those for model exchange, and of these.
extern const takt_instance_type test_instance_type, test_me_instance_type;

#endif
