import t from 'tap'
import { alice, openPanel } from '../../support/panel.ts'
import {
  follow,
  freePort,
  openBrowser,
  openWindow,
  pathOf,
  send,
  signInAt,
  violations,
  withoutChromium,
} from '../../support/web/chromium.ts'

// A customer's first hour, in a real browser, with scripts and without: by its password, and by the
// link of a billing system.

for (const hasScripts of [true, false]) {
  const how = hasScripts ? 'with scripts' : 'without scripts'
  t.test(`from a link to a website that comes and goes, ${how}`, async t => {
    if (withoutChromium) return t.comment(withoutChromium)
    const panel = await openPanel(t, { origin: { host: '127.0.0.1', port: await freePort() } })
    await panel.call('PUT', '/api/v1/packages/starter', { body: { max_sites: 2 } })
    await panel.call('POST', '/api/v1/accounts', { body: alice })
    const page = await openWindow(t, await openBrowser(t), panel, { width: 360, hasScripts })
    const goTo = async (name: string) => {
      await page.getByRole('button', { name: 'Menu', exact: true }).click()
      await follow(page.locator('#navigation').getByRole('link', { name, exact: true }))
    }

    await page.goto('/account/usage')
    await signInAt(page, alice.username, alice.password)
    t.equal(await pathOf(page), '/account/usage', 'by a password to where it was going')
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await send(page, 'Sign out')
    t.equal(await pathOf(page), '/sign-in')

    const { body } = await panel.call('POST', '/api/v1/accounts/alice/login')
    // The headless browser says that it is one, so that it gets the button.
    await page.goto(body.url)
    if ((await pathOf(page)) !== '/account') await send(page, 'Sign in')
    t.equal(await pathOf(page), '/account')
    t.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Your hosting')

    await page.getByRole('link', { name: 'Add', exact: true }).click()
    await page.getByLabel('Domain').fill('no domain')
    await send(page, 'Add website')
    t.equal(await page.getByLabel('Domain').inputValue(), 'no domain')
    t.equal(await page.locator(':focus').getAttribute('name'), 'domain')
    await page.getByLabel('Domain').fill('www.Shop.example')
    await send(page, 'Add website')
    await page.waitForURL('**/account/sites/shop.example')
    t.ok(await page.getByText('203.0.113.4').first().isVisible())
    const copying = page.getByRole('button', { name: 'Copy the A record' })
    t.equal(await copying.count(), hasScripts ? 1 : 0)

    await goTo('Websites')
    t.equal(await page.getByRole('link', { name: 'Add website' }).count(), 0, 'it has two of two')
    await page.getByRole('link', { name: 'shop.example', exact: true }).click()
    await page.getByRole('link', { name: 'Remove' }).click()
    await page.getByLabel('Type "shop.example" to confirm').fill('shop')
    await send(page, 'Remove website')
    await page.getByText('Type exactly "shop.example"').waitFor()
    await page.getByLabel('Type "shop.example" to confirm').fill('shop.example')
    await send(page, 'Remove website')
    await page.waitForURL('**/account/sites')
    t.equal(await page.getByRole('link', { name: 'shop.example', exact: true }).count(), 0)

    for (const [name, heading] of [
      ['SFTP', 'SFTP'],
      ['Usage', 'Usage'],
      ['Jobs', 'Jobs'],
    ] as const) {
      await goTo(name)
      t.equal(await page.getByRole('heading', { level: 1 }).innerText(), heading)
    }
    t.ok(await page.getByRole('link', { name: 'Add website' }).isVisible(), 'what it has done')
    await panel.call('POST', '/api/v1/accounts/alice/suspend')
    await page.reload()
    t.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'This account is suspended')
    if (hasScripts) t.strictSame(await violations(page), [])
    t.strictSame(page.complaints, [])
  })
}
