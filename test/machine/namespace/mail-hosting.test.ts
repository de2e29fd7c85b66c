import t from 'tap'
import { readInbox, sendMail } from '../../support/line-client.ts'
import { openMailHosting, password, untilReady, writeLookUps } from '../mail-hosting.ts'

// Mail hosting with real Postfix, Dovecot and Rspamd: what is taken, read, and refused.

const { enable } = await openMailHosting(t)
const [joe, ann, bob] = ['joe@alice.example', 'ann@alice.example', 'bob@bob.example'] as const
const [aliceUid, bobUid] = [20_101, 20_102]
const outside = 'eve@outside.example'
const text = (from: string, to: string, subject = 'Hello') =>
  `From: ${from}\nTo: ${to}\nSubject: ${subject}\nMessage-ID: <${Math.random()}@x.example>\n\nHi.\n`

t.test('a mail server that is there is named, and taken over on request', async t => {
  const refused = await enable()
  t.match(refused, { code: 1, stderr: /has a mail server already: .*postfix/ })
  const done = await enable('--take-over', '--json')
  t.equal(done.code, 0, done.stderr)
  t.match(done.json(), { mail: { host: 'mail.example.net' } })
  t.ok(await untilReady())
  await writeLookUps({
    mailboxes: [
      { address: joe, uid: aliceUid },
      { address: ann, uid: aliceUid },
      { address: bob, uid: bobUid },
    ],
    aliases: { 'info@alice.example': joe },
  })
})

t.test('a message from outside is accepted, and read by IMAP', async t => {
  const sent = await sendMail({ port: 25, from: outside, to: joe, text: text(outside, joe) })
  t.equal(sent.code, 250, sent.transcript)
  const alias = { port: 25, from: outside, to: 'info@alice.example' }
  t.equal((await sendMail({ ...alias, text: text(outside, alias.to, 'By alias') })).code, 250)
  await new Promise(resolve => setTimeout(resolve, 1_000))
  const { messages, error } = await readInbox(joe, password)
  t.equal(error, undefined)
  t.match(messages.join(''), /Subject: Hello[\s\S]*Subject: By alias/)
})
