#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# doc_policy.sh SOURCE COMPILER... - the complete policy in docs/adding-a-policy.md compiles without a warning.
set -u
source=$1
shift
code=$(mktemp) || exit 2
trap 'rm -f "$code"' EXIT
sed -n '/^```c$/,/^```$/p' "$source/docs/adding-a-policy.md" | sed '/^```/d' >"$code"
grep -q 'const struct policy_ops policy_turns' "$code" || { echo "no policy found in docs/adding-a-policy.md"; exit 1; }
exec "$@" -x c -std=gnu17 -fsyntax-only -Wall -Wextra -Wshadow -Wconversion -Werror -I "$source/src" "$code"
