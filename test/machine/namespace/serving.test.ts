import t from 'tap'
import { openWebsites, report } from '../served.ts'
import { secrets, sources } from '../never-served.ts'
import { ask, speak, statusOf } from '../raw.ts'

// Applications from elsewhere work on nginx with nothing configured: the script that a path leads
// to is run, and private files are not served.

const { folder: directory, make, set, shown } = await openWebsites(t)
const deep = 'one/two/three/four/five/six/seven/eight'
await make({
  'index.php': report('root'),
  's.php': report('s'),
  'page.txt': 'a page',
  'blog/index.php': report('blog'),
  'blog/old/app/index.php': report('old'),
  'blog/script.php': report('script'),
  'blog/image.txt': 'an image',
  'plain/page.html': 'plain',
  [`${deep}/index.php`]: report('deep'),
  'folder.php/index.php': report('folder'),
  'folder.php/x.php': report('x'),
  'folder.php/image.txt': 'in a folder',
  'folder.php/more.php/in.php': report('in'),
  'Upper.PHP': '<?php echo "secret source";',
})
await make({ 'page.txt': 'of nina', 'sub/index.php': report('sub') }, [
  'nina',
  '/home/nina/sites/nina.example/public',
])

t.test('a path that is no file is the nearest application’s above', async t => {
  const table: [path: string, name: string, script: string, info?: string][] = [
    ['/', 'root', '/index.php'],
    ['/?a=1', 'root', '/index.php'],
    ['/about', 'root', '/index.php'],
    ['/2026/11/26/a-post/', 'root', '/index.php'],
    ['/missing.html', 'root', '/index.php'],
    ['/missing.php', 'root', '/index.php'],
    ['/plain/none', 'root', '/index.php'],
    ['/page.txt/more', 'root', '/index.php'],
    ['/page.txt/x.php', 'root', '/index.php'],
    ['/blogs/x', 'root', '/index.php'],
    ['/blog/', 'blog', '/blog/index.php'],
    ['/blog/2026/11/a-post', 'blog', '/blog/index.php'],
    ['/blog/a/b/c/d/e/f/g/h/i/j/k/l/m', 'blog', '/blog/index.php'],
    ['/blog/missing.php', 'blog', '/blog/index.php'],
    ['/blog/missing.php/x?y=z', 'blog', '/blog/index.php'],
    ['/blog/old/x', 'blog', '/blog/index.php'],
    ['/blog/old/app/x/y', 'old', '/blog/old/app/index.php'],
    ['/blog//old/./app/../app/x', 'old', '/blog/old/app/index.php'],
    ['/blog/%6fld/app/x%20y', 'old', '/blog/old/app/index.php'],
    [`/${deep}/x/y`, 'deep', `/${deep}/index.php`],
    ['/folder.php/none', 'folder', '/folder.php/index.php'],
    ['/folder.php/', 'folder', '/folder.php/index.php'],
    ['/folder.php/x.php', 'x', '/folder.php/x.php'],
    ['/folder.php/x.php/', 'x', '/folder.php/x.php', '/'],
    ['/folder.php/x.php/foo', 'x', '/folder.php/x.php', '/foo'],
    ['/folder.php/x.php/foo/bar.php', 'x', '/folder.php/x.php', '/foo/bar.php'],
    ['/folder.php/x.php/folder.php/x.php/y', 'x', '/folder.php/x.php', '/folder.php/x.php/y'],
    ['/folder.php/x.php/a%0Ab', 'x', '/folder.php/x.php', '/a\nb'],
    ['/folder.php/more.php/in.php', 'in', '/folder.php/more.php/in.php'],
    ['/folder.php/more.php/in.php/foo', 'in', '/folder.php/more.php/in.php', '/foo'],
    ['/folder.php/more.php/none.php/foo', 'folder', '/folder.php/index.php'],
    ['/folder.php/none/x.php/foo', 'folder', '/folder.php/index.php'],
    ['/s.php/s.php/s.php', 's', '/s.php', '/s.php/s.php'],
    ['/s.php/a%0Ab', 's', '/s.php', '/a\nb'],
    ['/index.php/wiki/Title', 'root', '/index.php', '/wiki/Title'],
    ['/s.php', 's', '/s.php'],
    ['/s.php/', 's', '/s.php', '/'],
    ['/s.php/foo', 's', '/s.php', '/foo'],
    ['/s.php/foo/bar.php', 's', '/s.php', '/foo/bar.php'],
    ['/s.php/a%20b/%C3%A4?q=/x.php', 's', '/s.php', '/a b/ä'],
    ['/s.php/dump.sql', 's', '/s.php', '/dump.sql'],
    ['/blog/script.php/x', 'script', '/blog/script.php', '/x'],
    ['/export/dump.sql', 'root', '/index.php'],
  ]
  for (const [path, name, script, info] of table) {
    const response = await shown(path)
    t.match(response, { status: 200, name, SCRIPT_NAME: script, REQUEST_URI: path }, path)
    const { PATH_INFO, PHP_SELF, SCRIPT_FILENAME, QUERY_STRING } = response as unknown as Record<
      string,
      string
    >
    t.equal(PATH_INFO, info)
    t.equal(PHP_SELF, `${script}${info ?? ''}`, path)
    t.equal(SCRIPT_FILENAME, `${directory}${script}`, path)
    t.equal(QUERY_STRING, path.split('?')[1] ?? '', path)
  }
  t.match(await shown('/page.txt'), { status: 200, body: 'a page' })
  t.match(await shown('/blog/image.txt'), { status: 200, body: 'an image' })
  t.match(await shown('/folder.php/image.txt'), { status: 200, body: 'in a folder' })
  t.match(await shown('/plain/'), { status: 403 })
  t.match(await ask('eve.example', '/blog'), /^HTTP\/1.1 301 .*location: \/blog\//is)
  const token = 'a'.repeat(43)
  const challenge = await shown(`/.well-known/acme-challenge/${token}`)
  t.match(challenge, { status: 404 }, 'a challenge is the server’s own')
  t.match(await shown('/.well-known/other'), { name: 'root' })
  t.match(await shown('/x', 'nina.example'), { status: 404 }, 'where there is none')
  t.match(await shown('/sub/x/y', 'nina.example'), { name: 'sub' })
  for (const path of [
    '/page.txt/',
    '/page.txt/x.php',
    '/x.php',
    '/x.php/y',
    '/sub.php/index.php',
  ]) {
    t.match(await shown(path, 'nina.example'), { status: 404 }, path)
  }
})

t.test('an application gets every method and what is sent along', async t => {
  const echo = 'echo $_SERVER["REQUEST_METHOD"], strlen(file_get_contents("php://input"));'
  await make({ 'echo.php': `<?php ${echo}` })
  const header = ['--nosniff', 'yes']
  const all: [settings: string[], has: boolean][] = [
    [[], false],
    [header, true],
  ]
  for (const [settings, has] of all) {
    if (settings.length > 0) await set(...settings)
    for (const [method, path] of [
      ['POST', '/blog/api/items'],
      ['PUT', '/s.php/items/7'],
      ['DELETE', '/api'],
      ['OPTIONS', '/blog/api'],
    ]) {
      const lines = 'Host: eve.example\r\nContent-Length: 3\r\nConnection: close\r\n\r\nx=1'
      const answer = await speak(`${method} ${path} HTTP/1.1\r\n${lines}`)
      t.match(answer, /^HTTP\/1.1 200 /, `${method} ${settings}`)
      t.equal(/^x-content-type-options: nosniff\r$/im.test(answer), has, `${method} ${settings}`)
    }
    const size = 100_000
    const body = `Content-Length: ${size}\r\nConnection: close\r\n\r\n${'x'.repeat(size)}`
    const sent = await speak(`POST /echo.php HTTP/1.1\r\nHost: eve.example\r\n${body}`)
    t.match(sent, new RegExp(`POST${size}`), `a body of ${size} bytes ${settings}`)
  }
})

t.test('a website has error pages of its own', async t => {
  await make({ '403.html': 'my own 403', '50x.html': 'my own 50x' })
  await make({ 'ends.php': '<?php posix_kill(getmypid(), 9);' })
  t.match(await shown('/plain/'), { status: 403, body: 'my own 403' })
  t.match(await shown('/ends.php'), { status: 502, body: 'my own 50x' })
})

t.test('sources, copies of them and dumps are not served', async t => {
  const hidden = [...sources, ...secrets]
  for (const folder of ['', 'blog/', 'plain/', '.well-known/']) {
    const names = hidden.map(name => `${folder}${name}`)
    await make(Object.fromEntries(names.map(name => [name, '<?php "secret source"; '])))
    for (const name of names) {
      const output = await ask('eve.example', `/${encodeURI(name)}`.replace('#', '%23'))
      t.equal(statusOf(output), 404, name)
      t.notMatch(output, 'secret source', name)
    }
  }
  for (const path of [
    '/Upper.PHP',
    '/upper.php',
    '/Upper.PHP/x',
    '/hidden.php~/x',
    '/Upper.PHP/',
  ]) {
    t.notMatch(await ask('eve.example', path), 'secret source', path)
  }
  for (const path of [
    '/hidden%2Ephtml',
    '/wp-config.php/x',
    '/blog/../hidden.inc',
    '//hidden.inc',
    '/./hidden.inc',
  ]) {
    t.equal(statusOf(await ask('eve.example', path)), 404, path)
  }
})

t.test('an application gets paths that begin with a dot and are no file', async t => {
  for (const path of ['/.NET', '/.none/', '/blog/.NET', '/s.php/.NET']) {
    const hasFolder = path.endsWith('/')
    t.match(await shown(path), hasFolder ? { status: 404 } : { status: 200, REQUEST_URI: path })
  }
  await make({ '.hidden/index.php': report('hidden'), '.x.php': report('hidden') })
  for (const path of ['/.hidden', '/.hidden/', '/.hidden/none', '/.x.php', '/.x.php/none']) {
    t.equal((await shown(path)).status, 404, path)
  }
})

t.test('files that only look like it are served', async t => {
  const names = [
    ...['guide.php.html', 'wp-config-sample.txt', 'photo.php.png', 'include.txt', 'mysql.html'],
    ...['x.incl', 'php.txt', 'old.txt', 'composer.html', 'sql/page.txt', 'a.bak'],
    ...['assets/vendor/a.css', 'config.inc.js', '.well-known/security.txt', 'inc/page.txt'],
  ]
  await make(Object.fromEntries(names.map(name => [name, 'to be seen'])))
  for (const name of names) {
    t.match(await ask('eve.example', `/${name}`), /^HTTP\/1.1 200 .*to be seen$/s, name)
  }
  await make({ 'config.inc.php': report('config') })
  t.match(await shown('/config.inc.php'), { name: 'config' })
})

t.test('libraries below a document root that is an application’s own', async t => {
  const files = {
    'vendor/style.css': 'to be seen',
    'vendor/tool.php': report('tool'),
    'blog/vendor/autoload.php': report('autoload'),
    'blog/vendor/style.css': 'to be seen',
  }
  await make(files)
  t.match(await shown('/vendor/style.css'), { status: 200, body: 'to be seen' })
  t.match(await shown('/vendor/tool.php/x'), { name: 'tool', PATH_INFO: '/x' })
  t.match(await shown('/vendor/x'), { name: 'root' })
  await make({ 'vendor/autoload.php': '<?php' })
  for (const path of [
    'style.css',
    'tool.php',
    'tool.php/x',
    '',
    'x',
    'tool.php~',
    'autoload.php',
  ]) {
    t.equal((await shown(`/vendor/${path}`)).status, 404, path)
  }
  t.match(await shown('/blog/vendor/style.css'), { status: 200, body: 'to be seen' })
  const tool = {
    ...{ 'lib/src/tool.php': report('tool'), 'lib/src/index.php': report('library') },
    'lib/page.txt': 'to be seen',
  }
  for (const folder of ['blog', 'one/two', 'plain']) {
    await make(tool, ['eve', `${directory}/${folder}/vendor`])
    const isLibrary = folder !== 'plain'
    if (isLibrary) await make({ 'autoload.php': '<?php' }, ['eve', `${directory}/${folder}/vendor`])
    for (const more of ['', '/x', '/x.sql', '/x.php', '/.x/../x', '/../none', '/../']) {
      const path = `/${folder}/vendor/lib/src/tool.php${more}`
      t.equal((await shown(path)).status, isLibrary ? 404 : 200, path)
    }
    t.match(await shown(`/${folder}/vendor/lib/page.txt`), { status: 200, body: 'to be seen' })
  }
  t.equal((await shown('/blog/vendor/autoload.php')).status, 404)
})
