// SPDX-License-Identifier: MIT
// What the core of a worker consists of: serve.c takes messages and answers them, calls.c makes the calls,
// served_access.c keeps what it needs for them. Only for them.
#ifndef TAKT_REMOTE_SERVER_H
#define TAKT_REMOTE_SERVER_H

#include "remote/region.h"
#include "remote/serve_options.h"
#include "remote/words.h"

/// An access that the master has used, and room for its strings and binaries.
typedef struct takt_served_access {
    takt_arena arena;
    takt_access access;
    takt_bytes *bytes; ///< one per value of that kind
    bool is_used; ///< by a motion, which keeps a pointer to it
} takt_served_access;

enum { TAKT_MAX_SERVED = 32 };

struct takt_server {
    takt_region *region; ///< borrowed
    const takt_model *model; ///< borrowed
    const takt_serve_options *options; ///< borrowed
    takt_log *log; ///< what is written to it lies in the region until the master reads it
    takt_room log_room;
    unsigned seen; ///< messages of the master so far
    takt_patience patience; ///< while it waits for the next one
    bool is_answering; ///< so that the master can be asked to read the log
    bool has_ended; ///< the master is gone, or wants the end
    bool has_stepped; ///< the step of the message that is being answered reached its end
    takt_instance *instance;
    char *name; ///< of the instance; owned
    takt_served_access accesses[TAKT_MAX_SERVED];
    int n_accesses, i_next; ///< where the next one goes
    void **states; ///< by number; NULL: none
    int64_t n_states;
};

/// A call: takes what it needs from `in`, puts its results into `out`.
typedef takt_status takt_serve_fn(takt_server *self, takt_room *in, takt_room *out,
                                  takt_error *err);

/// All of them; see TAKT_OP_LIST.
#define TAKT_SERVE_DECLARE(name, text, handler) takt_serve_fn takt_serve_##handler;
TAKT_OP_LIST(TAKT_SERVE_DECLARE)
#undef TAKT_SERVE_DECLARE

/// The message is broken.
takt_status takt_serve_fail_message(takt_error *err);

/// The handler of a call; NULL: there is no such call.
takt_serve_fn *takt_serve_find(int64_t op);

/// The access that a message names. NULL: memory is exhausted, or the message is broken.
takt_served_access *takt_serve_access(takt_server *self, takt_room *in);
void takt_serve_clear_accesses(takt_server *self);

/// A log whose messages go to the master. NULL: out of memory.
takt_log *takt_serve_log_create(takt_server *self, takt_level level, bool is_strict);

/// Answers with what the log has, and waits until the master has read it.
void takt_serve_flush(takt_server *self);

/// The same for what lies in the room for talks; then the master's answer is there, unless it is gone (`has_ended`).
void takt_serve_talk(takt_server *self);

#endif
