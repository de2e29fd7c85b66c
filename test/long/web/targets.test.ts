import t from 'tap'
import { tours } from '../../screenshots/paths.ts'
import { openWindow, withoutChromium } from '../../support/web/chromium.ts'
import { openStage } from '../../support/web/pages/stage.ts'

// On a phone, whatever is pressed is at least 44 px tall, except links within a line of text.

const minimum = 44

// A checkbox is pressed by its label.
const script = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
  .map(found => (found.type === 'checkbox' || found.type === 'radio')
    ? (found.closest('label') ?? found) : found)
  .filter(found => found.checkVisibility() && !found.matches('.skip, thead *'))
  .filter(found => getComputedStyle(found).display !== 'inline')
  .filter(found => found.getBoundingClientRect().height < ${minimum - 0.5})
  .map(found => found.outerHTML.replace(/\\s+/g, ' ').slice(0, 120)
    + ' ' + found.getBoundingClientRect().height)`

// Padding shows the top of the line after the last.
const cut = `[...document.querySelectorAll('main *')]
  .filter(found => getComputedStyle(found).webkitLineClamp !== 'none')
  .filter(found => parseFloat(getComputedStyle(found).paddingBottom) > 0)
  .map(found => found.outerHTML.slice(0, 120))`

t.test('a page', { skip: withoutChromium, timeout: 600_000 }, async t => {
  const { panel, browser } = await openStage(t)
  for (const { who, paths, cookies } of tours) {
    await t.test(`each of ${who}'s can be pressed with a finger`, async t => {
      const page = await openWindow(t, browser, panel, { width: 360, ...(await cookies(panel)) })
      for (const [name, path] of Object.entries(paths)) {
        await page.goto(path)
        t.strictSame(await page.evaluate(script), [], name)
        t.strictSame(await page.evaluate(cut), [], `${name}: text that is cut off`)
      }
      t.strictSame(page.complaints, [])
    })
  }
})
