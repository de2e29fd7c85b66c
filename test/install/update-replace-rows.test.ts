import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { loadRows, makeDump } from '../../src/install/update/dump.ts'
import { replaceRows } from '../../src/install/update/replace-rows.ts'
import { migrate } from '../../src/migrate.ts'
import { ensureServerKey } from '../../src/start/server-key.ts'
import { rowsMark } from '../../src/unfinished-restore.ts'
import { openPanel } from '../support/panel.ts'
import { inherited, startProcess } from '../support/processes.ts'

// PostgreSQL may be gone for long after a power cut in the middle of a rollback of the database.

const { databaseUrl } = await openPanel(t, { hasWorker: false })
const folder = t.testdir({})
const [dump, stateDir] = [join(folder, 'dumps/first'), join(folder, 'state')]
mkdirSync(join(folder, 'dumps'))
mkdirSync(stateDir)
await ensureServerKey(join(stateDir, 'key'))
await makeDump(databaseUrl, dump)
const mark = rowsMark(stateDir)
const environment = {
  ...{ DATABASE_URL: databaseUrl, PANEL_STATE_DIR: stateDir, PANEL_DEVELOPMENT: 'yes' },
  PANEL_LISTEN: '127.0.0.1:0',
}
const away = new URL(databaseUrl)
away.hostname = encodeURIComponent(join(folder, 'nowhere'))

t.test('rows that are replaced in part keep the panel from starting', async t => {
  await t.rejects(replaceRows(mark, () => loadRows(away.href, dump, [])))
  t.ok(existsSync(mark))
  for (const name of ['api', 'worker', 'courier']) {
    const child = spawn(process.execPath, [`bin/panel-${name}.ts`], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...inherited, ...environment },
    })
    t.teardown(() => child.kill('SIGKILL'))
    const running = Promise.all([text(child.stdout), text(child.stderr)])
    t.strictSame(await once(child, 'exit'), [75, null], name)
    t.match(
      (await running).join(''),
      /data is incomplete: systemctl start panel-update-resume/,
      name,
    )
  }
})

t.test('once they are whole it starts', async t => {
  await replaceRows(mark, () => loadRows(databaseUrl, dump, []))
  t.notOk(existsSync(mark))
  await migrate(databaseUrl)
  await startProcess(t, 'bin/panel-api.ts', [], { ready: /api ready/, environment })
})
