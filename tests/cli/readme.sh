#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# readme.sh HALFLOAD SOURCE - every command in a ```sh block of README.md and docs/*.md succeeds.
# Commands are written for the top of the source tree and call build/halfload.
set -u
halfload=$(realpath "$1")
cd "$2" || exit 2
commands=$(awk '/^```sh$/ { in_block = 1; next } /^```/ { in_block = 0 } in_block' README.md docs/*.md |
    sed "s|build/halfload|$halfload|g")
count=0
failed=0
while IFS= read -r command; do
    case $command in '' | '#'*) continue ;; esac
    count=$((count + 1))
    sh -c "$command" >/dev/null </dev/null || { echo "exit code $?: $command"; failed=1; }
done <<EOT
$commands
EOT
echo "$count commands"
[ "$count" -ge 5 ] || { echo "README.md shows fewer than 5 commands"; failed=1; }
exit $failed
