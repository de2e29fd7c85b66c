import t from 'tap'
import { apply, restore, stepsOf } from '../../src/host/apply.ts'
import { alice, sandbox, straight, tree } from '../support/host/sandbox.ts'

// An undo goes on after a failed step, but skips the steps that need it.

const skipped: Record<'active' | 'suspended', Record<string, string[]>> = {
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

for (const desired of ['active', 'suspended'] as const) {
  t.test(`each step of an undo that makes an account ${desired} fails in turn`, async t => {
    for (const step of stepsOf(desired)) {
      const { machine } = await sandbox(t)
      const seen: string[] = []
      const restoring = restore(machine, { ...alice, desired }, async (name, run) => {
        seen.push(name)
        if (name === step) throw new Error(`no ${name}`)
        if (name === 'home') throw new Error('no home either')
        await run()
      })
      const isFirst = stepsOf(desired).indexOf(step) < stepsOf(desired).indexOf('home')
      const first = isFirst || step === 'home' ? `no ${step}` : 'no home either'
      await t.rejects(restoring, { message: first }, 'the first error is reported')
      const held = skipped[desired][step] ?? []
      const expected = stepsOf(desired).filter(name => !held.includes(name))
      t.strictSame(seen, expected, `«${step}» fails`)
    }
  })
}

t.test('a part that did not fail is as it was', async t => {
  const { root, machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const before = tree(root)
  await apply(machine, { ...alice, desired: 'suspended' }, straight)
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
