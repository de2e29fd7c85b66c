import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openPanel } from '../panel.ts'
import {
  bob,
  createAccount,
  putPackage,
  type Refusals,
  refusalsOn,
  starter,
  suspend,
  unsuspend,
} from './fixtures/refusals.ts'

// Every field, header and path of the basic calls with every kind of bad value. The tables share
// one panel; each starts as if it were a new one.

const panel = await openPanel(t)

t.test('what the tables spoil is accepted unspoilt', async t => {
  const { send } = await refusalsOn(panel)
  t.equal((await send({ ...putPackage, body: starter })).status, 200)
  t.equal((await send({ ...createAccount, body: bob })).status, 201)
  t.equal((await send({ ...suspend, body: { reason: 'unpaid' } })).status, 200)
  t.equal((await send({ ...unsuspend, body: {} })).status, 200)
})

const folder = join(import.meta.dirname, 'bad-input')
for (const file of readdirSync(folder).sort()) {
  t.test(file.replace(/\.ts$/, ''), async t => {
    const table = (await import(join(folder, file))) as {
      default: (t: Test, refusals: Refusals) => Promise<void>
    }
    await table.default(t, await refusalsOn(panel))
  })
}
