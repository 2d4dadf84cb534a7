// SPDX-License-Identifier: MIT
// The program takt-worker, in which isolated FMUs run; see takt/worker.h. Libraries that call _exit() are noticed
// as in the program takt (apps/takt/exit_guard.c).
#include <stdio.h>

#include <takt/worker.h>

int main(int argc, char **argv)
{
    int code = takt_worker_main(argc, argv);
    fputs("takt-worker is started by takt, or by a program with its library, for isolated FMUs\n",
          stderr);
    return code;
}
