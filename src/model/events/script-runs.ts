import { all, type Db } from '../../db.ts'

// Runs of hook scripts for administrators.

export type ShownScriptRun = {
  event_id: string
  event: string
  /** The account that the event is about. */
  account: string | null
  name: string
  path: string
  /** Null while it runs. */
  outcome: 'succeeded' | 'failed' | 'timed_out' | 'refused' | 'interrupted' | null
  reason: string | null
  exit_code: number | null
  signal: string | null
  /** The end of each output. */
  stdout: string
  stderr: string
  /** Whether it was run again later. */
  is_repeated: boolean
  started_at: Date
  duration_ms: number | null
}

type Row = Omit<ShownScriptRun, 'stdout' | 'stderr'> & Record<'stdout' | 'stderr', Buffer>

/** Returns the latest runs, those of the newest events first. */
export async function listScriptRuns(db: Db, limit: number): Promise<ShownScriptRun[]> {
  const rows = await all<Row>(db)`
    select event_id, event, account, name, path, outcome, reason, exit_code, signal, stdout, stderr,
      is_repeated, started_at, duration_ms
    from panel.list_script_runs(${limit})`
  return rows.map(row => ({
    ...row,
    stdout: row.stdout.toString(),
    stderr: row.stderr.toString(),
  }))
}
