import t from 'tap'
import { isPassword } from '../../src/model/signing-in/password-hash.ts'
import { panelFor } from '../support/cli/run-panel.ts'

const { pool, panel } = await panelFor(t)

const add = (name: string, role: string, ...more: string[]) => [
  ...['user', 'add', name, '--role', role, '--email', `${name}@example.com`],
  ...more,
]

async function opens(name: string, password: string): Promise<boolean> {
  const { rows } = await pool.query('select password_hash from panel.operators where name = $1', [
    name,
  ])
  return isPassword(password, rows[0]?.password_hash ?? '')
}

t.test('adds an administrator, with the password on stdin', async t => {
  const password = 'grün, wie die Hoffnung'
  const result = await panel(add('carol', 'administrator', '--password-stdin'), `${password}\n`)
  t.strictSame(result, {
    ...result,
    code: 0,
    stdout: 'name   carol\nrole   administrator\nemail  carol@example.com\n',
    stderr: '',
  })
  t.ok(await opens('carol', password))
  const { rows } = await pool.query(
    `select s.is_own from panel.operators o join panel.sellers s on s.id = o.seller_id`,
  )
  t.strictSame(rows, [{ is_own: true }])
})

t.test('makes a password without a terminal, and shows it once', async t => {
  const result = await panel(add('bob', 'reseller', '--json'))
  t.equal(result.code, 0)
  const { password, ...rest } = result.json()
  t.strictSame(rest, { name: 'bob', role: 'reseller', email: 'bob@example.com' })
  t.match(password, /^[A-Za-z0-9_-]{20}$/)
  t.notMatch(result.stderr, password)
  t.match(result.stderr, /not be shown again/)
  t.match(result.stderr, /panel reseller set bob/)
  t.ok(await opens('bob', password))
})

t.test('refuses a name that is taken, and changes nothing', async t => {
  const before = await pool.query('select * from panel.operators, panel.sellers')
  const result = await panel(add('bob', 'administrator', '--password-stdin'), 'another password')
  t.match(result, { code: 1, stdout: '', stderr: 'panel: An operator bob already exists\n' })
  const after = await pool.query('select * from panel.operators, panel.sellers')
  t.strictSame(after.rows, before.rows)
})

t.test('refuses passwords that are none, and repeats none of them', async t => {
  const bad = ['short', '', 'x'.repeat(129), 'two\nlines of it', 'x'.repeat(5_000)]
  for (const password of bad) {
    const result = await panel(add('dave', 'reseller', '--password-stdin'), password)
    t.match(result, { code: 1, stdout: '', stderr: /^panel: The password (is|must)/ })
    if (password !== '') t.notMatch(result.stderr, password.slice(0, 5))
  }
  t.equal((await pool.query(`select from panel.operators where name = 'dave'`)).rowCount, 0)
})

t.test('answers wrong usage with 2, also while the database is down', async t => {
  const wrong = [
    ['user', 'add'],
    ['user', 'add', 'erin', '--role', 'reseller'],
    add('erin', 'king'),
    add('Erin', 'reseller'),
    add('root', 'reseller'),
    add('erin', 'reseller', '--password', 'an argument'),
    ['user', 'add', 'erin', '--role', 'reseller', '--email', 'nowhere'],
  ]
  for (const result of await Promise.all(wrong.map(words => panel(words)))) {
    t.match(result, { code: 2, stdout: '', stderr: /\w/ })
  }
})
