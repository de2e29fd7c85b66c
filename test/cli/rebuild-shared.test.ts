import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { openPanel } from '../panel.ts'
import { callPanel } from './fixtures/run-panel.ts'

// A server without accounts has files that they will share.

const panel = await openPanel(t)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const rebuild = () => callPanel(['ctl', 'rebuild'], environment)

t.test('without an account what they would share is put right', async t => {
  const listen = join(panel.root, 'etc/nginx/panel/listen.conf')
  writeFileSync(listen, 'listen 81;\n')
  t.match(await rebuild(), {
    code: 0,
    stdout: /^all accounts: \S+listen\.conf was different\n$/,
    stderr: /0 accounts rebuilt, 0 failed/,
  })
  t.match(readFileSync(listen, 'utf8'), 'listen 80;')
  t.match(await rebuild(), { code: 0, stdout: '' })
})

t.test('what cannot be put right is said, and is once it can', async t => {
  const folder = join(panel.root, 'etc/ssh/sshd_config.d')
  rmSync(folder, { recursive: true })
  const said = await rebuild()
  t.match(said, { code: 1, stdout: /60-panel\.conf was missing and could not be put right\n/ })
  mkdirSync(folder)
  t.match(await rebuild(), { code: 0, stdout: /60-panel\.conf was missing\n$/ })
})
