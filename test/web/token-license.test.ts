import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { vendorKey } from '../../src/model/server/license.ts'
import { vendor } from '../support/cli/licenses.ts'
import { alice, openPanel } from '../support/panel.ts'
import { generous, makeReseller } from '../support/reseller.ts'
import { signIn } from '../support/web/signed-in.ts'

const offers = /href="\/accounts\/new"|<button[^>]*>Create account/

t.test('without a license no API token and no account is offered, and pages say why', async t => {
  const panel = await openPanel(t, {
    license: () => ({ file: '/nowhere/license', key: vendorKey, isDevelopment: false }),
  })
  const admin = await signIn(panel)
  await panel.pool.query(
    `insert into panel.packages (seller_id, name)
     select id, 'starter' from panel.sellers where is_own`,
  )
  const path = '/my-account/tokens/new'
  const { text } = await admin.get(path)
  t.match(text, 'API tokens need a paid license')
  t.notMatch(text, /<button[^>]*>Create token|name="permission"/)
  const list = (await admin.get('/my-account/tokens')).text
  t.match(list, /notice warn[^]*API tokens need a paid license/)
  t.notMatch(list, `href="${path}"`)
  const fields = { name: 'Billing', permission: 'Provisioning only', current: 'whatever it is' }
  const refused = await admin.submit(path, fields)
  t.match(refused, { status: 422, text: /no valid license/ })
  for (const page of ['/accounts', '/accounts/new']) {
    const shown = (await admin.get(page)).text
    t.match(shown, /notice warn[^]*no valid license[^]*--self-license/, page)
    t.notMatch(shown, offers, page)
  }
  const overview = (await admin.get('/overview')).text
  t.match(overview, /Install a license[^]*--self-license/)
  t.notMatch(overview, offers)
  const { rowCount } = await panel.pool.query(`select from panel.tokens where name = 'Billing'`)
  t.equal(rowCount, 0)
})

t.test('where a vendor signs the licenses, no page says that one may be of your own', async t => {
  const panel = await openPanel(t, {
    license: () => ({ file: '/nowhere/license', key: vendor().key, isDevelopment: false }),
  })
  const admin = await signIn(panel)
  for (const page of ['/overview', '/accounts/new', '/my-account/tokens/new']) {
    const { text } = await admin.get(page)
    t.match(text, 'panel license install', page)
    t.notMatch(text, '--self-license', page)
  }
  const refused = await panel.call('GET', '/api/v1/accounts')
  t.match(refused, { status: 403, body: { error: /panel license install FILE\)$/ } })
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
  await makeReseller(panel.pool, 'rita', generous)
  const rita = await signIn(panel, 'rita')
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  const why = 'The license permits 1 account, and the server has 1'
  const paths = ['/overview', '/accounts', '/accounts/new']
  for (const path of paths) t.notMatch((await admin.get(path)).text, why, path)
  t.match((await admin.get('/overview')).text, offers)
  t.match((await admin.get('/accounts')).text, offers)
  t.notMatch((await admin.get('/overview')).text, /href="\/server"><strong>Install a license/)
  await panel.call('POST', '/api/v1/accounts', { body: alice })
  for (const [person, path] of paths.flatMap(path => [
    [admin, path] as const,
    [rita, path] as const,
  ])) {
    const { text } = await person.get(path)
    t.match(text, why, path)
    t.notMatch(text, offers, path)
  }
})
