#!/bin/bash
# Draws the pictures of the documentation anew, with the program of a build.
# Usage: tools/draw_pictures.sh BUILD_FOLDER
set -eu
cd "$(dirname "$0")/.."
takt=$1/takt
mkdir -p docs/pictures
"$takt" graph examples/math003/math003.ssd --format svg > docs/pictures/math003.svg
# Those of the tutorial are made by its own commands.
python3 tools/run_page.py docs/tutorial.md --build "$1" --pictures docs/pictures
