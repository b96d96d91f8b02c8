#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion offers what the program knows: completion.sh HALFLOAD SOURCE_DIR
set -u
halfload=$1
failed=0
export XDG_DATA_HOME=/nonexistent
. "$2/completions/halfload.bash"

# expect "WORD... TYPED" OFFERED...: each is among what is offered.
expect()
{
    local line=$1 word
    shift
    COMP_WORDS=("$halfload" $line)
    case $line in *' ') COMP_WORDS+=('') ;; esac
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _halfload "$halfload" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    for word in "$@"; do
        case " ${COMPREPLY[*]} " in
            *" $word "*) ;;
            *) echo "FAIL '$line': $word is not offered: ${COMPREPLY[*]}"; failed=1 ;;
        esac
    done
}

expect 're' reproduce resume
expect 'run ' kernbench
expect 'run kernbench --ma' --machine= --machine-param=
expect 'run kernbench --machine xeon-2' xeon-2phys-ht
expect 'run kernbench --sched ' o1 ule eevdf
expect 'run kernbench --sched o1,sd' o1,sdmm o1,sd267
expect 'run kernbench --warmup ' session each none
expect 'reproduce fred' fredrickson-2003-2phys
expect 'reproduce g' goldens
expect 'list p' policies papers
expect 'show la' last
exit $failed
