import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import t from 'tap'
import { callPanel } from '../../support/cli/run-panel.ts'
import { asUser } from '../machine.ts'
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
const nothing = { count: 0, fileCount: 0, files: [], isWhole: true }

t.test('a denial is reported by website and path, and no longer once it has gone', async t => {
  t.strictSame(await read(), nothing)
  t.match(await doctor(), { state: 'ok' })
  await make({
    '.htaccess':
      'RewriteEngine On\nRewriteRule ^old$ /new [R]\nRewriteRule ^a$ /b\nHeader set A b\n',
    'uploads/.htaccess': 'Deny from all\n',
    '.git/.htaccess': 'Deny from all\n',
  })
  await make({ '.htaccess': 'Options -Indexes\n' }, [
    'nina',
    '/home/nina/sites/nina.example/public',
  ])
  t.strictSame(await read(), {
    ...{ count: 4, fileCount: 2, isWhole: true },
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
    '../storage/.htaccess': 'Deny from all\n',
    '../storage/note.txt': 'served',
    '../storage/.data/.htaccess': 'Deny from all\n',
    '../deep/a/.htaccess': 'Header set A b\n',
    '../closed/.htaccess': 'Deny from all\n',
    'own/.htaccess': 'Options +Indexes\n',
  })
  await make({ '.htaccess': 'Deny from all\n' }, ['nina', '/home/nina/sites/nina.example/public'])
  await as(`ln -s ../storage storage; ln -s ../storage twice; ln -s ${more}/deep ../storage/more
    ln -s ../public ../storage/back; ln -s own round; ln -s ../closed .closed; ln -s /etc etc
    ln -s /home/nina/sites/nina.example/public nina; ln -s /home/eve home; ln -s none broken`)
  const { body } = await shown('/storage/note.txt')
  t.equal(body, 'served')
  t.strictSame(await read(), {
    ...{ count: 3, fileCount: 3, isWhole: true },
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
  await as(`rm .htaccess; printf 'Deny from all\\n' >x; for i in $(seq 3000); do
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
  await as('mkdir -p x y; printf "Deny from all" >y/.htaccess')
  const swapping = as(`for i in $(seq 300); do rm -rf x; ln -s /etc x; rm x; mkdir x
    printf 'Deny from all' >x/.htaccess; done`)
  for (let count = 0; count < 5; count++) t.ok((await read()).count >= 1)
  await swapping
  t.match(await read(), { count: 2, isWhole: true })
})
