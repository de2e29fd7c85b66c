import { join } from 'node:path'
import t from 'tap'
import { isFull } from '../../support/full.ts'
import { startDebianPostgres } from '../debian-postgres.ts'
import { run } from '../machine.ts'

// The embedded PostgreSQL is newer than any Debian's: what the API does, it does on these too.
const root = join(import.meta.dirname, '../../..')
const suites: Record<string, number> = { bookworm: 15, trixie: 17 }
const tests = isFull
  ? ['test/api', 'test/queue', 'test/requests', 'test/http', 'test/model']
  : ['test/api', 'test/migrate.test.ts']

for (const [suite, expected] of Object.entries(suites)) {
  t.test(`the tests of the API on the PostgreSQL of ${suite}`, async t => {
    const { folder, version } = await startDebianPostgres(t, suite)
    t.equal(version, expected)
    const environment = [`PANEL_TEST_SERVER=${folder}`, 'PANEL_TEST_FULL=no']
    const result = await run('env', [
      ...environment,
      process.execPath,
      join(root, 'test/run.ts'),
      ...tests,
    ])
    t.equal(result.code, 0, result.stdout.slice(-5_000))
    t.match(result.stdout, /^[1-9]\d* passed, 0 failed$/m)
    t.comment(`figure: PostgreSQL ${version}: ${result.stdout.trim().split('\n').at(-1)}`)
  })
}
