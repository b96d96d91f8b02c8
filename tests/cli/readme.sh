#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# readme.sh HALFLOAD SOURCE [--update] - every command in a ```sh block of README.md and docs/*.md succeeds, and a
# ```text block right after it is what the block's commands print; --update rewrites those blocks. README.md
# names each policy.
# Commands are written for the top of the source tree and call build/halfload.
set -u
halfload=$(realpath "$1")
cd "$2" || exit 2
update=${3-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export XDG_DATA_HOME="$tmp/data"
cat README.md docs/*.md | sed "/^build\/halfload/s|build/halfload|$halfload|g" |
    awk -v tmp="$tmp" '
        /^```sh$/ { file = sprintf("%s/%03d.sh", tmp, ++n); printf "" > file; shown = 0; next }
        /^```text$/ && after_sh { file = sprintf("%s/%03d.text", tmp, n); printf "" > file; shown = 1; next }
        /^```/ { if (file != "") { after_sh = !shown; file = "" } else after_sh = 0; next }
        file != "" { print > file; next }
        /[^ ]/ { after_sh = 0 }'
count=0
failed=0
for block in "$tmp"/*.sh; do
    text=${block%.sh}.text
    out=${block%.sh}.out
    [ -z "$update" ] || [ -e "$text" ] || continue
    count=$((count + $(grep -cv '^#' "$block")))
    sh -e "$block" </dev/null >"$out" 2>"$tmp/err" || {
        echo "exit code $?: $(cat "$block")"
        cat "$tmp/err"
        failed=1
    }
    [ -n "$update" ] || [ ! -e "$text" ] || diff -u "$text" "$out" ||
        { echo "not what is shown: $(cat "$block")"; failed=1; }
done
if [ -n "$update" ]; then
    first=0
    for page in README.md docs/*.md; do
        awk -v tmp="$tmp" -v n="$first" '
            /^```sh$/ { n++; in_sh = 1; print; next }
            /^```text$/ && after_sh {
                print
                file = sprintf("%s/%03d.out", tmp, n)
                while ((getline line < file) > 0) print line
                skip = 1
                next
            }
            /^```/ { after_sh = in_sh; in_sh = 0; skip = 0; print; next }
            skip { next }
            { if (!in_sh && /[^ ]/) after_sh = 0; print }' "$page" >"$tmp/page"
        cmp -s "$page" "$tmp/page" || cat "$tmp/page" >"$page"
        first=$((first + $(grep -c '^```sh$' "$page")))
    done
    exit $failed
fi
for policy in $("$halfload" list policies | sed 's/ .*//'); do
    grep -q "\`$policy\`" README.md || { echo "README.md does not name policy \`$policy\`"; failed=1; }
done
echo "$count commands"
[ "$count" -ge 5 ] || { echo "README.md shows fewer than 5 commands"; failed=1; }
exit $failed
