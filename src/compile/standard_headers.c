// SPDX-License-Identifier: MIT
// Header files for source FMUs; see standard_headers.h. Functions get the prefix that a source defines
// before it includes the header: MODEL_IDENTIFIER in FMI 1.0, FMIx_FUNCTION_PREFIX later.
#include "compile/standard_headers.h"

#include "fmi/fmi1.h"
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"

#define EXPORT "__attribute__((visibility(\"default\")))"

// "#define fmi2DoStep fmi2FullName(fmi2DoStep)"
#define NAME_1(result, name, parameters) "#define " #name " fmiFullName(" #name ")\n"
#define NAME_2(result, name, parameters) "#define " #name " fmi2FullName(" #name ")\n"
#define NAME_3(result, name, parameters) "#define " #name " fmi3FullName(" #name ")\n"

// Declares the functions of lists; C++ sources need their names as C writes them.
#define BEGIN_DECLARATIONS(export)                                                                 \
    "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"                                                 \
    "#define TAKT_DECLARE(result, name, parameters) " export " result name parameters;\n"
#define END_DECLARATIONS "#undef TAKT_DECLARE\n#ifdef __cplusplus\n}\n#endif\n"

// ---- FMI 1.0 -------------------------------------------------------------------------------------

#define FMI1_NAMES                                                                                 \
    "#ifndef DllExport\n#define DllExport " EXPORT "\n#endif\n"                                    \
    "#define fmiPaste(a, b) a##b\n"                                                                \
    "#define fmiPasteB(a, b) fmiPaste(a, b)\n"                                                     \
    "#ifdef MODEL_IDENTIFIER\n"                                                                    \
    "#define fmiFullName(name) fmiPasteB(MODEL_IDENTIFIER, fmiPaste(_, name))\n"                   \
    "#else\n"                                                                                      \
    "#define fmiFullName(name) name\n"                                                             \
    "#endif\n"

static const char fmi1_types[] = "#include \"takt_fmi1.h\"\n"
                                 "#ifndef fmiPlatform\n"
                                 "#define fmiPlatform FMI1_TYPES_PLATFORM\n"
                                 "#define fmiModelTypesPlatform FMI1_TYPES_PLATFORM\n"
                                 "#define fmiVersion FMI1_VERSION\n"
                                 "#endif\n";

static const char fmi1_cs[] =
    "#ifndef fmiFunctions_h\n#define fmiFunctions_h\n#include \"fmiPlatformTypes.h\"\n" FMI1_NAMES
        FMI1_COMMON_FUNCTIONS(NAME_1) FMI1_CS_FUNCTIONS(NAME_1)
            BEGIN_DECLARATIONS("DllExport") "FMI1_COMMON_FUNCTIONS(TAKT_DECLARE)\nFMI1_CS_"
                                            "FUNCTIONS(TAKT_DECLARE)\n" END_DECLARATIONS "#endif\n";

static const char fmi1_me[] =
    "#ifndef fmiModelFunctions_h\n#define fmiModelFunctions_h\n#include \"fmiModelTypes.h\"\n"
    "#define fmiCallbackFunctions fmiModelCallbackFunctions\n" FMI1_NAMES FMI1_COMMON_FUNCTIONS(
        NAME_1) FMI1_ME_FUNCTIONS(NAME_1)
        BEGIN_DECLARATIONS("DllExport") "FMI1_COMMON_FUNCTIONS(TAKT_DECLARE)\nFMI1_ME_FUNCTIONS("
                                        "TAKT_DECLARE)\n" END_DECLARATIONS "#endif\n";

// ---- FMI 2.0 -------------------------------------------------------------------------------------

static const char fmi2_types[] = "#include \"takt_fmi2.h\"\n"
                                 "#ifndef fmi2TypesPlatform\n"
                                 "#define fmi2TypesPlatform \"default\"\n"
                                 "#define fmi2Version \"2.0\"\n"
                                 "#endif\n";

static const char fmi2_functions[] =
    "#ifndef fmi2Functions_h\n#define fmi2Functions_h\n#include \"fmi2FunctionTypes.h\"\n"
    "#ifndef FMI2_Export\n#define FMI2_Export " EXPORT "\n#endif\n"
    "#define fmi2Paste(a, b) a##b\n"
    "#define fmi2PasteB(a, b) fmi2Paste(a, b)\n"
    "#ifdef FMI2_FUNCTION_PREFIX\n"
    "#define fmi2FullName(name) fmi2PasteB(FMI2_FUNCTION_PREFIX, name)\n"
    "#else\n"
    "#define fmi2FullName(name) name\n"
    "#endif\n" FMI2_COMMON_FUNCTIONS(NAME_2) FMI2_CS_FUNCTIONS(NAME_2) FMI2_ME_FUNCTIONS(NAME_2)
        BEGIN_DECLARATIONS("FMI2_Export") "FMI2_COMMON_FUNCTIONS(TAKT_DECLARE)\n"
                                          "FMI2_CS_FUNCTIONS(TAKT_DECLARE)\n"
                                          "FMI2_ME_FUNCTIONS(TAKT_DECLARE)\n" END_DECLARATIONS
                                          "#endif\n";

// ---- FMI 3.0 -------------------------------------------------------------------------------------

static const char fmi3_types[] = "#include \"takt_fmi3.h\"\n"
                                 "#ifndef fmi3Version\n"
                                 "#define fmi3Version \"3.0\"\n"
                                 "#endif\n";

static const char fmi3_functions[] =
    "#ifndef fmi3Functions_h\n#define fmi3Functions_h\n#include \"fmi3FunctionTypes.h\"\n"
    "#ifndef FMI3_Export\n#define FMI3_Export " EXPORT "\n#endif\n"
    "#define fmi3Paste(a, b) a##b\n"
    "#define fmi3PasteB(a, b) fmi3Paste(a, b)\n"
    "#if !defined(FMI3_OVERRIDE_FUNCTION_PREFIX) && defined(FMI3_FUNCTION_PREFIX)\n"
    "#define FMI3_ACTUAL_FUNCTION_PREFIX FMI3_FUNCTION_PREFIX\n"
    "#endif\n"
    "#ifdef FMI3_ACTUAL_FUNCTION_PREFIX\n"
    "#define fmi3FullName(name) fmi3PasteB(FMI3_ACTUAL_FUNCTION_PREFIX, name)\n"
    "#else\n"
    "#define fmi3FullName(name) name\n"
    "#endif\n" FMI3_COMMON_FUNCTIONS(NAME_3) FMI3_CS_FUNCTIONS(NAME_3) FMI3_ME_FUNCTIONS(NAME_3)
        FMI3_SE_FUNCTIONS(NAME_3)
            BEGIN_DECLARATIONS("FMI3_Export") "FMI3_COMMON_FUNCTIONS(TAKT_DECLARE)\n"
                                              "FMI3_CS_FUNCTIONS(TAKT_DECLARE)\n"
                                              "FMI3_ME_FUNCTIONS(TAKT_DECLARE)\n"
                                              "FMI3_SE_FUNCTIONS(TAKT_DECLARE)\n" END_DECLARATIONS
                                              "#endif\n";

const takt_standard_header *takt_standard_headers(int fmi_major)
{
    static const takt_standard_header fmi1[] = {
        {"takt_fmi1.h", takt_fmi1_header}, {"fmiPlatformTypes.h", fmi1_types},
        {"fmiModelTypes.h", fmi1_types},   {"fmiFunctions.h", fmi1_cs},
        {"fmiModelFunctions.h", fmi1_me},  {0}};
    static const takt_standard_header fmi2[] = {{"takt_fmi2.h", takt_fmi2_header},
                                                {"fmi2TypesPlatform.h", fmi2_types},
                                                {"fmi2FunctionTypes.h", fmi2_types},
                                                {"fmi2Functions.h", fmi2_functions},
                                                {0}};
    static const takt_standard_header fmi3[] = {{"takt_fmi3.h", takt_fmi3_header},
                                                {"fmi3PlatformTypes.h", fmi3_types},
                                                {"fmi3FunctionTypes.h", fmi3_types},
                                                {"fmi3Functions.h", fmi3_functions},
                                                {0}};
    const takt_standard_header *const all[] = {fmi1, fmi2, fmi3};
    return all[fmi_major - 1];
}
