import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Test } from 'tap'
import { type DebianMachine, openMachine } from './debian-machine.ts'
import { makeRelease, makeRoot, must } from './debian-root.ts'
import { installPrepared } from './first-install.ts'
import { addBob, type Client, openClient } from './installed.ts'

// Saves the installation while a test is being written: a panel is installed once, kept on disk,
// and each run works on a copy of its own that has the checkout's sources.

/** The folder of installed panels, which no test reads; after its removal they are made again. */
const kept = '/root/.cache/panel-prepared'

const checkout = join(import.meta.dirname, '../..')

/** Opens a copy of the prepared panel with this checkout's sources, in a few seconds. */
export async function openPrepared(
  t: Test,
  suite: string,
): Promise<{ machine: DebianMachine; client: Client }> {
  const lower = await prepare(t, suite)
  const folder = mkdtempSync('/dev/shm/panel-prepared-')
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await must('mount', ['-t', 'tmpfs', '-o', 'size=4g,mode=755', 'panel', folder])
  t.teardown(() => must('umount', ['--recursive', '--lazy', folder]))
  // Control groups are named by both folders.
  const machine = await openMachine(t, join(folder, basename(folder)), lower)
  await copySources(join(machine.root, 'opt/panel/releases/0.1.0'))
  await machine.boot()
  // This also writes the checkout's units and migrates.
  const client = await openClient(machine)
  // Before there is an account.
  await machine.must('panel', 'ctl', 'rebuild')
  await addBob(t, machine, client)
  return { machine, client }
}

// Layers for an overlay, of which those who work at the same time share one.
async function prepare(t: Test, suite: string): Promise<string> {
  // With the dependencies that the checkout has, and a schema that it can migrate.
  const lock = createHash('sha256').update(readFileSync(join(checkout, 'package-lock.json')))
  for (const file of globSync('sql/migrations/*', { cwd: checkout }).sort()) {
    lock.update(readFileSync(join(checkout, file)))
  }
  const folder = join(kept, `${suite}-${lock.digest('hex').slice(0, 12)}`)
  const [root, made, done] = ['root', 'made', 'done'].map(name => join(folder, name))
  const layers = `${made}/upper:${root}`
  if (existsSync(done!)) return layers
  process.stderr.write(`Installing a panel on ${suite} for all runs to come, in ${folder} …\n`)
  mkdirSync(kept, { recursive: true })
  await rm(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const [archive] = await Promise.all([makeRelease(folder), makeRoot(suite, root!)])
  await must('tar', ['-xf', archive, '-C', join(root!, 'srv')])
  const machine = await openMachine(t, made!, root!)
  await machine.boot()
  await installPrepared(machine)
  // As when the machine is turned off.
  await machine.must('systemctl', 'stop', 'panel.target', 'postgresql', 'mariadb')
  await machine.must('sync')
  await machine.cut()
  await must('umount', [machine.root])
  writeFileSync(done!, '')
  return layers
}

// Not `bin/panel` and the dependencies: a release has its own.
async function copySources(folder: string): Promise<void> {
  for (const name of ['docs/reference', 'sql', 'src', 'systemd', 'tasks']) {
    await rm(join(folder, name), { recursive: true, force: true })
    await cp(join(checkout, name), join(folder, name), { recursive: true })
  }
  const isOfCheckout = (path: string): boolean => basename(path) !== 'panel'
  await cp(join(checkout, 'bin'), join(folder, 'bin'), { recursive: true, filter: isOfCheckout })
  await must('chmod', ['-R', 'u+rwX,go+rX,go-w', '--', folder])
}
