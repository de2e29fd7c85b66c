import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { scratch } from '../support/scratch.ts'
import { inMs, vendor } from '../support/cli/licenses.ts'
import { panelFor, callPanel } from '../support/cli/run-panel.ts'

const { pool, stateDir, environment } = await panelFor(t)
const { key, license, signed } = vendor()
const panel = (...words: string[]) => callPanel(words, { ...environment, PANEL_LICENSE_KEY: key })

const { rows } = await pool.query('select id from panel.server')
const serverId = rows[0].id as string
const installed = join(stateDir, 'license')
const folder = scratch(t)

// A file with this text, to be installed.
function file(text: string | Buffer): string {
  const path = join(folder, randomUUID())
  writeFileSync(path, text)
  return path
}

t.test('shows the development license, and the server’s id for a better one', async t => {
  const result = await panel('license', 'show', '--json')
  t.equal(result.code, 0)
  t.strictSame(result.json(), {
    plan: 'development',
    max_accounts: 10_000,
    accounts: 0,
    server_id: serverId,
    expires_at: null,
    is_valid: true,
    reason: null,
  })
  const { stdout } = await panel('license', 'show')
  t.match(
    stdout,
    /^plan +development\naccounts +0 of 10000\nserver ID +[-0-9a-f]{36}\nexpires +never/,
  )
})

t.test('installs a license, again as well, and shows it', async t => {
  const expires = inMs(3_600_000)
  const text = license({ server_id: serverId, expires_at: expires })
  for (const _time of [1, 2]) {
    const result = await panel('license', 'install', file(text), '--json')
    t.match(result, { code: 0, stderr: '' })
    t.match(result.json(), { plan: 'business', max_accounts: 500, expires_at: expires })
    t.equal(readFileSync(installed, 'utf8'), text)
    t.equal(statSync(installed).mode & 0o777, 0o644)
  }
  const { stdout } = await panel('license', 'show')
  t.match(stdout, new RegExp(`^plan +business\naccounts +0 of 500\n(.*\n)expires +${expires}\n`))
  t.match(stdout, /^valid +yes\n/m)
})

t.test('refuses what was changed, and what is another’s or over; the old one stays', async t => {
  const before = readFileSync(installed, 'utf8')
  const { payload, signature } = JSON.parse(before) as { payload: string; signature: string }
  const more = payload.replace(/./, first => (first === 'e' ? 'f' : 'e'))
  const refused: [string, string | Buffer, RegExp][] = [
    ['payload', JSON.stringify({ payload: more, signature }), /not signed by the vendor/],
    ['signature', JSON.stringify({ payload, signature: payload }), /not signed by the vendor/],
    ['other vendor', vendor().license({ server_id: serverId }), /not signed by the vendor/],
    ['other server', license({ server_id: randomUUID() }), /for another server/],
    ['expired', license({ server_id: serverId, expires_at: inMs(-1_000) }), /has expired/],
    ['field', license({ server_id: serverId, plan: '' }), /not valid for this panel: plan/],
    ['signed text', signed(Buffer.from('hello')), /not valid for this panel/],
    ['more than a license', JSON.stringify({ payload, signature, note: 1 }), /not a license file/],
    ['bytes', Buffer.from([0, 255, 254]), /not a license file/],
    ['nothing', '', /not a license file/],
    ['much', ' '.repeat(70_000), /not a license file/],
  ]
  const results = await Promise.all(
    refused.map(([, text]) => panel('license', 'install', file(text), '--json')),
  )
  for (const [index, [name, , stderr]] of refused.entries()) {
    t.match(results[index], { code: 1, stdout: '', stderr }, name)
  }
  t.match(await panel('license', 'install', '/nonexistent'), {
    code: 1,
    stderr: 'panel: /nonexistent cannot be read (ENOENT)\n',
  })
  t.match(await panel('license', 'install', folder), {
    code: 1,
    stderr: /cannot be read \(EISDIR\)/,
  })
  t.equal(readFileSync(installed, 'utf8'), before)
})

t.test('says why the license that is there does not count, and makes no token', async t => {
  const owner = { name: 'admin', role: 'administrator', email: 'admin@example.com' } as const
  await addOperator(pool, { ...owner, password: 'correct horse' })
  const broken: [string, RegExp][] = [
    [license({ server_id: serverId, expires_at: inMs(-1_000) }), /expired/],
    [license({ server_id: randomUUID() }), /another server/],
    [license({ server_id: serverId, plan: 'free' }), /not a paid one/],
    ['{}', /not a license file/],
  ]
  for (const [text, reason] of broken) {
    writeFileSync(installed, text)
    const shown = await panel('license', 'show', '--json')
    t.equal(shown.code, 0)
    t.match(shown.json(), { server_id: serverId, is_valid: false, reason })
    const made = await panel('token', 'create', '--owner', 'admin')
    t.match(made, { code: 1, stdout: '', stderr: reason })
  }
  t.equal((await pool.query('select from panel.tokens')).rowCount, 0)

  writeFileSync(installed, license({ server_id: serverId }))
  t.equal((await panel('token', 'create', '--owner', 'admin')).code, 0)
})

t.test('without a file and without panel start there is none', async t => {
  rmSync(installed)
  rmSync(join(stateDir, 'lock'))
  const result = await panel('license', 'show', '--json')
  t.match(result.json(), { plan: null, max_accounts: null, is_valid: false, server_id: serverId })
  t.match((await panel('license', 'show')).stdout, /^valid +no: No license is installed\n/m)
})

t.test('says so if there are more accounts than a license permits', async t => {
  await pool.query(
    `with package as (
       insert into panel.packages (seller_id, name)
       select id, 'starter' from panel.sellers where is_own
       returning id, seller_id
     )
     insert into panel.accounts (seller_id, package_id, username, email, password_hash, state)
     select seller_id, id, name, 'x@example.com', '$6$x$x', state
     from package, (values ('alice', 'active'), ('anna', 'suspended'), ('gone', 'terminated'))
       as x (name, state)`,
  )
  const text = license({ server_id: serverId, max_accounts: 1 })
  const result = await panel('license', 'install', file(text))
  t.match(result, {
    code: 0,
    stdout: /^accounts +2 of 1\n/m,
    stderr: /more accounts than it permits/,
  })
})

t.test('a key that is none is named', async t => {
  const other = { ...environment, PANEL_LICENSE_KEY: 'aGVsbG8=' }
  const result = await callPanel(['license', 'install', installed], other)
  t.match(result, { code: 1, stdout: '', stderr: /not an Ed25519 key/ })
})

t.test('answers wrong usage with 2', async t => {
  const wrong = [['license'], ['license', 'install'], ['license', 'show', 'x']]
  for (const result of await Promise.all(wrong.map(words => panel(...words)))) {
    t.match(result, { code: 2, stdout: '', stderr: /\w/ })
  }
})
