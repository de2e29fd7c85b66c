import { until } from '../support/until.ts'
import type { openLinuxPanel } from './machine.ts'

/** Has the worker tend all homes now, and says whether it has come to an end. */
export async function tendHomes({
  pool,
}: Pick<Awaited<ReturnType<typeof openLinuxPanel>>, 'pool'>): Promise<boolean> {
  await pool.query(`select worker_queue.add_job('maintenance/homes', '{}'::json)`)
  const { rows: left } = await pool.query(
    `select id from worker_queue.jobs where task_identifier = 'maintenance/homes'`,
  )
  const ids = left.map(({ id }) => id)
  return until(async () => {
    const { rowCount } = await pool.query(`select from worker_queue.jobs where id = any ($1)`, [
      ids,
    ])
    return rowCount === 0
  })
}
