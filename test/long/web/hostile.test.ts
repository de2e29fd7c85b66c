import t from 'tap'
import { places, placesOfCustomer } from '../../screenshots/places.ts'
import { openWindow, overflow, withoutChromium } from '../../web/chromium.ts'
import { openCustomerSession } from '../../web/signed-in.ts'
import { openStage } from './fixtures/stage.ts'

t.test('a page stays what it is whatever others have named', { skip: withoutChromium }, async t => {
  const { panel, session, browser } = await openStage(t)
  const hostile = `<script>alert(1)</script><img src=x onerror=alert(2)>"'javascript:&\u202e`
  const long = `${hostile}${'x'.repeat(500)}`
  const { pool } = panel
  const customer = await openCustomerSession(panel, 'alice')
  await pool.query('alter table panel.packages drop constraint packages_name_check')
  await pool.query(`update panel.packages set name = left($1, 300) where name = 'starter'`, [long])
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
  await pool.query(`update panel.certificates set error = $1`, [long])
  await pool.query(`update panel.server set websites_warning = $1`, [long])
  for (const width of [360, 1_440]) {
    const own = await openWindow(t, browser, panel, { width, customer })
    for (const path of Object.values(placesOfCustomer)) {
      await own.goto(path)
      t.equal(await overflow(own), 0, `${path} at ${width}`)
    }
    t.strictSame(own.complaints, [])
    const page = await openWindow(t, browser, panel, { width, session })
    const paths = [...Object.values(places), `/accounts?q=${encodeURIComponent(hostile)}`]
    for (const path of [...paths, `/packages/${encodeURIComponent(long.slice(0, 300))}`]) {
      await page.goto(path)
      t.equal(await overflow(page), 0, `${path} at ${width}`)
    }
    t.strictSame(page.complaints, [])
  }
})
