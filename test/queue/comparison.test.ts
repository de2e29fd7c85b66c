import * as fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ensureLink } from '../../src/host/tools/files.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// Files that a start of the machine has lost are put right by the first worker after it.

const panel = await openPanel(t, { hasWorker: false })
const note = join(panel.root, 'var/lib/panel/compared')
const web = join(panel.root, 'var/lib/panel/web')
const thisStart = () => fs.readFileSync(note, 'utf8')

/** As if the note had been made before the machine was started. */
const restartMachine = () => fs.writeFileSync(note, 'an earlier start\n')
const isNoted = (start: string) => () => fs.readFileSync(note, 'utf8') === start

/** Has a worker run until the machine is compared. */
async function compared(start: string): Promise<void> {
  const worker = await panel.startWorker()
  await until(isNoted(start))
  await worker.stop()
}

const linkOf = async (username: string, part: 'sites' | 'names') => {
  const { rows } = await panel.pool.query<{ id: string }>(
    `select s.id from panel.sites s join panel.accounts a on a.id = s.account_id
     where a.username = $1`,
    [username],
  )
  const number = String(rows[0]?.id).padStart(10, '0')
  return join(web, part, part === 'sites' ? number : `${username}.example`)
}
const rebuilds = async () => {
  const { rows } = await panel.pool.query<{ username: string; state: string; differed: string[] }>(
    `select username, state, differed from panel.operations
     where differed is not null order by username`,
  )
  return rows
}
const forgetRebuilds = () =>
  panel.pool.query(`delete from panel.operations where differed is not null`)

let start = ''

t.test('a machine without a note is not compared', async t => {
  const worker = await panel.startWorker()
  await until(() => fs.existsSync(note))
  start = thisStart()
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  for (const username of ['alice', 'bob', 'carol']) {
    const body = { ...alice, username, domain: `${username}.example` }
    t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)
  }
  await panel.call('POST', '/api/v1/accounts/bob/suspend', { body: {} })
  await worker.stop()
})

/** Damages that a power cut may do. */
async function damage(): Promise<{ lost: string; held: string; orphan: string }> {
  const lost = await linkOf('alice', 'names')
  const held = await linkOf('bob', 'sites')
  const orphan = join(web, 'names/missing.example')
  fs.rmSync(lost)
  ensureLink(held, fs.readlinkSync(held).replace('suspended', 'live'))
  ensureLink(orphan, '../sites/0000099999')
  return { lost, held, orphan }
}

async function showWhole(t: Test, { lost, held, orphan }: Awaited<ReturnType<typeof damage>>) {
  t.match(fs.readlinkSync(lost), /sites/)
  t.match(fs.readlinkSync(held), /suspended/, 'who is suspended stays so')
  t.notOk(fs.lstatSync(orphan, { throwIfNoEntry: false }))
}

t.test('differences after a start are put right, and nothing else is touched', async t => {
  const damaged = await damage()
  restartMachine()
  await compared(start)
  await showWhole(t, damaged)
  t.match(await rebuilds(), [
    { username: 'alice', state: 'done', differed: [/names\/alice\.example was missing/] },
    { username: 'bob', state: 'done', differed: [/sites\/.* was different/] },
  ])
  t.equal((await rebuilds()).length, 2)
  await forgetRebuilds()
})

t.test('where all agrees no operation begins', async t => {
  restartMachine()
  await compared(start)
  t.strictSame(await rebuilds(), [])
})

t.test('once after a start: what is changed by hand later is left to a rebuild', async t => {
  const { lost, held, orphan } = await damage()
  const worker = await panel.startWorker()
  // It has worked for a while.
  await panel.call('POST', '/api/v1/accounts/carol/suspend', { body: {} })
  await panel.call('POST', '/api/v1/accounts/carol/unsuspend', { body: {} })
  await worker.stop()
  t.notOk(fs.lstatSync(lost, { throwIfNoEntry: false }))
  t.strictSame(await rebuilds(), [])
  restartMachine()
  await compared(start)
  await showWhole(t, { lost, held, orphan })
  await forgetRebuilds()
})

t.test('a worker that ends meanwhile leaves the rest to the next', async t => {
  const damaged = await damage()
  restartMachine()
  const reached = Promise.withResolvers<void>()
  const hold = Promise.withResolvers<void>()
  const worker = await panel.startWorker(async (step, work) => {
    if (step === 'websites') {
      reached.resolve()
      await hold.promise
    }
    await work()
  })
  await reached.promise
  const stopped = worker.stop()
  hold.resolve()
  await stopped
  t.notOk(isNoted(start)())
  await compared(start)
  await showWhole(t, damaged)
  await forgetRebuilds()
})

t.test('a row that does not fit keeps no other from being put right', async t => {
  await panel.pool.query(`update panel.accounts set uid = 7 where username = 'carol'`)
  const damaged = await damage()
  restartMachine()
  await compared(start)
  await showWhole(t, damaged)
  t.strictSame(
    (await rebuilds()).map(({ username }) => username),
    ['alice', 'bob'],
  )
})
