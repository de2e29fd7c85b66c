import { z } from 'zod'
import { all, type Db } from '../../db.ts'
import { siteDomain } from '../grammar/grammar.ts'
import { HostAccount } from '../accounts/host-account.ts'

// Logs of websites: files in the homes, which the worker writes from nginx's access log.

/** An account whose websites have logs, with all its websites. */
export const LogAccount = HostAccount.pick({ uid: true, username: true }).extend({
  sites: z.array(z.strictObject({ id: HostAccount.shape.id, domain: siteDomain })),
})

export type LogAccount = z.infer<typeof LogAccount>

/** Whole lines of a website's access log and error log. */
export type SiteLines = { site: string; access: string; errors: string }

/** Lists the accounts of these websites; invalid rows are left out. */
export async function listLogAccounts(db: Db, siteIds: readonly string[]): Promise<LogAccount[]> {
  const rows = await all(db, 'list_log_accounts')`
    select a.uid, a.username,
      json_agg(json_build_object('id', s.id::text, 'domain', s.domain) order by s.id) as sites
    from panel.accounts a
    join panel.sites s on s.account_id = a.id and s.desired = 'present'
    where a.state in ('active', 'suspended')
      and a.id in (select account_id from panel.sites where id = any (${siteIds}::bigint[]))
    group by a.id`
  return rows.flatMap(row => LogAccount.safeParse(row).data ?? [])
}

/** The last lines of both logs, for a page; the newest last. */
export const SiteLog = z.strictObject({ access: z.array(z.string()), errors: z.array(z.string()) })

export type SiteLog = z.infer<typeof SiteLog>
