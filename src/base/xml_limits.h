// SPDX-License-Identifier: MIT
// What XML files may contain. A file is refused when it is malformed, too large or too deep, or has a
// DOCTYPE: FMI and SSP need none, and everything dangerous in XML (entities that explode, files and
// addresses that are read) needs one. Problems are reported as "name:line: what is wrong", where the
// caller gives `name` as users are to see it.
#ifndef TAKT_BASE_XML_LIMITS_H
#define TAKT_BASE_XML_LIMITS_H

enum {
    TAKT_XML_MAX_DEPTH = 200, ///< nested elements; SSD files nest systems, but not like this
    TAKT_XML_MAX_STREAM_SIZE = 1 << 30, ///< bytes; a million variables take about 230 MB
    TAKT_XML_MAX_TREE_SIZE = 64 << 20, ///< bytes; a tree takes ten times as much memory
    TAKT_XML_MAX_ATTRIBUTES = 1000, ///< of one element; libxml2 compares each with each other
};

#endif
