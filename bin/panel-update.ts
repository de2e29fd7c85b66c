import { machineOf } from '../src/host/machine.ts'
import { executeRequest, resume } from '../src/install/update/execute.ts'

// The unit that updates: what was asked for, or what an interrupted one has left.
const machine = machineOf({ host: 'linux', stateDir: '/var/lib/panel' })
process.exit(await (process.argv[2] === 'resume' ? resume() : executeRequest(machine)))
