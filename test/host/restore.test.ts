import t from 'tap'
import { apply, restore, stepsOf } from '../../src/host/apply.ts'
import { alice, sandbox, straight, tree } from '../support/host/sandbox.ts'

// An undo goes on after a failed step, but skips the steps that need it.

const heldBack: Record<'active' | 'suspended', Record<string, string[]>> = {
  active: {
    user: stepsOf('active').slice(1),
    quota: ['php', 'unlock', 'cron'],
    slice: ['php', 'unlock', 'cron'],
    sftp: ['unlock'],
  },
  suspended: {
    user: stepsOf('suspended').slice(1),
    lock: ['sftp'],
  },
}

for (const wanted of ['active', 'suspended'] as const) {
  t.test(`each step of an undo that makes an account ${wanted} fails in turn`, async t => {
    for (const step of stepsOf(wanted)) {
      const { machine } = await sandbox(t)
      const seen: string[] = []
      const restoring = restore(machine, { ...alice, wanted }, async (name, run) => {
        seen.push(name)
        if (name === step) throw new Error(`no ${name}`)
        if (name === 'home') throw new Error('no home either')
        await run()
      })
      const isFirst = stepsOf(wanted).indexOf(step) < stepsOf(wanted).indexOf('home')
      const first = isFirst || step === 'home' ? `no ${step}` : 'no home either'
      await t.rejects(restoring, { message: first }, 'the first error is told')
      const held = heldBack[wanted][step] ?? []
      const expected = stepsOf(wanted).filter(name => !held.includes(name))
      t.strictSame(seen, expected, `«${step}» fails`)
    }
  })
}

t.test('what did not fail is as it was', async t => {
  const { root, machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const before = tree(root)
  await apply(machine, { ...alice, wanted: 'suspended' }, straight)
  const suspended = tree(root)
  await t.rejects(
    restore(machine, alice, async (name, run) => {
      if (name === 'websites') throw new Error('no websites')
      await run()
    }),
    { message: 'no websites' },
  )
  const site = 'var/lib/panel/web/sites/0000000007'
  t.strictSame(tree(root), { ...before, [site]: suspended[site] })
  await restore(machine, alice, straight)
  t.strictSame(tree(root), before)
})
