import { machineOf } from '../src/host/machine.ts'
import { executeRequest, resume } from '../src/install/update/execute.ts'

// The unit's program: runs the requested update, or finishes an interrupted one.
const machine = machineOf({ host: 'linux', stateDir: '/var/lib/panel' })
process.exit(await (process.argv[2] === 'resume' ? resume() : executeRequest(machine)))
