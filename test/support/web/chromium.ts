import { existsSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { chromium, type Browser, type Locator, type Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Panel } from '../panel.ts'

// Debian's chromium, which looks at pages as people do.

const executablePath = '/usr/bin/chromium'

/** Why no browser can be tested here, or false, for tap's `skip`. CI has it. */
export const withoutChromium: string | false =
  process.env['CI'] === undefined && !existsSync(executablePath)
    ? 'There is no chromium (apt-get install chromium)'
    : false

/** Starts Chromium, with further flags of its own, such as for finding names of websites. */
export async function openBrowser(t: Test, flags: string[] = []): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...flags] })
  t.teardown(() => browser.close())
  return browser
}

/** The options of a window. */
export type Window = {
  width?: number
  colorScheme?: 'light' | 'dark'
  /** The value of the session's cookie; without one the window is signed out. */
  session?: string
  /** The same of a customer's. */
  customer?: string
  /** The same of a user whose password was right, and whose code is still to come. */
  pending?: string
  hasScripts?: boolean
}

export type Seen = Page & {
  /** The faults: on the console, in scripts, or as a request to elsewhere. */
  complaints: string[]
}

/** A window on the panel, which writes down whatever should not be. */
export async function openWindow(
  t: Test,
  browser: Browser,
  { baseUrl }: Pick<Panel, 'baseUrl'>,
  { width = 1_440, colorScheme = 'light', hasScripts = true, ...cookies }: Window = {},
): Promise<Seen> {
  const context = await browser.newContext({
    viewport: { width, height: width < 600 ? 740 : 900 },
    colorScheme,
    javaScriptEnabled: hasScripts,
    baseURL: baseUrl,
  })
  t.teardown(() => context.close())
  const { session, customer, pending } = cookies
  const kept = { panel: session, 'panel-account': customer, 'panel-pending': pending }
  for (const [name, value] of Object.entries(kept)) {
    if (value !== undefined) await context.addCookies([{ name, value, url: baseUrl }])
  }
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    // Chromium's hints are no complaints: it reports, for one, that it leaves the focus alone where
    // the user typed faster than the page.
    if (!['error', 'warning'].includes(message.type())) return
    // Chromium says so of each page with such a status.
    if (!/status of (4\d\d|5\d\d)/.test(message.text())) complaints.push(message.text())
  })
  // A page that is left or resized before its transition has run is Chromium's affair: style asked
  // for the transition, and no script holds the promise that Chromium rejects.
  page.on('pageerror', error => {
    if (!/Transition was (skipped|aborted)/.test(String(error))) complaints.push(String(error))
  })
  page.on('dialog', dialog => complaints.push(`a dialog: ${dialog.message()}`))
  page.on('request', request => {
    if (!request.url().startsWith(`${baseUrl}/`)) complaints.push(`a request to ${request.url()}`)
  })
  return Object.assign(page, { complaints })
}

/** Clicks on what leads to another page, and returns when that is being shown. */
export async function follow(link: Locator): Promise<void> {
  const page = link.page()
  // The click alone returns before a page comes that took its time.
  await page.evaluate('document.documentElement.id = "left"')
  await link.click()
  await page.locator('html:not(#left) body').waitFor()
}

/** The path of the page that is being shown; the window's own word for it may be late. */
export const pathOf = (page: Page): Promise<string> => page.evaluate('location.pathname')

/** Presses the button that sends a form, and returns when its answer is being shown. */
export const send = (page: Page, button: string): Promise<void> =>
  follow(page.getByRole('button', { name: button, exact: true }))

/** Signs in with name and password, from the page that asks for them. */
export async function signInAt(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await send(page, 'Sign in')
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

type Violation = { id: string; nodes: { html: string; failureSummary: string }[] }

/** Returns axe-core's faults of the page as it is, a line each. */
export async function violations(page: Page): Promise<string[]> {
  // From a file, past the page's Content-Security-Policy.
  if (!(await page.evaluate('"axe" in window'))) {
    const { readFile } = await import('node:fs/promises')
    await page.evaluate(await readFile(axe, 'utf8'))
  }
  const found = (await page.evaluate('axe.run().then(r => r.violations)')) as Violation[]
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  )
}

/** Returns by how much the page is wider than its window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth')

/** A port that is free now, for a panel whose links lead to it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
