import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { callPanel } from '../../support/cli/run-panel.ts'
import { ask } from '../raw.ts'
import { openWebsites } from '../served.ts'

// PHP gets the client's address and scheme from trusted proxies, and from no one else.

const { panel, make } = await openWebsites(t)
const names = 'REMOTE_ADDR HTTPS REQUEST_SCHEME'
await make({
  'server.php': `<?php echo json_encode(array_intersect_key($_SERVER,
    array_flip(explode(' ', '${names}'))));`,
})
const words = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const trust = async (...networks: string[]) => {
  const { code, stderr } = await callPanel(['web', 'trusted-proxies', 'set', ...networks], words)
  if (code !== 0) throw new Error(stderr)
  // Former workers accept connections until new ones do.
  await sleep(1_000)
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
