import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { TOTP } from 'otpauth'
import t, { type Test } from 'tap'
import { operatorsPassword, schemes, widths } from '../../screenshots/paths.ts'
import { beginFactor } from '../../screenshots/stage-factors.ts'
import {
  openWindow,
  overflow,
  pathOf,
  send,
  violations,
  withoutChromium,
  type Seen,
} from '../../support/web/chromium.ts'
import { openCustomerSession, openSession } from '../../support/web/signed-in.ts'
import { openStage } from '../../support/web/pages/stage.ts'

// The pages that no address leads to: answers of forms, secrets that are shown once among them, and
// the page of a suspended user. With PANEL_TEST_PICTURES a folder, each is drawn there.

const pictures = process.env['PANEL_TEST_PICTURES']
if (pictures !== undefined) mkdirSync(pictures, { recursive: true })

/** Checks the page that is being shown, at every width, in light and dark. */
async function decide(t: Test, page: Seen, name: string): Promise<void> {
  t.equal(await page.locator('h1').count(), 1, `${name} has one h1`)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    t.equal(await overflow(page), 0, `${name} has no sideways scroll at ${width} px`)
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      t.strictSame(
        await violations(page),
        [],
        `${name} has no fault at ${width} px, ${colorScheme}`,
      )
      if (pictures === undefined) continue
      const path = join(pictures, `${name}-${width}-${colorScheme}.png`)
      await page.screenshot({ path, fullPage: true })
    }
  }
}

const field = (page: Seen, name: string) => page.locator(`[name="${name}"]`)

t.test(
  'a form’s answers are legible at every width',
  { skip: withoutChromium, timeout: 600_000 },
  async t => {
    const { panel, browser, session } = await openStage(t)
    const page = await openWindow(t, browser, panel, { session })

    await t.test('is a form again, with a sentence for what is wrong', async t => {
      await page.goto('/accounts/new')
      await field(page, 'username').fill('Not A Name')
      await field(page, 'email').fill('nobody')
      await page.evaluate('document.querySelector("form[method=post]").noValidate = true')
      await send(page, 'Create account')
      t.ok((await page.locator('[aria-invalid="true"]').count()) >= 2)
      await decide(t, page, 'account-new-refused')
    })

    await t.test('is a token, once', async t => {
      const own = await openWindow(t, browser, panel, { session: await openSession(panel, 'rita') })
      await own.goto('/my-account/tokens/new')
      await field(own, 'name').fill('Billing')
      await field(own, 'current').fill(operatorsPassword)
      await send(own, 'Create token')
      await own.getByRole('heading', { name: 'API token created' }).waitFor()
      await decide(t, own, 'token-created')
      await panel.pool.query(
        `update panel.operators set credential_epoch = credential_epoch + 1 where name = 'rita'`,
      )
      const later = await openWindow(t, browser, panel, {
        session: await openSession(panel, 'rita'),
      })
      await later.goto('/my-account/tokens')
      await later.getByText('Void since a change of password').first().waitFor()
      await decide(t, later, 'token-void')
      t.strictSame([...own.complaints, ...later.complaints], [])
    })

    await t.test('is the secret of a webhook, once', async t => {
      await page.goto('/hooks/webhooks/new')
      await field(page, 'url').fill('https://billing.example.com/panel')
      await send(page, 'Add webhook')
      await page.getByRole('heading', { name: 'Webhook added' }).waitFor()
      await decide(t, page, 'webhook-added')
    })

    await t.test('is ten recovery codes, once', async t => {
      await beginFactor(panel.pool, 'rosa', 'next')
      const own = await openWindow(t, browser, panel, { session: await openSession(panel, 'rosa') })
      await own.goto('/my-account/second-factor/replace/set-up')
      const secrets = await own.evaluate<string[]>(
        '[...document.querySelectorAll("[data-copy]")].map(one => one.dataset.copy)',
      )
      const secret = secrets.find(one => /^[A-Z2-7]{32}$/.test(one))!
      await field(own, 'code').fill(new TOTP({ secret }).generate())
      await field(own, 'code').press('Enter')
      await own
        .getByText(/[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/)
        .first()
        .waitFor()
      await decide(t, own, 'recovery-codes')
      t.strictSame(own.complaints, [])
    })

    await t.test('a refusal is next to the field that goes beyond the plan', async t => {
      const own = await openWindow(t, browser, panel, { session: await openSession(panel, 'rita') })
      await own.goto('/packages/new')
      await field(own, 'name').fill('huge')
      await field(own, 'max_sites').fill('10000')
      await send(own, 'Create package')
      const message = own.getByText(/^Your plan allows .* websites in total/)
      await message.waitFor()
      t.equal(await field(own, 'max_sites').getAttribute('aria-invalid'), 'true')
      await decide(t, own, 'package-beyond-plan')
    })

    await t.test('is a session, for a link that a program may have opened before', async t => {
      const { body } = await panel.call('POST', '/api/v1/accounts/max9/login')
      const own = await openWindow(t, browser, panel)
      // Chromium without a screen says that it is none of a person's.
      await own.goto(new URL((body as { url: string }).url).pathname)
      await decide(t, own, 'sign-on')
      await send(own, 'Sign in')
      t.equal(await pathOf(own), '/account')
      t.strictSame(own.complaints, [])
    })

    await t.test('is one page alone for a customer who is suspended', async t => {
      const customer = await openCustomerSession(panel, 'max9')
      const { status } = await panel.call('POST', '/api/v1/accounts/max9/suspend')
      t.equal(status, 200)
      const own = await openWindow(t, browser, panel, { customer })
      t.equal((await own.goto('/account/sites'))?.status(), 403)
      await own.getByText('This account is suspended').first().waitFor()
      await decide(t, own, 'suspended')
      t.strictSame(own.complaints, [])
    })
    t.strictSame(page.complaints, [])
  },
)
