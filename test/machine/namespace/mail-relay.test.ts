import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startSmtpServer } from '../../support/smtp-server.ts'
import { until } from '../../support/until.ts'
import { asUser, visit } from '../machine.ts'
import { openMail, simple } from '../mail.ts'

// Mail of PHP's mail() by a relay: with a login or without, refused, slow, and none.

const certificate = makeCertificate()
const secure = await startSmtpServer(t, { tls: certificate })
const opened = await openMail(t)
const { uid, bobUid, mailed, refused, handIn, plain } = opened
const { panel, panelCall, relay, setPlain } = opened

t.test('without a relay mail() returns false, with a line in the log', async t => {
  t.match(await refused(simple), /mail\(\): This server has no mail relay/)
})

t.test('a relay sends, with a sender and a bounce address of the account', async t => {
  const done = await setPlain()
  t.equal(done.code, 0, done.stderr)
  t.ok(await mailed(simple))
  const { from, to, text } = plain.received.at(-1)!
  t.strictSame([from, to], ['alice@mail.example.net', ['joe@example.org']])
  t.match(text, /^From: alice@mail\.example\.net\nTo: joe@example\.org\nSubject: Hello\n/)
  t.match(text, /\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000\n/)
  t.match(text, /\nMessage-ID: <[0-9a-f]{32}@mail\.example\.net>\n/)
  t.match(text, /\n\nHow are you\?\s*$/)
})

t.test('scripts that cron starts send by it too', async t => {
  const code = `echo json_encode([mail('cron@example.org', 'x', 'x'), ini_get('extension_dir')]);`
  const added = await panelCall(['cron', 'add', 'alice', '@yearly', `php -r "${code}"`, '--json'])
  t.equal(added.code, 0, added.stderr)
  const ran = await panelCall(['cron', 'run', 'alice', added.json().id, '--json'])
  t.match(ran.json().last_run?.output, /^\[true,/, ran.stdout + ran.stderr)
  t.strictSame(plain.received.at(-1)?.to, ['cron@example.org'])
})

t.test('recipients come from all headers, and Bcc is not sent', async t => {
  const headers =
    'Cc: "Doe, J." <cc@example.org>, team: a@example.org, b@example.org;\r\n' +
    'Bcc: (secret) hidden@example.org, JOE@example.org'
  t.ok(await mailed([...simple, headers]))
  const { to, text } = plain.received.at(-1)!
  const expected = ['joe', 'cc', 'a', 'b', 'hidden'].map(name => `${name}@example.org`)
  t.strictSame(to, expected)
  t.notMatch(text, /hidden|Bcc/i)
})

t.test('a new domain is a sender’s, and a removed one is not', async t => {
  const send = async () => {
    t.equal((await handIn('From: a@new.example\nTo: joe@example.org\n\nx')).code, 0)
    return /^From: (.*)$/m.exec(plain.received.at(-1)!.text)?.[1]
  }
  t.equal(await send(), 'alice@mail.example.net')
  t.equal((await panelCall(['site', 'add', 'alice', 'new.example'])).code, 0)
  t.equal(await send(), 'a@new.example')
  t.equal((await panelCall(['site', 'rm', 'alice', 'new.example', '--yes'])).code, 0)
  t.equal(await send(), 'alice@mail.example.net')
})

t.test('a suspended account sends nothing', async t => {
  t.equal((await panelCall(['account', 'suspend', 'bob'])).code, 0)
  t.match(await handIn('To: joe@example.org\n\nx', bobUid), {
    code: 69,
    stderr: /This user cannot send mail/,
  })
  t.equal((await panelCall(['account', 'unsuspend', 'bob'])).code, 0)
  t.equal((await handIn('To: joe@example.org\n\nx', bobUid)).code, 0)
})

t.test('a refusal of the relay is in the log, and not counted', async t => {
  for (const [mode, words] of [
    ['refuses-recipients', /The mail relay refused the message: 550 5\.1\.1 no such mailbox/],
    ['refuses-message', /The mail relay refused the message: 554 5\.7\.1 looks like spam/],
  ] as const) {
    plain.mode = mode
    t.match(await refused(simple), words)
  }
  plain.mode = 'accepts'
  t.ok(await mailed(simple))
})

t.test('a login is encrypted; neither it nor its refusal is shown to accounts', async t => {
  const password = ' p"a\'s $s\\ é '
  const words = ['mail', 'relay', 'set', 'localhost', '--port', String(secure.port)]
  const more = ['--user', 'panel user', '--from-domain', 'mail.example.net', '--password-stdin']
  t.equal((await panelCall([...words, ...more], `${password}\n`)).code, 0)
  // The certificate is not known.
  t.match(await refused(simple), /The mail relay cannot be used now/)
  appendFileSync('/etc/ssl/certs/ca-certificates.crt', certificate.cert)
  t.ok(await mailed(simple))
  const { login, isEncrypted } = secure.received.at(-1)!
  t.strictSame({ login, isEncrypted }, { login: `\0panel user\0${password}`, isEncrypted: true })
  secure.mode = 'refuses-login'
  const line = await refused(simple)
  t.match(line, /The mail relay cannot be used now/)
  t.notMatch(line, /535|panel user/)
  secure.mode = 'accepts'
  for (const file of ['relay', 'relay-password']) {
    t.equal(statSync(`/etc/panel/mail/${file}`).mode & 0o777, 0o640)
    t.not((await asUser(uid, ['cat', `/etc/panel/mail/${file}`])).code, 0)
  }
  const shown = await relay('show', '--json')
  t.match(shown.json(), { mail_relay: { user: 'panel user', has_password: true } })
  t.notMatch(shown.stdout, /p"a/)
  const rows = await panel.pool.query('select to_jsonb(s)::text as row from panel.server s')
  t.notMatch(rows.rows[0].row, /p.{0,2}"a/)
  t.equal((await setPlain()).code, 0)
})

t.test('a relay that does not answer blocks no PHP for long', async t => {
  plain.mode = 'silent'
  const since = performance.now()
  t.match(await refused(simple), /mail relay/)
  const took = performance.now() - since
  t.ok(took < 21_000, `${took}`)
  // The next is refused at once.
  const then = performance.now()
  t.match(await refused(simple), /did not answer a moment ago/)
  t.ok(performance.now() - then < 2_000)
  t.equal((await setPlain()).code, 0, 'setting a relay ends the pause')
  const all = Promise.all(Array.from({ length: 6 }, () => handIn('To: joe@example.org\n\nx')))
  const page = performance.now()
  t.equal((await visit('alice.example', '/')).status, 200)
  t.ok(performance.now() - page < 2_000)
  t.ok((await all).every(({ code }) => code === 69))
  plain.mode = 'accepts'
  t.equal((await setPlain()).code, 0)
  t.ok(await mailed(simple))
})

t.test('doctor finds, and a rebuild corrects, changed files', async t => {
  const files = ['relay', 'submit', 'sendmail', 'message.pl', `accounts/${uid}`]
  for (const file of files) {
    appendFileSync(`/etc/panel/mail/${file}`, '# odd\n')
    if (file !== `accounts/${uid}`) {
      const doctor = await panelCall(['ctl', 'doctor', '--json'])
      const name = file === 'relay' ? 'mail/relay' : 'mail/programs'
      const { state } = doctor.json().checks.find((one: { name: string }) => one.name === name)
      t.equal(state, 'failure', file)
    }
    const found = await panelCall(['ctl', 'rebuild', '--json'])
    t.equal(found.code, 0, found.stdout + found.stderr)
    t.notMatch(readFileSync(`/etc/panel/mail/${file}`, 'utf8'), /# odd/, file)
  }
  t.ok(await mailed(simple))
})

t.test('the service comes back with the worker', async t => {
  await opened.worker.kill()
  await opened.startWorker()
  t.ok(await until(() => mailed(simple), 15_000))
})

t.test('a terminated account leaves nothing', async t => {
  t.equal((await panelCall(['account', 'terminate', 'bob', '--yes'])).code, 0)
  t.notOk(existsSync(`/etc/panel/mail/accounts/${bobUid}`))
  t.notOk(existsSync(`/var/lib/panel-submit/${bobUid}`))
})

t.test('without the relay again nothing is sent', async t => {
  t.equal((await relay('rm')).code, 0)
  t.notOk(existsSync('/etc/panel/mail/relay'))
  t.match(await refused(simple), /This server has no mail relay/)
})

function makeCertificate() {
  const folder = mkdtempSync('/tmp/smtp-')
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const how = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert]
  execFileSync('openssl', [...how, ...names], { stdio: 'ignore' })
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}
