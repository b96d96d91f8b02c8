#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# source_labels.sh SOURCE - every label such as "spec linux 5.8" that code or data cite, and every paper, stands in docs/sources.md.
set -u
cd "$1" || exit 2
page=docs/sources.md
# "linux 9", "freebsd 2": the family and the topic without its part.
labels=$(find src machines profiles papers tests/scenario docs -type f ! -name sources.md -print | LC_ALL=C sort |
    xargs grep -hoE '\b(spec )?(linux|freebsd|modern) [0-9]{1,2}\b' | sed 's/^spec //' | LC_ALL=C sort -u)
failed=0
count=0
while IFS= read -r label; do
    count=$((count + 1))
    grep -q "^| $label |" "$page" || { echo "label \"$label\" is cited; expected a row in $page"; failed=1; }
done <<EOT
$labels
EOT
for paper in papers/*.json; do
    id=$(basename "$paper" .json)
    grep -q "^| $id |" "$page" || { echo "paper $id; expected a row in $page"; failed=1; }
done
[ "$count" -ge 5 ] || { echo "found $count labels; the check would see nothing"; failed=1; }
exit $failed
