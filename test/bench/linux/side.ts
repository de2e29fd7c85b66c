import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { migrate } from '../../../src/migrate.ts'
import { makeDatabase, makeTokens } from '../panel.ts'
import type { Bench } from '../row.ts'
import type { Asked, Reported } from './machine.ts'
import type { AskedOfSites, ReportedOfSites } from './sites.ts'
import type { AskedOfWeb } from './web.ts'

const root = join(import.meta.dirname, '../../..')

/** A side in a copy of the machine of its own, started by systemd, which ends with it. */
export type Side<Ask = Asked | AskedOfWeb, Report = Reported> = AsyncDisposable & {
  ask: (asked: Ask) => Promise<Report>
}

const files: Record<string, string> = { web: 'web.ts', sites: 'sites.ts', mail: 'mail.ts' }

export async function openSide<Ask = Asked | AskedOfWeb, Report = Reported>(
  bench: Bench,
  kind: 'ours' | 'own' | 'shared' | 'web' | 'sites' | 'mail',
  env: Record<string, string> = {},
): Promise<Side<Ask, Report>> {
  const file = join(import.meta.dirname, files[kind] ?? 'machine.ts')
  const program = [process.execPath, file, kind]
  const binds = ['--read-only', root, '--read-write', bench.scratch]
  const child = spawn(join(root, 'test/machine/nspawn.sh'), [...binds, ...program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...env },
  })
  const exited = once(child, 'exit')
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  const answer = async () => {
    const { value, done } = await answers.next()
    if (done) throw new Error(`The side «${kind}» has ended`)
    return JSON.parse(String(value)) as unknown
  }
  // The panel's own log lines come before it.
  while ((await answer()) !== 'ready');
  return {
    async ask(asked) {
      child.stdin.write(`${JSON.stringify(asked)}\n`)
      return (await answer()) as Report
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await exited
    },
  }
}

/** The side of the panel, on a database of its own. */
export const openPanelSide = async (bench: Bench, database: string): Promise<Side> =>
  openSide(bench, 'ours', await databaseFor(bench, database))

/** Websites of the panel and of plain tools, on one machine. */
export const openSites = async (bench: Bench): Promise<Side<AskedOfSites, ReportedOfSites>> =>
  openSide(bench, 'sites', await databaseFor(bench, 'sites'))

async function databaseFor(bench: Bench, database: string): Promise<Record<string, string>> {
  const url = await makeDatabase(bench, database)
  await migrate(url)
  // A token may send 1,200 requests a minute.
  const tokens = await makeTokens(url, 4, 'Provisioning and hosting')
  return { DATABASE_URL: url, BENCH_TOKENS: tokens.join(' ') }
}
