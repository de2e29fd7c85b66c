import { dirname } from 'node:path'
import {
  agrees,
  ensureFile,
  ensureFolder,
  ensureLink,
  isThere,
  listNames,
  removeFile,
  removeFolder,
} from '../tools/files.ts'
import type { Machine, Services } from '../contract.ts'
import { textIn } from '../accounts/cgroups.ts'
import { sliceOf } from '../accounts/slice.ts'
import {
  isSitePhp,
  listSitePhp,
  socketOf,
  startLinkOf,
  toInstance,
  uidOf,
  type PhpInstance,
  type SitePhp,
} from '../php/instances.ts'
import { listOutdated } from '../php/outdated.ts'
import { isSocketOpen } from '../php/socket.ts'
import { dropInOf, renderSiteDropIn } from '../php/unit.ts'
import { asError, groupCommit } from '../tools/group-commit.ts'
import { CommandError } from '../tools/run.ts'
import { whileStale } from './stale.ts'

// The accounts' PHP under systemd.

type OfPhp =
  | 'startPhp'
  | 'rereadPhp'
  | 'runningPhp'
  | 'phpProcesses'
  | 'wakesPhp'
  | 'signalPhp'
  | 'stopPhp'
  | 'stopSitePhp'
  | 'sitePhpFiles'
  | 'forgetSitePhp'

export function systemdPhp(machine: Machine) {
  const systemctl = (...args: string[]) => machine.run('systemctl', args)
  // The control group shows the state of a service without starting a process.
  const groupOf = (instance: PhpInstance): string => {
    const slice = sliceOf(uidOf(instance))
    return machine.path(`${groupsOf(machine)}/user.slice/${slice}/panel-php@${instance}.service`)
  }
  const processesOf = (instance: PhpInstance): number[] =>
    textIn(`${groupOf(instance)}/cgroup.procs`)
      .split('\n')
      .filter(Boolean)
      .map(Number)

  const processes = () => {
    const slices = listNames(machine.path(`${groupsOf(machine)}/user.slice`))
    return new Map(
      slices.flatMap((name): [PhpInstance, number[]][] => {
        const uid = Number(/^user-([0-9]+)\.slice$/.exec(name)?.[1])
        const instances = [uid, ...listSitePhp(machine, uid)]
        return instances.flatMap((instance): [PhpInstance, number[]][] => {
          const pids = processesOf(instance)
          return pids.length === 0 ? [] : [[instance, pids]]
        })
      }),
    )
  }

  const isOpen = (instance: PhpInstance) => isSocketOpen(machine.path(socketOf(instance)))
  const reportUnits = async (
    verb: 'start' | 'stop',
    kinds: string[],
    instances: readonly PhpInstance[],
  ) => {
    const units = instances.flatMap(one => kinds.map(kind => `panel-php@${one}.${kind}`))
    const timeout = { timeoutMs: 30_000 + instances.length * 200 }
    await machine.run('systemctl', [verb, '--', ...units], timeout)
  }
  const startSockets = (all: readonly PhpInstance[]) => reportUnits('start', ['socket'], all)
  // Stopping a unit that never ran does nothing.
  const stopUnits = (all: readonly PhpInstance[]) => reportUnits('stop', ['socket', 'service'], all)
  const start = async (instances: readonly PhpInstance[]) => {
    await startSockets(instances)
    // systemd does not notice that the file of a listening socket is gone. A sandbox has none.
    const closed = machine.tools.areRequired ? instances.filter(one => !isOpen(one)) : []
    if (closed.length === 0) return
    await stopUnits(closed)
    await startSockets(closed)
  }
  // systemctl starts every unit that can be started; asking for each again finds the failed ones.
  const startTogether = groupCommit<PhpInstance>(async instances => {
    try {
      await start(instances)
      return instances.map(() => undefined)
    } catch (error) {
      if (instances.length === 1) throw error
      return Promise.all(instances.map(one => start([one]).catch(asError)))
    }
  })
  const reloadTogether = groupCommit<true>(async calls => {
    await systemctl('daemon-reload')
    return calls.map(() => undefined)
  })
  // systemd reads the drop-in of a unit that it does not know yet when it starts it.
  const ensureSiteUnit = async (instance: SitePhp) => {
    const path = machine.path(dropInOf(instance))
    const text = renderSiteDropIn(instance)
    if (agrees(path, text, 0o644)) return
    const isKnown = [path, machine.path(startLinkOf(instance))].some(isThere)
    ensureFolder(dirname(path), 0o755)
    if (!isKnown) return void (await ensureFile(path, text, 0o644))
    await whileStale(machine, 'systemd', async () => {
      await ensureFile(path, text, 0o644)
      await reloadTogether(true)
    })
  }

  const signalPhp = async (instances: readonly PhpInstance[], signal: string) => {
    const units = instances.map(one => `panel-php@${one}.service`)
    const how = ['--kill-whom=main', `--signal=${signal}`]
    // systemctl exits with 1 if one of them has ended meanwhile.
    await machine.run('systemctl', ['kill', ...how, '--', ...units], { acceptedCodes: [1] })
  }
  // A master that is not ready would be killed by the signal, and be started again only after
  // RestartSec.
  const waitForStart = async (instances: readonly PhpInstance[]) => {
    const units = instances.map(one => `panel-php@${one}.service`)
    const timeoutMs = 30_000 + instances.length * 200
    // A unit that cannot start is not waited for.
    await machine.run('systemctl', ['start', '--', ...units], { timeoutMs, acceptedCodes: [1] })
  }
  // A running unit finishes its requests and ends, and the next visitor starts it again, which
  // reads the file. A sleeping unit reads it at its start anyway, and a starting one is in its
  // group before it reads anything.
  const reread = async (instances: readonly PhpInstance[]) => {
    const running = instances.filter(one => processesOf(one).length > 0)
    if (running.length === 0) return
    await waitForStart(running)
    await signalPhp(running, 'SIGQUIT')
  }
  // After a change of the default version.
  const switchProgram = () => reread(listOutdated(processes(), machine.php.name()))
  const services: Pick<Services, OfPhp> = {
    async startPhp(instance) {
      if (isSitePhp(instance)) await ensureSiteUnit(instance)
      ensureLink(machine.path(startLinkOf(instance)), '../panel-php@.socket')
      await startTogether(instance)
    },

    rereadPhp: instance => reread([instance]),

    async runningPhp() {
      const options = ['--plain', '--no-legend', '--state=active', '--type=socket']
      const outputLimit = 20_000_000
      const listed = await machine.run('systemctl', ['list-units', ...options, 'panel-php@*'], {
        outputLimit,
      })
      const units = listed.matchAll(/^panel-php@([0-9-]+)\.socket /gm)
      const instances = new Set(Array.from(units, ([, name = '']) => toInstance(name)))
      return { has: instance => instances.has(instance) && isOpen(instance) }
    },

    phpProcesses: processes,

    wakesPhp: true,

    signalPhp,

    async stopPhp(uid) {
      const instances = [uid, ...listSitePhp(machine, uid)]
      for (const one of instances) removeFile(machine.path(startLinkOf(one)))
      await stopUnits(instances)
      // logind runs a user manager for sessions: if a later step killed it with the session,
      // systemd would list it as failed. One that does not end soon does fail, and nothing waits
      // for it.
      if (!isThere(machine.path(`/run/systemd/users/${uid}`))) return
      const manager = ['stop', '--', `user@${uid}.service`]
      await machine.run('systemctl', manager, { timeoutMs: managerMs }).catch(error => {
        if (!(error instanceof CommandError)) throw error
      })
    },

    async stopSitePhp(instance) {
      removeFile(machine.path(startLinkOf(instance)))
      await stopUnits([instance])
    },

    sitePhpFiles: instance => [{ path: dropInOf(instance), text: renderSiteDropIn(instance) }],

    forgetSitePhp(instance) {
      removeFile(machine.path(dropInOf(instance)))
      removeFolder(machine.path(dirname(dropInOf(instance))))
    },
  }
  return { services, processes, reread, switchProgram }
}

// The hierarchy in which systemd keeps its units: the only one, or a separate one.
const groupsOf = ({ path }: Machine): string =>
  isThere(path('/sys/fs/cgroup/cgroup.controllers')) ? '/sys/fs/cgroup' : '/sys/fs/cgroup/systemd'

// A user's service manager takes some milliseconds to end.
const managerMs = 5_000
