#!/bin/bash
# Runs a command on a throw-away copy of this machine that systemd has started: a container over an
# overlay of its own `/`, with a network of its own. Nothing reaches the machine, and all of it ends
# with the command.
#
#   nspawn.sh [--read-write FOLDER] [--read-only FOLDER] … COMMAND [ARGUMENT …]
set -euo pipefail

binds=()
while [[ ${1-} == --read-* ]]; do
  if [[ $1 == --read-write ]]; then binds+=("--bind=$2"); else binds+=("--bind-ro=$2"); fi
  shift 2
done

cgroup=$(dirname "$0")/cgroup.sh
scratch=$(mktemp -d /var/tmp/panel-machine.XXXXXX)
input=
tidy_up() {
  # A process with an open pipe keeps its folder.
  exec 3<&- 4>&- 5>&-
  [[ -z $input ]] || kill "$input" 2>/dev/null || true
  wait || true
  umount "$scratch/root" || true
  umount "$scratch" && rmdir "$scratch"
  "$cgroup" remove "${scratch##*.}"
}
trap tidy_up EXIT
mount -t tmpfs -o size=3g,mode=755 panel "$scratch"
mkdir "$scratch/upper" "$scratch/work" "$scratch/root" "$scratch/out"
mount -t overlay overlay \
  -o "lowerdir=/,upperdir=$scratch/upper,workdir=$scratch/work" "$scratch/root"

# The command is the last thing that the machine starts, and the machine goes off with it.
units=$scratch/root/etc/systemd/system
mkdir -p "$units/multi-user.target.wants"
env | grep -E '^(PATH|LANG|TAP_|PANEL_TEST_|NODE_|DATABASE_URL|BENCH_)' >"$scratch/out/environment"
printf '%q ' "$@" >"$scratch/out/command"
# Pipes, so that a caller can talk with the command. Ours are open at both ends: a machine that does
# not come up leaves no caller waiting for it.
mkfifo "$scratch/out/stdin" "$scratch/out/stdout" "$scratch/out/stderr"
exec 3<&0 4<>"$scratch/out/stdout" 5<>"$scratch/out/stderr"
cat <"$scratch/out/stdout" 3<&- 4>&- 5>&- &
outputs=($!)
cat <"$scratch/out/stderr" >&2 3<&- 4>&- 5>&- &
outputs+=($!)
cat <&3 >"$scratch/out/stdin" 4>&- 5>&- &
input=$!
cat >"$units/panel-test.service" <<'UNIT'
[Unit]
After=nginx.service ssh.service

[Service]
Type=oneshot
EnvironmentFile=/panel-out/environment
ExecStart=/bin/bash -c 'exec /bin/bash /panel-out/command </panel-out/stdin'
StandardOutput=file:/panel-out/stdout
StandardError=file:/panel-out/stderr
ExecStopPost=/bin/bash -c 'echo "$EXIT_STATUS" >/panel-out/status'
ExecStopPost=/bin/systemctl poweroff --no-block
UNIT
# Tests start a MariaDB of their own. The machine's would be stopped while it starts, where the
# command is short, and then it may hang for a quarter of an hour.
ln -s /dev/null "$units/mariadb.service"
ln -s ../panel-test.service "$units/multi-user.target.wants/panel-test.service"

setpriv --pdeathsig KILL -- "$cgroup" enter "${scratch##*.}" \
  systemd-nspawn --quiet --register=no --keep-unit --private-network \
  --console=pipe --machine="${scratch##*.}" "${binds[@]}" \
  --bind="$scratch/out:/panel-out" --boot --directory="$scratch/root" \
  </dev/null >"$scratch/out/console" 2>&1 3<&- 4>&- 5>&- || true

exec 4>&- 5>&-
wait "${outputs[@]}"
if [[ ! -e $scratch/out/status ]]; then
  tail -n 30 "$scratch/out/console" >&2
  echo 'the machine did not come up' >&2
  exit 1
fi
exit "$(cat "$scratch/out/status")"
