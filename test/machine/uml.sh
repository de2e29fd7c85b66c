#!/bin/bash
# Runs a command in user-mode Linux: a kernel of its own, with disk quota on /home and control groups
# of version 2, over this machine's own files. What it writes is in memory and ends with it.
#
#   uml.sh [--systemd] [--disks FOLDER] [--read-write FOLDER] [--read-only FOLDER] …
#     COMMAND [ARGUMENT …]
#
# With --systemd, that is what starts the machine, the command its last. With --disks all that is
# written is on two disks, whose images stay in that folder: /home, and the rest. Its caller cuts
# its power by SIGTERM.
set -euo pipefail

systemd=
if [[ ${1-} == --systemd ]]; then
  systemd=yes
  shift
fi
disks=
if [[ ${1-} == --disks ]]; then
  disks=$2
  shift 2
fi
mounts=()
while [[ ${1-} == --read-* ]]; do
  [[ $1 == --read-write ]] && mode=rw || mode=ro
  mounts+=("$2 $mode")
  shift 2
done

# Not below /dev/shm, from where nothing may be executed.
scratch=$(mktemp -d /var/tmp/panel-uml.XXXXXX)
# Where it is ended early the kernel may still be writing.
trap 'rm -rf "$scratch" || { sleep 1; rm -rf "$scratch"; }' EXIT
home=${disks:-$scratch}/home.img
if [[ ! -e $home ]]; then
  truncate -s 96M "$home"
  mkfs.ext4 -q -F -O quota -E quotatype=usrquota "$home"
fi
if [[ -n $disks && ! -e $disks/rest.img ]]; then
  truncate -s 2G "$disks/rest.img"
  mkfs.ext4 -q -F "$disks/rest.img"
fi
printf '%q ' "$@" >"$scratch/command"
env | grep -E '^(PATH|LANG|TAP_|PANEL_TEST_|NODE_)' >"$scratch/environment"
mkdir "$scratch/units"
cat >"$scratch/units/panel-test.target" <<'UNIT'
[Unit]
Wants=systemd-logind.service systemd-user-sessions.service panel-test.service
UNIT
cat >"$scratch/units/panel-test.service" <<'UNIT'
[Unit]
After=systemd-logind.service systemd-user-sessions.service

[Service]
Type=oneshot
EnvironmentFile=/out/environment
ExecStart=/bin/bash /out/command
StandardOutput=file:/out/stdout
StandardError=file:/out/stderr
ExecStopPost=/bin/bash -c 'echo "$EXIT_STATUS" >/out/status; sync; echo o >/proc/sysrq-trigger'
UNIT

# The first process of the machine. If it ended, the kernel would wait for ever.
cat >"$scratch/init" <<INIT
#!/bin/bash
export PATH=/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin
mount -t proc proc /proc
modules=/usr/lib/uml/modules/\$(uname -r)/kernel/fs
for module in overlayfs/overlay quota/quota_tree quota/quota_v2; do
  insmod \$modules/\$module.ko
done
mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir /mnt/rest /mnt/root /mnt/out
[[ -z "$disks" ]] || mount -t ext4 /dev/ubdb /mnt/rest
mkdir -p /mnt/rest/upper /mnt/rest/work
mount -t hostfs none /mnt/out -o "$scratch"
exec >/mnt/out/console 2>&1
set -x
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/rest/upper,workdir=/mnt/rest/work /mnt/root
cd /mnt/root
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup sys/fs/cgroup
mount -t devtmpfs dev dev
mkdir -p dev/pts dev/shm
mount -t devpts devpts dev/pts
for folder in run tmp var/tmp dev/shm; do mount -t tmpfs -o mode=1777 tmpfs \$folder; done
chmod 755 run
mkdir -p run/sshd out
for mount in ${mounts[@]@Q}; do
  read -r folder mode <<<"\$mount"
  mkdir -p ./\$folder
  mount -t hostfs -o \$mode,\$folder none ./\$folder
done
mount --bind /mnt/out out
mount -o usrquota /dev/ubda home
ip link set lo up
if [[ -n "$systemd" ]]; then
  cp /mnt/out/units/* etc/systemd/system/
  # There is no disk but that of /home, and what finds devices would wait for others. What empties
  # /tmp must not come upon folders that are the machine's own.
  : >etc/fstab
  udev='systemd-udevd systemd-udev-trigger systemd-udev-settle systemd-modules-load'
  for unit in \$udev systemd-tmpfiles-setup systemd-tmpfiles-clean; do
    ln -sf /dev/null etc/systemd/system/\$unit.service
  done
  exec chroot . /lib/systemd/systemd --system --unit=panel-test.target --log-target=console
fi
set +x
set -a; . /mnt/out/environment; set +a
chroot . /bin/bash /out/command >/mnt/out/stdout 2>/mnt/out/stderr
echo \$? >/mnt/out/status
sync
echo o >/proc/sysrq-trigger
sleep 60
INIT
chmod +x "$scratch/init"

# Kernel and processes of this machine hand each other the word at every call: on one processor
# that is four times as fast as on two. Two machines at a time take the first and the last.
read -ra processors < <(grep -oP 'Cpus_allowed_list:\s*\K.*' /proc/self/status | tr ',-' '  ')
[[ -n $systemd ]] && processor=${processors[-1]} || processor=${processors[0]}

# Its processes are the machine's own: in a number space of their own the kernel ends all of them
# with the first, on any kill.
setpriv --pdeathsig KILL -- unshare --pid --fork --kill-child --mount-proc \
  taskset -c "$processor" \
  linux.uml "ubd0=$home" ${disks:+"ubd1=$disks/rest.img"} rootfstype=hostfs rootflags=/ ro \
  "init=$scratch/init" mem=768M "uml_dir=$scratch/" quiet con0=fd:0,fd:1 con=null ssl=null \
  </dev/null >"$scratch/boot" 2>&1 &
machine=$!
# A kernel that has given up, as on a processor that it does not know, would spin for ever.
(grep -q 'Kernel panic' <(tail --pid="$machine" -F "$scratch/boot" 2>/dev/null) &&
  kill -KILL "$machine") &
# A caller that ends it early still gets the output until then.
trap 'kill -KILL "$machine"' TERM
wait "$machine" || true

cat "$scratch/stdout" 2>/dev/null || true
cat "$scratch/stderr" >&2 2>/dev/null || true
if [[ ! -e $scratch/status ]]; then
  tail -n 60 "$scratch/boot" "$scratch/console" >&2 || true
  echo 'the machine did not come to its end' >&2
  exit 1
fi
exit "$(cat "$scratch/status")"
