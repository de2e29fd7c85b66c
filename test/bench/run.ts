import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { startPostgres } from '../../src/start/embedded-postgres.ts'
import { report } from './report.ts'
import type { Bench, Result, Row } from './row.ts'

// `npm run bench`: one throw-away PostgreSQL that waits for the disk as a real one does, every row
// on a database of its own, one after the other. Names on the command line choose rows. Options of
// Node go on to every process: `node --cpu-prof test/bench/run.ts get` profiles both sides.

const rowsDir = join(import.meta.dirname, 'rows')

const names = process.argv.slice(2)
const chosen = names.length > 0 ? names : await allNames()
const unknown = chosen.filter(name => !existsSync(join(rowsDir, `${name}.ts`)))
if (unknown.length > 0) {
  const known = (await allNames()).join(', ')
  process.stderr.write(`Unknown: ${unknown.join(', ')}; the rows are ${known}\n`)
  process.exit(1)
}

const scratch = await mkdtemp(join(tmpdir(), 'panel-bench-'))
const memory = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'panel-bench-'))
const postgres = await startPostgres({ stateDir: scratch, durable: true })
const results: Record<string, Result[]> = {}
try {
  const bench: Bench = { postgresUrl: postgres.url, scratch, memory }
  for (const name of chosen) {
    process.stderr.write(`measuring ${name}\n`)
    const { default: measure } = (await import(join(rowsDir, `${name}.ts`))) as { default: Row }
    results[name] = await measure(bench)
  }
} finally {
  await postgres.stop()
  await rm(scratch, { recursive: true, force: true })
  await rm(memory, { recursive: true, force: true })
}
process.stdout.write(await report(results))
process.exit(
  Object.values(results)
    .flat()
    .every(result => result.isMet)
    ? 0
    : 1,
)

async function allNames(): Promise<string[]> {
  const files = await readdir(rowsDir)
  return files.map(file => basename(file, '.ts')).sort()
}
