import t from 'tap'
import { sendMail } from '../../support/line-client.ts'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { run } from '../machine.ts'
import { openMailHosting, password, untilReady } from '../mail-hosting.ts'

// Messages that wait in the real Postfix when their account is suspended or terminated.

const { panel, panelCall, enable } = await openMailHosting(t)
const remote = 'joe@remote.example'
const names = ['alice', 'bob']

const senders = async () => {
  const { stdout } = await run('postqueue', ['-j'])
  const lines = stdout.split('\n').filter(Boolean)
  return lines.map(line => (JSON.parse(line) as { sender: string }).sender).sort()
}
const send = (name: string) => {
  const from = `info@${name}.example`
  const login = { user: from, password }
  const text = `From: ${from}\nTo: ${remote}\nSubject: Hello\n\nHi.\n`
  return sendMail({ port: 587, from, to: remote, login, text })
}

t.test('messages wait while nothing takes them', async t => {
  t.equal((await enable('--take-over')).code, 0)
  t.ok(await untilReady())
  // A port on which nothing listens.
  await run('postconf', ['-e', 'relayhost = [127.0.0.9]:9'])
  await run('postfix', ['reload'])
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  for (const username of names) {
    const body = { ...alice, username, domain: `${username}.example` }
    t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)
    const words = [username, `info@${username}.example`]
    t.equal((await panelCall(['mail', 'domain', 'add', username, body.domain])).code, 0)
    const add = ['mail', 'mailbox', 'add', ...words, '--password-stdin']
    t.equal((await panelCall(add, `${password}\n`)).code, 0)
    await panel.pool.query(`select panel.record_mail_domain_seen($1, 'mx')`, [body.domain])
    t.ok(await until(async () => (await send(username)).code === 250, 30_000), username)
  }
  t.ok(await until(async () => (await senders()).length === 2))
})

t.test('a suspension keeps them', async t => {
  t.match(await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} }), { status: 200 })
  t.strictSame(
    await senders(),
    names.map(name => `info@${name}.example`),
  )
})

t.test('a termination removes those of the account alone', async t => {
  t.match(await panel.call('DELETE', '/api/v1/accounts/alice'), { status: 200 })
  t.strictSame(await senders(), ['info@bob.example'])
})

t.test('so it does while Postfix is down', async t => {
  await run('postfix', ['stop'])
  t.match(await panel.call('DELETE', '/api/v1/accounts/bob'), { status: 200 })
  t.strictSame(await senders(), [])
})
