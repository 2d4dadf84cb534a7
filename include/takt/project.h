// SPDX-License-Identifier: MIT
// A project: the components, connections, values and settings, as the user wrote them.
#ifndef TAKT_PROJECT_H
#define TAKT_PROJECT_H

#include "takt/log.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the user wrote.
typedef struct takt_project takt_project;

/// Reads a project: a package of SSP (`.ssp`, or a folder with a SystemStructure.ssd), a single
/// SystemStructureDescription (`.ssd`), an FMU (`.fmu`), a project of MasterSim (`.msim`), of the Open
/// Simulation Platform (`.xml`), or of the EAS master (any other text file). Fails when the file cannot
/// be read at all. Problems of its content go to `log` and let takt_system_create() fail, which adds
/// those that it finds. The result is owned by the caller; `log` (may be NULL) must outlive it.
TAKT_API takt_status takt_project_open(const char *path, takt_log *log, takt_project **out,
                                       takt_error *err);

/// The same for another variant of a package: `variant` is the file name of a SystemStructureDescription
/// at its top ("VariantB.ssd", "VariantB"), or the name that is written in it. NULL: the default one.
TAKT_API takt_status takt_project_open_variant(const char *path, const char *variant, takt_log *log,
                                               takt_project **out, takt_error *err);

/// Ends a project. Nothing made from it may exist any more. Accepts NULL.
TAKT_API void takt_project_close(takt_project *project);

/// The project's name: that of the file without folder and extension.
TAKT_API const char *takt_project_name(const takt_project *project);

/// Changes a setting, overriding what the file says: `name` and `value` are those of the
/// command line option, for example "step-size" and "10ms". Flags take "true" or "false".
TAKT_API takt_status takt_project_set(takt_project *project, const char *name, const char *value,
                                      takt_error *err);

/// Gives a variable another start value: "Tank.level=1.5". It is checked with the rest of the
/// system by takt_system_create().
TAKT_API takt_status takt_project_set_value(takt_project *project, const char *assignment,
                                            takt_error *err);

/// Gives variables the values of a file (SystemStructureParameterValues, `.ssv`), as if it were bound to
/// the whole system: names are "component.variable". Values for variables that do not exist are
/// reported and left out.
TAKT_API takt_status takt_project_set_values(takt_project *project, const char *path,
                                             takt_error *err);

/// Writes a project as SSP, with the settings and values that were changed: as a package (`.ssp`, or a
/// folder, which exists or whose path ends in '/') that holds all files it needs, or as a single
/// description (`.ssd`) that refers to them where they are.
/// What was read from SSP and means nothing to Takt stays. What cannot be expressed goes to the log as
/// warnings. An old file is replaced. The FMUs of a project that is not SSP are opened to find out the
/// kinds of their variables.
TAKT_API takt_status takt_project_write(takt_project *project, const char *path, takt_error *err);

/// One setting, for help texts and documentation.
typedef struct takt_setting_info {
    const char *name; ///< "step-size"
    const char *argument; ///< what its value is called in help texts; NULL: a flag
    const char *default_text; ///< as one would write it; NULL: depends on the project
    const char *help; ///< one sentence without a full stop
} takt_setting_info;

/// The settings, by index from 0; NULL after the last one.
TAKT_API const takt_setting_info *takt_setting(int index);

/// The heading above a setting in help texts; NULL: it belongs to the setting before.
TAKT_API const char *takt_setting_group(int index);

#ifdef __cplusplus
}
#endif
#endif
