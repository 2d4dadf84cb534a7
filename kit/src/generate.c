// SPDX-License-Identifier: MIT
// The program that writes an FMU's modelDescription.xml. It is linked with the author's object file,
// so that the table of variables is the only description there is. Arguments: the name the build
// gives to the FMU, the version of FMI, and the file to write.
#include "check.h"
#include "describe.h"

#include <string.h>

int main(int argc, char **argv)
{
    static fmukit_describe_fn *const describe[] = {fmukit_describe_fmi1, fmukit_describe_fmi2,
                                                   fmukit_describe_fmi3};
    int version = argc == 4 && strlen(argv[2]) == 1 ? argv[2][0] - '0' : 0;
    if (version < 1 || version > 3) {
        fprintf(stderr, "usage: %s NAME VERSION FILE\n", argv[0]);
        return 2;
    }
    const fmukit_model *model = &fmukit_this_model;
    int n_mistakes = fmukit_check(model, version, stderr);
    if (model->name && strcmp(model->name, argv[1]) != 0) {
        fprintf(stderr, "%s: the build calls this FMU '%s'; both names must be the same\n",
                model->name, argv[1]);
        n_mistakes++;
    }
    if (n_mistakes) return 1;
    FILE *out = fopen(argv[3], "w");
    if (out) describe[version - 1](model, out);
    bool is_written = out && !ferror(out);
    if (out && fclose(out) != 0) is_written = false;
    if (!is_written) fprintf(stderr, "%s: cannot write %s\n", model->name, argv[3]);
    return is_written ? 0 : 1;
}
