#!/bin/bash
# Tells how many lines of each layer the tests have executed. Usage: tools/coverage.sh BUILD_FOLDER
set -eu
build=$(cd "$1" && pwd)
cd "$build/CMakeFiles/takt_objects.dir/src"
for layer in */; do
    (cd "$layer" && gcov --no-output ./*.gcda 2>/dev/null) | awk -v layer="${layer%/}" '
        /^File/ { is_ours = $0 ~ /\/src\// }
        /^Lines executed/ && is_ours { split($0, part, /[:% ]+/); lines += $NF; hit += part[3] * $NF / 100; is_ours = 0 }
        END { if (lines) printf "%-10s %5.1f %% of %d lines\n", layer, 100 * hit / lines, lines }'
done
