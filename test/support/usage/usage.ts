import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import type { SiteBytes } from '../../../src/model/server/logs-host.ts'
import { alice, openPanel, type Panel } from '../panel.ts'
import { until } from '../until.ts'

export type UsageTest = {
  panel: Panel
  /** The path of the websites' access log. */
  log: string
  /** Ids of the sites, by their account. */
  sites: { alice: string; bob: string }
  /** Has the worker run a job to its end. */
  turn: (job?: string) => Promise<void>
  /** Bytes by account and month, as `alice 2026-01: 100`. */
  sums: () => Promise<string[]>
  /** Deletes all logs, positions and sums. Not while a job runs. */
  begin: () => Promise<void>
}

/** A panel with a website of alice's and one of bob's. */
export async function openUsage(t: Test, { hasWorker = true } = {}): Promise<UsageTest> {
  const panel = await openPanel(t, { hasWorker: false })
  const worker = await panel.startWorker()
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  await panel.call('POST', '/api/v1/accounts', { body: alice })
  await panel.call('POST', '/api/v1/accounts', {
    body: { ...alice, username: 'bob', domain: 'bob.example' },
  })
  if (!hasWorker) await worker.stop()
  const { rows } = await panel.pool.query<{ username: 'alice' | 'bob'; id: string }>(
    `select a.username, s.id from panel.sites s join panel.accounts a on a.id = s.account_id`,
  )
  const siteOf = (name: string) => rows.find(({ username }) => username === name)!.id
  const log = join(panel.root, 'var/log/nginx/panel-access.log')
  const begin = async () => {
    rmSync(dirname(log), { recursive: true, force: true })
    mkdirSync(dirname(log), { recursive: true })
    await panel.pool.query('truncate panel.log_positions, panel.bandwidth_usage')
  }
  await begin()
  return {
    panel,
    log,
    sites: { alice: siteOf('alice'), bob: siteOf('bob') },
    turn: async (job = 'usage/bandwidth') => {
      const id = await enqueue(panel, job)
      await until(async () => {
        const found = 'select from worker_queue.jobs where id = $1'
        return (await panel.pool.query(found, [id])).rowCount === 0
      })
    },
    sums: async () => {
      const { rows } = await panel.pool.query<{ sum: string }>(
        `select a.username || ' ' || to_char(b.month, 'YYYY-MM') || ': ' || b.bytes as sum
         from panel.bandwidth_usage b join panel.accounts a on a.id = b.account_id order by 1`,
      )
      return rows.map(({ sum }) => sum)
    },
    begin,
  }
}

export async function enqueue(panel: Panel, job: string): Promise<string> {
  const { rows } = await panel.pool.query<{ id: string }>(
    `select id from worker_queue.add_job($1, '{}', job_key => $1)`,
    [job],
  )
  return rows[0]!.id
}

/** A line as nginx writes it. */
export const line = (site: string, bytes: number, time = '2026-01-15T12:00:00.000Z'): string =>
  `${(Date.parse(time) / 1000).toFixed(3)} ${site} ${bytes} 345 200\n`

export const append = (path: string, ...lines: string[]): void =>
  appendFileSync(path, lines.join(''))

export const sumOf = (sums: SiteBytes[]): string[] =>
  sums.map(({ site, month, bytes }) => `${site} ${month}: ${bytes}`)
