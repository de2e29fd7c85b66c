import type { StartedRestic } from './started.ts'
import { systemPaths } from './unit.ts'

// A run where systemd is not running: the same view in a mount namespace of its own.

const devices = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom']

// As root in a mount namespace of its own: an empty root with the given paths. What follows -- is
// run in it. The folder of the credentials is also that of the new root.
const viewScript = `set -eu
credentials=$1 user=$2 group=$3
shift 3
root=$credentials/root
mkdir -p "$root"
mount -t tmpfs -o mode=755,size=64m,nosuid,nodev tmpfs "$root"
while [ "$1" != -- ]; do
  mode=$1 path=$2
  shift 2
  [ -e "$path" ] || continue
  if [ -d "$path" ]; then mkdir -p "$root$path"
  else mkdir -p "$root$(dirname "$path")"; : >"$root$path"; fi
  mount --bind "$path" "$root$path"
  case $mode in
    ro) mount -o remount,bind,ro,nosuid "$root$path" ;;
    rw) mount -o remount,bind,nosuid,nodev "$root$path" ;;
    dev) ;;
  esac
done
shift
mkdir -m 700 "$root/credentials"
for file in "$credentials"/*; do
  [ -f "$file" ] && install -m 400 -o "$user" -g "$group" "$file" "$root/credentials/"
done
chown "$user:$group" "$root/credentials"
mkdir "$root/tmp"
mount -t tmpfs -o mode=1777,size=1g,nosuid,nodev tmpfs "$root/tmp"
mount -o remount,ro,mode=755,nosuid,nodev tmpfs "$root"
exec chroot "$root" "$@"
`

// Forbids open_by_handle_at(2), with which CAP_DAC_READ_SEARCH leaves the view: a filter of
// seccomp(2) that returns EPERM for it, and ends a process that calls for another architecture.
const seccompScript = `use strict;
my %known = (x86_64 => [0xC000003E, 304, 157], aarch64 => [0xC00000B7, 265, 167]);
chomp(my $machine = qx(uname -m));
my ($architecture, $call, $prctl) = @{ $known{$machine} or die "no filter for $machine\\n" };
my @filter = (
  [0x20, 0, 0, 4], [0x15, 1, 0, $architecture], [0x06, 0, 0, 0x80000000],
  [0x20, 0, 0, 0], [0x35, 1, 0, 0x40000000], [0x15, 0, 1, $call],
  [0x06, 0, 0, 0x00050001], [0x06, 0, 0, 0x7fff0000],
);
my $code = join '', map { pack 'SCCL', @$_ } @filter;
my $program = pack 'Sx6P', scalar @filter, $code;
syscall($prctl, 22, 2, $program, 0, 0) == 0 or die "seccomp: $!\\n";
exec { $ARGV[0] } @ARGV or die "exec: $!\\n";
`

const capability = 'dac_read_search'

/** Returns the command that runs restic in its view, and ends with the worker. */
export function plainCommand(started: StartedRestic): [string, ...string[]] {
  const { view, credentials, environment, owner, args } = started
  const variables = { ...environment, CREDENTIALS_DIRECTORY: '/credentials', TMPDIR: '/tmp' }
  const binds = [
    ...systemPaths.flatMap(path => ['ro', path]),
    ...devices.flatMap(path => ['dev', path]),
    ...view.readable.flatMap(path => ['ro', path]),
    ...view.writable.flatMap(path => ['rw', path]),
  ]
  return [
    ...(['unshare', '--mount', '--ipc', ...(view.hasNetwork ? [] : ['--net'])] as const),
    ...['--propagation', 'private', '--', 'sh', '-c', viewScript, 'sh'],
    ...[credentials.folder, String(owner.uid), String(owner.gid), ...binds, '--'],
    ...['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'],
    ...[`--inh-caps=-all,+${capability}`, `--ambient-caps=-all,+${capability}`],
    ...[`--bounding-set=-all,+${capability}`, '--no-new-privs', '--pdeathsig', 'KILL', '--'],
    ...['perl', '-e', seccompScript, 'nice', '-n', '19', 'ionice', '-c', '3'],
    ...['env', ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)],
    ...['sh', ...args],
  ] as [string, ...string[]]
}
