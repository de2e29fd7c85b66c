import { appendFileSync } from 'node:fs'
import t from 'tap'
import { apply, erase } from '../../src/host/apply.ts'
import { alice, sandbox, straight, tree } from '../support/host/sandbox.ts'

// The user number of an account may belong to another user of the machine.

for (const [file, line] of [
  ['passwd', 'carol:x:20001:100::/home/carol:/bin/sh\n'],
  ['group', 'carols:x:20001:\n'],
] as const) {
  t.test(`a number that ${file} has under another name is refused and left alone`, async t => {
    const { root, machine, standIn, calls } = await sandbox(t)
    appendFileSync(machine.path(`/etc/${file}`), line)
    const before = tree(root)
    standIn('systemctl')
    await t.rejects(
      apply(machine, alice, straight),
      /The user number 20001 belongs to carols? on this server/,
    )
    await erase(machine, alice, straight)
    await apply(machine, { ...alice, desired: 'terminated' }, straight)
    t.strictSame(calls(), [], 'no unit or slice of the number was touched')
    const { usr: _, 'usr/local': _l, 'usr/local/sbin': _s, ...after } = tree(root)
    delete after['usr/local/sbin/systemctl']
    t.strictSame(after, before)
  })
}
