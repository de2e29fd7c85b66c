import { randomUUID } from 'node:crypto'
import t from 'tap'
import { retry } from '../../src/model/jobs/job-actions.ts'
import { database } from '../support/database.ts'
import { emit } from '../support/hooks/hooks.ts'

// Hook scripts are made due again where one of them has not succeeded.

const { pool } = await database(t, 'panel_owned')

// Runs of one event, as a worker leaves them: the first was interrupted, and then maybe run again.
async function ended(...outcomes: string[]): Promise<string> {
  const id = await emit(pool, 'backup.completed', {})
  for (const outcome of outcomes) {
    await pool.query(
      `insert into panel.script_runs (id, event_id, name, path, outcome, reason, exit_code)
       values ($1, $2, 'script', '/script', $3,
         case when $3 = 'failed' then 'It ended with 3' end,
         case when $3 = 'succeeded' then 0 end)`,
      [randomUUID(), id, outcome],
    )
  }
  await pool.query(
    `update panel.hook_runs set state = 'done', finished_at = now() where event_id = $1`,
    [id],
  )
  return id
}

const repeatable = async (id: string) =>
  (await pool.query(`select panel.count_repeatable_jobs('{}', '{}', $1) as count`, [[id]])).rows[0]
    .count

t.test('a script that was interrupted and then succeeded has succeeded', async t => {
  const id = await ended('interrupted', 'succeeded')
  t.equal(await repeatable(id), 0)
  await t.rejects(retry(pool, `hook:${id}`), { code: 'invalid', message: /has succeeded/ })
  const { rows } = await pool.query('select state from panel.hook_runs where event_id = $1', [id])
  t.strictSame(rows, [{ state: 'done' }])
})

for (const outcomes of [['interrupted'], ['interrupted', 'failed']]) {
  t.test(`a run that was ${outcomes.join(' and then ')} is due again`, async t => {
    const id = await ended(...outcomes)
    t.equal(await repeatable(id), 1)
    t.match(await retry(pool, `hook:${id}`), { id: `hook:${id}` })
  })
}
