import { TOTP } from 'otpauth'
import t from 'tap'
import { addOperator } from '../../../src/model/sellers/operators.ts'
import { openPanel } from '../../support/panel.ts'
import {
  follow,
  freePort,
  openBrowser,
  openWindow,
  pathOf,
  send,
  signInAt,
  withoutChromium,
} from '../../support/web/chromium.ts'
import { openSession } from '../../support/web/signed-in.ts'

// An administrator's first hour, in a real browser.

t.test('from a password to a second factor, and out again', async t => {
  if (withoutChromium) return t.comment(withoutChromium)
  const panel = await openPanel(t, {
    hasWorker: false,
    origin: { host: '127.0.0.1', port: await freePort() },
  })
  const boss = { name: 'boss', email: 'boss@example.com', password: 'a password of it' }
  await addOperator(panel.pool, { ...boss, role: 'administrator' })
  const page = await openWindow(t, await openBrowser(t), panel)

  await page.goto('/packages?q=x')
  t.equal(await pathOf(page), '/sign-in')
  await signInAt(page, 'boss', 'another password')
  await page.getByText('The username or password is wrong.').waitFor()
  t.equal(await page.getByLabel('Username').inputValue(), 'boss')
  t.equal(await page.getByLabel('Password').inputValue(), '')
  await signInAt(page, 'boss', boss.password)
  t.equal(await pathOf(page), '/packages', 'where it was going')

  await page.goto('/my-account')
  await page.getByRole('link', { name: 'Set up' }).click()
  await page.getByLabel('Your password').fill(boss.password)
  await send(page, 'Set up')
  const secret = await page.getByLabel('Secret for the authenticator app').inputValue()
  const totp = new TOTP({ secret })
  await page.getByLabel('Code', { exact: true }).fill(totp.generate())
  await send(page, 'Confirm')
  const codes = await page.locator('pre code').innerText()
  t.match(codes, /^([A-Z2-7]{4}(-[A-Z2-7]{4}){3}\n?){10}$/)
  await page.getByRole('link', { name: "I've saved them" }).click()
  await page.getByText('On: signing in takes a code from your authenticator app').waitFor()
  await send(page, 'Sign out')

  const enter = async (code: string) => {
    await page.goto('/sign-in')
    await signInAt(page, 'boss', boss.password)
    t.equal(await pathOf(page), '/sign-in/code')
    await page.getByLabel('Code').fill(code)
    await send(page, 'Sign in')
  }
  // The code of the next 30 seconds is taken already, as a clock may be behind.
  const code = totp.generate({ timestamp: Date.now() + 30_000 })
  await enter(code)
  t.equal(await pathOf(page), '/overview')
  await send(page, 'Sign out')
  await enter(code)
  await page.getByText('This code is not valid right now').waitFor()
  await enter(codes.split('\n')[0]!)
  t.equal(await pathOf(page), '/overview')
  await send(page, 'Sign out')
  await page.goBack()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  t.equal(await pathOf(page), '/sign-in', 'the back button leads to nothing of the panel')
  t.strictSame(page.complaints, [])
})

t.test('from an empty server to an account that comes and goes', async t => {
  if (withoutChromium) return t.comment(withoutChromium)
  const panel = await openPanel(t, {
    hasWorker: false,
    origin: { host: '127.0.0.1', port: await freePort() },
  })
  const session = await openSession(panel, 'admin')
  const page = await openWindow(t, await openBrowser(t), panel, { session })

  await page.goto('/overview')
  await page.getByRole('link', { name: 'Create a package' }).click()
  await page.getByLabel('Name').fill('starter')
  await send(page, 'Create package')
  t.equal(await pathOf(page), '/packages')

  await page.goto('/overview')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Username').fill('Alice')
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByLabel('E-mail address', { exact: true }).fill('alice@example.com')
  await page.getByLabel('Domain').fill('alice.example')
  await page.getByText('The same as an API call').click()
  const call = page.locator('.call code').first()
  await call.getByText('"domain":"alice.example"').waitFor()
  await page.getByLabel('Domain').fill('shop.alice.example')
  await page.getByLabel('Domain').blur()
  await call.getByText('"domain":"shop.alice.example"').waitFor()
  t.notMatch(await call.innerText(), 'correct horse', 'no password leaves the field')
  await page.getByLabel('Domain').fill('alice.example')
  await send(page, 'Create account')
  const focused = page.locator(':focus')
  t.equal(await focused.getAttribute('name'), 'username', 'the wrong field has the focus')
  t.equal(
    await page.getByLabel('E-mail address', { exact: true }).inputValue(),
    'alice@example.com',
  )
  t.equal(await page.getByLabel('Password').inputValue(), '', 'no password comes back')
  await focused.fill('alice')
  await page.getByLabel('Password').fill('correct horse battery')
  await send(page, 'Create account')
  await page.getByText('About to start').waitFor()
  t.match(await pathOf(page), /^\/jobs\//)
  const worker = await panel.startWorker()
  await page.waitForURL('**/accounts/alice')
  t.equal(
    await page.getByRole('heading', { level: 1 }).locator('span').first().innerText(),
    'alice',
  )

  await page.keyboard.press('/')
  await page.keyboard.type('alice.exam')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/accounts/alice')

  await page.getByRole('link', { name: 'Suspend' }).click()
  await page.getByLabel('Reason').fill('Invoice 4711 is overdue')
  await send(page, 'Suspend')
  await page.getByText('Suspended by an administrator: Invoice 4711').waitFor()
  await page.getByRole('link', { name: 'Unsuspend' }).click()
  await send(page, 'Unsuspend')
  await page.waitForURL('**/accounts/alice')

  // A list that is open shows by itself what others do meanwhile.
  const tabs = page.getByRole('navigation', { name: 'Parts of this page' })
  await follow(tabs.getByRole('link', { name: 'Jobs', exact: true }))
  const rows = page.locator('#jobs tbody tr')
  const before = await rows.count()
  await panel.call('PUT', '/api/v1/accounts/alice/package', { body: { package: 'starter' } })
  await rows.nth(before).waitFor()

  await page.getByRole('link', { name: 'Terminate' }).click()
  await page.getByLabel('Type "alice" to confirm').fill('alicia')
  await send(page, 'Terminate')
  await page.getByText('Type exactly "alice"').waitFor()
  await page.getByLabel('Type "alice" to confirm').fill('alice')
  await send(page, 'Terminate')
  await page.waitForURL('**/accounts')
  await page.getByText('No accounts yet').waitFor()
  t.strictSame(page.complaints, [])
  await worker.stop()
})

t.test('the keyboard alone is enough', async t => {
  if (withoutChromium) return t.comment(withoutChromium)
  const panel = await openPanel(t, { origin: { host: '127.0.0.1', port: await freePort() } })
  const session = await openSession(panel, 'admin')
  const page = await openWindow(t, await openBrowser(t), panel, { session })
  await page.goto('/packages/new')
  await page.keyboard.press('Tab')
  t.equal(await page.locator(':focus').innerText(), 'Skip to content')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  const seen: string[] = []
  for (let step = 0; step < 12; step++) {
    const name = await page.evaluate(
      'document.activeElement.name || document.activeElement.innerText.trim()',
    )
    seen.push(String(name))
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
    t.equal(outline, 'solid', `the focus on ${name} can be seen`)
    if (name === 'name') await page.keyboard.type('keyed')
    if (name === 'sftp') break
    await page.keyboard.press('Tab')
  }
  t.strictSame(seen.slice(-6), ['name', 'max_sites', 'disk_mb', 'memory_mb', 'cpu_percent', 'sftp'])
  await page.keyboard.press('Enter')
  await page.waitForURL('**/packages')
  t.equal(await page.getByRole('link', { name: 'keyed' }).count(), 1)
})
