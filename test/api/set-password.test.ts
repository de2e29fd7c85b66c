import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { verify } from 'unixcrypt'
import { alice, openPanel } from '../support/panel.ts'

let failing = false
const panel = await openPanel(t, {
  observe: async (step, work) => {
    await work()
    if (failing && step === 'user') throw new Error('staged')
  },
})
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })

const shadow = async () => {
  const line = /^alice:.*$/m.exec(await readFile(join(panel.root, 'etc/shadow'), 'utf8'))?.[0] ?? ''
  return line.split(':')[1] ?? ''
}
const set = (password: string, key?: string) =>
  call('PUT', '/api/v1/accounts/alice/password', {
    body: { password },
    ...(key === undefined ? {} : { key }),
  })

t.test('the machine gets the hash of the new password', async t => {
  t.ok(verify(alice.password, await shadow()))
  t.match(await set('a new password', 'one'), { status: 200, body: { username: 'alice' } })
  t.ok(verify('a new password', await shadow()))
})

t.test('every character that is no control character works', async t => {
  const password = `' " \\ $(id) \`id\` %s : ; & | < > ä € 𝄞 ${'x'.repeat(60)}`
  t.equal((await set(password)).status, 200)
  t.ok(verify(password, await shadow()))
})

t.test('a change that fails leaves the old password', async t => {
  const before = await shadow()
  failing = true
  t.equal((await set('never', 'two')).status, 400, 'too short')
  t.equal((await set('never set', 'three')).status, 500)
  failing = false
  t.equal(await shadow(), before)
})

t.test('a password set while suspended stays locked', async t => {
  await call('POST', '/api/v1/accounts/alice/suspend')
  t.match(await set('set while suspended'), { status: 200, body: { state: 'suspended' } })
  t.match(await shadow(), /^!/)
  await call('POST', '/api/v1/accounts/alice/unsuspend')
  t.ok(verify('set while suspended', await shadow()))
})

t.test('no clear password and no hash stays behind in the requests', async t => {
  const { rows } = await pool.query('select o::text as text from panel.operations o')
  t.notMatch(JSON.stringify(rows), /a new password|set while suspended|\$6\$/)
})
