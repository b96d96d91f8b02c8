#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# house_rules.sh SOURCE - licence lines, unique file names, file sizes, a README per room, no loose ends,
# no paths of one person's machine.
set -u
cd "$1" || exit 2
found=$(mktemp) || exit 2
trap 'rm -f "$found"' EXIT
# Each rule prints what breaks it; a rule that prints nothing holds.
under() { sed "s|^|$1: |" >>"$found"; }

files=$(find . -path './.git' -prune -o -path './build*' -prune -o -type f -print | sed 's|^\./||' | LC_ALL=C sort)
sources=$(printf '%s\n' "$files" | grep -E '\.(c|h|sh|awk|build|scn)$|^(scripts|\.ci)/|^Makefile$')
texts=$(printf '%s\n' "$files" | grep -Ev '^(COPYING$|tests/fuzz/corpus/)')

for file in $sources; do
    head -n 2 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' || echo "$file"
done | under "no SPDX line among the first two"

printf '%s\n' "$sources" | sed 's|.*/||' | grep -vx 'meson.build' | LC_ALL=C sort | uniq -d |
    under "file name used twice"

for file in $(printf '%s\n' "$sources" | grep -E '\.[ch]$'); do
    [ "$(wc -l <"$file")" -le 800 ] || echo "$file"
done | under "more than 800 lines"

for room in src/*/; do
    set -- "$room"*.c
    [ ! -e "$1" ] || [ -e "${room}README.md" ] || echo "${room}README.md"
done | under "missing"

# Every golden case and every scenario is listed where it is played.
for file in $(printf '%s\n' "$files" | grep -E '^tests/(cli/cases|scenario|property/kept)/.*\.(case|scn)$'); do
    name=${file##*/}
    grep -q "^  '${name%.*}',$" "$(printf '%s' "$file" | sed 's|^\(tests/[a-z]*\)/.*|\1|')/meson.build" || echo "$file"
done | under "not in its meson.build"

# The words are split so that this file passes its own test.
printf '%s\n' "$texts" | xargs grep -nIE 'TO''DO|FIX''ME|\bXX''X\b' | under "loose end"
printf '%s\n' "$texts" | xargs grep -nIE '/ho''me/[a-z]|(^|[^a-z_])/ro''ot/|/Us''ers/' | under "path of one machine"
printf '%s\n' "$texts" | xargs grep -nIE 'https?://[a-z0-9.-]+/(debi''an|np''m)' | under "package host"

[ "$(printf '%s\n' "$sources" | wc -l)" -gt 20 ] || echo "fewer than 20 sources found in $PWD" >>"$found"
cat "$found"
[ ! -s "$found" ]
