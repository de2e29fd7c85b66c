import t from 'tap'
import { readInbox, sendMail } from '../../support/line-client.ts'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { openMailHosting, password, untilReady } from '../mail-hosting.ts'
import { run } from '../machine.ts'

// Operations while Postfix and Dovecot are down: they succeed, and are true when the daemons start.

const { panel, panelCall, enable } = await openMailHosting(t)
const [joe, zoe] = ['joe@alice.example', 'zoe@zoe.example']
const must = async (words: string[], input?: string) => {
  const result = await panelCall(['mail', ...words], input)
  t.equal(result.code, 0, `${words.join(' ')}: ${result.stderr}`)
}
const addBox = (username: string, address: string) =>
  must(['mailbox', 'add', username, address, '--password-stdin'], `${password}\n`)
const send = (to: string) =>
  sendMail({
    ...{ port: 25, from: 'eve@outside.example', to },
    text: `From: eve@outside.example\nTo: ${to}\nSubject: Hello\n\nHi.\n`,
  })
const opens = async (address: string) => (await readInbox(address, password)).error === undefined
const down = () => run('sh', ['-c', 'postfix stop; doveadm stop'])
const up = async () => {
  await run('sh', ['-c', 'postfix start; dovecot </dev/null >/dev/null 2>&1'])
  await untilReady()
}
const account = async (method: string, path: string, body?: object) => {
  const begunAt = performance.now()
  const answer = await panel.call(method, `/api/v1/accounts${path}`, body ? { body } : {})
  t.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
  t.ok(performance.now() - begunAt < 10_000, 'it does not wait for them')
}

t.test('two accounts have mailboxes', async t => {
  t.equal((await enable('--take-over')).code, 0)
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  await account('POST', '', alice)
  await account('POST', '', { ...alice, username: 'zoe', domain: 'zoe.example' })
  for (const [username, address] of [
    ['alice', joe],
    ['zoe', zoe],
  ] as const) {
    await must(['domain', 'add', username, `${username}.example`])
    await addBox(username, address)
    await panel.pool.query(`select panel.record_mail_domain_seen($1, 'mx')`, [
      `${username}.example`,
    ])
  }
  t.ok(await untilReady())
  for (const one of [joe, zoe]) {
    t.ok(await until(async () => (await send(one)).code === 250, 30_000), one)
    t.ok(await opens(one))
  }
})

t.test('a suspension and a termination while they are down', async t => {
  await down()
  await account('POST', '/alice/suspend', {})
  await account('DELETE', '/zoe')
  await up()
  t.notOk(await opens(joe), 'suspended from the start')
  t.equal((await send(joe)).code, 250, 'and its mail is kept')
  t.notOk(await opens(zoe))
  t.ok((await send(zoe)).code >= 550)
})

t.test('changes while they are down', async t => {
  await down()
  await account('POST', '/alice/unsuspend', {})
  await addBox('alice', 'new@alice.example')
  await must(['mailbox', 'rm', 'alice', joe, '--yes'])
  await up()
  t.ok(await opens('new@alice.example'))
  t.equal((await send('new@alice.example')).code, 250)
  t.notOk(await opens(joe))
  t.equal((await send(joe)).code, 550)
})

t.test('a suspension after both were killed, which leaves the files of their numbers', async t => {
  await run('sh', ['-c', 'kill -KILL $(cat /run/dovecot/master.pid)'])
  await run('sh', ['-c', 'kill -KILL $(cat /var/spool/postfix/pid/master.pid)'])
  await account('POST', '/alice/suspend', {})
  await must(['domain', 'add', 'alice', 'other.example'])
  await up()
  t.notOk(await opens('new@alice.example'))
})
