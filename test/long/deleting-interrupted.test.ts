import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { apply } from '../../src/host/apply.ts'
import { prepare } from '../../src/host/shared.ts'
import {
  after,
  aside,
  before,
  driftOf,
  folder,
  page,
  states,
  twoSites,
} from '../support/host/deleting.ts'
import { straight, tree } from '../support/host/sandbox.ts'

// A website that leaves an account which stays, interrupted and killed.

for (const desired of states) {
  t.test(`interrupted anywhere, the next run of an ${desired} account ends it`, async t => {
    const origin = await twoSites(t, desired)
    const whole = { ...after, desired }
    const steps: string[] = []
    const once = origin.copy()
    await apply(once.machine, whole, (step, run) => run().then(() => void steps.push(step)))
    const [published, forgotten, put] = [
      steps.indexOf('websites'),
      steps.indexOf('remove old certificates'),
      steps.indexOf('set aside old folders'),
    ] as const
    t.ok(0 < published && published < put && put < forgotten, 'no request reaches a deleted file')
    for (const step of steps) {
      const { root, machine } = origin.copy()
      const interrupted = apply(machine, whole, async (name, run) => {
        await run()
        if (name === step) throw new Error('interrupted')
      })
      await t.rejects(interrupted, /interrupted/)
      await apply(machine, whole, straight)
      t.strictSame(tree(root), tree(once.root), step)
    }
  })
}

// A process in which the website comes and leaves again and again, until it is killed.
const program = `
  import { rmSync } from 'node:fs'
  import { apply } from ${address('apply')}
  import { openMachine } from ${address('machine')}
  const [root, ...texts] = process.argv.slice(1)
  const machine = openMachine({ kind: 'sandbox', root })
  const accounts = texts.map(text => JSON.parse(text))
  console.log('ready')
  for (;;) {
    for (const account of accounts) await apply(machine, account, (_, run) => run())
    rmSync(root + '${aside}', { recursive: true, force: true })
  }`

t.test('killed at any moment, the next run leaves it in one place', async t => {
  const { root, machine } = await twoSites(t, 'active')
  for (let kill = 0; kill < 10; kill++) {
    const texts = [before, after].map(account => JSON.stringify(account))
    const args = ['--input-type=module', '-e', program, root, ...texts]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    await sleep(Math.random() * 20)
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(machine.path(aside), { recursive: true, force: true })
    // As the next worker does when it starts.
    await prepare(machine)
    const wasThere = existsSync(machine.path(folder))
    t.strictSame(await apply(machine, after, straight), [])
    t.strictSame(await driftOf(machine, after), [])
    t.equal(existsSync(machine.path(`${aside}/${page}`)), wasThere)
    const sites = readdirSync(machine.path('/home/alice/sites'))
    t.strictSame(sites, ['alice.example'], 'nor is anything half made there')
  }
})

function address(module: string): string {
  return JSON.stringify(new URL(`../../src/host/${module}.ts`, import.meta.url).href)
}
