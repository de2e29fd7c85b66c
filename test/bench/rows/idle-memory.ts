import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeDatabase } from '../panel.ts'
import { migrate } from '../../../src/migrate.ts'
import { ensureServerKey } from '../../../src/start/server-key.ts'
import { start, type Program } from '../processes.ts'
import { inTurns, decide, type Bench, type Row } from '../row.ts'

// The memory of the three idle processes, against three that have only loaded the database's
// client.

const rounds = 3
// Memory that a start leaves behind is freed within this time, or never.
const restMs = 5_000

const measure: Row = async bench => {
  const databaseUrl = await makeDatabase(bench, 'idle_memory')
  await migrate(databaseUrl)
  const floor = ['floor', 'floor', 'floor'].map(() => 'test/bench/floor/idle.ts')
  const ours = ['api', 'worker', 'courier'].map(name => `bin/panel-${name}.ts`)
  const env = environment(bench, databaseUrl)
  await mkdir(env['PANEL_STATE_DIR']!)
  await ensureServerKey(join(env['PANEL_STATE_DIR']!, 'key'))
  const side = (files: string[]) => () => memoryOf(files, env)
  const measured = await inTurns(rounds, { floor: side(floor), ours: side(ours) })
  const about = { what: 'idle memory of three processes', unit: 'MiB', bound: { atMost: 1.8 } }
  return [decide(about, measured, round => round)]
}

// As `panel start` runs them.
const environment = (bench: Bench, databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  PANEL_DEVELOPMENT: 'yes',
  PANEL_LISTEN: '127.0.0.1:0',
  PANEL_STATE_DIR: join(bench.memory, 'idle-memory'),
  NODE_COMPILE_CACHE: join(bench.memory, 'compile-cache'),
})

async function memoryOf(files: string[], env: Record<string, string>): Promise<number> {
  await using running = new AsyncDisposableStack()
  const programs: Program[] = []
  for (const file of files) programs.push(running.use(await start(file, { env })))
  await sleep(restMs)
  return programs.reduce((sum, { pid }) => sum + residentMiB(pid), 0)
}

const residentMiB = (pid: number): number =>
  Number(/^VmRSS:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

export default measure
