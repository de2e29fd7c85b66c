import { writeFileSync } from 'node:fs'
import t from 'tap'
import { openLines, readInbox, sendMail } from '../../support/line-client.ts'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { run } from '../machine.ts'
import { openMailHosting, password, untilReady } from '../mail-hosting.ts'

// Mailboxes of accounts with real Postfix and Dovecot: made by commands, and used at once.

const { panel, panelCall, enable } = await openMailHosting(t)
const box = 'info@alice.example'
const outside = 'eve@outside.example'
const send = (to: string, more = {}) =>
  sendMail({
    ...{ port: 25, from: outside, to },
    text: `From: ${outside}\nTo: ${to}\nSubject: Hello\nMessage-ID: <1@x.example>\n\nHi.\n`,
    ...more,
  })
const must = async (words: string[], input?: string) => {
  const result = await panelCall(['mail', ...words], input)
  t.equal(result.code, 0, `${words.join(' ')}: ${result.stderr}`)
}

t.test('a mailbox takes mail as soon as it is made, and its password opens it', async t => {
  t.equal((await enable('--take-over')).code, 0)
  t.ok(await untilReady())
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  await panel.call('POST', '/api/v1/accounts', { body: alice })
  await must(['domain', 'add', 'alice', 'alice.example'])
  await must(['mailbox', 'add', 'alice', box, '--password-stdin'], `${password}\n`)
  t.equal((await send(box)).code, 554, 'the domain is pending')
  await panel.pool.query(`select panel.record_mail_domain_seen('alice.example', 'mx')`)
  t.ok(await until(async () => (await send(box)).code === 250, 20_000))
  const second = 'sales@alice.example'
  await must(['mailbox', 'add', 'alice', second, '--password-stdin'], `${password}\n`)
  t.equal((await send(second)).code, 250, 'the first message is taken')
  const isThere = async () => (await readInbox(second, password)).messages.length === 1
  t.ok(await until(isThere, 10_000))
})

t.test('its size is measured, and its files are the account’s', async t => {
  const used = async () => {
    const { mailboxes: all } = (
      await panelCall(['mail', 'mailbox', 'ls', 'alice', '--json'])
    ).json()
    return Object.fromEntries(
      all.map((one: { mailbox: string; used_mb: number | null }) => [one.mailbox, one.used_mb]),
    )
  }
  const begin = (job: string) => panel.pool.query(`select worker_queue.add_job($1)`, [job])
  t.strictSame(await used(), { [box]: null, 'sales@alice.example': null })
  const lines = `${'x'.repeat(70)}\n`.repeat(60_000)
  const large = `From: ${outside}\nTo: ${box}\nSubject: Large\n\n${lines}`
  t.equal((await send(box, { text: large })).code, 250)
  const measured = async () => {
    await begin('mail/measure')
    return (await used())[box] === 5 && (await used())['sales@alice.example'] === 1
  }
  t.ok(await until(measured, 30_000), JSON.stringify(await used()))
  // Its files are the account's, so the kernel counts them towards the account's quota.
  const { rows } = await panel.pool.query(`select uid from panel.accounts`)
  const files = `/home/.panel-mail/${rows[0].uid}/alice.example/info/Maildir`
  const owners = (await run('find', [files, '-type', 'f', '-printf', '%U\n'])).stdout
  t.strictSame([...new Set(owners.trim().split('\n'))], [String(rows[0].uid)])
  const { stdout } = await panelCall(['mail', 'mailbox', 'ls', 'alice'])
  t.match(stdout, /info@alice\.example +1024 +5 /)
})

t.test('its filters move messages to folders, and delete them', async t => {
  const lines = 'subject [list] -> Lists.Dev\nfrom bad@outside -> delete\nto été -> Été\n'
  const file = '/root/filters'
  writeFileSync(file, lines)
  await must(['mailbox', 'set', 'alice', box, '--filters', file])
  // Its scripts are those that Dovecot's compiler takes.
  const home = (await run('doveadm', ['user', '-f', 'home', box])).stdout.trim()
  t.match(await run('sievec', [`${home}/filters.sieve`, '/tmp/filters.svbin']), { code: 0 })
  const mail = (from: string, subject: string) =>
    send(box, { from, text: `From: ${from}\nTo: ${box}\nSubject: ${subject}\n\nHi.\n` })
  t.equal((await mail(outside, '[List] one')).code, 250)
  t.equal((await mail('bad@outside.example', 'Deleted')).code, 250)
  t.equal((await mail(outside, 'Kept by all')).code, 250)
  const inbox = async () => (await readInbox(box, password)).messages.join('')
  t.ok(await until(async () => (await inbox()).includes('Kept by all'), 20_000))
  t.notMatch(await inbox(), /\[List\]|Deleted/)
  const found = await run('doveadm', ['fetch', '-u', box, 'hdr.subject', 'mailbox', 'Lists.Dev'])
  t.match(found.stdout, /\[List\] one/)
  writeFileSync(file, 'subject x -> Ok\nsubject -> Bad\nto a -> ../x\n')
  const wrong = await panelCall(['mail', 'mailbox', 'set', 'alice', box, '--filters', file])
  t.match(wrong, { code: 1, stderr: /line 2/ })
  await must(['mailbox', 'set', 'alice', box, '--no-filters'])
  t.equal((await mail(outside, '[List] two')).code, 250)
  t.ok(await until(async () => (await inbox()).includes('[List] two'), 20_000))
})

t.test('a new password replaces the former one, and a suspension closes all', async t => {
  await must(['mailbox', 'password', 'alice', box, '--password-stdin'], 'another horse\n')
  const opens = async (secret: string) => (await readInbox(box, secret)).error === undefined
  t.ok(await until(() => opens('another horse'), 5_000))
  t.notOk(await opens(password))
  const idle = await openLines({ port: 993, isTls: true, timeoutMs: 20_000 })
  await idle.next(/^\* OK/)
  await idle.imap(`LOGIN ${box} "another horse"`)
  await idle.imap('SELECT INBOX')
  idle.write('a9 IDLE\r\n')
  await idle.next(/^\+ idling/)
  const suspended = await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  t.match(suspended, { status: 200 })
  t.match(await idle.next(/^a9 /), 'closed', 'an open connection is ended')
  t.notOk(await opens('another horse'), 'nor is there a moment in which it logs in again')
  t.equal((await send(box)).code, 250, 'mail is kept for it')
  await panel.call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })
  t.ok(await until(() => opens('another horse'), 5_000))
})

t.test('a removed mailbox refuses mail, and a terminated account leaves none', async t => {
  await must(['mailbox', 'rm', 'alice', box, '--yes'])
  t.equal((await send(box)).code, 550)
  t.match(await panel.call('DELETE', '/api/v1/accounts/alice'), { status: 200 })
  // Postfix remembers its last answers about domains for a moment.
  t.match((await send('sales@alice.example')).text, /^55[04] /)
})
