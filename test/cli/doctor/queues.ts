import { openLocks } from '../../../src/queue/locks.ts'
import type { WholePanel } from '../../support/cli/whole-panel.ts'
import { statements } from './breaking.ts'
import type { Staged } from './staged.ts'

// Faults in the queues, and in the rows behind their jobs.

export function brokenQueues({ pool, postgres }: WholePanel): Staged[] {
  const sql = statements(pool)
  const job = (queue: string, more: string) =>
    sql(
      `select ${queue}.add_job('staged/job', '{}'::json, job_key => 'staged');
       update ${queue}._private_jobs set ${more} where key = 'staged'`,
      `delete from ${queue}._private_jobs where key = 'staged'`,
    )
  const operation = (state: string, more = '', values = '') =>
    sql(
      `insert into panel.operations (name, account_id, username, state, created_at ${more})
       select 'account/apply', id, username, '${state}', now() - interval '1 hour' ${values}
       from panel.accounts where username = 'alice'`,
      `delete from panel.operations where created_at < now() - interval '30 min'`,
    )
  const deliveries = (state: string, created: string, finished: string) =>
    sql(
      `insert into panel.deliveries
         (webhook_id, event_id, state, created_at, finished_at, queue_job_id)
       select w.id, (select min(id) from panel.events), '${state}', ${created}, ${finished}, 1
       from panel.webhooks w, generate_series(1, 100) n`,
      'delete from panel.deliveries',
    )

  return [
    {
      check: 'queue/failed-jobs',
      state: 'warning',
      words: /1 job failed for good: staged\/job courier:\d+/,
      broken: job('courier_queue', 'attempts = max_attempts'),
    },
    {
      check: 'queue/late-jobs',
      state: 'failure',
      words: /due for 10 minutes/,
      broken: job(
        'worker_queue',
        `run_at = now() - interval '1 hour',
        created_at = now() - interval '10 min'`,
      ),
    },
    {
      check: 'queue/dead-workers',
      state: 'failure',
      words: /died still lock 1 job/,
      broken: job('worker_queue', `locked_by = 'dead', locked_at = now() - interval '1 min'`),
    },
    {
      check: 'queue/slow-jobs',
      state: 'warning',
      words: /running for over 10 minutes: staged\/job worker:\d+/,
      async broken() {
        const locks = await openLocks(postgres.url, 'panel_worker', () => undefined)
        await locks.lockPool('alive')
        const more = `locked_by = 'alive', locked_at = now() - interval '1 hour'`
        const mend = await job('worker_queue', more)()
        return async () => {
          await mend()
          await locks.close()
        }
      },
    },
    {
      check: 'queue/old-operations',
      state: 'warning',
      words: /account\/apply alice \(running\)/,
      broken: operation('running'),
    },
    {
      check: 'queue/old-operations',
      state: 'warning',
      words: /Started over 10 minutes ago and not finished: operation [0-9a-f-]{36} \(claimed\)/,
      broken: sql(
        `insert into panel.operations (key, fingerprint, created_at)
         values ('claimed', sha256('x'), now() - interval '1 hour')`,
        `delete from panel.operations where key = 'claimed'`,
      ),
    },
    {
      check: 'queue/interrupted-operations',
      state: 'warning',
      words: /alice \(4 starts\)/,
      broken: operation('running', ', starts', ', 4'),
    },
    {
      check: 'queue/blocked-operations',
      state: 'failure',
      words: /nothing is ahead of them: account\/apply alice$/,
      async broken() {
        const mend = await operation('blocked')()
        // In the lane of the server one is behind the other.
        await pool.query(
          `insert into panel.operations (name, is_server, state, created_at)
           select 'server/apply', true, state, now() - interval '1 hour'
           from unnest(array['running', 'blocked']) as state`,
        )
        return mend
      },
    },
    {
      check: 'queue/failed-operations',
      state: 'warning',
      words: /alice: quota broke/,
      broken: operation('failed', ', finished_at, error', `, now(), 'quota broke'`),
    },
    {
      check: 'queue/schedule',
      state: 'warning',
      words: /Scheduled maintenance is overdue: usage\/disk/,
      broken: sql(
        `insert into worker_queue._private_known_crontabs
         values ('usage/disk', now() - interval '2 days', now() - interval '4 hours');
         update panel.processes set started_at = now() - interval '1 day'`,
        `delete from worker_queue._private_known_crontabs;
         update panel.processes set started_at = now()`,
      ),
    },
    {
      check: 'queue/hook-scripts',
      state: 'warning',
      words: /mail\.sh \(failed\)/,
      broken: sql(
        `insert into panel.hook_runs (event_id, state, finished_at)
         select min(id), 'done', now() from panel.events;
         insert into panel.script_runs (id, event_id, name, path, outcome, reason, exit_code)
         select gen_random_uuid(), event_id, 'mail.sh', '/hooks/mail.sh', 'failed', 'It ended', 1
         from panel.hook_runs`,
        'delete from panel.hook_runs',
      ),
    },
    {
      check: 'queue/paused',
      state: 'warning',
      words: /Paused tasks: webhook\/deliver since 2/,
      broken: sql(
        `insert into panel.paused_tasks (task) values ('webhook/deliver')`,
        'delete from panel.paused_tasks',
      ),
    },
    {
      check: 'mail/own',
      state: 'warning',
      words: /has not been sent since 2.*: 535 wrong password/,
      broken: sql(
        `update panel.own_mail_state set failed_at = now(), error = '535 wrong password'`,
        'update panel.own_mail_state set failed_at = null, error = null',
      ),
    },
    {
      check: 'webhooks/failed-deliveries',
      state: 'warning',
      words: /failed in the last day: [0-9a-f-]{36} \(\d+, no attempt\)/,
      broken: deliveries('failed', `now() - n * interval '1 hour'`, 'now()'),
    },
    {
      check: 'webhooks/failing',
      state: 'failure',
      words: /: every delivery has failed for days/,
      broken: deliveries('failed', `now() - n * interval '1 hour'`, 'now()'),
    },
    {
      check: 'webhooks/backlog',
      state: 'warning',
      words: /100 deliveries are due, the oldest for 2 hours/,
      broken: deliveries('due', `now() - interval '2 hours'`, 'null'),
    },
    {
      check: 'backups/paused',
      state: 'warning',
      words: /was restored; it has been paused since 2.*: 0 deliveries wait/,
      broken: sql(
        'update panel.server set paused_since = now()',
        'update panel.server set paused_since = null',
      ),
    },
    {
      check: 'backups/age',
      state: 'warning',
      words: /The newest backup was made 9 days ago/,
      broken: sql(
        `update panel.backups set started_at = started_at - interval '9 days'`,
        `update panel.backups set started_at = started_at + interval '9 days'`,
      ),
    },
    {
      check: 'backups/age',
      state: 'warning',
      words: /There is no backup of this server/,
      broken: sql(
        `create table kept as select * from panel.backups; delete from panel.backups`,
        `insert into panel.backups select * from kept; drop table kept`,
      ),
    },
    {
      check: 'webhooks/secrets',
      state: 'failure',
      words: /does not decrypt the secrets/,
      broken: sql(
        `update panel.webhooks set secret = '\\x00'::bytea || secret`,
        'update panel.webhooks set secret = substr(secret, 2)',
      ),
    },
  ]
}
