import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import t from 'tap'
import { openPanel } from '../panel.ts'
import { openCustomerSession, openSession } from '../web/signed-in.ts'
import { stage } from './staging.ts'

// `npm run screenshots`: each page at three widths, light and dark, into docs/screenshots, as far as the window shows it.

const folder =
  process.env['PANEL_SCREENSHOTS'] ?? join(import.meta.dirname, '../../docs/screenshots')
const only = process.env['PANEL_SCREENSHOTS_ONLY']
const isWhole = process.env['PANEL_SCREENSHOTS_WHOLE'] === 'yes'

const pages: Record<string, string> = {
  overview: '/overview',
  accounts: '/accounts',
  'accounts-filtered': '/accounts?state=suspended',
  'accounts-none': '/accounts?q=nothing+like+it',
  account: '/accounts/alice',
  'account-suspended': '/accounts/forum42',
  'account-settings': '/accounts/alice/settings',
  'account-jobs': '/accounts/bella/jobs',
  'account-new': '/accounts/new',
  'account-suspend': '/accounts/alice/suspend',
  'account-terminate': '/accounts/alice/terminate',
  packages: '/packages',
  'package-new': '/packages/new',
  package: '/packages/starter',
  missing: '/accounts/nobody',
  'customer-overview': '/account',
  'customer-sites': '/account/sites',
  'customer-site': '/account/sites/shop.alice.example',
  'customer-site-secure': '/account/sites/alice.example',
  'customer-site-new': '/account/sites/new',
  'customer-site-remove': '/account/sites/alice.example/remove',
  'customer-sftp': '/account/sftp',
  'customer-usage': '/account/usage',
  'customer-jobs': '/account/jobs',
}

const ofReseller: Record<string, string> = {
  'reseller-overview': '/overview',
  'reseller-accounts': '/accounts',
  'reseller-account': '/accounts/rob',
  'reseller-packages': '/packages',
}

const widths = [360, 768, 1_440]

t.test('every page', { timeout: 600_000 }, async t => {
  const port = await freePort()
  const panel = await openPanel(t, { origin: { host: '127.0.0.1', port } })
  await stage(panel)
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  t.teardown(() => browser.close())
  await mkdir(folder, { recursive: true })
  const customer = await openCustomerSession(panel, 'alice')
  const visits = [
    { owner: await openSession(panel, 'admin'), paths: pages },
    { owner: await openSession(panel, 'rita'), paths: ofReseller },
  ]
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of widths) {
      const context = await browser.newContext({
        viewport: { width, height: width === 360 ? 740 : 900 },
        colorScheme,
      })
      const page = await context.newPage()
      const told: string[] = []
      page.on('console', message => told.push(message.text()))
      page.on('pageerror', error => told.push(String(error)))
      for (const { owner, name, path } of visits.flatMap(toPages)) {
        if (only !== undefined && !only.split(',').includes(name)) continue
        await context.addCookies([
          { name: 'panel', value: owner, url: panel.baseUrl },
          { name: 'panel-account', value: customer, url: panel.baseUrl },
        ])
        await page.goto(`${panel.baseUrl}${path}`)
        await page.waitForTimeout(60)
        const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        t.equal(over, 0, `${name} at ${width} has no sideways scroll`)
        const png = await page.screenshot({ fullPage: isWhole })
        await writeFile(join(folder, `${name}-${width}-${colorScheme}.png`), png)
      }
      t.strictSame(
        told.filter(text => !/404/.test(text)),
        [],
        'nothing on the console',
      )
      await context.close()
    }
  }
})

const toPages = ({ owner, paths }: { owner: string; paths: Record<string, string> }) =>
  Object.entries(paths).map(([name, path]) => ({ owner, name, path }))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
