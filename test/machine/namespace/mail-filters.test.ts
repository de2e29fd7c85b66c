import { chownSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

t.test('addresses elsewhere that an alias leads to count for its account', async t => {
  const [alias, ann] = ['all@bob.example', 'ann@ann.example'] as const
  const annUid = 20_103
  const targets = Array.from({ length: 5 }, (_, n) => `u${n}@remote.example`)
  const write = async (limit: number) => {
    await sleep(1_100)
    await writeLookUps({
      mailboxes: [
        { address: bob, uid },
        { address: ann, uid: annUid },
      ],
      aliases: { [alias]: targets.join(', ') },
      limits: { [uid]: limit },
    })
    writeFileSync('/etc/panel-mail/forwards', `${alias} ${uid} ${limit} 5\n`)
  }
  rmSync(`${homeOf(bob, uid)}/.dovecot.sieve`)
  rmSync(`/var/lib/panel-submit/${uid}`)
  await write(7)
  const before = others.received.length
  const toAlias = { port: 25, from: outside, to: alias, text: text(outside, alias) }
  t.equal((await sendMail(toAlias)).code, 250)
  t.ok(await until(() => others.received.length > before, 20_000))
  t.strictSame(
    others.received
      .slice(before)
      .flatMap(({ to }) => to)
      .sort(),
    targets,
  )
  t.match(await sendMail(toAlias), { code: 450, text: /limit of 7 recipients an hour/ })
  t.equal((await sendMail({ ...toAlias, to: 'all+tag@bob.example' })).code, 450)
  // Its neighbour sends; to the alias, no more than its account may.
  const byAnn = { port: 587, from: ann, login: { user: ann, password } }
  t.equal((await sendMail({ ...byAnn, to: remote, text: text(ann, remote) })).code, 250)
  t.match(await sendMail({ ...byAnn, to: alias, text: text(ann, alias) }), { code: 450 })
  // A message of its own mailbox counts as many as it leads to.
  rmSync(`/var/lib/panel-submit/${uid}`)
  const byBob = { port: 587, from: bob, login: { user: bob, password } }
  t.equal((await sendMail({ ...byBob, to: alias, text: text(bob, alias) })).code, 250)
  const counts = readFileSync(`/var/lib/panel-submit/${uid}`, 'utf8').trim().split('\n')
  t.equal(
    counts.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0),
    5,
  )
})
