// SPDX-License-Identifier: MIT
// A nest is a process of the program takt-worker that has opened an FMU and makes its workers: it never runs code
// of the FMU, so it starts each of them quickly by fork(), with little memory of their own, and outlives their crashes.
// It says when one of them has ended (region.h). When the master is gone, however it ended, the nest ends, and with
// it all workers, because the system kills them when their parent dies.
#ifndef TAKT_REMOTE_NEST_H
#define TAKT_REMOTE_NEST_H

#include <stdint.h>

#include "base/error.h"
#include "instance/value.h"

typedef struct takt_nest takt_nest;

/// What a nest is asked; the answer is a takt_nest_answer.
typedef enum takt_nest_wish {
    TAKT_NEST_OPEN, ///< opens the FMU; what follows says which, and how
    TAKT_NEST_HATCH, ///< makes a worker; with the file descriptor of its region
    TAKT_NEST_KILL, ///< kills a worker
    TAKT_NEST_ASK, ///< lets a worker write down which function is being called
} takt_nest_wish;

typedef struct takt_nest_request {
    int32_t wish; ///< a takt_nest_wish
    int32_t process; ///< of the worker
} takt_nest_request;

typedef struct takt_nest_answer {
    int32_t status; ///< a takt_status
    int32_t process; ///< of a new worker
    char text[TAKT_MESSAGE_SIZE]; ///< of an error
} takt_nest_answer;

/// What a nest has open; see nest_main.c.
enum { TAKT_NEST_SOCKET = 3 };

/// Starts a nest. `fmu` are the bytes of TAKT_NEST_OPEN. Owned by the caller.
takt_status takt_nest_create(const takt_bytes *fmu, takt_nest **out, takt_error *err);

/// Lets it live until takt_nest_destroy() has been called once more. Any thread may do so.
void takt_nest_hold(takt_nest *nest);

/// Ends it with all its workers, unless others hold it still. Accepts NULL.
void takt_nest_destroy(takt_nest *nest);

/// Makes a worker for the region behind `file`. These functions may be called from any thread.
takt_status takt_nest_hatch(takt_nest *nest, int file, int *process, takt_error *err);
void takt_nest_kill(takt_nest *nest, int process);
void takt_nest_ask(takt_nest *nest, int process);

/// Is the nest's process there? If not, its workers are gone, too.
bool takt_nest_is_alive(takt_nest *nest);

#endif
