import t from 'tap'
import { openPanel } from '../../panel.ts'
import {
  follow,
  freePort,
  openBrowser,
  openWindow,
  pathOf,
  send,
  withoutChromium,
} from '../../web/chromium.ts'
import { openSession } from '../../web/signed-in.ts'

// An administrator's first hour, in a real browser.

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
  await page.getByText('It is about to begin').waitFor()
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
  await follow(tabs.getByRole('link', { name: 'Jobs' }))
  const rows = page.locator('#jobs tbody tr')
  const before = await rows.count()
  await panel.call('PUT', '/api/v1/accounts/alice/package', { body: { package: 'starter' } })
  await rows.nth(before).waitFor()

  await page.getByRole('link', { name: 'Terminate' }).click()
  await page.getByLabel('Type alice to confirm').fill('alicia')
  await send(page, 'Terminate')
  await page.getByText('Type alice to go on').waitFor()
  await page.getByLabel('Type alice to confirm').fill('alice')
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
