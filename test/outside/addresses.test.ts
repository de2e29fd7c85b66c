import t from 'tap'
import { openAddressPolicy } from '../../src/outside/addresses.ts'
import { openOutside, type OutsideOptions } from '../../src/outside/post.ts'
import { receiverFor } from '../support/receiver.ts'

// The addresses that a webhook may reach.

const unknown = () => new Set<string>()

t.test('public addresses pass', async t => {
  const decide = openAddressPolicy([], unknown)
  const open = [
    ...['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
    ...['128.0.0.0', '169.253.255.255', '172.15.255.255', '172.32.0.0', '192.167.255.255'],
    ...['198.17.255.255', '198.20.0.0', '223.255.255.255'],
    ...['2000::', '2606:4700::1111', '2a00:1450::', '2c0f:ffff::1', '3ffe:ffff::', '3ffe::1'],
    // The network makes public IPv4 addresses of these.
    ...['::ffff:1.1.1.1', '::ffff:0:1.1.1.1', '64:ff9b::1.1.1.1'],
  ]
  for (const address of open) t.equal(decide(address), undefined, address)
})

const closed = {
  'not a public address': [
    // IPv4 (IANA's registry): this network, private, shared, loopback, protocols, documentation,
    // anycast, benchmarks, multicast, reserved, broadcast.
    ...['0.0.0.0', '0.1.2.3', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
    ...['127.0.0.1', '127.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0'],
    ...['192.168.255.255', '192.0.0.8', '192.0.2.1', '192.88.99.1', '198.18.0.0'],
    ...['198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255'],
    ...['240.0.0.1', '255.255.255.255', '192.31.196.1', '192.52.193.1', '192.175.48.1'],
    // IPv6 outside 2000::/3.
    ...['::', '::1', 'fc00::', 'fdff::1', 'fec0::1', 'ff02::1', 'ff0e::1', '100::1', '5f00::1'],
    ...['4000::1', '1fff::1', '64:ff9b:1::1', '::1.1.1.1', '::ffff:0:0:1'],
    // IPv6 within it that is special: Teredo, benchmarks, AMT, ORCHID, documentation, 6to4.
    ...['2001::1', '2001:2::1', '2001:3::1', '2001:10::1', '2001:20::1', '2001:1ff::1'],
    ...['2001:db8::1', '3fff::1', '2002:101:101::1', '2620:4f:8000::1'],
    // Forms of private IPv4: mapped, translated, by NAT64.
    ...['::ffff:10.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:0:192.168.0.1'],
    ...['64:ff9b::10.0.0.1', '64:ff9b::7f00:1'],
  ],
  'a link-local or cloud metadata address': [
    ...['169.254.0.1', '169.254.169.254', '169.254.255.255', 'fe80::1', 'febf::1', 'fe80::1%lo'],
    ...['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd00:ec2::23'],
    ...['fd20:ce::254', 'fd00:42::42'],
    // Every form that may lead there.
    ...['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '::ffff:0:a9fe:a9fe', '64:ff9b::a9fe:a9fe'],
    ...['64:ff9b:1::a9fe:a9fe', '64:ff9b:1:a9fe:a9:fe00::', '2002:a9fe:a9fe::1', '::a9fe:a9fe'],
    ...['2001:0:a9fe:a9fe::1', '2001::5601:5601'],
  ],
}

for (const [reason, addresses] of Object.entries(closed)) {
  t.test(`refused, being ${reason}`, async t => {
    const decide = openAddressPolicy([], unknown)
    for (const address of addresses) t.equal(decide(address), `${address} is ${reason}`)
  })
}

t.test('ranges can be opened, and only those are', async t => {
  const decide = openAddressPolicy(['10.1.0.0/16', '127.0.0.1/32', 'fd00:1::/32'], unknown)
  for (const address of [
    ...['10.1.0.0', '10.1.255.255', '127.0.0.1', 'fd00:1::1'],
    ...['::ffff:10.1.2.3', '64:ff9b::10.1.2.3', '::ffff:0:10.1.2.3'],
  ]) {
    t.equal(decide(address), undefined, address)
  }
  for (const address of [
    ...['10.0.255.255', '10.2.0.0', '127.0.0.2', 'fd00:2::1', '::ffff:10.2.0.0', '2002:a01::1'],
  ]) {
    t.match(decide(address), /not a public address/, address)
  }
})

t.test('the link and the clouds’ own addresses cannot be opened', async t => {
  const decide = openAddressPolicy(['0.0.0.0/0', '::/0'], unknown)
  for (const address of closed['a link-local or cloud metadata address']) {
    t.match(decide(address), /metadata/)
  }
  for (const address of ['10.0.0.1', '127.0.0.1', '::1', 'fc00::1', '2002:a00:1::1']) {
    t.equal(decide(address), undefined, address)
  }
})

t.test('the panel’s own addresses count as private', async t => {
  const own = () => new Set(['1.1.1.1', '2606:4700::1'])
  const decide = openAddressPolicy([], own)
  for (const address of ['1.1.1.1', '::ffff:1.1.1.1', '64:ff9b::1.1.1.1', '2606:4700::1']) {
    t.equal(decide(address), `${address} is this server’s own address`)
  }
  t.equal(decide('1.1.1.2'), undefined)
  t.equal(openAddressPolicy(['1.1.1.1/32'], own)('1.1.1.1'), undefined)
  t.match(openAddressPolicy([])('127.0.0.1'), /this server’s own/, 'the machine lists them')
})

const post = (options: OutsideOptions, url: string) =>
  openOutside({ ...options, limits: { totalMs: 2_000 } }).post(
    { url, headers: [], body: Buffer.from('{}') },
    new AbortController().signal,
  )

t.test('an address is checked in every spelling of a URL', async t => {
  const receiver = await receiverFor(t)
  const port = new URL(receiver.url).port
  const spellings = [
    ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1'],
    ...[
      '017700000001',
      '127.0.0.1.',
      '①②⑦.0.0.1',
      '127。0。0。1',
      '%31%32%37.0.0.1',
      '127.000.000.001',
    ],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:127.0.0.1]', '[::1]', '[0::1]'],
    ...['0', '0.0.0.0', '[::]', '[64:ff9b::127.0.0.1]', '[::127.0.0.1]', 'localhost'],
  ]
  for (const host of spellings) {
    const outcome = await post({ allowed: [] }, `http://${host}:${port}/`)
    t.match(outcome, { status: null, error: /^Refused to connect: /, isTimeout: false }, host)
  }
  t.equal(receiver.received.length, 0)
  for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost']) {
    const allowed = ['127.0.0.0/8', '::1/128']
    t.match(await post({ allowed }, `http://${host}:${port}/`), { status: 204 }, host)
  }
})

t.test('a name that changes its address gains nothing', async t => {
  const inside = await receiverFor(t)
  const port = new URL(inside.url).port
  const answers: string[] = []
  const options = {
    // Stands for a public address; the inside one is the receiver on 127.0.0.1.
    allowed: ['127.0.0.2/32'],
    resolve: async () => [{ address: answers.shift()!, family: 4 }],
  }
  answers.push('127.0.0.2', '127.0.0.1')
  const url = `http://rebinding.example:${port}/`
  t.match(await post(options, url), { status: null, error: /ECONNREFUSED/ }, 'goes where it was')
  t.equal(answers.length, 1, 'one look-up for one connection')
  t.match(await post(options, url), {
    error: 'Refused to connect: rebinding.example: 127.0.0.1 is this server’s own address',
  })
  t.equal(inside.received.length, 0)
})

t.test('every address of a name has to pass', async t => {
  const inside = await receiverFor(t)
  const port = new URL(inside.url).port
  const resolve = async () => [
    { address: '127.0.0.2', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ]
  const outcome = await post({ allowed: ['127.0.0.2/32'], resolve }, `http://two.example:${port}/`)
  t.match(outcome, { error: /^Refused to connect: two\.example: 127\.0\.0\.1/ })
  t.equal(inside.received.length, 0)
})

t.test('a dead name keeps one look-up busy, however many ask', async t => {
  let asked = 0
  const outside = openOutside({
    allowed: ['127.0.0.0/8'],
    resolve: () => {
      asked += 1
      return new Promise(() => undefined)
    },
    limits: { totalMs: 300, connectMs: 200 },
  })
  const request = { url: 'http://dead.example/', headers: [], body: Buffer.alloc(0) }
  const { signal } = new AbortController()
  await Promise.all(Array.from({ length: 20 }, () => outside.post(request, signal)))
  t.equal(asked, 1)
})
