import t from 'tap'
import { forwardsOf } from '../../src/host/mail-hosting/forwards.ts'

t.test('addresses outside of the domains are counted, by way of further aliases too', async t => {
  const away = ['a@x.example', 'b@y.example']
  const aliases = new Map([
    ['in@alice.example', ['box@alice.example']],
    ['out@alice.example', away],
    ['both@alice.example', ['out@alice.example', 'a@x.example', 'c@z.example']],
    ['box@alice.example', ['box@alice.example', 'd@x.example']],
    ['first@alice.example', ['second@alice.example']],
    ['second@alice.example', ['first@alice.example', 'e@x.example']],
    ['plain@alice.example', ['plain@alice.example']],
    ['@alice.example', ['all@elsewhere.example']],
  ])
  t.strictSame(Object.fromEntries(forwardsOf(['alice.example', 'more.example'], aliases)), {
    'in@alice.example': 1,
    'out@alice.example': 2,
    'both@alice.example': 3,
    'box@alice.example': 1,
    'first@alice.example': 1,
    'second@alice.example': 1,
    'plain@alice.example': 0,
    '@alice.example': 1,
  })
})

t.test('an alias to an address that only the one for unknown ones has counts that', async t => {
  const aliases = new Map([
    ['sales@alice.example', ['unknown@alice.example']],
    ['@alice.example', ['all@elsewhere.example']],
  ])
  t.strictSame(forwardsOf(['alice.example'], aliases), [
    ['sales@alice.example', 1],
    ['@alice.example', 1],
  ])
})
