import t from 'tap'
import type { Page } from 'playwright-core'
import { operatorsPassword } from '../../screenshots/paths.ts'
import {
  openWindow,
  pathOf,
  send,
  signInAt,
  violations,
  withoutChromium,
} from '../../support/web/chromium.ts'
import { stateOf } from '../../support/web/every-form.ts'
import { openStage } from '../../support/web/pages/stage.ts'

// Text that was typed into a form outlives refusals, the end of a session and a broken network.

const typed = { Username: 'wilma', 'E-mail address': 'wilma@example.com', Domain: 'w.example' }

t.test('a browser', { skip: withoutChromium, timeout: 600_000 }, async t => {
  const { panel, browser } = await openStage(t)
  const endAll = () => panel.pool.query('update panel.sessions set revoked_at = now()')

  const openForm = async () => {
    const page = await openWindow(t, browser, panel)
    await page.goto('/sign-in')
    await signInAt(page, 'boss', operatorsPassword)
    await page.goto('/accounts/new')
    for (const [label, text] of Object.entries(typed)) await page.getByLabel(label).fill(text)
    await page.getByLabel('Password', { exact: true }).fill('a password of hers')
    return page
  }
  const isHere = async (page: Page) => {
    for (const [label, text] of Object.entries(typed)) {
      t.equal(await page.getByLabel(label).inputValue(), text, label)
    }
    t.equal(await page.getByLabel('Password', { exact: true }).inputValue(), '')
  }
  const notice = (page: Page) => page.getByText('Your entries are here again').waitFor()

  await t.test('shows it again after its session has ended', async t => {
    const page = await openForm()
    const before = await stateOf(panel)
    await endAll()
    await send(page, 'Create account')
    t.equal(await pathOf(page), '/sign-in')
    await signInAt(page, 'boss', operatorsPassword)
    t.equal(await pathOf(page), '/accounts/new')
    await notice(page)
    await isHere(page)
    t.strictSame(await violations(page), [])
    await page.reload()
    t.equal(await page.getByLabel('Domain').inputValue(), '', 'it is shown once')
    t.strictSame(page.complaints, [])
    t.same((await stateOf(panel))['accounts'], before['accounts'])
  })

  await t.test('does not show it to another user', async () => {
    const page = await openForm()
    await endAll()
    await send(page, 'Create account')
    await signInAt(page, 'rita', operatorsPassword)
    t.equal(await page.getByLabel('Username').inputValue(), '')
  })

  await t.test('shows it again after the network broke, and does the work once', async () => {
    const page = await openForm()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('chrome-error://**')
    await page.context().setOffline(false)
    await page.goBack()
    await page.goto('/accounts/new')
    await notice(page)
    await isHere(page)
  })

  await t.test('lists all problems of a form, and leads to each by a link', async t => {
    const page = await openForm()
    await page.getByLabel('Username').fill('No good')
    await page.getByLabel('Domain').fill('https:// /')
    await send(page, 'Create account')
    t.equal(await page.getByLabel('Username').inputValue(), 'No good')
    t.ok(await page.getByText('There are 2 problems').isVisible())
    t.strictSame(await violations(page), [])
    const link = page.getByRole('link', { name: /^Domain/ })
    await link.press('Enter')
    t.equal(await page.evaluate('document.activeElement.id'), 'field-domain')
    t.strictSame(page.complaints, [])
  })
})

t.test('a search', { skip: withoutChromium, timeout: 600_000 }, async t => {
  const { panel, browser } = await openStage(t)
  const page = await openWindow(t, browser, panel)
  await page.goto('/sign-in')
  await signInAt(page, 'boss', operatorsPassword)

  await t.test('suggests by keyboard what is typed', async t => {
    await page.keyboard.press('/')
    await page.keyboard.type('alice')
    const search = page.getByRole('combobox', { name: 'Search' })
    await page.getByRole('option').first().waitFor()
    t.equal(await search.getAttribute('aria-expanded'), 'true')
    t.strictSame(await violations(page), [])
    await page.keyboard.press('ArrowDown')
    const chosen = page.locator('[role=option][aria-selected=true]')
    t.match(await chosen.innerText(), /^alice\s/)
    t.equal(await search.getAttribute('aria-activedescendant'), await chosen.getAttribute('id'))
    await page.keyboard.press('Escape')
    t.equal(await search.getAttribute('aria-expanded'), 'false')
    t.equal(await search.inputValue(), 'alice', 'the text stays')
    await page.keyboard.type(' ')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/accounts/alice')
  })

  await t.test('takes hostile and enormous text, and no network', async t => {
    const search = page.getByRole('combobox', { name: 'Search' })
    for (const text of ['<img src=x onerror=alert(1)>', '%_\\', 'x'.repeat(254), '\u202e']) {
      await search.fill(text)
      await page.waitForTimeout(300)
      t.equal(await page.getByRole('option').count(), 0)
    }
    await page.context().setOffline(true)
    await search.fill('alice')
    await page.waitForTimeout(300)
    t.equal(await page.getByRole('option').count(), 0)
    await page.context().setOffline(false)
  })
})
