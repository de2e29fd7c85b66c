import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { runCli } from '../../src/cli/cli.ts'
import { alice, openPanel } from '../support/panel.ts'
import { proxy } from '../support/proxy.ts'

const panel = await openPanel(t)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
t.equal((await panel.call('POST', '/api/v1/accounts', { body: alice })).status, 201)

t.test('watch goes on while the database is away, and says so', async t => {
  let isAway = false
  const url = await proxy(t, panel.databaseUrl, () => (isAway ? 'lose before' : 'pass'))
  const stdout = new PassThrough()
  const looks: { notice: string | null; jobs: object[] }[] = []
  createInterface(stdout).on('line', line => {
    looks.push(JSON.parse(line))
    isAway = looks.length === 1
  })
  const context = { stdout, env: { ...environment, DATABASE_URL: url } }
  t.equal(await runCli(['jobs', 'watch', '--times', '3', '--json'], context), 0)
  t.match(looks, [
    { notice: null },
    { notice: /^The database has been unreachable since 2/ },
    { notice: null },
  ])
  t.not(looks[0]?.jobs.length, 0)
  t.strictSame(looks[1]?.jobs, looks[0]?.jobs, 'what was seen last stays')
})
