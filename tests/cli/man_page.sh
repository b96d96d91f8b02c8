#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# man_page.sh HALFLOAD SOURCE - the man page has each option that --help of a verb has, and no other.
set -u
halfload=$1
page=$2/docs/halfload.1
verbs=$("$halfload" --help | awk '$1 == "halfload" && $2 ~ /^[a-z]+$/ { print $2 }' | sort -u)
help=$("$halfload" --help; for verb in $verbs; do "$halfload" "$verb" --help; done)
failed=0

options() { grep -oE -- '--[a-z]+(-[a-z]+)*' | sort -u; }

# shellcheck disable=SC2086 # a list of words
[ "$(echo $verbs | wc -w)" -ge 10 ] || { echo "found the verbs $verbs; expected more"; failed=1; }
# Not those of other programs in the examples.
for option in $(echo "$help" | grep -E '^ +(-., *)?--' | options); do
    # argp has these three for every program.
    case $option in --help | --usage | --version) continue ;; esac
    sed 's/\\-/-/g' "$page" | grep -qE -- "$option([^a-z-]|\$)" || { echo "$page lacks $option"; failed=1; }
done
for option in $(sed 's/\\-/-/g' "$page" | options); do
    echo "$help" | grep -qE -- "$option([^a-z-]|\$)" || { echo "$page has $option, which no verb has"; failed=1; }
done
exit $failed
