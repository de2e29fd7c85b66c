import type { Test } from 'tap'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { type Client, clientOf, curl, visit } from './installed.ts'

// An account attacks its neighbour and the server with the files and settings of its website, on an
// installed panel.

const [mallory, nina] = ['mallory.example', 'nina.example']
const folderOf = (name: string) => `/home/${name}/sites/${name}.example`
const secret = 'of nina alone'
const stolen = new RegExp(`${secret}|root:[x*$!]|PANEL_|BEGIN `)
const hers = `${folderOf('nina')}/public`

/** Links that the account makes in its public folder, and the path that shows their target. */
const links: [target: string, name: string, path: string][] = [
  [`${hers}/page.txt`, 'a.txt', '/a.txt'],
  [hers, 'folder', '/folder/page.txt'],
  [hers, 'scripts', '/scripts/secret.php'],
  [`${hers}/secret.php`, 'own.php', '/own.php'],
  [`${folderOf('nina')}/public/../public/page.txt`, 'b.txt', '/b.txt'],
  ['/etc/passwd', 'passwd.txt', '/passwd.txt'],
  ['/etc', 'etc', '/etc/passwd'],
  ['/etc/panel/panel.env', 'env.txt', '/env.txt'],
  ['/', 'root', '/root/etc/passwd'],
  ['/proc/self/environ', 'environ.txt', '/environ.txt'],
  ['/proc/self/root/etc/passwd', 'through.txt', '/through.txt'],
  ['/var/lib/panel/web', 'web', '/web/names/nina.example/http/page.txt'],
  ['/run/mysqld/mysqld.sock', 'socket', '/socket'],
  ['/etc/passwd', '404.html', '/missing'],
  ['/etc/passwd', 'index.html', '/index.html'],
]

/** Document roots that the account makes lead elsewhere. */
const roots: [documentRoot: string, script: string][] = [
  ['hers', `ln -s ${hers} hers`],
  ['of/public', `ln -s ${folderOf('nina')} of`],
  ['etc', 'ln -s /etc etc'],
  ['deep/1/2', `mkdir -p deep/1; ln -s ${hers} deep/1/2`],
]

const line = 'x\r\nSet-Cookie: a=b'
const to = 'https://new.example/'
/** Settings that are refused. */
const refused: object[] = [
  ...['../nina.example/public', '/etc', 'public/../../nina.example', 'a\nb', '..', 'a/./b'].map(
    document_root => ({ document_root }),
  ),
  ...[`/${line}`, `https://new.example/${line}`, 'javascript:alert(1)', '/\0', '/\u2028'].map(
    to => ({
      redirects: { '/old': { to } },
    }),
  ),
  ...[`/${line}`, '/../etc', '/a\0', 'old'].map(from => ({ redirects: { [from]: { to } } })),
  { name_redirects: { [mallory]: { to: `${to}${line}` } } },
  { name_redirects: { [nina]: { to } } },
  ...['../../../etc', '/../nina', `/${line}`, '/a:/b'].map(path => ({ protected_paths: [path] })),
  ...['../../etc/passwd', 'a:b', 'a\nroot:x', ''].map(name => ({
    users: { [name]: 'correct horse battery' },
  })),
  ...[line, "default-src 'self'; report-uri x\n", '$panel_root'].map(csp => ({ headers: { csp } })),
  { php: { timezone: 'UTC\nopen_basedir=/' } },
  { php: { extensions: { '../../tmp/evil': true } } },
  { php: { version: '8.2/../../tmp' } },
  { aliases: ['login.nina.example'] },
  { aliases: [nina] },
]

/** Attacks on what root and the web server read and write for the website. */
const files: Record<string, string> = {
  'links of another website': 'ln -sfn ../sites/0000000001 /var/lib/panel/web/names/evil.example',
  'settings of the web server': 'echo x >/etc/nginx/conf.d/evil.conf',
  'settings of its PHP': 'find /etc/panel/php -writable -print -quit | grep .',
  'secrets of the panel': 'cat /etc/panel/panel.env /etc/panel/key /var/lib/panel/key',
  'files of its neighbour': `ls /home/nina || cat ${hers}/page.txt`,
  'users of protected folders': "grep -rl '[$]6[$]' /var/lib/panel /etc/panel",
  'the panel’s database': ['-h 127.0.0.1', '-h /run/postgresql', '']
    .flatMap(where =>
      ['panel_worker', 'panel_owner', 'postgres', 'mallory'].map(
        user => `psql ${where} -wqU ${user} -c 'select 1' panel`,
      ),
    )
    .join(' || '),
  'requests of other websites': 'cat /var/log/nginx/panel-access.log',
}

/** Makes these attacks, as an account with a neighbour. */
export async function showSecurity(t: Test, machine: DebianMachine, client: Client): Promise<void> {
  t.match(await client('PUT', '/packages/pair', { max_sites: 2, max_aliases: 5 }), {
    status: /^20[01]$/,
  })
  const password = 'correct horse battery'
  for (const username of ['mallory', 'nina']) {
    const body = { username, password, email: 'a@example.com', package: 'pair' }
    const created = await client('POST', '/accounts', { ...body, domain: `${username}.example` })
    t.equal(created.status, 201, JSON.stringify(created.body))
  }
  const as = (name: string, script: string) =>
    machine.run(['runuser', '-u', name, '--', 'sh', '-c', `cd ${folderOf(name)}; ${script}`])
  const shown = (path: string) => visit(machine, mallory, path)
  await as(
    'nina',
    `echo '${secret}' >public/page.txt; echo '<?php echo "${secret}";' >public/secret.php`,
  )
  await as('mallory', 'echo mine >public/page.txt; echo secret >closed.txt; ls public')
  t.match(await visit(machine, nina, '/page.txt'), `200 ${secret}`)

  await t.test('links show nothing of others', async t => {
    const make = links.map(([target, name]) => `ln -sfn ${target} public/${name}`)
    t.match(await as('mallory', make.join('; ')), { code: 0 })
    for (const [target, , path] of links) {
      const answer = await shown(path)
      t.match(answer, /^40[34] /, `${path} to ${target}`)
      t.notMatch(answer, stolen, path)
    }
    await as('mallory', links.map(([, name]) => `rm public/${name}`).join('; '))
  })

  const made = await machine.must(
    ...['panel', 'token', 'create', '--owner', 'admin', '--permission', 'Sites', '--json'],
  )
  const sites = clientOf(machine, (JSON.parse(made) as { token: string }).token)
  const set = (change: object) => sites('PATCH', `/accounts/mallory/sites/${mallory}`, change)

  await t.test('a document root that leads elsewhere opens nothing', async t => {
    for (const [document_root, script] of roots) {
      await as('mallory', script)
      const { status } = await set({ document_root })
      for (const path of ['/page.txt', '/secret.php', '/passwd', '/']) {
        const answer = await shown(path)
        t.notMatch(answer, stolen, `${document_root} (${status}): ${path}`)
        if (status === 200) t.match(answer, /^40[34] |^5\d\d /, `${document_root}: ${path}`)
      }
    }
    t.match(await set({ document_root: null }), { status: 200 })
    t.match(await shown('/page.txt'), '200 mine')
    const swap = `mv public kept; ln -s ${hers} public`
    await as('mallory', swap)
    t.notMatch(await shown('/page.txt'), stolen, 'its public folder itself')
    await as('mallory', 'rm public; mv kept public')
  })

  await t.test('settings with other paths, line breaks or names are refused', async t => {
    for (const change of refused) {
      const { status, body } = await set(change)
      // A line separator in it would end the line of the result.
      t.match(
        status,
        400,
        `${encodeURI(JSON.stringify(change))}: ${encodeURI(String(body['error']))}`,
      )
    }
    const added = await sites('POST', '/accounts/mallory/sites', { domain: 'login.nina.example' })
    t.match(added.status, 400, 'a name below its neighbour’s')
  })

  await t.test('a visitor adds no header to a redirect', async t => {
    const change = { name_redirects: { [`www.${mallory}`]: { to } } }
    t.match(await set({ ...change, redirects: { '/old': { to: '/new' } } }), { status: 200 })
    for (const path of ['/%0d%0aX-Evil:y', '/old/%0d%0aX-Evil:y', '/old?%0d%0aX-Evil:y']) {
      for (const host of [mallory, `www.${mallory}`]) {
        const head = [...curl, '-I', '-H', `Host: ${host}`, `http://127.0.0.1${path}`]
        t.notMatch((await machine.reach(head)).stdout, /^x-evil/im, `${host}${path}`)
      }
    }
  })

  await t.test('a folder with a password stays closed', async t => {
    const users = { carol: password }
    t.match(await set({ protected_paths: ['/'], users }), { status: 200 })
    await as('mallory', `printf 'AuthUserFile /etc/passwd\\n' >public/.htaccess`)
    await as('mallory', `printf 'eve:x\\n' | tee public/users .htpasswd users`)
    t.match(await shown('/page.txt'), /^401 /)
    const enter = ['-H', `Host: ${mallory}`, 'http://127.0.0.1/page.txt']
    for (const [who, expected] of [
      [`carol:${password}`, 'mine\n'],
      ['eve:x', /401/],
      ['root:', /401/],
    ] as const) {
      t.match((await machine.reach([...curl, '-u', who, ...enter])).stdout, expected, who)
    }
    t.match(await set({ protected_paths: null, users: null }), { status: 200 })
  })

  await t.test('files of the server are closed', async t => {
    for (const [what, script] of Object.entries(files)) {
      const { code, stdout } = await as('mallory', script)
      t.not(code, 0, `${what}: ${stdout.slice(0, 200)}`)
    }
  })

  await t.test('a log that is a link is written nowhere else', async t => {
    const log = `/home/mallory/logs/${mallory}.access.log`
    for (const target of ['/etc/cron.d/evil', `${hers}/page.txt`, '/home/mallory/files/own']) {
      await as('mallory', `rm -f ${log}; ln -s ${target} ${log}`)
      await shown(`/logged-${target.length}`)
    }
    const moved = await as('mallory', 'cd; rm -rf logs; ln -s /etc/cron.d logs')
    await shown('/logged-later')
    await machine.must('panel', 'ctl', 'rebuild', 'mallory')
    t.equal(
      (await machine.must('sh', '-c', 'ls /etc/cron.d | grep -c mallory || true')).trim(),
      '0',
    )
    t.match(await machine.run(['test', '-e', '/etc/cron.d/evil']), { code: 1 }, moved.stderr)
    t.match(await visit(machine, nina, '/page.txt'), `200 ${secret}\n`)
    await as('mallory', 'cd; [ ! -L logs ] || rm logs')
    await machine.must('panel', 'ctl', 'rebuild', 'mallory')
  })

  await t.test('scripts open no socket of the server or of others', async t => {
    const script = `<?php $open = [];
      foreach (file('/proc/net/unix') as $line) {
        $path = preg_split('/\\s+/', trim($line))[7] ?? '';
        if ($path !== '' && @stream_socket_client("unix://$path", $e, $s, 1)) $open[] = $path;
      }
      foreach ([5432, 3306, 8443, 9000, 25] as $port)
        if (@stream_socket_client("tcp://127.0.0.1:$port", $e, $s, 1)) $open[] = $port;
      echo json_encode(array_values(array_unique($open)), JSON_UNESCAPED_SLASHES);`
    await machine.run(
      ['runuser', '-u', 'mallory', '--', 'tee', `${folderOf('mallory')}/public/open.php`],
      script,
    )
    const answer = await shown('/open.php')
    const open = JSON.parse(answer.slice(4)) as (string | number)[]
    t.strictSame(
      open.filter(one => !isForAll(String(one))),
      [],
      'and nothing else',
    )
  })

  for (const name of ['mallory', 'nina']) {
    t.match(await client('DELETE', `/accounts/${name}`), { status: 200 })
  }
  t.ok(await until(async () => (await client('DELETE', '/packages/pair')).status === 200))
}

// Every user of the machine may open these: logs, the bus, the resolver, mail of mail(), databases
// with a password, the panel's pages, and Debian's ports of MariaDB and PostgreSQL. It cannot log
// in to the panel's database.
const forAll = [
  /^\/run\/systemd\/(journal|userdb|notify|resolve)\b/,
  /^\/run\/(dbus|nscd|panel\/mail|mysqld)\b/,
  /^(8443|5432|3306)$/,
]

const isForAll = (path: string): boolean => forAll.some(one => one.test(path.replace(/^\/var/, '')))
