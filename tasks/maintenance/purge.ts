import type { Task } from '../../src/queue/task.ts'

// Rows of each kind at a time, which takes a transaction of some 10 ms.
const chunkSize = 1_000

// Deletes expired rows: finished operations after 24 hours, old events, expired sign-on links and
// sessions.
const purge: Task = async (_payload, helpers, { pool }) => {
  for (;;) {
    const { rows } = await pool.query<{ purged: number }>('select panel.purge($1) as purged', [
      chunkSize,
    ])
    if (rows[0]?.purged === 0 || helpers.abortSignal.aborted) return
  }
}

export default purge
