import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { connect, connection } from '../../src/db.ts'
import { runDatabase } from '../../src/start/database.ts'
import { supervise } from '../../src/start/supervise.ts'
import { alice, openPanel } from '../support/panel.ts'
import { inherited } from '../support/processes.ts'
import { processesOf } from '../support/start/panel.ts'
import { eventually, scratch } from '../support/scratch.ts'

// The panel's real processes say that they live, and are replaced when they no longer do.

const panel = await openPanel(t, { hasWorker: false })
const stateDir = dirname(panel.root)
const environment = {
  ...inherited,
  DATABASE_URL: panel.databaseUrl,
  PANEL_STATE_DIR: stateDir,
  PANEL_LISTEN: '127.0.0.1:0',
  PANEL_BASE_URL: 'http://127.0.0.1:8443',
}
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })

for (const name of ['api', 'courier', 'worker']) {
  t.test(`a stopped ${name} is replaced, and what was asked for is done`, async t => {
    const file = join(import.meta.dirname, `../../bin/panel-${name}.ts`)
    const logFile = join(stateDir, `log/${name}.log`)
    const reported: string[] = []
    const running = supervise({
      ...{ name, environment, logFile },
      command: [process.execPath, file],
      silentMs: 4_000,
      report: sentence => void reported.push(sentence),
    })
    t.teardown(() => running.stop(5_000))
    const isReady = (times: number) => () =>
      readFileSync(logFile, 'utf8').split(`"${name} ready"`).length > times
    await eventually('it is ready', isReady(1))
    const [pid = 0] = processesOf(stateDir).filter(pid =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(file),
    )
    process.kill(pid, 'SIGSTOP')
    const answer =
      name === 'worker' ? panel.call('POST', '/api/v1/accounts', { body: alice }) : undefined
    await eventually('another one is ready', isReady(2))
    t.match(reported, [/did not respond for 4 s and was ended by SIGKILL/])
    if (answer !== undefined) t.equal((await answer).status, 201)
  })
}

t.test('a stopped PostgreSQL is replaced, with what it had, and keeps no stop waiting', async t => {
  const own = scratch(t)
  const reported: string[] = []
  const database = await runDatabase(own, sentence => void reported.push(sentence), 3_000)
  const ask = async (text: string) => {
    await using client = await connect(connection(database.url, 'panel_owner'))
    return (await client.query(text)).rowCount
  }
  const suspendAll = () => {
    const pidFile = readFileSync(join(own, 'postgres/postmaster.pid'), 'utf8')
    const postmaster = Number.parseInt(pidFile, 10)
    // First the one that would take note of those that end meanwhile.
    process.kill(postmaster, 'SIGSTOP')
    const text = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
    const children = text.trim().split(' ').map(Number)
    t.ok(children.length > 2)
    for (const pid of children) process.kill(pid, 'SIGSTOP')
  }
  await ask('create table kept as select 1')
  suspendAll()
  await eventually('it is noticed', () => reported.length > 0)
  t.match(
    reported[0],
    /^PostgreSQL accepted no connection for 3 s; PostgreSQL ended: .*starting it again$/,
  )
  await eventually('another one is up', () =>
    ask('select').then(
      () => true,
      () => false,
    ),
  )
  t.equal(await ask('select from kept'), 1)
  suspendAll()
  await database.stop()
  t.strictSame(processesOf(own), [])
})
