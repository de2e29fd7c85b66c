import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execFileSync } from 'node:child_process'
import t from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'
import { withoutRestic } from '../support/restic.ts'
import { until } from '../support/until.ts'

// Backups of accounts by the real restic into a folder, on the sandbox host.

const panel = await openPanel(t)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const call = (words: string[], input?: string) =>
  callPanel(['account-backup', ...words], environment, input)
const at = (path: string): string => join(panel.root, path)

mkdirSync(at('usr/local/sbin'), { recursive: true })
mkdirSync(at('mnt/backups'), { recursive: true })
await panel.call('PUT', '/api/v1/packages/starter', { body: { backups: 'none' } })
const made = await panel.call('POST', '/api/v1/accounts', { body: alice })
t.equal(made.status, 201, made.text)
const username = alice.username
const home = `home/${username}`
writeFileSync(at(`${home}/files/kept.txt`), 'kept')
writeFileSync(at(`${home}/tmp/left-out.txt`), 'left out')

type Backup = { id: string; state: string; bytes_added: number; error: string | null }
const list = async (): Promise<Backup[]> => (await call(['ls', username, '--json'])).json().backups
const ended = async (): Promise<Backup> => {
  const isOver = async () => /done|failed/.test((await list())[0]?.state ?? '')
  t.ok(await until(isOver, 30_000))
  return (await list())[0]!
}
const create = async () => call(['create', username, '--json'])
const events = async () => {
  const { rows } = await panel.pool.query<{ data: Record<string, unknown> }>(
    `select data from panel.events where name = 'backup.completed' order by id`,
  )
  return rows.map(({ data }) => data)
}

t.test('without a target there are no backups', async t => {
  t.match(await create(), { code: 1, stderr: /An administrator has to add a target/ })
})

t.test('a target needs restic', { skip: withoutRestic }, async t => {
  const added = await call(['target', 'add', 'disk', '--folder', '/mnt/backups'])
  t.match(added, { code: 1, stderr: /restic is not installed/ })
  symlinkSync('/usr/bin/restic', at('usr/local/sbin/restic'))
})

t.test(
  'a target is saved once it was written, read and deleted',
  { skip: withoutRestic },
  async t => {
    const missing = await call(['target', 'add', 'disk', '--folder', '/mnt/other'])
    t.match(missing, { code: 1, stderr: /There is no folder \/mnt\/other/ })
    t.strictSame((await call(['target', 'ls', '--json'])).json(), { targets: [] })
    const added = await call(['target', 'add', 'disk', '--folder', '/mnt/backups', '--json'])
    t.equal(added.code, 0, added.stderr)
    t.match((await call(['target', 'ls', '--json'])).json(), {
      targets: [{ name: 'disk', is_default: true, address: { kind: 'folder' }, repositories: 0 }],
    })
    t.equal((await call(['target', 'test', 'disk'])).code, 0)
  },
)

t.test('addresses outside of the grammar are refused', async t => {
  const refused: [string[], RegExp][] = [
    [['--folder', '/home/alice'], /folder of the system or of accounts/],
    [['--folder', '/mnt/../etc'], /must not/],
    [['--folder', '/mnt/a b'], /special characters/],
    [['--rest', 'http://backup.example.com/'], /https/],
    [['--ssh', 'a@-oProxyCommand=x/p', '--host-key', 'ssh-ed25519 A'], /host/],
    [['--folder', '/mnt/a', '--rest', 'https://a.example/'], /Give one of/],
  ]
  for (const [words, why] of refused) {
    t.match(await call(['target', 'add', 'odd', ...words]), { code: 1, stderr: why }, words.join())
  }
})

t.test(
  'a backup is done once it was read back, with one event',
  { skip: withoutRestic },
  async t => {
    const created = await create()
    t.equal(created.code, 0, created.stderr)
    t.match(created.json(), { state: 'ready', dumps: [] })
    const backup = await ended()
    t.match(backup, { id: created.json().id, state: 'done', error: null, target: 'disk' })
    t.match(await events(), [{ kind: 'full', scope: `account:${username}` }])
    t.equal((await events()).length, 1)
    t.notOk(existsSync(at('var/lib/panel/account-backups/20000')), 'the spool is gone')
    t.strictSame(readdirSync(at('run/panel/backups')), [], 'no key is left')
  },
)

t.test('the second stores only what has changed', { skip: withoutRestic }, async t => {
  writeFileSync(at(`${home}/files/new.txt`), 'new')
  t.equal((await create()).code, 0)
  const backup = await ended()
  t.equal(backup.state, 'done')
  t.ok(backup.bytes_added < 20_000, `${backup.bytes_added}`)
  t.match((await events())[1], { kind: 'incremental' })
})

t.test(
  'a backup whose target is gone fails, and the next one succeeds',
  { skip: withoutRestic },
  async t => {
    execFileSync('mv', [at('mnt/backups'), at('mnt/away')])
    t.equal((await create()).code, 0)
    t.match(await ended(), { state: 'failed' })
    // A disk that is not mounted leaves an empty folder.
    mkdirSync(at('mnt/backups'))
    t.equal((await create()).code, 0)
    t.match(await ended(), { state: 'failed' })
    t.strictSame(readdirSync(at('mnt/backups')), [])
    t.equal((await list()).filter(({ state }) => state === 'done').length, 2)
    rmSync(at('mnt/backups'), { recursive: true })
    execFileSync('mv', [at('mnt/away'), at('mnt/backups')])
    t.equal((await create()).code, 0)
    t.match(await ended(), { state: 'done' })
    t.equal((await list()).filter(({ state }) => state === 'done').length, 3)
    const shown = await panel.pool.query(
      `select outcome from panel.history where action = 'backup/run' order by id`,
    )
    t.strictSame(
      shown.rows.map(({ outcome }) => outcome),
      ['done', 'done', 'failed', 'failed', 'done'],
    )
    t.equal((await events()).length, 3)
  },
)

t.test(
  'no key is in a row, and none of a repository in the clear',
  { skip: withoutRestic },
  async t => {
    const { rows } = await panel.pool.query<{ key: string }>(
      'select sealed_key as key from panel.backup_repositories',
    )
    t.equal(rows.length, 1)
    t.equal(Buffer.from(rows[0]!.key, 'base64').length, 28 + 43)
  },
)

t.test('a target with backups stays', { skip: withoutRestic }, async t => {
  const words = ['target', 'rm', 'disk']
  t.match(await call(words), { code: 1, stderr: /use --yes/ })
  const removed = await call([...words, '--yes'])
  t.match(removed, { code: 1, stderr: /has backups of an account/ })
})

t.test('a terminated account keeps its repository', { skip: withoutRestic }, async t => {
  const gone = await panel.call('DELETE', `/api/v1/accounts/${username}`)
  t.equal(gone.status, 200, gone.text)
  const { rows } = await panel.pool.query('select username from panel.backup_repositories')
  t.strictSame(rows, [{ username }])
})
