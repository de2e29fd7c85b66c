import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { tree } from '../support/tree.ts'
import { until } from '../support/until.ts'

// Root trusts no row, whichever process has written it.

const steps: string[] = []
const panel = await openPanel(t, {
  observe: async (step, work) => {
    steps.push(step)
    await work()
  },
})
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })
// A role that could write such rows could drop the checks on them as well.
await pool.query(
  `do $$ declare c record; begin
     for c in select conrelid::regclass as t, conname from pg_constraint
       where contype = 'c' and conrelid in ('panel.accounts'::regclass, 'panel.sites'::regclass)
     loop execute format('alter table %s drop constraint %I', c.t, c.conname); end loop;
   end $$`,
)

const hostile: [what: string, change: string, back: string][] = [
  [
    'a password hash with a second line',
    `update panel.accounts set password_hash = password_hash || E'\\nroot:$6$x$y'`,
    `update panel.accounts set password_hash = split_part(password_hash, E'\\n', 1)`,
  ],
  [
    'a username that is an option',
    `update panel.accounts set username = '--root=/'`,
    `update panel.accounts set username = 'alice'`,
  ],
  [
    'a username that is a path',
    `update panel.accounts set username = '../../etc'`,
    `update panel.accounts set username = 'alice'`,
  ],
  [
    'a uid of the system',
    'update panel.accounts set uid = 0',
    'update panel.accounts set uid = 20000',
  ],
  [
    'a domain with a directive in it',
    `update panel.sites set domain = 'x.example; include /etc/shadow'`,
    `update panel.sites set domain = 'alice.example'`,
  ],
]

for (const [what, change, back] of hostile) {
  t.test(`${what} reaches neither the machine nor a rendered text`, async t => {
    const before = await tree(panel.root)
    await pool.query(change)
    // As if requested under the hostile name, which the API refuses in most cases.
    const { rows } = await pool.query<{ id: string }>(
      `insert into panel.operations (token_id, key, fingerprint, name, account_id, username, state,
         params)
       select 1, $1, sha256('x'), 'account/suspend', id, username, 'queued',
         '{"desired":"suspended"}'
       from panel.accounts
       returning id`,
      [what],
    )
    await pool.query('select panel.enqueue_operation($1)', [rows[0]!.id])
    const ended = await until(async () => {
      const { rows: now } = await pool.query(
        'select state, status, body from panel.operations where id = $1',
        [rows[0]!.id],
      )
      return now[0].state === 'failed' && now[0]
    })
    t.match(ended, { status: null, body: null })
    t.strictSame(await tree(panel.root), before)
    await pool.query(back)
    t.match(await call('GET', '/api/v1/accounts/alice'), { body: { state: 'active' } })
  })
}

for (const params of ['{"desired":"evil"}', '{"package_id":"x"}', '{"package_id":"99999"}']) {
  t.test(`an operation that params ${params} fails alone`, async t => {
    steps.length = 0
    const { rows } = await pool.query<{ id: string }>(
      `insert into panel.operations (token_id, key, fingerprint, name, account_id, username, state,
         params)
       select 1, $1::text, sha256('x'), 'account/change-package', id, username, 'queued',
         $1::text::jsonb
       from panel.accounts
       returning id`,
      [params],
    )
    await pool.query('select panel.enqueue_operation($1)', [rows[0]!.id])
    await until(async () => {
      const { rows: now } = await pool.query('select state from panel.operations where id = $1', [
        rows[0]!.id,
      ])
      return now[0].state === 'failed'
    })
    t.strictSame(steps, [], 'nothing was begun, so nothing is undone')
    t.match(await call('GET', '/api/v1/accounts/alice'), { body: { state: 'active' } })
  })
}

t.test('the API begins nothing with other columns', async t => {
  await t.rejects(
    pool.query(`select panel.begin_operation(gen_random_uuid(), 'account/suspend', id,
      '{"uid":0}') from panel.accounts`),
    /may not begin account\/suspend wanting \{uid\}/,
  )
})

t.test('a website’s row that asks for nonsense fails, and ends no worker', async t => {
  for (const params of [{ site_id: 'abc' }, { site_id: { a: 1 } }, { domain: 7 }, {}]) {
    const key = JSON.stringify(params)
    await pool.query(
      `with begun as (
         insert into panel.operations (token_id, key, fingerprint) values (1, $1, sha256('x'))
         returning id)
       select panel.begin_operation(b.id, 'site/add', a.id, $2) from begun b, panel.accounts a`,
      [key, params],
    )
    const ended = await until(async () => {
      const { rows } = await pool.query(
        'select state, status from panel.operations where key = $1',
        [key],
      )
      return rows[0].state === 'done' && rows
    })
    t.strictSame(ended, [{ state: 'done', status: 404 }], key)
  }
})

t.test('an existing account is not created again, and never erased', async t => {
  await pool.query(
    `with begun as (
       insert into panel.operations (token_id, key, fingerprint) values (1, 'again', sha256('x'))
       returning id)
     select panel.begin_operation(b.id, 'account/create', a.id, '{}')
     from begun b, panel.accounts a`,
  )
  await until(async () => {
    const { rows } = await pool.query(`select state from panel.operations where key = 'again'`)
    return rows[0].state === 'failed'
  })
  t.match(await call('GET', '/api/v1/accounts/alice'), { body: { state: 'active' } })
})

t.test('the account works again once its row is right', async t => {
  t.equal((await call('POST', '/api/v1/accounts/alice/suspend')).status, 200)
})
