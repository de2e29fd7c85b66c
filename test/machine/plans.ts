import type { ChildProcess } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Test } from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { openPanel, type Panel } from '../support/panel.ts'
import { startProcess } from '../support/processes.ts'
import { reportErrors } from './machine.ts'
import type { ToolMoment } from './stuck-tools.ts'

// Plans of faults in steps of an account, or of the courier (fixtures/ carry them out).

/** `inTool` is for hangs: in the first tool that the step runs, or after a step that runs none. */
export type Plan = {
  step: string
  how: 'fail' | 'hang' | 'kill'
  moment: 'before' | 'after' | ToolMoment
}

/** The worker is to die once in each tool of these steps, at both moments. */
export type Killing = { operation: string; steps: string[] }

const folder = '/tmp/plans'

export function plan(username: string, ...plans: Plan[]): void {
  writeFileSync(`${folder}/${username}`, JSON.stringify(plans))
}

/** Makes the worker die in the tools of an account's steps, until this is changed. */
export function killInTools(username: string, operation: string, steps: string[]): void {
  const killing: Killing = { operation, steps }
  writeFileSync(`${folder}/${username}.tools`, JSON.stringify(killing))
}

/** The deaths in tools that an operation has been through: `STEP: TOOL, MOMENT`. */
export const killsIn = (operation: string): string[] =>
  linesOf('kills').flatMap(line =>
    line.startsWith(`${operation}, `) ? [line.slice(operation.length + 2)] : [],
  )

/** Whether the whole plan has happened. */
export const isExecuted = (username: string): boolean => !existsSync(`${folder}/${username}`)

/** The tools that have hung, each with its step. */
export const hungTools = (): string[] => [...new Set(linesOf('hung'))]

/** The latest user number of an account of this name. */
export function uidOf(username: string): number {
  const line = linesOf('uids').findLast(line => line.startsWith(`${username} `))
  return Number(line?.split(' ')[1])
}

const linesOf = (file: string): string[] =>
  readFileSync(`${folder}/${file}`, 'utf8').trim().split('\n')

/** Keeps a worker with plans running; a killed one is replaced at once. */
export const keepWorker = (
  t: Test,
  { databaseUrl, root }: Pick<Panel, 'databaseUrl' | 'root'>,
): Promise<void> => keep(t, 'worker', [databaseUrl, folder, dirname(root)])

/** A panel whose worker is kept running, with the packages that accounts change between. */
export async function openStagedPanel(t: Test) {
  const panel = await openPanel(t, { hasWorker: false })
  await keepWorker(t, panel)
  await panel.call('PUT', '/api/v1/packages/starter', { body: { memory_mb: 64, max_sites: 2 } })
  await panel.call('PUT', '/api/v1/packages/other', { body: { memory_mb: 96, sftp: false } })
  const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
  return {
    ...panel,
    /** `panel site`, as root. */
    site: (...words: string[]) =>
      callPanel(['site', ...words, '--yes', '--wait', '300'], environment),
  }
}

/** The steps of an operation of one website. */
export const siteSteps = {
  add: ['home', 'websites'],
  rm: [
    ...['home', 'websites', 'set aside old folders', 'remove old certificates'],
    'clear old websites',
  ],
}

/** The names of the events of a website, the oldest first. */
export async function eventsOf({ pool }: Pick<Panel, 'pool'>, domain: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select name from panel.events
     where name like 'site.%' and data ->> 'domain' = $1 order by id`,
    [domain],
  )
  return rows.map(({ name }) => name)
}

/** Keeps a courier running likewise; its plans are named `courier`. */
export const keepCourier = (t: Test, environment: Record<string, string>): Promise<void> =>
  keep(t, 'courier', [folder], environment)

async function keep(
  t: Test,
  name: string,
  args: string[],
  environment: Record<string, string> = {},
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const file of ['hung', 'kills']) writeFileSync(`${folder}/${file}`, '')
  let isOver = false
  let current: ChildProcess | undefined
  t.teardown(() => {
    isOver = true
    current?.kill('SIGKILL')
  })
  const start = () =>
    startProcess(t, `test/machine/fixtures/${name}.ts`, args, {
      ready: / ready/,
      onOutput: reportUnstaged,
      onSpawn: child => (current = child),
      environment,
    })
  const replace = async (): Promise<void> => {
    while (!isOver) {
      // A planned death may come before it says that it is ready.
      const next = await start().catch(() => undefined)
      await next?.exited
    }
  }
  void (await start()).exited.then(replace)
}

const reportUnstaged = (text: string): void =>
  reportErrors(
    text
      .split('\n')
      .filter(line => !/staged|did not end within 300 ms/.test(line))
      .join('\n'),
  )
