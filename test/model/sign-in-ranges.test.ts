import t from 'tap'
import { openPool, transaction } from '../../src/db.ts'
import {
  changeRanges,
  listRanges,
  maySignInFrom,
} from '../../src/model/signing-in/sign-in-ranges.ts'
import { database } from '../support/database.ts'

const { url, pool } = await database(t)
const api = openPool(url, 'panel_api', 1)
t.teardown(() => api.end())

const changeIn = (change: Parameters<typeof changeRanges>[1]) =>
  transaction(pool, db => changeRanges(db, change))
const may = (from: string | undefined) => maySignInFrom(api, 'administrator', from)
const add = (...added: string[]) => changeIn({ isCleared: false, added })

t.test('without a list administrators sign in from anywhere', async t => {
  for (const from of ['192.0.2.7', '2001:db8::7', undefined]) t.equal(await may(from), true)
})

t.test('with a list from there alone, resellers from anywhere', async t => {
  await add('192.0.2.0/24', '2001:db8::/32')
  for (const from of ['192.0.2.0', '192.0.2.255', '::ffff:192.0.2.7', '2001:db8:ffff::1']) {
    t.equal(await may(from), true, `${from}`)
  }
  const others = ['192.0.3.0', '::ffff:192.0.3.1', '2001:db9::', '::1', 'nowhere', '', undefined]
  for (const from of others) {
    t.equal(await may(from), false, `${from}`)
    t.equal(await maySignInFrom(api, 'reseller', from), true, `${from}`)
  }
})

t.test('adds again what is there, makes another list, and empties it', async t => {
  t.strictSame(await add('192.0.2.0/24', '192.0.2.0/24'), ['192.0.2.0/24', '2001:db8::/32'])
  const other = await changeIn({ isCleared: true, added: ['198.51.100.7/32'] })
  t.strictSame(other, ['198.51.100.7/32'])
  t.equal(await may('192.0.2.7'), false)
  t.strictSame(await changeIn({ isCleared: true, added: [] }), [])
  t.equal(await may('192.0.2.7'), true)
})

t.test(
  'a list that would become too long stays as it is, also of many who add at once',
  async t => {
    const range = (number: number) => `10.0.${number}.0/24`
    await add(...Array.from({ length: 99 }, (_, number) => range(number)))
    await Promise.all([1, 2, 3].map(() => pool.query('select pg_sleep(0.05)')))
    const ends = await Promise.allSettled([200, 201, 202].map(number => add(range(number))))
    t.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
    t.equal((await listRanges(pool)).length, 100)
    await t.rejects(changeIn({ isCleared: false, added: [range(203)] }), {
      code: 'invalid',
      message: 'The list can have at most 100 ranges',
    })
  },
)
