import { readdirSync } from 'node:fs'
import t from 'tap'
import { createToken } from '../../../src/model/signing-in/tokens.ts'
import { sendMail } from '../../support/line-client.ts'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { run } from '../machine.ts'
import { homeOf, openMailHosting, password, untilReady } from '../mail-hosting.ts'

// Many messages at once, and the first message of each of many new mailboxes: all are taken, and
// none bounces or is lost.

const { panel, panelCall, enable } = await openMailHosting(t)
const outside = 'eve@outside.example'
const domain = 'alice.example'
const permission = 'Provisioning and hosting'
const { token } = await createToken(panel.pool, { owner: 'admin', name: 'Mail', permission })
let uid = 0

const add = async (address: string) => {
  const body = { mailbox: address, password, quota_mb: 10 }
  const path = '/api/v1/accounts/alice/mailboxes'
  const { status, text } = await panel.call('POST', path, { body, token })
  if (status !== 201) throw new Error(text)
}
const send = (to: string, subject: string, localAddress: string) =>
  sendMail({
    ...{ port: 25, from: outside, to, localAddress },
    text: `From: ${outside}\nTo: ${to}\nSubject: ${subject}\n\nHi.\n`,
  })
const messagesOf = (address: string): number => {
  const folders = ['cur', 'new'].map(name => `${homeOf(address, uid)}/Maildir/${name}`)
  try {
    return folders.flatMap(folder => readdirSync(folder)).length
  } catch {
    return 0 // Dovecot makes the folders with the first message.
  }
}
const waiting = async () => (await run('postqueue', ['-p'])).stdout

t.test('the server has a mail domain', async t => {
  t.equal((await enable('--take-over')).code, 0)
  t.ok(await untilReady())
  const limits = { max_mailboxes: 300, disk_mb: 10_000 }
  await panel.call('PUT', '/api/v1/packages/starter', { body: limits })
  t.match(await panel.call('POST', '/api/v1/accounts', { body: alice }), { status: 201 })
  const found = await panel.pool.query(`select uid from panel.accounts where username = 'alice'`)
  uid = found.rows[0].uid
  t.equal((await panelCall(['mail', 'domain', 'add', 'alice', domain])).code, 0)
  await add(`first@${domain}`)
  await panel.pool.query(`select panel.record_mail_domain_seen($1, 'mx')`, [domain])
  const isTaken = async () => (await send(`first@${domain}`, 'x', '127.0.0.1')).code === 250
  t.ok(await until(isTaken, 30_000))
  t.ok(await until(() => messagesOf(`first@${domain}`) === 1, 30_000))
})

t.test('100 messages at once from 20 servers are taken and delivered', async t => {
  const to = `first@${domain}`
  const before = messagesOf(to)
  const sent = await Promise.all(
    Array.from({ length: 100 }, (_, n) => send(to, `At once ${n}`, `127.0.1.${1 + (n % 20)}`)),
  )
  const codes = Object.groupBy(sent, ({ text }) => text.slice(0, 60))
  t.equal(sent.filter(({ code }) => code === 250).length, 100, Object.keys(codes).join('\n'))
  await until(() => messagesOf(to) >= before + 100, 60_000)
  t.equal(messagesOf(to), before + 100)
})

t.test('one server that opens many connections gets 421, and others are served', async t => {
  const to = `first@${domain}`
  const flood = Array.from({ length: 60 }, (_, n) => send(to, `Flood ${n}`, '127.0.2.1'))
  const other = await send(to, 'Meanwhile', '127.0.2.2')
  t.equal(other.code, 250, other.transcript)
  const answers = await Promise.all(flood)
  const others = answers.filter(({ code }) => code !== 250)
  t.not(others.length, 0)
  for (const { text } of others) t.match(text, /^421 4\.7\.0 .*too many connections/)
})

t.test('the first message of each of 200 new mailboxes is taken, and can be read', async t => {
  const all = Array.from({ length: 200 }, (_, n) => `new${n}@${domain}`)
  for (const [n, address] of all.entries()) {
    await add(address)
    const { code, transcript } = await send(address, 'First', `127.0.3.${1 + (n % 20)}`)
    if (code !== 250) t.fail(`${address}: ${transcript}`)
  }
  const isWhole = () => all.every(address => messagesOf(address) === 1)
  await until(isWhole, 60_000).catch(() => undefined)
  t.strictSame(
    all.filter(address => messagesOf(address) !== 1),
    [],
  )
  t.match(await waiting(), 'Mail queue is empty', 'nothing waits or bounces')
})
