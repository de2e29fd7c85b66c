import { z } from 'zod'
import { domain } from '../grammar/grammar.ts'
import type { HostPart } from '../operations/resource-kind.ts'
import { Autoresponder } from './autoresponder.ts'
import { Filters } from './filters.ts'
import { localPart, mailTarget, quotaMb } from './mail-grammar.ts'

// An account's mail for the machine: rows validated again, because they are written to tables of
// Postfix, Dovecot and Rspamd.

const desired = z.enum(['present', 'absent'])

const Mailbox = z.strictObject({
  localPart,
  /** bcrypt, as Dovecot compares with. */
  hash: z.string().regex(/^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}$/),
  quotaMb,
  autoresponder: Autoresponder.nullable(),
  filters: Filters,
  desired,
})

const Alias = z.strictObject({ localPart, targets: z.array(mailTarget).min(1).max(50) })

const MailDomain = z.strictObject({
  domain,
  /** Whether it gets mail: its DNS records have shown that it is the account's. */
  isActive: z.boolean(),
  /** The address that gets the mail of all unknown ones. */
  catchAll: mailTarget.nullable(),
  selector: z.string().regex(/^p[0-9]{6}$/),
  desired,
  mailboxes: z.array(Mailbox),
  aliases: z.array(Alias),
})

export type HostMailbox = z.infer<typeof Mailbox>
export type HostMailDomain = z.infer<typeof MailDomain>

const shape = {
  /** Left out of an account without mail domains. */
  mail: z.array(MailDomain).optional(),
}

export const hostMail: HostPart<readonly unknown[] | null, typeof shape> = {
  shape,
  of: rows => (rows === null ? {} : { mail: rows }),
}
