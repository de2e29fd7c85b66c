import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'

// An operation has nothing to do only if desired and applied agree.

let failing: (step: string) => boolean = () => false
let steps: string[] = []
const panel = await openPanel(t, {
  observe: async (step, work) => {
    steps.push(step)
    if (failing(step)) throw new Error('staged')
    await work()
  },
})
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })
const events = async () => (await pool.query('select name from panel.events offset 2')).rows
const website = () => {
  const sites = join(panel.root, 'var/lib/panel/web/sites')
  return readdirSync(sites).map(name => readlinkSync(join(sites, name)))
}
const active = website()

t.test(
  'a suspend whose apply failed restores what was, and the next one is really done',
  async t => {
    let isFirst = true
    failing = step => step === 'end processes' && isFirst && !(isFirst = false)
    const failed = await call('POST', '/api/v1/accounts/alice/suspend', { key: 'one' })
    t.equal(failed.status, 500)
    t.match(await call('GET', '/api/v1/accounts/alice'), { body: { state: 'active' } })
    t.strictSame(website(), active)
    t.strictSame(await events(), [])

    const repeat = await call('POST', '/api/v1/accounts/alice/suspend', { key: 'one' })
    t.match(repeat, { status: 200, body: { state: 'suspended' } })
    t.match(website(), [/suspended/])
    t.strictSame(await events(), [{ name: 'account.suspended' }])
  },
)

t.test(
  'an unsuspend that can neither be done nor undone is really done by the next one',
  async t => {
    failing = () => true
    const failed = await call('POST', '/api/v1/accounts/alice/unsuspend', { key: 'two' })
    t.equal(failed.status, 500)
    const { rows } = await pool.query('select desired, state, is_applied from panel.accounts')
    t.strictSame(rows, [{ desired: 'suspended', state: 'suspended', is_applied: false }])

    failing = () => false
    steps = []
    const suspended = await call('POST', '/api/v1/accounts/alice/suspend', { key: 'three' })
    t.match(suspended, { status: 200, body: { state: 'suspended' } })
    t.ok(steps.includes('quota'), 'all of it is looked after, as the difference is unknown')
    t.strictSame(await events(), [{ name: 'account.suspended' }], 'it was suspended all along')
    const repeat = await call('POST', '/api/v1/accounts/alice/unsuspend', { key: 'two' })
    t.match(repeat, { status: 200, body: { state: 'active', suspended_at: null } })
    t.strictSame(website(), active)
    t.strictSame(await events(), [{ name: 'account.suspended' }, { name: 'account.unsuspended' }])
  },
)

t.test('a machine that agrees keeps limits and keys unlooked at', async t => {
  steps = []
  await call('POST', '/api/v1/accounts/alice/suspend')
  const jobs = ['suspend cron', 'end processes', 'suspend cron again']
  t.strictSame(steps, ['user', 'lock', 'websites', 'stop php', 'stop mail', ...jobs, 'home'])
  steps = []
  await call('POST', '/api/v1/accounts/alice/unsuspend')
  t.strictSame(steps, ['user', 'home', 'php', 'websites', 'unlock', 'mail', 'cron'])
})

t.test('an account that lacked something is looked after as a whole', async t => {
  const warning = { code: 'disk_not_limited', sentence: 'The disk limit is not enforced' }
  await pool.query('update panel.accounts set warnings = $1', [JSON.stringify([warning])])
  steps = []
  const suspended = await call('POST', '/api/v1/accounts/alice/suspend')
  t.ok(steps.includes('quota'))
  t.strictSame(suspended.body.warnings, [], 'the cause is gone')
  await call('POST', '/api/v1/accounts/alice/unsuspend')
})

t.test('suspend of a suspended account changes nothing and emits nothing', async t => {
  const first = await call('POST', '/api/v1/accounts/alice/suspend', { body: { reason: 'late' } })
  failing = () => true
  const second = await call('POST', '/api/v1/accounts/alice/suspend', { body: { reason: 'other' } })
  failing = () => false
  t.equal(second.status, 200)
  t.equal(second.text, first.text)
  t.equal((await events()).length, 7)
})
