import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import type { EventName } from '../../../src/model/events/events.ts'
import { openPanel, type Panel } from '../panel.ts'
import { until } from '../until.ts'

/** Installs an executable hook script, whatever the umask; returns its path. */
export function install(path: string, program: string, mode = 0o755): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  writeFileSync(path, program)
  chmodSync(path, mode)
  return path
}

export type ScriptRow = Record<'name' | 'outcome' | 'reason' | 'path', string | null> & {
  stdout: Buffer
}

/** A panel whose hooks folder is in its sandbox. */
export async function openHooks(t: Test, options: Parameters<typeof openPanel>[1] = {}) {
  const panel = await openPanel(t, options)
  const folderOf = (event: EventName) => join(panel.root, 'etc/panel/hooks', `${event}.d`)
  return {
    panel,
    pool: panel.pool,
    folderOf,
    /** A shell script for an event. */
    script: (event: EventName, name: string, text: string, mode?: number) =>
      install(join(folderOf(event), name), `#!/bin/sh\n${text}\n`, mode),
    /** Waits until no scripts are due. */
    ended: () =>
      until(async () => {
        const due = await panel.pool.query(`select from panel.hook_runs where state <> 'done'`)
        return due.rowCount === 0
      }),
    scriptsOf: async (eventId: string) =>
      (
        await panel.pool.query<ScriptRow>(
          `select name, outcome, reason, path, stdout from panel.script_runs
           where event_id = $1 order by started_at, name`,
          [eventId],
        )
      ).rows,
  }
}

/** Records an event as an operation does; returns its id. */
export async function emit(
  db: Pick<Panel['pool'], 'query'>,
  event: EventName,
  data: object,
  accountId: string | null = null,
): Promise<string> {
  const body = JSON.stringify({ event, time: 1_800_000_000, server: 'panel.test', data })
  const { rows } = await db.query<{ id: string }>('select panel.emit($1, $2, null, $3) as id', [
    event,
    accountId,
    Buffer.from(body),
  ])
  return rows[0]!.id
}
