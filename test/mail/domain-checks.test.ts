import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import t from 'tap'
import { openMailChecks } from '../../src/acme/mail-records.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { nameServer, type Zone } from '../support/acme/name-server.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { courierOn } from '../support/courier.ts'
import { makeMailFolders } from '../support/host/mail-folders.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// The courier's checks of mail domains, asked of a real name server.

const here = '192.0.2.10'
const host = 'mail.example.net'
const zone: Zone = { [host]: [here] }
const panel = await openPanel(t)
const { pool, root } = panel
const { token } = await createToken(pool, {
  ...{ owner: 'admin', name: 'Hosting', permission: 'Provisioning and hosting' },
})
const resolver = [await nameServer(t, zone)]
let checks = 0
const check = openMailChecks({ resolver, addresses: [here] })
const courierWith = (crash?: string) =>
  courierOn(t, panel.databaseUrl, {
    checkMailDomain: due => {
      checks += 1
      return check(due)
    },
    observe: async (step, work) => {
      if (step === crash) throw new Error('killed')
      return work()
    },
  })
let courier = await courierWith()
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(root) }
const command = (...words: string[]) => callPanel(['mail', 'domain', ...words], environment)
const call = (method: string, path = '', body?: object, account = 'alice') =>
  panel.call(method, `/api/v1/accounts/${account}/mail-domains${path}`, { token, body })

makeMailFolders(root)
await pool.query('update panel.server set mail = $1', [{ host }])
await panel.call('PUT', '/api/v1/packages/starter', { body: { max_mailboxes: 5 } })
await panel.call('POST', '/api/v1/accounts', { body: alice })
for (const username of ['bob', 'eve']) {
  const body = { ...alice, username, domain: `${username}.example` }
  await panel.call('POST', '/api/v1/accounts', { body })
}

type Row = { checked_at: Date | null; check_at: Date; state: string; missing_since: Date | null }
const rowOf = async (domain: string): Promise<Row | undefined> =>
  (await pool.query('select * from panel.mail_domains where domain = $1', [domain])).rows[0]
/** Has the courier check a domain now, and returns it. */
async function checked(domain: string, account = 'alice') {
  await pool.query('update panel.mail_domains set checked_at = null where domain = $1', [domain])
  const asked = await call('POST', `/${domain}/check`, {}, account)
  t.equal(asked.status, 200, asked.text)
  await until(async () => (await rowOf(domain))?.checked_at !== null)
  const { body } = await call('GET', `/${domain}`, undefined, account)
  return body
}
type Shown = { record: string; result: string; found: string[]; value: string }
const results = ({ records }: { records: Shown[] }) =>
  Object.fromEntries(records.map(({ record, result }) => [record, result]))
const all = (result: string) => ({
  ...{ mx: result, spf: result, dkim: result, dmarc: result },
  ...{ autoconfig: result, autodiscover: result },
})
const one = 'alice.example'

t.test('a domain without records is pending, and lists what is missing', async t => {
  t.equal((await call('POST', '', { domain: one })).status, 201)
  t.match(results((await call('GET', `/${one}`)).body), all(null as never))
  zone[one] = []
  const domain = await checked(one)
  t.match(domain, { state: 'pending' })
  t.strictSame(results(domain), all('missing'))
  t.match(await command('show', 'alice', one), { code: 0, stdout: /mx +missing/ })
})

t.test('with its records it is active; each is named with its result', async t => {
  const { records } = await checked(one)
  for (const { name, type, value } of records) {
    const text = type === 'CNAME' ? `CNAME ${host}` : `${type} ${value.replace(/\.$/, '')}`
    zone[name] = [...(zone[name] ?? []), text].map(entry => entry as string)
  }
  const domain = await checked(one)
  t.strictSame(results(domain), all('ok'))
  t.match(domain, { state: 'active', missing_since: null })
  t.match(domain.records[0], { found: ['10 mail.example.net.'], value: '10 mail.example.net.' })
  const shown = await command('show', 'alice', one, '--json')
  t.strictSame(JSON.parse(shown.stdout), domain)
  const { check_at: next } = (await rowOf(one))!
  const hours = (next.getTime() - Date.now()) / 3_600_000
  t.ok(hours > 19 && hours < 29, 'it is checked again within a day')
})

t.test('wrong records are shown as they are, without control characters', async t => {
  const { records } = (await call('GET', `/${one}`)).body
  const dkim = records.find(({ record }: Shown) => record === 'dkim').name
  const before = { ...zone }
  Object.assign(zone, {
    [one]: ['MX 5 mx.elsewhere.example', `MX 10 ${host}`, 'TXT v=spf1 a:mx.elsewhere.example -all'],
    [dkim]: ['TXT v=DKIM1; p=AAAA\u001b[31m\u0007\u00e9'],
    [`_dmarc.${one}`]: ['TXT v=DMARC1; p=none', 'TXT v=DMARC1; p=reject'],
    [`autoconfig.${one}`]: ['203.0.113.1'],
    [`autodiscover.${one}`]: [here, '203.0.113.1'],
  })
  const domain = await checked(one)
  t.strictSame(results(domain), all('wrong'))
  t.match(domain, { state: 'active', missing_since: /Z$/ })
  t.notMatch(JSON.stringify(domain), /\\u00/)
  t.match(await command('show', 'alice', one), { stdout: /mx +wrong +5 mx\.elsewhere\.example\./ })
  Object.assign(zone, before)
  t.match(await checked(one), { state: 'active', missing_since: null })
})

t.test('SPF records permit this server in many ways', async t => {
  Object.assign(zone, {
    'spf.provider.example': ['TXT v=spf1 ip4:198.51.100.0/24 ip4:192.0.2.0/28 ~all'],
    'deep.example': ['TXT v=spf1 include:deep.example'],
  })
  const permitted: Record<string, string> = {
    'v=spf1 mx -all': 'ok',
    'v=spf1 a:mail.example.net ~all': 'ok',
    'v=spf1 ip4:192.0.2.10 -all': 'ok',
    'v=spf1 include:spf.provider.example -all': 'ok',
    'v=spf1 redirect=spf.provider.example': 'ok',
    'v=spf1 -mx +all': 'wrong',
    'v=spf1 -all mx': 'wrong',
    'v=spf1 include:deep.example ?all': 'wrong',
    'v=spf1 exists:%{i}.x.example ip4:1.2.3.4/99 ip6:::1/x -all': 'wrong',
    'v=spf10 mx': 'missing',
  }
  const mx = `MX 10 ${host}`
  const before = zone[one]!
  for (const [text, result] of Object.entries(permitted)) {
    zone[one] = [mx, `TXT ${text}`]
    t.equal(results(await checked(one))['spf'], result, text)
  }
  zone[one] = [mx, 'TXT v=spf1 mx -all', 'TXT v=spf1 a -all']
  t.equal(results(await checked(one))['spf'], 'wrong', 'two are none')
  zone[one] = before
})

t.test('after 7 days elsewhere it is taken out, until its records lead here again', async t => {
  const before = zone[one]!
  zone[one] = ['MX 0 mx.elsewhere.example']
  t.match(await checked(one), { state: 'active', missing_since: /Z$/ })
  const age = `update panel.mail_domains set missing_since = now() - interval '8 days'
    where domain = $1`
  await pool.query(age, [one])
  t.match(await checked(one), { state: 'pending' })
  const causes = async () => {
    const { rows } = await pool.query(
      `select f.content from panel.find_notice_causes(null) f where f.kind = 'mail-domain'`,
    )
    return rows.map(({ content }) => content)
  }
  t.match(await causes(), [{ username: 'alice', domain: one, what: 'left' }])
  zone[one] = before
  t.match(await checked(one), { state: 'active', missing_since: null })
  t.strictSame(await causes(), [])
})

t.test('name servers that do not answer change nothing', async t => {
  const before = { ...zone }
  for (const name of Object.keys(zone)) if (name.endsWith(one)) zone[name] = 'servfail'
  const domain = await checked(one)
  t.match(domain, { state: 'active', missing_since: null })
  t.strictSame(results(domain), all('unknown'))
  Object.assign(zone, before)
})

t.test('a secret in a TXT record proves a domain without a website', async t => {
  const { body } = await call('POST', '', { domain: 'post.example' })
  zone['post.example'] = [`MX 10 ${host}`]
  t.match(await checked('post.example'), { state: 'pending' }, 'anyone’s mail may lead here')
  zone['_panel-mail.post.example'] = ['TXT panel-mail=0000', `TXT ${body.proof}`]
  t.match(await checked('post.example'), { state: 'active' })
})

t.test('an account that proves a domain gets it from one that has not', async t => {
  const domain = 'bank.example'
  t.equal((await call('POST', '', { domain }, 'eve')).status, 201)
  const mailbox = { mailbox: `info@${domain}`, password: 'correct horse battery' }
  const made = await panel.call('POST', '/api/v1/accounts/eve/mailboxes', { token, body: mailbox })
  t.equal(made.status, 201)
  zone[domain] = [`MX 10 ${host}`]
  const refused = await call('POST', '', { domain }, 'bob')
  t.match(refused, { status: 400, body: { error: /has not proved it/ } })
  const [proof] = /panel-mail=[0-9a-f]{32}/.exec(refused.body.error)!
  const again = await call('POST', '', { domain }, 'bob')
  t.match(again.body.error, proof, 'the claim keeps its secret')
  t.match(await checked(domain, 'eve'), { state: 'pending' })
  zone[`_panel-mail.${domain}`] = [`TXT ${proof}`]
  await pool.query('update panel.mail_domains set checked_at = null where domain = $1', [domain])
  await call('POST', `/${domain}/check`, {}, 'eve')
  t.ok(await until(async () => (await rowOf(domain)) === undefined, 20_000))
  const { rows } = await pool.query(
    `select content from panel.notice_causes where kind = 'mail-domain'`,
  )
  t.match(rows.at(-1), { content: { username: 'eve', domain, what: 'released' } })
  const added = await call('POST', '', { domain }, 'bob')
  t.match(added, { status: 201, body: { proof } })
  t.match(await checked(domain, 'bob'), { state: 'active' })
  t.match(await call('POST', '', { domain }, 'eve'), { status: 400, body: { error: /taken/ } })
})

t.test('others see and check none of it', async t => {
  t.match(await call('GET', `/${one}`, undefined, 'bob'), { status: 404 })
  t.match(await call('POST', `/${one}/check`, {}, 'bob'), { status: 404 })
  t.match(await command('check', 'alice', 'nothing.example'), { code: 1 })
})

t.test('a check is made once, however often it is asked for', async t => {
  await checked(one)
  const before = checks
  const asked = Array.from({ length: 5 }, () => call('POST', `/${one}/check`, {}))
  for (const { status } of await Promise.all(asked)) t.equal(status, 200)
  await new Promise(resolve => setTimeout(resolve, 500))
  t.equal(checks, before)
})

for (const step of ['check', 'record']) {
  t.test(`a courier that is killed at ${step} leaves the check to the next one`, async t => {
    await courier.stop()
    const dying = await courierWith(step)
    await pool.query(
      `update panel.mail_domains set checked_at = null, check_at = now() + interval '1 day'`,
    )
    await call('POST', `/${one}/check`, {})
    await until(async () => (await rowOf(one))!.check_at > new Date())
    await dying.stop()
    t.equal((await rowOf(one))!.checked_at, null)
    await pool.query('update panel.mail_domains set check_at = now() where domain = $1', [one])
    courier = await courierWith()
    await call('POST', `/${one}/check`, {})
    t.ok(await until(async () => (await rowOf(one))!.checked_at !== null))
  })
}

t.test('a stale check records nothing', async t => {
  const { rows } = await pool.query(
    `select id, check_epoch as epoch from panel.mail_domains where domain = $1`,
    [one],
  )
  const { id, epoch } = rows[0]
  const record = (number: number) =>
    pool.query(`select panel.record_mail_check($1, $2, null, '{}', '[]') as state`, [id, number])
  t.match((await record(epoch - 1)).rows, [{ state: null }])
  t.equal((await rowOf(one))!.missing_since, null)
})

t.test('hundreds of domains are checked a few at a time', async t => {
  await courier.stop()
  const digest = (index: number) => createHash('sha256').update(String(index)).digest('hex')
  await pool.query(
    `insert into panel.mail_domains (account_id, domain, desired)
     select a.id, d, 'present' from panel.accounts a, unnest($1::text[]) d
     where a.username = 'bob'`,
    [Array.from({ length: 200 }, (_, index) => `${digest(index).slice(0, 20)}.example`)],
  )
  let [atOnce, most] = [0, 0]
  courier = await courierOn(t, panel.databaseUrl, {
    async checkMailDomain() {
      most = Math.max(most, ++atOnce)
      await new Promise(resolve => setTimeout(resolve, 5))
      atOnce -= 1
      return { found: null, proofs: [], records: [] }
    },
  })
  await pool.query('update panel.mail_domains set checked_at = null where domain = $1', [one])
  await call('POST', `/${one}/check`, {})
  const isOver = async () =>
    (
      await pool.query(
        `select from panel.mail_domains where checked_at is null and length(domain) = 28`,
      )
    ).rowCount === 0
  t.ok(await until(isOver, 20_000))
  t.ok(most <= 8, `${most} at once`)
})
