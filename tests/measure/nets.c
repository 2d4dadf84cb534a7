// SPDX-License-Identifier: MIT
// Nets of members that saturate and hide states (support/nets.h), run to a tolerance and compared with the solution:
//     measure_nets MODE TOLERANCE FIRST COUNT     MODE: a, b or m
// One line for each that is silently wrong by more than 10 tolerances, and a summary.
#include <stdio.h>
#include <stdlib.h>

#include "support/nets.h"

int main(int argc, char **argv)
{
    static test_net net;
    if (argc < 5) return 2;
    char mode = argv[1][0];
    double tolerance = atof(argv[2]), worst = 0, calls = 0;
    int first = atoi(argv[3]), n = atoi(argv[4]), n_wrong = 0, n_loud = 0;
    for (int i = first; i < first + n; i++) {
        test_net_make(&net, i);
        test_net_outcome out = test_net_run(&net, mode, tolerance, argc > 5 ? argv[5] : "");
        calls += (double)out.calls / n;
        n_loud += !out.is_silent;
        if (out.is_silent && out.error > worst) worst = out.error;
        if (n == 1) test_net_describe(&net, stdout);
        bool is_wrong = out.is_silent && out.error > 10;
        n_wrong += is_wrong;
        if (n == 1 || is_wrong)
            printf("%d: %.3g tolerances at t=%.6g s, member %d, %d steps, %lld calls%s %s\n", i,
                   out.error, out.t, out.i_member, out.n_steps, (long long)out.calls,
                   out.is_silent ? "" : ", warned", out.failure.message);
        fflush(stdout);
    }
    printf("mode %c at %g: %d of %d silently wrong, worst %.3g tolerances; %d warned; %.0f calls "
           "on average\n",
           mode, tolerance, n_wrong, n, worst, n_loud, calls);
    return n_wrong > 0;
}
