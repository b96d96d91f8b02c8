#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# include_table.sh SOURCE - every #include "ROOM/..." between rooms stands in the table of ARCHITECTURE.md.
set -u
cd "$1" || exit 2
# ARCHITECTURE.md is the first file awk reads.
{ echo ARCHITECTURE.md; find src -name '*.[ch]' | LC_ALL=C sort; } | xargs awk '
FNR == 1 { file++ }
file == 1 && /^```include-table/ { in_table = 1; next }
file == 1 && /^```/ { in_table = 0 }
file == 1 && in_table {
    rooms++
    all[$1] = ($3 == "everything")
    known[$1] = 1
    for (i = 3; i <= NF; i++) may[$1, $i] = 1
}
file > 1 && /^[ \t]*#[ \t]*include[ \t]*"/ {
    includes++
    split(FILENAME, path, "/")
    from = path[2]
    split($0, quoted, "\"")
    to = quoted[2]
    if (!sub(/\/.*/, "", to)) {
        printf "%s:%d: includes \"%s\"; expected \"ROOM/FILE.h\"\n", FILENAME, FNR, quoted[2]
        bad++
    } else if (!known[from]) {
        printf "%s:%d: room \"%s\" is not in the table of ARCHITECTURE.md\n", FILENAME, FNR, from
        bad++
    } else if (from != to && !all[from] && !((from, to) in may)) {
        printf "%s:%d: %s includes %s; the table of ARCHITECTURE.md does not let it\n", FILENAME, FNR, from, to
        bad++
    }
}
END {
    if (rooms < 10 || includes < 10) {
        printf "found %d rooms in the table and %d includes; the check would see nothing\n", rooms, includes
        bad++
    }
    exit bad > 0
}'
