import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import t from 'tap'
import { askMariadb, hasMariadb } from '../support/sandbox-mariadb.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { signInAs } from '../support/web/signed-in.ts'

// A dump by a customer's page, on the sandbox's own MariaDB.

const base = '/account/databases/alice_shop'
const form = `${base}/import`

t.test('dumps by pages', { skip: !hasMariadb && 'there is no MariaDB' }, async t => {
  const panel = await openPanel(t)
  const { call, pool, root } = panel
  const uploads = join(root, 'var/spool/panel/in')
  const left = () => (existsSync(uploads) ? readdirSync(uploads) : [])
  const ask = askMariadb(t, root)
  const body = { max_databases: 2, disk_mb: 8 }
  await call('PUT', '/api/v1/packages/starter', { body })
  await call('POST', '/api/v1/accounts', { body: alice })
  await pool.query("update panel.server set service_warnings = service_warnings - 'databases'")
  const customer = await signInAs(panel, 'alice')
  const made = await customer.submit('/account/databases/new', { suffix: 'shop' })
  t.equal(made.status, 200, made.text)
  await until(async () => (await customer.get(base)).status === 200)
  await until(async () => (await ask('show databases')).length > 0)
  const rows = async () =>
    (await ask('select a from alice_shop.t').catch(() => [])).map(({ a }) => a)
  await until(async () => {
    const { rows: found } = await pool.query(
      `select from panel.databases where added_by is null and desired = 'present'`,
    )
    return found.length === 1
  })

  const addressIn = (text: string) =>
    (/action="([^"]+\?token=[^"]+)"/.exec(text)?.[1] ?? '').replaceAll('&amp;', '&')

  /** Begins a form with a file, as a browser does. */
  function begin(address: string, headers: Record<string, string> = {}): ClientRequest {
    return request(`${panel.baseUrl}${address}`, {
      ...{ method: 'POST', agent: false },
      headers: {
        ...{ cookie: customer.cookie, origin: 'https://panel.test:8443' },
        ...{ 'content-type': 'multipart/form-data; boundary=xyz', ...headers },
      },
    })
  }
  const head =
    '--xyz\r\nContent-Disposition: form-data; name="dump"; filename="a.sql"\r\n' +
    'Content-Type: application/octet-stream\r\n\r\n'
  const whole = (file: string | Buffer) =>
    Buffer.concat([Buffer.from(head), Buffer.from(file), Buffer.from('\r\n--xyz--\r\n')])
  async function answerOf(sent: ClientRequest) {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    let text = ''
    for await (const chunk of answer) text += String(chunk)
    return { status: answer.statusCode, location: answer.headers.location ?? '', text, answer }
  }
  async function send(file: string | Buffer, address?: string) {
    const sent = begin(address ?? addressIn((await customer.get(form)).text))
    sent.end(whole(file))
    return answerOf(sent)
  }
  /** Follows it to what the page says at the end. */
  async function follow(location: string): Promise<string> {
    const cookies = ({ headers }: { headers: { 'set-cookie'?: string[] | undefined } }) =>
      (headers['set-cookie'] ?? []).find(line => line.startsWith('__Host-panel-flash='))
    const ended = await until(async () => {
      const page = await customer.get(location)
      return page.status === 303 && page
    })
    const output = cookies(ended)?.split(';')[0] ?? ''
    return (await customer.get(base, { cookie: `${customer.cookie}; ${output}` })).text
  }
  async function done({ status, location, answer }: Awaited<ReturnType<typeof answerOf>>) {
    t.equal(status, 303)
    if (location.includes('/jobs/')) return follow(location)
    const output = (answer.headers['set-cookie'] ?? []).map(line => line.split(';')[0]).join('; ')
    return (await customer.get(base, { cookie: `${customer.cookie}; ${output}` })).text
  }
  const dump = (value: string) =>
    `DROP TABLE IF EXISTS t; CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('${value}');\n`

  await t.test('as it is, by gzip and by zstd, and nothing is left of the file', async t => {
    t.match((await customer.get(form)).text, /enctype="multipart\/form-data".*at most 8 MB/s)
    const dumps = { plain: dump('plain'), gzip: gzipSync(dump('gzip')), zstd: zstd(dump('zstd')) }
    for (const [name, file] of Object.entries(dumps)) {
      t.match(await done(await send(file)), 'The dump was imported into alice_shop.', name)
      t.strictSame(await rows(), [name])
      t.strictSame(left(), [], name)
    }
  })

  await t.test('skipped statements are reported, and not as a success', async t => {
    t.match((await done(await send(dump('well')))).match(/<div class="notice.*/)?.[0], 'good')
    const hostile = `${dump('mine')}CREATE DATABASE alice_other;\nUSE mysql;\n`
    const text = await done(await send(hostile))
    t.match(text, /<div class="notice bad" role="alert">.*alice_shop failed, at least in part/s)
    t.match(text, /Refused: .*1044.*alice_other/)
    t.notMatch(text, '<div class="notice good"')
    t.strictSame(await rows(), ['mine'])
  })

  await t.test('the same form twice is executed once', async t => {
    const address = addressIn((await customer.get(form)).text)
    await done(await send(dump('once'), address))
    await ask(`insert into alice_shop.t values ('since')`)
    await done(await send(dump('once'), address))
    t.strictSame(await rows(), ['once', 'since'])
    t.strictSame(left(), [])
  })

  await t.test('an invalid, empty or too large dump is refused with a sentence', async t => {
    const large = Buffer.alloc(9 * 2 ** 20, 'x')
    const cases: [Buffer | string, RegExp][] = [
      ['', /Choose a file that is not empty/],
      [Buffer.from('PK\u0003\u0004 an archive'), /This is not a dump/],
      [Buffer.from([1, 2, 0, 3, 4, 5]), /This is not a dump/],
    ]
    for (const [file, sentence] of cases) {
      const refused = await send(file)
      t.match(refused, { status: 422, text: sentence })
      t.strictSame(left(), [])
    }
    // It says nothing of its length, and nothing follows once it is too long.
    const endless = begin(addressIn((await customer.get(form)).text))
    endless.on('error', () => undefined)
    endless.write(head)
    endless.write(large.subarray(0, 8 * 2 ** 20 + 1_000))
    const tooLong = /larger than the account&#39;s disk \(8 MB\)/
    t.match(await answerOf(endless), { status: 422, text: tooLong })
    endless.destroy()
    await until(() => left().length === 0)
    // Small as it comes, and large as it is.
    const bomb = await send(gzipSync(Buffer.concat([Buffer.from('-- '), large])))
    const output = bomb.status === 303 ? (await customer.get(bomb.location)).text : bomb.text
    t.match(output, /larger than the account&#39;s disk/)
    await until(() => left().length === 0)
    const types = { 'content-type': 'text/plain' }
    const other = begin(addressIn((await customer.get(form)).text), types)
    other.end('x')
    t.match(await answerOf(other), { status: 422, text: /multipart\/form-data/ })
    t.strictSame(await rows(), ['once', 'since'])
  })

  await t.test('a form’s fields are validated before its file is read', async t => {
    const address = addressIn((await customer.get(form)).text)
    const cases: [string, Record<string, string>, number][] = [
      [address.replace(/token=[^&]+/, 'token=x'), {}, 403],
      [`${form}?uploaded=${'a'.repeat(32)}`, {}, 403],
      [address, { origin: 'https://evil.example' }, 403],
      [address, { cookie: 'none' }, 303],
      [address.replace('alice_shop', 'bob_shop'), {}, 404],
      [address, { 'content-length': String(2 ** 40) }, 422],
    ]
    for (const [to, headers, status] of cases) {
      const sent = begin(to, { 'content-length': '1000000', ...headers })
      sent.on('error', () => undefined)
      // Its file never comes.
      sent.flushHeaders()
      const { status: found, location } = await answerOf(sent)
      t.equal(found, status, `${to} ${JSON.stringify(headers)}`)
      if (found === 303) t.match(location, /^\/sign-in/)
      sent.destroy()
    }
    t.strictSame(left(), [])
  })

  await t.test('an upload that breaks off leaves nothing, and a slow one has its time', async t => {
    const broken = begin(addressIn((await customer.get(form)).text), { 'content-length': '5000' })
    broken.on('error', () => undefined)
    broken.write(`${head}-- begun`)
    await until(() => left().length === 1)
    broken.destroy()
    await until(() => left().length === 0)

    const address = addressIn((await customer.get(form)).text)
    const file = whole(dump('slow'))
    const slow = begin(address, { 'content-length': String(file.length) })
    // Byte for byte, so that each end of a chunk is somewhere in the boundary once.
    for (const byte of file) {
      await new Promise(written => slow.write(Buffer.from([byte]), written))
    }
    slow.end()
    t.match(await done(await answerOf(slow)), 'The dump was imported into alice_shop.')
    t.strictSame(await rows(), ['slow'])
  })

  await t.test('a database that is open in Adminer is not imported into', async t => {
    await pool.query(
      `insert into panel.adminer_sessions
         (database_id, opened_by, session_id, ticket_hash, cookie_hash, hash, used_at)
       select d.id, $1, s.id, sha256('a'), sha256('b'), $2, now()
       from panel.databases d, panel.sessions s where s.account_id = d.account_id limit 1`,
      [randomUUID(), `*${'A'.repeat(40)}`],
    )
    const refused = await send(dump('late'))
    t.match(refused, { status: 422, text: /alice_shop is open in Adminer: close it there/ })
    t.strictSame(left(), [])
    t.strictSame(await rows(), ['slow'])
  })
})

const zstd = (text: string): Buffer => zstdCompressSync(Buffer.from(text))
