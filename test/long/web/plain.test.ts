import t from 'tap'
import { openWindow, pathOf, send, withoutChromium } from '../../support/web/chromium.ts'
import { openStage } from '../../support/web/pages/stage.ts'

t.test('a browser', { skip: withoutChromium }, async t => {
  const { panel, session, browser } = await openStage(t)

  await t.test('needs no scripts', async t => {
    const page = await openWindow(t, browser, panel, { width: 360, session, hasScripts: false })
    await page.goto('/overview')
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Packages' }).click()
    await page.getByRole('link', { name: 'Create package' }).click()
    await page.getByLabel('Name').fill('plain')
    await send(page, 'Create package')
    t.equal(await pathOf(page), '/packages')
    await page.getByRole('link', { name: 'plain' }).click()
    await page.getByLabel('Disk').fill('many')
    await send(page, 'Save')
    t.match(await page.getByText('Disk must be a whole number').textContent(), '10000000')
    t.equal(await page.getByLabel('Disk').inputValue(), 'many')
    await page.goto('/accounts/alice/suspend')
    await page.getByText('The same as an API call').click()
    t.ok(await page.getByText('curl -X POST').isVisible())
  })

  await t.test('shows times in the zone of who reads', async t => {
    const context = await browser.newContext({ timezoneId: 'Asia/Tokyo', baseURL: panel.baseUrl })
    t.teardown(() => context.close())
    await context.addCookies([{ name: 'panel', value: session, url: panel.baseUrl }])
    const page = await context.newPage()
    const { rows } = await panel.pool.query(
      `update panel.operations set finished_at = '2026-03-02T20:00:00Z' where name is not null
       returning id`,
    )
    await page.goto(`/jobs/${rows[0].id}`)
    const time = page.locator('time[datetime="2026-03-02T20:00:00.000Z"]')
    t.match(await time.textContent(), /3 Mar 2026.*05:00:00/)
    const exact = '2026-03-02 20:00:00 UTC'
    t.equal(await time.getAttribute('title'), exact)
    const button = page.getByRole('button', { name: 'Show times in UTC' })
    await button.focus()
    await page.keyboard.press('Enter')
    t.equal(await time.textContent(), exact)
    await page.reload()
    await page.getByRole('button', { name: 'Show times as usual' }).waitFor()
    t.equal(await time.textContent(), exact, 'it is kept')
    await page.getByRole('button', { name: 'Show times as usual' }).click()
    t.match(await time.textContent(), /3 Mar 2026.*05:00:00/)
  })
})
