import t from 'tap'
import { openWindow, withoutChromium } from '../../support/web/chromium.ts'
import { openStage } from '../../support/web/pages/stage.ts'

// A new password is generated, shown and copied in the browser, and never sent as a text.

t.test('passwords', { skip: withoutChromium, timeout: 600_000 }, async t => {
  const { panel, browser, session } = await openStage(t)
  const page = await openWindow(t, browser, panel, { session })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const field = page.getByLabel('New password', { exact: true })
  const read = () => field.inputValue()

  await page.goto('/accounts/alice/password')
  t.equal(await field.getAttribute('type'), 'password')
  await page.getByRole('button', { name: 'Generate New password' }).click()
  const first = await read()
  t.match(first, /^[A-HJ-NP-Za-km-z2-9]{20}$/)
  t.equal(await field.getAttribute('type'), 'text', 'it is seen')
  await page.getByRole('button', { name: 'Generate New password' }).click()
  t.not(await read(), first)

  await page.getByRole('button', { name: 'Copy New password' }).click()
  t.equal(await page.evaluate('navigator.clipboard.readText()'), await read())
  await page.getByRole('button', { name: 'Hide New password' }).click()
  t.equal(await field.getAttribute('type'), 'password')
  await page.getByRole('button', { name: 'Show New password' }).click()

  const sent = page.waitForURL('**/accounts/alice')
  await page.getByRole('button', { name: 'Set password' }).click()
  await sent
  t.strictSame(page.complaints, [])

  await page.goto('/accounts/new')
  await page.getByLabel('Username').fill('Not A Name')
  await page.getByLabel('E-mail address').fill('kept@example.com')
  await page.getByRole('button', { name: 'Generate Password' }).click()
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('Type the password again').waitFor()
  t.equal(await page.getByLabel('E-mail address').inputValue(), 'kept@example.com')
  t.equal(await page.getByLabel('Password', { exact: true }).inputValue(), '')
})
