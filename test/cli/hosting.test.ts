import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { panelFor } from '../support/cli/run-panel.ts'

const { pool, panel } = await panelFor(t)
await addOperator(pool, {
  name: 'bob',
  role: 'reseller',
  email: 'bob@example.com',
  password: 'correct horse',
})
await pool.query(
  `insert into panel.packages (seller_id, name, max_sites)
   select id, 'starter', 2 from panel.sellers where is_own
   union all select seller_id, 'basic', 1 from panel.operators where name = 'bob'`,
)
// 2,500: more than two pages.
await pool.query(
  `insert into panel.accounts (seller_id, package_id, username, email, password_hash, state)
   select p.seller_id, p.id, 'user' || n, 'user@example.com', '$6$secret$hash', 'active'
   from panel.packages p, generate_series(1, 2500) n
   where p.name = 'starter'`,
)
await pool.query(
  `with alice as (
     insert into panel.accounts (seller_id, package_id, username, email, password_hash, state,
       suspend_reason, suspended_by, suspended_at, warnings)
     select seller_id, id, 'alice', 'alice@example.com', '$6$secret$hash', 'suspended',
       E'late \\u001b[2J\\u009b31m\\u202edelivery', 'reseller', '2030-01-02T03:04:05Z',
       '[{"code": "disk_not_limited", "sentence": "no\\nquota"}]'
     from panel.packages where name = 'basic'
     returning id
   )
   insert into panel.sites (account_id, domain) select id, 'alice.example' from alice`,
)

t.test('lists every account, with and without a filter', async t => {
  const result = await panel(['account', 'ls', '--json'])
  t.equal(result.code, 0)
  const { accounts } = result.json()
  t.equal(accounts.length, 2_501)
  t.strictSame(
    accounts.map(({ username }: { username: string }) => username),
    ['alice', ...Array.from({ length: 2_500 }, (_, n) => `user${n + 1}`).sort()],
  )
  const table = await panel(['account', 'ls'])
  t.match(
    table.stdout,
    /^USERNAME +STATE +PACKAGE +DOMAIN +SELLER +EMAIL +CREATED\nalice +suspended +basic/,
  )
  t.equal(table.stdout.trim().split('\n').length, 2_502)
  const some = await panel([
    'account',
    'ls',
    '--json',
    '--state',
    'suspended',
    '--package',
    'basic',
  ])
  t.match(some.json(), { accounts: [{ username: 'alice' }] })
  t.notMatch(result.stdout + table.stdout, /secret/)
})

t.test('shows an account as the API does, without what could play with the terminal', async t => {
  const result = await panel(['account', 'show', 'alice', '--json'])
  t.equal(result.code, 0)
  t.match(result.json(), {
    username: 'alice',
    email: 'alice@example.com',
    package: 'basic',
    state: 'suspended',
    domain: 'alice.example',
    sites: [{ domain: 'alice.example', ssl: 'none' }],
    suspend_reason: 'late \u001b[2J\u009b31m\u202edelivery',
    suspended_by: 'reseller',
    warnings: ['no\nquota'],
    suspended_at: '2030-01-02T03:04:05.000Z',
  })
  const { stdout } = await panel(['account', 'show', 'alice'])
  t.match(stdout, /^reason +late \[2J31mdelivery\n/m)
  t.match(stdout, /^suspended +2030-01-02T03:04:05\S*.*\nby +reseller\n/m)
  t.match(stdout, /^warnings +no quota\n/m)
  t.match((await panel(['account', 'show', 'user1'])).stdout, /^by +-$/m, 'missing')
  t.notMatch(result.stdout + stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
})

t.test('lists and shows the server’s own packages, and those of a reseller', async t => {
  const names = async (...more: string[]) =>
    (await panel(['package', 'ls', '--json', ...more]))
      .json()
      .packages.map(({ name }: { name: string }) => name)
  t.strictSame(await names(), ['starter'])
  t.strictSame(await names('--owner', 'bob'), ['basic'])
  t.match(
    (await panel(['package', 'ls'])).stdout,
    /^NAME .*\nstarter +2 +1 +1024 +512 +100 +yes\n$/,
  )
  const shown = await panel(['package', 'show', 'starter', '--json'])
  t.match(shown.json(), { name: 'starter', max_sites: 2, disk_mb: 1024, sftp: true })
  const own = await panel(['package', 'show', 'basic', '--owner', 'bob'])
  t.match(own, { code: 0, stdout: /^name +basic\nmax_sites +1\n/ })
})

t.test('refuses what it does not know, in one clean line', async t => {
  for (const [words, stderr] of [
    [['account', 'show', 'carol'], 'panel: Unknown account: carol\n'],
    [['account', 'show', 'missing'], 'panel: Unknown account: missing\n'],
    [['package', 'show', 'basic'], 'panel: Unknown package: basic\n'],
    [['package', 'ls', '--owner', 'a\u001b[31m\nb'], 'panel: Unknown operator: a[31m b\n'],
  ] as const) {
    t.match(await panel([...words]), { code: 1, stdout: '', stderr })
  }
})

t.test('answers wrong usage with 2', async t => {
  const wrong = [
    ['account', 'show'],
    ['account', 'ls', '--state', 'gone'],
    ['account', 'ls', 'alice'],
    ['package', 'show'],
    ['package', 'ls', '--nonsense'],
  ]
  for (const result of await Promise.all(wrong.map(words => panel(words)))) {
    t.match(result, { code: 2, stdout: '', stderr: /\w/ })
  }
})

t.test('shows the operator of an account', async t => {
  const { accounts } = (await panel(['account', 'ls', '--json', '--package', 'basic'])).json()
  t.match(accounts, [{ username: 'alice', seller: 'bob' }])
  const house = (await panel(['account', 'show', 'user1', '--json'])).json()
  t.equal(house.seller, null)
  t.match(await panel(['account', 'show', 'alice']), { stdout: /^seller +bob$/m })
  t.match(await panel(['account', 'ls']), {
    stdout: /^alice +suspended +basic +alice\.example +bob /m,
  })
})
