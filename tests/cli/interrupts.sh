#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# interrupts.sh HALFLOAD SOURCE - Ctrl-C, SIGTERM and SIGKILL in mid-build, and a build that leaves a daemon
# behind: what was done is printed and marked, processes are ended, temporary files are gone.
set -u
halfload=$(realpath "$1")
source=$2
. "$(dirname "$0")/scratch.sh"

# Processes that work below the temporary folder, or the daemon of daemon_build.
strays() {
    for process in /proc/[0-9]*; do
        case $(readlink "$process/cwd" 2>/dev/null) in "$TMPDIR"/*) echo "$process"; continue ;; esac
        tr '\0' ' ' 2>/dev/null <"$process/cmdline" | grep -q '^sleep 31415' && echo "$process"
    done
}

expect_no_strays() {
    tries=0
    while [ -n "$(strays)" ] && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
    [ -z "$(strays)" ] || complain "processes are left: $(strays | tr '\n' ' ')"
}

expect_clean() {
    expect_no_strays
    [ -z "$(ls -A "$TMPDIR")" ] || complain "files are left: $(ls -A "$TMPDIR")"
}

# stopped SIGNAL SECONDS FLAG ARGUMENT... - runs halfload and signals it after some seconds; FLAG is
# --foreground to signal it alone, or empty to signal its process group, as a terminal does.
stopped() {
    signal=$1 seconds=$2 flag=$3
    shift 3
    # shellcheck disable=SC2086 # flag may be empty
    timeout --preserve-status $flag -s "$signal" "$seconds" "$halfload" run kernbench "$@" \
        >"$tmp/out" 2>"$tmp/err" </dev/null
    code=$?
}

expect_partial() {
    [ "$code" -eq 130 ] || complain "exit code $code; expected 130"
    grep -q '^PARTIAL: ' "$tmp/out" || complain "the table is not marked as partial"
    grep -q '^halfload: interrupted: .*; `halfload resume kernbench-[0-9]*` goes on$' "$tmp/err" ||
        complain "no line says that it was interrupted and how to go on"
    [ "$(wc -l <"$tmp/err")" -eq 1 ] || complain "more than one line on standard error"
}

small="--load single --runs 10000 --warmup none --tree-scale 0.01"
five_seconds="--load single --runs 3 --warmup none --tree-scale 0.35"

# shellcheck disable=SC2086 # lists of options
{
    what="Ctrl-C during real builds"
    stopped INT 4 "" $small
    expect_partial
    expect_clean

    what="SIGTERM to halfload alone during real builds"
    stopped TERM 4 --foreground $small
    expect_partial
    expect_clean

    what="Ctrl-C during the first build"
    stopped INT 2 "" $five_seconds
    [ "$code" -eq 130 ] || complain "exit code $code; expected 130"
    expect_clean

    what="SIGKILL in mid-build"
    stopped KILL 2 --foreground $five_seconds
    [ "$code" -eq 137 ] || complain "exit code $code; expected 137"
    expect_no_strays
    what="the start after SIGKILL"
    "$halfload" run kernbench --load single --runs 1 --warmup none --tree-scale 0.01 >"$tmp/out" 2>"$tmp/err" ||
        complain "exit code $?"
    expect_clean

    what="Ctrl-C during simulated runs"
    stopped INT 2 "" --machine smp:8 --sched o1,w26 --load 1-64 --runs 1000
    expect_partial
}

for signal in INT QUIT KILL; do
    what="SIG$signal during a command that has started others"
    timeout --preserve-status --foreground -s $signal 1 "$halfload" run cmd --warmup none -- \
        sh -c 'setsid sleep 31415 & sleep 31415' >"$tmp/out" 2>"$tmp/err" </dev/null
    code=$?
    [ "$code" -eq 130 ] || [ "$code" -eq 137 ] || complain "exit code $code; expected 130 or 137"
    expect_no_strays
done
mkdir "$tmp/tree"
printf 'all: a b c d\na b c d:\n\tsleep 0.5; echo $@ >$@.o\nclean:\n\trm -f *.o precious\n' >"$tmp/tree/Makefile"
echo mine >"$tmp/tree/precious"
for signal in INT QUIT KILL; do
    what="SIG$signal during a build of the user's tree"
    timeout --preserve-status --foreground -s $signal 1.5 "$halfload" run buildworld --tree "$tmp/tree" --clean \
        --load 1 --runs 2 --warmup none >"$tmp/out" 2>"$tmp/err" </dev/null
    code=$?
    [ "$code" -eq 130 ] || [ "$code" -eq 137 ] || complain "exit code $code; expected 130 or 137"
    expect_no_strays
    [ "$(cat "$tmp/tree/precious")" = mine ] || complain "a file of the user's is gone"
    [ "$(ls -A "$tmp/tree" | tr '\n' ' ')" = "Makefile precious " ] || complain "the tree has changed"
done
what="the start after a command was lost"
"$halfload" run cmd --runs 1 --warmup none -- true >"$tmp/out" 2>"$tmp/err" || complain "exit code $?"
expect_clean

cat >"$tmp/long.scn" <<END
machine cpus=1
policy fifo
task A: loop 1000000000 { run 1us system 1us }
END
for signal in INT TERM; do
    what="SIG$signal during one trial of a scenario"
    timeout --preserve-status -k 5 -s $signal 1 "$halfload" run "scn:$tmp/long.scn" >"$tmp/out" 2>"$tmp/err"
    code=$?
    [ "$code" -eq 130 ] || complain "exit code $code; expected 130"
    [ "$(cat "$tmp/err")" = "halfload: interrupted" ] || complain "not the one line that says so"
done

cat >"$tmp/long.json" <<END
{"about": "weeks of work", "constants": {"units": {"value": 100000, "unit": "count", "source": "assumed"},
 "work_ns": {"value": 900000, "unit": "s", "source": "assumed"}}}
END
what="Ctrl-C during one simulated run"
timeout --preserve-status -k 5 -s INT 2 "$halfload" run kernbench --machine smp:64 --sched o1 --load 64 --runs 1 \
    --profile "$tmp/long.json" >"$tmp/out" 2>"$tmp/err"
code=$?
[ "$code" -eq 130 ] || complain "exit code $code; expected 130"

what="a build that leaves a daemon behind"
"$halfload" run kernbench --tree "$source/tests/cli/files/daemon_build" --load single --runs 1 --warmup none \
    >"$tmp/out" 2>"$tmp/err" || complain "exit code $?"
expect_clean
exit $failed
