import t from 'tap'
import { courierOn } from '../support/courier.ts'
import { certificatesOf, makeWorld } from '../support/certificates/world.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// Any error of a tool or a server elsewhere is recorded: a process that could not do so would end,
// and so would each that comes after it.

const zero = 'it was «\0» and no more'
// Steps keep 200 characters of an error: the last one is half of the emoji.
const half = `${'x'.repeat(199)}😀`

let failing: string | undefined
const panel = await openPanel(t, {
  observe: async (_step, work) => {
    if (failing !== undefined) throw new Error(failing)
    await work()
  },
})
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })

for (const [words, error] of Object.entries({ 'a zero byte': zero, 'half a character': half })) {
  t.test(`a request that failed with ${words} can be repeated`, async t => {
    const suspend = () => call('POST', '/api/v1/accounts/alice/suspend', { key: words })
    failing = error
    t.equal((await suspend()).status, 500)
    failing = undefined
    t.match(await suspend(), { status: 200, body: { state: 'suspended' } })
    await call('POST', '/api/v1/accounts/alice/unsuspend')
  })
}

for (const [words, error] of Object.entries({ 'a zero byte': zero, 'half a character': half })) {
  t.test(`a terminate that failed with ${words} goes on`, async t => {
    const username = words.replaceAll(' ', '-')
    await call('POST', '/api/v1/accounts', { body: { ...alice, username, domain: null } })
    failing = error
    const answer = call('DELETE', `/api/v1/accounts/${username}`, { key: username })
    const isDeferred = async () => {
      const { rows } = await pool.query(
        'select from panel.operations where key = $1 and due_at > now() and error is not null',
        [username],
      )
      return rows.length === 1
    }
    await Promise.race([answer, until(isDeferred)])
    failing = undefined
    await pool.query('update panel.operations set due_at = now() where key = $1', [username])
    t.match(await answer, { status: 200, body: { state: 'terminated' } })
  })
}

t.test('an authority that answers with a zero byte ends no courier', async t => {
  await pool.query(`select panel.set_issuing(true, '{}')`)
  const world = await makeWorld()
  const courier = await courierOn(t, panel.databaseUrl, { authority: world })
  world.pointing.add('bob.example')
  world.sign = () => Promise.reject(new Error(zero))
  const { create, find } = certificatesOf(panel)
  await create('bob')
  const failed = until(async () => (await find('bob.example')).error ?? false)
  t.equal(await Promise.race([failed, courier.gaveUp]), 'it was «\ufffd» and no more')
})
