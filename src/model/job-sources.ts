// The kinds of work as rows of one shape (`Job` in jobs.ts). Payloads are never read, and of
// answers only the sentence of a refusal: they may hold secrets.

/** The statements for one kind of job. */
export type Source = {
  /** The job with the id `$1` within its kind. */
  one: string
  /** Jobs that have not ended, filtered. */
  open: string
  /** Jobs that have ended, filtered. */
  ended: string
}

const source = (rows: string, conditions: Source): Source => ({
  one: `${rows} where ${conditions.one}`,
  open: `${rows} ${conditions.open}`,
  ended: `${rows} ${conditions.ended}`,
})

/** Expressions for what a list is filtered by. */
export type Filtered = {
  created: string
  id: string
  /** Whether it is about the account `$3`. */
  account: string
  /** The texts that are searched. */
  searched: string
}

/**
 * The filter of a list, each part null for all: `$1` states, `$2` a task, `$3` the name of an
 * account, `$5` the earliest time, `$6` a text, `$7` and `$8` time and id of the job that the page
 * follows; `$4` how many.
 */
export const filtered = (condition: string, by: Filtered): string => `
  where ${condition}
    and ($1::text[] is null or s.state = any ($1))
    and ($2::text is null or s.task = $2)
    and ($3::text is null or ${by.account})
    and ${isOnPage(by)}
    and ($6::text is null or position($6 in lower(concat_ws(' ', s.task, ${by.searched}))) > 0)
  order by created_at desc, id
  limit $4`

const isOnPage = ({ created, id }: Pick<Filtered, 'created' | 'id'>): string => `
    ($5::timestamptz is null or ${created} >= $5)
    and ($7::timestamptz is null or ${created} <= $7 and (${created} < $7 or ${id} > $8))`

// Milliseconds between two moments.
export const between = (from: string, to: string): string =>
  `round(extract(epoch from ${to} - ${from}) * 1000)::float8`

/** The job before a parked one: the next parked one of its lane, else that which is under way. */
const behind = (id: string, from: string, order: string): string => `
    case when s.state = 'parked' then (
      select ${id} from ${from}
        and p.state <> 'done' and (p.state <> 'parked' or p.${order})
      order by p.state = 'parked' desc, p.${order.split(' ')[0]} desc
      limit 1) end as behind`

// An earlier release has counted those that were interrupted, and kept none.
const starts = `
    greatest(o.starts, (o.started_at is not null)::integer
      + coalesce((o.earlier_starts -> -1 ->> 'number')::integer, 0))`

// Operations: a request of the API, or one that the panel has asked of itself.
const operation: Filtered = {
  created: 'o.created_at',
  id: 'o.id::text',
  account: 'o.username = $3',
  searched: `o.id, o.username, o.error, o.undo_error, o.caller_words,
    case when o.status >= 400 then convert_from(o.body, 'UTF8') end`,
}
export const requests = source(
  `
  select 'request' as kind, o.id::text as id, s.task, s.state, o.username as account,
    coalesce(o.caller_words, 'the panel') as asked_by,
    ${starts} as tries, o.created_at, case when o.finished_at is null then o.due_at end as due_at,
    o.started_at, o.finished_at,
    ${between('o.created_at', 'coalesce(o.started_at, o.finished_at, now())')} as waited_ms,
    ${between('o.started_at', 'coalesce(o.finished_at, now())')} as ran_ms,
    nullif(concat_ws('; its undo failed: ', o.error, o.undo_error), '') as error,
    case when o.status >= 400 and not o.is_sealed then o.body end as refusal, ${behind(
      'p.id::text',
      `panel.operations p where p.lane = o.lane
        and p.state in ('parked', 'queued', 'running', 'undoing')`,
      'arrival < o.arrival',
    )}
  from panel.operations o
  cross join lateral (
    select coalesce(o.name, 'request') as task,
      case
        when o.is_cancelled then 'cancelled'
        -- Only past the API one is left as it was claimed.
        when o.state = 'claimed' then 'queued'
        when o.state = 'done' and o.status >= 400 then 'refused'
        else o.state
      end as state) s
`,
  {
    one: 'o.id = $1::uuid',
    open: filtered(`o.state in ('parked', 'queued', 'running', 'undoing')`, operation),
    ended: filtered(`o.state in ('done', 'failed')`, operation),
  },
)

// `ran_ms` is the sum of the tries, without the waits between them.
const delivery: Filtered = {
  created: 'd.created_at',
  id: 'd.id::text',
  account: `d.event_id in (
      select a.id from panel.events a
      where a.account_id in (select id from panel.accounts where username = $3))`,
  searched: "d.id, d.webhook_id, e.name, e.data ->> 'username', y.error",
}
export const deliveries = source(
  `
  select 'delivery' as kind, d.id::text as id, s.task, s.state, e.data ->> 'username' as account,
    case
      when e.is_test then 'a test of the webhook'
      when d.redelivery_of is not null then 'a redelivery of ' || d.redelivery_of
      else 'the event ' || e.name
    end as asked_by,
    d.tries, d.created_at, case when d.finished_at is null then d.due_at end as due_at,
    y.started_at, d.finished_at,
    ${between('d.created_at', 'coalesce(y.started_at, d.finished_at, now())')} as waited_ms,
    y.ran_ms, y.error, null::bytea as refusal, 
    case when s.state = 'parked' then (
      select p.id::text from panel.deliveries p
      where p.webhook_id = d.webhook_id and p.state = 'due' and not p.is_parked
      order by p.event_id
      limit 1) end as behind
  from panel.deliveries d
  join panel.events e on e.id = d.event_id
  left join courier_queue.jobs j on j.id = d.queue_job_id
  cross join lateral (
    select 'webhook/deliver' as task,
      case
        when d.state = 'delivered' then 'done'
        when d.state <> 'due' then d.state
        when d.is_parked then 'parked'
        when j.locked_at is not null then 'running'
        else 'queued'
      end as state) s
  cross join lateral (
    select min(y.started_at) as started_at, sum(y.duration_ms)::float8 as ran_ms,
      (array_agg(y.error order by y.number desc))[1] as error
    from panel.tries y where y.delivery_id = d.id) y`,
  {
    one: 'd.id = $1::uuid',
    open: filtered(`d.state = 'due'`, delivery),
    // The latest of each webhook by its index: quick however many deliveries there are.
    ended: filtered(
      `d.id in (
      select l.id
      from panel.webhooks w
      cross join lateral (
        select d.id
        from panel.deliveries d
        where d.webhook_id = w.id and d.state <> 'due'
          and ($1::text[] is null
            or case d.state when 'delivered' then 'done' else d.state end = any ($1))
          and ($3::text is null or ${delivery.account})
          and ${isOnPage(delivery)}
        order by d.created_at desc, d.id::text
        limit case when $6::text is null then $4 end) l)`,
      delivery,
    ),
  },
)

// All hook scripts of one event. `tries` is that of the script with the most.
const hookRun: Filtered = {
  created: 'r.created_at',
  id: "'hook:' || r.event_id",
  account: `e.data ->> 'username' = $3`,
  searched: "'hook:' || r.event_id, e.name, e.data ->> 'username', r.error, y.error",
}
export const hookRuns = source(
  `
  select 'hook run' as kind, 'hook:' || r.event_id as id, s.task, s.state,
    e.data ->> 'username' as account, 'the event ' || e.name as asked_by,
    coalesce(y.tries, 0)::integer as tries, r.created_at, null::timestamptz as due_at,
    r.started_at, r.finished_at,
    ${between('r.created_at', 'coalesce(r.started_at, r.finished_at, now())')} as waited_ms,
    ${between('r.started_at', 'coalesce(r.finished_at, now())')} as ran_ms,
    coalesce(r.error, y.error) as error, null::bytea as refusal, ${behind(
      `'hook:' || p.event_id`,
      'panel.hook_runs p where p.account_id = r.account_id',
      'event_id < r.event_id',
    )}
  from panel.hook_runs r
  join panel.events e on e.id = r.event_id
  cross join lateral (
    select max(n.tries) as tries, min(n.error) as error
    from (
      select count(*) as tries,
        min(h.name || ': ' || h.reason) filter (
          where not h.is_repeated and h.outcome in ('failed', 'timed_out', 'refused')) as error
      from panel.script_runs h where h.event_id = r.event_id
      group by h.name) n) y
  cross join lateral (
    select 'hook/run' as task,
      case
        when r.is_cancelled then 'cancelled'
        when r.state <> 'done' then r.state
        when r.error is not null or y.error is not null then 'failed'
        else 'done'
      end as state) s`,
  {
    one: 'r.event_id = $1::bigint',
    open: filtered(`r.state <> 'done'`, hookRun),
    ended: filtered(`r.state = 'done'`, hookRun),
  },
)
