import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { ensureServerKey } from '../../src/start/server-key.ts'
import { openPanel } from '../support/panel.ts'
import { inherited, startProcess } from '../support/processes.ts'
import { scratch } from '../support/scratch.ts'
import { until } from '../support/until.ts'
import { get } from '../support/http/channels.ts'

// The processes of a panel whose database comes later than they do.

const panel = await openPanel(t, { hasWorker: false })
const folder = scratch(t)
const stateDir = join(folder, 'state')
const given = new URL(panel.databaseUrl)
// Leads to the database's folder once that is there.
const link = join(folder, 'postgres')
const path = decodeURIComponent(given.hostname)
given.hostname = encodeURIComponent(link)
const environment = {
  DATABASE_URL: given.href,
  PANEL_STATE_DIR: stateDir,
  PANEL_DEVELOPMENT: 'yes',
}
mkdirSync(stateDir)
await ensureServerKey(join(stateDir, 'key'))

/** A port on which the API listens that was given its socket, by sd_listen_fds(3). */
async function startApi(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  const { fd } = (holder as unknown as { _handle: { fd: number } })._handle
  // The number of the process is known once it is there.
  const command = ['-c', 'LISTEN_PID=$$ exec "$@"', 'sh', process.execPath, 'bin/panel-api.ts']
  const child = spawn('sh', command, {
    stdio: ['ignore', 'ignore', 'inherit', fd],
    env: { ...inherited, ...environment, LISTEN_FDS: '1' },
  })
  t.teardown(() => child.kill('SIGKILL'))
  holder.close()
  return port
}

t.test('a panel comes up without its database, says so, and works once it is there', async t => {
  const waits = (file: string) =>
    startProcess(t, file, [], { ready: /waiting for the database/, environment })
  const port = await startApi()
  const [worker, courier] = await Promise.all(
    ['bin/panel-worker.ts', 'bin/panel-courier.ts'].map(waits),
  )
  const ask = () => get({ host: '127.0.0.1', port }, panel.token).catch(() => undefined)
  t.ok(await until(async () => (await ask()) === 503))
  symlinkSync(path, link)
  t.ok(await until(async () => (await ask()) === 200))
  const readyz = () => panel.call('GET', '/readyz', { token: null })
  t.ok(await until(async () => (await readyz()).status === 200), 'with all of its processes')
  for (const { child } of [worker!, courier!]) t.equal(child.exitCode, null, 'the first ones')
})
