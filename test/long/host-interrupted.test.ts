import t, { type Test } from 'tap'
import { apply, erase, stepsOf, type Aim } from '../../src/host/apply.ts'
import type { Observe } from '../../src/model/server/host.ts'
import type { Machine } from '../../src/host/contract.ts'
import { alice, bob, sandbox, straight, tree, type Sandbox } from '../support/host/sandbox.ts'

const routes: [from: Aim[], to: Aim][] = [
  [[], 'active'],
  [['active'], 'active'],
  [['active'], 'suspended'],
  [[], 'suspended'],
  [['active', 'suspended'], 'active'],
  [['active'], 'terminated'],
  [['active', 'suspended'], 'terminated'],
  [[], 'terminated'],
  [['active'], 'erased'],
]

for (const [from, to] of routes) {
  t.test(`${from.join(', ') || 'nothing'} to ${to}`, async t => {
    const origin = await start(t, from)
    const whole = origin.copy()
    await go(whole.machine, to, straight)
    const expected = tree(whole.root)
    await go(whole.machine, to, straight)
    t.strictSame(tree(whole.root), expected, 'twice is as good as once')

    await afterEach(to, async (step, interrupted) => {
      const { root, machine } = origin.copy()
      await t.rejects(go(machine, to, interrupted), /interrupted/)
      await go(machine, to, straight)
      t.strictSame(tree(root), expected, `interrupted after ${step}`)
    })
  })
}

t.test('undoing a create leaves nothing, wherever it was interrupted', async t => {
  const origin = await start(t, [])
  const before = tree(origin.root)
  await afterEach('active', async (step, interrupted) => {
    const { root, machine } = origin.copy()
    await t.rejects(apply(machine, alice, interrupted), /interrupted/)
    await erase(machine, alice, straight)
    t.strictSame(tree(root), before, `interrupted after ${step}`)
  })
})

t.test('an undo that is interrupted itself is ended by the next', async t => {
  const before = tree((await start(t, [])).root)
  const origin = await start(t, ['active'])
  await afterEach('erased', async (step, interrupted) => {
    const { root, machine } = origin.copy()
    await t.rejects(erase(machine, alice, interrupted), /interrupted/)
    await erase(machine, alice, straight)
    t.strictSame(tree(root), before, `interrupted after ${step}`)
  })
})

type Attempt = (step: string, interrupted: Observe) => Promise<void>

// An interruption before a step is the same as one after the step before it.
async function afterEach(aim: Aim, attempt: Attempt): Promise<void> {
  const attempts = stepsOf(aim).map(step =>
    attempt(step, async (name, run) => {
      await run()
      if (name === step) throw new Error('interrupted')
    }),
  )
  await Promise.all(attempts)
}

/** A sandbox with a neighbour, in which the account went through these states. */
async function start(t: Test, from: Aim[]): Promise<Sandbox> {
  const box = await sandbox(t)
  await apply(box.machine, bob, straight)
  for (const aim of from) await go(box.machine, aim, straight)
  return box
}

async function go(machine: Machine, aim: Aim, observe: Observe): Promise<void> {
  if (aim === 'erased') await erase(machine, alice, observe)
  else await apply(machine, { ...alice, desired: aim }, observe)
}
