import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { toInstalled, toPolicies } from '../../src/install/php-versions.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'

// Root lists the versions of PHP and chooses the one that accounts run by default.

const panel = await openPanel(t)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const call = (...words: string[]) => callPanel(['php', ...words], environment)
const programs = join(panel.root, 'usr/sbin')
const unit = () => readFileSync(join(panel.root, 'etc/systemd/system/panel-php@.service'), 'utf8')
const link = join(panel.root, 'etc/panel/php/default')

mkdirSync(programs, { recursive: true })
for (const version of ['8.2', '8.10', '8.4']) writeFileSync(join(programs, `php-fpm${version}`), '')
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
const created = await panel.call('POST', '/api/v1/accounts', { body: alice })
if (created.status !== 201) throw new Error(created.text)

t.test('the newest version is the default until one is chosen', async t => {
  const { versions } = (await call('ls', '--json')).json()
  t.strictSame(
    versions,
    [
      { version: '8.10', is_installed: true, is_default: true, accounts: 1, websites: 1 },
      { version: '8.4', is_installed: true, is_default: false, accounts: 0, websites: 0 },
      { version: '8.2', is_installed: true, is_default: false, accounts: 0, websites: 0 },
    ].map((one, index) => ({ ...one, supported_until: [null, '2028-12-31', '2026-12-31'][index] })),
  )
  t.match((await call('ls')).stdout, /^8\.4 +yes +no +0 +0 +2028-12-31$/m)
})

t.test('a chosen version is run by every account, and newest takes it back', async t => {
  t.match(await call('default', '8.2'), { code: 0, stdout: /^default +8\.2$/m })
  t.equal(readlinkSync(link), '/usr/sbin/php-fpm8.2')
  t.match(unit(), 'ExecStart=/usr/sbin/php-fpm8.2 ')
  t.equal((await call('ls', '--json')).json().versions[2].is_default, true)
  t.match(await call('default', 'newest'), { code: 0, stdout: /newest/ })
  t.notOk(existsSync(link))
  t.match(unit(), 'ExecStart=/usr/sbin/php-fpm8.10 ')
})

t.test('a version that is not installed is refused, and nothing changes', async t => {
  t.equal((await call('default', '8.4')).code, 0)
  t.match(await call('default', '8.3'), {
    code: 1,
    stderr: /PHP 8\.3 is not installed; installed: 8\.10, 8\.4, 8\.2/,
  })
  t.equal(readlinkSync(link), '/usr/sbin/php-fpm8.4')
  for (const words of ['8', '8.2.1', '../8.2', '8.2;', '', 'latest', '08.2']) {
    t.equal((await call('default', words)).code, 2, words)
  }
  t.match((await panel.pool.query('select php_version from panel.server')).rows, [
    { php_version: '8.4' },
  ])
})

t.test('doctor finds, and a rebuild corrects, another version on the machine', async t => {
  rmSync(link)
  const found = await callPanel(['ctl', 'doctor', '--problems'], environment)
  t.match(found.stdout, /php-default: Accounts run PHP 8\.10 by default and not 8\.4/)
  t.match(await callPanel(['ctl', 'rebuild'], environment), { code: 0 })
  t.equal(readlinkSync(link), '/usr/sbin/php-fpm8.4')
  rmSync(join(programs, 'php-fpm8.4'))
  const gone = await callPanel(['ctl', 'doctor', '--problems'], environment)
  t.match(gone.stdout, /php-default: .*8\.4.*is not installed/)
})

t.test('nothing is installed in a sandbox', async t => {
  t.match(await call('install', '8.3'), { code: 1, stderr: /sandbox host installs no packages/ })
})

t.test('the policy of apt says which packages it knows', async t => {
  const text = `php8.2-fpm:
  Installed: 8.2.29-1~deb12u1
  Candidate: 8.2.30-1~deb12u1
  Version table:
 *** 8.2.29-1~deb12u1 100
        100 /var/lib/dpkg/status
php8.2-gd:
  Installed: (none)
  Candidate: 8.2.30-1~deb12u1
  Version table:
php8.3-gd:
  Installed: (none)
  Candidate: (none)
  Version table:
`
  t.strictSame(
    [...toPolicies(text)],
    [
      ['php8.2-fpm', { installed: '8.2.29-1~deb12u1', candidate: '8.2.30-1~deb12u1' }],
      ['php8.2-gd', { installed: undefined, candidate: '8.2.30-1~deb12u1' }],
      ['php8.3-gd', { installed: undefined, candidate: undefined }],
    ],
  )
  t.equal(toPolicies('').size, 0)
})

t.test('a package that was only unpacked is not installed', async t => {
  const text = 'php8.4-fpm iF \nphp8.4-gd ii \nphp8.4-xml iU \nphp8.4-zip hi \nphp8.4-intl rc \n'
  t.strictSame([...toInstalled(text)], ['php8.4-gd', 'php8.4-zip'])
})
