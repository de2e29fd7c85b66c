import t from 'tap'
import type { Page } from 'playwright-core'
import {
  follow,
  openWindow,
  overflow,
  violations,
  withoutChromium,
} from '../../support/web/chromium.ts'
import { openStage } from '../../support/web/pages/stage.ts'

// Administrators mend the server, resend failed deliveries and read the history in a browser.

t.test('a browser', { skip: withoutChromium, timeout: 600_000 }, async t => {
  const { panel, session, browser } = await openStage(t)
  const folder = process.env['PANEL_SCREENSHOTS']

  /** Checks a page as it is shown now. */
  const check = async (page: Page, name: string) => {
    t.strictSame(await violations(page), [], name)
    t.equal(await overflow(page), 0, name)
    if (folder === undefined) return
    const width = page.viewportSize()!.width
    await page.screenshot({ path: `${folder}/mending-${name}-${width}.png`, fullPage: true })
  }

  for (const { width, colorScheme, hasScripts } of [
    { width: 1_440, colorScheme: 'light', hasScripts: true },
    { width: 360, colorScheme: 'dark', hasScripts: true },
    { width: 768, colorScheme: 'light', hasScripts: false },
  ] as const) {
    await t.test(`at ${width} px${hasScripts ? '' : ' without scripts'}`, async t => {
      const page = await openWindow(t, browser, panel, { session, width, colorScheme, hasScripts })
      const checked = async (name: string) => {
        if (hasScripts) await check(page, name)
      }
      await page.goto('/server')
      const rebuild = page.getByRole('button', { name: 'Rebuild max9' })
      if (width === 1_440) {
        await follow(rebuild)
        await page.getByText(/max9 was (not )?rebuilt/).waitFor()
        t.equal(new URL(page.url()).pathname, '/server')
      }
      await checked('server')

      await page.goto('/hooks?state=failed')
      const boxes = page.locator('#deliveries input[type=checkbox]')
      const all = page.getByLabel('Select all on this page')
      t.equal(await all.isVisible(), hasScripts)
      if (hasScripts) await all.check()
      else await boxes.first().check()
      t.equal(
        await page.locator('#deliveries input:checked').count(),
        hasScripts ? await boxes.count() : 1,
      )
      await checked('deliveries')
      await page.getByRole('button', { name: 'Resend selected' }).click()
      await page.getByRole('heading', { name: 'Retried jobs' }).waitFor()
      await page.getByText(/of \d+ jobs? ended/).waitFor()
      await checked('retried')

      await page.goto('/history')
      const folded = page.locator('td details summary')
      if ((await folded.count()) > 0) await folded.first().click()
      await checked('history')
      t.strictSame(page.complaints, [])
    })
  }
})
