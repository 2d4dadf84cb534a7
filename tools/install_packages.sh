#!/bin/bash
# Installs the Debian packages that the given tasks need and that are missing.
# Does nothing, and needs no network, when all of them are there.
set -eu

declare -A packages=(
    [build]="cmake ninja-build pkg-config gcc g++ libc6-dev libxml2-dev libzip-dev libjansson-dev libssl-dev libmicrohttpd-dev"
    [test]="libcmocka-dev librsvg2-2 unzip"
    [scipy]="python3-scipy"
    [node]="nodejs npm"
    [browser]="chromium"
    [pictures]="fonts-inter"
    [wine]="wine64 wine64-tools libwine-dev gcc-mingw-w64-x86-64"
    [linux32]="gcc-multilib libc6-dev-i386"
    [mpi]="libopenmpi-dev openmpi-bin procps iproute2"
    [deb]="dpkg-dev file"
    [lintian]="lintian dpkg-dev file"
    [check]="clang-format python3 git binutils"
    [clang]="clang"
    [fuzz]="llvm libclang-rt-14-dev"
    [valgrind]="valgrind"
)

missing=()
for task in "$@"; do
    [ -n "${packages[$task]:-}" ] || { echo "unknown task '$task' (known: ${!packages[*]})" >&2; exit 2; }
    for package in ${packages[$task]}; do
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$status" = installed ] || missing+=("$package")
    done
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Installing: ${missing[*]}"
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
    "${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}" > "$log" 2>&1
}
# The list of packages may be absent or out of date; then fetch it and try once more.
install || { "${as_root[@]}" apt-get update > /dev/null && install; } || {
    cat "$log" >&2
    echo "Cannot install: ${missing[*]}" >&2
    exit 1
}
