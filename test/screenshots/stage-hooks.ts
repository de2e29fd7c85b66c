import type { Db } from '../../src/db.ts'

// Webhooks, deliveries, hook scripts and a job that has failed, under ids that pictures go by.

export const id = (last: string): string => `0b1c3c1e-7d5c-4a3e-9b1a-${last.padStart(12, '0')}`

const receivers: [last: string, url: string, events: string[] | null][] = [
  ['b001', 'https://billing.example.com/hooks/panel?tenant=4711', null],
  ['b002', 'https://crm.example.org/panel', ['account.created', 'account.deleted']],
  ['b003', 'https://status.example.net:8443/in', ['ssl.issued']],
  [
    'b004',
    'https://chat.example.com/services/T024/B024/panel',
    ['account.suspended', 'account.unsuspended', 'site.created'],
  ],
]

// The webhook, event, state, errors of the attempts and age of each.
const sent: [
  last: string,
  webhook: string,
  event: string,
  state: string,
  attempts: (string | null)[],
  seconds: number,
][] = [
  ['d001', 'b002', 'account.suspended', 'delivered', [null], 8],
  [
    'd002',
    'b001',
    'account.created',
    'failed',
    ['Answered 500', 'No response within 10 s', 'Answered 500'],
    125,
  ],
  ['d003', 'b002', 'site.created', 'delivered', [null], 128],
  ['d004', 'b001', 'ssl.issued', 'due', ['Answered 503'], 9],
  ['d005', 'b004', 'account.suspended', 'delivered', ['Answered 429', null], 940],
  ['d006', 'b001', 'account.deleted', 'cancelled', [], 1_900],
  ['d007', 'b004', 'site.created', 'delivered', [null], 3_700],
]

const answer = '<html><h1>Server Error</h1>SQLSTATE[HY000] [2002] Connection refused</html>'

export async function stageHooks(pool: Db): Promise<void> {
  for (const [last, url, events] of receivers) {
    await pool.query(
      `insert into panel.webhooks (id, url, secret, events, created_at)
       values ($1, $2, $3, $4, now() - interval '40 days')`,
      [id(last), url, Buffer.alloc(60), events],
    )
  }
  for (const [index, [last, webhook, name, state, attempts, seconds]] of sent.entries()) {
    const data = {
      username: 'hanna',
      email: 'hanna@example.com',
      package: 'starter',
      domain: 'hanna.example',
    }
    const body = { event: name, time: 1_795_349_051, server: 'panel.example.com', data }
    const event = 100_001 + index
    await pool.query(
      `insert into panel.events (id, name, body, data, created_at) overriding system value
       values ($1, $2, $3, $4, now() - make_interval(secs => $5))`,
      [event, name, Buffer.from(JSON.stringify(body)), data, seconds],
    )
    await pool.query(
      `insert into panel.deliveries (id, webhook_id, event_id, state, attempts, is_blocked,
         queue_job_id, due_at, created_at, finished_at)
       values ($1, $2, $3, $4, $5, false, 1, now() + interval '1 hour',
         now() - make_interval(secs => $6),
         case when $4 <> 'due' then now() - make_interval(secs => $6 - 2) end)`,
      [id(last), id(webhook), event, state, attempts.length, seconds],
    )
    for (const [number, error] of attempts.entries()) {
      await pool.query(
        `insert into panel.attempts (delivery_id, number, started_at, duration_ms, status, error,
           answer)
         values ($1, $2, now() - make_interval(secs => $3), $4, $5, $6, $7)`,
        [
          ...[id(last), number + 1, seconds - [0, 5, 45][number]!],
          ...[error?.includes('10 s') ? 10_000 : 187 + 25 * number],
          error === null ? 204 : Number(/\d{3}$/.exec(error)?.[0] ?? 0) || null,
          ...[error, error?.startsWith('Answered 500') ? Buffer.from(answer) : null],
        ],
      )
    }
  }
  await stageOutcomes(pool)
  await stageScripts(pool)
  await stageFailure(pool)
}

// Two days of deliveries, some of which have failed.
async function stageOutcomes(pool: Db): Promise<void> {
  for (const [last, every] of [
    ['b001', 6],
    ['b002', 1_000],
    ['b004', 17],
  ] as const) {
    await pool.query(
      `with made as (
         insert into panel.events (name, body, data, created_at)
         select 'account.created', '{"event":"account.created"}', '{"username":"kiosk"}',
           now() - n * interval '47 minutes'
         from generate_series(2, 60) n returning id, created_at
       ), delivered as (
         insert into panel.deliveries (webhook_id, event_id, state, attempts, queue_job_id,
           created_at, finished_at)
         select $1, m.id, case when m.id % $2 = 0 then 'failed' else 'delivered' end, 1, 1,
           m.created_at, m.created_at
         from made m returning id, state, created_at
       )
       insert into panel.attempts (delivery_id, number, started_at, duration_ms, status, error)
       select id, 1, created_at, 120 + extract(minute from created_at)::int,
         case state when 'failed' then 500 else 204 end,
         case state when 'failed' then 'Answered 500' end
       from delivered`,
      [id(last), every],
    )
  }
}

async function stageScripts(pool: Db): Promise<void> {
  await pool.query(`
    insert into panel.hook_runs (event_id, state, created_at, started_at, finished_at)
    select id, 'done', created_at, created_at, created_at + interval '3 seconds'
    from panel.events where id in (100001, 100002)`)
  await pool.query(
    `insert into panel.script_runs (id, event_id, name, path, outcome, reason, exit_code, stdout,
       stderr, started_at, duration_ms)
     values
       (gen_random_uuid(), 100001, '10-write-down',
         '/etc/panel/hooks/account.suspended.d/10-write-down', 'succeeded', null, 0, '', '',
         now() - interval '8 seconds', 31),
       (gen_random_uuid(), 100001, '20-notify', '/etc/panel/hooks/account.suspended.d/20-notify',
         'failed', 'ended with exit code 7', 7, 'sending to chat.example.com', $1,
         now() - interval '7 seconds', 2140),
       (gen_random_uuid(), 100002, '30-dns', '/usr/local/sbin/dns-sync', 'refused',
         'may be written by its group', null, '', '', now() - interval '2 minutes', null)`,
    ['curl: (6) Could not resolve host: chat.example.com\n'],
  )
}

// A job of the panel's own that was started twice.
async function stageFailure(pool: Db): Promise<void> {
  const steps = [
    { step: 'user', at_ms: 2, ms: 11 },
    { step: 'quota', at_ms: 13, ms: 4 },
    { step: 'slice', at_ms: 17, ms: 22 },
    { step: 'home', at_ms: 39, ms: 9 },
    {
      step: 'php',
      at_ms: 48,
      ms: 5_031,
      failed: true,
      error: 'php-fpm8.4 did not answer within 5 s',
    },
  ]
  const earlier = [
    { number: 1, error: 'The worker was stopped meanwhile', steps: steps.slice(0, 3) },
  ]
  await pool.query(
    `insert into panel.operations (id, name, state, username, account_id, error, steps,
       earlier_starts, starts, created_at, started_at, finished_at)
     select $1, 'account/apply', 'failed', username, id, 'php-fpm8.4 did not answer within 5 s',
       $2, $3, 1, now() - interval '6 minutes', now() - interval '5 minutes',
       now() - interval '295 seconds'
     from panel.accounts where username = 'vinyl'`,
    [id('1'), JSON.stringify(steps), JSON.stringify(earlier)],
  )
  // And what its people have asked for themselves.
  await pool.query(
    `insert into panel.operations (id, name, state, status, body, username, account_id,
       caller_words, created_at, started_at, finished_at)
     select case username when 'rob' then $1::uuid else $2::uuid end, 'account/set-password',
       'done', 200, '{}', username, id, username, now() - interval '9 minutes',
       now() - interval '9 minutes', now() - interval '539 seconds'
     from panel.accounts where username in ('rob', 'alice')`,
    [id('2'), id('3')],
  )
  await pool.query(`insert into panel.paused_tasks (task, paused_at)
    values ('usage/disk', now() - interval '20 minutes')`)
}
