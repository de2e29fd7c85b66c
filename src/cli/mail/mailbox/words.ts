import type { Mailbox } from '../../../model/mail/mail-rows.ts'
import { fields } from '../../columns.ts'
import { oneLine } from '../../foreign-text.ts'

/** Formats a mailbox for people. */
export const mailboxWords = ({
  mailbox,
  quota_mb,
  used_mb,
  autoresponder,
  filters,
  created_at,
}: Mailbox) =>
  fields({
    mailbox,
    quota: `${quota_mb} MB`,
    used: used_mb === null ? 'not measured yet' : `${used_mb} MB`,
    autoresponder: autoresponder && oneLine(autoresponder.subject),
    filters: filters.length === 0 ? null : String(filters.length),
    created: created_at,
  })
