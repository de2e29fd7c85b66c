import t from 'tap'
import { chooseAdministrator } from '../../src/install/administrator.ts'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { database } from '../support/database.ts'

const boss = {
  name: 'boss',
  role: 'administrator' as const,
  email: 'boss@example.com',
  password: 'correct horse battery',
}

t.test('an install makes one administrator, whatever its name is', async t => {
  const { url, pool } = await database(t)
  const choose = (named?: string) => chooseAdministrator(url, named)
  t.strictSame(await chooseAdministrator(undefined, undefined), { name: 'admin', isThere: false })
  t.strictSame(await choose(), { name: 'admin', isThere: false })
  t.strictSame(await choose('boss'), { name: 'boss', isThere: false })
  await addOperator(pool, { ...boss, name: 'rita', role: 'reseller' })
  t.strictSame(await choose(), { name: 'admin', isThere: false }, 'a reseller is none')
  await addOperator(pool, boss)
  t.strictSame(await choose(), { name: 'boss', isThere: true }, 'its name is not printed again')
  t.strictSame(await choose('other'), { name: 'other', isThere: false }, 'asked for')
  const none = new URL(url)
  none.pathname += '_is_not_there'
  t.strictSame(
    await chooseAdministrator(none.href, undefined),
    { name: 'admin', isThere: false },
    'no database yet',
  )
})
