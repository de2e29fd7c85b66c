import t from 'tap'
import { allCommands } from '../../src/cli/commands.ts'
import { DatabaseCommand } from '../../src/cli/database-command.ts'
import { PanelCommand } from '../../src/cli/panel-command.ts'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { callPanel, panelFor } from '../support/cli/run-panel.ts'

// A script that says --json gets JSON whatever becomes of it.

const { pool, panel, environment } = await panelFor(t)
await addOperator(pool, {
  name: 'admin',
  role: 'administrator',
  email: 'admin@example.com',
  password: 'correct horse',
})

t.test('with --json a refusal is JSON, with its reason', async t => {
  const id = '6f1d7a52-0f0e-4c7e-8f0f-3a1f6f0b1c11'
  const plan = '--max-accounts 1 --disk-mb 1 --max-sites 1 --memory-mb 256 --cpu-percent 10'
  const refused: [string, RegExp, string][] = [
    ['token create --owner missing', /missing/, 'not_found'],
    ['token revoke 7', /Unknown token: 7/, 'not_found'],
    [
      'user add admin --role administrator --email a@example.com',
      /operator admin already/,
      'invalid',
    ],
    ['reseller suspend missing', /missing/, 'not_found'],
    [`reseller set missing ${plan}`, /missing/, 'not_found'],
    [`webhook rm ${id}`, /webhook/, 'not_found'],
    [`webhook redeliver ${id}`, /delivery/, 'not_found'],
    [`jobs cancel ${id}`, /job/, 'not_found'],
    [`jobs show ${id}`, /job/, 'not_found'],
    ['license install /nonexistent', /nonexistent/, 'invalid'],
    ['ctl reset-password missing', /missing/, 'not_found'],
    ['backup verify /nonexistent', /nonexistent/, 'invalid'],
  ]
  for (const [words, error, reason] of refused) {
    const { code, stdout, stderr } = await panel([...words.split(' '), '--json'])
    t.match({ code, stdout }, { code: 1, stdout: '' }, words)
    t.match(stderr, /^\{.*\}\n$/, words)
    t.match(JSON.parse(stderr), { error, reason }, words)
  }
  t.match(await panel(['token', 'revoke', '7']), { stderr: 'panel: Unknown token: 7\n' })
  const misused = await panel(['token', 'create', '--owner', 'admin', '--allow', 'x', '--json'])
  t.match(misused, { code: 2, stdout: '', stderr: /^panel: --allow / })
})

t.test('every command refuses in JSON when the database is down', async t => {
  const down = { ...environment, DATABASE_URL: 'postgresql://missing@127.0.0.1:1/none' }
  const commands = (await allCommands()).filter(
    ({ prototype, usage }) => prototype instanceof DatabaseCommand && usage !== undefined,
  ) as unknown as (typeof PanelCommand & { paths: string[][] })[]
  t.ok(commands.length > 40)
  for (const { paths, examples } of commands) {
    const [path = []] = paths
    const example = Object.values(examples)[0] ?? ''
    const parts = Array.from(example.matchAll(/"[^"]*"|'[^']*'|\S+/g), ([part]) => part)
    const words = [...parts.slice(1).map(part => part.replace(/^(["'])(.*)\1$/, '$2')), '--json']
    const { code, stderr } = await callPanel([...path, ...words], down, 'long password')
    t.equal(code, 1, path.join(' '))
    t.match(stderr, /^\{"error":".*","reason":"[a-z_]+"\}\n$/, path.join(' '))
  }
})
