import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { panelFor } from '../support/cli/run-panel.ts'

const { pool, panel } = await panelFor(t)
for (const [name, role] of [['admin', 'administrator'] as const, ['bob', 'reseller'] as const]) {
  await addOperator(pool, { name, role, email: `${name}@example.com`, password: 'correct horse' })
}

const set = (name: string, accounts: string, ...more: string[]) => [
  ...['reseller', 'set', name, '--max-accounts', accounts, '--disk-mb', '20480'],
  ...['--max-sites', '20', '--memory-mb', '1024', '--cpu-percent', '200', ...more],
]

const plan = {
  max_accounts: 10,
  disk_mb: 20_480,
  max_sites: 20,
  memory_mb: 1_024,
  cpu_percent: 200,
}

const stored = async () => {
  const { rows } = await pool.query(
    `select max_accounts, disk_mb::int, max_sites::int, memory_mb, cpu_percent
     from panel.sellers where not is_own`,
  )
  return rows[0]
}

t.test('gives a reseller a plan, and another one', async t => {
  const result = await panel(set('bob', '10', '--json'))
  t.equal(result.code, 0)
  t.strictSame(result.json(), { name: 'bob', ...plan })
  t.equal(result.stderr, '')
  t.strictSame(await stored(), plan)

  const again = await panel(set('bob', '12'))
  t.match(again, { code: 0, stdout: /^name +bob\nmax_accounts +12\n/ })
  t.strictSame(await stored(), { ...plan, max_accounts: 12 })
})

t.test('says so if the accounts are beyond the plan already', async t => {
  await pool.query(
    `with package as (
       insert into panel.packages (seller_id, name)
       select seller_id, 'starter' from panel.operators where name = 'bob'
       returning id, seller_id
     )
     insert into panel.accounts (seller_id, package_id, username, email, password_hash)
     select seller_id, id, name, 'x@example.com', '$6$x$x'
     from package, unnest(array['alice', 'anna']) as name`,
  )
  const result = await panel(set('bob', '1'))
  t.match(result, {
    code: 0,
    stderr: /already exceed that: The reseller's plan allows 1 account$/m,
  })
  t.strictSame(await stored(), { ...plan, max_accounts: 1 })
})

t.test('suspends and unsuspends, and a repeat changes nothing', async t => {
  const first = await panel(['reseller', 'suspend', 'bob', '--json'])
  t.match(first.json(), { name: 'bob', suspended_at: /^2.*Z$/ })
  const second = await panel(['reseller', 'suspend', 'bob', '--json'])
  t.equal(second.code, 0)
  t.strictSame(second.json(), first.json())
  for (const _time of [1, 2]) {
    const result = await panel(['reseller', 'unsuspend', 'bob'])
    t.match(result, { code: 0, stdout: 'name          bob\nsuspended_at  -\n', stderr: '' })
  }
})

t.test('knows neither unknown names nor administrators as resellers', async t => {
  for (const name of ['nobody', 'admin']) {
    for (const words of [set(name, '1'), ['reseller', 'suspend', name]]) {
      const result = await panel(words)
      t.match(result, { code: 1, stdout: '', stderr: `panel: Unknown reseller: ${name}\n` })
    }
  }
})

t.test('answers wrong usage with 2', async t => {
  const wrong = [
    ['reseller', 'set', 'bob', '--max-accounts', '5'],
    set('bob', 'many'),
    set('bob', '1.5'),
    set('bob', '-1'),
    set('bob', '1000001'),
    set('bob', '1', '--memory-mb', '0'),
    ['reseller', 'suspend'],
    ['reseller', 'suspend', 'bob', 'carol'],
  ]
  for (const result of await Promise.all(wrong.map(words => panel(words)))) {
    t.match(result, { code: 2, stdout: '', stderr: /\w/ })
  }
  t.strictSame(await stored(), { ...plan, max_accounts: 1 })
})

t.test('lists and shows resellers, with what their accounts have of the plan', async t => {
  await pool.query(
    `with package as (
       insert into panel.packages (seller_id, name, max_sites, disk_mb)
       select seller_id, 'basic', 3, 500 from panel.operators where name = 'bob'
       returning id, seller_id)
     insert into panel.accounts (seller_id, package_id, username, email, password_hash, state,
       terminated_at)
     select seller_id, id, 'user' || n, 'a@example.com', '$6$secret$hash',
       case n when 3 then 'terminated' else 'active' end, case n when 3 then now() end
     from package, generate_series(1, 3) n`,
  )
  await panel(set('bob', '10'))
  // With the two of the test before.
  const used = { accounts: 4, disk_mb: 3_048, max_sites: 8 }
  const shown = (await panel(['reseller', 'show', 'bob', '--json'])).json()
  t.match(shown, { name: 'bob', email: 'bob@example.com', suspended_at: null, plan, used })
  t.strictSame((await panel(['reseller', 'ls', '--json'])).json(), { resellers: [shown] })
  t.match(await panel(['reseller', 'ls']), {
    stdout: /^bob +active +4 of 10 +3048 of 20480 +8 of 20 +bob@example\.com +2/m,
  })
  t.match(await panel(['reseller', 'show', 'bob']), { stdout: /^disk MB +3048 of 20480$/m })
  await panel(['reseller', 'suspend', 'bob'])
  t.match(await panel(['reseller', 'ls']), { stdout: /^bob +suspended /m })
  await panel(['reseller', 'unsuspend', 'bob'])
  const email = 'carol@example.com'
  await addOperator(pool, { name: 'carol', role: 'reseller', email, password: 'correct horse' })
  t.match(await panel(['reseller', 'show', 'carol', '--json']), {
    stdout: /"plan":null/,
    stderr: /needs a plan first: panel reseller set carol$/m,
  })
  t.match(await panel(['reseller', 'show', 'admin']), {
    code: 1,
    stderr: /Unknown reseller: admin/,
  })
})

t.test('lists everybody who signs in, without what opens anything', async t => {
  const id = `(select id from panel.operators where name = 'admin')`
  const set = `insert into panel.second_factors (operator_id, secret) values (${id}, $1)`
  await pool.query(set, [Buffer.alloc(30)])
  const isSet = async () =>
    (await panel(['user', 'ls', '--json'])).json().users[0].has_second_factor
  t.equal(await isSet(), false, 'not before its app has shown a code')
  await pool.query('update panel.second_factors set confirmed_at = now(), last_step = 1')
  t.match(await panel(['token', 'create', '--owner', 'bob', '--json']), { code: 0 })
  const result = await panel(['user', 'ls', '--json'])
  t.match(result.json(), {
    users: [
      { name: 'admin', role: 'administrator', has_second_factor: true, tokens: 0 },
      {
        name: 'bob',
        role: 'reseller',
        email: 'bob@example.com',
        has_second_factor: false,
        tokens: 1,
      },
    ],
  })
  t.notMatch(result.stdout, /argon2|hash/)
  t.match(await panel(['user', 'ls']), { stdout: /^admin +administrator +admin@\S+ +yes +0 +2/m })
})
