// SPDX-License-Identifier: MIT
// What there is to compile in an FMU that comes as source code. Every version of FMI says it in another
// way: 1.0 only has a folder of sources, 2.0 lists the files in the model description, 3.0 has a
// sources/buildDescription.xml. No path leads out of the FMU.
#ifndef TAKT_COMPILE_SOURCES_H
#define TAKT_COMPILE_SOURCES_H

#include "base/arena.h"
#include "base/error.h"

/// A file, and how it is compiled. All texts live in the arena.
typedef struct takt_source {
    const char *path;
    bool is_cpp;
    const char *const *arguments; ///< "-DNAME=VALUE", "-I...", in this order
    int n_arguments;
} takt_source;

typedef struct takt_sources {
    takt_source *files;
    int n_files;
    const char **libraries; ///< arguments for the linker: "-lNAME" or paths
    int n_libraries;
} takt_sources;

/// Are there sources that takt_sources_find() can make something of? Not for FMI 2.0, whose description
/// lists them.
takt_status takt_sources_exist(const char *folder, int fmi_major, bool *out, takt_error *err);

/// Which sources are looked for.
typedef struct takt_sources_wish {
    const char *folder; ///< of the unpacked FMU
    int fmi_major;
    const char *platform; ///< this one, as FMI 3.0 calls it: "x86_64-linux"
    const char *identifier; ///< of the interface that is used
    bool is_me; ///< that for model exchange
    const char *const *listed; ///< files that the description of FMI 2.0 names
    int n_listed;
} takt_sources_wish;

takt_status takt_sources_find(const takt_sources_wish *wish, takt_arena *arena, takt_sources *out,
                              takt_error *err);

#endif
