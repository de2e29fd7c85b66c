import t from 'tap'
import { openPanel } from '../../support/panel.ts'
import { freePort, openBrowser, openWindow, withoutChromium } from '../../support/web/chromium.ts'
import { openSession } from '../../support/web/signed-in.ts'

// The history says by which channel something was done and from where, however narrow the window
// is.

t.test('a line shows everything at each width', { skip: withoutChromium }, async t => {
  const panel = await openPanel(t, {
    hasWorker: false,
    origin: { host: '127.0.0.1', port: await freePort() },
  })
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  const browser = await openBrowser(t)
  const page = await openWindow(t, browser, panel, { session: await openSession(panel, 'admin') })
  await page.goto('/history?action=package')
  const line = page.getByRole('row').filter({ hasText: 'Save package' })
  const columns = page.getByRole('columnheader', { name: 'From' })
  const within = line.getByText('by API, from 127.0.0.1')
  for (const [width, hasColumns] of [
    [1_440, true],
    [768, false],
    [360, false],
  ] as const) {
    await page.setViewportSize({ width, height: 740 })
    t.equal(await columns.isVisible(), hasColumns, `a column at ${width} px`)
    t.equal(await within.isVisible(), !hasColumns, `within another at ${width} px`)
    t.equal(await line.getByText('127.0.0.1').locator('visible=true').count(), 1, 'shown once')
  }
  t.strictSame(page.complaints, [])
})
