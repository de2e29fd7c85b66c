import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openLines, readInbox, sendMail } from '../../support/line-client.ts'
import { startSmtpServer } from '../../support/smtp-server.ts'
import { until } from '../../support/until.ts'
import { asUser, run } from '../machine.ts'
import { homeOf, type LookUps, openMailHosting, password } from '../mail-hosting.ts'
import { untilReady, writeLookUps } from '../mail-hosting.ts'

// Mail hosting with real Postfix, Dovecot and Rspamd: what is taken, read, signed and refused.

const { enable, panelCall } = await openMailHosting(t)
const [joe, ann, bob] = ['joe@alice.example', 'ann@alice.example', 'bob@bob.example'] as const
const [aliceUid, bobUid] = [20_101, 20_102]
const [outside, remote] = ['eve@outside.example', 'joe@remote.example']
const login = { user: joe, password }
const loginPorts = [465, 587]
const others = await startSmtpServer(t, { host: '127.0.0.9' })

const text = (from: string, to: string, subject = 'Hello') =>
  `From: ${from}\nTo: ${to}\nSubject: ${subject}\nMessage-ID: <${Math.random()}@x.example>\n\nHi.\n`

const lookUps = {
  mailboxes: [
    { address: joe, uid: aliceUid },
    { address: ann, uid: aliceUid, quotaKb: 200 },
    { address: bob, uid: bobUid },
  ],
  aliases: { 'info@alice.example': joe, 'away@alice.example': remote },
  limits: { [bobUid]: 3 },
  selectors: { 'alice.example': 'p202611' },
} satisfies LookUps

/** Sends a message of joe to the world. */
const send = (changes: Partial<Parameters<typeof sendMail>[0]> = {}) =>
  sendMail({ port: 587, from: joe, to: remote, login, text: text(joe, remote), ...changes })
/** Sends a message from outside. */
const receive = (to: string, changes: Partial<Parameters<typeof sendMail>[0]> = {}) =>
  sendMail({ port: 25, from: outside, to, text: text(outside, to), ...changes })
const arrivedAt = (address: string, subject: string) =>
  until(async () => (await readInbox(address, password)).messages.join('').includes(subject))

const listening = async (port: number) =>
  (await run('ss', ['-Hltn', `sport = ${port}`])).stdout.replaceAll(/ +/g, ' ')

t.test('a mail server that is there is named, and taken over on request', async t => {
  // As Debian's package sets it up for a server that only sends.
  execFileSync('postconf', ['-e', 'inet_interfaces = loopback-only', 'inet_protocols = ipv4'])
  execFileSync('postfix', ['start'], { stdio: 'ignore' })
  t.match(await listening(25), ' 127.0.0.1:25 ')
  const refused = await enable()
  t.match(refused, { code: 1, stderr: /has a mail server already: .*postfix/ })
  const done = await enable('--take-over', '--json')
  t.equal(done.code, 0, done.stderr)
  t.match(done.json(), { mail: { host: 'mail.example.net' } })
  t.match(await listening(25), ' 0.0.0.0:25 ')
  t.ok(await untilReady())
  execFileSync('postconf', ['-e', `relayhost = [127.0.0.9]:${others.port}`])
  execFileSync('postfix', ['reload'], { stdio: 'ignore' })
  const key = '/var/lib/panel-mail/dkim/alice.example.p202611.key'
  execFileSync('openssl', ['genrsa', '-out', key, '2048'], { stdio: 'ignore' })
  execFileSync('chown', ['_rspamd:', key])
  await writeLookUps(lookUps)
})

t.test('the daemons listen on their own ports only', async t => {
  const { stdout } = await run('ss', ['-Hltn'])
  const ports = stdout.split('\n').map(line => Number(/:(\d+) +\S+:\*/.exec(line)?.[1] ?? 0))
  const expected = [25, 465, 587, 993, 4190]
  for (const port of expected) t.ok(ports.includes(port), `${port}`)
  for (const port of [24, 110, 143, 995, 6379, 11332, 11333, 11334, 12345]) {
    t.notOk(ports.includes(port), `${port}`)
  }
})

t.test('a message from outside is accepted, and read by IMAP', async t => {
  const sent = await receive(joe)
  t.equal(sent.code, 250, sent.transcript)
  const by = text(outside, joe, 'By alias')
  t.equal((await receive('info@alice.example', { text: by })).code, 250)
  t.equal((await receive('joe+tag@alice.example')).code, 250)
  t.ok(await arrivedAt(joe, 'Subject: By alias'))
  t.ok(await arrivedAt(joe, 'Subject: Hello'))
  t.match(await readInbox(joe, 'wrong'), { error: /AUTHENTICATIONFAILED/ })
})

t.test('unknown addresses, domains and names of files are refused', async t => {
  t.match(await receive('nemo@alice.example'), { code: 550, text: /5\.1\.1/ })
  for (const to of ['root', 'root@mail.example.net', 'joe@outside.example', remote]) {
    const { code, transcript } = await receive(to)
    t.ok([504, 550, 554].includes(code), transcript)
  }
  for (const user of ['bob@..', 'x@../bob.example', '%u@%d', 'joe@alice.example/../x', 'root']) {
    t.not((await run('doveadm', ['auth', 'test', '--', user, password])).code, 0, user)
  }
})

t.test('no port is a relay, with or without a login', async t => {
  for (const port of [25, ...loginPorts]) {
    for (const from of [outside, joe, '']) {
      const { code, transcript } = await send({ port, from, login: undefined })
      t.ok([530, 550, 553, 554].includes(code), `${port}: ${transcript}`)
    }
  }
  for (const to of [`joe%remote.example@alice.example`, `@alice.example:${remote}`]) {
    t.ok((await receive(to)).code >= 500, to)
  }
  t.equal(others.received.length, 0)
})

t.test('a login needs TLS', async t => {
  const client = await openLines({ port: 587 })
  await client.next(/^220 /)
  await client.smtp('EHLO client.example')
  t.notMatch(client.transcript(), /AUTH/)
  t.match(await client.smtp('AUTH PLAIN AGpvZQB4'), /^5(03|30|38) /)
  t.match(await client.smtp(`MAIL FROM:<${joe}>`), /^530 /)
  client.close()
  const filters = await openLines({ port: 4190, localAddress: '127.0.0.7' })
  await filters.next(/^OK/)
  t.match(filters.transcript(), /"SASL" ""/)
  filters.close()
  const open = await openLines({ port: 25 })
  await open.next(/^220 /)
  await open.smtp('EHLO client.example')
  await open.startTls()
  await open.smtp('EHLO client.example')
  t.notMatch(open.transcript(), /AUTH/, 'port 25 takes no logins')
  open.close()
})

t.test('an account sends as its own address alone, and only that is signed', async t => {
  for (const port of loginPorts) {
    const sent = await send({ port })
    t.equal(sent.code, 250, sent.transcript)
  }
  t.ok(await until(() => others.received.length === 2))
  // Rspamd sees a new key within seconds.
  const isSigned = async () => {
    const before = others.received.length
    await send()
    await until(() => others.received.length > before)
    return /^DKIM-Signature: [^:]*d=alice\.example;\s*s=p202611/m.test(others.received.at(-1)!.text)
  }
  t.ok(await until(isSigned, 30_000))
  others.received.length = 0
  for (const from of [bob, outside, 'root@mail.example.net', 'x@alice.example']) {
    t.match(await send({ from }), { code: 553, text: /5\.7\.1/ }, from)
  }
  t.ok((await send({ from: '' })).code >= 500)
  const forged = [
    text(bob, remote),
    text(`${joe}, ${bob}`, remote),
    text(`"${joe}" <${bob}>`, remote),
    `From: ${joe}\n${text(bob, remote)}`,
    `Sender: ${bob}\n${text(joe, remote)}`,
    `To: ${remote}\n\nNo sender.\n`,
    text('', remote),
  ]
  for (const one of forged) {
    const { code, transcript } = await send({ text: one })
    t.equal(code, 554, transcript)
  }
  const other = { user: bob, password }
  t.equal((await send({ from: bob, login: other, text: text(bob, remote) })).code, 250)
  t.ok(await until(() => others.received.length === 1))
  t.notMatch(others.received[0]?.text, /DKIM-Signature/)
  // A message without a login is not signed, whatever its headers say.
  t.equal((await receive('away@alice.example', { text: text(joe, remote) })).code, 250)
  t.ok(await until(() => others.received.length === 2))
  t.notMatch(others.received[1]?.text, /DKIM-Signature/)
})

t.test('an account has one limit, which counts recipients', async t => {
  const other = { from: bob, login: { user: bob, password }, text: text(bob, remote) }
  const two = ['a@remote.example', 'b@remote.example']
  t.equal((await send({ ...other, to: two })).code, 250)
  t.match(await send({ ...other, to: two }), { code: 450, text: /limit of 3 recipients an hour/ })
  t.match(await send({ ...other, to: remote }), { code: 450 })
  t.equal((await send()).code, 250, 'the neighbour still sends')
  const many = Array.from({ length: 101 }, (_, index) => `u${index}@remote.example`)
  t.match(await send({ to: many }), { code: 452 })
})

t.test('bare newlines are refused, and start no second message', async t => {
  const first = text(outside, joe, 'First').replaceAll('\n', '\r\n')
  const smuggled = `${first}\n.\nMAIL FROM:<a@b.c>\r\n`
  const { text: answer } = await receive(joe, { text: smuggled, isRaw: true })
  t.match(answer, /^(5\d\d |closed)/)
  await sleep(300)
  t.notMatch((await readInbox(joe, password)).messages.join(''), /Subject: First/)
})

t.test('a full mailbox is refused with 552, and nothing bounces', async t => {
  const large = `${text(outside, ann, 'Large')}${`${'x'.repeat(70)}\n`.repeat(2_900)}`
  t.equal((await receive(ann, { text: large })).code, 250)
  t.ok(await arrivedAt(ann, 'Subject: Large'))
  let answer = await receive(ann)
  for (let count = 0; answer.code === 250 && count < 20; count++) {
    answer = await receive(ann, { text: large })
    await sleep(200)
  }
  t.match(answer, { code: 552, text: /5\.2\.2/ })
  const { stdout } = await run('postqueue', ['-p'])
  t.match(stdout, /Mail queue is empty/)
  t.notOk(others.received.some(({ from }) => from === ''))
})

t.test('an account of the machine cannot go around it', async t => {
  const sendmail = await asUser(aliceUid, ['/usr/sbin/sendmail', remote], 'Subject: x\n\nx')
  t.not(sendmail.code, 0)
  for (const path of [
    '/etc/panel-mail/passwd/alice.example',
    '/etc/panel-mail/rates',
    '/etc/panel-mail/senders',
    '/etc/panel/tls/mail.pem',
    '/var/lib/panel-mail/dkim/alice.example.p202611.key',
  ]) {
    t.not((await asUser(aliceUid, ['cat', path])).code, 0, path)
  }
  t.not((await asUser(aliceUid, ['ls', '/var/lib/panel-mail/milter'])).code, 0)
  t.not((await asUser(aliceUid, ['ls', homeOf(bob, bobUid)])).code, 0)
  t.not((await asUser(aliceUid, ['doveadm', 'user', bob])).code, 0)
})

t.test('filters of a mailbox forward and answer, and cannot run programs', async t => {
  const script = `require ["vacation"];
if header :is "subject" "Pass on" { redirect "${remote}"; }
else { vacation :days 1 "I am away."; }`
  const folder = homeOf(joe, aliceUid)
  writeFileSync(`${folder}/.dovecot.sieve`, script)
  chownSync(`${folder}/.dovecot.sieve`, aliceUid, aliceUid)
  const before = others.received.length
  const pass = { text: text(outside, joe, 'Pass on') }
  t.equal((await receive(joe, pass)).code, 250)
  t.ok(await until(() => others.received.length === before + 1))
  t.match(others.received.at(-1), { from: joe, to: [remote] })
  t.equal((await receive(joe)).code, 250)
  t.ok(await until(() => others.received.length === before + 2))
  t.match(others.received.at(-1), { to: [outside], text: /I am away\./ })
  t.equal((await receive(joe)).code, 250)
  await sleep(500)
  t.equal(others.received.length, before + 2, 'once a day')
  const pipe = `${folder}/pipe.sieve`
  mkdirSync(dirname(pipe), { recursive: true })
  writeFileSync(pipe, 'require "vnd.dovecot.pipe"; pipe "id";')
  t.not((await run('sievec', [pipe])).code, 0)
})

t.test('a suspended mailbox gets mail, and does not read or send', async t => {
  const isSuspended = true
  const mailboxes = lookUps.mailboxes.map(one =>
    one.uid === bobUid ? { ...one, isSuspended } : one,
  )
  // Dovecot has seconds to see the change.
  await sleep(1_100)
  await writeLookUps({ ...lookUps, mailboxes })
  const closed = async () => (await readInbox(bob, password)).error !== undefined
  t.ok(await until(closed, 5_000))
  const refused = await send({ from: bob, login: { user: bob, password } })
  t.ok([535, 550, 553].includes(refused.code), refused.transcript)
  t.equal((await receive(bob, { text: text(outside, bob, 'Later') })).code, 250)
  await sleep(1_100)
  await writeLookUps(lookUps)
  t.ok(await arrivedAt(bob, 'Subject: Later'))
})

t.test('no log has a password', async t => {
  const { stdout } = await run('sh', ['-c', 'cat /var/log/rspamd/*.log /var/log/mail* 2>/dev/null'])
  t.ok(stdout.length > 0)
  t.notMatch(stdout, password)
  const encoded = Buffer.from(`\0${joe}\0${password}`).toString('base64')
  t.notMatch(stdout, encoded)
})

t.test('a configuration that a daemon refuses is not activated', async t => {
  const before = readFileSync('/etc/dovecot/dovecot.conf', 'utf8')
  writeFileSync('/usr/local/bin/doveconf', '#!/bin/sh\necho refused >&2\nexit 1\n', { mode: 0o755 })
  const { code } = await panelCall(['mail', 'enable', '--host', 'other.example.net'])
  t.equal(code, 1)
  execFileSync('rm', ['/usr/local/bin/doveconf'])
  t.equal(readFileSync('/etc/dovecot/dovecot.conf', 'utf8'), before)
  t.match(readFileSync('/etc/postfix/main.cf', 'utf8'), /^myhostname = mail\.example\.net$/m)
})

t.test('disable stops the daemons whatever program is missing, and keeps the mail', async t => {
  execFileSync('mv', ['/usr/bin/sievec', '/usr/bin/rspamadm', '/tmp'])
  t.match(await panelCall(['mail', 'disable', '--wait', '120']), { code: 0 })
  for (const port of [25, 993]) await t.rejects(openLines({ port }), `${port}`)
  for (const name of ['master', 'dovecot', 'rspamd']) {
    t.not((await run('pgrep', ['-x', name])).code, 0, name)
  }
  t.ok(readFileSync('/etc/panel-mail/mailboxes', 'utf8').includes(joe))
})
