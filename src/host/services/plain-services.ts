import { openGroups } from '../accounts/cgroups.ts'
import type { Machine, Services } from '../contract.ts'
import { openPhpMasters } from '../php/masters.ts'
import { daemonOf } from './daemons.ts'
import { isHiding } from './hidden-processes.ts'
import { notRunning } from './not-running.ts'
import { countReload } from './reload-count.ts'

// Services and limits on a machine without systemd: the panel signals the processes that the
// machine's start scripts started, writes control groups itself, and the worker supervises the
// accounts' PHP.

// Without systemd there is nothing (logind, polkit) that a closed /proc would break. Uses the old
// option, which every kernel knows.
async function hideProcesses(machine: Machine): Promise<void> {
  if (isHiding('self')) return
  await machine.run('mount', ['-o', 'remount,hidepid=2', '/proc'])
}

export function plainServices(machine: Machine): Services {
  const groups = openGroups()
  const masters = openPhpMasters(machine, groups)
  return {
    async prepare() {
      await masters.keep()
      await hideProcesses(machine)
    },

    sharedFiles: () => [],
    async ensureSharedFiles() {
      await hideProcesses(machine)
      await masters.switchProgram()
    },

    async reload(service) {
      const pid = daemonOf(machine, service)
      if (pid === undefined) return notRunning(service)
      process.kill(pid, 'SIGHUP')
      countReload(service)
      return undefined
    },

    check: service => (daemonOf(machine, service) === undefined ? notRunning(service) : undefined),
    isUp: async service => daemonOf(machine, service) !== undefined,
    listFailed: async () => undefined,
    startPhp: instance => masters.start(instance),
    rereadPhp: instance => masters.reload(instance),
    runningPhp: async () => masters.running(),
    phpProcesses: () => new Map(masters.list()),
    // Only the process with the socket sees a visitor come, and Node accepts the connections of its
    // sockets.
    wakesPhp: false,
    signalPhp: async (instances, signal) => masters.signal(instances, signal),
    stopPhp: uid => masters.stop(uid),
    stopSitePhp: instance => masters.stopOne(instance),
    // Without systemd it has none.
    sitePhpFiles: () => [],
    forgetSitePhp: () => {},
    limit: async account => groups.limit(account),
    limitState: account => groups.limitState(account),
    unlimit: uid => groups.remove(uid),
  }
}
