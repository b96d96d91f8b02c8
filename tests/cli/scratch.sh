# SPDX-License-Identifier: GPL-2.0-or-later
# scratch.sh - read by the tests of real runs: an empty folder $tmp with everything that halfload writes below it,
# and how to say that $what went wrong.
tmp=$(mktemp -d) || exit 2
tmp=$(cd "$tmp" && pwd -P)
trap 'rm -rf "$tmp"' EXIT
export TMPDIR="$tmp/work" XDG_DATA_HOME="$tmp/data" LC_ALL=C
mkdir "$TMPDIR"
failed=0

complain() {
    echo "FAIL $what: $*"
    cat "$tmp/log" "$tmp/err" 2>/dev/null | sed 's/^/    /'
    failed=1
}
