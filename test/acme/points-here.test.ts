import t from 'tap'
import { canonical, resolve } from '../../src/acme/points-here.ts'
import { nameServer } from '../support/acme/name-server.ts'

const resolver = [
  await nameServer(t, {
    'here.example': ['192.0.2.1'],
    'both.example': ['192.0.2.1', '2001:db8::1'],
    'alias.example': ['CNAME here.example'],
    'elsewhere.example': ['198.51.100.7'],
    'half.example': ['192.0.2.1', '198.51.100.7'],
    'old-aaaa.example': ['192.0.2.1', '2001:db8::dead'],
    'other-alias.example': ['CNAME elsewhere.example'],
    'empty.example': [],
    'broken.example': 'servfail',
  }),
]
const by = { resolver, addresses: ['192.0.2.1', '2001:DB8:0:0:0:0:0:1'] }
const why = async (name: string) => (await resolve(name, by)).why

t.test('a name points here if all of its addresses are this server’s', async t => {
  t.strictSame(await resolve('here.example', by), { addresses: ['192.0.2.1'], why: undefined })
  t.strictSame(await resolve('both.example', by), {
    addresses: ['192.0.2.1', '2001:db8::1'],
    why: undefined,
  })
  t.equal(await why('alias.example'), undefined)
})

t.test('a name with an address of another server does not point here', async t => {
  const another = /points to 198\.51\.100\.7, which is not this server/
  t.match(await why('elsewhere.example'), another)
  t.match(await why('half.example'), another)
  t.match(await why('other-alias.example'), another)
  t.match(await why('old-aaaa.example'), /points to 2001:db8::dead, which is not this server/)
  t.match(await why('empty.example'), /empty\.example has no address/)
  t.match(await why('unknown.example'), /unknown\.example has no address/)
})

t.test('where it cannot be looked up it does not point here either', async t => {
  t.match(await why('broken.example'), /cannot be resolved: ESERVFAIL/)
  const away = { ...by, resolver: ['127.0.0.1:9'] }
  t.match((await resolve('here.example', away)).why, /cannot be resolved: E/)
})

t.test('without addresses given the interfaces’ count, but not loopback', async t => {
  const loopback = [await nameServer(t, { 'loop.example': ['127.0.0.1'] })]
  const looked = await resolve('loop.example', { resolver: loopback, addresses: null })
  t.match(looked.why, /not this server/)
})

t.test('an address has one spelling', async t => {
  t.equal(canonical('2001:DB8:0::1'), '2001:db8::1')
  t.equal(canonical('::ffff:192.0.2.1'), '192.0.2.1')
  t.equal(canonical('192.0.2.1'), '192.0.2.1')
})
