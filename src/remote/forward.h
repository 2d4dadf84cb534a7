// SPDX-License-Identifier: MIT
// The table of the forwarding instance. Only for src/remote.
#ifndef TAKT_REMOTE_FORWARD_H
#define TAKT_REMOTE_FORWARD_H

#include "remote/remote.h"

/// Makes the type of instances that forward to those of `inner`.
takt_instance_type takt_forward_type(const takt_instance_type *inner);

#endif
