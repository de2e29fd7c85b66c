import t from 'tap'
import { openPanel } from '../../support/panel.ts'
import {
  freePort,
  openBrowser,
  openWindow,
  overflow,
  violations,
  withoutChromium,
} from '../../support/web/chromium.ts'

// The API reference is no page of the table: it is open to anyone.

t.test('the API reference', { skip: withoutChromium, timeout: 600_000 }, async t => {
  const panel = await openPanel(t, { origin: { host: '127.0.0.1', port: await freePort() } })
  const browser = await openBrowser(t)
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 768, 1_440]) {
      await t.test(`is fit for all eyes at ${width} px, ${colorScheme}`, async t => {
        const page = await openWindow(t, browser, panel, { width, colorScheme })
        for (const path of ['/docs', '/docs/accounts', '/docs/events']) {
          await page.goto(path)
          t.equal(await overflow(page), 0, path)
          t.strictSame(await violations(page), [], path)
        }
        t.strictSame(page.complaints, [])
      })
    }
  }
})
