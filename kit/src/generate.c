// SPDX-License-Identifier: MIT
// The program that writes an FMU's modelDescription.xml. It is linked with the author's object file,
// so that the table of variables is the only description there is. Arguments: the name the build
// gives to the FMU, the version of FMI ("1me": FMI 1.0 for model exchange), and the file to write.
#include "check.h"
#include "describe.h"

#include <string.h>

typedef struct fmu_kind {
    const char *name;
    int version;
    unsigned interfaces; ///< at least one of these is needed
    fmukit_describe_fn *describe;
} fmu_kind;

static const fmu_kind kinds[] = {
    {"1", 1, FMUKIT_CO_SIMULATION, fmukit_describe_fmi1},
    {"1me", 1, FMUKIT_MODEL_EXCHANGE, fmukit_describe_fmi1_me},
    {"2", 2, FMUKIT_CO_SIMULATION | FMUKIT_MODEL_EXCHANGE, fmukit_describe_fmi2},
    {"3", 3, FMUKIT_CO_SIMULATION | FMUKIT_MODEL_EXCHANGE, fmukit_describe_fmi3},
};

static const fmu_kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const fmu_kind *kind = argc == 4 ? find_kind(argv[2]) : NULL;
    if (!kind) {
        fprintf(stderr, "usage: %s NAME VERSION FILE\n", argv[0]);
        return 2;
    }
    const fmukit_model *model = &fmukit_this_model;
    int n_mistakes = fmukit_check(model, kind->version, stderr);
    if (!(fmukit_interfaces(model) & kind->interfaces)) {
        fprintf(stderr, "%s: the model has no interface for VERSIONS %s\n", model->name, argv[2]);
        n_mistakes++;
    }
    if (model->name && strcmp(model->name, argv[1]) != 0) {
        fprintf(stderr, "%s: the build calls this FMU '%s'; both names must be the same\n",
                model->name, argv[1]);
        n_mistakes++;
    }
    if (n_mistakes) return 1;
    FILE *out = fopen(argv[3], "w");
    if (out) kind->describe(model, out);
    bool is_written = out && !ferror(out);
    if (out && fclose(out) != 0) is_written = false;
    if (!is_written) fprintf(stderr, "%s: cannot write %s\n", model->name, argv[3]);
    return is_written ? 0 : 1;
}
