import { z } from 'zod'
import { all, type Db, run } from '../../db.ts'
import { domain } from '../grammar/grammar.ts'
import { localPart } from './mail-grammar.ts'

// The size of the messages that mailboxes keep.

const Measurable = z.object({ id: z.string(), uid: z.int(), domain, localPart })

/** A mailbox to measure. */
export type MeasurableMailbox = z.infer<typeof Measurable>

/** Lists the mailboxes that have files. Invalid rows are left out. */
export async function listMeasurable(db: Db): Promise<MeasurableMailbox[]> {
  const rows = await all(db)`
    select m.id::text, a.uid, d.domain, m.local_part as "localPart"
    from panel.mailboxes m
    join panel.mail_domains d on d.id = m.domain_id
    join panel.accounts a on a.id = m.account_id
    where m.desired = 'present' and m.added_by is null and a.state in ('active', 'suspended')
    order by a.uid, m.id`
  return rows.flatMap(row => Measurable.safeParse(row).data ?? [])
}

/** A mailbox with the bytes of its messages. */
export type MailboxSize = { id: string; bytes: number }

export const recordSizes = (db: Db, sizes: readonly MailboxSize[]) => run(db)`
  select panel.record_mailbox_sizes(
    ${sizes.map(({ id }) => id)}::bigint[], ${sizes.map(({ bytes }) => bytes)}::bigint[])`
