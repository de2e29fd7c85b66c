import t from 'tap'
import { openLinuxPanel, startServices } from '../machine.ts'
import { showVisits } from '../visits.ts'

// Visitors of accounts that change, on a machine without systemd.

startServices('nginx', 'sshd', 'cron')
const panel = await openLinuxPanel(t)
await panel.startMachineWorker()

t.test('whoever comes after an answer sees what it says', t => showVisits(t, panel))
