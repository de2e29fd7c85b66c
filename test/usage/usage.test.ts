import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { alice, type Answer } from '../support/panel.ts'
import { append, line, openUsage } from '../support/usage/usage.ts'

const { panel, log, sites, turn } = await openUsage(t)
const { pool, call } = panel
const mib = 1_048_576

const usageOf = (username: string, token = panel.token): Promise<Answer> =>
  call('GET', `/api/v1/accounts/${username}/usage`, { token })

const thisMonth = new Date().toISOString().slice(0, 7)

t.test('an account that was never measured uses nothing, and its answer says so', async t => {
  const answer = await usageOf('alice')
  t.equal(answer.status, 200)
  t.strictSame(answer.body, {
    username: 'alice',
    disk_used_mb: 0,
    database_used_mb: 0,
    disk_limit_mb: 1024,
    bandwidth_used_mb: 0,
    period: thisMonth,
    measured_at: null,
  })
})

t.test('files and traffic are shown in whole megabytes, rounded up', async t => {
  const now = new Date().toISOString()
  writeFileSync(join(panel.root, 'home/alice/files/big'), Buffer.alloc(3 * mib, 'x'))
  append(log, line(sites.alice, 2 * mib, now), line(sites.alice, 1, now), line(sites.bob, 1, now))
  const before = Date.now()
  await turn('usage/disk')
  await turn('usage/bandwidth')
  const { body } = await usageOf('alice')
  t.match(body, { disk_used_mb: 4, bandwidth_used_mb: 3, period: thisMonth })
  t.match(body.measured_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  t.ok(Date.parse(body.measured_at) >= before && Date.parse(body.measured_at) <= Date.now())
  t.equal((await usageOf('bob')).body.bandwidth_used_mb, 1)
})

t.test('exactly a megabyte is one, and beyond all integers it is still a number', async t => {
  await pool.query(`update panel.disk_usage set bytes = $1`, [mib])
  t.equal((await usageOf('alice')).body.disk_used_mb, 1)
  await pool.query(`update panel.bandwidth_usage set bytes = 9223372036854775807`)
  t.equal((await usageOf('alice')).body.bandwidth_used_mb, 8_796_093_022_208)
  await pool.query(`update panel.bandwidth_usage set bytes = $1`, [mib + 1])
})

t.test('only the current month counts', async t => {
  await pool.query(
    `update panel.bandwidth_usage set month = (month - interval '1 month')::date
     where account_id = (select id from panel.accounts where username = 'alice')`,
  )
  t.match((await usageOf('alice')).body, { bandwidth_used_mb: 0, period: thisMonth })
  t.match((await usageOf('bob')).body, { bandwidth_used_mb: 2 })
})

t.test('a reseller sees the use of its own accounts, and only of them', async t => {
  await addOperator(pool, {
    name: 'reseller',
    role: 'reseller',
    email: 'reseller@example.com',
    password: 'a password of the test',
  })
  await pool.query(
    `update panel.sellers set max_accounts = 5, disk_mb = 9999, max_sites = 9, memory_mb = 9999,
       cpu_percent = 900 where not is_own`,
  )
  const { token } = await createToken(pool, { owner: 'reseller', name: 'test' })
  await call('PUT', '/api/v1/packages/starter', { token, body: { disk_mb: 77 } })
  await call('POST', '/api/v1/accounts', {
    token,
    body: { ...alice, username: 'carol', domain: 'carol.example' },
  })
  const { body: own } = await call('GET', '/api/v1/usage', { token })
  t.match(own, { usage: [{ username: 'carol', disk_limit_mb: 77, measured_at: null }] })
  t.equal(own.usage.length, 1)
  t.equal((await usageOf('carol', token)).status, 200)
  const foreign = await usageOf('alice', token)
  t.equal(foreign.status, 404)
  t.strictSame(foreign.body, { error: 'Unknown account: alice' })
  t.strictSame((await usageOf('nemo', token)).body, { error: 'Unknown account: nemo' })

  const { body: all } = await call('GET', '/api/v1/usage')
  t.strictSame(
    all.usage.map(({ username }: { username: string }) => username),
    ['alice', 'bob', 'carol'],
  )
  t.strictSame(all.usage[2], own.usage[0])
})

t.test('a suspended account has its use, a terminated one is unknown', async t => {
  await call('POST', '/api/v1/accounts/bob/suspend')
  t.match((await usageOf('bob')).body, { username: 'bob', bandwidth_used_mb: 2 })
  await call('DELETE', '/api/v1/accounts/bob')
  t.equal((await usageOf('bob')).status, 404)
  const { body } = await call('GET', '/api/v1/usage')
  t.notOk(body.usage.some(({ username }: { username: string }) => username === 'bob'))
})
