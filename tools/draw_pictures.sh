#!/bin/bash
# Draws the pictures of the documentation anew, with the program of a build.
# Usage: tools/draw_pictures.sh BUILD_FOLDER
set -eu
cd "$(dirname "$0")/.."
takt=$1/takt
mkdir -p docs/pictures
"$takt" graph examples/math003/math003.ssd --format svg > docs/pictures/math003.svg
# Those of the page, where it and a browser are there.
if command -v node > /dev/null && command -v chromium > /dev/null && [ -d ui/node_modules ] && [ -f ui/dist/app.js.gz ]; then
    tools/install_packages.sh pictures
    TAKT_PROGRAM=$(realpath "$takt") TAKT_TEST_FMUS=$(realpath "$1")/fmus TAKT_EXAMPLES=$PWD/examples TAKT_PAGE=$PWD/ui/dist CHROMIUM=$(command -v chromium) \
        node ui/tests/browser/pictures.js docs/pictures
fi
# Those of the tutorial are made by its own commands.
python3 tools/run_page.py docs/tutorial.md --build "$1" --pictures docs/pictures
