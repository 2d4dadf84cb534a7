#!/bin/bash
# Brings the headers and static libraries of SUNDIALS into FOLDER, from Debian's package libsundials-dev.
# The package is only unpacked, not installed: installing it would pull in more than 300 others. Does
# nothing when they are there already. Usage: tools/fetch_sundials.sh FOLDER
set -eu
folder=$1
[ -f "$folder/usr/include/cvode/cvode.h" ] && exit 0
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # apt-get downloads as a user of its own
download() { (cd "$work" && apt-get download libsundials-dev > log 2>&1); }
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
download || { "${as_root[@]}" apt-get update > /dev/null && download; } || {
    cat "$work/log" >&2
    echo "Cannot download libsundials-dev" >&2
    exit 1
}
dpkg -x "$work"/libsundials-dev_*.deb "$work/x"
mkdir -p "$folder/usr"
cp -r "$work/x/usr/include" "$work/x/usr/lib" "$folder/usr/"
