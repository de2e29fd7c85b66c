import t from 'tap'
import { cidr } from '../../src/model/grammar/cidr.ts'
import { database } from '../support/database.ts'

t.test('reads every way to write a range, and writes it in one', async t => {
  const ranges: Record<string, string> = {
    '192.0.2.7': '192.0.2.7/32',
    '192.0.2.0/24': '192.0.2.0/24',
    '0.0.0.0/0': '0.0.0.0/0',
    '255.255.255.255/32': '255.255.255.255/32',
    '2001:DB8::/32': '2001:db8::/32',
    '2001:db8:0:0:1:0:0:1': '2001:db8::1:0:0:1/128',
    '::/0': '::/0',
    '::1': '::1/128',
    '1:2:3:4:5:6:7:8/128': '1:2:3:4:5:6:7:8/128',
    '64:ff9b::192.0.2.0/120': '64:ff9b::c000:200/120',
    // IPv4 in IPv6, in both spellings.
    '::ffff:192.0.2.7': '192.0.2.7/32',
    '::ffff:c000:200/120': '192.0.2.0/24',
    '::FFFF:0:0/96': '0.0.0.0/0',
  }
  const { pool } = await database(t)
  for (const [text, expected] of Object.entries(ranges)) {
    t.equal(cidr.parse(text), expected)
    t.equal(cidr.parse(expected), expected)
    const { rows } = await pool.query('select $1::cidr::text as text', [expected])
    t.strictSame(rows, [{ text: expected }], 'PostgreSQL agrees')
  }
  t.equal(cidr.parse('::192.0.2.7'), '::c000:207/128', 'which is no IPv4')
})

t.test('refuses bits beyond the prefix, and suggests what may have been meant', async t => {
  const wrong: Record<string, string> = {
    '192.0.2.7/24': 'has bits beyond its prefix: write 192.0.2.0/24 or 192.0.2.7/32',
    '2001:db8::1/64': 'has bits beyond its prefix: write 2001:db8::/64 or 2001:db8::1/128',
    '::ffff:192.0.2.7/120': 'has bits beyond its prefix: write 192.0.2.0/24 or 192.0.2.7/32',
    '::192.0.2.7/96': 'has bits beyond its prefix: write ::/96 or ::c000:207/128',
    '::ffff:0:0/95': 'has bits beyond its prefix: write ::fffe:0:0/95 or ::ffff:0:0/128',
  }
  for (const [text, message] of Object.entries(wrong)) {
    t.equal(cidr.safeParse(text).error?.issues[0]?.message, message)
  }
})

t.test('refuses a prefix that is too long, and states how long it may be', async t => {
  const message = (text: string) => cidr.safeParse(text).error?.issues[0]?.message
  t.equal(message('192.0.2.0/33'), 'has a prefix that is longer than 32 bits')
  t.equal(message('2001:db8::/129'), 'has a prefix that is longer than 128 bits')
  t.equal(message('::ffff:192.0.2.7/129'), 'has a prefix that is longer than 128 bits')
})

t.test('refuses what is no range', async t => {
  const none = [
    ...['', ' ', 'localhost', '192.0.2', '192.0.2.256', '192.0.2.07', '0x7f.1', '192.0.2.0/', '/8'],
    ...['192.0.2.0/33', '192.0.2.0/-1', '192.0.2.0/8/8', '192.0.2.0/255.0.0.0', '192.0.2.*'],
    ...['::1/129', '::ffff:192.0.2.7/129', ':::', '1:2:3', 'fe80::1%eth0', '[::1]', '192.0.2.1\n'],
  ]
  for (const text of none) t.equal(cidr.safeParse(text).success, false, JSON.stringify(text))
})
