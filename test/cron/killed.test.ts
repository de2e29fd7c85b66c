import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { apply, erase } from '../../src/host/apply.ts'
import { prepare } from '../../src/host/shared.ts'
import { alice as plain, sandbox, straight, tree } from '../support/host/sandbox.ts'

// An account's cron jobs on a sandbox, interrupted and killed.

const jobOf = (id: string, schedule: string) => ({ id, schedule, command: `echo ${id}` })
const alice = { ...plain, cronJobs: [jobOf('1', '* * * * *'), jobOf('2', '5 3 * * 1')] }
const states = [
  alice,
  { ...alice, cronJobs: [jobOf('2', '@reboot')] },
  { ...alice, desired: 'suspended' as const },
  { ...alice, cronJobs: [] },
]

/** The account's files about cron. */
const filesIn = (root: string) =>
  Object.fromEntries(
    Object.entries(tree(root)).filter(
      ([name]) => /cron/.test(name) && name.endsWith(`${alice.uid}`),
    ),
  )

t.test('interrupted after any step, the next run ends in the same state', async t => {
  for (const [index, desired] of states.entries()) {
    const { root, machine } = await sandbox(t)
    await apply(machine, desired, straight)
    const expected = filesIn(root)
    const steps: string[] = []
    await apply(machine, desired, (step, run) => run().then(() => void steps.push(step)))
    t.match(steps.join(), /cron jobs/)
    for (const step of steps) {
      await apply(machine, states[(index + 1) % states.length]!, straight)
      const interrupted = apply(machine, desired, async (name, run) => {
        await run()
        if (name === step) throw new Error('interrupted')
      })
      await t.rejects(interrupted, /interrupted/)
      await apply(machine, desired, straight)
      t.strictSame(filesIn(root), expected, step)
    }
  }
})

const address = (name: string): string =>
  JSON.stringify(join(import.meta.dirname, `../../src/host/${name}.ts`))

// A process in which jobs come and go until it is killed.
const program = `
  import { apply, erase } from ${address('apply')}
  import { openMachine } from ${address('machine')}
  const [root, ...texts] = process.argv.slice(1)
  const machine = openMachine({ kind: 'sandbox', root })
  const accounts = texts.map(text => JSON.parse(text))
  console.log('ready')
  for (;;) for (const account of accounts) await apply(machine, account, (_, run) => run())`

t.test('killed at any moment, the next run ends in the same state', async t => {
  const { root, machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const expected = filesIn(root)
  t.equal(Object.keys(expected).length, 2)
  for (let kill = 0; kill < 8; kill++) {
    const texts = states.map(state => JSON.stringify(state))
    const args = ['--input-type=module', '-e', program, root, ...texts]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    await sleep(Math.random() * 30)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await prepare(machine)
    await apply(machine, alice, straight)
    t.strictSame(filesIn(root), expected)
  }
  await erase(machine, alice, straight)
  t.strictSame(filesIn(root), {})
})
