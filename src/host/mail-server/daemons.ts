import { setTimeout as sleep } from 'node:timers/promises'
import { PanelError } from '../../errors.ts'
import type { Machine, MachinePart } from '../contract.ts'
import { isThere } from '../tools/files.ts'
import { CommandError } from '../tools/run.ts'
import type { DovecotVersion } from './dovecot.ts'
import { compiledFile, compiledMaps, mapFile, outboundUnit } from './paths.ts'
import { spamScriptFile } from './dovecot.ts'
import { type DaemonName, daemonNames, isProcessOf, pidOf } from './processes.ts'
import { postfixUnit } from './units.ts'

// Postfix, Dovecot and Rspamd as processes: under systemd by their units, and otherwise as their
// packages' start scripts start them.

export type MailDaemons = {
  /** Returns the programs that are missing. */
  lack(): string[]
  dovecotVersion(): Promise<DovecotVersion>
  /** Compiles the maps that are there, in place. */
  compileMaps(): Promise<void>
  /** Has each daemon check its configuration on the disk. @throws with its words */
  check(): Promise<void>
  /** Starts what is not running, and has the others read their configuration. */
  start(): Promise<void>
  /** Starts what is not running, and stops and starts the others. */
  restart(): Promise<void>
  /** Has them read a new certificate. */
  reload(): Promise<void>
  /** Stops them until the next start by the panel, whatever programs are missing. */
  stop(): Promise<void>
  /** Returns the daemons that are not running. */
  listDown(): Promise<DaemonName[]>
}

const programs: Record<DaemonName, string[]> = {
  postfix: ['postfix', 'postmap', 'postqueue'],
  dovecot: ['dovecot', 'doveadm', 'doveconf', 'sievec'],
  rspamd: ['rspamd', 'rspamadm'],
}

// Rspamd compiles its patterns first.
const limitMs = 120_000
const pauseMs = 20

/** The mail daemons of the machine. */
export const mailDaemons: MachinePart<MailDaemons> = {
  linux: machine => {
    const how = isThere(machine.path('/run/systemd/system')) ? bySystemd : byScripts
    return { ...common(machine), ...how(machine) }
  },
  sandbox: machine => ({
    ...common(machine),
    lack: () => [],
    dovecotVersion: async () => '2.4',
    ...{ start: idle, restart: idle, reload: idle, stop: idle, listDown: async () => [] },
  }),
}

const idle = async (): Promise<void> => undefined

type Checked = Pick<MailDaemons, 'lack' | 'dovecotVersion' | 'compileMaps' | 'check'>
type Run = Omit<MailDaemons, keyof Checked>

const common = ({ run, tools, path }: Machine): Checked => ({
  lack: () =>
    Object.values(programs)
      .flat()
      .filter(name => !tools.has(name)),
  async dovecotVersion() {
    const text = await run('dovecot', ['--version'])
    if (text.startsWith('2.3.')) return '2.3'
    if (text.startsWith('2.4.')) return '2.4'
    throw new PanelError('unavailable', `Dovecot ${text.trim()} is not supported`)
  },
  async compileMaps() {
    // Others are compiled by those who write them: at the same time, an older text might win.
    for (const name of compiledMaps) {
      if (!isThere(path(compiledFile(name)))) await run('postmap', [`lmdb:${path(mapFile(name))}`])
    }
  },
  async check() {
    await run('postfix', ['check'])
    await run('doveconf', ['-n'])
    await run('sievec', [spamScriptFile])
    await run('rspamadm', ['configtest', '-q'])
  },
})

function bySystemd(machine: Machine): Run {
  const systemctl = (...args: string[]) => machine.run('systemctl', args, { timeoutMs: limitMs })
  const units = () => ['rspamd.service', 'dovecot.service', postfixUnit(machine)]
  // Debian 12 starts the instance of Postfix by this unit.
  const ofPackages = ['rspamd.service', 'dovecot.service', 'postfix.service']
  const enabled = [...ofPackages, outboundUnit]
  const start = async (verb: 'reload-or-restart' | 'restart') => {
    await systemctl('unmask', '--quiet', '--', ...ofPackages)
    await systemctl('daemon-reload')
    await systemctl('enable', '--quiet', '--', ...enabled)
    // The table of rules is never gone.
    await systemctl('reload-or-restart', '--', outboundUnit)
    await systemctl(verb, '--', ...ofPackages)
  }
  return {
    start: () => start('reload-or-restart'),
    restart: () => start('restart'),
    async reload() {
      await systemctl('reload', '--', 'dovecot.service', 'postfix.service')
    },
    async stop() {
      // A package that was removed has taken its unit with it.
      const there = enabled.filter(unit =>
        unitFolders.some(folder => isThere(machine.path(`${folder}/${unit}`))),
      )
      if (there.length > 0) {
        await systemctl('disable', '--now', '--quiet', '--', ...there.toReversed())
      }
    },
    async listDown() {
      const names = units()
      const isUp = (unit: string) =>
        systemctl('is-active', '-q', unit).then(
          () => true,
          (error: unknown) => {
            if (error instanceof CommandError && error.exitCode !== undefined) return false
            throw error
          },
        )
      const states = await Promise.all(names.map(isUp))
      return daemonNames.toReversed().filter((_, index) => !states[index])
    },
  }
}

const unitFolders = ['/etc/systemd/system', '/lib/systemd/system']

function byScripts(machine: Machine): Run {
  const run = (command: string, ...args: string[]) =>
    machine.run(command, args, { timeoutMs: limitMs })
  // They would keep the pipes of this process open for as long as they run.
  const launch = (...command: string[]) =>
    run('sh', '-c', 'exec "$@" </dev/null >/dev/null 2>&1', 'sh', ...command)
  const start: Record<DaemonName, () => Promise<unknown>> = {
    postfix: () => launch('postfix', 'start'),
    dovecot: () => launch('dovecot'),
    async rspamd() {
      await run('install', '-d', '-o', '_rspamd', '-g', '_rspamd', '/run/rspamd')
      await launch('rspamd', '-u', '_rspamd', '-g', '_rspamd')
    },
  }
  const reread: Record<DaemonName, (pid: number) => unknown> = {
    postfix: () => run('postfix', 'reload'),
    dovecot: () => run('doveadm', 'reload'),
    rspamd: pid => process.kill(pid, 'SIGHUP'),
  }
  const each = async (names: readonly DaemonName[], isStarted: boolean) => {
    for (const name of names) {
      const pid = pidOf(machine, name)
      if (pid !== undefined) await reread[name](pid)
      else if (isStarted) await start[name]()
    }
  }
  // By signals: the programs that stop them may be missing.
  const stop = async () => {
    for (const name of daemonNames) {
      const pid = pidOf(machine, name)
      if (pid === undefined) continue
      process.kill(pid, 'SIGTERM')
      const end = performance.now() + limitMs
      while (isProcessOf(name, pid)) {
        if (performance.now() > end) throw new Error(`${name} does not end`)
        await sleep(pauseMs)
      }
    }
  }
  return {
    start: () => each(daemonNames.toReversed(), true),
    async restart() {
      await stop()
      await each(daemonNames.toReversed(), true)
    },
    reload: () => each(['dovecot', 'postfix'], false),
    stop,
    listDown: async () => daemonNames.filter(name => pidOf(machine, name) === undefined),
  }
}
