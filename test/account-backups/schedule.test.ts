import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'
import { withoutRestic } from '../support/restic.ts'
import { until } from '../support/until.ts'

// Backups that packages schedule, and old ones that they no longer keep.

const panel = await openPanel(t)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const call = (words: string[]) => callPanel(['account-backup', ...words], environment)
const at = (path: string): string => join(panel.root, path)
mkdirSync(at('usr/local/sbin'), { recursive: true })
mkdirSync(at('mnt/backups'), { recursive: true })
symlinkSync('/usr/bin/restic', at('usr/local/sbin/restic'))
const { pool } = panel

type Backup = { id: string; state: string }
const list = async (): Promise<Backup[]> => (await call(['ls', 'alice', '--json'])).json().backups
/** Runs the scheduled job to its end. */
async function tick(): Promise<void> {
  await pool.query(`select panel.wake_backup_run()`)
  await until(async () => {
    const { rows } = await pool.query(
      `select from worker_queue.jobs where task_identifier = 'backup/run'`,
    )
    return rows.length === 0
  }, 60_000)
}
const done = async (): Promise<number> =>
  (await list()).filter(({ state }) => state === 'done').length
/** A change of the package may have to reach the account first. */
const became = (count: number) =>
  until(async () => {
    await tick()
    return (await done()) === count
  }, 60_000)
const setPackage = (limits: object) =>
  panel.call('PUT', '/api/v1/packages/starter', { body: limits })

await setPackage({ backups: 'none' })
t.equal((await panel.call('POST', '/api/v1/accounts', { body: alice })).status, 201)

t.test('a package says how often, from a list', async t => {
  t.match(await setPackage({ backups: 'weekly' }), { status: 400, body: { error: /backups/ } })
  t.match(await setPackage({ backups: 'none' }), {
    status: 200,
    body: { backups: 'none', keep_daily: 7, keep_weekly: 4, keep_monthly: 0 },
  })
})

t.test(
  'nothing is begun without a target, or for a package without backups',
  { skip: withoutRestic },
  async t => {
    await setPackage({ backups: 'daily' })
    await tick()
    t.strictSame(await list(), [])
    await setPackage({ backups: 'none' })
    const added = await call(['target', 'add', 'disk', '--folder', '/mnt/backups'])
    t.equal(added.code, 0, added.stderr)
    await tick()
    t.strictSame(await list(), [])
  },
)

t.test('an account is backed up once a day', { skip: withoutRestic }, async t => {
  await setPackage({ backups: 'daily' })
  t.ok(await became(1))
  await tick()
  await tick()
  t.equal((await list()).length, 1)
  await pool.query(`update panel.account_backups set created_at = now() - interval '25 hours'`)
  t.ok(await became(2))
})

t.test('a failed one is repeated after an hour', { skip: withoutRestic }, async t => {
  const failed = `insert into panel.account_backups
    (account_id, username, operation_id, state, error, created_at)
    select id, username, gen_random_uuid(), 'failed', 'x', now() - $1::interval
    from panel.accounts`
  await pool.query(`update panel.account_backups set created_at = now() - interval '25 hours'`)
  await pool.query(failed, ['59 minutes'])
  await tick()
  t.equal(await done(), 2)
  await pool.query(`update panel.account_backups set created_at = created_at - interval '2 minutes'
    where state = 'failed'`)
  t.ok(await became(3))
})

t.test('the days are spread over the night by the account', { skip: withoutRestic }, async t => {
  const { rows } = await pool.query<{ hours: number; count: number }>(`
    select count(distinct due_at)::integer as count,
      max(extract(epoch from due_at - date_trunc('day', due_at)) / 3600)::float8 as hours
    from generate_series(1, 240) id, panel.backup_due_at(id, 'daily') due_at`)
  t.equal(rows[0]?.count, 240)
  t.ok(rows[0]!.hours < 5)
})

t.test('old backups are removed once a week, with their rows', { skip: withoutRestic }, async t => {
  await setPackage({ keep_daily: 1, keep_weekly: 0 })
  writeFileSync(at('home/alice/files/new.txt'), 'new')
  await tick()
  t.equal(await done(), 3, 'not before a week has passed')
  await pool.query(`update panel.backup_repositories set pruned_at = now() - interval '8 days'`)
  t.ok(await became(1), 'all three were made on one day')
  t.equal((await call(['create', 'alice'])).code, 0)
  t.ok(await until(async () => (await done()) === 2, 30_000))
})
