import t from 'tap'
import type { Page } from 'playwright-core'
import { operatorsPassword, tours, type Tour } from '../../screenshots/paths.ts'
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

// A browser keeps things after the end of a session: its back button, and forms in its other tabs.

// Some pages of each kind; a browser keeps 50 in its history.
const perTour = 16

const signInShown = (page: Page) => page.getByRole('heading', { name: 'Sign in' }).waitFor()

t.test('a browser', { skip: withoutChromium, timeout: 600_000 }, async t => {
  const { panel, browser } = await openStage(t)
  const signedIn = tours.filter(({ who }) => ['admin', 'rita', 'alice'].includes(who))

  for (const { who, paths: folders, cookies } of signedIn) {
    await t.test(`shows nothing of ${who}'s by its back button`, async t => {
      const page = await openWindow(t, browser, panel, await cookies(panel))
      const seen = some(folders)
      for (const path of seen) await page.goto(path)
      await send(page, 'Sign out')
      for (const path of seen.reverse()) {
        await page.goBack()
        await signInShown(page)
        t.equal(await pathOf(page), '/sign-in', `back at ${path}`)
      }
      t.strictSame(page.complaints, [])
    })
  }

  await t.test('sends nothing by a form that another tab has signed out of', async t => {
    const page = await openWindow(t, browser, panel)
    await page.goto('/sign-in')
    await signInAt(page, 'boss', operatorsPassword)
    const other = await page.context().newPage()
    await page.goto('/accounts/alice/suspend')
    await page.getByLabel('Reason').fill('unpaid')
    await other.goto('/overview')
    await send(other, 'Sign out')

    const before = await stateOf(panel)
    await send(page, 'Suspend')
    t.equal(await pathOf(page), '/sign-in')
    await page.goBack()
    await signInShown(page)
    t.strictSame(await stateOf(panel), before)

    await signInAt(page, 'boss', operatorsPassword)
    t.equal(await pathOf(page), '/accounts/alice/suspend', 'where it was')
    t.strictSame(page.complaints, [])
  })

  await t.test('sends nothing by a form of an earlier session, and shows it again', async t => {
    const page = await openWindow(t, browser, panel)
    await page.goto('/sign-in')
    await signInAt(page, 'boss', operatorsPassword)
    const forms = [
      {
        next: 'boss',
        path: '/accounts/rob/email',
        field: 'E-mail address',
        button: 'Change address',
      },
      {
        next: 'rita',
        path: '/accounts/rob/password',
        field: 'New password',
        button: 'Set password',
      },
    ]
    for (const { next, path, field, button } of forms) {
      const other = await page.context().newPage()
      await page.goto(path)
      await page.getByLabel(field).fill('mine@example.com')
      await other.goto('/sign-in')
      await signInAt(other, next, operatorsPassword)
      const before = await stateOf(panel)
      await send(page, button)
      await page.getByText('Nothing was changed: you have signed in again').waitFor()
      const isPassword = field === 'New password'
      t.equal(await page.getByLabel(field).inputValue(), isPassword ? '' : 'mine@example.com')
      if (isPassword) t.notMatch(await page.content(), 'mine@example.com')
      t.strictSame(await stateOf(panel), before)
      t.strictSame(await violations(page), [])
      if (!isPassword) {
        await send(page, button)
        await page.waitForURL('**/accounts/rob')
        await page.getByText('mine@example.com').first().waitFor()
      }
      await other.close()
    }
    t.strictSame(page.complaints, [])
  })

  await t.test('a form shows what another tab has done meanwhile', async t => {
    const page = await openWindow(t, browser, panel)
    await page.goto('/sign-in')
    await signInAt(page, 'boss', operatorsPassword)
    const other = await page.context().newPage()
    for (const tab of [page, other]) {
      await tab.goto('/accounts/velo/terminate')
      await tab.getByLabel('Type "velo" to confirm').fill('velo')
    }
    await send(page, 'Terminate')
    await page.waitForURL('**/accounts')
    await send(other, 'Terminate')
    await other.getByText('Unknown account: velo').waitFor()
    t.strictSame(page.complaints, [])
  })
})

/** Some of the pages, from all of them. */
function some(paths: Tour['paths']): string[] {
  // The page for a missing page has no button.
  const all = Object.entries(paths).filter(([name]) => !name.endsWith('missing'))
  const step = Math.ceil(all.length / perTour)
  return all.filter((_, index) => index % step === 0).map(([, path]) => path)
}
