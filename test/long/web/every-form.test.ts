import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import type { CDPSession, Page } from 'playwright-core'
import type { Fields } from '../../../src/web/fields.ts'
import type { Role } from '../../../src/web/page.ts'
import { isFull } from '../../support/full.ts'
import { openPanel } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import {
  freePort,
  openBrowser,
  openWindow,
  overflow,
  withoutChromium,
} from '../../support/web/chromium.ts'
import { type Asked, names, stage, stateOf } from '../../support/web/every-form.ts'
import { cookiesOf } from '../../support/web/signed-in.ts'

// Every form in a real browser, empty, with enormous and hostile text, on a slow and a broken
// network, sent twice, from a second tab, after Back and after the end of the session: each error
// is next to its field, nothing typed is lost, and a form writes once.

// Slow 4G as Lighthouse has it.
const slow = {
  ...{ offline: false, latency: 150 },
  ...{ downloadThroughput: 209_715, uploadThroughput: 96_000 },
}
const fast = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }
const broken = { ...fast, offline: true }

const hostile = `"'><img src=x onerror=alert(1)>\u202e${'m'.repeat(600)}`
const enormous = `${hostile}${'m'.repeat(20_000)}`

const fitting: Record<string, string> = {
  ...{ username: 'fresh', email: 'fresh@example.com', name: 'fresh', domain: 'fresh.example' },
  ...{ password: 'a password of it', package: 'starter', reason: 'unpaid', code: '000000' },
  ...{ max_sites: '1', disk_mb: '1024', memory_mb: '64', cpu_percent: '10', max_accounts: '1' },
  ...{ url: 'https://fresh.example/' },
}

/** A form on its own page, where it has one. */
type Shown = Asked & { page: Asked['page'] & { path: string } }

t.test('a browser', { skip: withoutChromium, timeout: 1_800_000 }, async t => {
  const panel = await openPanel(t, { origin: { host: '127.0.0.1', port: await freePort() } })
  const asked = await stage(panel)
  const forms = asked.filter(one => asked.find(({ page }) => page === one.page) === one) as Shown[]
  const { pool } = panel
  const browser = await openBrowser(t)

  const open = async (t: Test, role: Role) => {
    const page = await openWindow(t, browser, panel, await cookiesOf(panel, names[role]))
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    return { page, network }
  }
  const shape = (network: CDPSession, conditions: typeof fast) =>
    network.send('Network.emulateNetworkConditions', conditions)
  const forget = () =>
    pool.query('delete from panel.session_writes; delete from panel.sign_in_attempts')
  const calm = () =>
    until(async () => {
      const { rowCount } = await pool.query(
        `select from panel.operations where state not in ('done', 'failed')`,
      )
      return rowCount === 0
    })
  const changed = (before: object, after: Record<string, unknown>) =>
    Object.keys(after).filter(
      name =>
        !['operations', 'sessions', 'history'].includes(name) &&
        !isDeepStrictEqual(after[name], before[name as keyof object]),
    )

  const roles = ['administrator', 'reseller', 'customer'] as const
  const own = (role: Role) => forms.filter(one => one.role === role)
  // Each of the other two takes a browser as long as all of the first.
  let met = 0
  const some = (role: Role) => own(role).filter(() => isFull || met++ % 3 === 0)

  for (const role of roles) {
    await t.test(`refuses what a ${role} cannot mean, and keeps what was typed`, async t => {
      const { page, network } = await open(t, role)
      for (const { path, fields } of own(role)) {
        const form = await openForm(page, path)
        if (form === undefined) continue
        const what = `${path}:`
        const before = await stateOf(panel)
        const [first] = Object.keys(fields)
        await fillAll(page, form, fields, name => (name === first ? enormous : hostile))
        if (typable(fields).length > 0) {
          // On a broken network, the browser says so, and Back shows what was typed.
          const typed = await valuesOf(page, form)
          await shape(network, broken)
          const seen = page.complaints.length
          const lost = page.waitForEvent('requestfailed')
          await page.locator(`${form} [type=submit]`).last().click({ noWaitAfter: true })
          await lost
          await shape(network, fast)
          await page.goto(path)
          // The browser and scripts report the network that is broken here.
          page.complaints.splice(seen)
          t.strictSame(await valuesOf(page, form), typed, `${what} kept on a broken network`)

          await submit(page, form)
          const errors = await errorsOf(page, form)
          t.not(errors.length, 0, `${what} an error`)
          t.strictSame(
            errors.filter(({ isBeside }) => !isBeside),
            [],
            `${what} next to its field`,
          )
          t.equal(await overflow(page), 0, `${what} no sideways scroll`)
          t.strictSame(await valuesOf(page, form), typed, `${what} shown as it was typed`)
          await page.goto(path)
        }
        if (required(fields).length > 0 && (await page.locator(form).count()) > 0) {
          await fillAll(page, form, fields, () => '')
          await submit(page, form)
          const errors = await errorsOf(page, form)
          t.not(errors.length, 0, `${what} an error where nothing is typed`)
          t.ok(errors[0]?.isFocused, `${what} the first has the focus`)
        }
        t.strictSame(changed(before, await stateOf(panel)), [], `${what} nothing is changed`)
        await forget()
      }
      t.strictSame(page.complaints, [])
    })
  }

  for (const role of roles) {
    await t.test(`gives a ${role} back what was typed when the session ends`, async t => {
      const { page } = await open(t, role)
      for (const { path, fields } of some(role)) {
        if (typable(fields).length === 0) continue
        const form = await openForm(page, path)
        if (form === undefined) continue
        await fillAll(page, form, fields, name => fitting[name] ?? 'kept')
        const typed = await valuesOf(page, form)
        const before = await stateOf(panel)
        await page.context().clearCookies()
        await submit(page, form)
        t.match(new URL(page.url()).pathname, /^\/sign-in/, path)
        t.strictSame(changed(before, await stateOf(panel)), [], `${path} is not sent`)
        const cookies = await cookiesOf(panel, names[role])
        await addCookies(page, panel.baseUrl, cookies)
        await page.goto(path)
        t.strictSame(await valuesOf(page, form), typed, `${path} has what was typed`)
        await forget()
      }
      t.strictSame(page.complaints, [])
    })
  }

  for (const role of roles) {
    await t.test(`writes once for a ${role} who clicks twice on a slow network`, async t => {
      for (const { path, fields } of some(role)) {
        const { page, network } = await open(t, role)
        const form = await openForm(page, path)
        if (form === undefined) {
          await page.context().close()
          continue
        }
        const other = await page.context().newPage()
        const otherForm = await openForm(other, path)
        const fill = async (tab: Page) => {
          await fillAll(tab, form, fields, name => fitting[name])
          const confirm = tab.locator(`${form} [name=confirm]`)
          if ((await confirm.count()) > 0) await confirm.fill('x')
        }
        await fill(page)
        if (otherForm !== undefined) await fill(other)
        const count = async () => {
          const { rows } = await pool.query<{ operations: number; history: number }>(
            `select (select count(*)::int from panel.operations
                where session_id is not null and status < 400) as operations,
              (select count(*)::int from panel.history
                where action not like 'session/%') as history`,
          )
          return rows[0]!
        }
        const before = await count()
        await shape(network, slow)
        const button = page.locator(`${form} [type=submit]`).last()
        const left = page.waitForEvent('framenavigated', { timeout: 10_000 }).catch(() => undefined)
        await button.dblclick({ noWaitAfter: true }).catch(() => undefined)
        await left
        await page.waitForLoadState()
        await shape(network, fast)
        await calm()
        const after = await count()
        t.ok(after.operations - before.operations <= 1, `${path}: one operation`)
        const heading = await page.locator('h1').first().textContent()
        t.notMatch(heading, /went wrong|error/i, `${path}: an answer`)

        // Back shows the form again, and its repeat from there does nothing more.
        await page.goBack().catch(() => undefined)
        if (otherForm !== undefined && !other.isClosed()) {
          await submit(other, form)
          await calm()
          t.match(await other.locator('h1').first().textContent(), /\S/, `${path}: a second tab`)
        }
        t.strictSame(page.complaints, [], path)
        await page.context().close()
        await forget()
        await pool.query(`update panel.sellers set suspended_at = null`)
        await panel.call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })
      }
    })
  }
})

const isTyped = ({ kind }: Fields[string]) => ['text', 'textarea', 'number'].includes(kind)
const typable = (fields: Fields) => Object.values(fields).filter(isTyped)
const required = (fields: Fields) =>
  typable(fields).filter(({ schema }) => !schema.safeParse(undefined).success)

/** Opens the page of a form; returns the form's selector, or nothing where it offers nothing. */
async function openForm(page: Page, path: string) {
  const answer = await page.goto(path)
  if (answer === null || answer.status() >= 400) return undefined
  const form = `form[method=post][action="${path}"]:not([data-upload])`
  return (await page.locator(form).count()) > 0 ? form : undefined
}

async function fillAll(
  page: Page,
  form: string,
  fields: Fields,
  valueOf: (name: string) => string | undefined,
) {
  for (const [name, { kind }] of Object.entries(fields)) {
    const input = page.locator(`${form} [name="${name}"]`).first()
    const value = valueOf(name)
    if (value === undefined || (await input.count()) === 0) continue
    if (['text', 'textarea', 'number', 'password', 'email'].includes(kind)) await input.fill(value)
  }
}

async function submit(page: Page, form: string) {
  await page.evaluate('document.documentElement.id = "left"')
  await page.locator(`${form} [type=submit]`).last().click()
  await page.locator('html:not(#left) body').waitFor()
  await page.waitForLoadState()
}

// The values of the fields, without passwords.
const valuesOf = (page: Page, form: string): Promise<Record<string, string>> =>
  page.evaluate(
    `Object.fromEntries(
       [...document.querySelectorAll('${form} [data-in-call]')]
         .filter(one => ['text', 'textarea', 'email', 'url', 'search'].includes(one.type)
           && !('unkept' in one.dataset))
         .map(one => [one.name, one.value]))`,
  )

type Error = { text: string; isBeside: boolean; isFocused: boolean }

// The errors of a form: those of fields, or its notice.
const errorsOf = (page: Page, form: string): Promise<Error[]> =>
  page.evaluate(`[...document.querySelectorAll(
    '${form} .error:not([hidden]), ${form} > .notice.bad')]
    .map(error => {
    const field = error.closest('.field')
    const input = field?.querySelector('[aria-invalid], [role=group]') ?? field
    const described = field?.querySelector('[aria-describedby~="' + error.id + '"]') ??
      (field?.getAttribute('aria-describedby')?.includes(error.id) ? field : null)
    return {
      text: error.textContent,
      isBeside: error.matches('.notice') || (input !== null && described !== null),
      isFocused: field === null || field === undefined || field.contains(document.activeElement),
    }
  })`)

async function addCookies(
  page: Page,
  url: string,
  { session, customer }: { session?: string; customer?: string },
) {
  const kept = { panel: session, 'panel-account': customer }
  for (const [name, value] of Object.entries(kept)) {
    if (value !== undefined) await page.context().addCookies([{ name, value, url }])
  }
}
