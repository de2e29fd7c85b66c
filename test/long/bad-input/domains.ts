import type { Test } from 'tap'
import { bob, createAccount, spoilt, type Refusals } from '../../support/api/refusals.ts'

export default async function test(t: Test, { panel, refuse, send }: Refusals): Promise<void> {
  const a63 = 'a'.repeat(63)
  // 63 + 1 + 63 + 1 + 63 + 1 + 53 + 8 characters.
  const d249 = `${a63}.${a63}.${a63}.${'a'.repeat(49)}.example`

  const accepted: [sent: string, served: string][] = [
    ['Shop.Example', 'shop.example'],
    ['WWW.UPPER.EXAMPLE', 'upper.example'],
    ['www.taken-off.example', 'taken-off.example'],
    ['www.www.twice.example', 'www.twice.example'],
    ['www2.example', 'www2.example'],
    ['a.b.c.deep.example', 'a.b.c.deep.example'],
    ['two--hyphens.example', 'two--hyphens.example'],
    ['1.digits.example', '1.digits.example'],
    ['123.example', '123.example'],
    ['example.co.uk', 'example.co.uk'],
    ['xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['names.xn--p1ai', 'names.xn--p1ai'],
    ['münchner-laden.example', 'xn--mnchner-laden-wob.example'],
    ['WWW.LÄDEN.Example', 'xn--lden-loa.example'],
    ['bob.рф', 'bob.xn--p1ai'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['full。stop.example', 'full.stop.example'],
    ['ｆullwidth.example', 'fullwidth.example'],
    // Characters that UTS 46 maps to ASCII letters, or to nothing.
    ['\u212aelvin.example', 'kelvin.example'],
    ['\u017fhop-of-old.example', 'shop-of-old.example'],
    ['so\u00adft.example', 'soft.example'],
    ['example.test', 'example.test'],
    [`${a63}.example`, `${a63}.example`],
    [d249, d249],
  ]

  t.test(
    'a domain is served in its ASCII form, lower-cased, and www. is taken off and served along',
    async t => {
      for (const [index, [domain, served]] of accepted.entries()) {
        const body = { ...bob, username: `domain${index}`, domain }
        const created = await send({ ...createAccount, body })
        t.equal(created.status, 201, domain)
        t.strictSame([created.body.domain, created.body.sites[0].domain], [served, served], domain)
        const { rows } = await panel.pool.query(
          `select n.name from panel.site_names n join panel.sites s on s.id = n.site_id
       where s.domain = $1 order by n.name = s.domain desc`,
          [served],
        )
        t.strictSame(rows, [{ name: served }, { name: `www.${served}` }], domain)
      }
    },
  )

  const labels = ['-a.example', 'a-.example', 'a.-b.example', 'a.b-', 'a..example', '.a.example']
  const oneLabel = ['localhost', 'com', 'example', 'www.com', 'www', 'xn--p1ai', 'münchen', 'рф']
  const suffixes = [
    'co.uk',
    'CO.UK',
    'www.co.uk',
    'com.au',
    'github.io',
    'anything.ck',
    'blogspot.com',
  ]
  const dotted = ['bob.example.', 'www.bob.example.', 'ü.example。', 'ü.example.', '.']
  const addresses = [
    '127.0.0.1',
    '192.168.1.1',
    'www.192.168.1.1',
    '127.1',
    '::1',
    '[::1]',
    '2001:db8::1',
    '::ffff:127.0.0.1',
    'a.1',
    // Numbers to programs that resolve host names (WHATWG URL, "ends in a number").
    '0x7f.0x0.0x0.0x1',
    '127.0.0.0x1',
  ]
  const written = [
    'http://bob.example',
    'https://bob.example/',
    '//bob.example',
    'bob.example/',
    'bob.example/path',
    'bob.example?x',
    'bob.example#x',
    'bob.example:80',
    'bob.example:',
    'user@bob.example',
    '*.bob.example',
    'bob_site.example',
    '_dmarc.bob.example',
    'bob .example',
    'bob.example other.example',
    'bob.example,other.example',
  ]
  const unicode = [
    'ü%41.example',
    'ü@bob.example',
    'ü:80',
    'ü.example/',
    '１２７.0.0.1',
    '\u200dü.example',
    '-ü.example\u0000',
    'com.\uff0e',
    'ü.local',
  ]
  const broken = ['xn--a.example', 'shop.xn--zz-.example', 'xn--.example', 'XN--ABC.example']
  const special = ['localhost', 'local', 'arpa', 'onion', 'internal'].flatMap(name => [
    `shop.${name}`,
    `www.Shop.${name.toUpperCase()}`,
  ])
  const long = [`${'a'.repeat(64)}.example`, `a${d249}`, `${d249}.example`, `www.a${d249}`]

  const noDomain = (domain: string) => spoilt('domain', domain)

  t.test('an invalid domain of a website is 400', async t => {
    const domains = [...labels, 'WWW.', ...suffixes, ...addresses, ...written]
    await refuse(t, ...domains.map(noDomain))
    const alone = /^domain must have at least two labels, such as example.com$/
    await refuse(t, ...oneLabel.map(domain => spoilt('domain', domain, alone)))
    const dot = /^domain must not end with a dot$/
    await refuse(t, ...dotted.map(domain => spoilt('domain', domain, dot)))
  })

  t.test('a name without an ASCII form, or without that of a host name, is 400', async t => {
    await refuse(t, ...[...unicode, ...broken].map(noDomain))
  })

  t.test('a special-use name that no visitor can reach is 400', async t => {
    await refuse(t, ...special.map(domain => spoilt('domain', domain, /special-use/)))
  })

  t.test('a label over 63 or a name that has no room for www. is 400', async t => {
    await refuse(t, ...long.map(noDomain))
  })

  t.test('a name that another account has is 400, with www. and without, in any case', async t => {
    const names = ['alice.example', 'www.alice.example', 'ALICE.example', 'WWW.Alice.Example']
    const error = /^domain:? alice\.example is taken$/
    await refuse(t, ...names.map(domain => spoilt('domain', domain, error)))
  })

  t.test('a domain on a package without websites is 400', async t => {
    await send({ method: 'PUT', path: '/api/v1/packages/mail-only', body: { max_sites: 0 } })
    const sent = { ...createAccount, body: { ...bob, package: 'mail-only' } }
    await refuse(t, ['mail-only', sent, { status: 400, error: /^domain\b.*mail-only/ }])
  })
}
