import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import t from 'tap'
import { callPanel } from '../../support/cli/run-panel.ts'
import { until } from '../../support/until.ts'
import { run } from '../machine.ts'
import { ask } from '../raw.ts'
import { openWebsites } from '../served.ts'

// PHP gets the client's address and scheme from trusted proxies, and from no one else.

const { panel, make, set } = await openWebsites(t)
const names = 'REMOTE_ADDR HTTPS REQUEST_SCHEME'
await make({
  'server.php': `<?php echo json_encode(array_intersect_key($_SERVER,
    array_flip(explode(' ', '${names}'))));`,
})
const words = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
// Former workers accept connections until they get the signal to end.
const workers = async () => {
  const { stdout } = await run('pgrep', ['-fa', '^nginx: worker process'])
  return stdout.split('\n').filter(line => line !== '' && !line.includes('shutting down'))
}
const trust = async (...networks: string[]) => {
  const former = await workers()
  const { code, stderr } = await callPanel(['web', 'trusted-proxies', 'set', ...networks], words)
  if (code !== 0) throw new Error(stderr)
  await until(async () => !(await workers()).some(one => former.includes(one)))
}
const seen = async (...lines: string[]) => {
  const answer = await ask('eve.example', '/server.php', lines)
  return JSON.parse(/\{.*\}/.exec(answer)?.[0] ?? answer) as Record<string, string>
}
const http = { REMOTE_ADDR: '127.0.0.1', HTTPS: undefined, REQUEST_SCHEME: 'http' }

t.test('no header is believed of a client', async t => {
  const lines = ['X-Forwarded-For: 192.0.2.7', 'X-Forwarded-Proto: https', 'X-Real-IP: 192.0.2.7']
  t.match(await seen(...lines), http)
  await trust('192.0.2.0/24', 'cloudflare')
  t.match(await seen(...lines), http)
})

t.test('a trusted proxy reports address and scheme', async t => {
  await trust('127.0.0.1')
  const https = { REMOTE_ADDR: '192.0.2.7', HTTPS: 'on', REQUEST_SCHEME: 'https' }
  const from = 'X-Forwarded-For: 192.0.2.7'
  t.match(await seen(from, 'X-Forwarded-Proto: https'), https)
  t.match(await seen(from, 'X-Forwarded-Proto: HTTPS, http'), https)
  t.match(await seen(from, 'X-Forwarded-Proto: http'), { ...http, REMOTE_ADDR: '192.0.2.7' })
  t.match(await seen(from), { ...http, REMOTE_ADDR: '192.0.2.7' })
  t.match(await seen('X-Forwarded-For: 2001:db8::7'), { REMOTE_ADDR: '2001:db8::7' })
  t.match(await seen('X-Forwarded-Proto: httpsx'), http)
  for (const bad of ['nonsense', '', '192.0.2.7, nonsense', '999.1.1.1', '\x80']) {
    t.match(await seen(`X-Forwarded-For: ${bad}`), { REMOTE_ADDR: '127.0.0.1' }, bad)
  }
})

t.test('the access log has the client’s address, of either family', async t => {
  await trust()
  const open = async (host: string, name: string, ...lines: string[]) => {
    const headers = ['Host: eve.example', ...lines].flatMap(line => ['-H', line])
    const { stdout } = await run('curl', ['-sS', ...headers, `http://${host}/server.php?${name}`])
    return (JSON.parse(stdout) as Record<string, string>)['REMOTE_ADDR']
  }
  const [v4, v6] = ['X-Forwarded-For: 192.0.2.7', 'X-Forwarded-For: 2001:db8::7']
  t.equal(await open('127.0.0.1', 'direct-4', v4), '127.0.0.1')
  t.equal(await open('[::1]', 'direct-6', v6), '::1')
  await trust('127.0.0.1', '::1')
  t.equal(await open('127.0.0.1', 'proxied-4', v4), '192.0.2.7')
  t.equal(await open('[::1]', 'proxied-6', v6), '2001:db8::7')
  t.equal(await open('127.0.0.1', 'proxied-last', v6), '2001:db8::7')
  await panel.pool.query(
    `select worker_queue.add_job('usage/bandwidth', '{}', job_key => 'usage/bandwidth')`,
  )
  const log = '/home/eve/logs/eve.example.access.log'
  const read = () => (existsSync(log) ? readFileSync(log, 'utf8') : '')
  t.ok(await until(() => read().includes('proxied-last'), 20_000))
  const addresses = [...read().matchAll(/^(\S+) - - .*GET \/server\.php\?(\S+) /gm)]
  t.strictSame(Object.fromEntries(addresses.map(([, address, name]) => [name, address])), {
    'direct-4': '127.0.0.1',
    'direct-6': '::1',
    'proxied-4': '192.0.2.7',
    'proxied-6': '2001:db8::7',
    'proxied-last': '2001:db8::7',
  })
  await trust('127.0.0.1')
})

t.test('redirects and HSTS follow the scheme of a trusted proxy', async t => {
  await make({ 'folder/a.txt': 'a' })
  const options = ['--www', 'redirect', '--hsts', '60', '--redirect', '/here=/folder/']
  await set(...options, '--alias', 'other.example')
  const headersOf = async (host: string, path: string, proto: string) => {
    const answer = await ask(host, path, [`X-Forwarded-Proto: ${proto}`])
    const of = (name: string) => new RegExp(`^${name}: (.*)\r$`, 'im').exec(answer)?.[1]
    return { location: of('location'), hsts: of('strict-transport-security') }
  }
  for (const [proto, hsts] of [
    ['https', 'max-age=60'],
    ['http', undefined],
  ] as const) {
    const domain = `${proto}://eve.example`
    const table: [host: string, path: string, location: string | undefined][] = [
      ['www.eve.example', '/a?b', `${domain}/a?b`],
      ['www.other.example', '/a?b', `${proto}://other.example/a?b`],
      ['eve.example', '/here', `${domain}/folder/`],
      ['eve.example', '/folder', '/folder/'],
      ['eve.example', '/folder/a.txt', undefined],
    ]
    for (const [host, path, location] of table) {
      t.strictSame(
        await headersOf(host, path, proto),
        { location, hsts },
        `${proto} ${host}${path}`,
      )
    }
  }
  await trust('192.0.2.0/24')
  t.strictSame(await headersOf('www.eve.example', '/a', 'https'), {
    location: 'http://eve.example/a',
    hsts: undefined,
  })
})

t.test('a client cannot choose its address before a trusted proxy', async t => {
  await trust('127.0.0.1', '198.51.100.0/24')
  const chain = 'X-Forwarded-For: 203.0.113.66, 192.0.2.7, 198.51.100.4'
  t.match(await seen(chain), { REMOTE_ADDR: '192.0.2.7' }, 'behind two proxies of the list')
  await trust('127.0.0.1', 'cloudflare')
  const byWorker = 'X-Forwarded-For: 203.0.113.66, 2a06:98c0:3600::103'
  t.match(await seen(byWorker), { REMOTE_ADDR: '2a06:98c0:3600::103' }, 'another customer of a CDN')
  await trust()
  t.match(await seen(chain), http)
})
