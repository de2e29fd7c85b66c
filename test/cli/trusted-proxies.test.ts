import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { pause, resume } from '../../src/model/jobs/paused-tasks.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// Root lists, adds, replaces and removes the proxies that websites trust.

const panel = await openPanel(t)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const call = (...words: string[]) => callPanel(['web', 'trusted-proxies', ...words], environment)
const listed = async () => (await call('ls', '--json')).json().trusted_proxies
const configuration = () => readFileSync(join(panel.root, 'etc/nginx/conf.d/panel.conf'), 'utf8')

t.test('no proxy is trusted until one is added', async t => {
  t.strictSame(await listed(), [])
  t.notMatch(configuration(), 'set_real_ip_from')
})

t.test('entries are added once, in one spelling, and removed', async t => {
  const added = await call('add', '2001:DB8:5::/64', '192.0.2.1', 'cloudflare', '192.0.2.1/32')
  t.equal(added.code, 0, added.stderr)
  t.match(added.stdout, /^cloudflare +22, as of 2026-10-05$/m)
  t.strictSame(await listed(), ['192.0.2.1/32', '2001:db8:5::/64', 'cloudflare'])
  const text = configuration()
  for (const network of ['192.0.2.1/32', '2001:db8:5::/64', '104.16.0.0/13']) {
    t.match(text, `    set_real_ip_from ${network};\n`)
    t.match(text, `    ${network} 1;\n`)
  }
  t.match(text, 'real_ip_recursive off;', 'customers of a CDN may report any address before theirs')
  t.equal((await call('rm', 'cloudflare')).code, 0)
  t.match(configuration(), 'real_ip_recursive on;')
  t.strictSame(await listed(), ['192.0.2.1/32', '2001:db8:5::/64'])
  t.match(await call('rm', 'cloudflare'), { code: 1, stderr: /cloudflare is not a trusted proxy/ })
  t.equal((await call('set', '198.51.100.0/24')).code, 0)
  t.strictSame(await listed(), ['198.51.100.0/24'])
  const { rows } = await panel.pool.query(
    `select subject from panel.operations where name = 'server/trust-proxies' order by arrival`,
  )
  t.strictSame(rows.at(-1), { subject: '198.51.100.0/24' })
})

t.test('ranges of every client, host bits, names and other text are refused', async t => {
  for (const network of [
    ...['0.0.0.0/0', '::/0', '10.0.0.0/7', '2000::/3', '192.0.2.1/24', '192.0.2.0/33'],
    ...['cdn.example', 'Cloudflare', '192.0.2.0/24;', '192.0.2', '1', '', 'unix:', '::1%lo'],
    ...['192.0.2.0/24 1; include /etc/passwd', '192.0.2.0/24\n', '::ffff:0.0.0.0/96'],
  ]) {
    for (const command of ['add', 'set', 'rm']) {
      const { code, stderr } = await call(command, '203.0.113.0/24', network)
      t.equal(code, 2, `${command} ${network}`)
      t.match(stderr, /NETWORK|network/, network)
    }
  }
  const many = Array.from({ length: 201 }, (_, index) => `10.0.${index}.0/24`)
  t.not((await call('set', ...many)).code, 0)
  t.equal((await call('add', ...many.slice(0, 199))).code, 0)
  t.match(await call('add', '10.1.0.0/24'), { code: 1, stderr: /200 trusted proxies/ })
  t.equal((await call('set', '198.51.100.0/24')).code, 0)
})

t.test('proxies added at the same moment are limited together', async t => {
  const many = (network: number, length: number) =>
    Array.from({ length }, (_, index) => `10.${network}.${index}.0/24`)
  t.equal((await call('add', ...many(0, 198))).code, 0)
  await pause(panel.pool, 'server/trust-proxies')
  const added = [1, 2].map(network => call('add', ...many(network, 1)))
  await until(async () => {
    const { rows } = await panel.pool.query(
      `select from panel.operations
       where name = 'server/trust-proxies' and state in ('queued', 'blocked')`,
    )
    return rows.length === 2
  })
  await resume(panel.pool, 'server/trust-proxies')
  const answers = await Promise.all(added)
  t.strictSame(answers.map(({ code }) => code).sort(), [0, 1])
  const refused = answers.find(({ code }) => code === 1)
  t.match(refused, { stderr: /There may be 200 trusted proxies/ })
  t.equal((await listed()).length, 200)
  t.equal((await call('set', '198.51.100.0/24')).code, 0)
})

t.test('nothing changes when nginx refuses its configuration', async t => {
  const before = configuration()
  const tool = join(panel.root, 'usr/local/sbin/nginx')
  mkdirSync(dirname(tool), { recursive: true })
  const file = join(panel.root, 'etc/nginx/conf.d/panel.conf')
  writeFileSync(tool, `#!/bin/sh\n! grep -q 203.0.113 '${file}'\n`, { mode: 0o755 })
  const { code, stderr } = await call('set', '203.0.113.0/24')
  t.equal(code, 1, stderr)
  t.strictSame(await listed(), ['198.51.100.0/24'])
  t.equal(configuration(), before)
})

t.test('doctor finds, and a rebuild corrects, another list on the machine', async t => {
  const file = join(panel.root, 'var/lib/panel/trusted-proxies.json')
  const before = configuration()
  for (const spoil of [
    () => writeFileSync(file, '["0.0.0.0/0"]'),
    () => writeFileSync(file, '["192.0.2.1/32"]'),
    () => rmSync(file),
  ]) {
    spoil()
    const found = await callPanel(['ctl', 'doctor', '--problems'], environment)
    t.match(found.stdout, /nginx-proxies: nginx trusts .* and not 198\.51\.100\.0\/24/)
    t.match(await callPanel(['ctl', 'rebuild'], environment), { code: 0 })
    t.equal(configuration(), before)
    t.equal(readFileSync(file, 'utf8'), '["198.51.100.0/24"]')
  }
  t.equal((await call('set')).code, 0)
  t.strictSame(await listed(), [])
  t.notMatch(configuration(), 'set_real_ip_from')
})
