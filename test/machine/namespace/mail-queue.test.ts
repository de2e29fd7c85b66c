import t from 'tap'
import { sendMail } from '../../support/line-client.ts'
import { alice } from '../../support/panel.ts'
import { startSmtpServer } from '../../support/smtp-server.ts'
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

const queued = async () => {
  const { stdout } = await run('postqueue', ['-j'])
  return stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as { queue_id: string; queue_name: string; sender: string })
}
const queueOf = async (name: string) =>
  (await queued()).find(({ sender }) => sender === `info@${name}.example`)?.queue_name

t.test('a suspension holds them, and its mailbox cannot log in to send', async t => {
  t.match(await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} }), { status: 200 })
  t.equal(await queueOf('alice'), 'hold')
  t.equal(await queueOf('bob'), 'deferred')
  t.match(await send('alice'), { code: 535 })
  await run('postqueue', ['-f'])
  t.equal(await queueOf('alice'), 'hold')
})

t.test('they go out when the account is active again', async t => {
  const others = await startSmtpServer(t, { host: '127.0.0.9' })
  await run('postconf', ['-e', `relayhost = [127.0.0.9]:${others.port}`])
  await run('postfix', ['reload'])
  const unsuspended = await panel.call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })
  t.match(unsuspended, { status: 200 })
  t.ok(await until(() => others.received.length > 0, 20_000))
  t.match(others.received[0], { from: 'info@alice.example', to: [remote] })
  await run('postconf', ['-e', 'relayhost = [127.0.0.9]:9'])
  await run('postfix', ['reload'])
  await send('alice')
  t.ok(await until(async () => (await queueOf('alice')) === 'deferred', 20_000))
})

t.test('an administrator has messages tried again, and deletes them', async t => {
  const others = await startSmtpServer(t, { host: '127.0.0.9' })
  await send('bob')
  t.ok(await until(async () => (await queued()).length === 3, 20_000))
  const ofBob = (await queued()).filter(({ sender }) => sender === 'info@bob.example')
  const [first, second] = ofBob.map(one => one.queue_id) as [string, string]
  await run('postconf', ['-e', `relayhost = [127.0.0.9]:${others.port}`])
  await run('postfix', ['reload'])
  const retried = await panelCall(['mail', 'queue', 'retry', first, 'AAAAAAAA', '--json'])
  t.strictSame(retried.json(), { retried: [first] }, retried.stderr)
  t.ok(await until(() => others.received.length > 0, 20_000))
  const words = ['mail', 'queue', 'delete', second]
  t.match(await panelCall(words), { code: 1 }, 'it asks first')
  t.strictSame((await panelCall([...words, '--yes', '--json'])).json(), { deleted: [second] })
  t.strictSame((await panelCall([...words, '--yes', '--json'])).json(), { deleted: [] })
  for (const id of ['ALL', '-d', 'A;id', '../x']) {
    t.match(await panelCall(['mail', 'queue', 'delete', '--yes', '--', id]), { code: 2 }, id)
  }
  await run('postconf', ['-e', 'relayhost = [127.0.0.9]:9'])
  await run('postfix', ['reload'])
  await send('bob')
  t.ok(await until(async () => (await queueOf('bob')) === 'deferred', 20_000))
})

t.test('a termination removes those of the account alone', async t => {
  t.match(await panel.call('DELETE', '/api/v1/accounts/alice'), { status: 200 })
  t.notOk((await senders()).includes('info@alice.example'))
  t.ok((await senders()).includes('info@bob.example'))
})

t.test('so it does while Postfix is down', async t => {
  await run('postfix', ['stop'])
  t.match(await panel.call('DELETE', '/api/v1/accounts/bob'), { status: 200 })
  t.strictSame(await senders(), [])
})
