import t from 'tap'
import { alice, openPanel } from '../panel.ts'
import { tree } from '../tree.ts'

// Architecture, rule 5: root reads every row as hostile, whoever has written it.

const panel = await openPanel(t)
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })
// Whoever can write such rows can drop the checks that would stop them as well.
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
    const { rows } = await pool.query('select username from panel.accounts')
    const path = `/api/v1/accounts/${encodeURIComponent(rows[0].username)}/suspend`
    const refused = await call('POST', path)
    t.equal(refused.status, 500)
    t.notMatch(refused.text, /root|shadow|etc/)
    t.strictSame(await tree(panel.root), before)
    await pool.query(back)
    t.match(await call('GET', '/api/v1/accounts/alice'), { body: { state: 'active' } })
  })
}

t.test('the account works again once its row is right', async t => {
  t.equal((await call('POST', '/api/v1/accounts/alice/suspend')).status, 200)
})
