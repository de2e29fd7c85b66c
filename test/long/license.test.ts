import { mkdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { atOnce } from '../support/at-once.ts'
import { inMs, vendor } from '../support/cli/licenses.ts'
import { openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { scratch } from '../support/scratch.ts'
import { until } from '../support/until.ts'

// The license file's effect on the API.

const { key, license } = vendor()

/** A panel with a license of the vendor's. */
function panelWith(t: Test, fields: object, hasWorker = false) {
  const file = join(scratch(t), 'license')
  return openPanel(t, {
    hasWorker,
    license: serverId => {
      writeFileSync(file, license({ server_id: serverId, ...fields }))
      return { file, key, isDevelopment: true }
    },
  })
}

const account = (username: string) => ({
  username,
  password: 'correct horse battery',
  email: `${username}@example.com`,
  package: 'starter',
})

t.test(
  'as many of 50 creates at once succeed as the license permits, the others are 402',
  async t => {
    const panel = await panelWith(t, { max_accounts: 7 }, true)
    // Several sellers, because they don't lock each other's plans.
    const shops = ['anna', 'bert', 'carl', 'dora', 'emil', 'fritz', 'gina']
    const resellers = await Promise.all(shops.map(name => makeReseller(panel.pool, name)))
    const sellers = [panel.token, ...resellers.map(({ token }) => token)]
    for (const token of sellers) {
      await panel.call('PUT', '/api/v1/packages/starter', { token, body: {} })
    }
    const create = (name: string, key?: string, token = panel.token) =>
      panel.call('POST', '/api/v1/accounts', {
        token,
        body: account(name),
        ...(key ? { key } : {}),
      })

    const answers = await atOnce(panel.pool, () =>
      Array.from({ length: 50 }, (_, n) =>
        create(`user${n}`, undefined, sellers[n % sellers.length]),
      ),
    )
    const made = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status }) => status === 402)
    t.equal(made.length, 7)
    t.equal(refused.length, 43)
    t.strictSame(refused[0]?.body, { error: 'The license permits 7 accounts' })
    const { rows } = await panel.pool.query(
      `select count(*)::int as n from panel.accounts where state <> 'terminated'`,
    )
    t.strictSame(rows, [{ n: 7 }])

    const first = await create('late', 'late')
    t.equal(first.status, 402)
    const again = await create('late', 'late')
    t.match(again, { status: 402, text: first.text })
    t.equal(again.headers.get('idempotent-replayed'), 'true', 'a 402 is a recorded answer')

    // Terminating an account frees its place at once.
    await panel.call('DELETE', `/api/v1/accounts/${made[0]?.body.username}`)
    t.equal((await create('late')).status, 201)
  },
)

t.test('every call of every token is 403 without a license that counts', async t => {
  const other = { server_id: '00000000-0000-4000-8000-000000000000' }
  for (const fields of [{ expires_at: inMs(-1) }, { plan: 'free' }, other]) {
    const panel = await panelWith(t, fields)
    const answer = await panel.call('GET', '/api/v1/packages')
    t.match(answer, { status: 403, body: { error: String } }, JSON.stringify(fields))
    t.equal((await panel.call('GET', '/api/v1/packages', { token: 'pnl_none' })).status, 401)
  }
})

t.test('a license that is valid now is not any more once it has expired', async t => {
  const leftMs = 3_000
  const panel = await panelWith(t, { expires_at: inMs(leftMs) })
  const startedAt = Date.now()
  const body = {}
  const put = () => panel.call('PUT', '/api/v1/packages/starter', { body, key: 'the same' })
  t.equal((await put()).status, 201)
  await sleep(Math.max(0, leftMs - (Date.now() - startedAt)))
  t.match(await put(), {
    status: 403,
    body: { error: /^The license has expired: .*panel license install FILE\)$/ },
  })
})

// A folder in the place of the file fails every read with EISDIR, also root's.
t.test('a license that cannot be read counts as it was, and is 503 before it ever was', async t => {
  const folder = scratch(t)
  const [file, away] = [join(folder, 'license'), join(folder, 'away')]
  mkdirSync(file)
  const panel = await openPanel(t, {
    hasWorker: false,
    license: serverId => {
      writeFileSync(away, license({ server_id: serverId }))
      return { file, key, isDevelopment: false }
    },
  })
  const status = async () => (await panel.call('GET', '/api/v1/packages')).status
  const becomes = (desired: number) =>
    until(async () => {
      // Often enough, and below the rate limit.
      await sleep(100)
      return (await status()) === desired
    })
  const unread = await panel.call('GET', '/api/v1/packages')
  t.match(unread, { status: 503, body: { error: /cannot be read right now/ } })
  t.equal(unread.headers.get('retry-after'), '5')

  rmdirSync(file)
  renameSync(away, file)
  await becomes(200)
  renameSync(file, away)
  mkdirSync(file)
  // Longer than it takes to be read again.
  await sleep(6_000)
  t.equal(await status(), 200)

  rmdirSync(file)
  await becomes(403)
  renameSync(away, file)
  await becomes(200)
  writeFileSync(file, 'what is read and is none is none')
  await becomes(403)
})
