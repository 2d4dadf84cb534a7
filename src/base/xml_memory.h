// SPDX-License-Identifier: MIT
// libxml2 and exhausted memory. The library drops attributes, takes names for empty, or crashes where an allocation
// of its own fails, and often does not say so. So its allocations go through the reserve (reserve.h).
#ifndef TAKT_BASE_XML_MEMORY_H
#define TAKT_BASE_XML_MEMORY_H

#include <stdbool.h>

/// Before calls of libxml2 that may allocate; initializes the library once per process and once per thread. Any
/// thread may call it. Returns false when memory is exhausted: then libxml2 must not be called.
bool takt_xml_begin(void);

/// After them: were all allocations of this thread since takt_xml_begin() good? If not, what libxml2 made is
/// only good for being freed.
bool takt_xml_end(void);

/// Between the two, in callbacks: has an allocation failed?
bool takt_xml_has_failed(void);

#endif
