#!/bin/bash
# Builds a copy of the tree in a folder with a long and odd name and runs all tests there: no path may be taken
# for words, no length for granted. Usage: tools/try_odd_path.sh BUILD_FOLDER, which has SUNDIALS in deps/.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
name="ein langer Name with blanks (and brackets) + ümläute ändern nichts 长路径" # commas are too much for CMake
tree="$build/odd/$name/${name:0:40}"
rm -rf "$build/odd"
mkdir -p "$tree/build/deps"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$tree"
cp -r "$build/deps/sundials" "$tree/build/deps/"
cd "$tree"
cmake -S . -B build -G Ninja -Wno-dev -DCMAKE_BUILD_TYPE=Release --log-level=WARNING > /dev/null
cmake --build build > build/log 2>&1 || { tail -30 build/log; exit 1; }
ctest --test-dir build --output-on-failure -j "$(nproc)"
rm -rf "$build/odd"
