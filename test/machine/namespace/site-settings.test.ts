import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import t from 'tap'
import { createToken } from '../../../src/model/signing-in/tokens.ts'
import { openWebsites, report } from '../served.ts'
import { asUser } from '../machine.ts'
import { ask, statusOf } from '../raw.ts'

// The settings of a website, as its visitors see them.

const { make, set, shown, panel, uidOf } = await openWebsites(t)
await make({
  'index.php': report('root'),
  'page.txt': 'a page',
  'index.html': 'the start page',
  'admin/index.php': report('admin'),
  'admin/page.txt': 'an admin page',
  'administration.txt': 'another page',
  'dump.sql': 'a dump',
  '404.html': 'my own 404',
})
await make({ 'index.php': report('release'), 'page.txt': 'released' }, [
  'eve',
  '/home/eve/sites/eve.example/releases/1/public',
])

// The account of the server at an authority.
const acme = '/var/lib/panel/web/acme'
const thumbprint = 'T'.repeat(43)
const challenge = `/.well-known/acme-challenge/${'a'.repeat(43)}`
mkdirSync(`${acme}/${thumbprint}`)
rmSync(`${acme}/account`, { force: true })
symlinkSync(thumbprint, `${acme}/account`)

const headersOf = (answer: string): string => answer.split('\r\n\r\n')[0] ?? ''
const headerOf = (answer: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)\r?$`, 'im').exec(headersOf(answer))?.[1]?.trim()
const get = (path: string, host = 'eve.example', ...headers: string[]) => ask(host, path, headers)

t.test('a website without settings has none of it', async t => {
  const answer = await get('/page.txt')
  t.equal(statusOf(answer), 200)
  t.notMatch(headersOf(answer), /strict-transport|x-frame|referrer-policy|nosniff|www-auth/i)
  t.match(await shown('/none'), { name: 'root' })
})

t.test('redirects', async t => {
  const table: [from: string, to: string, code: number, location?: string][] = [
    ['/old', 'https://new.example/page', 301],
    ['/old/deep/page', 'https://new.example/', 302],
    ['/slash', 'https://new.example/folder/', 307],
    ['/query', 'https://new.example/x?next=https://a.example/b&c=%20', 308],
    ['/here', '/page.txt', 301, 'http://eve.example/page.txt'],
    ['/home', '/', 301, 'http://eve.example/'],
    ['/ä b', 'https://new.example/ä', 301, 'https://new.example/%C3%A4'],
    ['/port', 'http://new.example:8080/x#y/z', 301, 'http://new.example:8080/x#y%2Fz'],
    ['/$uri', 'https://new.example/$host;"\'{}', 301],
    ['/page.txt', 'https://new.example/first', 301],
    ['/', 'https://new.example/start', 301],
  ]
  for (const [from, to, code] of table) {
    await set('--redirect', `${from}=${to}`, '--redirect-code', String(code))
  }
  for (const [from, to, code, location] of table) {
    const answer = await get(encodeURI(from))
    t.equal(statusOf(answer), code, from)
    const expected = location ?? new URL(to).href.replace('next=https://a', 'next=https:%2F%2Fa')
    t.equal(headerOf(answer, 'location'), expected.replace('a.example/b', 'a.example%2Fb'), from)
  }
  t.equal(headerOf(await get('/?a=1'), 'location'), 'https://new.example/start')
  t.equal(headerOf(await get('/old/'), 'location'), 'https://new.example/page')
  t.equal(headerOf(await get('/old?a=1'), 'location'), 'https://new.example/page')
  for (const path of ['/old/=to', '/old/=to/x', '/old/deep', '/OLD', '/t/301', '/%2e%2e/old']) {
    t.notMatch(await get(path), /new\.example/, path)
  }
  t.match(await shown(`/${'x'.repeat(4_000)}`), { name: 'root' })
  for (const [from] of table) await set('--remove-redirect', from)
  t.match(await get('/page.txt'), /a page/)
  t.match(await shown('/old'), { name: 'root' })
})

t.test('a path that is no file', async t => {
  await set('--fallback', 'index.html')
  t.match(await get('/app/route'), /^HTTP\/1.1 200 .*the start page$/s)
  t.match(await get('/app/route.php'), /^HTTP\/1.1 200 .*the start page$/s)
  t.match(await shown('/admin/'), { name: 'admin' })
  t.match(await get('/page.txt'), /a page$/)
  await set('--fallback', 'none')
  t.match(await get('/app/route'), /^HTTP\/1.1 404 .*my own 404$/s)
  t.match(await shown('/'), { name: 'root' })
  await set('--fallback', 'index.php')
  t.match(await shown('/app/route?x=%3F'), { name: 'root', QUERY_STRING: 'x=%3F' })
})

t.test('a password', async t => {
  const basic = (words: string) => `Authorization: Basic ${Buffer.from(words).toString('base64')}`
  const permission = 'Sites'
  const { token } = await createToken(panel.pool, { owner: 'admin', name: 'Sites', permission })
  const patch = (body: object) =>
    panel.call('PATCH', '/api/v1/accounts/eve/sites/eve.example', { token, body })
  const done = await patch({
    protected_paths: ['/admin/'],
    users: { carol: 'correct horse', 'd@x.example': 'battery staple' },
  })
  t.match(done, {
    status: 200,
    body: { protected_paths: ['/admin'], users: ['carol', 'd@x.example'] },
  })
  t.notMatch(done.text, /correct|\$6\$/)
  const guarded = [
    '/admin',
    '/admin/',
    '/admin/page.txt',
    '/admin/none',
    '/admin/index.php/x',
    '/index.php/admin',
  ]
  for (const path of [
    ...guarded,
    '//admin/page.txt',
    '/x/../admin/page.txt',
    '/%61dmin/page.txt',
  ]) {
    const answer = await get(path)
    t.equal(statusOf(answer), 401, path)
    t.match(headerOf(answer, 'www-authenticate'), /^Basic realm=/)
    t.equal(statusOf(await get(path, 'eve.example', basic('carol:wrong'))), 401)
    t.equal(statusOf(await get(path, 'eve.example', basic('mallory:correct horse'))), 401)
    t.not(statusOf(await get(path, 'eve.example', basic('carol:correct horse'))), 401, path)
  }
  t.match(
    await get('/admin/page.txt', 'eve.example', basic('d@x.example:battery staple')),
    /admin page/,
  )
  for (const path of ['/', '/page.txt', '/administration.txt', '/x/admin', '/Admin']) {
    t.not(statusOf(await get(path)), 401, path)
  }
  t.equal((await patch({ protected_paths: ['/'], users: { 'd@x.example': null } })).status, 200)
  for (const path of ['/', '/page.txt', '/none', '/admin/', '/dump.sql']) {
    t.equal(statusOf(await get(path)), 401, path)
  }
  const gone = basic('d@x.example:battery staple')
  t.equal(statusOf(await get('/page.txt', 'eve.example', gone)), 401)
  t.equal(statusOf(await get('/page.txt', 'eve.example', basic('carol:correct horse'))), 200)
  t.match(await get(challenge), thumbprint, 'an authority has no password')
  const stored = await panel.pool.query(`select params::text as text from panel.operations`)
  t.notMatch(stored.rows.map(({ text }) => text).join(), /correct horse|battery/)
  t.equal((await patch({ protected_paths: null, users: null })).status, 200)
  t.match(await get('/admin/page.txt'), /an admin page/)
})

t.test('headers', async t => {
  await make({ 'own.php': "<?php header('X-Frame-Options: ALLOWALL'); echo 'x';" })
  await set(
    '--nosniff',
    'yes',
    '--frame',
    'SAMEORIGIN',
    '--referrer',
    'same-origin',
    '--hsts',
    '60',
  )
  for (const path of ['/page.txt', '/', '/none.html', '/dump.sql']) {
    const answer = await get(path)
    t.equal(headerOf(answer, 'x-content-type-options'), 'nosniff', path)
    t.equal(headerOf(answer, 'x-frame-options'), 'SAMEORIGIN', path)
    t.equal(headerOf(answer, 'referrer-policy'), 'same-origin', path)
    t.equal(headerOf(answer, 'strict-transport-security'), undefined, 'only over HTTPS')
  }
  t.equal(headerOf(await get('/own.php'), 'x-frame-options'), 'ALLOWALL')
  await set('--nosniff', 'no', '--frame', 'none', '--referrer', 'none', '--hsts', '0')
  t.notMatch(headersOf(await get('/page.txt')), /x-frame|referrer-policy|nosniff/i)
})

t.test('the name with www', async t => {
  const location = async (host: string, path = '/a?b=c') => {
    const answer = await get(path, host)
    return headerOf(answer, 'location') ?? statusOf(answer)
  }
  await set('--www', 'redirect')
  t.equal(await location('www.eve.example'), 'http://eve.example/a?b=c')
  t.equal(await location('eve.example'), 200)
  await set('--www', 'prefer')
  t.equal(await location('eve.example'), 'http://www.eve.example/a?b=c')
  t.equal(await location('www.eve.example'), 200)
  t.match(await get(challenge), thumbprint, 'each name answers for itself')
  await set('--www', 'off')
  t.equal(await location('www.eve.example'), 421)
  t.equal(await location('eve.example'), 200)
  await set('--www', 'serve')
  t.equal(await location('www.eve.example'), 200)
})

t.test('the document root', async t => {
  await set('--document-root', 'releases/1/public')
  t.match(await get('/page.txt'), /released$/)
  t.match(await shown('/x'), { name: 'release' })
  await set('--document-root', 'none/there')
  t.equal(statusOf(await get('/page.txt')), 404)
  await set('--document-root', 'public')
  t.match(await get('/page.txt'), /a page$/)
})

t.test('a document root leads to nothing of others', async t => {
  const eve = '/home/eve/sites/eve.example'
  const secret = '/home/nina/sites/nina.example/public'
  await make({ 'index.html': 'of nina', 'page.txt': 'of nina' }, ['nina', secret])
  const targets = [
    secret,
    '/home/nina',
    '/etc',
    '/',
    '/var/lib/panel',
    '/run/panel',
    '/proc/1/root',
  ]
  for (const [index, target] of targets.entries()) {
    await asUser(uidOf('eve'), ['ln', '-sfn', target, `${eve}/link${index}`])
    await set('--document-root', `link${index}`)
    for (const path of ['/page.txt', '/', '/passwd', '/etc/passwd', '/hostname']) {
      const answer = await get(path)
      t.ok([403, 404].includes(statusOf(answer)), `${target}${path} ${statusOf(answer)}`)
      t.notMatch(answer, /of nina|root:x/)
    }
  }
  // Through a folder that is swapped for a link while it is served.
  await asUser(uidOf('eve'), ['mkdir', '-p', `${eve}/real`, `${eve}/swap`])
  await asUser(uidOf('eve'), ['tee', `${eve}/real/page.txt`], 'own')
  await set('--document-root', 'swap/in')
  const script = `
    for n in $(seq 1 300); do
      ln -sfn ${eve}/real ${eve}/swap/in; ln -sfn ${secret} ${eve}/swap/in
    done`
  const swapping = asUser(uidOf('eve'), ['sh', '-c', script])
  let isOver = false
  void swapping.then(() => (isOver = true))
  while (!isOver) t.notMatch(await get('/page.txt'), /of nina/)
  await set('--document-root', 'public')
})

t.test('the settings are out of their account’s reach', async t => {
  await set('--protect', '/admin')
  const { rows } = await panel.pool.query(`select id from panel.sites where domain = 'eve.example'`)
  const folder = `/var/lib/panel/web/live/${String(rows[0].id).padStart(10, '0')}`
  for (const words of [
    ['cat', `${folder}/set/users`],
    ['rm', `${folder}/set`],
    ['ln', '-sfn', '/tmp', `${folder}/set`],
    ['touch', `${folder}/set/x`],
    ['mkdir', `${folder}/settings/x`],
  ]) {
    t.not((await asUser(uidOf('eve'), words)).code, 0, words.join(' '))
  }
  t.equal(statusOf(await get('/admin/page.txt')), 401)
  await set('--unprotect')
})

t.test('sources with another setting', async t => {
  await set('--serve-sources', 'yes', '--fallback', 'index.html')
  t.match(await get('/dump.sql'), /a dump$/)
  await set('--serve-sources', 'no')
  t.equal(statusOf(await get('/dump.sql')), 404)
  await set('--fallback', 'index.php')
})
