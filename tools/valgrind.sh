#!/bin/bash
# Runs the unit tests under valgrind's memcheck, and the program on the examples. Any error or leak
# fails. Takes about ten minutes on one core. Usage: tools/valgrind.sh BUILD_FOLDER [PROGRAM]; the program
# is one of unit tests, as in unit_run.
set -eu
build=$(cd "$1" && pwd)
examples=$(cd "$(dirname "$0")/../examples" && pwd)
export TAKT_CACHE_DIR=$build/cache TMPDIR=$build/tmp
memcheck=(valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect)
failed=0

check() { # name, command...
    local name=$1
    shift
    if output=$("${memcheck[@]}" "$@" 2>&1); then
        echo "ok      $name"
    else
        failed=1
        echo "FAILED  $name"
        echo "$output" | tail -40
    fi
}

for program in "$build"/tests/${2:-unit_*}; do
    for file in $("$program" --list); do
        case $file in
        test_memory*) continue ;; # fail every allocation in turn: hours under valgrind, seconds elsewhere
        test_process) continue ;; # valgrind does not say in the parent that a program is not there
        esac
        check "$(basename "$program") $file" "$program" "$file"
    done
done
for algorithm in jacobi seidel fixed-point newton quasi-newton anderson; do
    check "math003 $algorithm" "$build/takt" run "$examples/math003/math003.ssd" --quiet --algorithm $algorithm \
        --record '*' --output-file "$build/tmp/valgrind.csv" --trace "$build/tmp/valgrind.json"
done
check "math003 richardson" "$build/takt" run "$examples/math003/math003.ssd" --quiet --output-file "$build/tmp/valgrind.csv" \
    --algorithm fixed-point --step-control richardson
exit $failed
