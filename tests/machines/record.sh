#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# record.sh - prints this machine as a tree for unpack.sh: what a topology and the count of usable cpus need.
set -u
cpu=/sys/devices/system/cpu
quota=/sys/fs/cgroup
echo "# $(uname -srm)"
for file in "$cpu"/online "$cpu"/possible "$cpu"/present "$cpu"/cpu[0-9]*/online "$cpu"/cpu[0-9]*/cpu_capacity \
    "$cpu"/cpu[0-9]*/topology/core_id "$cpu"/cpu[0-9]*/topology/physical_package_id \
    "$cpu"/cpu[0-9]*/topology/thread_siblings "$cpu"/cpu[0-9]*/topology/core_siblings \
    "$cpu"/cpu[0-9]*/cache/index[0-9]*/level "$cpu"/cpu[0-9]*/cache/index[0-9]*/type \
    "$cpu"/cpu[0-9]*/cache/index[0-9]*/size "$cpu"/cpu[0-9]*/cache/index[0-9]*/shared_cpu_map \
    "$cpu"/cpu[0-9]*/cpufreq/cpuinfo_max_freq /sys/devices/cpu_core/cpus /sys/devices/cpu_atom/cpus \
    /sys/devices/system/node/online /sys/devices/system/node/node[0-9]*/cpumap \
    /sys/devices/system/node/node[0-9]*/meminfo /proc/self/status /proc/self/cgroup /proc/self/mountinfo \
    "$quota"/cpu.max "$quota"/cpu*/cpu.cfs_quota_us "$quota"/cpu*/cpu.cfs_period_us; do
    [ -r "$file" ] || continue
    # Of files about more than cpus only the lines that count.
    case $file in
    */status) grep '^Cpus_allowed_list:' "$file" ;;
    */mountinfo) grep ' - cgroup2\{0,1\} ' "$file" ;;
    */meminfo) grep 'MemTotal' "$file" ;;
    *) cat "$file" ;;
    esac | sed "s|^|$file |"
done
