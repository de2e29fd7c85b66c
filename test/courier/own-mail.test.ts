import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import t from 'tap'
import { openOwnMail } from '../../src/courier/own-mail.ts'
import { keyFor, seal } from '../../src/model/server/sealing.ts'
import { database } from '../support/database.ts'
import { startSmtpServer } from '../support/smtp-server.ts'

// The panel's own mail by a relay with encryption and a login.

/** Makes a certificate for a name or an address, which signs itself. */
function makeCertificate(name: string): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'panel-relay-'))
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
  t.teardown(() => execFileSync('rm', ['-r', folder]))
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=relay'],
      ...['-addext', `subjectAltName=${name}`],
    ],
    { stdio: 'ignore' },
  )
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}

const { pool } = await database(t, 'panel')
const serverKey = Buffer.alloc(32, 'a key')
const password = 'correct "horse"'
const sealed = seal(
  Buffer.from(password),
  keyFor('panel: the password of the relay', serverKey),
  'mail relay',
).toString('base64')
const sendMail = openOwnMail(pool, { serverKey, serverName: 'panel.test' })
const letter = { id: 'one', to: 'joe@example.org', subject: 'Hello', text: 'How are you?' }

/** Sends a mail by a relay on this port, with a login. */
async function sendBy(port: number, tls: 'starttls' | 'tls' = 'starttls') {
  const relay = { host: '127.0.0.1', port, tls, user: 'me', password: sealed }
  await pool.query('update panel.server set mail_relay = $1', [
    { ...relay, from_domain: 'mail.example.net' },
  ])
  return sendMail(letter)
}

const certificate = makeCertificate('IP:127.0.0.1')
const other = makeCertificate('DNS:relay.example.com')
const own = getCACertificates('default')
setDefaultCACertificates([...own, certificate.cert, other.cert])
t.teardown(() => setDefaultCACertificates(own))

t.test('a relay with STARTTLS gets the login after the encryption has begun', async t => {
  const relay = await startSmtpServer(t, { tls: certificate })
  t.equal(await sendBy(relay.port), true)
  const [received, ...more] = relay.received
  t.strictSame(more, [])
  t.match(received, { isEncrypted: true, login: `\0me\0${password}`, to: ['joe@example.org'] })
  t.equal(received?.from, 'panel@mail.example.net')
  t.match(received?.text, /^Message-ID: <one@mail\.example\.net>$/m)
})

t.test('a relay that refuses the login gets no mail', async t => {
  const relay = await startSmtpServer(t, { tls: certificate })
  relay.mode = 'refuses-login'
  await t.rejects(sendBy(relay.port), /Invalid login.*535/)
  t.strictSame(relay.received, [])
})

t.test('a relay without encryption, or with a foreign certificate, gets no password', async t => {
  const plain = await startSmtpServer(t)
  await t.rejects(sendBy(plain.port), /STARTTLS/i)
  t.strictSame(plain.received, [])
  const foreign = await startSmtpServer(t, { tls: other })
  await t.rejects(sendBy(foreign.port), /altnames|IP: 127\.0\.0\.1/)
  t.strictSame([foreign.received, foreign.logins], [[], []])
  const unknown = await startSmtpServer(t, { tls: makeCertificate('IP:127.0.0.1') })
  await t.rejects(sendBy(unknown.port), /self-signed certificate/)
  t.strictSame([unknown.received, unknown.logins, plain.logins], [[], [], []])
})
