#!/bin/bash
# Everything that can be checked without running a test: format, layers, sizes, banned functions,
# headers, exported symbols, documentation. All checks run, then the result is told.
# Usage: tools/check.sh BUILD_FOLDER
set -u
cd "$(dirname "$0")/.."
build=$1
failed=()

check() { # name, command...
    local name=$1
    shift
    if output=$("$@" 2>&1); then
        printf '%-10s ok\n' "$name"
    else
        printf '%-10s FAILED\n' "$name"
        failed+=("$name")
    fi
    [ -z "$output" ] || printf '%s\n' "$output" | sed 's/^/    /'
}

check_format() {
    git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format --dry-run --Werror 2>&1 | grep -E 'error|warning' | head -20
    return "${PIPESTATUS[1]}"
}

check format check_format
check layers python3 tools/check_layers.py
check sizes python3 tools/check_sizes.py
check banned python3 tools/check_banned.py
check headers python3 tools/check_headers.py
check abi python3 tools/check_abi.py
check symbols python3 tools/check_symbols.py "$build"
check docs python3 tools/check_docs.py

if [ ${#failed[@]} -gt 0 ]; then
    echo "Failed: ${failed[*]}"
    exit 1
fi
