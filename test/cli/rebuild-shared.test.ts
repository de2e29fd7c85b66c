import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { callPanel } from '../support/cli/run-panel.ts'

// Accounts share files, which a server without accounts has too, and services.

const panel = await openPanel(t)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const rebuild = (...words: string[]) => callPanel(['ctl', 'rebuild', ...words], environment)

t.test('without an account what they would share is put right', async t => {
  const file = join(panel.root, 'etc/nginx/conf.d/panel.conf')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, 'listen 81;\n')
  t.match(await rebuild(), {
    code: 0,
    stdout: /^all accounts: \S+panel\.conf was different\n$/,
    stderr: /0 accounts rebuilt, 0 failed/,
  })
  t.equal(readFileSync(file, 'utf8'), text)
  t.match(await rebuild(), { code: 0, stdout: '' })
})

t.test('a difference that cannot be put right is reported, and put right once it can', async t => {
  const folder = join(panel.root, 'etc/ssh/sshd_config.d')
  rmSync(folder, { recursive: true })
  const result = await rebuild()
  t.match(result, { code: 1, stdout: /60-panel\.conf was missing and could not be corrected\n/ })
  mkdirSync(folder)
  t.match(await rebuild(), { code: 0, stdout: /60-panel\.conf was missing\n$/ })
})

t.test('services that are not running are reported, and are no failure', async t => {
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  t.equal((await panel.call('POST', '/api/v1/accounts', { body: alice })).status, 201)
  t.strictSame((await rebuild('--json')).json().warnings, [])
  const tool = join(panel.root, 'usr/local/sbin/systemctl')
  mkdirSync(dirname(tool), { recursive: true })
  const stop = (service: string) =>
    writeFileSync(tool, `#!/bin/sh\ncase "$*" in *is-active*${service}*) exit 3;; esac\n`, {
      mode: 0o755,
    })
  const websites = 'nginx is not running: websites are not served'
  const sftp = 'sshd is not running: SFTP logins fail'
  for (const [service, warnings] of [
    ['nginx', [websites]],
    ['ssh', [sftp]],
    ['', [websites, sftp]],
    ['nothing', []],
  ] as const) {
    stop(service)
    // Known at once, and not only when the worker checks again.
    const result = await rebuild()
    const words = warnings.map(warning => `panel: ${warning}\n`).join('')
    const reported = `${words}panel: 1 account rebuilt, 0 failed, 0 differed\n`
    t.match(result, { code: 0, stdout: '' })
    t.equal(result.stderr, reported)
    const inJson = await rebuild('--json')
    t.equal(inJson.code, 0)
    t.strictSame(inJson.json().warnings, warnings)
    t.match(inJson.json(), { rebuilt: 1, failed: [] })
  }
})
