import type { Test } from 'tap'
import { accountOf, accountsFor, isClean, newOrder, type Bench, type Order } from './scenarios.ts'

// Customers whose e-mail address is another one by now: their orders go on, and their accounts
// get the address.

/** Every operation after a change of address, of an order that has perhaps no domain either. */
export async function followsTheClient(
  t: Test,
  { panel, php }: Bench,
  order: Order,
  passwords = {},
): Promise<void> {
  const { service } = order
  const made = await php.run('create', order)
  t.match(made.value, { ok: true }, 'create')
  const { username } = made.value
  const steps: [operation: string, values: object][] = [
    ['suspend', { reason: null }],
    ['unsuspend', {}],
    ['changePackage', { package: 'bigger' }],
    ['setPassword', { password: 'another password', ...passwords }],
    ['signOn', {}],
  ]
  for (const [number, [operation, values]] of steps.entries()) {
    const email = `new${number}.${service}@example.com`
    await php.run('changeEmail', { service, email, isMissed: true })
    const outcome = await php.run(operation, { service, ...values })
    t.match(outcome.value, { ok: true }, operation)
    isClean(t, outcome, [email])
    t.match(await accountOf(panel, username), { email }, `${operation} takes the address along`)
    const again = await php.run(operation, { service, ...values })
    t.match(again.value, { ok: true }, `${operation} again`)
  }
  await php.run('changeEmail', { service, email: `x${service}@example.com`, isMissed: true })
  t.match((await php.run('terminate', { service })).value, { ok: true })
  t.equal(await accountOf(panel, username), undefined)
}

/** A customer who takes over an address that another one had: that opens none of their accounts. */
export async function opensNoFormerAccounts(
  t: Test,
  { panel, php }: Bench,
  /** Makes the second order name the account of the first, as far as the system lets anybody. */
  steal: (thief: Order, username: string, of: Order) => Promise<unknown>,
): Promise<void> {
  const victim = newOrder()
  const { username } = (await php.run('create', victim)).value
  await php.run('changeEmail', {
    service: victim.service,
    email: `moved${victim.service}@example.com`,
    isMissed: true,
  })
  const thief = { ...newOrder(), email: victim.email }
  t.match((await php.run('create', thief)).value, { ok: true })
  await steal(thief, username, victim)
  const { service } = thief
  for (const operation of ['suspend', 'unsuspend', 'changePackage', 'signOn']) {
    const values = { service, package: 'bigger', reason: null }
    t.match((await php.run(operation, values)).value, { ok: false }, operation)
  }
  // Where it ends anything, then the thief's own account.
  const left = (await php.run('terminate', { service })).value.ok ? 0 : 1
  t.match(await accountOf(panel, username), { state: 'active', package: 'starter' })
  t.match((await php.run('suspend', { service: victim.service, reason: null })).value, {
    ok: true,
  })
  t.match(await accountOf(panel, username), { email: /^moved/, state: 'suspended' })
  t.equal((await accountsFor(panel, thief)).length, left)
}
