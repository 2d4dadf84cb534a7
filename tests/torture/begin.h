// SPDX-License-Identifier: MIT
// What the preloaded library (allocations.c) and the tracer (calls.c) agree on.
#ifndef TAKT_TESTS_TORTURE_BEGIN_H
#define TAKT_TESTS_TORTURE_BEGIN_H

/// Argument of a prctl() that means nothing to the system: from here on, calls are counted.
enum { TORTURE_BEGIN = 0x746f7274 };

#endif
