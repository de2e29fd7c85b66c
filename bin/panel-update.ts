import { machineOf } from '../src/host/machine.ts'
import { carryOutRequest, resume } from '../src/install/update/carry-out.ts'

// The unit that updates: what was asked for, or what an interrupted one has left.
const machine = machineOf({ host: 'linux', stateDir: '/var/lib/panel' })
process.exit(await (process.argv[2] === 'resume' ? resume() : carryOutRequest(machine)))
