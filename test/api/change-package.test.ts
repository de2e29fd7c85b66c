import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

let failing = false
const panel = await openPanel(t, {
  observe: async (step, work) => {
    if (failing && step === 'quota') throw new Error('staged')
    await work()
  },
})
const { call, pool } = panel
await call('PUT', '/api/v1/packages/small', { body: { memory_mb: 64, disk_mb: 100 } })
await call('PUT', '/api/v1/packages/large', { body: { memory_mb: 256, disk_mb: 500 } })
await call('PUT', '/api/v1/packages/siteless', { body: { max_sites: 0 } })
await call('POST', '/api/v1/accounts', { body: { ...alice, package: 'small' } })

const limits = async (uid = 20_000) => ({
  slice: await readFile(
    join(panel.root, `etc/systemd/system/user-${uid}.slice.d/50-panel.conf`),
    'utf8',
  ),
  quota: await readFile(join(panel.root, `var/lib/panel/quota/${uid}`), 'utf8'),
})
const change = (name: string, key?: string) =>
  call('PUT', '/api/v1/accounts/alice/package', {
    body: { package: name },
    ...(key === undefined ? {} : { key }),
  })

t.test('a package change moves the limits and shows in the answer', async t => {
  t.match(await limits(), { slice: /MemoryMax=64M/ })
  const changed = await change('large', 'one')
  t.match(changed, { status: 200, body: { package: 'large', state: 'active' } })
  t.match(await limits(), { slice: /MemoryMax=256M/ })
  const again = await change('large', 'one')
  t.equal(again.text, changed.text)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
})

t.test('a change that fails restores the package and its limits', async t => {
  const before = await limits()
  failing = true
  t.equal((await change('small', 'two')).status, 500)
  failing = false
  t.match(await call('GET', '/api/v1/accounts/alice'), { body: { package: 'large' } })
  t.strictSame(await limits(), before)
  t.equal((await change('small', 'two')).status, 200)
})

t.test('a package that is unknown, or has too few websites, is 400', async t => {
  t.match(await change('unknown'), { status: 400, body: { error: /package/ } })
  t.match(await change('siteless'), { status: 400, body: { error: /allows 0 websites;/ } })
  t.match(await call('GET', '/api/v1/accounts/alice'), { body: { package: 'small' } })
})

t.test('a suspended account may change its package and stays suspended', async t => {
  await call('POST', '/api/v1/accounts/alice/suspend')
  t.match(await change('large'), { status: 200, body: { state: 'suspended', package: 'large' } })
  await call('POST', '/api/v1/accounts/alice/unsuspend')
})

t.test('a changed package reaches all its accounts, and the answer does not wait', async t => {
  for (const name of ['bob', 'carol', 'dave']) {
    const body = { ...alice, username: name, domain: `${name}.example`, package: 'large' }
    t.equal((await call('POST', '/api/v1/accounts', { body })).status, 201)
  }
  const put = await call('PUT', '/api/v1/packages/large', { body: { memory_mb: 333 } })
  t.match(put, { status: 200, body: { memory_mb: 333, disk_mb: 500 } })
  await until(async () => {
    const { rows } = await pool.query(
      `select count(*)::int as n from panel.operations
       where name = 'account/apply' and state = 'done'`,
    )
    return rows[0].n === 4
  })
  const { rows } = await pool.query('select uid from panel.accounts order by uid')
  for (const { uid } of rows) t.match(await limits(uid), { slice: /MemoryMax=333M/ })
  const { rows: due } = await pool.query('select from panel.packages where apply_after is not null')
  t.equal(due.length, 0)
})

t.test('a package whose job was lost is applied by the sweeper', async () => {
  await pool.query(
    `update panel.packages set memory_mb = 444, apply_after = 0, apply_job_id = null
     where name = 'large'`,
  )
  await until(async () => /MemoryMax=444M/.test((await limits()).slice))
})

t.test('a package in use cannot be deleted, an unused one can, and then it is unknown', async t => {
  t.match(await call('DELETE', '/api/v1/packages/large'), { status: 400, body: { error: /uses/ } })
  const gone = await call('DELETE', '/api/v1/packages/siteless', { key: 'delete' })
  t.match(gone, { status: 200, body: { name: 'siteless', max_sites: 0 } })
  t.equal((await call('GET', '/api/v1/packages/siteless')).status, 404)
  t.equal((await call('DELETE', '/api/v1/packages/siteless')).status, 404)
  for (const name of ['x'.repeat(600), 'a%00b', '%F0%9F%98%80'.repeat(300)]) {
    t.equal((await call('DELETE', `/api/v1/packages/${name}`)).status, 404, name)
  }
  const replay = await call('DELETE', '/api/v1/packages/siteless', { key: 'delete' })
  t.equal(replay.text, gone.text)
})
