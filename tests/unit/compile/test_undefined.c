// SPDX-License-Identifier: MIT
// Telling definitions from declarations and uses in source code.
#include "compile/undefined.h"
#include "support/test.h"

static void definitions_are_found(void **state)
{
    static const char *const texts[] = {
        "double rest(void) { return 1; }",
        "#include <a.h>\n#define A \\\n ( {\nstatic int a;\ndouble *\nrest (int a, f(*b)(void))\n{",
        "/* { */ // {\nint a(void) { if (x) { rest(); } return '{'; }\nint rest() {}",
        "extern \"C\" {\nint a;\nint rest(void)\n{}\n}",
        "extern \"C\" int rest(void) {}",
        "int N::rest(int) const {}",
        "double rest;",
        "const char *a = \"x\"; int rest = 3;",
        "struct s rest[3];",
        "int a, rest, b;",
        "extern \"C\" { int rest; }",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!takt_undefined_is_in(texts[i], "rest")) fail_msg("not found: %s", texts[i]);
}

static void nothing_else_is_taken_for_one(void **state)
{
    static const char *const texts[] = {
        "",
        "double rest(void);",
        "extern double rest;",
        "typedef int rest;",
        "static double rest(void) { return 1; }",
        "static int rest = 1;",
        "int a(void) { return rest(1); }",
        "int a(void) { if (rest(1)) { b(); } }",
        "int a(void) { int rest = 1; }",
        "int a(int rest, int b) {}",
        "int a = rest;",
        "#define rest(a) { a }\n",
        "// int rest(void) {}\n/* int rest(void) {} */",
        "const char *a = \"int rest(void) {}\";",
        "int rests(void) {} int arest(void) {}",
        "int rest(", // cut off
        "int rest(void",
        "/* int rest(void) {}",
        "\"",
        "#define a \\",
        "'\\",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (takt_undefined_is_in(texts[i], "rest")) fail_msg("found: %s", texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_are_found),
        cmocka_unit_test(nothing_else_is_taken_for_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
