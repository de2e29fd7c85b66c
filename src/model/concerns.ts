import { all, type Db, value } from '../db.ts'
import { isSeenBy, type Caller } from './callers.ts'

// What somebody should look at: of the whole server, and of the accounts that one sees.

export type Concerns = {
  /** Why what all accounts share does not run. */
  services: string[]
  /** Webhooks that seem to be dead. */
  webhooks: { id: string; host: string }[]
  /** Those that end soon and could not be renewed yet. */
  certificates: { domain: string; username: string; expires_at: string }[]
  /** Accounts that the machine does not agree with, though nothing is under way. */
  half: string[]
}

/** For administrators. */
export const readConcerns = (db: Db) => value<Concerns>(db)`select panel.show_concerns()`

export type FullAccount = { username: string; percent: number; total: number }

/** The fullest accounts that the caller sees, of those whose disk is nearly full. */
export const listFull = (db: Db, caller: Caller) => all<FullAccount>(db)`
  select a.username,
    floor((d.bytes + d.database_bytes) / (p.disk_mb * 10485.76::float8))::int as percent,
    (count(*) over ())::int as total
  from panel.accounts a
  join panel.packages p on p.id = a.package_id
  join panel.disk_usage d on d.account_id = a.id
  where a.state <> 'terminated' and ${isSeenBy(caller)}
    and d.bytes + d.database_bytes >= p.disk_mb * 996147.2::float8
  order by (d.bytes + d.database_bytes) / p.disk_mb::float8 desc, a.username
  limit 3`
