// SPDX-License-Identifier: MIT
// Tests with FMUs for Windows.
#ifndef TEST_SUPPORT_WINE_H
#define TEST_SUPPORT_WINE_H

#include <stdbool.h>
#include <unistd.h>

#include "support/test.h"

/// Can FMUs for Windows run here, and have the FMUs of this build libraries for it? Says loudly if not. `dll` is TEST_HOSTILE_DLL.
static inline bool test_can_run_wine(const char *dll)
{
    if (dll[0] && access("/usr/lib/wine/wine64", X_OK) == 0) return true;
    print_message("NOT TESTED: FMUs for Windows. Tests need Wine and mingw-w64 "
                  "(tools/install_packages.sh wine), -DTAKT_WINDOWS_FMUS=ON, and no sanitizers.\n");
    return false;
}

#endif
