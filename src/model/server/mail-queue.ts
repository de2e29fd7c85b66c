import { oneFirst, all, type Db } from '../../db.ts'

// Mail that waits on the server, and who sends it. Only root can read it: the worker keeps it in
// the snapshot of the server, for pages.

/** A message that waits; sender and reason are text that others chose. */
export type QueuedMessage = {
  id: string
  /** The queue of Postfix that it is in: `deferred` is tried again later. */
  queue: string
  arrived_at: string
  bytes: number
  /** Empty for a bounce. */
  sender: string
  /** The first of them. */
  recipients: string[]
  recipient_count: number
  /** The reason why its first recipient has not got it; null before the first attempt. */
  reason: string | null
}

export type Counted = { name: string; messages: number }

export type MailQueue = {
  total: number
  bytes: number
  /** The senders of the most messages. */
  senders: Counted[]
  /** The most frequent reasons. */
  reasons: Counted[]
  /** The oldest ones. */
  messages: QueuedMessage[]
}

/** Recipients of the last hour, of mailboxes and scripts of the account with this user number. */
export type SentByAccount = { uid: number; recipients: number }

export type MailState = { queue: MailQueue; sent: SentByAccount[] }

/** The mail of the last snapshot; null if it could not be read, or before the first snapshot. */
export type ShownMailState = { taken_at: Date | null; queue: MailQueue | null; sent: Sender[] }

/** An account that has sent mail in the last hour, with the limit of its package. */
export type Sender = { username: string; recipients: number; limit: number }

/** Returns the waiting mail of the last snapshot, and the accounts that sent the most. */
export async function readMailState(db: Db): Promise<ShownMailState> {
  const [found, sent] = await Promise.all([
    oneFirst<{ taken_at: string | null; queue: MailQueue | null }>(db)`
      select jsonb_build_object('taken_at', taken_at, 'queue', content #> '{mail,queue}')
      from panel.server_snapshot`,
    all<Sender>(db)`
      select a.username, s.recipients, p.mails_per_hour as limit
      from panel.server_snapshot n
      cross join jsonb_to_recordset(coalesce(content #> '{mail,sent}', '[]'))
        s (uid integer, recipients integer)
      join panel.accounts a on a.uid = s.uid and a.state <> 'terminated'
      join panel.packages p on p.id = a.package_id
      order by s.recipients desc, a.username
      limit 10`,
  ])
  const { taken_at, queue } = found
  return { taken_at: taken_at === null ? null : new Date(taken_at), queue, sent }
}

/** A mail domain that gets no mail, or whose records are not what they should be. */
export type TroubledDomain = {
  username: string
  domain: string
  state: 'pending' | 'active'
  missing_since: Date | null
  created_at: Date
  /** The records that are missing or differ. */
  lacking: string[]
}

/** Lists mail domains with trouble: those that lead elsewhere first, then pending ones. */
export const listTroubledDomains = (db: Db, limit: number) => all<TroubledDomain>(db)`
  select username, domain, state, missing_since, created_at, lacking
  from (
    select a.username, d.domain, d.state, d.missing_since, d.created_at, array(
        select r.record
        from panel.mail_domain_records r
        where r.domain_id = d.id and r.result in ('missing', 'wrong')
          and r.record in ('mx', 'spf', 'dkim', 'dmarc')
        order by r.record) as lacking
    from panel.mail_domains d
    join panel.accounts a on a.id = d.account_id
    where d.desired = 'present' and d.added_by is null) found
  where state = 'pending' or missing_since is not null or lacking <> '{}'
  order by missing_since, state desc, created_at, domain
  limit ${limit}`

/** The number of mail domains in each state. */
export type DomainCounts = { active: number; pending: number; elsewhere: number }

export const countDomains = (db: Db) => oneFirst<DomainCounts>(db)`
  select jsonb_build_object(
    'active', count(*) filter (where state = 'active'),
    'pending', count(*) filter (where state = 'pending'),
    'elsewhere', count(*) filter (where missing_since is not null and state = 'active'))
  from panel.mail_domains
  where desired = 'present' and added_by is null`
