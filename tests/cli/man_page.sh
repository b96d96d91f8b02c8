#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# man_page.sh HALFLOAD SOURCE - each verb and each option that --help names stands in docs/halfload.1, options in
# the section of their verb, and the page has no option that its verb lacks.
set -u
halfload=$1
page=$2/docs/halfload.1
failed=0
count=0

# section HEAD - its text, without the escapes of roff
section() { sed 's/\\-/-/g' "$page" | awk -v head=".SH $1" '/^\.SH / { on = $0 == head } on'; }

# options - the long options at the beginnings of entries
options() { grep -oE -e '--[a-z]+(-[a-z]+)*' | sort -u; }

export LC_ALL=C
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
section "OPTIONS OF ALL VERBS" | options >"$tmp/common"
for verb in $("$halfload" --help | sed -n 's/^  halfload \([a-z]*\) .*/\1/p'); do
    upper=$(printf '%s' "$verb" | tr '[:lower:]' '[:upper:]')
    "$halfload" "$verb" --help | grep -oE '^ +(-., )?--[a-z]+(-[a-z]+)*' | options >"$tmp/help"
    section "OPTIONS OF $upper" | grep -E '^\.B[IR]? ' | options >"$tmp/page"
    count=$((count + $(wc -l <"$tmp/help")))
    for option in $(cat "$tmp/help"); do
        grep -qxe "$option" "$tmp/page" "$tmp/common" || { echo "FAIL $verb $option is not in the man page"; failed=1; }
    done
    for option in $(cat "$tmp/page"); do
        "$halfload" "$verb" --help | grep -qe "$option" || { echo "FAIL the man page has $verb $option"; failed=1; }
    done
    grep -q "^\.B halfload $verb\$" "$page" || { echo "FAIL the synopsis lacks $verb"; failed=1; }
done
[ $count -gt 60 ] || { echo "FAIL only $count options were found"; failed=1; }
exit $failed
