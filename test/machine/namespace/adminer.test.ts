import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import t from 'tap'
import { until } from '../../support/until.ts'
import { signInAs } from '../../support/web/signed-in.ts'
import { base, openAdminerPanel, openWindow, sql } from '../adminer.ts'
import { hostile } from '../hostile.ts'
import { run } from '../machine.ts'

// A database in Adminer by tickets: who gets in, and what of it reaches nothing else.

const opened = await openAdminerPanel(t)
const { panel, say, as, userOf, web, alice, ask, enter, isLocked } = opened

t.test('a ticket opens one database, once, without a password', async t => {
  const ticket = await ask(alice)
  const window = openWindow()
  t.match(await window.ask('/'), { status: 303, headers: { location: '/over' } }, 'not before')
  const opened = await window.ask(ticket)
  t.match(opened, { status: 303, headers: { location: '/' } })
  t.match(opened.headers['set-cookie'], [/^__Host-panel-adminer=.*; HttpOnly; .*; Secure$/])
  const first = await window.ask('/')
  t.match(first, { status: 200, text: /own/ })
  t.equal(first.headers['set-cookie'], undefined, 'Adminer keeps nothing in the browser')
  t.match(first.text, /alice_shop/)
  t.notMatch(first.text, /bob|name=["']auth\[/)
  t.match((await window.ask('/?select=own')).text, /mine/)
  t.match(
    await sql(window, "INSERT INTO own VALUES ('by Adminer'); SELECT COUNT(*) FROM own"),
    /OK/,
  )
  t.equal((await as('alice', 'SELECT COUNT(*) FROM own')).stdout, '2\n')

  const again = openWindow()
  const refused = await again.ask(ticket)
  t.match(refused.headers.location, /^https:\/\/panel\.test:8443\/account\/databases$/)
  t.equal(again.cookie, '')
  t.match(await again.ask('/'), { status: 303 })
  t.match((await alice.get(`${base}/alice_shop`)).text, /It is open now/)
})

t.test('its export is a dump that can be imported again', async t => {
  const window = await enter(alice)
  await sql(window, 'CREATE VIEW shown AS SELECT * FROM own')
  const form = await window.ask('/?dump=')
  const token = /name=["']token["'] value=["']([^"']+)["']/.exec(form.text)?.[1] ?? ''
  const { status, text } = await window.ask('/?dump=', {
    ...{ token, output: 'text', format: 'sql', db_style: '', routines: '1', triggers: '1' },
    ...{ table_style: 'DROP+CREATE', data_style: 'INSERT' },
    ...{ 'tables[0]': 'own', 'data[0]': 'own', 'tables[1]': 'shown' },
  })
  t.equal(status, 200)
  t.match(text, /CREATE TABLE `own`/)
  t.match(text, /mine/)
  t.notMatch(text, /theirs/)
  const dump = `${process.env['PANEL_TEST_SCRATCH']}/adminer-dump.sql`
  writeFileSync(dump, text)
  await as('alice', 'DROP TABLE own')
  await alice.submit(`${base}/alice_shop/adminer/close`)
  t.match(await say('database', 'import', 'alice', 'alice_shop', dump), { code: 0 })
  t.match((await as('alice', 'SELECT a FROM shown; DROP VIEW shown')).stdout, /mine/)
})

t.test('an open database stays open while the account is applied', async t => {
  const window = await enter(alice)
  for (const words of [
    ['ctl', 'rebuild', 'alice'],
    ['ctl', 'rebuild'],
  ]) {
    t.match(await say(...words), { code: 0 })
    t.match((await window.ask('/?select=own')).text, /mine/, words.join(' '))
  }
  await panel.call('PUT', '/api/v1/packages/starter', { body: { database_connections: 7 } })
  t.match((await window.ask('/?select=own')).text, /mine/)
})

t.test('no secret is kept or shown anywhere', async t => {
  const window = await enter(alice)
  const key = window.cookie.split('=')[1]!
  await window.ask('/')
  const paths = ['/var/lib/panel', '/var/log', '/etc/panel', '/etc/nginx', '/run/panel']
  t.equal((await run('grep', ['-rlaF', '-D', 'skip', key, ...paths])).stdout, '')
  const { rows: all } = await panel.pool.query(
    `select query_to_xml('select * from ' || schemaname || '.' || tablename, true, true, '')::text
       as text
     from pg_tables where schemaname in ('panel', 'worker_queue', 'courier_queue')`,
  )
  t.notOk(all.some(({ text }: { text: string }) => text.includes(key)))
})

t.test('a ticket that is invalid, too old, or another’s is refused', async t => {
  for (const ticket of [`/open/${'a'.repeat(43)}`, '/open/x', '/open/', '/open/../session']) {
    const window = openWindow()
    t.not((await window.ask(ticket)).headers.location, '/', ticket)
    t.equal(window.cookie, '')
  }
  t.equal((await openWindow().ask('/session')).status, 404)
  for (const foreign of ['bob_shop', 'alice_none', 'mysql']) {
    t.equal((await alice.submit(`${base}/${foreign}/adminer`)).status, 404, foreign)
  }
  const late = await ask(alice)
  await panel.pool.query(
    `update panel.adminer_sessions set last_seen_at = last_seen_at - interval '61 seconds'`,
  )
  const window = openWindow()
  t.not((await window.ask(late)).headers.location, '/')
  await until(() => isLocked('alice'))
  const made = openWindow(`__Host-panel-adminer=${'b'.repeat(43)}`)
  t.equal((await made.ask('/')).status, 303)
})

t.test('requests to Adminer reach no other database, server or file', async t => {
  const window = await enter(alice)
  for (const statement of hostile('alice_shop', 'bob_shop')) {
    const output = await sql(window, statement)
    t.match(output, /class=['"]error['"]/, statement)
    t.notMatch(output, /theirs|root:x:/, statement)
  }
  t.notMatch(await sql(window, "SELECT LOAD_FILE('/etc/passwd')"), /root:x:/)
  t.notMatch(await sql(window, 'SHOW DATABASES; SHOW PROCESSLIST'), /<td>(bob|root|mysql)/)
  // The server, the user and the database are never what the address says.
  let isAsked = false
  const trap = createServer(socket => {
    isAsked = true
    socket.destroy()
  })
  trap.listen(13_306, '127.0.0.1')
  await once(trap, 'listening')
  for (const query of [
    'server=127.0.0.1:13306&username=root&db=mysql',
    'server=127.0.0.1%3A13306&db=bob_shop&select=secret',
    'pgsql=127.0.0.1:13306&username=x&db=x',
    'elastic=127.0.0.1:13306&username=x',
    'sqlite=&username=&db=/etc/passwd',
    'sqlite=/var/lib/panel/adminer/own/x.db&username=',
    'username=root&db=mysql&select=user',
    'username[]=root&db[]=mysql&sql[]=x',
    'db=bob_shop&select=secret',
    'db=bob_shop&dump=',
  ]) {
    const { text } = await window.ask(`/?${query}`)
    t.notMatch(text, /theirs|root:x:|secret<\/a>/, query)
    t.notMatch(
      await sql(window, 'SELECT CURRENT_USER(), a FROM secret', `/?${query}&sql=`),
      /theirs/,
    )
  }
  const login = {
    'auth[driver]': 'server',
    'auth[server]': '127.0.0.1:13306',
    'auth[username]': 'root',
    'auth[password]': 'x',
    'auth[db]': 'mysql',
  }
  t.match((await window.ask('/', login)).text, /alice_shop/)
  trap.close()
  t.notOk(isAsked)
  t.match(await sql(window, 'SELECT CURRENT_USER()'), new RegExp(`${userOf('alice')}@localhost`))
  for (const path of [
    '/adminer.php',
    '/index.php',
    '/own/',
    '/own/php.log',
    '/x.php',
    '/%2e%2e/',
  ]) {
    t.equal((await window.ask(path)).status, path.startsWith('/%2e') ? 400 : 404, path)
  }
  const other = await enter(await signInAs(panel, 'bob'), 'bob')
  t.match((await other.ask('/?select=secret')).text, /theirs/)
  t.match((await window.ask('/?select=own')).text, /mine/, 'each has its own')
})

t.test('cookies of the panel never reach PHP, nor the other way', async t => {
  const window = await enter(alice)
  const page = '/var/lib/panel/adminer/index.php'
  const text = readFileSync(page, 'utf8')
  // Adminer, for an attacker who has found a hole in it.
  writeFileSync(
    page,
    `<?php setcookie('__Host-panel-account', 'x', 0, '/', '', true, true);
     header('Clear-Site-Data: "*"'); header('X-Accel-Redirect: /session');
     echo json_encode([$_COOKIE, getenv(), $_SERVER, posix_geteuid(),
       @file_get_contents('/etc/passwd'), @scandir('/home'),
       @file_get_contents('http://127.0.0.1/'), function_exists('exec')]);`,
  )
  const kept = `__Host-panel-account=${'s'.repeat(43)}; __Host-panel=${'o'.repeat(43)}`
  const own = window.cookie
  window.cookie = `${kept}; ${own}; other=1`
  const more = { authorization: 'Bearer secret', proxy: 'x' }
  // PHP looks at a file that it knows every 2 s.
  const response = await until(async () => {
    const answer = await window.ask('/', undefined, more)
    return answer.text.startsWith('[') && answer
  })
  writeFileSync(page, text)
  await until(async () => (await window.ask('/')).text.includes('<title>'))
  t.notMatch(response.text, /sssss|ooooo|Bearer|"HTTP_PROXY":"x"/)
  const [cookies, , , uid, file, homes, asked, canRun] = JSON.parse(response.text)
  t.strictSame(cookies, [])
  t.equal(uid, statSync('/var/lib/panel/adminer/own').uid)
  t.notOk(uid === 0 || uid === web)
  t.strictSame([file, homes, asked, canRun], [false, false, false, false])
  t.equal(response.headers['set-cookie'], undefined)
  t.equal(response.headers['clear-site-data'], undefined)
  // Nor does the key for this port open anything of the panel's.
  const tried = await signInAs(panel, 'alice')
  t.match(await tried.get('/account', { cookie: own }), { status: 303 })
})
