import t from 'tap'
import type { Plan } from '../../src/model/sellers/plan-limits.ts'
import { setPlan } from '../../src/model/sellers/resellers.ts'
import { waiting } from '../support/at-once.ts'
import { openPanel } from '../support/panel.ts'
import { generous } from '../support/reseller.ts'
import { barrier, until } from '../support/until.ts'
import { isForbidden, openShop } from '../support/api/shop.ts'

// A reseller stays within its plan: in total, and with each of its accounts.

let hold: ReturnType<typeof barrier> | undefined
let failing = false
const panel = await openPanel(t, {
  observe: async (_step, work) => {
    await hold?.pass()
    if (failing) throw new Error('staged')
    await work()
  },
})
const { pool } = panel

/** Half of what `tight` allows, in every dimension. */
const half = { disk_mb: 100, max_sites: 2, memory_mb: 128, cpu_percent: 50 }
const tight: Plan = {
  max_accounts: 2,
  disk_mb: 200,
  max_sites: 4,
  memory_mb: 128,
  cpu_percent: 50,
}
const sentences: Record<keyof Plan, RegExp> = {
  max_accounts: /plan allows 2 accounts$/,
  disk_mb: /plan allows 200 MB of disk in total$/,
  max_sites: /plan allows 4 websites in total$/,
  memory_mb: /plan allows 128 MB of memory per account$/,
  cpu_percent: /plan allows 50 percent of CPU per account$/,
}
const dimensions = ['disk_mb', 'max_sites', 'memory_mb', 'cpu_percent'] as const

t.test('without a plan no account can be made, but the catalogue may be prepared', async t => {
  const shop = await openShop(panel, 'unplanned', null)
  t.equal((await shop.put('half', half)).status, 201)
  t.equal((await shop.put('half', { disk_mb: 50 })).status, 200)
  const refused = await shop.create('nobody1', 'half', 'first')
  isForbidden(t, refused, /have no plan$/)
  await setPlan(pool, 'unplanned', tight)
  const again = await shop.create('nobody1', 'half', 'first')
  t.strictSame([again.status, again.text], [403, refused.text], 'a refusal is recorded')
  t.equal((await shop.create('nobody1', 'half')).status, 201)

  await shop.put('other', { ...half, disk_mb: 1 })
  await pool.query(
    `update panel.sellers set max_accounts = null, disk_mb = null, max_sites = null,
       memory_mb = null, cpu_percent = null
     where id = (select seller_id from panel.operators where name = 'unplanned')`,
  )
  isForbidden(t, await shop.change('nobody1', 'other'), /have no plan$/)
  isForbidden(t, await shop.put('half', { disk_mb: 1 }), /have no plan$/)
})

t.test('websites count that a smaller package has left behind', async t => {
  const shop = await openShop(panel, 'leaver', { ...tight, max_sites: 1 })
  const create = (username: string, packageName: string) => {
    const about = { password: 'correct horse battery', email: 'someone@example.com' }
    const domain = `${username}.example`
    return shop.ask('POST', '/accounts', { username, ...about, package: packageName, domain })
  }
  await shop.put('one', { ...half, max_sites: 1 })
  t.equal((await create('left1', 'one')).status, 201)
  t.equal((await shop.put('one', { max_sites: 0 })).status, 200)
  t.equal((await shop.change('left1', 'one')).status, 200, 'who stays may stay')
  await shop.put('more', { ...half, max_sites: 1 })
  isForbidden(t, await create('left2', 'more'), /plan allows 1 website in total$/)
})

t.test('a package beyond the plan is refused when it is put', async t => {
  const shop = await openShop(panel, 'ceilings', tight)
  const { max_accounts: _, ...max } = tight
  t.equal((await shop.put('most', max)).status, 201, 'all of the plan for one account')
  isForbidden(t, await shop.put('defaults', { disk_mb: 1, max_sites: 1 }), sentences.memory_mb)
  for (const dimension of dimensions) {
    const beyond = { [dimension]: max[dimension] + 1 }
    isForbidden(t, await shop.put(`more ${dimension}`, { ...max, ...beyond }), sentences[dimension])
    t.equal((await shop.get(`/packages/more ${dimension}`)).status, 404)
    isForbidden(t, await shop.put('most', beyond), sentences[dimension])
  }
  t.match((await shop.get('/packages/most')).body, max)
  // A reseller beyond a smaller plan may come nearer to it.
  await setPlan(pool, 'ceilings', { ...tight, memory_mb: 64, disk_mb: 100 })
  t.equal((await shop.put('most', { sftp: false })).status, 200)
  t.equal((await shop.put('most', { memory_mb: 127 })).status, 200)
  isForbidden(t, await shop.put('most', { memory_mb: 128 }), /plan allows 64 MB of memory/)
})

t.test('the plan can be used to its last bit, and not further', async t => {
  const shop = await openShop(panel, 'exact', { ...tight, memory_mb: 129, cpu_percent: 51 })
  await shop.put('half', half)
  for (const dimension of dimensions) {
    const one = { [dimension]: half[dimension] + 1 }
    t.equal((await shop.put(`more ${dimension}`, { ...half, ...one })).status, 201)
  }
  await setPlan(pool, 'exact', tight)
  for (const name of ['exact1', 'exact2']) {
    t.equal((await shop.create(name, 'half')).status, 201)
  }
  isForbidden(t, await shop.create('exact3', 'half'), sentences.max_accounts)
  const { body: before } = await shop.get('/packages/half')
  for (const dimension of dimensions) {
    const one = { [dimension]: half[dimension] + 1 }
    isForbidden(t, await shop.put('half', one), sentences[dimension])
    isForbidden(t, await shop.change('exact1', `more ${dimension}`), sentences[dimension])
    // An administrator's request does not exceed it either.
    const asked = await shop.change('exact1', `more ${dimension}`, panel.token)
    isForbidden(t, asked, sentences[dimension])
  }
  t.strictSame((await shop.get('/packages/half')).body, before)
  t.match(await shop.get('/accounts/exact1'), { body: { package: 'half' } })

  await shop.ask('DELETE', '/accounts/exact2')
  for (const dimension of ['memory_mb', 'cpu_percent'] as const) {
    isForbidden(t, await shop.create('exact3', `more ${dimension}`), sentences[dimension])
  }
  for (const dimension of ['disk_mb', 'max_sites'] as const) {
    await shop.put('much', { ...half, [dimension]: half[dimension] + 1 })
    isForbidden(t, await shop.create('exact3', 'much'), sentences[dimension])
    await shop.put('much', half)
  }
  t.equal((await shop.create('exact3', 'much')).status, 201, 'a place that was freed')
})

t.test('a package counts from the moment that a change to it was accepted', async t => {
  const shop = await openShop(panel, 'waiting', { ...generous, disk_mb: 300 })
  await shop.put('small', { disk_mb: 100 })
  await shop.put('large', { disk_mb: 200 })
  await shop.create('waiting1', 'small')
  const barred = (hold = barrier())
  const suspended = shop.ask('POST', '/accounts/waiting1/suspend')
  await barred.stopped
  const changed = shop.change('waiting1', 'large')
  await until(async () => {
    const { rowCount } = await pool.query(
      `select from panel.operations where state = 'blocked' and username = 'waiting1'`,
    )
    return rowCount === 1
  })
  isForbidden(t, await shop.put('large', { disk_mb: 301 }), /300 MB/)
  t.match(await shop.ask('DELETE', '/packages/large'), { status: 400, body: { error: /uses/ } })
  await shop.put('medium', { disk_mb: 101 })
  isForbidden(t, await shop.create('waiting2', 'medium'), /300 MB/)
  barred.open()
  hold = undefined
  t.equal((await suspended).status, 200)
  t.equal((await changed).status, 200)
})

t.test('while a package is changed, what it was and what it becomes are both kept', async t => {
  const shop = await openShop(panel, 'moving', { ...generous, disk_mb: 300 })
  await shop.put('small', { disk_mb: 100 })
  await shop.put('large', { disk_mb: 200 })
  t.equal((await shop.create('moving1', 'large')).status, 201)
  const barred = (hold = barrier())
  const changed = shop.change('moving1', 'small')
  await barred.stopped
  await shop.put('medium', { disk_mb: 150 })
  isForbidden(t, await shop.create('moving2', 'medium'), /300 MB/)
  isForbidden(t, await shop.put('large', { disk_mb: 301 }), /300 MB/)
  isForbidden(t, await shop.put('small', { disk_mb: 301 }), /300 MB/)
  t.match(await shop.ask('DELETE', '/packages/large'), { status: 400, body: { error: /uses/ } })
  failing = true
  barred.open()
  t.equal((await changed).status, 500)
  failing = false
  hold = undefined
  t.match(await shop.get('/accounts/moving1'), { body: { package: 'large' } })
  t.equal((await shop.change('moving1', 'small')).status, 200)
  t.equal((await shop.create('moving2', 'medium')).status, 201, 'now there is room')
  t.equal((await shop.ask('DELETE', '/packages/large')).status, 200)
})

t.test('a package that is deleted during a change to it is not offered any more', async t => {
  const shop = await openShop(panel, 'gone', generous)
  await shop.put('kept', {})
  await shop.put('going', {})
  await shop.create('gone1', 'kept')
  // Holds the change up between its look at the package and its lock.
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query(
    `select from panel.sellers s join panel.operators o on o.seller_id = s.id
     where o.name = 'gone' for no key update of s`,
  )
  const changed = shop.change('gone1', 'going')
  await until(async () => (await waiting(pool)) === 1)
  t.equal((await shop.ask('DELETE', '/packages/going')).status, 200)
  await holder.query('commit')
  holder.release()
  t.match(await changed, { status: 400, body: { error: 'package is no longer offered' } })
})

t.test('a reseller beyond a smaller plan may come nearer to it', async t => {
  const shop = await openShop(panel, 'shrunk', generous)
  await shop.put('large', { disk_mb: 400, max_sites: 8, memory_mb: 1_024, cpu_percent: 400 })
  await shop.put('medium', { disk_mb: 300, max_sites: 6, memory_mb: 512, cpu_percent: 200 })
  await shop.put('half', half)
  await shop.put('wide', { ...half, memory_mb: 129 })
  for (const n of [1, 2, 3]) await shop.create(`shrunk${n}`, 'large')
  await setPlan(pool, 'shrunk', { ...tight, max_accounts: 9, disk_mb: 700, max_sites: 14 })
  isForbidden(t, await shop.create('shrunk4', 'half'), /700 MB/)
  t.equal((await shop.put('large', { disk_mb: 399 })).status, 200)
  isForbidden(t, await shop.put('large', { disk_mb: 400 }), /700 MB/)
  t.equal((await shop.change('shrunk1', 'medium')).status, 200)
  isForbidden(t, await shop.change('shrunk1', 'large'), /700 MB/)
  for (const n of [2, 3]) t.equal((await shop.change(`shrunk${n}`, 'half')).status, 200)
  // One account still exceeds the limits for each; that does not stop others that don't.
  t.equal((await shop.create('shrunk4', 'half')).status, 201)
  isForbidden(t, await shop.put('medium', { memory_mb: 513 }), /128 MB of memory/)
  isForbidden(t, await shop.change('shrunk4', 'wide'), /128 MB of memory/)
})
