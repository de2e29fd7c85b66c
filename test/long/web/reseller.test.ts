import t from 'tap'
import { alice, openPanel } from '../../support/panel.ts'
import { generous, makeReseller } from '../../support/reseller.ts'
import {
  follow,
  freePort,
  openBrowser,
  openWindow,
  pathOf,
  send,
  signInAt,
  withoutChromium,
} from '../../support/web/chromium.ts'

// A reseller's first hour, in a real browser, on a server that others sell on too.

t.test('from a password to a customer, among those of others', async t => {
  if (withoutChromium) return t.comment(withoutChromium)
  const panel = await openPanel(t, { origin: { host: '127.0.0.1', port: await freePort() } })
  const { pool, call, baseUrl } = panel
  await call('PUT', '/api/v1/packages/starter', { body: {} })
  await call('POST', '/api/v1/accounts', { body: alice })
  const { token: foreign } = await makeReseller(pool, 'otto')
  await call('PUT', '/api/v1/packages/secret', { token: foreign, body: {} })
  const nina = { ...alice, username: 'nina', domain: 'nina.example', package: 'secret' }
  await call('POST', '/api/v1/accounts', { token: foreign, body: nina })
  await makeReseller(pool, 'rita', { ...generous, max_accounts: 2, max_sites: 4 })
  const page = await openWindow(t, await openBrowser(t), panel)
  const main = page.getByRole('main')
  const goTo = (name: string) =>
    follow(page.locator('#navigation').getByRole('link', { name, exact: true }))

  await page.goto('/overview')
  await signInAt(page, 'rita', 'a password of it')
  t.equal(await pathOf(page), '/overview')
  t.match(await main.innerText(), /Accounts\s+0\s+of 2/)
  const paths = await page.locator('#navigation li').allInnerTexts()
  t.strictSame(paths, ['Overview', 'Accounts', 'Packages', 'History', 'My account'])

  await goTo('Packages')
  t.notMatch(await main.innerText(), /starter|secret/)
  await page.getByRole('link', { name: 'Create package' }).first().click()
  await page.getByLabel('Name').fill('small')
  await page.getByLabel('Websites').fill('2')
  await send(page, 'Create package')
  t.equal(await pathOf(page), '/packages')
  t.match(await main.innerText(), 'small')

  await goTo('Accounts')
  await page.getByText('No accounts yet').waitFor()
  await page.getByRole('link', { name: 'Create account' }).first().click()
  t.notMatch(await page.getByLabel('Package').innerText(), /starter|secret/)
  const create = async (username: string, domain: string) => {
    await page.getByLabel('Username').fill(username)
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByLabel('E-mail address', { exact: true }).fill('rob@example.com')
    await page.getByLabel('Domain').fill(domain)
    await send(page, 'Create account')
  }
  // A name is unique on a server, across sellers.
  await create('alice', 'rob.example')
  t.equal(await page.locator(':focus').getAttribute('name'), 'username')
  await create('rob', 'rob.example')
  await page.waitForURL('**/accounts/rob')
  await goTo('Overview')
  t.match(await main.innerText(), /Accounts\s+1\s+of 2/)

  await page.goto('/accounts/rob')
  await page.getByRole('link', { name: 'Suspend' }).click()
  await page.getByLabel('Reason').fill('Invoice 4711 is overdue')
  await send(page, 'Suspend')
  await page.getByText('Invoice 4711 is overdue').waitFor()
  await page.getByRole('link', { name: 'Unsuspend' }).click()
  await send(page, 'Unsuspend')
  await page.waitForURL('**/accounts/rob')

  await goTo('My account')
  await follow(page.getByRole('link', { name: 'API tokens' }))
  await page.getByRole('link', { name: 'Create token' }).first().click()
  await page.getByLabel('Name').fill('Billing')
  await page.getByLabel('Your password').fill('not a password of it')
  await send(page, 'Create token')
  await page.getByText('This is not your password').waitFor()
  await page.getByLabel('Your password').fill('a password of it')
  await send(page, 'Create token')
  const token = await page.getByLabel('API token', { exact: true }).inputValue()
  const { body } = await call('GET', '/api/v1/accounts', { token })
  t.match(JSON.stringify(body), '"rob"')
  t.notMatch(JSON.stringify(body), /alice|nina/, 'the token sees what its owner sees')

  for (const path of ['/accounts/alice', '/accounts/nina', '/packages/secret']) {
    t.equal((await page.goto(path))?.status(), 404, path)
  }
  for (const path of ['/jobs', '/hooks', '/server', '/resellers/otto', '/administrators']) {
    t.equal((await page.goto(path))?.status(), 403, path)
  }
  await page.goto('/search?q=example')
  t.notMatch(await main.innerText(), /alice|nina/)
  await page.goto('/history')
  t.notMatch(await main.innerText(), /nina|otto/)

  const kept = await page.context().cookies(baseUrl)
  await send(page, 'Sign out')
  await page.goBack()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.context().addCookies(kept)
  await page.goto('/accounts')
  t.equal(await pathOf(page), '/sign-in', 'nor is the session anywhere else')
  t.strictSame(page.complaints, [])
})
