#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# unpack.sh TREE FOLDER - writes the files of a recorded system tree below FOLDER.
# A line of TREE is "PATH LINE": one more line of the file PATH, where \040 stands for a blank; "#" starts
# a comment line.
set -eu
tree=$1 folder=$2
awk '!/^#/ && NF { print $1 }' "$tree" | sed 's|/[^/]*$||; s|\\040| |g' | sort -u | while IFS= read -r sub; do
    mkdir -p "$folder$sub"
done
awk -v folder="$folder" '!/^#/ && NF {
    path = $1
    gsub(/\\040/, " ", path)
    sub(/^[^ ]* ?/, "")
    print > (folder path)
}' "$tree"
