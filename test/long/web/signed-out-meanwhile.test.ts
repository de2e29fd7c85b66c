import t from 'tap'
import { operatorsPassword } from '../../screenshots/paths.ts'
import {
  openWindow,
  pathOf,
  signInAt,
  violations,
  withoutChromium,
} from '../../support/web/chromium.ts'
import { openStage } from '../../support/web/pages/stage.ts'

// A user who is signed out while typing into a form loses nothing of it.

t.test('a browser', { skip: withoutChromium, timeout: 600_000 }, async t => {
  const { panel, browser } = await openStage(t)
  const endAll = () => panel.pool.query('update panel.sessions set revoked_at = now()')

  await t.test('stays at a form that is being filled in, and reports it', async t => {
    const page = await openWindow(t, browser, panel)
    await page.goto('/sign-in')
    await signInAt(page, 'boss', operatorsPassword)
    await page.goto('/accounts/new')
    const call = page.getByText('curl -X POST')
    await page.getByText('The same as an API call').click()
    await call.waitFor()
    const fill = async (label: string, text: string) => {
      await page.getByLabel(label).fill(text)
      await page.getByLabel(label).blur()
    }
    await fill('Username', 'wilma')
    await page.getByText('"username":"wilma"').waitFor()

    await endAll()
    await fill('E-mail address', 'wilma@example.com')
    const reported = page.getByText('You have been signed out, so this form cannot be sent.')
    await reported.waitFor()
    t.equal(await pathOf(page), '/accounts/new')
    t.equal(await page.getByLabel('Username').inputValue(), 'wilma')
    t.equal(await page.getByLabel('E-mail address').inputValue(), 'wilma@example.com')
    t.ok(await call.isVisible(), 'the call stays, too')
    t.strictSame(await violations(page), [])

    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Sign in in another tab' }).click()
    const other = await opened
    await signInAt(other, 'boss', operatorsPassword)
    await fill('E-mail address', 'wilma@example.org')
    await page.getByText('"email":"wilma@example.org"').waitFor()
    await reported.waitFor({ state: 'detached' })
    t.strictSame(page.complaints, [])
  })
})
