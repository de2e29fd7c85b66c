import { once } from 'node:events'
import { existsSync, mkdirSync, renameSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { installedVersion, outcome, type Panel, showNothingLeft, showWhole } from './updated.ts'

// An update or a rollback is killed, or loses its power, and the next moment is as if it had never
// begun.

const state = 'var/lib/panel/update'

/** Updates that are killed before anything has changed, and at what changes. */
export async function showKills(t: Test, panel: Panel): Promise<void> {
  const path = await panel.make()
  await showEarlyKills(t, panel, path)
  const update = ['panel', 'update', '--yes', path]
  for (const step of updateSteps) {
    // Without its power, what comes up takes it back.
    const end = step === 'switch' ? cut : kill
    await interrupt(panel, update, step, end, () => existsSync(inState(panel, 'journal.json')))
    t.match(outcome(panel), { outcome: 'undone', kind: 'update', to: '0.2.0' }, step)
    t.equal(await installedVersion(panel), '0.1.0')
    await showNothingLeft(t, panel)
  }
  await showWhole(t, panel, '0.1.0')
}

// A failing update (updateUnkept) shows the kill in `keep`: from there on nothing is taken back.
const updateSteps = ['migrate', 'prepare', 'drain', 'dump', 'switch', 'restart', 'health']
const rollbackSteps = [
  ...['prepare', 'drain', 'stop', 'work', 'migrate', 'switch', 'restart', 'health'],
]

/** Rollbacks that are killed. */
export async function showRollbackKills(t: Test, panel: Panel): Promise<void> {
  const rollback = ['panel', 'rollback', '--yes']
  for (const step of rollbackSteps) await showRollbackKill(t, panel, rollback, step)
  const withRows = [...rollback, '--restore-database']
  for (const step of ['dump', 'restore']) await showRollbackKill(t, panel, withRows, step)
  await showWhole(t, panel, '0.2.0')
}

async function showRollbackKill(t: Test, panel: Panel, command: string[], step: string) {
  await interrupt(panel, command, step, kill, () => existsSync(inState(panel, 'journal.json')))
  t.match(outcome(panel), { outcome: 'undone', kind: 'rollback', to: '0.1.0' }, step)
  t.equal(await installedVersion(panel), '0.2.0')
  await showNothingLeft(t, panel)
}

/** An update that is up, and can't note it: it is not taken back, but ended by the next one. */
export async function updateUnkept(t: Test, panel: Panel): Promise<void> {
  const { machine } = panel
  const update = ['panel', 'update', '--yes', await panel.make()]
  const history = inState(panel, 'history.json')
  await interrupt(panel, update, 'health', async () => {
    renameSync(history, `${history}.own`)
    mkdirSync(history)
  })
  t.ok(existsSync(inState(panel, 'journal.json')))
  for (const command of ['install', 'uninstall']) {
    const refused = await machine.run(['panel', command, '--yes'])
    t.match(refused, {
      code: /[1-9]/,
      stderr: /update to 0\.2\.0 is in progress or was interrupted/,
    })
  }
  rmdirSync(history)
  renameSync(`${history}.own`, history)
  const result = await machine.run(update)
  t.match(result, {
    code: 0,
    stderr: /was interrupted and is undone first.*0\.2\.0 is already installed/s,
  })
  t.match(outcome(panel), { from: '0.1.0', to: '0.2.0', outcome: 'done' })
  await showNothingLeft(t, panel)
}

// Nothing has changed before a migration, so nothing is taken back; a fetch goes on where it was.
async function showEarlyKills(t: Test, panel: Panel, path: string): Promise<void> {
  const update = ['panel', 'update', '--yes', `${site}${path}`]
  const before = outcome(panel)
  const fetched = inState(panel, `download/panel-0.2.0-linux-${process.arch}.tar.xz`)
  const stages: [step: string, isThere?: () => boolean][] = [
    ['manifest'],
    ['archive', () => existsSync(fetched) && statSync(fetched).size > 0],
    ['unpack'],
    ['doctor'],
  ]
  for (const [step, isThere] of stages) {
    const server = await serve(panel, step)
    await interrupt(panel, update, step, kill, isThere)
    await server.stop()
    if (step === 'unpack') t.match(server.output(), /^up\nfrom [1-9]/, 'it goes on where it was')
    t.strictSame(outcome(panel), before, step)
    t.notOk(existsSync(inState(panel, 'journal.json')))
    t.equal(await installedVersion(panel), '0.1.0')
    await showNothingLeft(t, panel)
  }
}

const inState = ({ machine }: Panel, name: string) => join(machine.root, state, name)

/** Waits until a step is in progress, ends it, and waits until all is finished. */
async function interrupt(
  { machine }: Panel,
  command: string[],
  step: string,
  end: (machine: DebianMachine) => Promise<unknown>,
  isThere = () => true,
): Promise<void> {
  const { child } = machine.start(command)
  const ended = once(child, 'close')
  let output = ''
  child.stderr?.on('data', (text: Buffer) => (output += text.toString()))
  child.stdout?.resume()
  const hasBegun = () => output.includes(`] ${step}\n`) && isThere()
  await until(() => hasBegun() || child.exitCode !== null, 60_000)
  if (child.exitCode !== null) throw new Error(`${step} never began: ${output}`)
  await end(machine)
  // The command follows whatever takes it back.
  await ended
}

const listed = `systemctl list-units --plain --no-legend --state=active 'panel-update-*'`

// The leftovers of a kill within a write of the journal are there, too.
const kill = (machine: DebianMachine) =>
  machine.must('sh', '-c', `touch ${halfWritten}; ${killing}`)
const halfWritten = `/${state}/.journal.json.new`
const killing = `systemctl kill --signal=KILL $(${listed} | cut -d' ' -f1)`

async function cut(machine: DebianMachine): Promise<void> {
  await machine.cut()
  await machine.boot()
}

const site = 'http://127.0.0.1:8099'

/** Serves the machine's files, and falls silent in a step. */
async function serve({ machine }: Panel, step: string) {
  const { child, stop } = machine.start(['/opt/panel/current/node', '-e', serving, step])
  let output = ''
  child.stdout?.on('data', (text: Buffer) => (output += text.toString()))
  await until(() => output.startsWith('up'))
  return { stop, output: () => output }
}

// The manifest is read by the command, and then by the unit.
const serving = `
const { readFileSync } = require('node:fs')
const step = process.argv[1]
let manifests = 0
const answer = (request, response) => {
  const bytes = readFileSync(request.url)
  if (request.url.endsWith('.json')) {
    manifests += 1
    if (step !== 'manifest' || manifests === 1) response.end(bytes)
    return
  }
  const from = Number(/bytes=([0-9]+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
  console.log('from ' + from)
  response.writeHead(from === 0 ? 200 : 206)
  if (step === 'archive') response.write(bytes.subarray(from, bytes.length / 2))
  else response.end(bytes.subarray(from))
}
require('node:http').createServer(answer).listen(8099, '127.0.0.1', () => console.log('up'))
`
