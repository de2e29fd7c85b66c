import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { TOTP } from 'otpauth'
import t from 'tap'
import { runCli } from '../../src/cli/cli.ts'
import { getOperator } from '../../src/model/sellers/operators.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  factorsKey,
} from '../../src/model/signing-in/second-factors.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { fromResources } from '../resource-tests.ts'
import { until } from '../support/until.ts'
import { callPanel, runPanel } from '../support/cli/run-panel.ts'

// Destructive commands ask first. Without a terminal they do nothing unless --yes is given.

const panel = await openPanel(t)
const { call, pool } = panel
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const shown = async (...words: string[]) => {
  const result = await callPanel([...words, '--json'], environment)
  if (result.code !== 0) throw new Error(result.stderr)
  return result.json()
}

const publicKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILHOdXbpzfrHJD14rcwvtGDHRrpn0BdjqIcErpLr07VR\n'

/** Makes what the command destroys, and returns its words. */
const cases: Record<string, () => Promise<string[]>> = {
  'jobs/chosen-command': async () => ['jobs', 'cancel', '--task', 'webhook/deliver'],
  'webhook/rm': async () => ['webhook', 'rm', (await shown('webhook', 'ls')).webhooks[0].id],
  'token/revoke': async () => {
    const token = await createToken(pool, { owner: 'rita', name: 'billing' })
    return ['token', 'revoke', token.id]
  },
  'ctl/disable-2fa': async () => {
    const owner = {
      kind: 'operator',
      id: (await getOperator(pool, 'rita')).id,
      name: 'rita',
    } as const
    const key = factorsKey(Buffer.alloc(32))
    const { secret } = await beginEnrolment(pool, owner, 'panel.test', key)
    await confirmEnrolment(pool, owner, new TOTP({ secret }).generate(), key)
    return ['ctl', 'disable-2fa', 'rita']
  },
  'sftp-key/rm': async () => {
    const { keys } = await shown('sftp-key', 'ls', 'alice')
    return ['sftp-key', 'rm', 'alice', keys[0].id]
  },
  'site/rm': async () => ['site', 'rm', 'alice', 'shop.alice.example'],
  ...Object.fromEntries(
    Object.entries(fromResources(({ asking }) => asking)).map(([name, stage]) => [
      name,
      () => stage(shown),
    ]),
  ),
  'database/rm': async () => ['database', 'rm', 'alice', 'alice_shop'],
  'package/rm': async () => ['package', 'rm', 'unused'],
  'account/terminate': async () => ['account', 'terminate', 'alice'],
}
// Needs an installed panel, so it is in test/machine/install-suite.ts and update-suite.ts, and
// dr-restore in test/long/dr-restore.test.ts, and a target that can be removed needs restic, in
// test/account-backups/create.test.ts and the namespace suite.
const elsewhere = [
  ...['account-backup/restore', 'account-backup/target/rm'],
  ...['ctl/dr-restore', 'rollback', 'uninstall'],
]
// These destroy nothing: a terminal is asked, and a script is not.
const harmless = ['install', 'update']

t.before(async () => {
  await makeReseller(pool, 'rita')
  await shown('webhook', 'add', 'https://receiver.example/')
  await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3, max_databases: 1 } })
  await call('PUT', '/api/v1/packages/unused', { body: {} })
  await call('POST', '/api/v1/accounts', { body: alice })
  await pool.query("update panel.server set service_warnings = service_warnings - 'databases'")
  await shown('site', 'add', 'alice', 'shop.alice.example')
  await shown('database', 'add', 'alice', 'shop')
  const key = join(dirname(panel.root), 'key.pub')
  writeFileSync(key, publicKey)
  await shown('sftp-key', 'add', 'alice', key)
})

/** All that a command could change, but the panel's own looks at itself. */
async function everything(): Promise<unknown> {
  const tables = ['accounts', 'sites', 'databases', 'sftp_keys', 'packages', 'webhooks', 'tokens']
  const more = ['operations', 'second_factors', 'history', 'events', 'deliveries']
  const rows = await Promise.all(
    [...tables, ...more].map(async name => {
      const text = await pool.query(`select to_jsonb(x)::text as row from panel.${name} x`)
      return [name, text.rows.map(({ row }) => row).sort()]
    }),
  )
  return Object.fromEntries(rows)
}

type Terminals = Record<'stdin' | 'stdout' | 'stderr', boolean>

/** The command with some of its streams at a terminal, and what it has written to each. */
function start(words: string[], terminals: Terminals) {
  const stream = (isTTY: boolean) => {
    const made = new PassThrough()
    return Object.assign(made, isTTY ? { isTTY: true, setRawMode: () => made } : {})
  }
  const stdin = stream(terminals.stdin)
  if (!terminals.stdin) stdin.end()
  const [stdout, stderr] = [stream(terminals.stdout), stream(terminals.stderr)]
  const result = { stdout: '', stderr: '' }
  stdout.on('data', (text: Buffer) => (result.stdout += text.toString()))
  stderr.on('data', (text: Buffer) => (result.stderr += text.toString()))
  const code = runCli(words, { stdin, stdout, stderr, env: environment })
  return { stdin, output: result, code }
}

t.test('every command that asks is in this table', async t => {
  const folder = join(import.meta.dirname, '../../src/cli')
  const asking = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    name =>
      /^(?!asking-|terminal-).*\.ts$/.test(name) &&
      /this\.ask\(|\bconfirm(ByName)?\(/.test(readFileSync(join(folder, name), 'utf8')),
  )
  t.strictSame(
    asking.map(name => name.replace(/\.ts$/, '')).sort(),
    [...Object.keys(cases), ...elsewhere, ...harmless].sort(),
  )
})

for (const [name, stage] of Object.entries(cases)) {
  t.test(`${name} asks, or refuses and names --yes`, async t => {
    const words = await stage()
    const before = await everything()
    for (const terminals of [
      { stdin: false, stdout: true, stderr: true },
      { stdin: true, stdout: true, stderr: false },
      { stdin: false, stdout: false, stderr: false },
    ]) {
      for (const json of [[], ['--json']]) {
        const { output: result, code } = start([...words, ...json], terminals)
        t.equal(await code, 1, JSON.stringify(terminals))
        t.equal(result.stdout, '')
        if (json.length === 0)
          t.match(result.stderr, /^panel: .* To confirm without a terminal, use --yes\n$/)
        else t.match(JSON.parse(result.stderr), { error: /use --yes/, reason: 'invalid' })
      }
    }
    const real = await runPanel(words, environment, 'yes\n')
    t.match(real, { code: 1, stdout: '', stderr: /use --yes/ }, 'a yes in a pipe is none')

    // The question is on standard error, so that the result may go to a file.
    const { stdin, output, code } = start(words, { stdin: true, stdout: false, stderr: true })
    await until(() => output.stderr.includes('Type yes to continue'))
    stdin.write('no\r')
    t.equal(await code, 1)
    t.match(output.stderr, 'Not confirmed; nothing was changed')
    t.strictSame(await everything(), before, 'nothing was done')

    const done = await callPanel([...words, '--yes', '--json'], environment)
    t.equal(done.code, 0, done.stderr)
    t.strictNotSame(await everything(), before)
  })
}
