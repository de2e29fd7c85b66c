import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fastest } from './support/fastest.ts'
import { startTestPostgres } from './support/postgres.ts'
import { count, failures } from './results.ts'
import { run } from '../src/host/tools/run.ts'

// `npm run test:previous [COMMIT]`: the code and the tests of a commit before, on the tables and
// functions of now. An update migrates while the release before serves, and a rollback goes back to
// it, so everything has to go on working. Without a commit it is the one since which code fits: the
// last that changed sql/compatible-since.md.

const root = join(import.meta.dirname, '..')
// Runs the tests that use the API, and none that reads tables from inside.
const tests = ['test/api']

const git = async (...words: string[]): Promise<string> =>
  (await run('git', ['-C', root, ...words], { timeoutMs: 60_000 })).trim()

const commit = process.argv[2] ?? (await oldestThatFits())
if (commit === undefined) {
  const failed = process.env['CI'] === 'true' ? 1 : 0
  process.stdout.write(
    `There is no history here: nothing is compared\n0 passed, ${failed} failed\n`,
  )
  process.exit(failed)
}
const scratch = await mkdtemp(join(await fastest(), 'panel-previous-'))
const old = join(scratch, 'old')
let exitCode = 1
try {
  await mkdir(old)
  await git('archive', '--format=tar', `--output=${join(scratch, 'old.tar')}`, commit)
  await run('tar', ['-xf', join(scratch, 'old.tar'), '-C', old])
  await symlink(join(root, 'node_modules'), join(old, 'node_modules'))
  await mkdir(join(scratch, 'new'))
  exitCode = await runOld(join(scratch, 'new'))
} finally {
  await rm(scratch, { recursive: true, force: true })
}
process.exit(exitCode)

/** Undefined in a checkout without history. */
async function oldestThatFits(): Promise<string | undefined> {
  const words = ['log', '-1', '--format=%H', '--', 'sql/compatible-since.md']
  return (await git(...words).catch(() => '')) || undefined
}

async function runOld(folder: string): Promise<number> {
  // Made by this release's migrations; the old tests only copy it.
  const postgres = await startTestPostgres(folder)
  try {
    const suite = spawn(process.execPath, [join(old, 'test/suite.ts'), ...tests], {
      cwd: old,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...postgres.environment, TMPDIR: folder },
    })
    let results = ''
    suite.stdout.on('data', (text: Buffer) => (results += text.toString()))
    const [code] = (await once(suite, 'close')) as [number | null]
    process.stdout.write(failures(results))
    const { passed, failed } = count(results)
    process.stdout.write(`${commit} on the schema of now\n${passed} passed, ${failed} failed\n`)
    return code === 0 && failed === 0 && passed > 0 ? 0 : 1
  } finally {
    await postgres.stop()
  }
}
