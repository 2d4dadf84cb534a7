// SPDX-License-Identifier: MIT
// The memory that the master and one worker share. It has a head, a room for the log, one for what the master
// asks, one for what the worker answers, and one for talks between an integrator and equations (talk.h). Rooms are large and cost memory only where they are used. A region
// has no name in any file system and cannot change its size, so that nothing is left of it and reading it is
// always possible.
//
// Turns: the master writes and counts `asked` up; the worker works, writes and counts `answered` up. Each waits for
// the other one's counter, which is a futex. When the worker's process ends, its nest (nest.h) counts `answered` up, so
// that nobody waits for the dead. In between only one of them writes, unless the FMU runs wild; that
// is why the master believes nothing it reads here.
//
// This file and those that the worker's core consists of (room, region, wake, words, serve) know only memory
// and futexes of the system, so that workers for other kinds of libraries can be made from them.
#ifndef TAKT_REMOTE_REGION_H
#define TAKT_REMOTE_REGION_H

#include <stdatomic.h>

#include "remote/room.h"
#include "remote/wake.h"

enum {
    TAKT_REGION_VERSION = 2, ///< of the layout and of the messages
    TAKT_REGION_HEAD = 16 * 1024, ///< bytes
    TAKT_REGION_LOG = 4 * 1024 * 1024,
    TAKT_REGION_ROOM = 256 * 1024 * 1024,
    TAKT_REGION_TALK = 64 * 1024 * 1024,
    TAKT_REGION_NOTE = 128, ///< of the names in a note
    TAKT_REGION_TRACE = 4096, ///< of the calls on the stack
};
#define TAKT_REGION_SIZE                                                                           \
    ((size_t)TAKT_REGION_HEAD + TAKT_REGION_LOG + 2 * (size_t)TAKT_REGION_ROOM + TAKT_REGION_TALK)

/// What a worker is doing, for messages about one that is gone.
typedef struct takt_region_note {
    atomic_uint op; ///< the takt_op that is going on; 0: none
    char how
        [TAKT_REGION_NOTE]; ///< it crashed: "SIGSEGV"; or ended itself: "exit(0)"; "" while it lives
    char function[TAKT_REGION_NOTE]; ///< of the FMU, which is being called; "" if that is not known
    char trace[TAKT_REGION_TRACE]; ///< the calls on the stack, one per line
    char refused[TAKT_REGION_NOTE]; ///< what the sandbox has refused last; "": nothing
    char left[TAKT_REGION_NOTE]; ///< at its end: a file in its working folder, which goes
} takt_region_note;

/// The same for workers with 32 bits, for which numbers of 8 bytes would lie at multiples of 4.
typedef struct takt_region {
    uint32_t version;
    _Alignas(64) takt_wake asked; ///< messages of the master
    _Alignas(8) uint64_t ask_size; ///< bytes of the last one
    uint32_t may_spin; ///< the worker, for the next one; see wake.h
    uint32_t
        wants_integrator; ///< with is_partial: not the log is full, but there is something in the room for talks
    _Alignas(64) takt_wake answered; ///< counts what the master has to look at
    atomic_uint replied; ///< the message (as in `asked`) that was answered last
    atomic_uint has_gone; ///< the worker's process has ended, says its nest
    int32_t wait_status; ///< how, as waitpid() says
    uint32_t is_partial; ///< the log is full: the answer follows when the master has read it
    _Alignas(8) uint64_t answer_size;
    uint64_t log_size; ///< both in bytes
    _Alignas(8) int64_t status; ///< a takt_status
    char text[TAKT_MESSAGE_SIZE]; ///< of an error
    _Alignas(8) int64_t n_derivatives;
    int64_t n_directional; ///< both as in takt_work
    uint32_t is_in_events, terminates; ///< as in takt_me, of an instance with equations
    _Alignas(8) int64_t motion_order; ///< as takt_instance_type::motion_order
    takt_region_note note;
} takt_region;

static inline char *takt_region_log(takt_region *region)
{
    return (char *)region + TAKT_REGION_HEAD;
}

static inline char *takt_region_ask(takt_region *region)
{
    return takt_region_log(region) + TAKT_REGION_LOG;
}

static inline char *takt_region_answer(takt_region *region)
{
    return takt_region_ask(region) + TAKT_REGION_ROOM;
}

static inline char *takt_region_talk(takt_region *region)
{
    return takt_region_answer(region) + TAKT_REGION_ROOM;
}

/// Makes a region, and a file descriptor for it, which the caller closes.
takt_status takt_region_create(takt_region **out, int *file, takt_error *err);

/// Sees the region of another process; NULL: that is not possible. Does not close the file.
takt_region *takt_region_open(int file);

void takt_region_close(takt_region *region); ///< accepts NULL

#endif
