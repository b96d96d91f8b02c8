#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# resume.sh HALFLOAD - a study that was interrupted or killed is gone on with: what was made is kept and not
# made again, and the whole is what one undisturbed run would have been.
set -u
halfload=$(realpath "$1")
files=$(realpath "$(dirname "$0")/files")
. "$(dirname "$0")/scratch.sh"
cd "$tmp" || exit 2

# stopped SIGNAL COMMAND... - runs halfload in the background and signals it once some runs are stored
stopped() {
    signal=$1
    shift
    "$halfload" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
    process=$!
    tries=0
    # The fourth column of the list is the number of runs.
    until [ "$("$halfload" list studies 2>/dev/null | awk '$1 == "s" || $1 == "part" { print $6 }')" -ge 3 ] 2>/dev/null; do
        tries=$((tries + 1))
        if [ $tries -gt 1500 ]; then complain "no run was stored"; break; fi
        sleep 0.02
    done
    kill -"$signal" $process
    wait $process
    code=$?
}

runs_of() { "$halfload" show "$1" --format json | grep -c '"source"'; }

for signal in TERM KILL; do
    study="run kernbench --machine smp:8 --sched o1,fifo --load 1-4 --runs 20 --seed 7"
    [ $signal = TERM ] || study="run kernbench --machine smp:8 --sched o1,fifo --variant switch_cost_ns=0,1ms --load 1-3,half --runs 10 --seed 7"
    what="the same study in one go"
    # shellcheck disable=SC2086 # a list of words
    "$halfload" $study --name whole --format json >"$tmp/whole.json" || complain "exit code $?"
    what="simulated, SIG$signal"
    # shellcheck disable=SC2086
    stopped $signal $study --name s
    [ "$code" -ne 0 ] || complain "it was over before it was stopped"
    made=$(runs_of s)
    [ "$made" -ge 3 ] && [ "$made" -lt 160 ] || complain "$made runs are stored"
    mkdir -p elsewhere
    (cd elsewhere && "$halfload" resume s --format json) >"$tmp/resumed.json" 2>"$tmp/err" ||
        complain "exit code $?"
    cmp -s "$tmp/whole.json" "$tmp/resumed.json" || complain "the whole is not what it is in one go"
    "$halfload" resume s >"$tmp/out" 2>"$tmp/err" || complain "nothing left to play, exit code $?"
    grep -q '^study s: 160 of 160 runs were made before$' "$tmp/out" || complain "it played again"
    "$halfload" delete s whole >/dev/null 2>"$tmp/err" || complain "delete: exit code $?"
done

what="real builds, SIGKILL"
stopped KILL run kernbench --variant nice=0,5 --load 1,2 --runs 2 --warmup none --tree-scale 0.01 --name s
cp "$tmp/data/halfload/halfload.db" "$tmp/before.db"
made=$(runs_of s)
first=$("$halfload" show s --format json | sed -n 2p | sed 's/[,]*$//')
"$halfload" resume s >"$tmp/out" 2>"$tmp/err" || complain "exit code $?"
[ "$(runs_of s)" -eq 8 ] || complain "$(runs_of s) runs; expected 8"
"$halfload" show s --format json | grep -qF "$first" ||
    complain "a stored run has changed"
# All runs have their own place in the order of play.
[ "$("$halfload" show s --format json | grep -o '"order":[0-9]*' | sort -u | wc -l)" -eq 8 ] ||
    complain "two runs have one place in the order of play"
[ "$made" -ge 3 ] || complain "$made runs were stored"
[ "$("$halfload" show s --format json | grep -c '"variant":{"nice":"5"}')" -eq 4 ] || complain "not half of each variant"
[ "$("$halfload" show s --format json | grep -o '"boot_id":"[^"]*"' | sort -u)" = "\"boot_id\":\"$(cat /proc/sys/kernel/random/boot_id)\"" ] ||
    complain "the runs do not say under which boot they were made"
grep -q '^elapsed_s: ' "$tmp/out" || complain "no comparison of the variants at the end"

"$halfload" delete s >/dev/null 2>"$tmp/err" || complain "delete: exit code $?"

what="a partial study"
stopped TERM run kernbench --machine smp:8 --sched o1 --variant switch_cost_ns=0,1ms --load 1-4 --runs 200 --name part
grep -q '^PARTIAL: ' "$tmp/out" || complain "it does not say that it is partial"
grep -q 'verdict' "$tmp/out" && complain "it has verdicts before its end"
"$halfload" delete part >/dev/null 2>"$tmp/err" || complain "delete: exit code $?"

what="a plan that has changed"
cp "$files/two_by_two.json" machine.json
"$halfload" run kernbench --machine ./machine.json --sched o1 --load 1 --runs 1 --name changed >/dev/null || complain "exit code $?"
sed 's/"smt_gain": *{"value": *[0-9.]*/"smt_gain": {"value": 0.77/' machine.json >new.json
cmp -s machine.json new.json && complain "the machine file has no smt_gain to change"
mv new.json machine.json
"$halfload" resume changed >"$tmp/out" 2>"$tmp/err"
[ $? -eq 5 ] || complain "exit code $?; expected 5"
grep -q '^halfload: study changed cannot be gone on with: its constants were .* and are .* now$' "$tmp/err" ||
    complain "no line says what has changed"

what="a study that is being played"
"$halfload" run kernbench --machine smp:8 --sched o1,fifo --load 1-64 --runs 1000 --name busy >/dev/null 2>&1 &
process=$!
tries=0
until "$halfload" list studies | grep -q '^busy ' || [ $tries -gt 100 ]; do tries=$((tries + 1)); sleep 0.1; done
for verb in resume delete; do
    "$halfload" $verb busy >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 5 ] || complain "$verb: exit code $?; expected 5"
    grep -q "study busy is being played by process $process" "$tmp/err" || complain "$verb: no line says who plays it"
done
kill -TERM $process
wait $process

what="words and a folder that are no UTF-8"
odd=$(printf 'caf\351')
mkdir "$odd"
(cd "$odd" && exec "$halfload" run cmd --runs 40 --warmup none --name bytes -- sh -c "sleep 0.05 # $odd") >/dev/null 2>&1 &
process=$!
tries=0
until [ "$(runs_of bytes 2>/dev/null)" -ge 2 ] 2>/dev/null || [ $tries -gt 500 ]; do tries=$((tries + 1)); sleep 0.02; done
kill -TERM $process
wait $process
"$halfload" resume bytes >"$tmp/out" 2>"$tmp/err" || complain "exit code $?: $(cat "$tmp/err")"
[ "$(runs_of bytes)" -eq 40 ] || complain "it was not gone on with"

what="a signal to what plays nothing"
mkfifo never
sleep 30 >never &
writer=$!
"$halfload" profile - <never >/dev/null 2>"$tmp/err" &
process=$!
sleep 0.3
kill -TERM $process
wait $process
[ $? -eq 143 ] || complain "it was not ended by the signal"
kill $writer
exit $failed
