import t from 'tap'
import { openLinuxPanel, startServices } from '../machine.ts'
import { showMinute } from '../minute.ts'
import { showVisits } from '../visits.ts'

// Visitors, logins and cron jobs of accounts that change, on a machine without systemd.

startServices('nginx', 'sshd', 'cron')
const panel = await openLinuxPanel(t)
await panel.startMachineWorker()
await panel.call('PUT', '/api/v1/packages/starter', { body: { max_sites: 2, memory_mb: 64 } })

t.test('a visitor after an answer sees the state that it reports', async t => {
  await Promise.all([showVisits(t, panel), showMinute(t, panel)])
})
