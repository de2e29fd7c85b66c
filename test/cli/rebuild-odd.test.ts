import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { callPanel } from '../support/cli/run-panel.ts'

// Something odd in the place of an account's file is that account's trouble alone.

const panel = await openPanel(t)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const rebuild = (...words: string[]) => callPanel(['ctl', 'rebuild', ...words], environment)
const usernames = ['alice', 'bob', 'carol']
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
for (const username of usernames) {
  const body = { ...alice, username, domain: `${username}.example` }
  await panel.call('POST', '/api/v1/accounts', { body })
}
const { rows } = await panel.pool.query(
  `select s.id from panel.sites s join panel.accounts a on a.id = s.account_id order by a.username`,
)
const [ofAlice, ofBob] = rows.map(({ id }) => id as string)
const certificate = join(panel.root, `var/lib/panel/certificates/${ofAlice}`)
const web = (path: string) => join(panel.root, 'var/lib/panel/web', path)
const number = ofBob!.padStart(10, '0')

t.test('its account fails with the reason, and all others are rebuilt', async t => {
  mkdirSync(certificate)
  symlinkSync('/etc/passwd', join(certificate, 'served.pem'))
  const dry = await rebuild('--dry-run')
  t.match(dry, { code: 0, stderr: /1 of 3 accounts differ/ })
  t.match(dry.stdout, /^alice: websites cannot be compared: ELOOP.*\n$/)
  const result = await rebuild('--json')
  t.equal(result.code, 1)
  t.match(result.json(), {
    rebuilt: 2,
    failed: [{ username: 'alice', error: /^ELOOP: .*served\.pem/ }],
  })
})

t.test('all are rebuilt once the fault is gone', async t => {
  rmSync(certificate, { recursive: true })
  t.match(await rebuild(), { code: 0, stderr: /3 accounts rebuilt, 0 failed/ })
  t.match(await rebuild('--dry-run'), { code: 0, stdout: '' })
})

// A file in the place of one that the panel makes again is put aside, and nothing of it is lost.
const odd: [place: string, put: (path: string) => void][] = [
  [`live/${number}`, path => writeFileSync(path, 'odd')],
  [`suspended/${number}`, path => symlinkSync('/etc', path)],
  [`suspended/${number}/suspended`, path => writeFileSync(path, 'odd')],
  [`sites/${number}`, path => mkdirSync(path)],
  [`live/${number}/php.sock`, path => mkdirSync(path)],
  ['names/bob.example', path => mkdirSync(join(path, 'odd'), { recursive: true })],
  // For all websites.
  ['live', path => writeFileSync(path, 'odd')],
  ['sites', path => symlinkSync('/nowhere', path)],
  ['../../../../etc/panel/php', path => writeFileSync(path, 'odd')],
]

for (const [folder, put] of odd) {
  t.test(`a rebuild makes ${folder} again, whatever is in its place`, async t => {
    rmSync(web(folder), { recursive: true })
    put(web(folder))
    const result = await rebuild()
    t.match(result, { code: 0, stderr: /3 accounts rebuilt, 0 failed/ })
    t.match(await rebuild('--dry-run'), { code: 0, stdout: '' })
    const aside = join(dirname(web(folder)), `.moved-1-${basename(folder)}`)
    t.ok(lstatSync(aside), 'it is put aside')
    rmSync(aside, { recursive: true })
  })
}
