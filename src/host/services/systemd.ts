import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import {
  agrees,
  ensureFile,
  ensureFolder,
  isThere,
  removeFile,
  removeFolder,
} from '../tools/files.ts'
import type { Machine, Service, Services } from '../contract.ts'
import { dropInOf, renderAdminerDropIn, renderService, renderSocket } from '../php/unit.ts'
import { CommandError } from '../tools/run.ts'
import { daemonOf } from './daemons.ts'
import { busFile, hidingFiles, openDaemons, openUsers } from './hidden-processes.ts'
import { journalFile, renderJournal } from './journal.ts'
import { notRunning } from './not-running.ts'
import { countReload } from './reload-count.ts'
import { ensureRead } from './stale.ts'
import { adminerUser, homeOf } from '../accounts/users.ts'
import { systemdPhp } from './systemd-php.ts'
import { propertiesOf, renderSlice, sliceOf } from '../accounts/slice.ts'

// Services and limits managed by systemd. Units are started one by one and linked directly, since
// `systemctl enable` would make it reread all its units: 0.2 s.

export function systemdServices(machine: Machine): Services {
  const systemctl = (...args: string[]) => machine.run('systemctl', args)
  const write = (path: string, text: string) => ensureFile(machine.path(path), text, 0o644)
  const php = systemdPhp(machine)
  // Processes that the old unit started see everything. Jobs of cron and at outlive their daemon.
  const hideProcesses = async () => {
    const open = openDaemons(machine)
    if (open.length > 0)
      await systemctl('try-restart', '--', ...open.map(name => `${name}.service`))
    await php.reread(openUsers(php.processes()))
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
      await php.switchProgram()
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

    ...php.services,

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

const unitsOf: Record<Service, string[]> = {
  nginx: ['nginx.service'],
  // On some machines systemd listens for it.
  ssh: ['ssh.service', 'ssh.socket'],
}

const folderOf = (uid: number): string => `/etc/systemd/system/${sliceOf(uid)}.d`
const fileOf = (uid: number): string => `${folderOf(uid)}/50-panel.conf`
