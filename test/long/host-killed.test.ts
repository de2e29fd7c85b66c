import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { apply, erase } from '../../src/host/apply.ts'
import { prepare } from '../../src/host/shared.ts'
import { alice, bob, sandbox, straight, tree } from '../support/host/sandbox.ts'

// A process that repeats an account's whole life until it is killed.
const program = `
  import { apply, erase } from ${address('apply')}
  import { openMachine } from ${address('machine')}
  const [root, text] = process.argv.slice(1)
  const machine = openMachine({ kind: 'sandbox', root })
  const account = JSON.parse(text)
  console.log('ready')
  for (;;) {
    for (const desired of ['active', 'suspended', 'active']) {
      await apply(machine, { ...account, desired }, (_, run) => run())
    }
    await erase(machine, account, (_, run) => run())
  }`

t.test('killed at any moment, the next run ends in the same state', async t => {
  const { root, machine } = await sandbox(t)
  await apply(machine, bob, straight)
  const without = tree(root)
  await apply(machine, alice, straight)
  const expected = tree(root)
  for (let kill = 0; kill < 12; kill++) {
    const args = ['--input-type=module', '-e', program, root, JSON.stringify(alice)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    await sleep(Math.random() * 30)
    child.kill('SIGKILL')
    await once(child, 'exit')
    // As the next worker does when it starts.
    await prepare(machine)
    // Only an erase may go on with a begun erase: the user number may be gone by then.
    const isErasing = existsSync(join(root, 'home/.trash', String(alice.uid)))
    if (kill % 2 && !isErasing) {
      await apply(machine, alice, straight)
      t.strictSame(sorted(tree(root)), sorted(expected), 'applied')
    } else {
      await erase(machine, alice, straight)
      t.strictSame(sorted(tree(root)), sorted(without), 'erased')
    }
  }
})

// The order of the entries depends on the moment of the kill.
function sorted(files: Record<string, string>): Record<string, string> {
  const lines = (text = '') => text.split('\n').sort().join('\n')
  const bases = ['etc/passwd', 'etc/group', 'etc/shadow']
  return { ...files, ...Object.fromEntries(bases.map(file => [file, lines(files[file])])) }
}

function address(module: string): string {
  return JSON.stringify(new URL(`../../src/host/${module}.ts`, import.meta.url).href)
}
