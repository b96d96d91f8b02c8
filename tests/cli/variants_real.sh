#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# variants_real.sh HALFLOAD - variants of this machine: each run has its own set-up and no other, each variant is
# warmed up once, and every block holds every variant at every load.
set -u
halfload=$(realpath "$1")
. "$(dirname "$0")/scratch.sh"
cd "$tmp" || exit 2

# Put before make, it writes a line for each build.
cat >log.sh <<'END'
#!/bin/sh
echo "$KNOB $(nice)" >>"$LOG"
exec "$@"
END
chmod +x log.sh
export LOG="$tmp/log"

# played ARG... - builds; each line of the log is one, warm-ups too
played() {
    : >"$LOG"
    "$halfload" run kernbench --tree-scale 0.01 --load 1,2 --runs 2 --format json "$@" >"$tmp/out" 2>"$tmp/err" ||
        complain "exit code $?"
}

nice=$(nice)
what="two variables of the environment"
played --variant "prefix=$tmp/log.sh" --variant env=KNOB:a,KNOB:b
[ "$(wc -l <log)" -eq 10 ] || complain "expected 2 warm-ups and 8 builds"
[ "$(sed -n '1,2p' log)" = "a $nice
b $nice" ] || complain "expected a warm-up of each variant at the start"
for block in 3,6 7,10; do
    [ "$(sed -n "${block}p" log | sort | uniq -c | awk '{ print $1 $2 }' | tr '\n' ' ')" = "2a 2b " ] ||
        complain "block in lines $block does not hold each variant at each load"
done
[ "$(grep -o '"variant":{"prefix":"[^"]*","env":"KNOB:[ab]"}' out | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" = "4 4 " ] ||
    complain "the runs do not say what they were"

what="a nice value"
played --variant "prefix=$tmp/log.sh" --variant env=KNOB:x --variant "nice=$nice,$((nice + 3))"
[ "$(grep -c "^x $((nice + 3))\$" log)" -eq 5 ] || complain "expected half of the builds at another nice value"

what="an A/A study"
played --variant "prefix=$tmp/log.sh" --variant env=KNOB:x --aa
[ "$(wc -l <log)" -eq 9 ] || complain "expected 1 warm-up and 8 builds"
[ "$(grep -c '"aa":"A"' out)" -eq 4 ] && [ "$(grep -c '"aa":"B"' out)" -eq 4 ] || complain "expected two arms"
grep -q '"block":1' out || complain "expected pairs"

what="what the system refuses"
"$halfload" run kernbench --variant "prefix=$tmp/no-such-program,$tmp/log.sh" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 5 ] || complain "exit code $?; expected 5"
[ ! -s "$tmp/out" ] || complain "it was told after the study began"
exit $failed
