import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, statfs } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../src/migrate.ts'
import { startPostgres } from '../src/start/embedded-postgres.ts'

// `npm test`: one throw-away PostgreSQL with a migrated template for all files, tap over the files
// named (all without names), and at the end the plain line that machines read.

const root = join(import.meta.dirname, '..')
const scratch = await mkdtemp(join(await fastest(), 'panel-test-'))
const postgres = await startPostgres({ stateDir: scratch, durable: false })
let exitCode = 1
try {
  await migrate(postgres.url)
  const tap = spawn(
    process.execPath,
    [
      join(root, 'node_modules/.bin/tap'),
      // Tests wait as much as they work.
      `--jobs=${availableParallelism() + 1}`,
      `--output-file=${join(scratch, 'results.tap')}`,
      process.stdout.isTTY ? '--reporter=terse' : '--reporter=silent',
      ...process.argv.slice(2),
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        PANEL_TEST_POSTGRES: postgres.url,
        TMPDIR: scratch,
        // Types are stripped once for all processes.
        NODE_COMPILE_CACHE: join(scratch, 'compile-cache'),
      },
    },
  )
  const [code] = (await once(tap, 'exit')) as [number | null]
  const results = await readFile(join(scratch, 'results.tap'), 'utf8')
  if (!process.stdout.isTTY) process.stdout.write(failures(results))
  const { passed, failed } = count(results)
  process.stdout.write(`${passed} passed, ${failed} failed\n`)
  exitCode = code === 0 && failed === 0 && passed > 0 ? 0 : 1
} finally {
  await postgres.stop()
  await rm(scratch, { recursive: true, force: true })
}
process.exit(exitCode)

// Memory, where there is enough of it: thousands of small files and databases come and go.
async function fastest(): Promise<string> {
  const memory = '/dev/shm'
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize > 4 * 2 ** 30 ? memory : tmpdir()
}

// A file is a test point without indent; the tests that it names are those one step in.
function count(tap: string): { passed: number; failed: number } {
  const points = tap.split('\n').filter(line => /^ {4}(not )?ok /.test(line))
  const files = tap.split('\n').filter(line => /^not ok /.test(line))
  const failed = points.filter(line => line.startsWith('    not ok')).length
  return { passed: points.length - failed, failed: Math.max(failed, files.length) }
}

// Each failed assertion with the diagnostics below it, and the path of tests that it is in.
function failures(tap: string): string {
  let until: string | undefined
  let wasFailure = false
  return tap
    .split('\n')
    .filter(line => {
      if (until !== undefined) {
        if (line === until) until = undefined
        return true
      }
      if (/^ *---$/.test(line) && wasFailure) until = line.replace('---', '...')
      wasFailure = /^ *not ok /.test(line) || (wasFailure && until !== undefined)
      return wasFailure || until !== undefined
    })
    .map(line => `${line}\n`)
    .join('')
}
