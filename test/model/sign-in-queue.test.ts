import t from 'tap'
import { hashPassword } from '../../src/model/signing-in/password-hash.ts'
import { inTurn, type Visitor } from '../../src/model/signing-in/sign-in-queue.ts'

const begun: string[] = []

/** Asks for a turn that ends at once; returns how it went. */
const ask = (address: string, visitor: Visitor = 'unknown') =>
  inTurn(visitor, address, async () => void begun.push(address)).then(
    () => 'checked',
    (error: Error) => error.message,
  )

/** Makes all others wait until it is left. */
async function hold(): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const held = inTurn('known', '192.0.2.1', async () => {
    started.resolve()
    await promise
  })
  await started.promise
  begun.length = 0
  return async () => {
    resolve()
    await held
  }
}

const flood = Array.from({ length: 250 }, (_, number) => `198.18.0.${number}`)
const refused = 'Too many people are signing in; try again shortly'

t.test('a caller from elsewhere comes before a flood, and is not turned away', async t => {
  const leave = await hold()
  const guessing = flood.map(address => ask(address))
  const owner = ask('203.0.113.5')
  const known = ask('198.18.0.9', 'known')
  await leave()
  t.equal(await owner, 'checked')
  t.equal(await known, 'checked')
  const outcomes = await Promise.all(guessing)
  t.equal(outcomes.filter(outcome => outcome === refused).length, 51)
  t.strictSame(begun.slice(0, 3), ['198.18.0.9', '198.18.0.0', '203.0.113.5'])
})

t.test('an address that has failed comes after one of its network that has not', async t => {
  const leave = await hold()
  const asked = ['198.18.0.7', '198.18.0.251'].map(address => ask(address))
  await leave()
  await Promise.all(asked)
  t.strictSame(begun, ['198.18.0.251', '198.18.0.7'])
})

t.test('a right password takes its try back', async t => {
  const hash = await hashPassword('a password')
  for (let times = 0; times < 3; times++) {
    await inTurn('unknown', '192.0.2.3', isPassword => isPassword('a password', hash))
  }
  await inTurn('unknown', '192.0.2.4', isPassword => isPassword('another', hash))
  const leave = await hold()
  const asked = ['192.0.2.4', '192.0.2.3'].map(address => ask(address))
  await leave()
  await Promise.all(asked)
  t.strictSame(begun, ['192.0.2.3', '192.0.2.4'])
})

t.test('addresses of one IPv6 network count as one', async t => {
  await ask('2001:db8:1:1::1')
  const leave = await hold()
  const asked = ['2001:db8:1:1::2', '2001:db8:2:1::1'].map(address => ask(address))
  await leave()
  await Promise.all(asked)
  t.strictSame(begun, ['2001:db8:2:1::1', '2001:db8:1:1::2'])
})
