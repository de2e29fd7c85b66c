import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ensureServerKey } from '../../src/start/server-key.ts'
import { openPanel } from '../panel.ts'
import { type Child, startProcess } from '../processes.ts'
import { scratch } from '../start/fixtures/scratch.ts'
import { until } from '../until.ts'

// A panel that has nothing to do.

const fixture = join(import.meta.dirname, '../fixtures/tell-loaded.ts')
const panel = await openPanel(t, { hasWorker: false })
const stateDir = join(scratch(t), 'state')
mkdirSync(stateDir)
await ensureServerKey(join(stateDir, 'key'))
const environment = {
  DATABASE_URL: panel.databaseUrl,
  PANEL_STATE_DIR: stateDir,
  PANEL_DEVELOPMENT: 'yes',
  PANEL_LISTEN: '127.0.0.1:0',
}
const said: Record<string, string> = {}
const start = (name: string) =>
  startProcess(t, `bin/panel-${name}.ts`, [], {
    ready: new RegExp(`${name} ready`),
    environment: { ...environment, NODE_OPTIONS: `--import=${fixture}` },
    onOutput: text => (said[name] = `${said[name] ?? ''}${text}`),
  })
const processes = Object.fromEntries(
  await Promise.all(['api', 'worker', 'courier'].map(async name => [name, await start(name)])),
) as Record<string, Child>

// Each takes megabytes of every process that has loaded it.
t.test('has loaded nothing that only work needs', async t => {
  for (const [name, { child }] of Object.entries(processes)) {
    child.kill('SIGUSR2')
    const list = await until(() => /^\{"loaded":.*\}$/m.exec(said[name] ?? '')?.[0])
    t.match(list, 'node_modules/pg/', name)
    for (const module of ['undici', 'tldts', 'mysql2', 'acme-client'])
      t.notMatch(list, module, name)
  }
})
