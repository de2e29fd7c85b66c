import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { askMariadb, hasMariadb } from '../support/sandbox-mariadb.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { signIn, signInAs, type SignedIn } from '../support/web/signed-in.ts'

// Dumps that pages offer for download, and files in homes that are imported, on the sandbox's own
// MariaDB.

t.test('exports and imports by pages', { skip: !hasMariadb && 'there is no MariaDB' }, async t => {
  const panel = await openPanel(t)
  const { call, pool, root } = panel
  const ask = askMariadb(t, root)
  await call('PUT', '/api/v1/packages/starter', { body: { max_databases: 2, disk_mb: 8 } })
  for (const username of ['alice', 'bob']) {
    const body = { ...alice, username, domain: `${username}.example` }
    await call('POST', '/api/v1/accounts', { body })
  }
  await pool.query("update panel.server set service_warnings = service_warnings - 'databases'")
  const [customer, bob, admin] = [
    await signInAs(panel, 'alice'),
    await signInAs(panel, 'bob'),
    await signIn(panel),
  ]
  const own = '/account/databases/alice_shop'
  const operators = '/accounts/alice/databases/alice_shop'
  await customer.submit('/account/databases/new', { suffix: 'shop' })
  await until(async () => (await customer.get(own)).status === 200)
  await ask('create table alice_shop.t (a text)')
  await ask("insert into alice_shop.t values ('kept')")

  /** Has a form's write executed, and returns the page that it leads to. */
  async function done(who: SignedIn, path: string, fields = {}): Promise<string> {
    const sent = await who.submit(path, fields)
    t.equal(sent.status, 303, sent.text)
    const { location = '' } = sent.headers
    if (!location.includes('/jobs/')) return location
    const ended = await until(async () => {
      const page = await who.get(location)
      return page.status === 303 && page
    })
    return ended.headers.location ?? ''
  }
  /** The bytes of a download. */
  async function download(who: SignedIn, path: string) {
    const answer = await fetch(`${panel.baseUrl}${path}`, { headers: { cookie: who.cookie } })
    const bytes = Buffer.from(await answer.arrayBuffer())
    return { status: answer.status, headers: answer.headers, bytes }
  }

  await t.test('a customer exports a database and downloads the file', async t => {
    t.equal((await download(customer, `${own}/export/download`)).status, 404, 'there is none yet')
    t.notMatch((await customer.get(`${own}/export`)).text, 'export/download')
    t.equal(await done(customer, `${own}/export`), `${own}/export`)
    const page = (await customer.get(`${own}/export`)).text
    t.match(page, /href="\/account\/databases\/alice_shop\/export\/download">.*alice_shop.sql.gz/)
    const { status, headers, bytes } = await download(customer, `${own}/export/download`)
    t.equal(status, 200)
    t.equal(headers.get('content-disposition'), 'attachment; filename="alice_shop.sql.gz"')
    t.equal(headers.get('content-type'), 'application/gzip')
    t.equal(headers.get('content-encoding'), null)
    t.equal(headers.get('content-length'), String(bytes.length))
    const text = gunzipSync(bytes).toString()
    t.match(text, /INSERT INTO `t` VALUES[^;]*'kept'/)
    t.match(text, /-- Dump completed\s*$/)
    const head = await fetch(`${panel.baseUrl}${own}/export/download`, {
      ...{ method: 'HEAD', headers: { cookie: customer.cookie } },
    })
    t.equal(head.headers.get('content-length'), String(bytes.length))
  })

  await t.test('an operator exports it too, and a later export replaces the file', async t => {
    await ask("insert into alice_shop.t values ('since')")
    t.match((await admin.get('/accounts/alice')).text, `href="${operators}/export"`)
    t.equal(await done(admin, `${operators}/export`), `${operators}/export`)
    const { bytes } = await download(admin, `${operators}/export/download`)
    t.match(gunzipSync(bytes).toString(), "'since'")
    const folder = join(root, 'var/spool/panel/out')
    t.equal(readdirSync(folder).length, 1)
  })

  await t.test('another customer and a visitor get nothing of it', async t => {
    for (const path of [
      `${own}/export`,
      `${own}/export/download`,
      `${operators}/export/download`,
    ]) {
      t.match((await bob.get(path)).status, /^(303|403|404)$/, path)
      t.equal((await fetch(`${panel.baseUrl}${path}`, { redirect: 'manual' })).status, 303, path)
    }
    const sent = await bob.submit(`${own}/export`)
    t.equal(sent.status, 404)
  })

  await t.test('an export is deleted after an hour', async t => {
    const folder = join(root, 'var/spool/panel/out')
    await pool.query(
      `update panel.operations set finished_at = finished_at - interval '61 minutes'
       where name = 'database/export'`,
    )
    t.equal((await download(customer, `${own}/export/download`)).status, 404)
    const [name = ''] = readdirSync(folder)
    const past = new Date(Date.now() - 3_700_000)
    utimesSync(join(folder, name), past, past)
    await pool.query(`select worker_queue.add_job('maintenance/empty-trash')`)
    await until(() => readdirSync(folder).length === 0)
  })

  const home = join(root, 'home/alice')
  const rows = async () => (await ask('select a from alice_shop.t')).map(({ a }) => a)
  const dump = (value: string) =>
    `DROP TABLE IF EXISTS t; CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('${value}');\n`

  await t.test('a file in the home is imported by both, and stays', async t => {
    mkdirSync(join(home, 'backups'), { recursive: true })
    writeFileSync(join(home, 'backups/own.sql.gz'), gzipSync(dump('own')))
    writeFileSync(join(home, 'plain.sql'), dump('plain'))
    t.match((await customer.get(`${own}/import`)).text, `href="${own}/import-file"`)
    await done(customer, `${own}/import-file`, { file: 'backups/own.sql.gz' })
    t.strictSame(await rows(), ['own'])
    await done(admin, `${operators}/import-file`, { file: 'plain.sql' })
    t.strictSame(await rows(), ['plain'])
    t.ok(existsSync(join(home, 'plain.sql')))
    t.match((await admin.get(`${operators}/import-file`)).text, /panel database import alice/)
  })

  await t.test('a path that leads elsewhere is refused next to its field', async t => {
    writeFileSync(join(root, 'home/elsewhere.sql'), dump('elsewhere'))
    symlinkSync('../elsewhere.sql', join(home, 'link.sql'))
    symlinkSync('..', join(home, 'up'))
    const files = {
      '../elsewhere.sql': /must be a path/,
      '/etc/passwd': /must be a path/,
      'backups//own.sql.gz': /must be a path/,
      'link.sql': /no file link\.sql/,
      'up/elsewhere.sql': /no file up\/elsewhere\.sql/,
      backups: /no file backups/,
      'none.sql': /no file none\.sql/,
    }
    for (const [file, sentence] of Object.entries(files)) {
      const sent = await customer.submit(`${own}/import-file`, { file })
      t.match(sent, { status: 422, text: sentence }, file)
    }
    t.strictSame(await rows(), ['plain'])
  })
})
