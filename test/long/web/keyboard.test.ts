import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import t from 'tap'
import { tours } from '../../screenshots/paths.ts'
import { openWindow, pathOf, withoutChromium } from '../../support/web/chromium.ts'
import { openStage } from '../../support/web/pages/stage.ts'

// Every page by the keyboard alone: the Tab key reaches whatever can be clicked on, in the order in
// which it stands there, and one sees where one is.

const order = await readFile(
  join(import.meta.dirname, '../../support/web/pages/focus-order.js'),
  'utf8',
)

t.test('the keyboard', { skip: withoutChromium, timeout: 600_000 }, async t => {
  const { panel, browser, session } = await openStage(t)

  for (const { who, paths: folders, cookies } of tours) {
    await t.test(`reaches all of ${who}'s pages`, async t => {
      const page = await openWindow(t, browser, panel, await cookies(panel))
      const keys = await page.context().newCDPSession(page)
      // No page refreshes itself meanwhile.
      await page.clock.install()
      await page.clock.pauseAt(Date.now() + 60_000)
      for (const [name, path] of Object.entries(folders)) {
        await page.goto(path)
        t.strictSame(await walk(page, keys), [], name)
      }
      t.strictSame(page.complaints, [])
    })
  }

  await t.test('opens the menu on a phone', async t => {
    const page = await openWindow(t, browser, panel, { width: 360, session })
    await page.goto('/overview')
    await page.getByRole('button', { name: 'Menu' }).focus()
    await page.keyboard.press('Enter')
    const focused = page.locator('#navigation a:focus', { hasText: 'Packages' })
    for (let step = 0; step < 20 && (await focused.count()) === 0; step++) {
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.waitForURL('**/packages')
    t.equal(await pathOf(page), '/packages')
  })
})

/** Goes once around a page, and returns what is wrong with it. */
async function walk(page: Page, keys: CDPSession): Promise<string[]> {
  await page.evaluate(order)
  let left = Number(await page.evaluate('focusOrder.left()'))
  const key = { type: 'rawKeyDown', key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 } as const
  // Some stops are no controls: what can be scrolled, the parts of a date, and the window itself.
  for (let round = 0; round < 3 && left > 0; round++) {
    const presses = Array.from({ length: left + 10 }, () =>
      keys.send('Input.dispatchKeyEvent', key),
    )
    await Promise.all(presses)
    left = Number(await page.evaluate('focusOrder.left()'))
  }
  return page.evaluate('focusOrder.decide()')
}
