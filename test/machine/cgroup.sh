#!/bin/bash
# A control group for each machine that systemd starts: two systemds in one group take each other's
# units for theirs, and remove them.
#
#   cgroup.sh enter NAME COMMAND [ARGUMENT …]   becomes the command, in a group of its own
#   cgroup.sh remove NAME                       once it is empty
set -euo pipefail

verb=$1 name=panel-test-$2
shift 2
for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/{systemd,unified}; do
  [[ -e $hierarchy/cgroup.procs ]] || continue
  if [[ $verb == enter ]]; then
    mkdir -p "$hierarchy/$name"
    echo $$ >"$hierarchy/$name/cgroup.procs"
  elif [[ -e $hierarchy/$name ]]; then
    find "$hierarchy/$name" -depth -type d -exec rmdir {} +
  fi
done
if [[ $verb == enter ]]; then exec "$@"; fi
