import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { alice, openPanel } from '../panel.ts'
import { callPanel } from './fixtures/run-panel.ts'

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
const live = (id = '') => join(panel.root, `var/lib/panel/web/live/${id.padStart(10, '0')}`)

t.test('its account fails with the reason, and all others are rebuilt', async t => {
  mkdirSync(certificate)
  symlinkSync('/etc/passwd', join(certificate, 'served.pem'))
  rmSync(live(ofBob), { recursive: true })
  writeFileSync(live(ofBob), '')
  const dry = await rebuild('--dry-run')
  t.match(dry, { code: 0, stderr: /2 of 3 accounts differ/ })
  t.match(dry.stdout, /^alice: websites cannot be compared: ELOOP.*\nbob: websites cannot be.*\n$/)
  const said = await rebuild('--json')
  t.equal(said.code, 1)
  t.match(said.json(), {
    rebuilt: 1,
    failed: [
      { username: 'alice', error: /^ELOOP: .*served\.pem/ },
      { username: 'bob', error: /^Not a folder: .*live/ },
    ],
  })
})

t.test('they are rebuilt when it is gone', async t => {
  rmSync(certificate, { recursive: true })
  rmSync(live(ofBob))
  t.match(await rebuild(), { code: 0, stderr: /3 accounts rebuilt, 0 failed/ })
  t.match(await rebuild('--dry-run'), { code: 0, stdout: '' })
})
