import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { isPassword } from '../../src/model/signing-in/password-hash.ts'
import { createToken, listTokens } from '../../src/model/signing-in/tokens.ts'
import { callPanel, panelFor, runPanel } from '../support/cli/run-panel.ts'

const { pool, environment, panel } = await panelFor(t)
for (const [name, role] of [
  ['admin', 'administrator'],
  ['bob', 'reseller'],
] as const) {
  await addOperator(pool, { name, role, email: `${name}@example.com`, password: 'correct horse' })
}

async function opens(name: string, password: string): Promise<boolean> {
  const { rows } = await pool.query('select password_hash from panel.operators where name = $1', [
    name,
  ])
  return isPassword(password, rows[0].password_hash)
}

const states = async (name: string) => (await listTokens(pool, name)).map(({ state }) => state)

t.test('gives the administrator a new password, shown once, and revokes the tokens', async t => {
  for (const name of ['one', 'two']) await createToken(pool, { owner: 'admin', name })
  await createToken(pool, { owner: 'bob', name: 'other' })
  const result = await runPanel(['ctl', 'reset-password', '--json'], environment)
  t.equal(result.code, 0)
  const { password, ...rest } = result.json()
  t.strictSame(rest, { name: 'admin', tokens_revoked: 2 })
  t.match(password, /^[A-Za-z0-9_-]{20}$/)
  t.match(result.stderr, /not be shown again\n.*create new tokens/)
  t.notMatch(result.stderr, password)
  t.equal(await opens('admin', password), true)
  t.equal(await opens('admin', 'correct horse'), false)
  t.strictSame(await states('admin'), ['void', 'void'])
  t.strictSame(await states('bob'), ['valid'])
})

t.test('sets a reseller the password of standard input, again as well', async t => {
  for (const revoked of [1, 0]) {
    const words = ['ctl', 'reset-password', 'bob', '--password-stdin']
    const result = await panel(words, 'battery staple\n')
    t.match(result, { code: 0, stdout: `name            bob\ntokens_revoked  ${revoked}\n` })
    t.notMatch(result.stdout + result.stderr, 'battery')
    t.equal(await opens('bob', 'battery staple'), true)
  }
  t.strictSame(await states('bob'), ['void'])
})

t.test('refuses an unknown name and what is no password, and changes nothing', async t => {
  await createToken(pool, { owner: 'bob', name: 'stays' })
  const before = await pool.query('select * from panel.operators order by id')
  const reset = (name: string) =>
    panel(['ctl', 'reset-password', name, '--password-stdin'], 'short')
  t.match(await reset('bob'), { code: 1, stdout: '', stderr: /^panel: The password must have/ })
  const stderr = 'panel: Unknown operator: missing[31m\n'
  t.match(await reset('missing\u001b[31m'), { code: 1, stdout: '', stderr })
  for (const words of [
    ['a', 'b'],
    ['--password', 'secret'],
  ]) {
    t.match(await panel(['ctl', 'reset-password', ...words]), { code: 2, stdout: '' })
  }
  const after = await pool.query('select * from panel.operators order by id')
  t.strictSame(after.rows, before.rows)
  t.strictSame(await states('bob'), ['void', 'valid'])
})

t.test('says that the database is down, as every command of this kind', async t => {
  const nowhere = { ...environment, DATABASE_URL: 'postgresql://127.0.0.1:1/panel' }
  const commands = [['reset-password'], ['disable-2fa'], ['allow-ip', '--clear'], ['allow-ip']]
  for (const words of commands) {
    const result = await callPanel(['ctl', ...words, '--json'], nowhere)
    t.match(result, { code: 1, stdout: '', stderr: /The database cannot be reached/ })
  }
})
