// SPDX-License-Identifier: MIT
// What the leak sanitizer shall not report: the library that finds fonts for PNG and PDF keeps its list of them to the end
// of the process. Empty without that sanitizer.
#if defined __SANITIZE_ADDRESS__
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}
#else
typedef int takt_nothing_here; // a file of C must not be empty
#endif
