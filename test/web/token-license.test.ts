import t from 'tap'
import { vendorKey } from '../../src/model/license.ts'
import { openPanel } from '../panel.ts'
import { signIn } from './signed-in.ts'

t.test('without a license no API token is made, and the form says why', async t => {
  const panel = await openPanel(t, {
    license: () => ({ file: '/nowhere/license', key: vendorKey, isDevelopment: false }),
  })
  const admin = await signIn(panel)
  const path = '/my-account/tokens/new'
  t.match((await admin.get(path)).text, 'API tokens need a paid license')
  const fields = { name: 'Billing', permission: 'Provisioning only', current: 'whatever it is' }
  const refused = await admin.submit(path, fields)
  t.match(refused, { status: 422, text: /no valid license/ })
  const { rowCount } = await panel.pool.query(`select from panel.tokens where name = 'Billing'`)
  t.equal(rowCount, 0)
})
