import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { vendorKey } from '../../src/model/license.ts'
import { vendor } from '../cli/fixtures/licenses.ts'
import { alice, openPanel } from '../panel.ts'
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
  t.match((await admin.get('/accounts/new')).text, /notice warn[^]*no valid license/)
  t.match((await admin.get('/overview')).text, /Install a license[^]*--self-license/)
  const { rowCount } = await panel.pool.query(`select from panel.tokens where name = 'Billing'`)
  t.equal(rowCount, 0)
})

t.test('a license that is used up says so before the form of an account is filled in', async t => {
  const signer = vendor()
  const panel = await openPanel(t, {
    license: serverId => {
      const file = join(t.testdir(), 'license')
      writeFileSync(file, signer.license({ server_id: serverId, max_accounts: 1 }))
      return { file, key: signer.key, isDevelopment: false }
    },
  })
  const admin = await signIn(panel)
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  t.notMatch((await admin.get('/accounts/new')).text, 'The license permits')
  t.notMatch((await admin.get('/overview')).text, /href="\/server"><strong>Install a license/)
  await panel.call('POST', '/api/v1/accounts', { body: alice })
  t.match(
    (await admin.get('/accounts/new')).text,
    'The license permits 1 accounts, and there are 1',
  )
})
