import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'
import { withoutRestic } from '../support/restic.ts'
import { until } from '../support/until.ts'
import { signIn, signInAs, type SignedIn } from '../support/web/signed-in.ts'

// Backups by pages, with the real restic on the sandbox host.

t.test('backups and restores by pages', { skip: withoutRestic }, async t => {
  const panel = await openPanel(t)
  const at = (path: string): string => join(panel.root, path)
  await panel.call('PUT', '/api/v1/packages/starter', { body: { backups: 'none' } })
  for (const username of ['alice', 'bob']) {
    const body = { ...alice, username, domain: `${username}.example` }
    await panel.call('POST', '/api/v1/accounts', { body })
  }
  const [customer, bob, admin] = [
    await signInAs(panel, 'alice'),
    await signInAs(panel, 'bob'),
    await signIn(panel),
  ]
  const own = '/account/backups'
  const text = async (who: SignedIn, path: string) => (await who.get(path)).text
  const ended = (who: SignedIn, path: string) =>
    until(async () => !/Waiting|Dumping|Storing|Backing|Reading|Moving/.test(await text(who, path)))

  await t.test('without a target a page says who has to add one', async t => {
    t.match(await text(customer, own), /ask your provider/)
    t.match(await text(admin, '/accounts/alice/backups'), /panel account-backup target add/)
  })

  mkdirSync(at('usr/local/sbin'), { recursive: true })
  mkdirSync(at('mnt/backups'), { recursive: true })
  symlinkSync('/usr/bin/restic', at('usr/local/sbin/restic'))
  const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
  const words = ['account-backup', 'target', 'add', 'disk', '--folder', '/mnt/backups']
  t.equal((await callPanel(words, environment)).code, 0)
  mkdirSync(at('home/alice/files/notes'))
  const file = at('home/alice/files/notes/a <b>.txt')
  writeFileSync(file, 'kept')

  await t.test('a customer backs the account up now', async t => {
    t.match(await text(customer, own), 'No backup yet')
    t.equal((await customer.submit(`${own}/new`)).status, 303)
    t.ok(await until(async () => (await text(customer, own)).includes('/account/backups/1"')))
    t.ok(await ended(customer, own))
    t.match(await text(customer, own), /id="backup-1"[^]*Done/)
  })

  await t.test('files are browsed by folder, with their names escaped', async t => {
    t.match(await text(customer, `${own}/1`), /path=files"/)
    const notes = await text(customer, `${own}/1?path=files%2Fnotes`)
    t.match(notes, 'a &lt;b&gt;.txt')
    t.match(notes, `${own}/1/restore/path/files%2Fnotes%2Fa%20%3Cb%3E.txt`)
    for (const path of ['files%2Fnone', '..%2Fbob', '%2Fetc']) {
      t.match((await customer.get(`${own}/1?path=${path}`)).status, /^4/, path)
    }
  })

  await t.test('a restore is previewed, and brings a file back', async t => {
    writeFileSync(file, 'changed')
    const form = `${own}/1/restore/path/files%2Fnotes%2Fa%20%3Cb%3E.txt`
    const page = await text(customer, form)
    t.match(page, /a &lt;b&gt;.txt is replaced/)
    t.match(page, 'backed up first')
    const sent = await customer.submit(form, { keeps_replaced: 'on' })
    t.equal(sent.status, 303, sent.text)
    t.ok(await until(() => readFileSync(file, 'utf8') === 'kept'))
    t.ok(await ended(customer, own))
    t.match(await text(customer, own), /id="restore-1"[^]*Done/)
    t.equal((await customer.get(`${own}/1/restore/path/etc%2Fpasswd`)).status, 404)
    t.equal((await customer.get(`${own}/1/restore/shell/x`)).status, 404)
    t.match((await customer.get(`${own}/1/restore/path/files%2Fnone`)).status, /^4/)
  })

  await t.test('a customer sees no other account, and an administrator each', async t => {
    t.equal((await bob.get(`${own}/1`)).status, 404)
    t.equal((await bob.get(`${own}/1/restore/everything/all`)).status, 404)
    const operators = await customer.get('/accounts/alice/backups')
    t.equal(operators.status, 303)
    t.notMatch(operators.text, 'backup-1')
    t.match(await text(admin, '/accounts/alice/backups/1'), 'Restore everything')
    const everything = await text(admin, '/accounts/alice/backups/1/restore/everything/all')
    t.match(everything, 'panel account-backup restore alice 1 --everything')
    t.ok(existsSync(file))
  })
})
