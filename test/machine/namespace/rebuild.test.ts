import { readFileSync } from 'node:fs'
import t from 'tap'
import { openLinuxPanel, startServices } from '../machine.ts'
import { showRebuild } from '../rebuild.ts'

startServices('nginx', 'sshd')
const panel = await openLinuxPanel(t)
await panel.startMachineWorker()
await panel.call('PUT', '/api/v1/packages/starter', { body: { memory_mb: 128 } })

t.test('a rebuild puts right what somebody has changed on the machine', async t => {
  const own = /:memory:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1]
  const limitsOf = (uid: number) => ({
    path: `/sys/fs/cgroup/memory${own}/panel-${uid}/memory.limit_in_bytes`,
    other: String(999 * 2 ** 20),
  })
  await showRebuild(t, panel, { limitsOf })
})
