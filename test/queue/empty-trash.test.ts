import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'

// A terminated account's home is kept for some days, and then deleted.

const panel = await openPanel(t)
const trash = (name: number | string) => join(panel.root, `home/.trash/${name}`)

async function turn(): Promise<void> {
  const { rows } = await panel.pool.query(
    `select id from worker_queue.add_job('maintenance/empty-trash', '{}')`,
  )
  for (;;) {
    const { rowCount } = await panel.pool.query('select from worker_queue.jobs where id = $1', [
      rows[0].id,
    ])
    if (rowCount === 0) return
  }
}

t.test('only what has lain there long enough is deleted', async t => {
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  const uids: number[] = []
  for (const username of ['alice', 'bob', 'carol']) {
    const body = { ...alice, username, domain: `${username}.example` }
    await panel.call('POST', '/api/v1/accounts', { body })
    if (username !== 'carol') await panel.call('DELETE', `/api/v1/accounts/${username}`)
  }
  const { rows } = await panel.pool.query('select uid from panel.accounts order by uid')
  uids.push(...rows.map(row => row.uid))
  const [old, fresh, living] = uids as [number, number, number]
  // Entries with the number of a living account, or of none, are not deleted.
  for (const name of [living, 99_999, 'kept']) mkdirSync(trash(name))

  await turn()
  t.ok(existsSync(trash(old)))
  await panel.pool.query(
    `update panel.accounts set terminated_at = now() - interval '73 hours' where uid = any ($1)`,
    [[old, living]],
  )
  await turn()
  await turn()
  t.notOk(existsSync(trash(old)))
  for (const name of [fresh, living, 99_999, 'kept']) t.ok(existsSync(trash(name)), `${name}`)
})
