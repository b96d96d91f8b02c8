#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# transcript.sh HALFLOAD FILE.case [--update] - plays the commands of a case and compares what they print.
#
# A case is a transcript; --update rewrites what the commands print and keeps the rest:
#     # a comment, or an empty line
#     $ halfload list workloads          a command for sh, in an empty folder; $FILES is tests/cli/files
#     | a line of standard output
#     ! a line of standard error
#     = 4                                the exit code, if it is not 0
# The empty folder appears as TMP, the folder of stored results as DATA, the source tree as SOURCE.
set -u
halfload=$(realpath "$1")
case_file=$2
source=$(cd "$(dirname "$case_file")/../../.." && pwd) || exit 2
tmp=$(mktemp -d) || exit 2
tmp=$(cd "$tmp" && pwd -P)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
mkdir "$tmp/bin" "$tmp/here"
ln -s "$halfload" "$tmp/bin/halfload"
export PATH="$tmp/bin:$PATH" LC_ALL=C FILES="$source/tests/cli/files" SOURCE="$source" TMPDIR="$tmp/here"
export XDG_DATA_HOME="$tmp/data"
unset HALFLOAD_DATA MAKEFLAGS MAKELEVEL COLUMNS ARGP_HELP_FMT

# names PREFIX - standard input with paths of this machine replaced, PREFIX before each line
names() { sed -e "s|$tmp/here|TMP|g; s|$tmp/data|DATA|g; s|$source|SOURCE|g; s/^/$1 /; s/ *\$//"; }

while IFS= read -r line || [ -n "$line" ]; do
    case $line in
    '$ '*)
        printf '%s\n' "$line"
        (cd "$tmp/here" && exec sh -c "${line#??}") >"$tmp/out" 2>"$tmp/err" </dev/null
        code=$?
        names '|' <"$tmp/out"
        names '!' <"$tmp/err"
        [ "$code" -eq 0 ] || echo "= $code"
        ;;
    '#'* | '') printf '%s\n' "$line" ;;
    '| '* | '|' | '! '* | '!' | '= '*) ;;
    *) echo "$case_file: a line begins with none of '#', '\$ ', '| ', '! ', '= ': $line" >&2; exit 2 ;;
    esac
done <"$case_file" >"$tmp/actual" || exit 2

if [ "${3-}" = --update ]; then
    cmp -s "$case_file" "$tmp/actual" || cat "$tmp/actual" >"$case_file"
else
    diff -u "$case_file" "$tmp/actual"
fi
