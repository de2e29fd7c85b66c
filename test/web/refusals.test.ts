import t from 'tap'
import { setPlan } from '../../src/model/sellers/resellers.ts'
import { openPanel } from '../support/panel.ts'
import { generous, makeReseller } from '../support/reseller.ts'
import { limitFields } from '../support/web/limit-fields.ts'
import { signIn } from '../support/web/signed-in.ts'

// A form shows why its write was refused, next to the field at fault.

const panel = await openPanel(t)
const { pool, call } = panel
const { token } = await makeReseller(pool, 'rita')
for (const name of ['small', 'large']) {
  await call('PUT', '/api/v1/packages/' + name, { token, body: { disk_mb: 2_000, max_sites: 2 } })
}
const min = { disk_mb: 10, max_sites: 1, memory_mb: 64, cpu_percent: 10 }
await call('PUT', '/api/v1/packages/tiny', { token, body: min })
const rita = await signIn(panel, 'rita')

const anna = { username: 'anna', password: 'correct horse battery', email: 'anna@example.com' }
const limits = { ...limitFields, max_sites: '2', disk_mb: '2000' }
const nextToField = (text: string) =>
  /id="field-(?!password)(\w+)-error">([^<]*)</.exec(text)?.slice(1)
const above = (text: string) => /role="alert">.*?<p>([^<]*)</s.exec(text)?.[1]?.trim()

t.test('a taken package name is shown next to it', async t => {
  const { status, text } = await rita.submit('/packages/new', { name: 'small', ...limits })
  t.equal(status, 422)
  t.strictSame(nextToField(text), ['name', 'A package small already exists'])
})

t.test('a package beyond the plan is refused next to its field', async t => {
  for (const [limit, words] of Object.entries({
    disk_mb: 'Your plan allows 1000 MB of disk in total',
    max_sites: 'Your plan allows 1 website in total',
    memory_mb: 'Your plan allows 256 MB of memory per account',
    cpu_percent: 'Your plan allows 50 percent of CPU per account',
  })) {
    const max = Number(/[0-9]+/.exec(words))
    await setPlan(pool, 'rita', { ...generous, [limit]: max })
    const { status, text } = await rita.submit('/accounts/new', { ...anna, package: 'small' })
    t.equal(status, 422)
    t.strictSame(nextToField(text), ['package', words])
    t.match(text, 'id="field-password-error">Type the password again')
    t.match(text, 'value="anna@example.com"')
    const offered = (await rita.get('/accounts/new')).text
    t.match(offered, '<option value="tiny"')
    t.notMatch(offered, '<option value="small"', 'what would be refused is not offered')
  }
})

t.test('a plan with no room for one more account is reported above the form', async t => {
  await setPlan(pool, 'rita', { ...generous, max_accounts: 0 })
  const why = 'Your plan allows 0 accounts, all in use: ask an administrator'
  for (const path of ['/overview', '/accounts', '/accounts/new']) {
    const shown = (await rita.get(path)).text
    t.match(shown, why, path)
    t.notMatch(shown, /href="\/accounts\/new"|<button[^>]*>Create account/, path)
  }
  const { text } = await rita.submit('/accounts/new', { ...anna, package: 'small' })
  t.equal(above(text), 'Your plan allows 0 accounts.')
  t.equal(nextToField(text), undefined)
  await setPlan(pool, 'rita', generous)
})

t.test('a package that the account is too large for is refused next to it', async t => {
  t.equal((await rita.submit('/accounts/new', { ...anna, package: 'small' })).status, 303)
  await call('PUT', '/api/v1/packages/none', { token, body: { max_databases: 0 } })
  await pool.query(`
    insert into panel.databases (account_id, name, desired)
    select id, 'anna_shop', 'present' from panel.accounts where username = 'anna'`)
  const { status, text } = await rita.submit('/accounts/anna/package', { package: 'none' })
  t.equal(status, 422)
  const words = 'Package none allows 0 databases; the account has more'
  t.strictSame(nextToField(text), ['package', words])
})
