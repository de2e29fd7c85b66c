import { chownSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { sendMail } from '../../support/line-client.ts'
import { startSmtpServer } from '../../support/smtp-server.ts'
import { until } from '../../support/until.ts'
import { run } from '../machine.ts'
import { homeOf, openMailHosting, password, untilReady, writeLookUps } from '../mail-hosting.ts'

// Filters of mailboxes that pass mail on, with real daemons: they count towards the limit.

const { enable } = await openMailHosting(t)
const others = await startSmtpServer(t, { host: '127.0.0.9' })
const [bob, uid] = ['bob@bob.example', 20_102] as const
const [outside, remote] = ['eve@outside.example', 'joe@remote.example']
const limited = (limit: number) =>
  writeLookUps({ mailboxes: [{ address: bob, uid }], limits: { [uid]: limit } })
const text = (from: string, to: string) => `From: ${from}\nTo: ${to}\nSubject: Hello\n\nHi.\n`
const receive = () => sendMail({ port: 25, from: outside, to: bob, text: text(outside, bob) })
const waiting = async () => (await run('postqueue', ['-p'])).stdout

t.test('mail that a filter passes on counts, and waits once the limit is reached', async t => {
  t.equal((await enable('--take-over')).code, 0)
  t.ok(await untilReady())
  await run('postconf', ['-e', `relayhost = [127.0.0.9]:${others.port}`])
  await run('postfix', ['reload'])
  await limited(1)
  const script = `${homeOf(bob, uid)}/.dovecot.sieve`
  writeFileSync(script, `redirect "${remote}";`)
  chownSync(script, uid, uid)
  t.equal((await receive()).code, 250)
  t.ok(await until(() => others.received.length === 1, 20_000))
  t.match(others.received[0], { from: bob, to: [remote] })
  t.equal((await receive()).code, 250)
  t.ok(await until(async () => (await waiting()).includes(bob), 20_000))
  t.equal(others.received.length, 1)
  const login = { user: bob, password }
  const sent = { port: 587, from: bob, to: remote, login, text: text(bob, remote) }
  t.match(await sendMail(sent), { code: 450 }, 'the limit is that of the account')
})

t.test('a waiting message is passed on later', async t => {
  // Dovecot has seconds to see the change.
  await sleep(1_100)
  await limited(2)
  await run('postqueue', ['-f'])
  t.ok(await until(() => others.received.length === 2, 20_000))
  t.ok(await until(async () => (await waiting()).includes('Mail queue is empty'), 20_000))
})
