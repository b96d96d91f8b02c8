#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# accuracy.sh HALFLOAD SOURCE - docs/accuracy.md shows what `reproduce` prints now, and names each paper that cannot be
# played. After numbers have moved: make accuracy, and say so in the commit.
set -u
halfload=$(realpath "$1")
cd "$2" || exit 2
page=docs/accuracy.md
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
played=0
failed=0
for file in papers/*.json; do
    paper=$(basename "$file" .json)
    # the first block under the heading that is the paper's name alone
    awk -v heading="## $paper" '
        $0 == heading { here = 1; next }
        here && /^```/ { if (++fence == 2) exit; next }
        here && fence == 1' "$page" >"$tmp/shown"
    if [ ! -s "$tmp/shown" ]; then
        grep -q "^- paper $paper: " "$page" || { echo "$page: neither shows nor leaves out $paper"; failed=1; }
        continue
    fi
    "$halfload" reproduce "$paper" >"$tmp/now" 2>&1 || { cat "$tmp/now"; failed=1; }
    diff -u "$tmp/shown" "$tmp/now" || failed=1
    played=$((played + 1))
done
[ "$failed" -eq 0 ] || echo "$page is not what reproduce prints now: run 'make accuracy'"
[ "$played" -ge 2 ] || { echo "found $played papers in $page; the check would see nothing"; failed=1; }
exit $failed
