import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { HostAccount } from '../../model/accounts/host-account.ts'
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
import type { Machine, Service, Services } from '../contract.ts'
import { textIn } from '../accounts/cgroups.ts'
import { isSocketOpen } from '../php/socket.ts'
import {
  dropInOf,
  renderAdminerDropIn,
  renderService,
  renderSocket,
  socketOf,
  startLinkOf,
} from '../php/unit.ts'
import { asError, groupCommit } from '../tools/group-commit.ts'
import { CommandError } from '../tools/run.ts'
import { daemonOf } from './daemons.ts'
import { busFile, hidingFiles, openDaemons, openUsers } from './hidden-processes.ts'
import { journalFile, renderJournal } from './journal.ts'
import { notRunning } from './not-running.ts'
import { countReload } from './reload-count.ts'
import { ensureRead } from './stale.ts'
import { adminerUser, homeOf } from '../accounts/users.ts'
import { propertiesOf, renderSlice, sliceOf } from '../accounts/slice.ts'

// Services and limits managed by systemd. Units are started one by one and linked directly, since
// `systemctl enable` would make it reread all its units: 0.2 s.

export function systemdServices(machine: Machine): Services {
  const systemctl = (...args: string[]) => machine.run('systemctl', args)
  const write = (path: string, text: string) => ensureFile(machine.path(path), text, 0o644)
  // The control group shows the state of a service without starting a process.
  const groupOf = (uid: number): string =>
    machine.path(`${groupsOf(machine)}/user.slice/${sliceOf(uid)}/panel-php@${uid}.service`)
  const processesOf = (uid: number): number[] =>
    textIn(`${groupOf(uid)}/cgroup.procs`)
      .split('\n')
      .filter(Boolean)
      .map(Number)

  const phpProcesses = () => {
    const slices = listNames(machine.path(`${groupsOf(machine)}/user.slice`))
    return new Map(
      slices.flatMap((name): [number, number[]][] => {
        const uid = Number(/^user-([0-9]+)\.slice$/.exec(name)?.[1])
        const pids = processesOf(uid)
        return pids.length === 0 ? [] : [[uid, pids]]
      }),
    )
  }

  const isOpen = (uid: number) => isSocketOpen(machine.path(socketOf(uid)))
  const reportUnits = async (verb: 'start' | 'stop', kinds: string[], uids: readonly number[]) => {
    const units = uids.flatMap(uid => kinds.map(kind => `panel-php@${uid}.${kind}`))
    const timeout = { timeoutMs: 30_000 + uids.length * 200 }
    await machine.run('systemctl', [verb, '--', ...units], timeout)
  }
  const startSockets = (uids: readonly number[]) => reportUnits('start', ['socket'], uids)
  // Stopping a unit that never ran does nothing.
  const stopUnits = (uids: readonly number[]) => reportUnits('stop', ['socket', 'service'], uids)
  const start = async (uids: readonly number[]) => {
    await startSockets(uids)
    // systemd does not notice that the file of a listening socket is gone. A sandbox has none.
    const closed = machine.tools.areRequired ? uids.filter(uid => !isOpen(uid)) : []
    if (closed.length === 0) return
    await stopUnits(closed)
    await startSockets(closed)
  }
  // systemctl starts every unit that can be started; asking for each again finds the failed ones.
  const startTogether = groupCommit<number>(async uids => {
    try {
      await start(uids)
      return uids.map(() => undefined)
    } catch (error) {
      if (uids.length === 1) throw error
      return Promise.all(uids.map(uid => start([uid]).catch(asError)))
    }
  })

  const signalPhp = async (uids: readonly number[], signal: string) => {
    const units = uids.map(uid => `panel-php@${uid}.service`)
    const how = ['--kill-whom=main', `--signal=${signal}`]
    // systemctl exits with 1 if one of them has ended meanwhile.
    await machine.run('systemctl', ['kill', ...how, '--', ...units], { acceptedCodes: [1] })
  }
  // A running unit finishes its requests and ends, and the next visitor starts it again, which
  // reads the file. A sleeping unit reads it at its start anyway, and a starting one is in its
  // group before it reads anything.
  const reread = async (uids: readonly number[]) => {
    const running = uids.filter(uid => processesOf(uid).length > 0)
    if (running.length > 0) await signalPhp(running, 'SIGQUIT')
  }
  // Processes that the old unit started see everything. Jobs of cron and at outlive their daemon.
  const hideProcesses = async () => {
    const open = openDaemons(machine)
    if (open.length > 0)
      await systemctl('try-restart', '--', ...open.map(name => `${name}.service`))
    await reread(openUsers(phpProcesses()))
  }
  const journal = { path: journalFile, text: renderJournal() }
  const units = () => [
    { path: '/etc/systemd/system/panel-php@.socket', text: renderSocket() },
    { path: '/etc/systemd/system/panel-php@.service', text: renderService(machine.php.name()) },
    ...adminerDropIns(),
    ...hidingFiles(machine).filter(({ path }) => path !== busFile),
  ]
  const bus = () => hidingFiles(machine).filter(({ path }) => path === busFile)
  const adminerDropIns = () => {
    const uid = machine.users.find(adminerUser)
    return uid === undefined ? [] : [{ path: dropInOf(uid), text: renderAdminerDropIn() }]
  }
  const ensureShared = async () => {
    for (const { path } of units()) ensureFolder(machine.path(dirname(path)), 0o755)
    await ensureRead(machine, 'systemd', units(), async () => {
      await systemctl('daemon-reload')
      await hideProcesses()
    })
    await ensureRead(machine, 'dbus', bus(), () => systemctl('reload', '--', 'dbus.service'))
    // Log messages wait during the restart.
    await ensureRead(machine, 'journald', [journal], () =>
      systemctl('restart', '--', 'systemd-journald.service'),
    )
  }
  const isActive = async (...names: string[]): Promise<boolean> => {
    try {
      // Exits with 0 if any of the units is active.
      await machine.run('systemctl', ['is-active', '-q', ...names], { timeoutMs: askMs })
      return true
    } catch (error) {
      // A systemctl that was killed reported nothing.
      if (error instanceof CommandError && error.exitCode !== undefined) return false
      throw error
    }
  }
  return {
    prepare: ensureShared,

    sharedFiles: () => [journal, ...units(), ...bus()],

    ensureSharedFiles: ensureShared,

    async reload(service) {
      try {
        await systemctl('reload', '--', service)
        countReload(service)
        return undefined
      } catch (error) {
        if (error instanceof CommandError && !(await isActive(service))) return notRunning(service)
        throw error
      }
    },

    // If so configured, systemd starts sshd at the first connection.
    check: service =>
      service === 'nginx' && daemonOf(machine, service) === undefined
        ? notRunning(service)
        : undefined,

    isUp: service => isActive(...unitsOf[service]),

    async listFailed() {
      // systemd restarts PHP that cannot start again and again.
      const states = '--state=failed,auto-restart'
      const args = ['list-units', states, '--plain', '--no-legend', 'panel-*']
      const text = await machine.run('systemctl', args, { timeoutMs: askMs })
      return text.split('\n').flatMap(line => /^\S+/.exec(line)?.[0] ?? [])
    },

    async startPhp(uid) {
      ensureLink(machine.path(startLinkOf(uid)), '../panel-php@.socket')
      await startTogether(uid)
    },

    rereadPhp: uid => reread([uid]),

    async runningPhp() {
      const options = ['--plain', '--no-legend', '--state=active', '--type=socket']
      const outputLimit = 20_000_000
      const listed = await machine.run('systemctl', ['list-units', ...options, 'panel-php@*'], {
        outputLimit,
      })
      const units = listed.matchAll(/^panel-php@([0-9]+)\.socket /gm)
      const uids = new Set(Array.from(units, ([, uid]) => Number(uid)))
      return { has: uid => uids.has(uid) && isOpen(uid) }
    },

    phpProcesses,

    wakesPhp: true,

    signalPhp,

    async stopPhp(uid) {
      removeFile(machine.path(startLinkOf(uid)))
      await stopUnits([uid])
      // logind runs a user manager for sessions: if a later step killed it with the session,
      // systemd would list it as failed. One that does not end soon does fail, and nothing waits
      // for it.
      if (!isThere(machine.path(`/run/systemd/users/${uid}`))) return
      const manager = ['stop', '--', `user@${uid}.service`]
      await machine.run('systemctl', manager, { timeoutMs: managerMs }).catch(error => {
        if (!(error instanceof CommandError)) throw error
      })
    },

    async limit(account: HostAccount) {
      const { uid } = account
      // Before there is a home, nothing has run in the slice: systemd reads the file at its first
      // use.
      const isNew = !isThere(machine.path(homeOf(account.username)))
      ensureFolder(machine.path(folderOf(uid)), 0o755)
      await write(fileOf(uid), renderSlice(account))
      if (isNew) return
      // The file contains the limits for the next start; a running slice gets them at once.
      await systemctl('set-property', '--runtime', '--', sliceOf(uid), ...propertiesOf(account))
    },

    limitState: account =>
      agrees(machine.path(fileOf(account.uid)), renderSlice(account), 0o644) ? 'set' : 'due',

    async unlimit(uid) {
      // Nothing runs in it any more. With control groups of version 1, systemd may notice a
      // session's end only after 90 s, but nothing has to wait: no other account gets this number.
      await systemctl('stop', '--no-block', '--', sliceOf(uid))
      // The limits of the running slice; `systemctl revert` would reread all units.
      const set = machine.path(`/run/systemd/system.control/${sliceOf(uid)}.d`)
      rmSync(set, { recursive: true, force: true })
      removeFile(machine.path(fileOf(uid)))
      removeFolder(machine.path(folderOf(uid)))
    },
  }
}

const askMs = 10_000

// A user's service manager takes some milliseconds to end.
const managerMs = 5_000

// The hierarchy in which systemd keeps its units: the only one, or a separate one.
const groupsOf = ({ path }: Machine): string =>
  isThere(path('/sys/fs/cgroup/cgroup.controllers')) ? '/sys/fs/cgroup' : '/sys/fs/cgroup/systemd'

const unitsOf: Record<Service, string[]> = {
  nginx: ['nginx.service'],
  // On some machines systemd listens for it.
  ssh: ['ssh.service', 'ssh.socket'],
}

const folderOf = (uid: number): string => `/etc/systemd/system/${sliceOf(uid)}.d`
const fileOf = (uid: number): string => `${folderOf(uid)}/50-panel.conf`
