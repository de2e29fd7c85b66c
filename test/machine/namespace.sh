#!/bin/bash
# Runs a command in a throw-away copy of this machine: an overlay over its own `/`, with processes,
# network, /run and /tmp of its own. Nothing it does reaches the machine, and all of it ends with
# the command.
#
#   namespace.sh [--read-write FOLDER] [--read-only FOLDER] … COMMAND [ARGUMENT …]
#
# The folders are the machine's own, in their own places.
set -euo pipefail

binds=()
while [[ ${1-} == --read-* ]]; do
  binds+=("$1" "$2")
  shift 2
done

export scratch
scratch=$(mktemp -d /var/tmp/panel-machine.XXXXXX)

# Control groups of the accounts are made below our own, so they are out of others' way and can be
# taken away afterwards. (Hierarchies of version 1; on a machine with version 2 systemd keeps them.)
groups=()
for controller in memory cpu pids; do
  own=$(sed -n "s/^[0-9]*:\([a-z_,]*,\)\?$controller\(,[a-z_,]*\)\?://p" /proc/self/cgroup)
  group=/sys/fs/cgroup/$controller$own/${scratch##*/}
  if [[ -n $own ]] && mkdir "$group" 2>/dev/null; then
    groups+=("$group")
    echo $$ >"$group/cgroup.procs"
  fi
done

tidy_up() {
  for group in "${groups[@]}"; do
    # A group can't go while we are in it.
    echo $$ >"${group%/*}/cgroup.procs" || true
    for _ in 1 2 3 4 5 6 7 8 9 10; do
      find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [[ -d $group ]] || break
      sleep 0.1
    done
  done
  rmdir "$scratch"
}
trap tidy_up EXIT

# shellcheck disable=SC2016
inside='
set -euo pipefail
mount -t tmpfs -o size=3g,mode=755 panel "$scratch"
mkdir "$scratch/upper" "$scratch/work" "$scratch/root"
root=$scratch/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$scratch/upper,workdir=$scratch/work" "$root"
for folder in dev sys; do mount --rbind "/$folder" "$root/$folder"; done
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mkdir "$root/run/sshd"
mkdir -m 1777 "$root/run/lock"
for folder in tmp var/tmp dev/shm; do mount -t tmpfs -o mode=1777 tmpfs "$root/$folder"; done
while [[ ${1-} == --read-* ]]; do
  mkdir -p "$root$2"
  mount --bind "$2" "$root$2"
  [[ $1 == --read-write ]] || mount -o remount,bind,ro "$root$2"
  shift 2
done
ip link set lo up
hostname panel-machine
# Not exec: an orphaned process needs a parent that waits for it.
status=0
chroot "$root" "$@" || status=$?
exit "$status"'

# Not exec: what is left is tidied up. If this is killed, the kernel ends what is inside.
setpriv --pdeathsig KILL -- unshare --mount --net --pid --fork --kill-child --uts --ipc \
  --propagation private bash -c "$inside" -- "${binds[@]}" "$@"
