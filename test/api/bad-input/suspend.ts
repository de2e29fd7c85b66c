import type { Test } from 'tap'
import {
  shown,
  suspend,
  unsuspend,
  type Refusals,
  type Refused,
} from '../../support/api/refusals.ts'

export default async function test(t: Test, { refuse, send }: Refusals): Promise<void> {
  const refusing = (reason: unknown, error: RegExp): Refused => [
    shown(reason),
    { ...suspend, body: { reason } },
    { status: 400, error },
  ]

  t.test('a reason that is not a text is 400', async t => {
    const reasons: unknown[] = [true, false, 0, 5, [], ['unpaid'], {}, { toString: 'unpaid' }]
    await refuse(t, ...reasons.map(reason => refusing(reason, /^reason must be a string$/)))
  })

  const unprintable = ['\0', '\x01', '\x1b[2J', '\x7f', '\ud800', '\udfff']

  t.test('a reason is one line that can be printed', async t => {
    const error = /^reason must not contain control or invisible characters$/
    for (const text of unprintable) {
      const reasons = [text, `${text}unpaid`, `un${text}paid`, `unpaid${text}`]
      await refuse(t, ...reasons.map(reason => refusing(reason, error)))
    }
  })

  t.test('a reason over 500 characters is 400', async t => {
    const error = /^reason must have at most 500/
    await refuse(t, refusing('x'.repeat(501), error), refusing('x'.repeat(60_000), error))
  })

  t.test('unsuspend takes no field at all', async t => {
    for (const body of [{ reason: 'paid' }, { reason: null }, { username: 'alice' }]) {
      const refusal = { status: 400, error: /Unknown field: (reason|username)/ }
      await refuse(t, [shown(body), { ...unsuspend, body }, refusal])
    }
  })

  t.test('an account that does not exist is 404, also for a repeat', async t => {
    for (const target of [suspend, unsuspend]) {
      for (const username of ['missing-here', 'bob', 'alicia']) {
        const path = target.path.replace('alice', username)
        const refusal = { status: 404, error: new RegExp(`^Unknown account: ${username}$`) }
        await refuse(t, [path, { ...target, path }, refusal])
      }
    }
  })

  const texts = [
    'x'.repeat(500),
    `'; drop table panel.accounts; --`,
    '$(reboot) `reboot` | sh; ${7*7} {{7*7}} %s%n',
    '; } server { listen 81; } #',
    '<script>alert(1)</script>',
    'säumig 未払い 🔒',
  ]

  t.test('a reason is kept as it was sent, whatever a program might read in it', async t => {
    for (const reason of texts) {
      const suspended = await send({ ...suspend, body: { reason } })
      t.equal(suspended.status, 200, shown(reason))
      t.equal(suspended.body.suspend_reason, reason, shown(reason))
      t.equal((await send(unsuspend)).status, 200, shown(reason))
    }
  })
}
