import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { readConfig } from '../../src/config.ts'
import { openPool } from '../../src/db.ts'
import { isPassword } from '../../src/model/signing-in/password-hash.ts'
import { hashToken } from '../../src/model/signing-in/tokens.ts'
import { ensureFirstStart, firstStartFile } from '../../src/start/first-start.ts'
import { database } from '../support/database.ts'
import { scratch } from '../support/scratch.ts'

// Real processes, on a machine that may be busy with other tests.
t.setTimeout(120_000)

const stateDir = scratch(t)
const config = readConfig({ PANEL_STATE_DIR: stateDir, PANEL_LISTEN: '127.0.0.1:8081' })
const file = firstStartFile(stateDir)
const { url } = await database(t)
const pool = openPool(url, 'panel_owner', 1)
t.teardown(() => pool.end())

const content = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>

// Whether the credentials of the file are valid in the database.
async function opens({ password = '', token = '' }: Record<string, string>): Promise<boolean> {
  const { rows } = await pool.query<{ password_hash: string }>(
    `select o.password_hash from panel.operators o join panel.tokens t on t.operator_id = o.id
     where o.name = 'admin' and t.hash = $1`,
    [hashToken(token)],
  )
  return isPassword(password, rows[0]?.password_hash ?? '')
}

t.test('makes the administrator and a token, and writes both down', async t => {
  const first = await ensureFirstStart(url, config)
  t.strictSame(content(), first)
  t.strictSame(Object.keys(content()), ['base_url', 'username', 'password', 'token'])
  t.equal(content()['base_url'], 'http://127.0.0.1:8081')
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.ok(await opens(content()))
})

t.test('makes nothing the second time', async t => {
  const before = content()
  t.equal(await ensureFirstStart(url, config), undefined)
  t.strictSame(content(), before)
})

t.test('finishes a start that was killed after its commit', async t => {
  const before = content()
  renameSync(file, `${file}.new`)
  t.strictSame(await ensureFirstStart(url, config), before)
  t.strictSame(content(), before)
})

t.test('follows the address of the panel', async t => {
  const moved = readConfig({ PANEL_STATE_DIR: stateDir, PANEL_LISTEN: '127.0.0.1:8082' })
  const before = content()
  t.equal(await ensureFirstStart(url, moved), undefined)
  t.strictSame(content(), { ...before, base_url: 'http://127.0.0.1:8082' })
  t.equal(statSync(file).mode & 0o777, 0o600)
})

t.test('leaves a file alone that the administrator has removed', async t => {
  rmSync(file)
  t.equal(await ensureFirstStart(url, config), undefined)
  t.throws(() => statSync(file), { code: 'ENOENT' })
})

t.test('believes the database and not the file', async t => {
  const made = { base_url: 'x', username: 'admin', password: 'x', token: 'pnl_never-committed' }
  writeFileSync(`${file}.new`, JSON.stringify(made))
  t.equal(await ensureFirstStart(url, config), undefined)
  t.throws(() => statSync(file), { code: 'ENOENT' })
  await pool.query('delete from panel.tokens')
  await pool.query('delete from panel.operators')
  writeFileSync(file, JSON.stringify(made))
  const first = await ensureFirstStart(url, config)
  t.strictSame(content(), first)
  t.ok(await opens(content()))
})
