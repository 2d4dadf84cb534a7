#!/bin/bash
# Runs every fuzzer for a while, one after the other, starting from its corpus. Findings are left in
# BUILD_FOLDER/findings and fail. Usage: tools/fuzz.sh BUILD_FOLDER SECONDS
set -eu
build=$(cd "$1" && pwd)
seconds=$2
corpus=$(cd "$(dirname "$0")/../tests/fuzz/corpus" && pwd)
mkdir -p "$build/findings"
for fuzzer in "$build"/fuzz/fuzz_*; do
    [ -x "$fuzzer" ] || continue
    name=$(basename "$fuzzer" | sed 's/^fuzz_//')
    echo "== $name, $seconds s"
    mkdir -p "$build/new/$name"
    "$fuzzer" -max_total_time="$seconds" -print_final_stats=1 -verbosity=0 -rss_limit_mb=4096 \
        -artifact_prefix="$build/findings/$name-" "$build/new/$name" "$corpus/$name" 2>&1 | tail -8
done
ls "$build/findings"
[ -z "$(ls "$build/findings")" ]
