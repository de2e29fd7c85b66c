import { openGroups } from '../accounts/cgroups.ts'
import type { Machine, Services } from '../contract.ts'
import { openPhpMasters } from '../php/masters.ts'
import { daemonOf } from './daemons.ts'
import { isHiding } from './hidden-processes.ts'
import { notRunning } from './not-running.ts'
import { countReload } from './reload-count.ts'

// Services and limits on a machine that runs without systemd: signals to the processes that the
// machine's own start scripts have started, control groups written by hand, and the accounts' PHP
// kept by the worker.

// Nothing that a closed /proc is in the way of (logind, polkit) runs without systemd. In the old
// form, which every kernel knows.
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
    ensureSharedFiles: () => hideProcesses(machine),

    async reload(service) {
      const pid = daemonOf(machine, service)
      if (pid === undefined) return notRunning(service)
      process.kill(pid, 'SIGHUP')
      countReload(service)
      return undefined
    },

    look: service => (daemonOf(machine, service) === undefined ? notRunning(service) : undefined),
    isUp: async service => daemonOf(machine, service) !== undefined,
    listFailed: async () => undefined,
    startPhp: uid => masters.start(uid),
    rereadPhp: uid => masters.reload(uid),
    runningPhp: async () => masters.running(),
    phpProcesses: () => new Map(masters.list()),
    // Only who holds a socket can see a visitor come, and Node takes the connections of those that
    // it holds.
    wakesPhp: false,
    signalPhp: async (uids, signal) => masters.signal(uids, signal),
    stopPhp: uid => masters.stop(uid),
    limit: async account => groups.limit(account),
    limitState: account => groups.limitState(account),
    unlimit: uid => groups.remove(uid),
  }
}
