import { once } from 'node:events'
import { createServer, get as httpGet, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import t, { type Test } from 'tap'
import { addressBehind } from '../../src/http/caller-address.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { openPanel } from '../support/panel.ts'
import { get, openChannel, type Channel, type Headers } from '../support/http/channels.ts'

// The address of a caller, as tokens that are limited to addresses see it.

const panel = await openPanel(t, { hasWorker: false })
const { id, token } = await createToken(panel.pool, { owner: 'admin', name: 'limited' })

const trusted = ['127.0.0.0/8', '192.0.2.0/24', '2001:db8:1::/48']
const hasIpv6 = Object.values(networkInterfaces()).some(addresses =>
  addresses?.some(({ address }) => address === '::1'),
)
// Where it listens on `::`, callers over IPv4 have IPv4-mapped IPv6 addresses.
const open = await openChannel(t, panel, { host: hasIpv6 ? '::' : '127.0.0.1' })
const v4 = { ...open, host: '127.0.0.1' }
const v6 = { ...open, host: '::1' }
const behind = await openChannel(t, panel, { host: '127.0.0.1', trusted })
const socket = await openChannel(t, panel, { trusted: ['192.0.2.0/24'] })

const allow = (ranges: string[]) =>
  panel.pool.query('update panel.tokens set allowed = $2 where id = $1', [id, ranges])

/** Asserts that a call comes from this address and no other, or from an unknown one. */
async function comesFrom(t: Test, channel: Channel, headers: Headers, address?: string) {
  await allow(address === undefined ? ['0.0.0.0/0', '::/0'] : [address])
  const status = await get(channel, token, headers)
  t.equal(status, address === undefined ? 403 : 200, `${JSON.stringify(headers)} ${address}`)
}
const forwarded = (...lines: string[]): Headers => ({ 'X-Forwarded-For': lines })

const read: [address: string, ...headers: string[]][] = [
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8::5', '2001:DB8:0:0::0005'],
  // The caller's own entries are left of those that the nearest proxy has added.
  ['203.0.113.9', '198.51.100.1, 203.0.113.9'],
  ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['203.0.113.9', 'unknown, 0.0.0.0/0,, 203.0.113.9'],
  ['203.0.113.9', '192.0.2.1, 203.0.113.9'],
  // Several proxies in a row, each trusted.
  ['203.0.113.9', '203.0.113.9, 192.0.2.7'],
  ['203.0.113.9', '198.51.100.1,203.0.113.9 ,\t192.0.2.7', ' 192.0.2.8 '],
  ['2001:db8:2::1', '2001:db8:2::1, 2001:db8:1:ffff::9, 192.0.2.7'],
  // IPv4 in IPv6 counts as IPv4, for callers and for proxies.
  ['203.0.113.9', '::ffff:203.0.113.9'],
  ['203.0.113.9', '0:0:0:0:0:FFFF:cb00:7109'],
  ['203.0.113.9', '203.0.113.9, ::ffff:192.0.2.7'],
  // If all entries are trusted, the first one is the caller.
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.8', '192.0.2.8, 192.0.2.7'],
]

const unreadable = [
  ...['', ' ', ',', 'unknown', '_hidden', 'localhost', '-', 'null', '*', '%'],
  ...['203.0.113', '203.0.113.999', '0203.0.113.9', '0xcb.0.113.9', '3405803785', '203.0.113.9.'],
  ...['203.0.113.9:80', '[2001:db8::5]', '2001:db8:::5', 'fe80::1%eth0', '::ffff:203.0.113.999'],
  ...['203.0.113.9/32', '203.0.113.0/24', '0.0.0.0/0', '::/0', '203.0.113.9, 203.0.113.9/32'],
  ...['"203.0.113.9"', 'for=203.0.113.9', '203.0.113.9;', '203.0.113.9 203.0.113.9'],
  ...[`127.0.0.1' or 1=1 --`, '{203.0.113.9}', '\u00b9', 'x'.repeat(8_000)],
  ...['203.0.113.9,', '203.0.113.9, unknown', '203.0.113.9, unknown, 192.0.2.7'],
]

t.test('behind a trusted proxy it is the nearest hop that is none', async t => {
  for (const [address, ...lines] of read) {
    await comesFrom(t, behind, forwarded(...lines), address)
  }
  await comesFrom(t, behind, {}, '127.0.0.1')
})

t.test('a header that cannot be read leads nowhere, and is within no limit', async t => {
  for (const line of unreadable) {
    await comesFrom(t, behind, forwarded(line))
    await comesFrom(t, socket, forwarded(line))
  }
  await comesFrom(t, behind, forwarded('203.0.113.9', ''))
  await allow(['127.0.0.1'])
  t.equal(await get(behind, token, forwarded('unknown')), 403, 'not the proxy itself either')
})

t.test('on the Unix socket the panel’s own nginx is believed', async t => {
  const lines = read.filter(([, ...headers]) => !headers.join().includes('2001:db8:1:'))
  for (const [address, ...headers] of lines) {
    await comesFrom(t, socket, forwarded(...headers), address)
  }
  await comesFrom(t, socket, {})
  await comesFrom(t, socket, forwarded('203.0.113.9, 127.0.0.1'), '127.0.0.1')
})

t.test('from everybody else no header counts', async t => {
  for (const [, ...lines] of read) await comesFrom(t, v4, forwarded(...lines), '127.0.0.1')
  for (const line of unreadable) {
    await comesFrom(t, hasIpv6 ? v6 : v4, forwarded(line), hasIpv6 ? '::1' : '127.0.0.1')
  }
  const others = ['X-Real-IP', 'Forwarded', 'X-Client-IP', 'True-Client-IP', 'CF-Connecting-IP']
  for (const name of others) {
    const value = name === 'Forwarded' ? 'for=203.0.113.9' : '203.0.113.9'
    await comesFrom(t, v4, { [name]: value }, '127.0.0.1')
    await comesFrom(t, behind, { [name]: value }, '127.0.0.1')
    await comesFrom(t, socket, { [name]: value })
  }
})

t.test('a token’s ranges end where they say', async t => {
  const ranges: [range: string, inside: string[], outside: string[]][] = [
    ['203.0.113.16/28', ['203.0.113.16', '::ffff:203.0.113.31'], ['203.0.113.15', '203.0.113.32']],
    ['2001:db8:8000::/33', ['2001:db8:8000::', '2001:db8:ffff::1'], ['2001:db8:7fff::', '::1']],
    ['0.0.0.0/0', ['203.0.113.9', '::ffff:203.0.113.9'], ['::203.0.113.9', '2001:db8::1']],
    ['::/0', ['2001:db8::1', '::203.0.113.9'], ['203.0.113.9', '::ffff:203.0.113.9']],
  ]
  for (const [range, inside, outside] of ranges) {
    await allow([range])
    for (const address of inside) {
      t.equal(await get(socket, token, forwarded(address)), 200, `${range} ${address}`)
    }
    for (const address of outside) {
      t.equal(await get(socket, token, forwarded(address)), 403, `${range} ${address}`)
    }
  }
})

t.test('guesses are counted by the caller’s address, which a header does not change', async t => {
  const guess = (channel: Channel, line: string) => get(channel, 'pnl_wrong', forwarded(line))
  const many = (channel: Channel, line: (n: number) => string) =>
    Promise.all(Array.from({ length: 60 }, (_, n) => guess(channel, line(n))))
  await many(behind, n => `198.51.100.${n}, 203.0.113.9`)
  t.equal(await guess(behind, '203.0.113.9'), 429)
  t.equal(await guess(behind, '203.0.113.10'), 401, 'others behind the same proxy are not slowed')
  await many(v4, n => `203.0.113.${n}`)
  t.equal(await guess(v4, '203.0.113.200'), 429)
})

t.test('a caller who has hung up has no address, whatever its headers', async t => {
  const addressOf = addressBehind({ isSocket: false, trusted })
  const server = createServer().listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const call = httpGet({ port, host: '127.0.0.1', headers: forwarded('203.0.113.9') })
  call.on('error', () => undefined)
  const [message] = (await once(server, 'request')) as [IncomingMessage]
  call.destroy()
  await once(message.socket, 'close')
  t.equal(addressOf(message), undefined)
})
