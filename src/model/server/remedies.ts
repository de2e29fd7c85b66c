import { z } from 'zod'
import { all, type Db, one } from '../../db.ts'
import { reapply } from '../accounts/account-writes.ts'
import type { OperationName } from '../operations/operation-names.ts'
import { write, type Write } from '../operations/writes.ts'
import { recheck } from '../sites/sites.ts'
import { backUpServer } from './server-backups.ts'

// Remedies: what mends a finding, as data of the check that reports it. A remedy names an operation
// and its params; pages make a button of it, and find what became of it.

/** The services that can be started from a page: no other name reaches systemd. */
export const startable = [
  ...(['nginx', 'ssh', 'cron', 'mariadb'] as const),
  ...(['postfix', 'dovecot', 'rspamd', 'panel-submit'] as const),
] as const
export type Startable = (typeof startable)[number]

/** A remedy with its params, as checks return it and snapshots contain it. */
export type Remedy =
  | { do: 'start-service'; service: Startable }
  | { do: 'rebuild-account'; username: string }
  | { do: 'recheck-site'; username: string; domain: string }
  | { do: 'rebuild-server' | 'repair' | 'empty-trash' | 'back-up' }
  | { do: 'view'; page: RemedyPage }
  | { do: 'view-site'; username: string; domain: string }
  /** The command for root, if no operation may do it. */
  | { do: 'run'; command: string }

/** A check of `panel ctl doctor`. */
export type Checked = {
  /** The name, `group/check`. */
  name: string
  state: 'ok' | 'warning' | 'failure' | 'skipped'
  sentence: string
  advice: string | null
  /** Left out if there are none. */
  remedies?: Remedy[]
}

/** Pages that show what is to be done, where no operation does it. */
export type RemedyPage =
  | ('failed-jobs' | 'waiting-jobs' | 'running-jobs' | 'failed-hook-runs' | 'paused-tasks')
  | ('failed-deliveries' | 'deliveries' | 'webhooks')
  | ('accounts' | 'largest-accounts' | 'shared-parents' | 'mail-relay')

export type RemedyName = Exclude<Remedy['do'], 'view' | 'view-site' | 'run'>

export const StartService = z.object({ service: z.enum(startable) })

/** Starts a service of the machine. */
export const startService = write<z.output<typeof StartService>>({
  name: 'server/start-service',
  subject: ({ service }) => service,
  decide: async (_, { desired: { service } }) => ({ accountId: null, params: { service } }),
})

const onServer = (name: OperationName) =>
  write<object>({ name, decide: async () => ({ accountId: null, params: {} }) })

/** Repairs what all accounts share, and removes websites that belong to no account. */
export const rebuildServer = onServer('server/apply')

/** Fixes what `panel ctl doctor --fix` fixes. */
export const repairServer = onServer('server/repair')

/** The time at which an administrator was shown whose files are kept. */
export const EmptyTrash = z.object({ until: z.iso.datetime() })

/** Deletes the kept files of accounts that had been terminated by then. */
export const emptyTrash = write<z.output<typeof EmptyTrash>>({
  name: 'server/empty-trash',
  decide: async (_, { desired: { until } }) => ({ accountId: null, params: { until } }),
})

/** The write of each remedy. */
export const remedyWrites = {
  'start-service': startService,
  'rebuild-account': reapply,
  'recheck-site': recheck,
  'rebuild-server': rebuildServer,
  repair: repairServer,
  'empty-trash': emptyTrash,
  'back-up': backUpServer,
} satisfies Record<RemedyName, Write<never>>

/** An operation that an administrator has requested as a remedy. */
export type RemedyRun = {
  id: string
  name: OperationName
  username: string | null
  subject: string | null
  state: 'in progress' | 'done' | 'failed'
  created_at: Date
  finished_at: Date | null
}

/** Lists the latest run of each remedy in the last 15 minutes, newest first. */
export const listRemedyRuns = (db: Db) => all<RemedyRun>(db)`
  select *
  from (
    select distinct on (o.name, o.username, o.subject) o.id, o.name, o.username, o.subject,
      case
        when o.state not in ('done', 'failed') then 'in progress'
        when o.state = 'done' and o.status < 400 then 'done'
        else 'failed'
      end as state,
      o.created_at, o.finished_at
    from panel.operations o
    where o.name = any (${Object.values(remedyWrites).map(({ name }) => name)})
      and o.session_id is not null and o.caller_role = 'administrator'
      and o.created_at > now() - interval '15 minutes'
    order by o.name, o.username, o.subject, o.created_at desc) latest
  order by created_at desc`

const isOperation = (remedy: Remedy): remedy is Remedy & { do: RemedyName } =>
  remedy.do in remedyWrites

/** Returns whether a run is one of this remedy. */
export function isRunOf(run: RemedyRun, remedy: Remedy): boolean {
  if (!isOperation(remedy) || run.name !== remedyWrites[remedy.do].name) return false
  const username = 'username' in remedy ? remedy.username : null
  const subject = 'service' in remedy ? remedy.service : 'domain' in remedy ? remedy.domain : null
  return run.username === username && run.subject === subject
}

type Kept = { at: Date; names: string[] }

/** Returns the terminated accounts whose files the worker last saw kept, and the time now. */
export const findKept = (db: Db) => one<Kept>(db)`
  select now() as at, array(
      select a.username from panel.accounts a
      where a.state = 'terminated' and coalesce(s.content -> 'trash', '[]') @> to_jsonb(a.uid)
      order by a.username) as names
  from panel.server_snapshot s`
