// SPDX-License-Identifier: MIT
// How FMUs are isolated.
#ifndef TAKT_REMOTE_ISOLATION_H
#define TAKT_REMOTE_ISOLATION_H

typedef struct takt_isolation {
    double timeout; ///< s of real time per call; 0: none
} takt_isolation;

#endif
