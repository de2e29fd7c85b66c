import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import t from 'tap'
import { isMissing, tours } from '../screenshots/paths.ts'
import { stage } from '../screenshots/staging.ts'
import { openPanel } from '../support/panel.ts'
import { freePort, openBrowser, openWindow } from '../support/web/chromium.ts'
import { addManyAccounts } from './many-accounts.ts'
import { type Load, tableOf } from './page-loads-table.ts'

// `npm run page-loads`: how long each page takes until its largest part is shown, and its bytes,
// among 10,000 accounts, at a quarter of the processor's speed and on slow 4G: first with nothing
// kept by the browser, then again. It writes docs/benchmarks/pages.md, in about 8 minutes.

const accounts = 10_000

// Slow 4G and a mid-range phone, as Lighthouse has them.
const slow = {
  ...{ offline: false, latency: 150 },
  ...{ downloadThroughput: (1.6 * 1024 * 1024) / 8, uploadThroughput: (750 * 1024) / 8 },
}
const slowdown = 4

// The roles' own tours; the others have the same pages in other states.
const measured = tours.filter(({ who }) => ['admin', 'rita', 'alice', 'a visitor'].includes(who))

t.test('every page', { timeout: 900_000 }, async t => {
  const panel = await openPanel(t, { origin: { host: '127.0.0.1', port: await freePort() } })
  await stage(panel)
  await addManyAccounts(panel.pool, accounts)
  const browser = await openBrowser(t)
  const loads: Load[] = []
  for (const { who, paths, cookies } of measured) {
    const page = await openWindow(t, browser, panel, { width: 360, ...(await cookies(panel)) })
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', slow)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    for (const [name, path] of Object.entries(paths)) {
      if (isMissing(name)) continue
      await devtools.send('Network.clearBrowserCache')
      const first = await load(page, devtools, path)
      const again = await load(page, devtools, path)
      loads.push({ who, path, first, again })
    }
    t.strictSame(page.complaints, [], who)
    await page.context().close()
  }
  for (const { path, first, again } of loads) {
    t.ok(first.lcpMs > 0 && again.lcpMs > 0, `${path} shows something`)
    t.ok(first.bytes > 0, `${path} is sent`)
  }
  const file = join(import.meta.dirname, '../../docs/benchmarks/pages.md')
  await writeFile(file, tableOf(loads, { accounts, slowdown }))
})

/** Opens a page; returns when its largest part was shown, and the bytes that were sent for it. */
async function load(page: Page, devtools: CDPSession, path: string): Promise<Load['first']> {
  let bytes = 0
  const count = ({ encodedDataLength }: { encodedDataLength: number }) => {
    bytes += encodedDataLength
  }
  devtools.on('Network.loadingFinished', count)
  await page.goto(path)
  const lcpMs = await page.evaluate<number>(`new Promise(resolve => {
    new PerformanceObserver(list => {
      resolve(Math.round(list.getEntries().at(-1).startTime))
    }).observe({ type: 'largest-contentful-paint', buffered: true })
    setTimeout(() => resolve(0), 5000)
  })`)
  devtools.off('Network.loadingFinished', count)
  return { lcpMs, bytes }
}
