import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Manifest } from '../../src/install/manifest.ts'
import { isFull } from '../full.ts'
import { until } from '../until.ts'
import { type DebianMachine, openDebian } from './debian-machine.ts'
import { installByOptions } from './first-install.ts'
import { addBob, type Client, openClient, visit } from './installed.ts'
import { keyFile, keyText, openNext } from './next-release.ts'
import { unpacked } from './refusals.ts'
import { underLoad } from './update-load.ts'

// An installed panel is updated, taken back, and interrupted in both.

type Panel = { machine: DebianMachine; client: Client; make: Make }
type Make = (files?: Record<string, string>, manifest?: Partial<Manifest>) => Promise<string>

export async function showUpdates(t: Test, suite: string): Promise<void> {
  const open = await openDebian(t, suite)
  const machine = await open('updated')
  await machine.boot()
  await installByOptions(t, machine)
  const client = await openClient(machine)
  await addBob(t, machine, client)
  writeFileSync(join(machine.root, keyFile), keyText())
  const folder = join(machine.root, 'srv/next')
  const next = await openNext(join(machine.root, unpacked), folder)
  // As the machine sees it.
  const make: Make = async (files, manifest) =>
    (await next(files, manifest)).slice(machine.root.length)
  const panel = { machine, client, make }

  await t.test('what fails is taken back by itself', t => showFailures(t, panel))
  await t.test('killed at any step, it is taken back', t => showKills(t, panel))
  await t.test('an update goes on below its clients', t => showUpdate(t, panel))
  await t.test('a rollback keeps the rows', t => showRollback(t, panel))
  await t.test('a rollback of the rows too gives nothing back', t => showRestore(t, panel))
  await machine.cut()
}

const installedVersion = async ({ machine }: Panel): Promise<string> => {
  const said = await machine.must('panel', 'ctl', 'info', '--json')
  return (JSON.parse(said) as { version: string }).version
}

const outcome = ({ machine }: Panel) =>
  JSON.parse(
    readFileSync(join(machine.root, 'var/lib/panel/update/outcome.json'), 'utf8'),
  ) as Record<string, string>

// One that is whole: it answers, works, and nothing of another is left.
async function showWhole(t: Test, panel: Panel, version: string): Promise<void> {
  const { machine, client } = panel
  await until(async () => (await client('GET', '/accounts/bob')).status === 200, 60_000)
  t.equal(await installedVersion(panel), version)
  t.match(await client('POST', '/accounts/bob/suspend', {}), { status: 200 })
  t.match(await client('POST', '/accounts/bob/unsuspend', {}), { status: 200 })
  t.equal(await visit(machine, 'bob.example', '/who.php'), '200 PHP of bob')
  await showNothingLeft(t, panel)
}

async function showNothingLeft(t: Test, { machine }: Panel): Promise<void> {
  t.equal(await sql(machine, 'select count(*) from panel.paused_tasks'), '0')
  const files = await machine.must('ls', '-A', '/var/lib/panel/update', '/opt/panel/releases')
  t.notMatch(files, /journal|\.new/)
  t.match(await machine.must('systemctl', '--failed', '--no-legend'), /^$/)
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
  t.match(await showTakenBack(t, panel, 'dump', await make()), /no space left/i)
  await machine.must('umount', dumps)
  await showWhole(t, panel, '0.1.0')
}

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

async function showKills(t: Test, panel: Panel): Promise<void> {
  const { machine, make } = panel
  const path = await make()
  const update = ['panel', 'update', '--yes', path]
  for (const step of isFull ? allSteps : someSteps) {
    const before = outcome(panel)['at']
    const { child } = machine.start(update)
    let said = ''
    child.stderr?.on('data', (text: Buffer) => (said += text.toString()))
    t.ok(await until(() => said.includes(`] ${step}\n`) || child.exitCode !== null, 60_000), said)
    if (step === 'switch') {
      // Without its power: what comes up takes it back.
      await machine.cut()
      await machine.boot()
    } else {
      await machine.run(['systemctl', 'kill', '--signal=KILL', 'panel-update.service'])
      // What takes it back is not active before it begins.
      await until(() => step === 'unpack' || outcome(panel)['at'] !== before, 60_000)
      await until(async () => !/^(de)?activ/m.test(await statesOf(panel)), 60_000)
    }
    if (step !== 'unpack') t.match(outcome(panel), { outcome: 'undone', to: '0.2.0' }, step)
    t.equal(await installedVersion(panel), '0.1.0')
    await showNothingLeft(t, panel)
  }
  await showWhole(t, panel, '0.1.0')
}

// Each kill costs an update and its way back.
const someSteps = ['migrate', 'drain', 'switch', 'restart']
const allSteps = ['unpack', 'settle', 'dump', 'health', ...someSteps]

const statesOf = async ({ machine }: Panel): Promise<string> =>
  (await machine.run(['systemctl', 'is-active', 'panel-update', 'panel-update-resume'])).stdout

async function showUpdate(t: Test, panel: Panel): Promise<void> {
  const { machine, client, make } = panel
  const path = await make()
  const seen = await underLoad(t, panel, () => machine.run(['panel', 'update', '--yes', path]))
  t.equal(seen.result.code, 0, seen.result.stderr)
  t.comment(`figure: update under load: slowest read ${seen.slowestReadMs} ms, \
slowest write ${seen.slowestWriteMs} ms, ${seen.created.length} accounts`)
  await showWhole(t, panel, '0.2.0')
  t.match(outcome(panel), { from: '0.1.0', to: '0.2.0', outcome: 'done' })
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
  const { machine, make } = panel
  const said = await machine.run(['panel', 'rollback', '--yes'])
  t.equal(said.code, 0, said.stderr)
  await showWhole(t, panel, '0.1.0')
  const again = await machine.run(['panel', 'rollback', '--yes'])
  t.match(again, { code: 1, stderr: /no release to go back to/ })
  const path = await make()
  t.match(await machine.run(['panel', 'update', '--yes', path]), { code: 0 })
}

async function showRestore(t: Test, panel: Panel): Promise<void> {
  const { machine, client } = panel
  t.match(await client('POST', '/accounts', { ...carol, username: 'carol' }), { status: 201 })
  t.match(await client('DELETE', '/accounts/bob'), { status: 200 })
  const made = await machine.must('panel', 'token', 'create', '--owner', 'admin', '--json')
  const said = await machine.run(['panel', 'rollback', '--restore-database', '--yes'])
  t.equal(said.code, 0, said.stderr)
  t.match(said.stderr, /Suspended, as the machine has them no more: bob/)
  t.match(said.stderr, /no longer known to the panel: carol/)
  t.equal(await installedVersion(panel), '0.1.0')
  t.equal((await client('GET', '/accounts/carol')).status, 404)
  await until(async () => (await client('GET', '/accounts/bob')).body['state'] === 'suspended')
  // The number that carol had is not given again.
  t.match(await client('POST', '/accounts', { ...carol, username: 'dave' }), { status: 201 })
  const uid = (name: string) => machine.must('id', '-u', name)
  t.not(await uid('dave'), await uid('carol'))
  t.match(made, /token/)
  const held = await sql(machine, 'select held_since is not null from panel.server')
  t.equal(held, 't')
}

const carol = {
  password: 'correct horse battery',
  email: 'carol@example.com',
  package: 'starter',
}

async function sql(machine: DebianMachine, statement: string): Promise<string> {
  const options = ['-h', '/var/run/postgresql', '-U', 'panel_owner', '-d', 'panel', '-At']
  return (await machine.must('psql', ...options, '-c', statement)).trim()
}
