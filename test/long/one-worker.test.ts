import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { openPanel } from '../support/panel.ts'
import { inherited, startProcess } from '../support/processes.ts'

t.test('one worker drives a machine; when it is killed the next one can', async t => {
  const panel = await openPanel(t, { hasWorker: false })
  const environment = {
    DATABASE_URL: panel.databaseUrl,
    PANEL_STATE_DIR: join(panel.root, '..'),
  }
  const ready = /worker ready/
  const first = await startProcess(t, 'bin/panel-worker.ts', [], { ready, environment })

  const second = spawn(process.execPath, [join(import.meta.dirname, '../../bin/panel-worker.ts')], {
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  second.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = await once(second, 'exit')
  t.equal(code, 75)
  t.match(output, new RegExp(`Process ${first.child.pid} is already this server's worker`))

  await first.kill()
  await startProcess(t, 'bin/panel-worker.ts', [], { ready, environment })
  t.pass('the next one is ready')
})
