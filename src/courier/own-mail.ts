import { getCACertificates } from 'node:tls'
import { createTransport } from 'nodemailer'
import type { Pool } from '../db.ts'
import { openRelay, type OpenRelay, readMailRelay } from '../model/server/mail-relay.ts'

// The panel's own mail: plain text, sent at once through the server's relay, or not at all. Who
// sends it keeps a row until it was sent (docs/decisions/0054-mail-of-the-panel-itself.md).

/** A mail to one person. */
export type Letter = {
  /** Its own, also when it is sent again: a mail program shows a repeat once. */
  id: string
  to: string
  subject: string
  text: string
}

/** Sends a mail; false if the server has no relay. */
export type SendMail = (letter: Letter) => Promise<boolean>

export type OwnMailOptions = { serverKey: Buffer; serverName: string }

// The limits of each step; a relay that accepts the message late has still accepted it.
const limits = { connectionTimeout: 8_000, greetingTimeout: 8_000, socketTimeout: 20_000 }

/** Returns what sends the panel's own mail. */
export const openOwnMail =
  (pool: Pool, { serverKey, serverName }: OwnMailOptions): SendMail =>
  async ({ id, to, subject, text }) => {
    const sealed = await readMailRelay(pool)
    if (sealed === null) return false
    const relay = openRelay(sealed, serverKey)
    const transport = createTransport(connectionTo(relay))
    const from = { name: `Panel on ${serverName}`, address: `panel@${relay.from_domain}` }
    try {
      await transport.sendMail({
        from,
        // Not as text, which could contain several.
        to: { name: '', address: to },
        messageId: `<${id}@${relay.from_domain}>`,
        subject: oneLine(subject),
        text,
        // No autoresponder answers it (RFC 3834, and Exchange's own).
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        disableFileAccess: true,
        disableUrlAccess: true,
      })
    } finally {
      transport.close()
    }
    return true
  }

const connectionTo = ({ host, port, tls, user, password, from_domain }: OpenRelay) => ({
  ...limits,
  host,
  port,
  name: from_domain,
  secure: tls === 'tls',
  requireTLS: tls === 'starttls',
  ignoreTLS: tls === 'none',
  ...(user === null || password === null ? {} : { auth: { user, pass: password } }),
  // Also trusts the machine's authorities, as msmtp does.
  tls: { ca: [...getCACertificates('default'), ...getCACertificates('system')] },
})

// Only its names come from outside, and none contains a line break; a header must not end anyway.
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
