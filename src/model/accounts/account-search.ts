import { z } from 'zod'
import { anyFirst, type Db, sql } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { Account, toAccount, type AccountRecord } from './accounts.ts'
import { isSeenBy, type Caller } from '../signing-in/callers.ts'
import * as grammar from '../grammar/grammar.ts'

// Lists of accounts for programs, in pages.

/** A page of accounts. */
export const AccountPage = z.strictObject({
  accounts: z.array(Account),
  next: z.string().nullable().describe('The value of `after` for the next page, if there is one'),
})

/** The filters of `GET /accounts`. */
export const AccountFilter = z.strictObject({
  after: grammar.userName.optional().describe('Only usernames after this one'),
  limit: grammar.queryNumber(1, 1_000, 100).describe('Accounts per page'),
  package: grammar.packageName.optional().describe('Only accounts on packages of this name'),
  domain: grammar.servedName
    .optional()
    .describe('Only the account that has a website of this name, with or without `www.`'),
  email: grammar.anyEmail
    .optional()
    .describe('Only accounts with this e-mail address, ignoring case'),
  // An empty reference, sent by mistake, would find all accounts.
  reference: grammar.reference
    .min(1, 'must not be empty')
    .optional()
    .describe("Only the account of the token's own seller that was created with it"),
  state: z
    .enum(
      ['provisioning', 'active', 'suspended', 'terminating', 'terminated'],
      'must be provisioning, active, suspended, terminating or terminated',
    )
    .optional()
    .describe(
      'Only accounts in this state. `terminated` ones are found by their `reference` alone, ' +
        'optionally narrowed by `package`; newest first, on one page',
    ),
})

/**
 * Returns a page of the accounts that the caller sees, by username; `next` asks for the page after
 * it. A reference is searched in the caller's own catalogue, since two sellers may use the same
 * one; root, who sees the seller of each account, finds them all.
 *
 * @throws {PanelError} `invalid` if terminated accounts are filtered by anything but a reference
 *   and its package
 */
export async function list(
  db: Db,
  caller: Caller,
  filter: z.output<typeof AccountFilter>,
): Promise<z.infer<typeof AccountPage>> {
  const { after, limit, domain, email, reference, state } = filter
  if (state === 'terminated') return listTerminatedWith(db, caller, filter)
  const records = await anyFirst<AccountRecord>(db)`
    select r.record
    from (
      select a.id, a.username
      from panel.accounts a
      join panel.packages p on p.id = a.package_id
      where a.state <> 'terminated' and ${isSeenBy(caller)}
        and (${after}::text is null or a.username collate "C" > ${after})
        and (${filter.package}::text is null or p.name = ${filter.package})
        and (${state}::text is null or a.state = ${state})
        and (${reference}::text is null or a.reference = ${reference} and ${isOfOwn(caller)})
        and (${email}::text is null or lower(a.email) = lower(${email}))
        and (${domain}::text is null or a.id in (
          select s.account_id
          from panel.site_names n join panel.sites s on s.id = n.site_id
          where n.name = ${domain} and s.added_by is null))
      order by a.username collate "C"
      limit ${limit + 1}) page
    cross join panel.account_record(page.id) r
    order by page.username collate "C"`
  const page = records.slice(0, limit).map(toAccount)
  const isLast = records.length <= limit
  return { accounts: page, next: isLast ? null : (page.at(-1)?.username ?? null) }
}

// Returns the terminated accounts of a reference, newest first: the proof that one is gone.
async function listTerminatedWith(
  db: Db,
  caller: Caller,
  { reference, package: packageName, limit, after, email, domain }: z.output<typeof AccountFilter>,
): Promise<z.infer<typeof AccountPage>> {
  if (reference === undefined || [after, email, domain].some(sent => sent !== undefined)) {
    const words = 'state terminated requires reference, and allows no after, email or domain'
    throw new PanelError('invalid', words)
  }
  const records = await anyFirst<AccountRecord>(db)`
    select r.record
    from (
      select a.id, a.terminated_at
      from panel.accounts a
      join panel.packages p on p.id = a.package_id
      where a.state = 'terminated' and a.reference = ${reference} and ${isOfOwn(caller)}
        and (${packageName}::text is null or p.name = ${packageName})
      order by a.terminated_at desc, a.id desc
      limit ${limit}) page
    cross join panel.account_record(page.id) r
    order by page.terminated_at desc, page.id desc`
  return { accounts: records.map(toAccount), next: null }
}

// Returns whether references of the account `a` are the caller's own.
const isOfOwn = (caller: Caller) =>
  sql`(${caller.id === 'root'} or a.seller_id = ${caller.sellerId})`
