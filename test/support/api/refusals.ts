import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { createToken } from '../../../src/model/signing-in/tokens.ts'
import { alice, openPanel, type Answer, type Panel } from '../panel.ts'
import { until } from '../until.ts'
import { exchange, toBytes, type Header, type Sent } from './exchange.ts'

export type { Header, Sent }

// The tables of bad input share the rules for every refusal, and the state that it must not change.

/** Without `isRecorded` the status decides whether a repeat is answered from the record. */
export type Refusal = { status: number; error: RegExp; isRecorded?: boolean }

export type Refused = readonly [title: string, sent: Sent, refusal: Refusal]

export type Refusals = {
  panel: Panel
  /** Sends with a valid token, unless a header says otherwise. */
  send: (sent: Sent) => Promise<Answer>
  /** Sends each twice; asserts the answers, their records, and that all else is unchanged. */
  refuse: (t: Test, ...cases: Refused[]) => Promise<void>
}

export const jsonType: Header = ['Content-Type', 'application/json']

export const putPackage = { method: 'PUT', path: '/api/v1/packages/starter', headers: [jsonType] }
export const createAccount = { method: 'POST', path: '/api/v1/accounts', headers: [jsonType] }
export const suspend = {
  method: 'POST',
  path: '/api/v1/accounts/alice/suspend',
  headers: [jsonType],
}
export const unsuspend = { ...suspend, path: '/api/v1/accounts/alice/unsuspend' }

/** Two bodies that are accepted; the account alice exists. */
export const starter = {
  max_sites: 5,
  disk_mb: 1_024,
  memory_mb: 512,
  cpu_percent: 100,
  sftp: true,
}
export const bob = { ...alice, username: 'bob', email: 'bob@example.com', domain: 'bob.example' }

/** Bob's account with one field spoilt, which the refusal has to name. */
export const spoilt = (field: keyof typeof bob, value: unknown, error?: RegExp): Refused => [
  `${field} ${shown(value)}`,
  { ...createAccount, body: { ...bob, [field]: value } },
  { status: 400, error: error ?? new RegExp(`^${field}\\b`) },
]

/** A panel with the package `starter` and the account alice. */
export const openRefusals = async (t: Test): Promise<Refusals> => refusalsOn(await openPanel(t))

/**
 * The same on an existing panel: everything but starter and alice is deleted, and the token, its
 * keys and its share of the rate limit are new.
 */
export async function refusalsOn(opened: Panel): Promise<Refusals> {
  const { token } = await createToken(opened.pool, { owner: 'admin', name: 'refusals' })
  const call: Panel['call'] = (method, path, options) =>
    opened.call(method, path, { token, ...options })
  const panel = { ...opened, token, call }
  await emptied(panel)

  const send: Refusals['send'] = sent =>
    exchange(panel.baseUrl, toBytes(withHeader(sent, 'Authorization', `Bearer ${panel.token}`)))

  const refuse: Refusals['refuse'] = async (t, ...cases) => {
    const keys = cases.map(() => randomUUID())
    await untilIdle(panel)
    const before = await readState(panel, keys)
    const answers = await Promise.all(
      cases.map(async ([, given], index) => {
        const sent = withHeader(given, 'Idempotency-Key', keys[index]!)
        return [await send(sent), await send(sent)] as const
      }),
    )
    const after = await readState(panel, keys)
    for (const [index, [title, given, refusal]] of cases.entries()) {
      const [first, again] = answers[index]!
      const record = after.records[keys[index]!]
      const about = record?.username ?? ''
      t.ok(JSON.stringify(given).includes(about), `${title} names only the values in question`)
      const isRecorded = refusal.isRecorded ?? [400, 402, 403, 404].includes(refusal.status)
      t.strictSame(
        {
          first: seen(first, refusal.error),
          again: [again.status, again.text, again.headers.get('idempotent-replayed')],
          record: record === undefined ? null : { ...record, username: null },
        },
        {
          first: { ...refused, status: refusal.status },
          again: [first.status, first.text, isRecorded ? 'true' : null],
          record: isRecorded ? { ...decidable, status: first.status, body: first.text } : null,
        },
        title,
        { answer: shown(first.body), desired: String(refusal.error) },
      )
    }
    t.strictSame(after.rows, before.rows, 'nothing else is written')
    t.strictSame(
      after.jobs.filter(id => !before.jobs.includes(id)),
      [],
      'nothing is enqueued',
    )
  }
  return { panel, send, refuse }
}

async function emptied({ pool, call }: Panel): Promise<void> {
  const { rows } = await pool.query<{ path: string }>(
    `select '/accounts/' || username as path from panel.accounts
     where username <> 'alice' and state <> 'terminated'`,
  )
  await Promise.all(rows.map(({ path }) => call('DELETE', `/api/v1${path}`)))
  const { body } = await call('GET', '/api/v1/packages')
  for (const { name } of body.packages.filter(
    (each: { name: string }) => each.name !== 'starter',
  )) {
    await call('DELETE', `/api/v1/packages/${encodeURIComponent(name)}`)
  }
  await call('PUT', '/api/v1/packages/starter', { body: starter })
  await call('POST', '/api/v1/accounts', { body: alice })
}

/** Asserts what every refusal has to be. */
export function isRefusal(
  t: Test,
  title: string,
  answer: Answer,
  { status, error }: Refusal,
): void {
  t.strictSame(seen(answer, error), { ...refused, status }, title, {
    answer: shown(answer.body),
    desired: String(error),
  })
}

/** A value as a title can show it: short, and in printable ASCII. */
export const shown = (value: unknown): string =>
  `${JSON.stringify(value)}`
    .replace(/[^ -~]/g, character => `\\u${character.charCodeAt(0).toString(16)}`)
    .slice(0, 80)

function withHeader(sent: Sent, name: string, value: string): Sent {
  const headers = sent.headers ?? []
  const isGiven = headers.some(([given]) => given.toLowerCase() === name.toLowerCase())
  return isGiven ? sent : { ...sent, headers: [[name, value], ...headers] }
}

// The fields of an answer, and those of a refusal.
function seen({ status, headers, text, body }: Answer, error: RegExp) {
  const answer: unknown = body?.error
  const sentence = typeof answer === 'string' ? answer : ''
  const clauses = sentence.split('; ')
  return {
    status,
    type: headers.get('content-type'),
    hasWholeLength: headers.get('content-length') === String(Buffer.byteLength(text)),
    hasRequestId: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(
      headers.get('x-request-id') ?? '',
    ),
    hasReason: /^[a-z_]+$/.test(headers.get('x-panel-reason') ?? ''),
    isReplay: headers.has('idempotent-replayed'),
    fields: Object.keys(body ?? {}),
    // A sentence of one line.
    isSentence: /^[^\p{Cc}\p{Cs}\u2028\u2029]{8,1000}$/u.test(sentence),
    saysItTwice: new Set(clauses).size < clauses.length,
    isReporting: error.test(sentence),
    isInternal: internals.test(text),
  }
}

const refused = {
  type: 'application/json',
  hasWholeLength: true,
  hasRequestId: true,
  hasReason: true,
  isReplay: false,
  fields: ['error'],
  isSentence: true,
  saysItTwice: false,
  isReporting: true,
  isInternal: false,
}

// Traces of a stack, of V8's messages, of SQL and of PostgreSQL's messages; the tests' password,
// and any token.
export const internals = new RegExp(
  [
    /correct horse|pnl_/,
    /\bat .+:\d+:|node_modules|\.ts\b|\bError:|Unexpected (token|end)/,
    /violates|constraint|relation "|invalid byte|syntax error/,
    /\b(insert into|delete from|select .+ from)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
)

// The record of an operation that was answered without any work.
const decidable = {
  state: 'done',
  account_id: null,
  username: null,
  queue_job_id: null,
}

export type State = {
  /** The operations of the given keys. */
  records: Record<string, { username: string | null } | undefined>
  /** For each table the number of rows and who wrote them, so that any write shows. */
  rows: Record<string, string>
  jobs: string[]
}

/** Earlier requests may have jobs in progress: packages reach their accounts by jobs. */
export const untilIdle = ({ pool }: Panel) =>
  until(async () => {
    const { rows } = await pool.query(
      `select from panel.packages where apply_after is not null
       union all select from panel.operations
         where name is not null and state not in ('done', 'failed')
       union all select from worker_queue._private_jobs`,
    )
    return rows.length === 0
  })

/** All that a request could have written; the records of the given keys are separate. */
export async function readState({ pool }: Panel, keys: string[]): Promise<State> {
  // `xmin` is the transaction that wrote a row, or wrote it again.
  const written = (table: string) =>
    `'${table}', (
      select count(*) || ' by ' || coalesce(sum(xmin::text::bigint), 0) from panel.${table})`
  const tables = ['packages', 'accounts', 'sites', 'site_names', 'sign_ons', 'events', 'deliveries']
  const { rows } = await pool.query<State>(
    `select
       (select coalesce(jsonb_object_agg(key, to_jsonb(o) - 'key'), '{}') from (
         select key, state, status, account_id, username, queue_job_id,
           case when not is_sealed then convert_from(body, 'UTF8') end as body
         from panel.operations where key = any ($1)) o) as records,
       jsonb_build_object(
         ${[...tables, 'tokens'].map(written)},
         ${written('operations where key <> all ($1)')}) as rows,
       (select coalesce(jsonb_agg(id), '[]') from worker_queue._private_jobs) as jobs`,
    [keys],
  )
  return rows[0]!
}
