import type { Test } from 'tap'
import {
  bob,
  createAccount,
  jsonType,
  putPackage,
  starter,
  type Header,
  type Refusals,
  type Sent,
} from '../../support/api/refusals.ts'

export default async function test(t: Test, { panel, refuse, send }: Refusals): Promise<void> {
  const keyed = (...keys: string[]): Header[] => [
    jsonType,
    ...keys.map(key => ['Idempotency-Key', key] as const),
  ]
  const putWith = (...keys: string[]): Sent => ({
    ...putPackage,
    body: starter,
    headers: keyed(...keys),
  })
  const createWith = (...keys: string[]): Sent => ({
    ...createAccount,
    body: bob,
    headers: keyed(...keys),
  })

  const bad: [title: string, keys: string[]][] = [
    ['empty', ['']],
    ['white space', ['  ']],
    ['256 characters', ['k'.repeat(256)]],
    ['8 KiB', ['k'.repeat(8_192)]],
    ['Latin-1', ['schl\xfcssel']],
    ['UTF-8', [Buffer.from('🔑').toString('latin1')]],
    ['a tab', ['a\tb']],
    ['two keys', ['key-a', 'key-b']],
    ['one key twice', ['key-a', 'key-a']],
    ['one key and an empty one', ['key-a', '']],
  ]

  t.test('an Idempotency-Key that is none is 400 and records nothing', async t => {
    for (const [title, keys] of bad) {
      const refusal = { status: 400, error: /^Idempotency-Key must be/, isRecorded: false }
      await refuse(
        t,
        [`package: ${title}`, putWith(...keys), refusal],
        [`account: ${title}`, createWith(...keys), refusal],
      )
    }
  })

  const good = [
    'k',
    'k'.repeat(255),
    `'; drop table panel.operations; --`,
    '../x',
    '"a", b=c',
    '%00',
  ]

  t.test('1 to 255 printable ASCII characters are a key', async t => {
    for (const key of good) {
      t.equal((await send(putWith(key))).status, 200, key)
      t.equal((await send(putWith(key))).headers.get('idempotent-replayed'), 'true', key)
      const { rows } = await panel.pool.query(
        'select status from panel.operations where key = $1',
        [key],
      )
      t.strictSame(rows, [{ status: 200 }], key)
    }
  })

  t.test('the longest key does for work that is enqueued', async t => {
    const key = 'q'.repeat(255)
    const created = await send(createWith(key))
    t.equal(created.status, 201)
    t.equal((await send(createWith(key))).text, created.text)
  })

  t.test('the key of a GET is not looked at', async t => {
    for (const key of ['', 'k'.repeat(256), 'k']) {
      const sent = { method: 'GET', path: '/api/v1/packages/starter', headers: keyed(key) }
      const got = await send(sent)
      t.equal(got.status, 200)
      t.equal(got.headers.get('idempotent-replayed'), null)
    }
  })

  t.test('another request under a key is 400, and the first answer stays', async t => {
    const first = putWith('mine')
    const { text } = await send(first)
    const others: [title: string, sent: Sent][] = [
      ['another body', { ...first, body: { ...starter, disk_mb: 99 } }],
      ['the same in other bytes', { ...first, body: `${JSON.stringify(starter)} ` }],
      ['another path', { ...first, path: '/api/v1/packages/other' }],
      ['a query', { ...first, path: `${first.path}?x` }],
      ['another call', createWith('mine')],
      ['what would be refused anyway', { ...createWith('mine'), body: '{' }],
    ]
    for (const [title, sent] of others) {
      const refusal = { status: 400, error: /Idempotency-Key/, isRecorded: false }
      await refuse(t, [title, sent, refusal])
    }
    const again = await send(first)
    t.strictSame([again.text, again.headers.get('idempotent-replayed')], [text, 'true'])
  })

  t.test('a repeat of a request that still runs is 409 and says when to come again', async t => {
    const sent = putWith('running')
    await send(sent)
    await panel.pool.query(
      `update panel.operations
     set name = null, state = 'running', status = null, body = null, finished_at = null,
       due_at = 'infinity'
     where key = 'running'`,
    )
    await refuse(t, ['running', sent, { status: 409, error: /still running/ }])
    t.equal((await send(sent)).headers.get('retry-after'), '1')
  })
}
