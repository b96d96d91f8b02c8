#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# play_scenario.sh HALFLOAD FILE.scn [--update] - all expectations of a scenario hold; a file that says
# "golden timeline" also has the timeline of FILE.golden, which --update rewrites.
set -u
halfload=$(realpath "$1")
file=$2
cd "$(dirname "$file")/../.." || exit 2
file=tests/scenario/${file##*/}
golden=${file%.scn}.golden

if ! grep -Eq '^golden[[:space:]]+timeline' "$file"; then
    [ "${3-}" = --update ] || exec "$halfload" run "scn:$file"
    exit 0
fi
actual=$(mktemp) || exit 2
trap 'rm -f "$actual"' EXIT
"$halfload" run "scn:$file" --timeline >"$actual" || { cat "$actual"; exit 1; }
if [ "${3-}" = --update ]; then
    cat "$actual" >"$golden"
else
    diff -u "$golden" "$actual"
fi
