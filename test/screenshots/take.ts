import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { version } from '../../src/config.ts'
import { openPanel } from '../support/panel.ts'
import { freePort, openBrowser, openWindow } from '../support/web/chromium.ts'
import { schemes, tours, widths } from './paths.ts'
import { stage } from './staging.ts'

// `npm run screenshots`: each page at three widths, light and dark, into docs/screenshots, as far
// as the window shows it. PANEL_SCREENSHOTS is another folder, PANEL_SCREENSHOTS_ONLY some of the
// names, and with PANEL_SCREENSHOTS_WHOLE=yes each picture is of the whole page.

const environment = process.env
const folder =
  environment['PANEL_SCREENSHOTS'] ?? join(import.meta.dirname, '../../docs/screenshots')
const only = environment['PANEL_SCREENSHOTS_ONLY']?.split(',')
const isWhole = environment['PANEL_SCREENSHOTS_WHOLE'] === 'yes'

t.test('every page', { timeout: 600_000 }, async t => {
  const panel = await openPanel(t, {
    origin: { host: '127.0.0.1', port: await freePort() },
    about: { serverName: 'panel.example.com', version },
  })
  await stage(panel)
  const browser = await openBrowser(t)
  await mkdir(folder, { recursive: true })
  for (const colorScheme of schemes) {
    for (const width of widths) {
      for (const { paths: folders, cookies } of tours) {
        const how = { width, colorScheme, ...(await cookies(panel)) }
        const page = await openWindow(t, browser, panel, how)
        for (const [name, path] of Object.entries(folders)) {
          if (only !== undefined && !only.includes(name)) continue
          // Loaded it is drawn whole; live pages go on asking for themselves.
          await page.goto(path)
          const png = await page.screenshot({ fullPage: isWhole })
          await writeFile(join(folder, `${name}-${width}-${colorScheme}.png`), png)
        }
        t.strictSame(page.complaints, [])
      }
    }
  }
})
