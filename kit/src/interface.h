// SPDX-License-Identifier: MIT
// What the interfaces of all versions of FMI share: the check of the order of calls, instantiation,
// and functions that differ in nothing but their names. `c` is what the importing program hands over
// as the instance; NULL is refused. Each function logs its call.
#ifndef FMUKIT_INTERFACE_H
#define FMUKIT_INTERFACE_H

#include "core.h"

#ifdef _WIN32
#define FMUKIT_EXPORT __declspec(dllexport)
#else
#define FMUKIT_EXPORT __attribute__((visibility("default")))
#endif

/// Why the FMU cannot be instantiated for FMUKIT_CO_SIMULATION or FMUKIT_MODEL_EXCHANGE; NULL: it can.
const char *fmukit_refusal(unsigned interface);

/// A function of the interface, and the phases in which it may be called. Importing programs do more
/// than the standard allows; what does no harm is done nevertheless, with a warning.
typedef struct fmukit_call {
    const char *name;
    unsigned phases;
    unsigned tolerated; ///< other phases
} fmukit_call;

/// Where there is something to log; see fmukit_enter().
fmukit_instance *fmukit_enter_closely(void *c, const fmukit_call *call, const char *format, ...)
#if defined __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/// Is the call allowed, and need not be logged?
static inline bool fmukit_enter_quietly(void *c, const fmukit_call *call)
{
    fmukit_instance *fmu = c;
    if (!fmu || !(call->phases & fmu->phase) || fmu->enabled_categories >> FMUKIT_LOG_CALLS & 1)
        return false;
    fmu->call = call->name;
    return true;
}

/// Every function begins here: logs the call with the given details (a format and what belongs to it),
/// and answers NULL, with a message, if the call is not allowed now.
#define fmukit_enter(c, call, ...)                                                                 \
    (fmukit_enter_quietly(c, call) ? (fmukit_instance *)(c)                                        \
                                   : fmukit_enter_closely(c, call, __VA_ARGS__))

/// Says that an argument is missing; returns false.
bool fmukit_tell_missing(fmukit_instance *fmu, const char *name);

/// Says so if not.
static inline bool fmukit_is_given(fmukit_instance *fmu, const void *pointer, const char *name)
{
    return pointer || fmukit_tell_missing(fmu, name);
}

/// What the importing program wants to have instantiated.
typedef struct fmukit_request {
    const char *name, *token;
    const char *resources; ///< path of the folder (FMI 3.0), or a URI; NULL: not known
    const char *inside; ///< of a URI: where in it the folder is; NULL: `resources` is no URI
    const char *refusal; ///< why the version cannot do that; NULL: it can
} fmukit_request;

/// Makes an instance from `early`, which has its host, interface, call and categories already and is
/// the beginning of a struct of `size` bytes: all of it is copied. NULL with a message on failure.
fmukit_instance *fmukit_instantiate(fmukit_instance *early, size_t size,
                                    const fmukit_request *request);
/// After a fatal error the standard forbids even this. The call is reported, and the memory freed.
void fmukit_free_instance(void *c, const fmukit_call *call);

fmukit_status fmukit_call_set_logging(void *c, const fmukit_call *call, bool is_on, size_t n,
                                      const char *const *categories);

/// Functions without arguments besides the instance.
typedef fmukit_status fmukit_simple_fn(fmukit_instance *fmu);
fmukit_status fmukit_call_simple(void *c, const fmukit_call *call, fmukit_simple_fn *function);

fmukit_status fmukit_call_get(void *c, const fmukit_call *call, const fmukit_access *access,
                              void *values);
fmukit_status fmukit_call_set(void *c, const fmukit_call *call, const fmukit_access *access,
                              const void *values);
fmukit_status fmukit_call_get_output_derivatives(void *c, const fmukit_call *call,
                                                 const unsigned *references, size_t n,
                                                 const int *orders, double *values,
                                                 size_t n_values);

fmukit_status fmukit_call_save(void *c, const fmukit_call *call, void **state);
fmukit_status fmukit_call_restore(void *c, const fmukit_call *call, void *state);
fmukit_status fmukit_call_free_state(void *c, const fmukit_call *call, void **state);
fmukit_status fmukit_call_state_size(void *c, const fmukit_call *call, void *state, size_t *size);
fmukit_status fmukit_call_serialize(void *c, const fmukit_call *call, void *state, void *bytes,
                                    size_t size);
fmukit_status fmukit_call_deserialize(void *c, const fmukit_call *call, const void *bytes,
                                      size_t size, void **state);

fmukit_status fmukit_call_step(void *c, const fmukit_call *call, double t, double h, bool is_final);

// ---- model exchange (model_exchange.c) -----------------------------------------------------------------------

fmukit_status fmukit_call_set_time(void *c, const fmukit_call *call, double t);
fmukit_status fmukit_call_set_states(void *c, const fmukit_call *call, const double *x, size_t n);

/// Reads one value per continuous state or event indicator; the count has been checked.
typedef fmukit_status fmukit_read_fn(fmukit_instance *fmu, double *values);
fmukit_read_fn fmukit_get_states, fmukit_get_nominals;
/// `expected` is how many values there are.
fmukit_status fmukit_call_read(void *c, const fmukit_call *call, fmukit_read_fn *read,
                               size_t (*expected)(const fmukit_instance *fmu), double *values,
                               size_t n);
/// `*has_event` and, if given, `*terminates` are the answers.
fmukit_status fmukit_call_completed_step(void *c, const fmukit_call *call, bool *has_event);
fmukit_simple_fn fmukit_enter_event_mode, fmukit_enter_continuous_time;

// ---- FMI 1.0 and 2.0 ---------------------------------------------------------------------------------

/// Memory from the importing program if it provides both functions, else from the C library.
fmukit_host fmukit_choose_host(void *(*allocate)(size_t, size_t), void (*release)(void *));
fmukit_status fmukit_call_set_input_derivatives(void *c, const fmukit_call *call,
                                                const unsigned *references, size_t n,
                                                const int *orders, const double *values);

/// What can be asked about a step; the numbers of both versions.
enum { FMUKIT_ASK_STEP, FMUKIT_ASK_PENDING, FMUKIT_ASK_LAST_TIME, FMUKIT_ASK_TERMINATED };

/// `kind` is what is asked, `expected` all that the function can answer (else the status is discard),
/// or -1. The answer is in the instance.
fmukit_status fmukit_call_ask(void *c, const fmukit_call *call, int kind, int expected,
                              const void *value);
/// The status of the last step. Was it pending, and is it over now?
fmukit_status fmukit_ask_step(fmukit_instance *fmu, bool *is_just_finished);

/// Statuses are numbers, and the same ones in all versions: OK, warning, discard, error, fatal,
/// pending. What the model wants beyond that is a discarded step.
static inline int fmukit_status_number(fmukit_status status)
{
    bool is_own = status == FMUKIT_TERMINATE || status == FMUKIT_EVENT;
    return is_own ? FMUKIT_DISCARD : (int)status;
}

#endif
