#!/bin/bash
# Runs every fuzzer for a while, one per processor at a time, starting from its corpus. Findings are left in
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
fuzz() { # name
    local name=$1 words=()
    mkdir -p "$build/new/$name"
    [ -f "$tests/dictionaries/$name.dict" ] && words=("-dict=$tests/dictionaries/$name.dict")
    "$build/fuzz/fuzz_$name" -max_total_time="$seconds" -print_final_stats=1 -verbosity=0 -timeout=5 \
        -rss_limit_mb=512 -malloc_limit_mb=256 "${words[@]}" -artifact_prefix="$build/findings/$name-" \
        "$build/new/$name" "$tests/corpus/$name" > "$build/new/$name.log" 2>&1 || tail -40 "$build/new/$name.log"
    printf '%-12s %s\n' "$name" "$(grep number_of_executed "$build/new/$name.log")"
}
for name in "$@"; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
    fuzz "$name" &
done
wait
ls "$build/findings"
[ -z "$(ls "$build/findings")" ]
