import t from 'tap'
import { isForbidden, openShop } from '../support/api/shop.ts'
import { atOnce } from '../support/at-once.ts'
import { openPanel, type Answer } from '../support/panel.ts'
import { generous } from '../support/reseller.ts'

// A reseller stays within its plan, however much it asks for at once.

const panel = await openPanel(t)
const { pool } = panel

/** Half of what a small plan allows, in every dimension. */
const half = { disk_mb: 100, max_sites: 2, memory_mb: 128, cpu_percent: 50 }

t.test('as many of 50 creates at once succeed as the plan permits', async t => {
  const shop = await openShop(panel, 'rush', { ...generous, max_accounts: 5 })
  await shop.put('half', half)
  const answers = await atOnce(pool, () =>
    Array.from({ length: 50 }, (_, n) => shop.create(`rush${n}`, 'half')),
  )
  t.strictSame(counted(answers), { 201: 5, 403: 45 })
  t.equal((await shop.get('/accounts')).body.accounts.length, 5)
})

t.test('changes, updates and creates at once do not add up to more than the plan', async t => {
  const shop = await openShop(panel, 'mixed', { ...generous, disk_mb: 1_000 })
  const rare = ['rare0', 'rare1', 'rare2', 'rare3']
  for (const name of ['one', ...rare]) await shop.put(name, { disk_mb: 100 })
  await shop.put('two', { disk_mb: 200 })
  for (const [n, packageName] of ['one', 'one', 'one', ...rare].entries()) {
    await shop.create(`mixed${n}`, packageName)
  }
  // 700 MB are used; each of these would take up 100 more.
  const answers = await atOnce(pool, () => [
    ...rare.map(name => shop.put(name, { disk_mb: 200 })),
    ...[0, 1, 2].map(n => shop.change(`mixed${n}`, 'two')),
    ...[7, 8, 9].map(n => shop.create(`mixed${n}`, 'one')),
  ])
  const done = answers.filter(({ status }) => status < 300)
  t.equal(done.length, 3)
  for (const answer of answers) {
    if (!done.includes(answer)) isForbidden(t, answer, /allows 1000 MB of disk in total$/)
  }
  const { body } = await shop.get('/usage')
  t.equal(sum(body.usage.map(({ disk_limit_mb: mb }: { disk_limit_mb: number }) => mb)), 1_000)
})

function counted(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const sum = (numbers: number[]): number => numbers.reduce((all, one) => all + one, 0)
