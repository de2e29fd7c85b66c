import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { alice } from '../support/panel.ts'
import { startProcess } from '../support/processes.ts'
import { scratch } from '../support/scratch.ts'
import { openHooks } from '../support/hooks/hooks.ts'

// The installed worker, with scripts as people write them.

const hooks = await openHooks(t, { hasWorker: false })
const { panel, script, ended, folderOf } = hooks
const out = scratch(t)
const checkout = join(import.meta.dirname, '../..')
const lines = (name: string) => readFileSync(join(out, name), 'utf8').trim().split('\n')

// The page's own text, with another output path.
function exampleOfThePage(): string {
  const page = readFileSync(join(checkout, 'docs/reference/hook-scripts.md'), 'utf8')
  const [, example = ''] = /^```sh\n(.*?)^```$/ms.exec(page) ?? []
  return example.replace('/var/log', out)
}

t.before(async () => {
  const environment = {
    DATABASE_URL: panel.databaseUrl,
    PANEL_STATE_DIR: scratch(t),
    PANEL_HOOKS_DIR: dirname(folderOf('account.created')),
  }
  await startProcess(t, 'bin/panel-worker.ts', [], { ready: /worker ready/, environment })
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
})

t.test('a script may call the API and the command, for the event’s account too', async t => {
  const url = `${panel.baseUrl}/api/v1/accounts/alice/suspend`
  const headers = JSON.stringify({ authorization: `Bearer ${panel.token}` })
  script('account.suspended', 'as-the-page-says', exampleOfThePage())
  script(
    'account.created',
    '1-suspends',
    `'${process.execPath}' -e '
      fetch("${url}", { method: "POST", headers: ${headers} }).then(({ status }) =>
        console.log(status))' >${out}/status`,
  )
  script(
    'account.created',
    '2-shows',
    `export DATABASE_URL='${panel.databaseUrl}' PANEL_STATE_DIR='${out}'
     exec '${process.execPath}' ${checkout}/bin/panel account show alice --json >${out}/shown`,
  )
  const { status } = await panel.call('POST', '/api/v1/accounts', { body: alice })
  t.equal(status, 201)
  await ended()

  const { rows } = await panel.pool.query(
    'select name, outcome, convert_from(stderr, $1) as stderr from panel.script_runs order by 1',
    ['utf8'],
  )
  t.strictSame(rows, [
    { name: '1-suspends', outcome: 'succeeded', stderr: '' },
    { name: '2-shows', outcome: 'succeeded', stderr: '' },
    { name: 'as-the-page-says', outcome: 'succeeded', stderr: '' },
  ])
  t.strictSame(lines('status'), ['200'])
  t.match(JSON.parse(lines('shown').join('\n')), { username: 'alice', state: 'suspended' })
  t.match(
    lines('suspended.jsonl').map(line => JSON.parse(line)),
    [{ event: 'account.suspended', data: { username: 'alice', reason: null } }],
  )
})
