import { existsSync, readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { makeReseller } from '../../support/reseller.ts'
import { freePort, openBrowser, openWindow, send, type Seen } from '../../support/web/chromium.ts'
import { openSession } from '../../support/web/signed-in.ts'
import { openLinuxPanel, run, sftp, sftpByKey, startServices } from '../machine.ts'

// Every role's changes on the pages happen on the machine, and are seen in the same browser.

startServices('nginx', 'sshd')
const origin = { host: '127.0.0.1', port: await freePort() }
const panel = await openLinuxPanel(t, { origin })
await panel.startMachineWorker()
const { token } = await makeReseller(panel.pool, 'rita')
// Names of websites lead to this machine.
const browser = await openBrowser(t, ['--host-resolver-rules=MAP *.example 127.0.0.1'])
const accounts: Record<string, { password: string; domain: string }> = {
  alice: { password: 'correct horse battery', domain: 'alice.example' },
  rob: { password: 'staple battery horse', domain: 'rob.example' },
}
const codeBy = async (password: string) => (await sftp('alice', password, 'pwd\n')).code

const operatorPage = async (t: Test, name: string) =>
  openWindow(t, browser, panel, { session: await openSession(panel, name) })

/** Follows a form until what it leads to is shown, however long the work takes. */
async function sendAndSee(page: Seen, button: string, path: string): Promise<void> {
  await send(page, button)
  await page.waitForURL(`**${path}`)
}

/** Expects that a visitor in this browser sees this of a website. */
async function expectWebsite(t: Test, domain: string, status: number, words: string) {
  const page = await (await browser.newContext()).newPage()
  const answer = await page.goto(`http://${domain}/`)
  t.equal(answer?.status(), status, domain)
  t.match(await page.locator('body').innerText(), words)
  await page.context().close()
}

async function createAccount(page: Seen, packageName: string, username: string): Promise<void> {
  await page.goto('/packages/new')
  await page.getByLabel('Name').fill(packageName)
  await page.getByLabel('Websites').fill('2')
  await sendAndSee(page, 'Create package', '/packages')
  await page.goto('/accounts/new')
  const { password, domain } = accounts[username]!
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByLabel('E-mail address', { exact: true }).fill(`${username}@example.com`)
  await page.getByLabel('Domain').fill(domain)
  await sendAndSee(page, 'Create account', `/accounts/${username}`)
}

t.test('an administrator creates an account, whose website answers', async t => {
  const page = await operatorPage(t, 'admin')
  await createAccount(page, 'starter', 'alice')
  await expectWebsite(t, 'alice.example', 200, 'This website is ready')
  t.equal(await codeBy(accounts['alice']!.password), 0)
  t.strictSame(page.complaints, [])
})

t.test('a reseller creates one of its own, whose website answers too', async t => {
  const page = await operatorPage(t, 'rita')
  await createAccount(page, 'small', 'rob')
  await expectWebsite(t, 'rob.example', 200, 'This website is ready')
  const { status } = await panel.call('GET', '/api/v1/accounts/alice', { token })
  t.equal(status, 404, 'nothing of others')
  t.strictSame(page.complaints, [])
})

t.test('a customer comes by the link, adds a website, and opens its files', async t => {
  const page = await openWindow(t, browser, panel)
  const { body } = await panel.call('POST', '/api/v1/accounts/alice/login')
  await page.goto(body.url)
  // The headless browser says that it is one, so that it gets the button.
  await send(page, 'Sign in')
  t.equal(new URL(page.url()).pathname, '/account')

  await page.goto('/account/sites/new')
  await page.getByLabel('Domain').fill('shop.example')
  await sendAndSee(page, 'Add website', '/account/sites/shop.example')
  for (const record of ['203.0.113.4', '2001:db8::4']) {
    t.ok(await page.locator('.records').getByText(record).first().isVisible(), record)
  }
  await expectWebsite(t, 'shop.example', 200, 'This website is ready')
  await expectWebsite(t, 'www.shop.example', 200, 'This website is ready')

  const { password } = accounts['alice']!
  const next = 'battery of another horse'
  await page.goto('/account/security/password')
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill(next)
  await sendAndSee(page, 'Change password', '/account/security')
  t.equal(await codeBy(next), 0, 'the new password opens SFTP')
  t.not(await codeBy(password), 0)

  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', '/tmp/key'])
  await page.goto('/account/sftp/keys/new')
  await page.getByLabel('Public key').fill(readFileSync('/tmp/key.pub', 'utf8'))
  await sendAndSee(page, 'Add key', '/account/sftp')
  await page.locator('#keys tbody tr').waitFor()
  const shop = '/sites/shop.example/public/index.html'
  const put = await sftpByKey('alice', '/tmp/key', `put /etc/hostname ${shop}\n`)
  t.equal(put.code, 0, put.stderr)
  await expectWebsite(t, 'shop.example', 200, readFileSync('/etc/hostname', 'utf8').trim())
  t.strictSame(page.complaints, [])
})

t.test('suspended in the browser, everything of it is closed there and on the machine', async t => {
  const page = await operatorPage(t, 'admin')
  const customer = await openWindow(t, browser, panel)
  const { body } = await panel.call('POST', '/api/v1/accounts/alice/login')
  await customer.goto(body.url)
  await send(customer, 'Sign in')
  await page.goto('/accounts/alice/suspend')
  await page.getByLabel('Reason').fill('Invoice 4711 is overdue')
  await sendAndSee(page, 'Suspend', '/accounts/alice')
  await page.getByText('Suspended by an administrator: Invoice 4711').waitFor()
  for (const domain of ['alice.example', 'shop.example']) {
    await expectWebsite(t, domain, 503, 'This website is not available')
  }
  await expectWebsite(t, 'rob.example', 200, 'This website is ready')
  t.not((await sftpByKey('alice', '/tmp/key', 'pwd\n')).code, 0)
  await customer.goto('/account')
  await customer.getByRole('heading', { name: 'This account is suspended' }).waitFor()

  await page.goto('/accounts/alice/unsuspend')
  await sendAndSee(page, 'Unsuspend', '/accounts/alice')
  await expectWebsite(t, 'alice.example', 200, 'This website is ready')
  t.equal((await sftpByKey('alice', '/tmp/key', 'pwd\n')).code, 0)
  t.strictSame([...page.complaints, ...customer.complaints], [])
})

t.test('terminated in the browser, it is gone', async t => {
  const page = await operatorPage(t, 'admin')
  await page.goto('/accounts/alice/terminate')
  await page.getByLabel('Type "alice" to confirm').fill('alice')
  await sendAndSee(page, 'Terminate', '/accounts')
  t.equal(await page.getByRole('link', { name: 'alice', exact: true }).count(), 0)
  t.ok(await page.getByRole('link', { name: 'rob', exact: true }).isVisible())
  for (const domain of ['alice.example', 'shop.example']) {
    await expectWebsite(t, domain, 421, 'Misdirected')
  }
  t.not((await sftpByKey('alice', '/tmp/key', 'pwd\n')).code, 0)
  t.notOk(existsSync('/home/alice'))
  t.not((await run('getent', ['passwd', 'alice'])).code, 0)
  t.strictSame(page.complaints, [])
})
