import type { Test } from 'tap'
import {
  bob,
  createAccount,
  putPackage,
  shown,
  starter,
  suspend,
  unsuspend,
  type Refusals,
  type Refused,
  type Sent,
} from '../../support/api/refusals.ts'

export default async function test(t: Test, { refuse }: Refusals): Promise<void> {
  const calls = [
    [
      putPackage,
      starter,
      ['Max_Sites', 'max_site', 'id', 'seller_id', 'created_at', 'price', 'package', 'domain'],
    ],
    [
      createAccount,
      bob,
      ['Username', 'user', 'uid', 'state', 'desired', 'seller_id', 'password_hash', 'role', 'sftp'],
    ],
    [suspend, { reason: 'unpaid' }, ['Reason', 'username', 'suspended_by', 'desired']],
    [unsuspend, {}, ['reason', 'username', 'force']],
  ] as const

  // Names that every object of JavaScript has, or that change it when set.
  const inherited = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__defineGetter__',
  ]

  // As JSON text: `__proto__` of an object literal would not be a field.
  const withField = (body: object, field: string, value: string) =>
    JSON.stringify(body).replace(
      /}$/,
      () => `${Object.keys(body).length > 0 ? ',' : ''}${JSON.stringify(field)}:${value}}`,
    )

  const unknown = (
    target: Sent,
    body: object,
    field: string,
    error: string,
    value = '{"a":1}',
  ): Refused => [
    `${target.path} ${shown(field)}`,
    { ...target, body: withField(body, field, value) },
    { status: 400, error: new RegExp(error) },
  ]

  t.test('a field that a call does not know is 400, and named', async t => {
    for (const [target, body, fields] of calls) {
      const names = [...fields, ...inherited]
      await refuse(t, ...names.map(name => unknown(target, body, name, `Unknown field.*${name}`)))
    }
  })

  t.test('a field without meaning is refused even where its value is null', async t => {
    await refuse(t, ...calls.map(([target, body]) => unknown(target, body, 'x', 'x', 'null')))
  })

  const strangeNames = [
    ...['', ' ', 'x\r\nSet-Cookie: a=b', '\0', '\u2028', '\u202ex', '\ud800', '🔒'],
    ...['x'.repeat(10_000), '🔒'.repeat(100)],
  ]

  t.test('a strange name of a field is named without what would break a line', async t => {
    const fields = strangeNames.map(name => unknown(createAccount, bob, name, 'Unknown field'))
    await refuse(t, ...fields)
  })

  t.test('thousands of unknown fields get a short answer', async t => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, 0]))
    await refuse(
      t,
      ...calls.map(([target, body]) => unknown(target, { ...body, ...many }, 'last', 'x0')),
    )
  })

  t.test('a field that comes twice is 400, and named', async t => {
    const twice = [
      '{"sftp":true,"sftp":true}',
      '{"sftp":true, "disk_mb":9,\t"sf\\u0074p" :false}',
      '{"sftp":true,"x":["\\\\",":\\""],"sftp":true}',
    ]
    const refusal = { status: 400, error: /^Sent more than once: sftp$/ }
    await refuse(
      t,
      ...twice.map((body): Refused => [body, { ...putPackage, body }, refusal]),
      unknown(createAccount, bob, 'username', '^Sent more than once: username$', '"Bob"'),
    )
    const inside = { ...putPackage, body: '{"sftp":{"a":1,"b":[{"a":2,"a":3}]}}' }
    await refuse(t, ['nested', inside, { status: 400, error: /^Sent more than once: a$/ }])
    const once = { ...suspend, body: '{"x":[{"a":"\\":","x":1},{"a":2}]}' }
    await refuse(t, ['once each', once, { status: 400, error: /^Unknown field: x$/ }])
  })
}
