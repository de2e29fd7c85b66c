import type { Task } from '../../src/queue/task.ts'

// Rows of each kind at a time: a transaction of some 10 ms.
const chunkSize = 1_000

// Deletes what no answer needs any more: finished operations after 24 hours, sign-on links and
// sessions that are over.
const purge: Task = async (_payload, helpers, { pool }) => {
  for (;;) {
    const { rows } = await pool.query<{ purged: number }>('select panel.purge($1) as purged', [
      chunkSize,
    ])
    if (rows[0]?.purged === 0 || helpers.abortSignal.aborted) return
  }
}

export default purge
