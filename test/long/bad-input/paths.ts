import type { Test } from 'tap'
import {
  putPackage,
  starter,
  suspend,
  unsuspend,
  type Refusal,
  type Refusals,
  type Refused,
  type Sent,
} from '../../support/api/refusals.ts'

export default async function test(t: Test, { refuse, send }: Refusals): Promise<void> {
  const put = { ...putPackage, body: starter }
  const getAccount = { method: 'GET', path: '/api/v1/accounts/alice' }
  const getPackage = { method: 'GET', path: '/api/v1/packages/starter' }
  const onAccounts: Sent[] = [getAccount, suspend, unsuspend]

  /** The call with another name in its path, not encoded. */
  const named = (sent: Sent, name: string, refusal: Refusal): Refused => [
    `${sent.method} ${sent.path} for ${name.slice(0, 60)}`,
    { ...sent, path: sent.path.replace(/alice|starter/, () => name) },
    // Reads have no record.
    { isRecorded: sent.method !== 'GET', ...refusal },
  ]

  const broken = ['%', '%2', 'a%', '%zz', '%u0041', '%ff', '%c3%28', '%c0%af', '%ed%a0%80', '%2%30']
  const isBroken = { status: 400, error: /percent-encoding/ }

  t.test('a broken percent-encoding is 400', async t => {
    await refuse(
      t,
      ...broken.map((name, at) => named([getAccount, getPackage][at % 2]!, name, isBroken)),
    )
  })

  t.test('a broken percent-encoding is 400 for what writes, and for its repeat', async t => {
    await refuse(
      t,
      ...broken.map((name, at) => named([put, suspend, unsuspend][at % 3]!, name, isBroken)),
    )
  })

  // Not encoded; none of them is a valid name.
  const noNames = [
    'a%00b',
    'alice%0A',
    'a%2Fb',
    '%1b%5b2J',
    '%00',
    '..%2F..%2Fetc%2Fpasswd',
    '..',
    '%2e%2e',
    '.',
    '%0Astarter',
    'a%0D%0AX-Y:z',
    'a%09b',
    '%20alice',
    'starter%20',
    'a%5Cb',
    'a%3Fb',
    'a%23b',
    'a%7F',
    '%C2%85',
    '%E2%80%A8',
    '%EF%BB%BFalice',
    '%F0%9F%94%92',
    'alice;x=y',
    'a+b',
    'a:b',
    'a*',
    '*',
    "'%20or%201=1%20--",
    '%27;drop%20table%20panel.accounts;--',
    '$(reboot)',
    '%60reboot%60',
    '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
    '%7B%7B7*7%7D%7D',
    '-rf',
    '--help',
    '_',
    '__proto__',
    'x'.repeat(65),
    'x'.repeat(5_000),
  ]

  t.test('an invalid name is an unknown account or package: 404', async t => {
    const refusal = { status: 404, error: /^Unknown (account|package)\b/ }
    const calls = [...onAccounts, getPackage]
    for (const [index, name] of noNames.entries()) {
      // The first few for all calls, the others for one call each.
      const some = index < 4 ? calls : [calls[index % 4]!]
      await refuse(t, ...some.map(sent => named(sent, name, refusal)))
    }
  })

  t.test('a package cannot be made under what is no name: 400', async t => {
    const refusal = { status: 400, error: /\bname\b/ }
    const withDashes = [...noNames, 'a-', '.a', 'a.', '_a', 'a_']
    await refuse(t, ...withDashes.map(name => named(put, name, refusal)))
  })

  t.test('an account is known by its name to the letter', async t => {
    const refusal = { status: 404, error: /^Unknown account\b/ }
    for (const name of ['ALICE', '%41lice', 'alic', 'alicee', 'bob', 'toString', '0']) {
      await refuse(t, ...onAccounts.map(sent => named(sent, name, refusal)))
    }
  })

  const names = ['a', '7', 'x'.repeat(64), 'My Package 1.5_GB-x', 'a..b', 'constructor', 'null']

  t.test('a name of letters, digits and what may stand between them is one', async t => {
    for (const name of names) {
      const made = await send({ ...put, path: `/api/v1/packages/${encodeURIComponent(name)}` })
      t.equal(made.status, 201, name)
      t.equal(made.body.name, name)
    }
  })

  t.test('a name may be percent-encoded without need', async t => {
    t.equal(
      (await send({ method: 'GET', path: '/api/v1/accounts/%61lice' })).body.username,
      'alice',
    )
  })
}
