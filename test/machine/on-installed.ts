import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Test } from 'tap'
import type { DebianMachine } from './debian-machine.ts'
import type { Client } from './installed.ts'

// `npm run on-installed -- FILE FUNCTION …`: runs parts of the suite for installed panels, each a
// function of a test, a machine and a client, on a panel that was installed before. For writing
// them; `npm run test:machine` runs them on one that was just installed. Needs root.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    suite: { type: 'string', multiple: true, default: ['trixie'] },
    /** Commands for a shell on the machine, before the functions; what they say is shown. */
    shell: { type: 'string', multiple: true, default: [] },
  },
})
const apart = 'PANEL_TEST_APART'
// Other tests have their own; so has the machine.
const noServer = { PANEL_TEST_POSTGRES: 'postgresql://none.invalid', PANEL_TEST_TOKEN: 'none' }

type Part = (t: Test, machine: DebianMachine, client: Client) => Promise<unknown>

if (process.env[apart] === undefined) {
  // Its mounts go with it, and so do its machines, however it ends.
  const own = ['unshare', '--mount', '--propagation=private', '--pid', '--fork', '--kill-child']
  const command = [...own, '--mount-proc', '--', process.execPath, ...process.argv.slice(1)]
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...command], {
    stdio: 'inherit',
    env: { ...process.env, ...noServer, [apart]: 'yes', TAP_TIMEOUT: '1200' },
  })
  const [code] = (await once(child, 'close')) as [number | null]
  process.exit(code ?? 1)
}

// They want what was just given.
const { default: t } = await import('tap')
const { openPrepared } = await import('./prepared.ts')
const [file, ...names] = positionals
const parts = file === undefined ? {} : ((await import(resolve(file))) as Record<string, Part>)
for (const suite of values.suite) {
  await t.test(`on ${suite}`, async t => {
    const { machine, client } = await openPrepared(t, suite)
    for (const command of values.shell) {
      const { code, stdout, stderr } = await machine.run(['sh', '-c', command])
      t.comment(`${command}: ${code}\n${stdout}${stderr}`)
    }
    for (const name of names) await t.test(name, t => parts[name]!(t, machine, client))
  })
}
