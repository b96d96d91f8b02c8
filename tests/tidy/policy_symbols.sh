#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# policy_symbols.sh SOURCE BUILD - a policy needs nothing but its host, the machine, base, mem* and the
# compiler's run-time: it can neither print, read a clock, call rand() nor use libm.
# The registry and the parser of policy strings are no policies.
set -u
objects=$(find "$2/libhalfload_library.a.p" -name 'src_policy_*.o' ! -name 'src_policy_registry*' ! -name 'src_policy_spec*' |
    LC_ALL=C sort)
[ -n "$objects" ] || { [ -z "$(find "$1/src/policy" -name 'fifo.c')" ] && exit 77; echo "no policy objects in $2"; exit 1; }
own=$(mktemp) || exit 2
trap 'rm -f "$own"' EXIT
# shellcheck disable=SC2086 # a list of files
nm --defined-only $objects | awk 'NF == 3 { print $3 }' >"$own"
for object in $objects; do
    nm -u "$object" | awk -v object="${object##*/}" -v own="$own" '
    BEGIN { while ((getline name < own) > 0) is_own[name] = 1 }
    { name = $2 }
    name ~ /^(policy_|machine_|hl_|mem|__mem)/ { next }
    name == "__assert_fail" || (name in is_own) { next }
    # run-time of the compiler: stack protector, 128-bit division, sanitizers, coverage, position independence
    name ~ /^(__stack_chk_fail|__(u|)(div|mod|mul)[a-z]*ti[34]|_GLOBAL_OFFSET_TABLE_)$/ { next }
    name ~ /^_*(asan|ubsan|sanitizer|sancov|llvm_prof|gcov)_/ { next }
    { print object " needs " name; bad++ }
    END { exit bad > 0 }' || failed=1
done
exit ${failed:-0}
