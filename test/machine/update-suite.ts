import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { until } from '../support/until.ts'
import { type DebianMachine, openDebian } from './debian-machine.ts'
import { installByOptions } from './first-install.ts'
import { addBob, type Client, openClient } from './installed.ts'
import { keyFile, keyText, openNext } from './next-release.ts'
import { unpacked } from './refusals.ts'
import { showKills, showRollbackKills, updateUnkept } from './update-kills.ts'
import { underLoad } from './update-load.ts'
import { showRefusals } from './update-refusals.ts'
import { showRetry } from './update-retry.ts'
import {
  installedVersion,
  type Make,
  outcome,
  type Panel,
  showNothingLeft,
  showWhole,
  sql,
} from './updated.ts'

// An installed panel is updated, taken back, and interrupted in both.

export async function showUpdates(t: Test, suite: string): Promise<void> {
  const open = await openDebian(t, suite)
  const machine = await open('updated')
  await machine.boot()
  await installByOptions(t, machine)
  const client = await openClient(machine)
  await addBob(t, machine, client)
  const panel = await updatable(machine, client)

  await t.test('a refused update changes nothing', t => showRefusals(t, panel))
  await t.test('a failed update rolls itself back', t => showFailures(t, panel))
  await t.test('killed at any step, it is taken back', t => showKills(t, panel))
  await t.test('a step during which PostgreSQL was away is attempted again', t =>
    showRetry(t, machine, client),
  )
  await t.test('an update goes on below its clients', t => showUpdate(t, panel))
  await t.test('a rollback killed is taken back too', t => showRollbackKills(t, panel))
  await t.test('a rollback keeps the rows', t => showRollback(t, panel))
  await t.test('a rollback of the rows too gives nothing back', t => showRestore(t, panel))
  await machine.cut()
}

/** Makes releases that an installed panel believes. */
async function updatable(machine: DebianMachine, client: Client): Promise<Panel> {
  writeFileSync(join(machine.root, keyFile), keyText())
  const folder = join(machine.root, 'srv/next')
  const next = await openNext(join(machine.root, unpacked), folder)
  // As the machine sees it.
  const make: Make = async (files, manifest) =>
    (await next(files, manifest)).slice(machine.root.length)
  return { machine, client, make }
}

/** One update, and one rollback. */
export async function showUpdateAndRollback(
  t: Test,
  machine: DebianMachine,
  client: Client,
): Promise<void> {
  const panel = await updatable(machine, client)
  const updated = await machine.run(['panel', 'update', '--yes', await panel.make()])
  t.equal(updated.code, 0, updated.stderr)
  await showWhole(t, panel, '0.2.0')
  for (const words of [[], ['--restore-database']]) {
    const refused = await machine.run(['panel', 'rollback', ...words])
    t.match(refused, { code: 1, stderr: /use --yes/ })
  }
  const back = await machine.run(['panel', 'rollback', '--yes'])
  t.equal(back.code, 0, back.stderr)
  await showWhole(t, panel, '0.1.0')
}

async function showFailures(t: Test, panel: Panel): Promise<void> {
  const { machine, make } = panel
  const ends = 'process.exit(1)\n'
  const broken: [step: string, files: Record<string, string>][] = [
    ['migrate', { 'sql/migrations/9001-bad.sql': 'create table panel.accounts ();' }],
    ['restart', { 'bin/panel-worker.ts': ends }],
    ['restart', { 'bin/panel-api.ts': ends }],
    ['health', { 'tasks/server/check.ts': `export default () => { throw new Error('no') }\n` }],
  ]
  for (const [step, files] of broken) await showTakenBack(t, panel, step, await make(files))
  const dumps = '/var/lib/panel/update/dumps'
  await machine.must('mkdir', '-p', dumps)
  await machine.must('mount', '-t', 'tmpfs', '-o', 'size=16k,mode=700', 'full', dumps)
  t.match(
    await showTakenBack(t, panel, 'dump', await make()),
    /would fill the disk of .*dumps: free some space/,
  )
  await machine.must('umount', dumps)
  await showLock(t, panel, await make())
  await showWhole(t, panel, '0.1.0')
}

async function showLock(t: Test, { machine }: Panel, manifest: string): Promise<void> {
  const install = machine.start(['flock', '--close', '/run/panel-install.lock', 'sleep', '60'])
  await until(async () => (await machine.run(flockFails)).code === 1)
  const result = await machine.run(['panel', 'update', '--yes', manifest])
  t.match(result, {
    code: 1,
    stderr: /is already installing or uninstalling the panel\nNothing was changed/,
  })
  await install.stop()
}

const flockFails = ['flock', '--nonblock', '/run/panel-install.lock', 'true']

async function showTakenBack(
  t: Test,
  panel: Panel,
  step: string,
  manifest: string,
): Promise<string> {
  const { code, stderr } = await panel.machine.run(['panel', 'update', '--yes', manifest])
  t.equal(code, 1, stderr)
  t.match(outcome(panel), { from: '0.1.0', to: '0.2.0', outcome: 'undone', step }, stderr)
  t.equal(await installedVersion(panel), '0.1.0')
  await showNothingLeft(t, panel)
  return stderr
}

async function showUpdate(t: Test, panel: Panel): Promise<void> {
  const { machine, client, make } = panel
  const path = await make()
  const seen = await underLoad(t, panel, () => machine.run(['panel', 'update', '--yes', path]))
  t.equal(seen.result.code, 0, seen.result.stderr)
  t.comment(`figure: update under load: slowest read ${seen.slowestReadMs} ms, \
slowest write ${seen.slowestWriteMs} ms, ${seen.created.length} accounts`)
  t.ok(seen.slowestReadMs <= 3_000, 'no read takes long')
  await showWhole(t, panel, '0.2.0')
  t.match(outcome(panel), { from: '0.1.0', to: '0.2.0', outcome: 'done' })
  const info = JSON.parse(await machine.must('panel', 'ctl', 'info', '--json')) as object
  t.match(info, { rollback_to: '0.1.0', interrupted_update: null })
  for (const name of seen.created) {
    t.match(await client('GET', `/accounts/${name}`), { status: 200, body: { state: 'active' } })
  }
  // Each once, though some were asked for again.
  const rows = await sql(
    machine,
    `select count(*) from panel.operations where username like 'load%'`,
  )
  t.equal(Number(rows), seen.created.length)
  t.match(await machine.run(['panel', 'update', '--yes', path]), { code: 0, stderr: /already/ })
  const older = await make({}, { version: '0.1.5' })
  t.match(await machine.run(['panel', 'update', '--yes', older]), { code: 1, stderr: /is older/ })
}

async function showRollback(t: Test, panel: Panel): Promise<void> {
  const { machine } = panel
  const rollback = ['panel', 'rollback', '--yes']
  const { result: output } = await underLoad(t, panel, () => machine.run(rollback), 'back')
  t.equal(output.code, 0, output.stderr)
  const log = await machine.must('journalctl', '--output=cat', '--unit=panel-*')
  const [between = ''] = log.split('] stop\n').at(-1)?.split('] restart\n') ?? []
  t.match(between, /Stopped panel-api\.service.*\] migrate/s)
  t.notMatch(between, /Starting panel-api\.service/, 'a call starts it')
  await showWhole(t, panel, '0.1.0')
  const again = await machine.run(['panel', 'rollback', '--yes'])
  t.match(again, { code: 1, stderr: /no earlier release to roll back to/ })
  await updateUnkept(t, panel)
}

async function showRestore(t: Test, panel: Panel): Promise<void> {
  const { machine, client } = panel
  t.match(await client('POST', '/accounts', { ...carol, username: 'carol' }), { status: 201 })
  t.match(await client('DELETE', '/accounts/bob'), { status: 200 })
  const result = await machine.run(['panel', 'rollback', '--restore-database', '--yes'])
  t.equal(result.code, 0, result.stderr)
  t.match(result.stderr, /Suspended, because they are no longer on the server: bob/)
  t.match(result.stderr, /no longer known to the panel: carol/)
  t.equal(await installedVersion(panel), '0.1.0')
  t.equal((await client('GET', '/accounts/carol')).status, 404)
  await until(async () => (await client('GET', '/accounts/bob')).body['state'] === 'suspended')
  // The number that carol had is not given again.
  t.match(await client('POST', '/accounts', { ...carol, username: 'dave' }), { status: 201 })
  const uid = (name: string) => machine.must('id', '-u', name)
  t.not(await uid('dave'), await uid('carol'))
  const held = await sql(machine, 'select paused_since is not null from panel.server')
  t.equal(held, 't')
}

const carol = {
  password: 'correct horse battery',
  email: 'carol@example.com',
  package: 'starter',
}
