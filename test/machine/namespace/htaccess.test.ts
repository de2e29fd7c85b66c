import { rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import t from 'tap'
import { callPanel } from '../../support/cli/run-panel.ts'
import { until } from '../../support/until.ts'
import { asUser, run } from '../machine.ts'
import { openWebsites } from '../served.ts'
import { tendHomes } from '../tend.ts'

// Unapplied directives of .htaccess files are read as their account, which may have put anything
// there.

const { panel, folder: directory, make, shown, uidOf } = await openWebsites(t)
const as = async (script: string) => {
  const { code, stderr } = await asUser(uidOf('eve'), ['sh', '-ec', `cd ${directory}; ${script}`])
  if (code !== 0) throw new Error(`${script}: ${stderr}`)
}
const say = (...words: string[]) =>
  callPanel(words, {
    DATABASE_URL: panel.databaseUrl,
    PANEL_HOST: 'linux',
    PANEL_STATE_DIR: dirname(panel.root),
  })
const read = async (domain = 'eve.example') => {
  t.ok(await tendHomes(panel))
  const { rows } = await panel.pool.query(
    `select r.found from panel.site_rules r join panel.sites s on s.id = r.site_id
     where s.domain = $1`,
    [domain],
  )
  return rows[0]?.found
}
const doctor = async () => {
  const { stdout } = await say('ctl', 'doctor', '--json')
  const { checks } = JSON.parse(stdout) as { checks: Record<string, string>[] }
  return checks.find(({ name }) => name === 'websites/htaccess')!
}
const nothing = { count: 0, fileCount: 0, files: [], isWhole: true, closed: [] }
const some = 'Deny from 192.0.2.1\n'

t.test('a denial is reported by website and path, and no longer once it has gone', async t => {
  t.strictSame(await read(), nothing)
  t.match(await doctor(), { state: 'ok' })
  await make({
    '.htaccess':
      'RewriteEngine On\nRewriteRule ^old$ /new [R]\nRewriteRule ^a$ /b\nHeader set A b\n',
    'uploads/.htaccess': some,
    '.git/.htaccess': some,
  })
  await make({ '.htaccess': 'Options -Indexes\n' }, [
    'nina',
    '/home/nina/sites/nina.example/public',
  ])
  t.strictSame(await read(), {
    ...{ count: 4, fileCount: 2, isWhole: true, closed: [] },
    files: [
      { path: '/.htaccess', counts: { RewriteRule: 2, Header: 1 } },
      { path: '/uploads/.htaccess', counts: { Deny: 1 } },
    ],
  })
  t.strictSame(await read('nina.example'), nothing)
  const words =
    'eve.example: 4 rules in .htaccess are not applied: 2 RewriteRule, 1 Header in /.htaccess; ' +
    '1 Deny in /uploads/.htaccess, read '
  t.match(await doctor(), { state: 'warning', sentence: words })
  await as('rm .htaccess uploads/.htaccess')
  t.strictSame(await read(), nothing)
})

t.test('a website’s account has it read again', async t => {
  await make({ '.htaccess': 'Deny from all\n' })
  t.equal((await say('site', 'recheck', 'eve', 'eve.example')).code, 0)
  for (let count = 0; (await doctor())['state'] !== 'warning'; count++) {
    if (count > 100) throw new Error('it is not read')
  }
  await as('rm .htaccess')
})

const statusOf = async (path: string, host = 'eve.example') => {
  const words = ['--path-as-is', '-o', '/dev/null', '-w', '%{http_code}', '-H', `Host: ${host}`]
  return Number((await run('curl', ['-sS', ...words, `http://127.0.0.1${path}`])).stdout)
}
const isSoon = (path: string, status: number) =>
  until(async () => (await statusOf(path)) === status, 10_000)

// As DokuWiki's, for older and newer servers.
const whole = `<IfModule mod_authz_core.c>
  Require all denied
</IfModule>
<IfModule !mod_authz_core.c>
  Order allow,deny
  Deny from all
</IfModule>
`

t.test('a folder that its file closes as a whole is closed to visitors', async t => {
  await make({
    'index.php': '<?php echo "front";',
    'data/.htaccess': whole,
    'data/page.txt': 'secret',
    'data/deep/run.php': '<?php echo "secret";',
    'a b/ü/.htaccess': 'Order deny,allow\nDeny from all\n',
    'a b/ü/page.txt': 'secret',
    'database/page.txt': 'open',
    'x/data/page.txt': 'open',
    '../storage/.htaccess': whole,
    '../storage/page.txt': 'secret',
    '403.html': 'my own page',
    '.well-known/.htaccess': whole,
  })
  await as('ln -s ../storage storage')
  t.equal(await statusOf('/data/page.txt'), 200)
  const closed = ['/.well-known', '/a b/ü', '/data', '/storage']
  t.strictSame(await read(), { ...nothing, closed })
  t.match(await doctor(), { state: 'ok' })
  t.ok(await isSoon('/data/page.txt', 403))
  const refused = ['/data', '/data/', '/data/deep/run.php', '/data/none', '/data/deep/run.php/x']
  refused.push('/%64ata/page.txt', '//data///page.txt', '/x/../data/page.txt', '/./data/page.txt')
  refused.push('/a%20b/%C3%BC/page.txt', '/storage/page.txt', '/data/page.txt?x=/open')
  for (const path of refused) t.equal(await statusOf(path), 403, path)
  for (const path of ['/database/page.txt', '/x/data/page.txt', '/', '/index.php/data/page.txt']) {
    t.equal(await statusOf(path), 200, path)
  }
  t.match(await shown('/data/page.txt'), { status: 403, body: 'my own page' })
  const token = `/.well-known/acme-challenge/${'a'.repeat(43)}`
  t.not(await statusOf(token), 403, 'challenges are answered')
  t.match((await say('site', 'ls', 'eve')).code, 0)
})

t.test(
  'a closed folder stays closed with other settings, after a rebuild and a partial reading',
  async t => {
    const set = async (...words: string[]) =>
      t.match(await say('site', 'set', 'eve', 'eve.example', ...words), { code: 0 })
    await set('--redirect', '/data/page.txt=/database/', '--redirect', '/old=/database/page.txt')
    t.equal(await statusOf('/data/page.txt'), 403)
    t.equal(await statusOf('/old'), 301)
    await set('--remove-redirect', '/data/page.txt', '--remove-redirect', '/old')
    t.equal(await statusOf('/data/page.txt'), 403)
    const { rows } = await panel.pool.query(
      `select id from panel.sites where domain = 'eve.example'`,
    )
    const live = `/var/lib/panel/web/live/${String(rows[0].id).padStart(10, '0')}`
    rmSync(`${live}/set`)
    t.equal(await statusOf('/data/page.txt'), 200)
    t.match(await say('ctl', 'rebuild', 'eve'), { code: 0 })
    t.equal(await statusOf('/data/page.txt'), 403)
    await as(`truncate -s 1G x/.htaccess; rm data/.htaccess`)
    t.match(await read(), {
      isWhole: false,
      closed: ['/.well-known', '/a b/ü', '/data', '/storage'],
    })
    t.equal(await statusOf('/data/page.txt'), 403)
    await as('rm x/.htaccess')
    t.match(await read(), { isWhole: true, closed: ['/.well-known', '/a b/ü', '/storage'] })
    t.ok(await isSoon('/data/page.txt', 200))
  },
)

t.test('a folder with exceptions is reported, and served', async t => {
  await as('find . -mindepth 1 -delete; rm -rf ../storage')
  await make({
    'files/.htaccess': `${whole}<FilesMatch "[.]css$">\nRequire all granted\n</FilesMatch>\n`,
    'below/.htaccess': whole,
    'below/public/.htaccess': 'Require all granted\n',
    'host/.htaccess': 'Order deny,allow\nDeny from all\nAllow from 192.0.2.1\n',
    'some/.htaccess': '<Files x.txt>\nRequire all denied\n</Files>\n',
    'a:b/.htaccess': whole,
    '.htaccess': 'Deny from all\n',
  })
  for (const name of ['files', 'below', 'host', 'some', 'a:b'])
    await make({ [`${name}/p`]: 'open' })
  t.match(await read(), { fileCount: 6, closed: [] })
  for (const path of ['/files/p', '/below/p', '/host/p', '/some/p', '/a:b/p']) {
    t.equal(await statusOf(path), 200, path)
  }
  await as('find . -mindepth 1 -delete')
})

t.test('as many folders are closed as a link can list', async t => {
  await as(`printf 'Require all denied\\n' >x; for i in $(seq 300); do
    mkdir -p n$i; ln x n$i/.htaccess; ln x n$i/page; done; rm x`)
  const found = await read()
  t.equal(found.closed.length, 100)
  t.equal(found.count, 200, 'the others are reported')
  t.ok(await isSoon(`/n1/page`, 403))
  for (const path of found.closed) t.equal(await statusOf(`${path}/page`), 403, path)
  t.equal(await statusOf('/n99/page'), 200)
  await as(`find . -mindepth 1 -delete; name=$(printf 'x%.0s' $(seq 190))
    for i in $(seq 30); do mkdir $i$name; printf 'Require all denied' >$i$name/.htaccess; done`)
  t.equal((await read()).closed.length, 15, 'their names take 3,000 bytes')
  const [long] = (await read()).closed
  t.ok(await isSoon(`${long}/none`, 403))
  await as('find . -mindepth 1 -delete')
  t.strictSame(await read(), nothing)
  t.ok(await isSoon(`${long}/none`, 404))
})

t.test('links, pipes, folders and closed files are not read', async t => {
  writeFileSync('/srv/secret', 'Deny from all\n', { mode: 0o600 })
  writeFileSync('/srv/open', 'Deny from all\n')
  await make({ '.htaccess': 'Deny from all\n' }, ['nina', '/home/nina/sites/nina.example/public'])
  await as(`mkdir -p a b c/.htaccess d e f; ln -s /srv/open .htaccess; ln -s /srv/secret a/.htaccess
    mkfifo b/.htaccess; ln -s /home/nina/sites/nina.example/public g
    ln -s ../../../../nina/sites/nina.example/public/.htaccess d/.htaccess
    printf 'Deny from all' >e/.htaccess; chmod 0 e/.htaccess; printf 'Deny from all' >f/.htaccess
    chmod 0 f; ln -s . h`)
  const before = performance.now()
  t.strictSame(await read(), nothing)
  t.ok(performance.now() - before < 9_000, 'a pipe holds up nothing')
  await as('chmod 700 f; rm -rf .htaccess ?')
})

t.test('folders of the home that links lead to are read, each once', async t => {
  const more = '/home/eve/sites/eve.example'
  await make({
    '../storage/.htaccess': some,
    '../storage/note.txt': 'served',
    '../storage/.data/.htaccess': some,
    '../deep/a/.htaccess': 'Header set A b\n',
    '../closed/.htaccess': some,
    'own/.htaccess': 'Options +Indexes\n',
  })
  await make({ '.htaccess': 'Deny from all\n' }, ['nina', '/home/nina/sites/nina.example/public'])
  await as(`ln -s ../storage storage; ln -s ../storage twice; ln -s ${more}/deep ../storage/more
    ln -s ../public ../storage/back; ln -s own round; ln -s ../closed .closed; ln -s /etc etc
    ln -s /home/nina/sites/nina.example/public nina; ln -s /home/eve home; ln -s none broken`)
  const { body } = await shown('/storage/note.txt')
  t.equal(body, 'served')
  t.strictSame(await read(), {
    ...{ count: 3, fileCount: 3, isWhole: true, closed: [] },
    files: [
      { path: '/own/.htaccess', counts: { Options: 1 } },
      { path: '/storage/.htaccess', counts: { Deny: 1 } },
      { path: '/storage/more/a/.htaccess', counts: { Header: 1 } },
    ],
  })
  await as('ln -s .. up')
  t.match(await read(), { count: 4, isWhole: true })
  await as(
    `rm up; mkdir ../many; for i in $(seq 150); do mkdir ../many/$i; ln -s ../many/$i $i; done`,
  )
  t.match(await read(), { files: [{ path: '/own/.htaccess' }], isWhole: false })
  await as('find . -mindepth 1 -delete; rm -rf ../storage ../deep ../closed ../many')
  t.strictSame(await read(), nothing)
  await asUser(uidOf('nina'), ['rm', '/home/nina/sites/nina.example/public/.htaccess'])
})

t.test('large files, or many of them, are read in part', async t => {
  await as(`printf 'Deny from all\\n' >.htaccess; truncate -s 1G .htaccess`)
  t.match(await read(), { count: 1, isWhole: false })
  await as(`rm .htaccess; printf 'Deny from ::1\\n' >x; for i in $(seq 3000); do
    mkdir -p many/$i; ln x many/$i/.htaccess; done`)
  const many = await read()
  t.match(many, { count: 500, fileCount: 500, files: { length: 20 }, isWhole: false })
  t.match(await doctor(), { sentence: /; and 497 more files \(only partly read\), read / })
  await as('rm -rf many x')
  t.strictSame(await read(), nothing)
})

t.test('names and contents may be anything', async t => {
  await as(`printf '\\377\\376\\0Deny from all\\nDeny \\377\\n\\r\\nHea\\0der set a b\\n' >.htaccess
    folder=$(printf 'a\\nb\\377\\033[31m\\342\\200\\256'); mkdir -p "$folder"
    printf 'Deny from all' >"$folder/.htaccess"
    long=$(printf '\\360\\237\\230\\200%.0s' $(seq 60)); mkdir -p "$long/$long"
    printf 'Deny from all' >"$long/$long/.htaccess"`)
  const { files, count, isWhole } = await read()
  t.strictSame([count, isWhole], [4, true])
  t.match(files[0], { path: '/.htaccess', counts: { Deny: 1, Header: 1 } })
  t.ok(files.every(({ path }: { path: string }) => path.length <= 201 && !/\p{C}/u.test(path)))
  t.match(await doctor(), { state: 'warning' })
  await as('find . -mindepth 1 -delete')
})

t.test('swapping folders during a read delays no other account', async t => {
  await as('mkdir -p x y; printf "Deny from ::1" >y/.htaccess')
  const swapping = as(`for i in $(seq 300); do rm -rf x; ln -s /etc x; rm x; mkdir x
    printf 'Deny from ::1' >x/.htaccess; done`)
  for (let count = 0; count < 5; count++) t.ok((await read()).count >= 1)
  await swapping
  t.match(await read(), { count: 2, isWhole: true })
})
