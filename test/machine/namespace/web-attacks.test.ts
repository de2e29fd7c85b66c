import { readFileSync, statSync } from 'node:fs'
import { connect, constants, type ClientHttp2Session } from 'node:http2'
import { once } from 'node:events'
import t from 'tap'
import { alice } from '../../support/panel.ts'
import { asUser, openLinuxPanel, putFile, run, startServices, visit } from '../machine.ts'
import { ask, keepAlive, secureVisit, shakeHands, speak, statusOf } from '../raw.ts'
import { signAtOnce } from '../signing.ts'

// Attacks of visitors on nginx, and of owners with the contents of their folders.

startServices('nginx')
const panel = await openLinuxPanel(t)
await panel.startMachineWorker()
await panel.call('PUT', '/api/v1/packages/starter', { body: { memory_mb: 128 } })
const { certify, ca } = await signAtOnce(t, panel)
for (const username of ['eve', 'nina']) {
  const body = { ...alice, username, domain: `${username}.example` }
  const { status, text } = await panel.call('POST', '/api/v1/accounts', { body })
  if (status !== 201) throw new Error(text)
}
await certify('eve')
const { rows } = await panel.pool.query(
  `select username, uid, s.id from panel.accounts a join panel.sites s on s.account_id = a.id`,
)
const [eve, nina] = ['eve', 'nina'].map(name => rows.find(row => row.username === name))
const directory = '/home/eve/sites/eve.example/public'
const put = (name: string, text: string) => putFile(eve, `${directory}/${name}`, text)
const as = async (...command: string[]) => {
  const { code, stderr } = await asUser(eve.uid, command)
  if (code !== 0) throw new Error(stderr)
}
const act = async (verb: string) => {
  const { status, text } = await panel.call('POST', `/api/v1/accounts/eve/${verb}`, { body: {} })
  if (status !== 200) throw new Error(text)
}
await putFile(nina, '/home/nina/sites/nina.example/public/page.txt', 'of nina')
await put('page.txt', 'of eve')
await put('who.php', '<?php echo "of eve ", json_encode($_SERVER), getenv("HTTP_PROXY");')
const own = (status: number) => (host: string) => [host, status] as [string, number]
const errors = '/var/log/nginx/error.log'
const errorsBefore = statSync(errors).size

t.test('a Host header names a website, or nothing', async t => {
  const number = eve.id.padStart(10, '0')
  const answers: [host: string, status: number][] = [
    ...['eve.example', 'www.eve.example', 'EVE.Example', 'eve.example.'].map(own(200)),
    ...['eve.example:80', 'eve.example:99999', 'eve.example.:1'].map(own(200)),
    ...['.eve.example', 'eve.example..', 'x.eve.example', 'eve', 'eve.exampl%65'].map(own(421)),
    ...['%2e', '%2e%2e', '..%2f..', '_', '-', '*', '~', '$host', `.${number}`, number].map(
      own(421),
    ),
    ...['127.0.0.1', '[::1]', '[::1]:80', 'localhost', 'a'.repeat(300), '..%00'].map(own(421)),
    ...[`${'a'.repeat(63)}.`.repeat(3) + 'a'.repeat(61), 'xn--', 'é.example'].map(own(421)),
    ...['', '.'].map(own(421)),
  ]
  for (const [host, status] of answers) {
    const answer = await ask(host, '/page.txt')
    const isRefused = statusOf(answer) === 400 && status === 421
    t.ok(statusOf(answer) === status || isRefused, `«${host}»: ${statusOf(answer)}`)
    t.equal(answer.endsWith('of eve'), status === 200, host)
  }
  for (const host of ['..', '../names/eve.example', 'eve.example/../nina.example', '/', '\0']) {
    t.equal(statusOf(await ask(host, '/page.txt')), 400, `«${host}»`)
  }
  t.equal(statusOf(await ask('eve.example\0', '/page.txt')), 400)
  t.equal(statusOf(await ask('eve.example\r\nHost: nina.example')), 400, 'two names')
  t.equal(statusOf(await ask('\\..\\eve.example')), 400)
  t.equal(statusOf(await speak('GET / HTTP/1.0\r\n\r\n')), 421, 'none')
  const absolute = 'GET http://nina.example/page.txt HTTP/1.1\r\nHost: eve.example\r\n'
  t.match(await speak(`${absolute}Connection: close\r\n\r\n`), /of nina$/, 'the line goes first')
})

t.test('a server name of TLS names a certificate, or nothing', async t => {
  t.match(await shakeHands('eve.example'), /HTTP\/1.1 421/, 'without a Host nothing is served')
  const { id } = eve
  const number = id.padStart(10, '0')
  for (const name of [
    ...[undefined, '.', '..', '...', '/', '../certs', `../certs/${number}.pem`, `${number}.pem`],
    ...['eve.example/', 'eve.example/../eve.example', './eve.example', 'eve.example/.', '%2e%2e'],
    ...[
      '127.0.0.1',
      '::1',
      '[::1]',
      'localhost',
      'a'.repeat(255),
      `${'a.'.repeat(127)}a`,
      '_',
      '*',
    ],
    ...['none', 'nina.example', 'x.eve.example', '.eve.example', 'eve..example', ' ', '$host', '-'],
  ]) {
    const output = await shakeHands(name)
    t.match(output, /alert/, `«${name}»`)
    t.notMatch(output, /BEGIN CERTIFICATE|PRIVATE KEY|HTTP\//, `«${name}»`)
  }
})

t.test('requests for unknown names are not logged', async t => {
  t.equal(readFileSync(errors, 'utf8').slice(errorsBefore), '')
  const log = readFileSync('/var/log/nginx/panel-access.log', 'utf8')
  t.notMatch(log, / 421$/m)
})

t.test('a path leads nowhere else', async t => {
  for (const path of [
    ...['/../page.txt', '/%2e%2e/page.txt', '/..%2fnina.example/page.txt', '/%00', '/x%00.php'],
    ...['/../../../../etc/passwd', '/..\\..\\etc/passwd', '//etc/passwd', '/./../http/page.txt'],
  ]) {
    const answer = await ask('eve.example', path)
    t.ok([200, 400, 404].includes(statusOf(answer)), `${path}: ${statusOf(answer)}`)
    t.notMatch(answer, /of nina|root:x/, path)
  }
})

t.test('PHP is run or not shown, whatever it is called', async t => {
  for (const name of ['upper.PHP', 'mixed.pHp', 'image.jpg', '.git/config', '.env', '.x.php']) {
    await as('mkdir', '-p', `${directory}/.git`, `${directory}/.well-known`)
    await put(name, '<?php echo "secret source"; ?>')
  }
  for (const path of [
    ...['/upper.PHP', '/mixed.pHp', '/upper.PHP/', '/mixed.pHp?x', '/mixed.pHp%20', '/mixed.pHp/'],
    ...[
      '/image.jpg/x.php',
      '/image.jpg/.php',
      '/.git/config',
      '/.env',
      '/.x.php',
      '/.git/',
      '/.git',
    ],
    ...[
      '/%2egit/config',
      '//.env',
      '/./.env',
      '/.well-known/.env',
      '/image.jpg/x.php/path/info',
      '/upper.PHP/path/info',
      '/who.php%00',
    ],
  ]) {
    const answer = await ask('eve.example', path)
    t.ok([400, 403, 404].includes(statusOf(answer)), `${path}: ${statusOf(answer)}`)
    t.notMatch(answer, /secret source|of eve/, path)
  }
  await put('.well-known/page.txt', 'well known')
  t.match(await ask('eve.example', '/.well-known/page.txt'), /well known$/)
})

t.test('PHP learns the requested website, and no proxy', async t => {
  const lines = ['Proxy: http://evil', 'X-Forwarded-Host: nina.example']
  const output = await ask('EVE.example:8080', '/who.php?a=/etc/passwd', lines)
  t.match(output, /"HTTP_HOST":"eve.example"/)
  t.match(output, /"SERVER_NAME":"eve.example"/)
  t.match(output, new RegExp(`"DOCUMENT_ROOT":"${directory}"`.replaceAll('/', '\\\\/')))
  t.notMatch(output, 'evil')
})

t.test('requests to PHP and its answers may be large', async t => {
  await put(
    'length.php',
    '<?php echo strlen(file_get_contents("php://input")), str_repeat("x", 5e6);',
  )
  const body = 'x'.repeat(3_000_000)
  const head = `POST /length.php HTTP/1.1\r\nHost: eve.example\r\nConnection: close\r\n`
  const answer = await speak(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
  t.match(answer.slice(0, 1_000), /3000000x/)
  t.ok(answer.length > 5_000_000)
  await put(
    'heads.php',
    '<?php for ($i = 0; $i < 30; $i++) header("X-$i: " . str_repeat("x", 900));',
  )
  t.equal(statusOf(await ask('eve.example', '/heads.php')), 200, 'headers of 27 kB')
})

t.test('a page for what is not there is the website’s own, if it is one', async t => {
  const page = `${directory}/404.html`
  await put('404.html', 'my own page')
  const missing = () => ask('eve.example', '/missing')
  t.match(await missing(), /^HTTP\/1.1 404 .*my own page$/s)
  t.match(await ask('eve.example', '/missing.php'), /^HTTP\/1.1 404 .*my own page$/s)
  for (const target of [
    '/etc/passwd',
    '/home/nina/sites/nina.example/public/page.txt',
    '404.html',
  ]) {
    await as('ln', '-sfn', target, page)
    const answer = await missing()
    t.equal(statusOf(answer), 404, target)
    t.notMatch(answer, /root:x|of nina/)
  }
  for (const [what, make] of [
    ...[
      ['folder', 'mkdir'] as const,
      ['pipe', 'mkfifo'] as const,
      ['closed file', 'touch'] as const,
    ],
  ]) {
    await as('rm', '-rf', page)
    await as(make, page)
    await as('chmod', '700', page)
    t.equal(statusOf(await missing()), 404, what)
  }
  await as('rm', '-rf', page)
  await as('mkdir', `${directory}/folder`)
  t.equal(statusOf(await ask('eve.example', '/folder/')), 403)
  t.match(await ask('eve.example', '/folder'), /^HTTP\/1.1 301 .*location: \/folder\//is)
})

t.test('a connection that is kept sees each change at once', async t => {
  const byOne = await keepAlive(t, 'eve.example')
  const byTwo = connect('https://127.0.0.1', { ca, servername: 'eve.example' })
  t.teardown(() => byTwo.destroy())
  const shown = async () => [
    ...[await byOne('/page.txt'), await byOne('/who.php'), await byOne('/missing')].map(statusOf),
    ...[await stream(byTwo, '/page.txt'), await stream(byTwo, '/who.php')],
    ...[await stream(byTwo, '/page.txt', { range: 'bytes=0-1' })],
    ...[await stream(byTwo, '/page.txt', { ':method': 'HEAD' })],
  ]
  const [active, held] = [[200, 200, 404, 200, 200, 206, 200], Array.from({ length: 7 }, () => 503)]
  for (let round = 0; round < 3; round++) {
    for (let hit = 0; hit < 20; hit++) t.strictSame(await shown(), active)
    await act('suspend')
    t.strictSame(await shown(), held)
    await act('unsuspend')
    t.strictSame(await shown(), active)
  }
})

t.test('a session of TLS is taken up again', async t => {
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const visit = (session?: Buffer) =>
      secureVisit('eve.example', '/page.txt', { ca, version, session })
    const first = await visit()
    t.match(first, { isReused: false, status: 200 }, version)
    t.match(await visit(first.session), { isReused: true, status: 200 }, version)
  }
})

t.test('keys are nginx’s workers’ alone', async t => {
  const certs = '/var/lib/panel/web/certs'
  const proof = `${certs}/${eve.id.padStart(10, '0')}.pem`
  const worker = ['--reuid=panel-web', '--regid=panel-web', '--clear-groups']
  t.match((await run('setpriv', [...worker, 'cat', proof])).stdout, 'PRIVATE KEY')
  t.not((await run('setpriv', [...worker, 'ls', certs])).code, 0, 'which list none')
  for (const uid of [33, eve.uid, nina.uid]) {
    for (const path of [proof, '/var/lib/panel/web/tls/eve.example', certs]) {
      const result = await asUser(uid, [path === certs ? 'ls' : 'cat', path])
      t.match(result, { stdout: '', stderr: /Permission denied/ }, `${uid} ${path}`)
    }
  }
  await put('read.php', `<?php ini_set('display_errors', 0); echo file_get_contents('${proof}');`)
  t.equal((await visit('eve.example', '/read.php')).text, '')
  const workers = (await run('ps', ['-o', 'user:32=', '-C', 'nginx'])).stdout.split('\n')
  t.strictSame([...new Set(workers.filter(Boolean))].sort(), ['panel-web', 'root'])
})

t.test('an account cannot change its own links', async t => {
  const folder = `/var/lib/panel/web/live/${eve.id.padStart(10, '0')}`
  for (const command of [
    ['rm', `${folder}/http`],
    ['ln', '-sfn', '/etc', `${folder}/http`],
    ['mv', `${folder}/http`, `${folder}/https`],
    ['touch', `${folder}/x`, '/var/lib/panel/web/names/x'],
  ]) {
    t.not((await asUser(eve.uid, command)).code, 0, command.join(' '))
  }
  const others = ['-type', 'l', '-path', '*/live/*/http*']
  const found = await run('find', [
    '/var/lib/panel/web',
    '!',
    '-user',
    'root',
    '!',
    '(',
    ...others,
    ')',
  ])
  t.equal(found.stdout, '', 'all else is root’s')
})

t.test('the log names the website, as it was when the request came', async t => {
  const log = readFileSync('/var/log/nginx/panel-access.log', 'utf8').trim().split('\n')
  const sites = new Set(log.map(line => line.split(' ')[1]))
  t.strictSame([...sites].sort(), [eve.id, nina.id].sort())
})

/** The status of a request on a connection of HTTP/2. */
async function stream(session: ClientHttp2Session, path: string, headers = {}): Promise<number> {
  const asked = session.request({ ':path': path, ':authority': 'eve.example', ...headers })
  asked.resume()
  const [answer] = await once(asked, 'response')
  await once(asked, 'close')
  return answer[constants.HTTP2_HEADER_STATUS]
}
