// SPDX-License-Identifier: MIT
// The program `takt`: one process.
#include "ranks.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv, NULL, NULL);
}
