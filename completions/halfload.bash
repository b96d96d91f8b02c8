# SPDX-License-Identifier: GPL-2.0-or-later
# halfload.bash - completion for bash. The program itself is asked for all words: its verbs and options by
# --help, names of policies, machines and the rest by `halfload list`.

_halfload_options()
{
    "$1" $2 --help 2>/dev/null | grep -oE -- '(^|[ ,])--[a-z][a-z-]*=?' | tr -d ' ,'
}

# First words of `halfload list KIND`; descriptions of further lines are indented.
_halfload_names()
{
    "$1" list "$2" 2>/dev/null | sed -n 's/^\([^ ][^ ]*\).*/\1/p'
}

_halfload()
{
    local program=${COMP_WORDS[0]} verb=${COMP_WORDS[1]-} word=$2 before=$3 words= kind= prefix=

    # bash takes '=' for a word of its own: --machine=x is three.
    [ "$word" = = ] && word=
    [ "$before" = = ] && [ "$COMP_CWORD" -ge 2 ] && before=${COMP_WORDS[COMP_CWORD - 2]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="$("$program" --help 2>/dev/null | sed -n 's/^  halfload \([a-z][a-z]*\) .*/\1/p' | sort -u) --help --version"
    else
        case $before in
            --machine) kind=machines ;;
            --sched) kind=policies ;;
            --variant) kind=variants ;;
            --load) words='half optimal max single' ;;
            --format) words='text csv json markdown' ;;
            --warmup) words='session each none' ;;
            --tree | --work-dir | --sysroot) COMPREPLY=($(compgen -d -- "$word")); return ;;
            --db | --profile | --config | --goldens | --output | -o) COMPREPLY=($(compgen -f -- "$word")); return ;;
            *)
                case $word in
                    -*) words=$(_halfload_options "$program" "$verb") ;;
                    *)
                        case $verb in
                            run) kind=workloads ;;
                            reproduce) kind=papers words=goldens ;;
                            list) words=$("$program" --help 2>/dev/null |
                                sed -n 's/^  halfload list  *\([a-z|]*\) .*/\1/p' | tr '|' ' ') ;;
                            import | profile) COMPREPLY=($(compgen -f -- "$word")); return ;;
                            *) kind=studies words=last ;;
                        esac
                        ;;
                esac
                ;;
        esac
    fi
    # Of a list joined by commas the last part is completed.
    if [ "$kind" = policies ] && [ "${word%,*}" != "$word" ]; then
        prefix=${word%,*},
        word=${word##*,}
    fi
    [ -n "$kind" ] && words="$words $(_halfload_names "$program" "$kind")"
    COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$word"))
    case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac
}

complete -F _halfload halfload
