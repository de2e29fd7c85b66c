import t from 'tap'
import { openPanel } from '../../panel.ts'
import { places, schemes, widths } from '../../screenshots/places.ts'
import { stage } from '../../screenshots/staging.ts'
import {
  freePort,
  openBrowser,
  openWindow,
  overflow,
  violations,
  withoutChromium,
} from '../../web/chromium.ts'
import { openSession } from '../../web/signed-in.ts'

// Every page in a real browser: for all eyes, all widths, with and without scripts.

t.test('every page', { skip: withoutChromium, timeout: 600_000 }, async t => {
  const panel = await openPanel(t, { origin: { host: '127.0.0.1', port: await freePort() } })
  await stage(panel)
  const session = await openSession(panel, 'admin')
  const browser = await openBrowser(t)

  for (const colorScheme of schemes) {
    for (const width of widths) {
      await t.test(`is readable at ${width} px, ${colorScheme}`, async t => {
        const page = await openWindow(t, browser, panel, { width, colorScheme, session })
        for (const [name, path] of Object.entries(places)) {
          await page.goto(path)
          t.equal(await overflow(page), 0, `${name} has no sideways scroll`)
          t.strictSame(await violations(page), [], `${name} has no fault that axe-core finds`)
          t.equal(await page.locator('h1').count(), 1, `${name} has one h1`)
        }
        t.strictSame(page.complaints, [], 'the console is empty, and nobody else is asked')
      })
    }
  }

  await t.test('works without scripts', async t => {
    const page = await openWindow(t, browser, panel, { width: 360, session, hasScripts: false })
    await page.goto('/overview')
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Packages' }).click()
    await page.getByRole('link', { name: 'Create package' }).click()
    await page.getByLabel('Name').fill('plain')
    await page.getByRole('button', { name: 'Create package' }).click()
    t.equal(new URL(page.url()).pathname, '/packages')
    await page.getByRole('link', { name: 'plain' }).click()
    await page.getByLabel('Disk').fill('many')
    await page.getByRole('button', { name: 'Save' }).click()
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
    t.equal(await time.getAttribute('title'), '2026-03-02 20:00:00 UTC')
  })

  await t.test('stays what it is whatever has been named by others', async t => {
    const hostile = `<script>alert(1)</script><img src=x onerror=alert(2)>"'javascript:&\u202e`
    const long = `${hostile}${'x'.repeat(500)}`
    const { pool } = panel
    await pool.query('alter table panel.packages drop constraint packages_name_check')
    await pool.query(`update panel.packages set name = left($1, 300) where name = 'starter'`, [
      long,
    ])
    await pool.query(`update panel.accounts set email = left($1, 254)`, [long])
    await pool.query(`update panel.owners set email = left($1, 254) where name = 'rita'`, [long])
    await pool.query(`update panel.sessions set browser = left($1, 300)`, [long])
    await pool.query(
      `update panel.server_snapshot
       set content = jsonb_set(jsonb_set(content, '{hooks,scripts,0,name}', to_jsonb($1::text)),
         '{checks,0}', jsonb_build_object(
           'name', $1::text, 'state', 'failure', 'sentence', $1::text, 'advice', $1::text))`,
      [long],
    )
    await pool.query(`update panel.accounts set suspend_reason = left($1, 500)`, [long])
    await pool.query(`update panel.accounts set warnings = array[$1]`, [long])
    await pool.query(`update panel.sites set domain = left(lower($1), 250)`, [long])
    await pool.query(`update panel.operations set caller_words = $1, error = $1`, [long])
    await pool.query(`update panel.server set websites_warning = $1`, [long])
    for (const width of [360, 1_440]) {
      const page = await openWindow(t, browser, panel, { width, session })
      const paths = [...Object.values(places), `/accounts?q=${encodeURIComponent(hostile)}`]
      for (const path of [...paths, `/packages/${encodeURIComponent(long.slice(0, 300))}`]) {
        await page.goto(path)
        t.equal(await overflow(page), 0, `${path} at ${width}`)
      }
      t.strictSame(page.complaints, [])
    }
  })
})
