import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { runPanel } from '../../support/cli/run-panel.ts'
import { until } from '../../support/until.ts'
import { openLinuxPanel, run, startServices } from '../machine.ts'
import { showClosedSockets, showRebuild } from '../rebuild.ts'
import { showAllSettings } from '../rebuilt-settings.ts'

startServices('nginx', 'sshd')
const panel = await openLinuxPanel(t)
let worker = await panel.startMachineWorker()
await panel.call('PUT', '/api/v1/packages/starter', { body: { memory_mb: 128 } })

const own = /:memory:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1]
const limitsOf = (uid: number) => ({
  path: `/sys/fs/cgroup/memory${own}/panel-${uid}/memory.limit_in_bytes`,
  other: String(999 * 2 ** 20),
})

t.test('a rebuild puts right manual changes on the machine', async t => {
  await showRebuild(t, panel, { limitsOf })
})

t.test('a rebuild opens PHP whose socket is gone or closed', t => showClosedSockets(t, panel))

t.test('a rebuild restores a website with all settings', t => showAllSettings(t, panel))

t.test('limits that the kernel has forgotten are set at the next start', async t => {
  const { rows } = await panel.pool.query(`select uid from panel.accounts where username = 'rita'`)
  const { path, other } = limitsOf(rows[0].uid)
  const before = readFileSync(path, 'utf8')
  await worker.kill()
  writeFileSync(path, other)
  writeFileSync('/var/lib/panel/compared', 'an earlier start\n')
  worker = await panel.startMachineWorker()
  t.ok(await until(() => readFileSync(path, 'utf8') === before))
  t.ok(await until(() => readFileSync('/var/lib/panel/compared', 'utf8') !== 'an earlier start\n'))
})

t.test('a rebuild warns that nginx is not running, while that is so', async t => {
  const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: '/var/lib/panel-state' }
  const rebuild = () => runPanel(['ctl', 'rebuild'], { ...environment, PANEL_HOST: 'linux' })
  const words = 'panel: nginx is not running: websites are not served\n'
  t.equal((await run('nginx', ['-s', 'stop'])).code, 0)
  t.ok(await until(async () => (await run('pgrep', ['-x', 'nginx'])).code !== 0))
  const result = await rebuild()
  t.match(result, { code: 0, stdout: '' })
  t.match(result.stderr, words)
  startServices('nginx')
  t.notMatch((await rebuild()).stderr, words)
})
