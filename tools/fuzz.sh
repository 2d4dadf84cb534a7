#!/bin/bash
# Runs every fuzzer for a while, one after the other, starting from its corpus. Findings are left in
# BUILD_FOLDER/findings and fail: crashes, inputs that take longer than 5 s, and those that need more than
# 512 MB. Usage: tools/fuzz.sh BUILD_FOLDER SECONDS [FUZZER...]
set -eu
build=$(cd "$1" && pwd)
seconds=$2
shift 2
tests=$(cd "$(dirname "$0")/../tests/fuzz" && pwd)
[ $# -gt 0 ] || set -- $(cd "$build/fuzz" && ls fuzz_* | sed 's/^fuzz_//')
[ -w /dev/shm ] && export TMPDIR=/dev/shm # some targets write files
mkdir -p "$build/findings"
for name in "$@"; do
    echo "== $name, $seconds s"
    mkdir -p "$build/new/$name"
    words=()
    [ -f "$tests/dictionaries/$name.dict" ] && words=("-dict=$tests/dictionaries/$name.dict")
    "$build/fuzz/fuzz_$name" -max_total_time="$seconds" -print_final_stats=1 -verbosity=0 -timeout=5 \
        -rss_limit_mb=512 -malloc_limit_mb=256 "${words[@]}" -artifact_prefix="$build/findings/$name-" \
        "$build/new/$name" "$tests/corpus/$name" 2>&1 | tail -8
done
ls "$build/findings"
[ -z "$(ls "$build/findings")" ]
