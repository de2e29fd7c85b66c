import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startTestPostgres } from './support/postgres.ts'
import { count, failedFiles, failures } from './results.ts'
import { passedLater, secondRun } from './second-run.ts'
import { fastest } from './support/fastest.ts'

// `npm test`: one throw-away PostgreSQL with a migrated template for all files, the given files or
// folders (or all), and at the end the plain line that machines read.

const files = process.argv.slice(2)
// They would set this machine up: nothing is thrown away here.
if (files.some(file => /(^|\/)test\/machine(\/|$)/.test(file))) {
  process.stderr.write('Tests of machines run by npm run test:machine -- FILE only.\n')
  process.exit(2)
}

const root = join(import.meta.dirname, '..')
const scratch = await mkdtemp(join(await fastest(), 'panel-test-'))
const postgres = await startTestPostgres(scratch)
let exitCode = 1
try {
  const first = await runFiles(files)
  process.stdout.write(failures(first.results))
  const again = first.isWhole ? secondRun(failedFiles(first.results)) : []
  const second = again.length > 0 ? await runFiles(again) : undefined
  const { passed, failed } = count(first.results)
  const later = count(second?.results ?? '')
  if (second !== undefined) process.stdout.write(failures(second.results))
  const isMended = second !== undefined && later.failed === 0 && later.passed > 0
  if (isMended) process.stdout.write(passedLater(again))
  const left = isMended ? 0 : failed
  process.stdout.write(`${passed} passed, ${left} failed\n`)
  exitCode = left === 0 && passed > 0 && (isMended || first.code === 0) ? 0 : 1
} finally {
  await postgres.stop()
  await rm(scratch, { recursive: true, force: true })
}
process.exit(exitCode)

async function runFiles(chosen: string[]) {
  const suite = spawn(process.execPath, [join(root, 'test/suite.ts'), ...chosen], {
    cwd: root,
    stdio: ['inherit', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...postgres.environment,
      TMPDIR: scratch,
      // Types are stripped once for all processes.
      NODE_COMPILE_CACHE: join(scratch, 'compile-cache'),
    },
  })
  const exited = once(suite, 'exit') as Promise<[number | null]>
  let results = ''
  for await (const line of createInterface(suite.stdout)) {
    results += `${line}\n`
    if (process.stdout.isTTY && /^(not )?ok /.test(line)) process.stdout.write(`${line}\n`)
  }
  const [code] = await exited
  return { results, code, isWhole: /^1\.\.\d+$/m.test(results) }
}
