import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { until } from '../support/until.ts'
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
      await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
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

const wrapper = '/usr/local/bin/restic'

/** Runs lines of sh before each command of restic, whose name is `$1`, in restic's own place. */
export function aroundRestic(lines: string): void {
  writeFileSync(
    wrapper,
    `#!/bin/sh
for word in "$@"; do
  case $word in backup|ls|init|unlock|snapshots|forget|cat|dump) name=$word; break ;; esac
done
repository=$(cat "$RESTIC_REPOSITORY_FILE")
${lines}
exec /usr/bin/restic "$@"
`,
  )
  chmodSync(wrapper, 0o755)
}

export function restoreRestic(): void {
  if (existsSync(wrapper)) rmSync(wrapper)
}
