import { mkdirSync } from 'node:fs'
import t from 'tap'
import { startTestPostgres } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

// One limit for a home and its databases, by a kernel that enforces it: `disk_mb` of the package.

// No socket leads from this kernel to the server that the other tests share.
mkdirSync('/tmp/panel')
const own = await startTestPostgres('/tmp/panel')
t.teardown(own.stop)
Object.assign(process.env, own.environment)
const { openDatabasePanel } = await import('../databases.ts')
const { asUser, run } = await import('../machine.ts')
const { panel, mariadb, done, addAccount } = await openDatabasePanel(t)
await panel.startMachineWorker()
const diskMb = 24
const packages = '/api/v1/packages/starter'
await panel.call('PUT', packages, { body: { disk_mb: diskMb } })
await addAccount('alice')
const { password } = await done('add', 'alice', 'shop')
const uid = Number((await run('id', ['-u', 'alice'])).stdout)
const asShop = (statements: string) => mariadb.as('alice_shop', password, statements, 'alice_shop')
async function grow(megabytes: number) {
  const rows = `SELECT REPEAT('x', 1000000) FROM seq_1_to_${megabytes}`
  const result = await asShop(`INSERT INTO big ${rows}`)
  // Otherwise it may stay in memory for half a minute.
  await mariadb.root('FLUSH TABLES')
  return result
}
const write = (name: string, megabytes: number) =>
  asUser(uid, [
    ...['dd', 'if=/dev/zero', `of=/home/alice/files/${name}`, 'bs=1M', `count=${megabytes}`],
  ])
const remove = (name: string) => asUser(uid, ['rm', `/home/alice/files/${name}`])
const tooMuch = { code: 1, stderr: /Disk quota exceeded/ }

/** The kernel's limit of the home, in MB. */
async function limitMb(): Promise<number> {
  const { stdout } = await run('repquota', ['-u', '-n', '/home'])
  return Number(new RegExp(`^#${uid} +\\S+ +\\d+ +\\d+ +(\\d+)`, 'm').exec(stdout)?.[1]) / 1_024
}

/** Measures homes and databases, as happens by itself, until the machine has followed. */
async function measure(): Promise<void> {
  for (const task of ['usage/disk', 'usage/databases']) {
    const { rows } = await panel.pool.query('select now() as at')
    await panel.pool.query('select worker_queue.add_job($1)', [task])
    const measured = task === 'usage/disk' ? 'disk_usage' : 'databases'
    const late = `select from panel.${measured} where measured_at >= $1`
    await until(async () => ((await panel.pool.query(late, [rows[0].at])).rowCount ?? 0) > 0)
  }
  const open = `select from panel.operations where state not in ('done', 'failed')`
  await until(async () => (await panel.pool.query(open)).rowCount === 0)
}

const isFrozen = async (): Promise<boolean> =>
  (await done('size', 'alice')).databases[0].frozen as boolean

t.test('the space of databases is missing from the home', async t => {
  t.equal(await limitMb(), diskMb)
  await asShop('CREATE TABLE big (a LONGBLOB) ENGINE = Aria')
  t.match(await grow(10), { code: 0 })
  await measure()
  t.ok(Math.abs((await limitMb()) - 14) <= 1, `${await limitMb()} MB`)
  t.match(await write('site', 18), tooMuch)
  await remove('site')
  t.match(await write('site', 10), { code: 0 })
  t.equal(await isFrozen(), false)
})

t.test('a database that grows past it is frozen, and the home keeps what it has', async t => {
  t.match(await grow(8), { code: 0 }, 'until it is measured')
  await measure()
  t.equal(await isFrozen(), true)
  t.match(await grow(1), { code: 1, stderr: /1142/ })
  t.ok((await limitMb()) >= 10, `${await limitMb()} MB`)
  t.match(await write('more', 5), tooMuch)
  await remove('more')
  t.match(await panel.call('GET', '/api/v1/accounts/alice/usage'), {
    body: { database_used_mb: 18, disk_limit_mb: diskMb },
  })
  const { stdout } = await asUser(uid, ['cat', '/home/alice/files/site'])
  t.equal(stdout.length, 10 * 2 ** 20)
})

t.test('a larger package gives room to both, and a smaller one takes it', async t => {
  await panel.call('PUT', packages, { body: { disk_mb: 64 } })
  await measure()
  t.equal(await isFrozen(), false)
  t.match(await grow(1), { code: 0 })
  t.match(await write('more', 5), { code: 0 })
  await remove('more')
  await panel.call('PUT', packages, { body: { disk_mb: diskMb } })
  await measure()
  t.equal(await isFrozen(), true, 'it had grown')
  t.match(await write('more', 5), tooMuch)
  await remove('more')
})

t.test('room that the home makes is the database’s', async t => {
  await remove('site')
  await measure()
  t.equal(await isFrozen(), false)
  t.match(await grow(1), { code: 0 })
  await asShop('DROP TABLE big')
  await measure()
  t.equal(await limitMb(), diskMb)
  t.match(await write('site', 18), { code: 0 })
})
