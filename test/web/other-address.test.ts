import t from 'tap'
import { otherAddress } from '../../src/web/other-address.ts'

// Before its name leads to the server, people open a new panel by its address. They can't sign in
// there, which the page says before a password is typed.

const base = 'https://panel.example.com:8443'
const own = async () => ['192.0.2.7', '2001:db8::7']
const at = (hostsLine: string | undefined) => ({ origin: base, hostsLine })

for (const [host, found] of [
  ['panel.example.com:8443', undefined],
  ['PANEL.example.com:8443', undefined],
  [undefined, undefined],
  ['', undefined],
  ['a b', undefined],
  ['<script>', undefined],
  ['192.0.2.9:8443', at('192.0.2.9 panel.example.com')],
  ['[2001:db8::9]:8443', at('2001:db8::9 panel.example.com')],
  ['127.0.0.1:8443', at('127.0.0.1 panel.example.com')],
  ['localhost:8443', at('192.0.2.7 panel.example.com')],
  ['www.example.com:8443', at('192.0.2.7 panel.example.com')],
  ['panel.example.com', at('192.0.2.7 panel.example.com')],
  ['panel.example.com:9443', at('192.0.2.7 panel.example.com')],
] as const) {
  t.test(`opened as ${host}`, async t => {
    t.strictSame(await otherAddress({ headers: { host } }, base, own), found)
  })
}

t.test('a panel whose own address is no name needs no hosts file', async t => {
  const found = await otherAddress(
    { headers: { host: 'localhost:8080' } },
    'http://127.0.0.1:8080',
    own,
  )
  t.strictSame(found, { origin: 'http://127.0.0.1:8080', hostsLine: undefined })
})

t.test('a server of unknown addresses shows the address alone', async t => {
  const found = await otherAddress({ headers: { host: 'x.example' } }, base, async () => [])
  t.strictSame(found, at(undefined))
})
