import type { Test } from 'tap'
import type { Db } from '../../src/db.ts'
import { type Received, startSmtpServer } from './smtp-server.ts'

/** A mail server that is the panel's relay. */
export async function relayOn(t: Test, db: Db) {
  const smtp = await startSmtpServer(t)
  const relay = { host: '127.0.0.1', port: smtp.port, tls: 'none', user: null, password: null }
  await db.query('update panel.server set mail_relay = $1', [
    { ...relay, from_domain: 'mail.example.net' },
  ])
  return smtp
}

/** Returns a mail's headers, with continued lines joined, and its text without encoding. */
export function readMail({ text }: Received) {
  const [head = '', ...rest] = text.split('\n\n')
  const body = rest
    .join('\n\n')
    .replaceAll(/=\n/g, '')
    .replaceAll(/(=[0-9A-F]{2})+/g, octets =>
      Buffer.from(octets.replaceAll('=', ''), 'hex').toString(),
    )
  return { head: head.replaceAll(/\n[ \t]+/g, ' '), body }
}
