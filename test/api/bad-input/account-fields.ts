import type { Test } from 'tap'
import { bob, createAccount, shown, spoilt, type Refusals } from '../../support/api/refusals.ts'

export default async function test(t: Test, { refuse, send }: Refusals): Promise<void> {
  type Field = keyof typeof bob
  const fields = Object.keys(bob) as Field[]
  const required = fields.filter(field => field !== 'domain')

  t.test('a field that is not a text is 400', async t => {
    for (const field of fields) {
      const kinds: unknown[] = [true, 0, 5, [], {}, [bob[field]], { toString: bob[field] }]
      // A null domain is the same as none.
      const values = field === 'domain' ? kinds : [null, ...kinds]
      await refuse(t, ...values.map(value => spoilt(field, value)))
    }
  })

  t.test('a field that is missing is 400', async t => {
    // JSON has no undefined: the field is left out.
    await refuse(t, ...required.map(field => spoilt(field, undefined)))
    const error = /username .*password .*email .*package /
    await refuse(t, ['every field', { ...createAccount, body: {} }, { status: 400, error }])
  })

  t.test('a field that is empty is 400', async t => {
    for (const field of fields) {
      // An empty domain is the same as none.
      const values = [...(field === 'domain' ? [] : ['']), ' ', '\u00a0', '\u200b']
      await refuse(t, ...values.map(value => spoilt(field, value)))
    }
  })

  const tooLong: [Field, string][] = [
    ['username', 'b'.repeat(33)],
    ['password', 'b'.repeat(129)],
    ['email', `${'b'.repeat(64)}@${'b'.repeat(63)}.${'b'.repeat(63)}.${'b'.repeat(54)}.example`],
    ['package', 'b'.repeat(65)],
    ['domain', `${'b.'.repeat(123)}examples`],
  ]

  t.test('a field that is too long is 400, by one character or by tens of thousands', async t => {
    for (const [field, value] of tooLong) {
      const values = [value, value.repeat(100), 'b'.repeat(60_000)]
      await refuse(t, ...values.map(long => spoilt(field, long)))
    }
  })

  t.test('an overlong domain is refused with one limit named', async t => {
    const error = /^domain must have at most 249 characters$/
    for (const rest of ['examples', 'examples.', `${'b.'.repeat(10)}example`]) {
      await refuse(t, spoilt('domain', `${'b.'.repeat(123)}${rest}`, error))
    }
  })

  // Control characters of ASCII and of Latin-1, and halves of surrogate pairs, which have no UTF-8.
  const unprintable = ['\0', '\t', '\n', '\r', '\x1b', '\x7f', '\x85', '\ud800', '\udfff']

  t.test('a control character or half a surrogate pair is 400 wherever it stands', async t => {
    for (const field of fields) {
      const [start, rest] = [bob[field].slice(0, 3), bob[field].slice(3)]
      const values = unprintable.map((character, index) => {
        const paths = [`${character}${start}${rest}`, `${start}${character}${rest}`]
        return paths[index % 3] ?? `${start}${rest}${character}`
      })
      await refuse(t, ...values.map(value => spoilt(field, value)))
    }
  })

  t.test('an unknown package is 400, and named', async t => {
    const names = ['other', 'Starter', 'STARTER', 'starter-2', 'constructor', 'b'.repeat(64)]
    await refuse(
      t,
      ...names.map(name => spoilt('package', name, new RegExp(`^package\\b.* ${name}$`))),
    )
  })

  t.test('a password is 8 to 128 characters, however many bytes they take', async t => {
    const refused = ['b', 'b'.repeat(7), '🔒'.repeat(7), 'b'.repeat(129), '🔒'.repeat(129)]
    await refuse(t, ...refused.map(password => spoilt('password', password)))
    const accepted = ['b'.repeat(8), 'b'.repeat(128), '🔒'.repeat(8), '🔒'.repeat(128)]
    for (const [index, password] of accepted.entries()) {
      const body = { ...bob, username: `long${index}`, domain: null, password }
      t.equal((await send({ ...createAccount, body })).status, 201, shown(password))
    }
  })
}
