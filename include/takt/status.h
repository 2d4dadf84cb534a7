// SPDX-License-Identifier: MIT
// Status codes and errors. A function that can fail returns a takt_status and takes a takt_error as
// its last argument; the message in it is complete: what is wrong, where, when, and what to do.
#ifndef TAKT_STATUS_H
#define TAKT_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TAKT_API
#define TAKT_API __attribute__((visibility("default")))
#endif

/// Every status code: name, exit code of the program `takt`, meaning. Names, texts and exit codes
/// are all derived from this list.
#define TAKT_STATUS_LIST(X)                                                                        \
    X(TAKT_OK, 0, "success")                                                                       \
    X(TAKT_ERR_SIMULATION, 1, "the simulation failed")                                             \
    X(TAKT_ERR_USAGE, 2, "wrong use of an option or a function")                                   \
    X(TAKT_ERR_INPUT, 3, "invalid input: project, FMU or table")                                   \
    X(TAKT_ERR_OUTPUT, 1, "a result cannot be written")                                            \
    X(TAKT_ERR_MEMORY, 1, "out of memory")                                                         \
    X(TAKT_ERR_TIMEOUT, 5, "a call to an FMU did not return in time")                              \
    X(TAKT_ERR_CRASH, 4, "an FMU crashed or ended the program")

/// How a call ended; TAKT_OK is 0.
typedef enum takt_status {
#define TAKT_STATUS_ENUM(name, exit_code, text) name,
    TAKT_STATUS_LIST(TAKT_STATUS_ENUM)
#undef TAKT_STATUS_ENUM
} takt_status;

/// Room for the message of an error, with its final 0.
enum { TAKT_MESSAGE_SIZE = 2048 };

/// What went wrong. Lives in the caller's memory and needs no clearing; start with `= {0}`.
typedef struct takt_error {
    takt_status status; ///< what the failing call returned
    char message[TAKT_MESSAGE_SIZE]; ///< one line without a newline; long ones end in "..."
} takt_error;

/// The meaning of a status code in a few words. Never NULL.
TAKT_API const char *takt_status_text(takt_status status);

/// The exit code that the program `takt` uses for a status code.
TAKT_API int takt_status_exit_code(takt_status status);

#ifdef __cplusplus
}
#endif
#endif
