import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { readInbox } from '../../support/line-client.ts'
import { startSmtpServer } from '../../support/smtp-server.ts'
import { until } from '../../support/until.ts'
import { run } from '../machine.ts'
import { openMail, simple } from '../mail.ts'
import { mailCommands, password, untilReady } from '../mail-hosting.ts'

// Mail of PHP's mail() on a server with mailboxes: by its own Postfix, signed, and counted.

const { panel, panelCall, put, mailed, refused, handIn, uid, bobUid } = await openMail(t)
const { enable } = mailCommands(t, panel)
const others = await startSmtpServer(t, { host: '127.0.0.9' })
const box = 'info@alice.example'
const remote = 'joe@remote.example'
const waiting = async () => (await run('postqueue', ['-p'])).stdout
const must = async (...words: string[]) => {
  const input = words.at(-1) === '--password-stdin' ? `${password}\n` : undefined
  const { code, stdout, stderr } = await panelCall(words, input)
  t.equal(code, 0, `${words.join(' ')}: ${stderr}${stdout}`)
}
const handed = async (headers: string, user = uid) => {
  const before = others.received.length
  const { code, stderr } = await handIn(`${headers}\nTo: ${remote}\nSubject: x\n\nx\n`, user)
  t.equal(code, 0, stderr)
  t.ok(await until(() => others.received.length > before, 20_000), headers)
  const { from, text } = others.received.at(-1)!
  const line = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(text)?.[1]
  const signer = /^DKIM-Signature: [^:]*\bd=([^;]+);/m.exec(text)?.[1]
  return { from, shown: line('From'), replies: line('Reply-To'), signer }
}

t.test('with mailboxes on, scripts need no relay', async t => {
  t.match(await refused(simple), /This server has no mail relay/)
  const enabled = await enable('--take-over')
  t.equal(enabled.code, 0, enabled.stderr)
  t.ok(await untilReady())
  execFileSync('postconf', ['-e', `relayhost = [127.0.0.9]:${others.port}`])
  execFileSync('postfix', ['reload'], { stdio: 'ignore' })
  t.ok(await mailed([remote, 'Hello', 'Hi.']))
  t.ok(await until(() => others.received.length === 1, 20_000))
  // The account has no mail domain yet.
  t.match(others.received[0], { from: 'alice@mail.example.net', to: [remote] })
  t.notMatch(others.received[0]?.text, /DKIM-Signature/)
})

t.test('the account’s mail domain is the sender, and signs', async t => {
  await must('mail', 'domain', 'add', 'alice', 'alice.example')
  await must('mail', 'mailbox', 'add', 'alice', box, '--password-stdin')
  await panel.pool.query(`select panel.record_mail_domain_seen('alice.example', 'mx')`)
  const signed = async () => (await handed(`From: Shop <shop@alice.example>`)).signer
  t.ok(await until(async () => (await signed()) === 'alice.example', 30_000))
  for (const [from, expected] of [
    [
      'From: Shop <shop@alice.example>',
      { from: 'shop@alice.example', shown: 'Shop <shop@alice.example>' },
    ],
    ['From: v@gmail.com', { from: 'alice@alice.example', replies: 'v@gmail.com' }],
    ['From: ceo@bob.example', { from: 'alice@alice.example', shown: 'alice@alice.example' }],
    ['X-None: x', { from: 'alice@alice.example', shown: 'alice@alice.example' }],
  ] as const) {
    t.match(await handed(from), { ...expected, signer: 'alice.example' }, from)
  }
  // A website's domain that has no mail here, or another account's.
  t.match(await handed('From: a@www.alice.example'), {
    ...{ from: 'alice@alice.example', shown: 'a@www.alice.example', signer: undefined },
  })
  t.match(await handed('From: info@alice.example', bobUid), {
    ...{ from: 'bob@mail.example.net', shown: 'bob@mail.example.net', signer: undefined },
  })
})

t.test('a message to a mailbox of the server arrives', async t => {
  t.ok(await mailed([box, 'To a neighbour', 'Hi.'], 'bob'))
  const arrived = async () => (await readInbox(box, password)).messages.join('')
  t.ok(await until(async () => (await arrived()).includes('Subject: To a neighbour'), 20_000))
  t.match(
    await refused(['nemo@alice.example', 'x', 'x'], 'bob'),
    /refused the message: 550 5\.1\.1/,
  )
})

t.test('scripts that cron starts send so, too', async t => {
  const before = others.received.length
  const code = `echo json_encode(mail('cron@remote.example', 'x', 'x'));`
  const added = await panelCall(['cron', 'add', 'alice', '@yearly', `php -r "${code}"`, '--json'])
  const ran = await panelCall(['cron', 'run', 'alice', added.json().id, '--json'])
  t.equal(ran.json().last_run?.output, 'true', ran.stdout + ran.stderr)
  t.ok(await until(() => others.received.length > before, 20_000))
  t.match(others.received.at(-1), { from: 'alice@alice.example', to: ['cron@remote.example'] })
})

t.test('the limit is that of the account, and one for all ways to send', async t => {
  await put({ memory_mb: 128, max_sites: 3, mails_per_hour: 3 })
  const file = `/etc/panel/mail/accounts/${bobUid}`
  t.ok(await until(() => /limit 3\n/.test(readFileSync(file, 'utf8'))))
  t.ok(await mailed([remote, 'x', 'x'], 'bob'))
  t.match(await refused([`${remote}, a@remote.example`, 'x', 'x'], 'bob'), /limit of 3 recipients/)
  await put({ memory_mb: 128, max_sites: 3, mails_per_hour: 200 })
  t.ok(await until(() => /limit 200\n/.test(readFileSync(file, 'utf8'))))
})

t.test('a suspension keeps scripts from sending, and holds what waits', async t => {
  others.mode = 'refuses-login'
  execFileSync('postconf', ['-e', 'relayhost = [127.0.0.9]:9'])
  execFileSync('postfix', ['reload'], { stdio: 'ignore' })
  for (const name of ['alice', 'bob']) t.ok(await mailed([remote, 'Waits', 'x'], name))
  t.ok(await until(async () => /bob@mail/.test(await waiting())))
  await must('account', 'suspend', 'alice')
  await must('account', 'suspend', 'bob')
  t.match(await handIn(`To: ${remote}\n\nx`), { code: 69, stderr: /This user cannot send mail/ })
  const held = (await waiting()).match(/^[0-9A-F]+!/gm)
  t.equal(held?.length, 2, await waiting())
  others.mode = 'accepts'
  const before = others.received.length
  execFileSync('postconf', ['-e', `relayhost = [127.0.0.9]:${others.port}`])
  execFileSync('postfix', ['reload'], { stdio: 'ignore' })
  await run('postqueue', ['-f'])
  await must('account', 'unsuspend', 'alice')
  t.ok(await until(() => others.received.length === before + 1, 20_000))
  t.match(others.received.at(-1), { from: 'alice@alice.example' })
  await must('account', 'unsuspend', 'bob')
  t.ok(await until(() => others.received.length === before + 2, 20_000))
})

t.test('while Postfix or Rspamd is down, mail() returns false', async t => {
  await run('pkill', ['-x', 'rspamd'])
  t.match(await refused(simple), /The mail server refused the message: 4/)
  await run('postfix', ['stop'])
  t.match(await refused(simple), /The mail server cannot be used now/)
})

t.test('without mailboxes again the relay is used', async t => {
  await must('mail', 'disable')
  t.match(await refused(simple), /This server has no mail relay/)
})
