import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { openDatabasePanel } from './databases.ts'
import { run } from './machine.ts'

// Tests of backups of accounts by the real restic share this.

export type Backup = {
  id: string
  state: string
  target: string
  dumps: string[]
  bytes_added: number
  error: string | null
}

/** An account with a database and a folder target, and no worker yet. */
export async function openBackups(t: Test) {
  const opened = await openDatabasePanel(t)
  const { panel, addAccount } = opened
  const environment = {
    DATABASE_URL: panel.databaseUrl,
    PANEL_HOST: 'linux',
    PANEL_STATE_DIR: dirname(panel.root),
  }
  const call = (words: string[], input?: string) =>
    callPanel(['account-backup', ...words], environment, input)
  mkdirSync('/mnt/backups', { recursive: true })
  const list = async (username = 'alice'): Promise<Backup[]> =>
    (await call(['ls', username, '--json'])).json().backups
  return {
    ...opened,
    call,
    list,
    // Commands and the worker seal with the same key.
    startWorker: () => panel.startMachineWorker({ PANEL_KEY: join(dirname(panel.root), 'key') }),
    async addAccounts() {
      // Only those that a test asks for.
      await panel.call('PUT', '/api/v1/packages/starter', { body: { backups: 'none' } })
      await addAccount('alice')
      await addAccount('bob')
      const { rows } = await panel.pool.query<{ uid: number }>(
        'select uid from panel.accounts order by uid',
      )
      return rows.map(({ uid }) => uid)
    },
    /** Waits for the end of the newest backup. */
    async ended(username = 'alice'): Promise<Backup> {
      const isOver = async () => /done|failed/.test((await list(username))[0]?.state ?? '')
      await until(isOver, 60_000)
      return (await list(username))[0]!
    },
    async completed() {
      const { rows } = await panel.pool.query<{ data: Record<string, unknown> }>(
        `select data from panel.events where name = 'backup.completed' order by id`,
      )
      return rows.map(({ data }) => data)
    },
    /** Runs restic as root on the repository in a folder, with its key. */
    async snapshots(): Promise<string[]> {
      const found = await run('sh', [
        '-c',
        'ls -d /mnt/backups/alice-*/snapshots/* | xargs -n1 basename',
      ])
      return found.stdout.split('\n').filter(Boolean)
    },
  }
}

export const wrapperPath = '/usr/local/bin/restic'

/** Runs lines of sh before each command of restic, whose name is `$name`, in restic's own view. */
export const resticWrapper = (lines: string): string => `#!/bin/sh
for word in "$@"; do
  case $word in backup|ls|init|unlock|snapshots|forget|cat|dump|restore) name=$word; break ;; esac
done
repository=$(cat "$RESTIC_REPOSITORY_FILE")
${lines}
exec /usr/bin/restic "$@"
`

export function aroundRestic(lines: string): void {
  writeFileSync(wrapperPath, resticWrapper(lines))
  chmodSync(wrapperPath, 0o755)
}

export function restoreRestic(): void {
  if (existsSync(wrapperPath)) rmSync(wrapperPath)
}

/**
 * Lines that write into the repository what the runner of one account can do, next to another one.
 * The first has a file files/kept.txt, and should be all that can be read.
 */
export const backupProbes = (own: string, other: string): string => `
if [ "$name" = backup ]; then
  out=$repository/found
  try() {
    label=$1
    shift
    if "$@" >/dev/null 2>&1; then echo "can $label"; else echo "cannot $label"; fi >>$out
  }
  try read-home cat /home/${own}/files/kept.txt
  try write-home touch /home/${own}/files/new
  try remove-home rm -f /home/${own}/files/kept.txt
  try read-neighbour ls /home/${other}/
  try read-shadow cat /etc/shadow
  try read-panel ls /var/lib/panel-state
  try read-settings ls /etc/panel
  try read-spools sh -c '[ "$(ls /var/lib/panel/account-backups | wc -l)" != 1 ]'
  try read-others-keys ls /run/panel
  try write-system touch /usr/new
  try write-etc touch /etc/new
  try mount mount -t tmpfs tmpfs /tmp
  try setuid setpriv --reuid=0 --clear-groups true
  try network bash -c 'exec 3<>/dev/tcp/127.0.0.1/22'
  try open-by-handle perl -e '
    my $number = {x86_64 => 304, aarch64 => 265}->{(split " ", qx(uname -m))[0]};
    opendir(my $folder, "/home/${own}") or exit 1;
    my $handle = pack("LL", 8, 1) . pack("LL", 2, 0);
    syscall($number, fileno($folder), $handle, 0);
    exit($!{EPERM} ? 1 : 0)' -MErrno
  grep -E '^(Uid|Cap|NoNewPrivs|Seccomp)' /proc/self/status >>$out 2>/dev/null
  id -u >>$out
fi`

/** Ends scheduled backups, so that there are only those that a test asks for. */
export async function endSchedule(machine: Pick<DebianMachine, 'must'>): Promise<void> {
  const listed = JSON.parse(await machine.must('panel', 'package', 'ls', '--json'))
  for (const { name } of (listed as { packages: { name: string }[] }).packages) {
    await machine.must('panel', 'package', 'set', name, '--backups', 'none')
  }
}
