import { listProcesses, type ProcessName } from '../../model/server/panel-processes.ts'
import { type Check, type Checks, count, failure, well } from './check.ts'

const loss: Record<ProcessName, string> = {
  api: 'no request is answered',
  worker: 'accounts cannot be changed',
  courier: 'no webhook is sent and no certificate is requested',
}

const isUp =
  (name: ProcessName): Check['run'] =>
  async ({ db, starter }) => {
    const state = (await listProcesses(await db())).find(one => one.name === name)
    if (state !== undefined && state.count > 0) return well(`${count(state.count, name)} up`)
    const start = starter === 'panel start' ? starter : `systemctl start panel-${name}`
    return failure(`The ${name} is down: ${loss[name]}`, `${start}; its log says why it ended`)
  }

/** The panel's own processes. */
export const processChecks: Checks = {
  api: isUp('api'),
  worker: isUp('worker'),
  courier: isUp('courier'),
}
