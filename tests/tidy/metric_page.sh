#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# metric_page.sh SOURCE - docs/metrics.md has a row for each metric of run.h and each rate of a workload, with its unit and
# direction, and no other.
set -u
cd "$1" || exit 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# "    X(elapsed_s, "s", RUN_LOWER," of RUN_METRICS
tr -d '\n' <src/run/run.h | grep -oE 'X\([a-z0-9_]+, "[^"]*", *RUN_(LOWER|HIGHER|NEITHER)' |
    sed -E 's/X\(([a-z0-9_]+), "([^"]*)", *RUN_([A-Z]+)/\1|\2|\L\3/' >"$tmp/metrics"
# "     .rate = {"mflops", "MFLOPS"," of the table of workloads; more of a rate is better
tr -d '\n' <src/workload/workload_table.c | grep -oE '\.rate = \{ *"[a-z0-9_]+", *"[^"]*"' |
    sed -E 's/[^"]*"([a-z0-9_]+)", *"([^"]*)"/\1|\2|higher/' >>"$tmp/metrics"
LC_ALL=C sort "$tmp/metrics" >"$tmp/table"
sed -nE 's/^\| `([a-z0-9_]+)` \| ?([^|]*[^| ])? ?\| ([a-z]+) \|.*/\1|\2|\3/p' docs/metrics.md | LC_ALL=C sort >"$tmp/page"
[ "$(wc -l <"$tmp/table")" -gt 20 ] || { echo "found fewer than 20 metrics in src/run/run.h"; exit 1; }
diff -u "$tmp/table" "$tmp/page" || { echo "docs/metrics.md (+) is not the table of src/run/run.h (-)"; exit 1; }
# A row after a blank line is none.
awk '/^\| `/ && previous !~ /^\|/ { print "docs/metrics.md:" NR ": a row that belongs to no table: " $0; wrong = 1 } { previous = $0 } END { exit wrong }' docs/metrics.md
