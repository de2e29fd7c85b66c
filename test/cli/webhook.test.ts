import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { courierOn, serverKey } from '../support/courier.ts'
import { receiverFor } from '../support/receiver.ts'
import { callPanel, panelFor } from '../support/cli/run-panel.ts'

const { pool, panel, stateDir, environment } = await panelFor(t)
const keyFile = join(stateDir, 'key')
writeFileSync(keyFile, serverKey, { mode: 0o600 })
const nowhere = 'https://hooks.example.com/panel'

t.test('adds a webhook, whose secret is shown this once', async t => {
  const result = await panel(['webhook', 'add', nowhere, '--json'])
  t.match(result, { code: 0, stderr: 'panel: the secret will not be shown again\n' })
  t.strictSame(Object.keys(result.json()), ['id', 'secret'])
  const { id, secret } = result.json()
  t.match(secret, /^[0-9a-f]{64}$/)
  const { rows } = await pool.query('select * from panel.webhooks')
  t.match(rows, [{ id, url: nowhere, events: null, removed_at: null }])
  t.notOk(rows[0].secret.includes(secret))
  const listed = await panel(['webhook', 'ls', '--json'])
  t.notMatch(listed.stdout, secret)
  t.match(listed.json(), { webhooks: [{ id, url: nowhere, events: null, failing: false }] })
})

t.test('adds one for some events, with a secret of one’s own', async t => {
  const own = 'sixteen characte'
  const words = ['webhook', 'add', 'HTTP://Hooks.Example.com', '--secret-stdin', '--json']
  const result = await panel(
    [...words, '--event', 'ssl.issued', '--event', 'ssl.issued'],
    `${own}\n`,
  )
  t.match(result, { code: 0, stderr: '' })
  t.match(result.json(), { id: /^[0-9a-f-]{36}$/, secret: own })
  const { stdout } = await panel(['webhook', 'ls'])
  t.match(stdout, /^ID +TROUBLE +URL +EVENTS +CREATED\n/)
  const line = `^${result.json().id} +none +http://hooks\\.example\\.com/ +ssl\\.issued +2`
  t.match(stdout, new RegExp(line, 'm'))
})

t.test('warns of an address that nothing will ever be sent to', async t => {
  const never = ['http://127.0.0.1:9/', 'http://localhost/', 'http://[::1]:1/']
  for (const url of never) {
    const result = await panel(['webhook', 'add', url, '--json'])
    t.match(result, {
      code: 0,
      stderr: /^panel: webhooks are never sent there: .* PANEL_WEBHOOK_AL/m,
    })
    const moved = await panel(['webhook', 'set', result.json().id, '--url', url])
    t.match(moved, { code: 0, stderr: /webhooks are never sent there/ }, url)
    await panel(['webhook', 'rm', result.json().id, '--yes'])
  }
  // No setting opens these.
  for (const url of ['https://[fe80::1]/', 'http://169.254.169.254/latest']) {
    const result = await panel(['webhook', 'add', url, '--json'])
    t.match(result.stderr, /^panel: webhooks are never sent there: .* a link-local or/m)
    t.notMatch(result.stderr, 'PANEL_WEBHOOK_ALLOW')
    await panel(['webhook', 'rm', result.json().id, '--yes'])
  }
  const allowed = { ...environment, PANEL_WEBHOOK_ALLOW: '127.0.0.0/8' }
  const output = await callPanel(['webhook', 'add', never[0]!, '--json'], allowed)
  t.equal(output.stderr, 'panel: the secret will not be shown again\n')
  await panel(['webhook', 'rm', output.json().id, '--yes'])
})

t.test('keeps a replaced secret valid for a time, and ends that', async t => {
  const { id } = (await panel(['webhook', 'add', nowhere, '--json'])).json()
  const secret = (...words: string[]) => panel(['webhook', 'secret', id, '--json', ...words])
  const replaced = await secret('--overlap', '24')
  t.match(replaced.json(), { id, secret: /^[0-9a-f]{64}$/, previous_until: /^2.*Z$/ })
  t.strictSame((await secret('--end-overlap')).json(), { id, previous_until: null })
  t.match((await secret('--overlap', '0')).json(), { previous_until: null })
  t.match((await secret()).json(), { previous_until: null })
  for (const [words, stderr] of [
    [['--overlap', '25'], /--overlap must be at most 24 hours/],
    [['--overlap', '-1'], /--overlap/],
    [['--overlap', '1.5'], /--overlap is not a whole number/],
    [['--overlap', ''], /--overlap is not a whole number/],
    [['--end-overlap', '--overlap', '1'], /--end-overlap cannot be combined/],
  ] as const) {
    t.match(await panel(['webhook', 'secret', id, ...words]), { code: 2, stdout: '', stderr })
  }
  await panel(['webhook', 'rm', id, '--yes'])
})

t.test('changes address and events, and nothing else', async t => {
  const { id } = (await panel(['webhook', 'add', nowhere, '--json'])).json()
  const row = async () =>
    (await pool.query('select * from panel.webhooks where id = $1', [id])).rows[0]
  const before = await row()
  const set = (...words: string[]) => panel(['webhook', 'set', id.slice(0, 8), ...words])
  const url = 'https://other.example.com/'
  t.match((await set('--url', url, '--json')).json(), { id, url, events: null })
  const some = await set('--event', 'ssl.issued', '--event', 'ssl.issued')
  t.match(some, { code: 0, stdout: /^events +ssl\.issued$/m })
  t.strictSame(await row(), { ...before, url, events: ['ssl.issued'] })
  t.match(await set('--all-events'), { code: 0, stdout: /^events +all$/m })
  t.strictSame(await row(), { ...before, url })
  for (const words of [[], ['--url', 'nowhere'], ['--all-events', '--event', 'ssl.issued']]) {
    t.match(await set(...words), { code: 2, stdout: '', stderr: /-/ }, words.join(' '))
  }
  t.match(await panel(['webhook', 'rm', id.slice(0, 12), '--yes']), { code: 0 })
  t.match(await set('--all-events'), { code: 1, stderr: /^panel: Unknown webhook/ })
})

t.test('refuses an address or an event that is none, and adds nothing', async t => {
  const count = async () => (await pool.query('select from panel.webhooks')).rowCount
  const before = await count()
  const add = (...words: string[]) => ['webhook', 'add', ...words]
  const wrong: [string[], RegExp][] = [
    [add(), /URL/],
    [add('hooks.example.com'), /URL is not an address/],
    [add('ftp://example.com/'), /URL must begin with https/],
    [add('file:///etc/passwd'), /URL must begin with https/],
    [add('https://user@example.com/'), /URL must not contain a user/],
    [add('https://:secret1@example.com/'), /URL must not contain a user/],
    [add('https://example.com/#part'), /URL must not have a fragment/],
    [add('https://exam\tple.com/'), /URL is not an address/],
    [add('https://example.com/a b'), /URL is not an address/],
    [add('https://256.1.1.1/'), /URL is not an address/],
    [add(`https://example.com/${'x'.repeat(2_048)}`), /URL must have at most 2048/],
    [add(nowhere, '--event', 'account.renamed'), /--event/],
    [add(nowhere, '--secret', 'an argument that all can read'), /--secret/],
  ]
  for (const [words, stderr] of wrong) {
    t.match(await panel(words), { code: 2, stdout: '', stderr }, words.join(' '))
  }
  for (const [secret, stderr] of [
    ['fifteen charact', /The secret must have at least 16/],
    ['x'.repeat(256), /The secret must have at most 255/],
    ['sixteen\u001b[31m character', /The secret must not contain control/],
    ['x'.repeat(2_000), /The secret is too long/],
  ] as const) {
    const result = await panel(add(nowhere, '--secret-stdin'), secret)
    t.match(result, { code: 1, stdout: '', stderr })
    t.notMatch(result.stderr, secret)
  }
  t.equal(await count(), before)
})

t.test('needs the server’s key, and names where it should be', async t => {
  rmSync(keyFile)
  const result = await panel(['webhook', 'add', nowhere])
  t.match(result, {
    code: 1,
    stdout: '',
    stderr: `panel: The server has no key at ${keyFile}\n`,
  })
  writeFileSync(keyFile, serverKey, { mode: 0o600 })
  const elsewhere = { ...environment, PANEL_KEY: '/nonexistent/key' }
  t.match(await callPanel(['webhook', 'add', nowhere], elsewhere), {
    code: 1,
    stderr: /nonexistent/,
  })
  t.equal((await callPanel(['webhook', 'ls'], elsewhere)).code, 0)
})

t.test('knows no webhook or delivery that there is not', async t => {
  const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
  for (const word of ['rm', 'test', 'secret', 'deliveries', 'set']) {
    const more = word === 'set' ? ['--all-events'] : []
    const result = await panel(['webhook', word, id, ...more])
    t.match(result, { code: 1, stdout: '', stderr: `panel: Unknown webhook: ${id}\n` }, word)
    t.match(await panel(['webhook', word, '12', ...more]), { code: 2, stderr: /ID must be an id/ })
  }
  const output = await panel(['webhook', 'redeliver', id])
  t.match(output, { code: 1, stdout: '', stderr: `panel: Unknown delivery: ${id}\n` })
})

t.test('works while everything else is down, and then with a courier', async t => {
  await pool.query('update panel.webhooks set removed_at = now()')
  const receiver = await receiverFor(t)
  const { id } = (await panel(['webhook', 'add', `${receiver.url}/in`, '--json'])).json()
  const emitted = await panel([
    ...['ctl', 'emit', 'database.created', '--json'],
    ...['--data', '{"username":"alice","database":"alice_shop"}'],
  ])
  t.match(emitted, { code: 0, stderr: '' })
  t.match(emitted.json(), { id: /^[0-9]+$/, event: 'database.created' })
  const [due] = (await panel(['webhook', 'deliveries', '--json'])).json().deliveries
  t.match(due, { webhook_id: id, event: 'database.created', state: 'due', attempts: [] })
  t.match(await panel(['webhook', 'redeliver', due.id]), { code: 1, stderr: /still in progress/ })

  await courierOn(t, environment.DATABASE_URL)
  t.test('test', async t => {
    receiver.answer = (_request, response) => response.end('well \u001b[31mdone')
    const result = await panel(['webhook', 'test', id, '--json'])
    t.match(result, { code: 0, stderr: '' })
    const answer = 'well \u001b[31mdone'
    const attempts = [{ status: 200, answer, started_at: /^2\S+Z$/ }]
    t.match(result.json(), { state: 'delivered', is_test: true, attempts })
    const sent = receiver.received.find(
      ({ headers }) => headers['x-panel-delivery'] === result.json().id,
    )
    t.match(JSON.parse(`${sent?.body}`), {
      event: 'account.created',
      data: {
        username: 'alice',
        email: 'alice@example.com',
        package: 'starter',
        domain: 'alice.example',
        test: true,
      },
    })
    const other = await panel(['webhook', 'test', id, '--event', 'ssl.issued'])
    t.match(other, {
      code: 0,
      stdout: /^id .*\nevent +ssl\.issued\nstate +delivered\nstatus +200\n/,
    })
    await pool.query('update panel.server set paused_since = now()')
    const before = await pool.query('select from panel.deliveries')
    const held = await panel(['webhook', 'test', id])
    t.match(held, { code: 1, stdout: '', stderr: /restored from a backup\. Webhooks stay off/ })
    t.equal((await pool.query('select from panel.deliveries')).rowCount, before.rowCount)
    await pool.query('update panel.server set paused_since = null')

    receiver.answer = (_request, response) => response.writeHead(410).end()
    const failed = await panel(['webhook', 'test', id])
    t.match(failed, { code: 1, stdout: /^state +failed\nstatus +410\nerror +Answered 410$/m })
  })

  t.test('deliveries and redeliver', async t => {
    receiver.answer = (_request, response) => response.writeHead(204).end()
    const { stdout } = await panel(['webhook', 'deliveries', id, '--state', 'failed'])
    t.match(stdout, /^ID +STATE +EVENT +ATTEMPTS +CREATED +WEBHOOK +URL +LAST ATTEMPT\n/)
    t.match(stdout, / failed +account\.created +1 +2.* http:\S+\/in +Answered 410 in \d+ ms$/m)
    t.equal(stdout.split('\n').length, 3)
    const result = await panel(['webhook', 'redeliver', due.id, '--json'])
    t.match(result.json(), { id: /^[0-9a-f-]{36}$/, redelivery_of: due.id })
    const one = (await panel(['webhook', 'deliveries', '--limit', '1', '--json'])).json()
    t.match(one.deliveries, [{ id: result.json().id, redelivery_of: due.id }])
    t.match(await panel(['webhook', 'deliveries', '--limit', '0']), { code: 2, stderr: /--limit/ })
    t.match(await panel(['webhook', 'deliveries', '--state', 'x']), { code: 2, stderr: /--state/ })
  })

  t.test('secret and rm', async t => {
    const result = await panel(['webhook', 'secret', id, '--json'])
    t.match(result.json(), { id, secret: /^[0-9a-f]{64}$/ })
    const removed = await panel(['webhook', 'rm', id, '--yes', '--json'])
    t.match(removed.json(), { id, removed_at: /^2.*Z$/ })
    t.match(await panel(['webhook', 'rm', id]), { code: 1, stderr: /Unknown webhook/ })
    t.strictSame((await panel(['webhook', 'ls', '--json'])).json(), { webhooks: [] })
  })
})
