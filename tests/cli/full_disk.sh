#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# full_disk.sh HALFLOAD - results on a disk that becomes full: one clear line, nothing recorded is lost, the
# study is played to its end all the same. Needs a small file system of its own, so a user namespace.
set -u
halfload=$(realpath "$1")
if [ "${2-}" != inside ]; then
    tmp=$(mktemp -d) || exit 2
    trap 'rm -rf "$tmp"' EXIT
    unshare -rm true 2>/dev/null || exit 77
    unshare -rm sh "$0" "$halfload" inside "$tmp"
    exit $?
fi
tmp=$3
export XDG_DATA_HOME="$tmp/home" LC_ALL=C
mkdir "$tmp/disk"
mount -t tmpfs -o size=400k none "$tmp/disk" || exit 77
failed=0
complain() {
    echo "FAIL $*"
    [ ! -s "$tmp/err" ] || sed 's/^/    /' "$tmp/err"
    failed=1
}

run() { "$halfload" run kernbench --machine smp:2 --sched fifo --db "$tmp/disk/a.db" "$@" >"$tmp/out" 2>"$tmp/err"; }

run --load 1 --runs 3 --name first || complain "the first study, exit code $?"
run --load 1-20 --runs 10 --name second --format csv
code=$?
[ "$code" -eq 5 ] || complain "the second study, exit code $code; expected 5"
[ "$(grep -c ',elapsed_s,' "$tmp/out")" -eq 200 ] || complain "it was not played to its end"
grep -q '^halfload: warning: a run is not kept yet, it is tried again: .*a.db: the disk is full; ' "$tmp/err" ||
    complain "no line says that the disk is full"
grep -q '^halfload: [0-9]* runs of study second are not kept: .*the disk is full; ' "$tmp/err" ||
    complain "no line says what is not kept"
[ "$(wc -l <"$tmp/err")" -eq 2 ] || complain "more than two lines"
kept=$("$halfload" show second --db "$tmp/disk/a.db" --format csv | grep -c ',elapsed_s,')
missing=$(sed -n 's/^halfload: \([0-9]*\) runs of study.*/\1/p' "$tmp/err")
[ $((kept + missing)) -eq 200 ] || complain "$kept runs are kept and $missing are not, of 200"
[ "$("$halfload" show first --db "$tmp/disk/a.db" --format csv | grep -c ',elapsed_s,')" -eq 3 ] ||
    complain "the first study has changed"

# There is room again: the study is gone on with.
"$halfload" delete first --db "$tmp/disk/a.db" >/dev/null 2>"$tmp/err"
mount -o remount,size=16m "$tmp/disk"
"$halfload" resume second --db "$tmp/disk/a.db" >"$tmp/out" 2>"$tmp/err" || complain "resume, exit code $?"
[ "$("$halfload" show second --db "$tmp/disk/a.db" --format csv | grep -c ',elapsed_s,')" -eq 200 ] ||
    complain "the study was not gone on with"

# A read-only folder, also for root.
mkdir "$tmp/read_only"
cp "$tmp/disk/a.db" "$tmp/read_only"
mount --bind "$tmp/read_only" "$tmp/read_only"
mount -o remount,bind,ro "$tmp/read_only"
[ "$("$halfload" show second --db "$tmp/read_only/a.db" --format csv 2>"$tmp/err" | grep -c ',elapsed_s,')" -eq 200 ] ||
    complain "a read-only folder cannot be read"
"$halfload" import "$tmp/out.csv" --db "$tmp/read_only/a.db" 2>/dev/null && complain "imported what is not there"
"$halfload" show second --db "$tmp/disk/a.db" --format csv >"$tmp/out.csv"
"$halfload" import "$tmp/out.csv" --db "$tmp/read_only/a.db" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 5 ] || complain "import into a read-only folder: exit code $?; expected 5"
grep -q '^halfload: .*/read_only/a.db: cannot be .*--db FILE names another file$' "$tmp/err" ||
    complain "no line says that the folder is read-only"
XDG_DATA_HOME="$tmp/read_only" "$halfload" run kernbench --machine smp:2 --sched fifo --load 1 --runs 1 >"$tmp/out" 2>"$tmp/err" ||
    complain "a home that is read-only, exit code $?"
grep -q '^halfload: warning: the runs of this study are not kept: .*--db FILE names another file$' "$tmp/err" ||
    complain "no line says that the study is not kept"
[ "$(wc -l <"$tmp/err")" -eq 1 ] || complain "more than one line"
exit $failed
