import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Manifest } from '../../src/install/manifest.ts'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { type Client, visit } from './installed.ts'

// Tests a panel after an update, a rollback, or one of them that was rolled back.

export type Panel = { machine: DebianMachine; client: Client; make: Make }
/** Makes the next release; returns its manifest's path. */
export type Make = (files?: Record<string, string>, manifest?: Partial<Manifest>) => Promise<string>

/** The running release. */
export const installedVersion = async ({ machine }: Panel): Promise<string> => {
  const output = await machine.must('panel', 'ctl', 'info', '--json')
  return (JSON.parse(output) as { version: string }).version
}

/** The outcome of the last one. */
export const outcome = ({ machine }: Panel) =>
  JSON.parse(
    readFileSync(join(machine.root, 'var/lib/panel/update/outcome.json'), 'utf8'),
  ) as Record<string, string>

/** Checks that a release is whole: it answers, works, and nothing of another is left. */
export async function showWhole(t: Test, panel: Panel, version: string): Promise<void> {
  const { machine, client } = panel
  await until(async () => (await client('GET', '/accounts/bob')).status === 200, 60_000)
  t.equal(await installedVersion(panel), version)
  t.match(await client('POST', '/accounts/bob/suspend', {}), { status: 200 })
  t.match(await client('POST', '/accounts/bob/unsuspend', {}), { status: 200 })
  t.equal(await visit(machine, 'bob.example', '/who.php'), '200 PHP of bob')
  await showNothingLeft(t, panel)
}

/** Nothing of an update is left. */
export async function showNothingLeft(t: Test, { machine }: Panel): Promise<void> {
  t.equal(await sql(machine, 'select count(*) from panel.paused_tasks'), '0')
  const files = await machine.must('ls', '-A', '/var/lib/panel/update', '/opt/panel/releases')
  t.notMatch(files, /journal|\.new/)
  t.match(await machine.must('systemctl', '--failed', '--no-legend'), /^$/)
}

/** The result of a statement. */
export async function sql(machine: DebianMachine, statement: string): Promise<string> {
  const options = ['-h', '/var/run/postgresql', '-U', 'panel_owner', '-d', 'panel', '-At']
  return (await machine.must('psql', ...options, '-c', statement)).trim()
}
