// SPDX-License-Identifier: MIT
#include "support/problems.h"
#include <stdio.h>
int main(int argc, char **argv)
{
    const char *name = argv[1];
    char mode = argv[2][0];
    static test_problem p;
    for (int i = 3; i < argc; i++) {
        char s[200];
        double tol = strtod(argv[i], NULL);
        snprintf(s, sizeof s, "output-interval=0 tolerance=%g", tol);
        test_problem_make(&p, name, mode);
        test_measured m = test_problem_run(&p, s);
        printf("%-10s %c %-6s error/tol %9.3g (end %9.3g) calls %6ld steps %5ld rejected %4ld %s\n", name, mode, argv[i], m.error / tol, m.end_error/tol, (long)m.calls, (long)m.steps, (long)m.rejected, m.message);
    }
}
