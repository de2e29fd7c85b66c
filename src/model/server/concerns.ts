import { all, type Db, oneFirst } from '../../db.ts'
import { isSeenBy, type Sight } from '../signing-in/callers.ts'
import type { ServiceWarnings } from './host.ts'
import type { Remedy, Startable } from './remedies.ts'
import { readSnapshot, type Snapshot } from './server-snapshot.ts'

// Concerns: the list of what needs attention, which the overview, the page of the server, `panel
// ctl doctor` and /metrics all read.

export type Concern = {
  /** Unique in the list, and stable while it lasts. */
  key: string
  /** The check of `panel ctl doctor` that reports it. */
  check: string
  state: 'failure' | 'warning'
  /** One or two words for the state. */
  label: string
  /** A host, an account, a website. */
  subject: string
  /** The problem. */
  detail: string
  advice?: string
  /** The remedies, in addition to the page that it is about. */
  remedies?: readonly Remedy[]
  /** The time of the finding, if newer checks are missing. */
  asOf?: Date
  about: { webhook: string } | { account: string } | { list: 'accounts' | 'server' }
}

const everything: Sight = { role: 'administrator', sellerId: '0', accountId: null }

type Some<One> = { total: number; first: One[] }

type Rows = {
  services: ServiceWarnings
  webhooks: { id: string; host: string; trouble: Trouble }[]
  certificates: Some<{ domain: string; username: string; expires_at: string }>
  unapplied: Some<string>
}

/** The kinds of webhook trouble (sql/functions/events/name_webhook_trouble.sql). */
export type Trouble = keyof typeof troubles

/** The details of each kind of webhook trouble. */
export const troubles = {
  failing: 'every delivery has failed for days',
  silent: 'its last 100 deliveries have all failed',
  unreached: 'every delivery has failed',
} as const

// Services by the part of an account that needs them, each with the check that reports it.
const services: Record<string, { check: string; service: Startable }> = {
  websites: { check: 'services/nginx-running', service: 'nginx' },
  sftp: { check: 'services/sshd-running', service: 'ssh' },
  databases: { check: 'mariadb/running', service: 'mariadb' },
}

/** The checks whose findings rows have immediately, and more precisely than the last snapshot. */
const checksOfRows = [
  'webhooks/failing',
  'certificates/expiry',
  'drift/not-applied',
  'disk/accounts',
] as const

/** A check whose findings come from rows. */
export type RowCheck = (typeof checksOfRows)[number]

/** Lists what needs an administrator's attention, failures first. */
export async function listConcerns(db: Db): Promise<Concern[]> {
  const [ofRows, snapshot] = await Promise.all([listRowConcerns(db), readSnapshot(db)])
  const known = new Set<string>([...checksOfRows, ...ofRows.map(({ check }) => check)])
  const others = snapshotConcerns(snapshot).filter(({ check }) => !known.has(check))
  return [...ofRows, ...others].sort((one, other) => rank(one) - rank(other))
}

const rank = ({ state }: Concern): number => (state === 'failure' ? 0 : 1)

/** Counts the concerns of each state. */
export const countConcerns = (concerns: readonly Concern[]) => ({
  failure: concerns.filter(({ state }) => state === 'failure').length,
  warning: concerns.filter(({ state }) => state === 'warning').length,
})

/** Lists the concerns that rows show; with `check`, only its findings. */
export async function listRowConcerns(db: Db, check?: RowCheck): Promise<Concern[]> {
  const [rows, full] = await Promise.all([
    oneFirst<Rows>(db)`select panel.show_concerns()`,
    listFullAccounts(db, everything),
  ])
  const concerns = [
    ...Object.entries(rows.services).flatMap(([part, why]) => toServiceConcerns(part, why)),
    ...rows.webhooks.map(webhook => toWebhookConcern(webhook, rows.webhooks)),
    ...toUnapplied(rows.unapplied),
    ...toExpiring(rows.certificates),
    ...full,
  ]
  return check === undefined ? concerns : concerns.filter(one => one.check === check)
}

function toServiceConcerns(part: string, detail: string): Concern[] {
  const found = services[part]
  if (found === undefined) return []
  const { check, service } = found
  const words = { label: 'down', subject: 'A service', detail } as const
  const remedies: Remedy[] = [{ do: 'start-service', service }]
  const about = { list: 'server' } as const
  return [{ key: `service ${part}`, check, state: 'failure', ...words, about, remedies }]
}

function toWebhookConcern(
  { id, host, trouble }: Rows['webhooks'][number],
  webhooks: Rows['webhooks'],
): Concern {
  const isAlone = webhooks.every(one => one.id === id || one.host !== host)
  return {
    ...{ key: `webhook ${id}`, check: 'webhooks/failing', state: 'failure', label: 'failing' },
    subject: isAlone ? host : `${host} (${id.slice(0, 8)})`,
    ...{ detail: troubles[trouble], about: { webhook: id } },
  }
}

function toUnapplied({ total, first }: Rows['unapplied']): Concern[] {
  const detail = 'the last change is not applied yet; it is retried automatically'
  const shared = { check: 'drift/not-applied', state: 'warning', label: 'half done' } as const
  if (total > first.length) {
    const subject = `${total.toLocaleString('en')} accounts`
    const words = `${first.join(', ')} and others: ${detail}`
    const remedies = first.map(rebuildOf)
    const about = { list: 'accounts' } as const
    return [{ key: 'unapplied', ...shared, subject, detail: words, remedies, about }]
  }
  return first.map(username => ({
    ...{ key: `unapplied ${username}`, ...shared },
    ...{ subject: username, detail, about: { account: username } },
    remedies: [rebuildOf(username)],
  }))
}

const rebuildOf = (username: string): Remedy => ({ do: 'rebuild-account', username })

const dayMs = 86_400_000

function toExpiring({ total, first }: Rows['certificates']): Concern[] {
  const concerns = first.map(({ domain, username, expires_at }): Concern => {
    const leftMs = Date.parse(expires_at) - Date.now()
    return {
      ...{ key: `certificate ${domain}`, check: 'certificates/expiry', label: 'expires soon' },
      state: leftMs < 2 * dayMs ? 'failure' : 'warning',
      subject: `Certificate of ${domain}`,
      detail: leftMs > 0 ? `expires in ${inDays(leftMs)} and has not been renewed` : 'has expired',
      remedies: [{ do: 'recheck-site', username, domain }],
      about: { account: username },
    }
  })
  if (total <= first.length) return concerns
  const more: Concern = {
    ...{ key: 'certificates', check: 'certificates/expiry' },
    ...{ state: 'warning', label: 'expires soon' },
    subject: `${(total - first.length).toLocaleString('en')} more certificates`,
    detail: 'expire within 14 days and have not been renewed',
    about: { list: 'server' },
  }
  return [...concerns, more]
}

const inDays = (ms: number): string => {
  const hours = Math.max(1, Math.round(ms / 3_600_000))
  if (hours < 48) return hours === 1 ? '1 hour' : `${hours} hours`
  return `${Math.round(hours / 24)} days`
}

type FullAccount = { username: string; percent: number; total: number }

/** Lists the accounts that the caller sees whose disk is nearly full. */
export async function listFullAccounts(db: Db, caller: Sight): Promise<Concern[]> {
  const full = await all<FullAccount>(db)`
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
  const [first] = full
  if (first === undefined) return []
  const shared = { key: 'disk', check: 'disk/accounts', state: 'warning', label: 'disk' } as const
  if (first.total === 1) {
    const detail = `its disk is ${first.percent}% full`
    return [{ ...shared, subject: first.username, detail, about: { account: first.username } }]
  }
  const names = full.map(({ username }) => username).join(', ')
  const subject = `${first.total.toLocaleString('en')} accounts above 95%`
  const detail = first.total > full.length ? `${names} and others` : names
  return [{ ...shared, subject, detail, about: { list: 'accounts' } }]
}

// Lists what root's checks found; an old snapshot also shows that the worker is not checking.
function snapshotConcerns({ content, is_old, taken_at }: Snapshot): Concern[] {
  const asOf = is_old && taken_at !== null ? { asOf: taken_at } : {}
  const found = (content?.checks ?? []).flatMap((checked): Concern[] => {
    const { name, state, sentence, advice, remedies = [] } = checked
    if (state !== 'failure' && state !== 'warning') return []
    return [
      {
        ...{ key: `check ${name}`, check: name, state, label: state },
        ...{ subject: sentence, detail: name, ...(advice === null ? {} : { advice }), remedies },
        ...asOf,
        about: { list: 'server' },
      },
    ]
  })
  return is_old ? [unchecked, ...found.filter(({ check }) => check !== unchecked.check)] : found
}

const unchecked: Concern = {
  ...{ key: 'snapshot', check: 'processes/worker', state: 'failure', label: 'down' },
  ...{ subject: 'The worker', detail: 'has not checked the server for several minutes' },
  advice: 'Check that panel-worker is running and that maintenance/snapshot is not paused',
  remedies: [
    { do: 'view', page: 'paused-tasks' },
    { do: 'run', command: 'systemctl restart panel-worker' },
  ],
  about: { list: 'server' },
}
