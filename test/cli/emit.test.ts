import t from 'tap'
import { examples } from '../../src/model/events/event-examples.ts'
import { webhookTo } from '../support/courier.ts'
import { panelFor } from '../support/cli/run-panel.ts'

const { pool, panel } = await panelFor(t)
const emit = (name: string, data: unknown) => [
  ...['ctl', 'emit', name, '--json', '--data'],
  typeof data === 'string' ? data : JSON.stringify(data),
]

t.test('raises every event of the catalogue with the data that it has', async t => {
  await webhookTo(pool, 'https://hooks.example.com/', ['backup.completed'])
  for (const [name, data] of Object.entries(examples)) {
    const result = await panel(emit(name, data))
    t.equal(result.code, 0, name)
    const { rows } = await pool.query(
      `select name, data, convert_from(body, 'utf8')::json as body, account_id
       from panel.events where id = $1`,
      [result.json().id],
    )
    t.match(rows, [{ name, data, body: { event: name, data }, account_id: null }])
    t.strictSame(Object.keys(rows[0].body), ['event', 'time', 'server', 'data'])
  }
  const { rows } = await pool.query(
    'select e.name from panel.deliveries d join panel.events e on e.id = d.event_id',
  )
  t.strictSame(rows, [{ name: 'backup.completed' }])
})

t.test('an event takes its turn among those of the account that it names', async t => {
  const { rows } = await pool.query(
    `with p as (
       insert into panel.packages (seller_id, name) select id, 'starter' from panel.sellers
       returning id, seller_id)
     insert into panel.accounts
       (seller_id, package_id, username, email, password_hash, state, terminated_at)
     select p.seller_id, p.id, 'carol', 'carol@example.com', 'x', state, null
     from p, unnest(array['terminated', 'active']) state
     returning id, state`,
  )
  const result = await panel(emit('database.created', { username: 'carol', database: 'shop' }))
  const { rows: raised } = await pool.query('select account_id from panel.events where id = $1', [
    result.json().id,
  ])
  t.strictSame(raised, [{ account_id: rows.find(({ state }) => state === 'active').id }])
})

t.test('refuses what the catalogue does not allow, and raises nothing', async t => {
  const count = async () => (await pool.query('select from panel.events')).rowCount
  const before = await count()
  const wrong: [string[], RegExp][] = [
    [['ctl', 'emit', 'account.deleted'], /--data/],
    [emit('account.renamed', { username: 'alice' }), /EVENT/],
    [emit('account.deleted', '{username:'), /--data is not JSON/],
    [emit('account.deleted', '"alice"'), /--data/],
    [emit('account.deleted', {}), /--data: username/],
    [emit('account.deleted', { username: 7 }), /--data: username/],
    [emit('account.deleted', { username: 'x'.repeat(1_001) }), /at most 1000/],
    [emit('account.deleted', { username: 'alice', password: 'x' }), /password/],
    [emit('ssl.issued', { ...examples['ssl.issued'], expires_at: 'soon' }), /expires_at/],
    [emit('backup.completed', { ...examples['backup.completed'], bytes: 1.5 }), /bytes/],
  ]
  for (const [words, stderr] of wrong) {
    t.match(await panel(words), { code: 2, stdout: '', stderr }, words.join(' '))
  }
  t.equal(await count(), before)
})
