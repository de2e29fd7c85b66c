import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startTestPostgres } from './support/postgres.ts'
import { count, failures } from './results.ts'
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
  const suite = spawn(process.execPath, [join(root, 'test/suite.ts'), ...files], {
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
  process.stdout.write(failures(results))
  const { passed, failed } = count(results)
  process.stdout.write(`${passed} passed, ${failed} failed\n`)
  exitCode = code === 0 && failed === 0 && passed > 0 ? 0 : 1
} finally {
  await postgres.stop()
  await rm(scratch, { recursive: true, force: true })
}
process.exit(exitCode)
