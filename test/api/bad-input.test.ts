import { join } from 'node:path'
import t from 'tap'
import { openPanel } from '../support/panel.ts'
import {
  bob,
  createAccount,
  putPackage,
  refusalsOn,
  starter,
  suspend,
  unsuspend,
} from '../support/api/refusals.ts'
import { testTables } from '../support/api/tables.ts'

// Every field, header and path of the basic calls with every kind of bad value. The tables share
// one panel; each starts as if it were a new one. test/long/bad-input has further ones.

const panel = await openPanel(t)

t.test('a body is accepted without the fault that each table adds', async t => {
  const { send } = await refusalsOn(panel)
  t.equal((await send({ ...putPackage, body: starter })).status, 200)
  t.equal((await send({ ...createAccount, body: bob })).status, 201)
  t.equal((await send({ ...suspend, body: { reason: 'unpaid' } })).status, 200)
  t.equal((await send({ ...unsuspend, body: {} })).status, 200)
})

testTables(t, panel, join(import.meta.dirname, 'bad-input'))
