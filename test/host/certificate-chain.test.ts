import { createPrivateKey } from 'node:crypto'
import t from 'tap'
import { validate } from '../../src/host/web/certificate-chain.ts'
import { makeAuthority, makeKeys, toPem, type SignOptions } from '../support/authority.ts'

const authority = await makeAuthority()
const keys = await makeKeys()
const names = ['alice.example', 'www.alice.example']
const by = { key: createPrivateKey(await toPem(keys)), names, now: new Date() }
const sign = (options: Partial<SignOptions> = {}) =>
  authority.sign(keys.publicKey, { names, ...options })

t.test(
  'a certificate for the key, the names and today passes, with nothing else in it',
  async t => {
    const chain = await sign()
    const passed = validate(`hello\n${chain}-----BEGIN PRIVATE KEY-----\n`, by)
    t.equal(passed.issuer, 'Test Authority')
    t.ok(passed.beginsAt < new Date() && passed.expiresAt > new Date())
    t.equal(passed.pem.replaceAll('\n', ''), chain.replaceAll('\n', ''))
    t.match(validate(await sign({ names: [...names].reverse() }), by), { issuer: 'Test Authority' })
  },
)

t.test('an issuer without an organisation is called by its own name', async t => {
  const other = await makeAuthority('CN=Other Authority')
  const chain = await other.sign(keys.publicKey, { names })
  t.equal(validate(chain, by).issuer, 'Other Authority')
})

t.test('an issuer of any name is called by something that an event takes', async t => {
  const called = async (name: string) => {
    const other = await makeAuthority(name)
    return validate(await other.sign(keys.publicKey, { names }), by).issuer
  }
  t.equal(await called(`O=${'x'.repeat(199)}😀`), `${'x'.repeat(199)}\ufffd`)
  t.equal(await called('O=, CN=Other Authority'), 'Other Authority')
})

t.test('an invalid certificate is refused with a reason', async t => {
  const others = await makeKeys()
  const otherAuthority = await makeAuthority()
  const own = (chain: string) => `${chain.split('-----END')[0]}-----END CERTIFICATE-----\n`
  const refused: [RegExp, string][] = [
    [/another key/, await authority.sign(others.publicKey, { names })],
    [/other names: alice\.example$/, await sign({ names: ['alice.example'] })],
    [/other names: .*mallory/, await sign({ names: [...names, 'mallory.example'] })],
    [/other names: \*\.example/, await sign({ names: ['*.example'] })],
    [/other names: $/, await sign({ names: [] })],
    [/expired/, await sign({ fromDay: -90, toDay: -1 })],
    [/not valid until/, await sign({ fromDay: 1 })],
    [/is a CA certificate/, await sign({ isCa: true })],
    [
      /does not contain the certificates of its issuers/,
      own(await sign()) + otherAuthority.certificate,
    ],
    [/does not contain the certificates of its issuers/, own(await sign()) + own(await sign())],
    [/no certificate/, ''],
    [/no certificate/, 'rubbish'],
    [/is not a certificate/, (await sign()).replace(/MII[^\n]{20}/, 'MIIrubbish')],
    [/too long/, 'x'.repeat(70_000)],
    [/too many/, own(await sign()) + `${authority.certificate}\n`.repeat(20)],
  ]
  for (const [why, chain] of refused) t.throws(() => validate(chain, by), why, `${why}`)
})

t.test('a certificate without those above it may be served', async t => {
  const [own] = (await sign()).split(/(?<=-----END CERTIFICATE-----\n)/)
  t.ok(validate(own ?? '', by))
})
