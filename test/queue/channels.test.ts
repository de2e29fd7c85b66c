import { randomBytes } from 'node:crypto'
import t from 'tap'
import { openPool } from '../../src/db.ts'
import { openGate } from '../support/gate.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// The callers that may begin an operation, as the role of the API has it: tokens, sessions, and
// never root.

const gate = openGate()
const panel = await openPanel(t, { observe: gate.observe })
const { pool } = panel
await panel.call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3 } })
await panel.call('POST', '/api/v1/accounts', { body: alice })
const api = openPool(panel.databaseUrl, 'panel_api', 1)
t.teardown(() => api.end())

const { rows: ids } = await pool.query<{ account: string; token: string; session: string }>(
  `with session as (
     insert into panel.sessions (hash, account_id, expires_at)
     select sha256('x'), id, now() + '1 hour' from panel.accounts returning id
   )
   select a.id as account, t.id as token, s.id as session
   from panel.accounts a, panel.tokens t, session s`,
)
const { account, token, session } = ids[0]!
const one = randomBytes(32)

const claim = async (caller: string, key: string, fingerprint = one, isReadOnly = false) => {
  const { rows } = await api.query(
    'select * from panel.claim_operation($1, $2, $3, $4, null, null)',
    [...[caller, key, fingerprint, isReadOnly]],
  )
  return rows[0]
}
const begin = async (caller: string, name: string, params: object, on: string | null = account) => {
  const { id } = await claim(caller, randomBytes(8).toString('hex'))
  await api.query('select panel.begin_operation($1, $2, $3, $4)', [id, name, on, params])
  return id
}

t.test('keys belong to a caller’s identity, and so does what a repeat finds', async t => {
  const callers = [`token:${token}`, `session:${session}`]
  const claimed = await Promise.all(callers.map(caller => claim(caller, 'same')))
  t.strictSame(
    claimed.map(({ outcome }) => outcome),
    ['new', 'new'],
  )
  t.match(await claim(callers[0]!, 'same'), { outcome: 'running', id: claimed[0]!.id })
  t.match(await claim(callers[0]!, 'same', one, true), { outcome: 'running' }, 'to look is as well')
  t.match(await claim(callers[0]!, 'same', randomBytes(32)), { outcome: 'mismatch' })
  t.match(await claim(callers[1]!, 'other', one, true), { outcome: 'new', id: null })
  const { rows } = await pool.query(
    'select caller_role, caller_words from panel.operations where key = $1 order by caller',
    ['same'],
  )
  t.strictSame(rows, [
    { caller_role: 'customer', caller_words: 'alice' },
    { caller_role: 'administrator', caller_words: 'admin, token test' },
  ])
})

t.test('a caller who claims the key of a failed one is its caller from now on', async t => {
  for (const [who, caller] of [`token:${token}`, `session:${session}`].entries()) {
    const { id } = await claim(caller, 'failed')
    await pool.query(
      `update panel.operations set state = 'failed', finished_at = now(),
         caller_role = 'reseller', caller_words = 'as it was' where id = $1`,
      [id],
    )
    t.match(await claim(caller, 'failed', randomBytes(32)), { outcome: 'new', id })
    const { rows } = await pool.query(
      'select caller_role, caller_words from panel.operations where id = $1',
      [id],
    )
    const now = [
      { caller_role: 'administrator', caller_words: 'admin, token test' },
      { caller_role: 'customer', caller_words: 'alice' },
    ]
    t.strictSame(rows, [now[who]])
  }
  const { id } = await claim(`session:${session}`, 'gone')
  await pool.query(
    `update panel.operations set state = 'failed', finished_at = now(), session_id = 999
     where id = $1`,
    [id],
  )
  await t.rejects(
    claim('session:999', 'gone'),
    /there is no caller/,
    'and no other caller takes it over',
  )
})

t.test('HTTP requests cannot act as root, or as a missing caller', async t => {
  for (const caller of ['root', 'root:1', 'token:x', '', 'token:1 ']) {
    await t.rejects(claim(caller, 'x'), /no caller here is/, caller)
  }
  for (const caller of ['token:999', 'session:999']) {
    await t.rejects(claim(caller, 'x', one), /there is no caller/, caller)
  }
})

t.test('a channel outside the list begins nothing', async t => {
  const asToken = `token:${token}`
  const refused: [name: string, params: object, on?: string | null][] = [
    ['account/apply', {}],
    ['certificate/install', {}],
    ['server/apply', {}, null],
    ['account/suspend', {}, null],
    ['account/nothing', {}],
    ['account/suspend', { uid: 0 }],
    ['account/suspend', { password_hash: 'x' }],
    ['site/add', { package_id: '1' }],
    ['account/set-email', {}],
  ]
  for (const [name, params, on] of refused) {
    await t.rejects(begin(asToken, name, params, on), /this caller may not begin/, name)
  }
  const { rowCount } = await pool.query(
    `select from panel.operations where state not in ('claimed', 'done', 'failed')`,
  )
  t.equal(rowCount, 0)
})

t.test('a session’s operation takes turns with a token’s, under job keys apart', async t => {
  gate.close()
  const ours = await begin(`session:${session}`, 'account/set-password', {})
  await gate.reached()
  const theirs = await begin(`token:${token}`, 'account/set-password', {})
  const states = async () => {
    const { rows } = await pool.query(
      'select state from panel.operations where id = any ($1) order by arrival',
      [[ours, theirs]],
    )
    return rows.map(({ state }) => state)
  }
  t.strictSame(await states(), ['running', 'blocked'])
  gate.open()
  await until(async () => (await states()).join() === 'done,done')
})

t.test('the server has a lane of its own', async t => {
  gate.close()
  await pool.query(`select panel.begin_internal(0, 'server/apply')`)
  await gate.reached()
  await pool.query(`select panel.begin_internal(0, 'server/apply')`)
  const states = async () => {
    const { rows } = await pool.query(
      `select state, lane, account_id from panel.operations
       where name = 'server/apply' order by arrival`,
    )
    return rows
  }
  const inLane = { lane: '0', account_id: null }
  t.strictSame(await states(), [
    { state: 'running', ...inLane },
    { state: 'blocked', ...inLane },
  ])
  const { rows: locks } = await pool.query(
    `select from pg_locks where locktype = 'advisory' and granted
       and classid = 0 and objid = 0 and objsubid = 1`,
  )
  t.equal(locks.length, 1, 'under its advisory lock')
  gate.open()
  await until(async () => (await states()).every(({ state }) => state === 'done'))
})
