import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'

// Warnings about shared services show their present state, for every account that they affect, and
// not what its last operation met.

const panel = await openPanel(t, { hasWorker: false })
const websites = 'nginx is not running: websites are not served'
const sftp = 'sshd is not running: SFTP logins fail'

/** Stops these services, as systemd reports them. */
function stop(...services: string[]): void {
  const folder = join(panel.root, 'usr/local/sbin')
  mkdirSync(folder, { recursive: true })
  const cases = services.map(
    service =>
      `*is-active*${service}*) exit 3;; reload*${service}) echo is not active >&2; exit 1;;`,
  )
  const script = `#!/bin/sh\ncase "$*" in ${cases.join(' ')} *) exit 0;; esac\n`
  writeFileSync(join(folder, 'systemctl'), script)
  chmodSync(join(folder, 'systemctl'), 0o755)
  // The number of no process.
  const pid = join(panel.root, 'run/nginx.pid')
  mkdirSync(dirname(pid), { recursive: true })
  if (services.includes('nginx')) writeFileSync(pid, '4194305\n')
  else rmSync(pid, { force: true })
}
const reported = async (username: string): Promise<string[]> =>
  (await panel.call('GET', `/api/v1/accounts/${username}`)).body.warnings
const act = (verb: string) => panel.call('POST', `/api/v1/accounts/alice/${verb}`, { body: {} })

t.test('a difference that an operation meets is reported for all its accounts', async t => {
  stop()
  let worker = await panel.startWorker()
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  await panel.call('PUT', '/api/v1/packages/closed', { body: { sftp: false } })
  const { domain: _, ...bare } = alice
  for (const body of [
    alice,
    { ...alice, username: 'bob', domain: 'bob.example', package: 'closed' },
    { ...bare, username: 'carol' },
  ])
    t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)
  t.strictSame(await reported('alice'), [])

  stop('nginx')
  t.strictSame((await act('suspend')).body.warnings, [websites])
  t.strictSame(await reported('alice'), [websites])
  t.strictSame(await reported('bob'), [websites], 'who had no operation')
  t.strictSame(await reported('carol'), [], 'who has no website')
  t.strictSame((await act('suspend')).body.warnings, [websites], 'where nothing was to be done')

  stop('nginx', 'ssh')
  await worker.stop()
  worker = await panel.startWorker()
  t.strictSame(await reported('alice'), [websites, sftp])
  t.strictSame(await reported('bob'), [websites], 'who may not use SFTP')
  t.strictSame(await reported('carol'), [sftp])

  stop()
  await worker.stop()
  await panel.startWorker()
  t.strictSame(await reported('alice'), [])
  t.strictSame(await reported('carol'), [])
  t.strictSame((await act('unsuspend')).body.warnings, [])
  const { rows } = await panel.pool.query('select distinct warnings from panel.accounts')
  t.strictSame(rows, [{ warnings: [] }], 'none of it is kept with an account')
})
