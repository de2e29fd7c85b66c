import { Mutex } from 'async-mutex'
import * as fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { log } from '../../log.ts'
import type { Groups } from '../accounts/cgroups.ts'
import { ensureLink, readFile, removeFile } from '../tools/files.ts'
import type { Machine } from '../contract.ts'
import { freshOf, isSocketOpen, listenForNginx } from './socket.ts'
import {
  configurationOf,
  environmentOf,
  isSitePhp,
  listSitePhp,
  programLinkOf,
  socketOf,
  startLinkOf,
  startLinks,
  uidOf,
  unreadOf,
  type PhpInstance,
} from './instances.ts'
import { listOutdated } from './outdated.ts'
import { endPhp, listProcesses } from '../accounts/user-processes.ts'
import { findProcess } from '../tools/processes.ts'
import { launchApart } from '../tools/run.ts'

// The accounts' PHP where systemd is not running. A master outlives the worker, whose restart must
// not take websites down; the next worker recognizes it by its process id and start time, and
// starts missing ones (docs/decisions/0008-php-without-systemd.md).

// Maximum time until a master that was killed, by the kernel or its own user, is started again.
const checkMs = 2_000

export function openPhpMasters(machine: Machine, groups: Groups) {
  const inTurn = takeTurns()
  // A website's is a link, which a reload follows again.
  const programOf = (instance: PhpInstance): string =>
    isSitePhp(instance) ? programLinkOf(instance) : `/usr/sbin/${machine.php.name()}`

  const launch = (instance: PhpInstance) =>
    listenForNginx(socketOf(instance), descriptor => {
      const uid = uidOf(instance)
      const pid = launchApart(programOf(instance), {
        args: ['--nodaemonize', '-y', configurationOf(instance)],
        as: uid,
        descriptor,
        environment: {
          FPM_SOCKETS: `${socketOf(instance)}=3`,
          ...environmentOf(instance),
        },
      })
      groups.add(uid, pid)
      fs.writeFileSync(noteOf(instance), `${pid} ${findProcess(pid)?.startedTicks}\n`)
    })

  const begin = async (instance: PhpInstance) => {
    // An interrupted start may have left a master whose id was not recorded. If it left no files
    // either, there is no need to look at every process.
    if (tracesOf(instance).some(path => fs.existsSync(path))) await endPhp(machine, instance)
    await launch(instance)
  }

  const check = async () => {
    for (const instance of startLinks().filter(one => masterOf(one) === undefined)) {
      await inTurn(instance, async () => {
        // It may have been stopped meanwhile.
        if (startLinks().includes(instance) && masterOf(instance) === undefined)
          await begin(instance)
      }).catch(error => log.error('PHP does not start', error, { instance }))
    }
    gather(groups)
  }

  const stopOne = (instance: PhpInstance) =>
    inTurn(instance, async () => {
      removeFile(startLinkOf(instance))
      fs.rmSync(socketOf(instance), { force: true })
      await endPhp(machine, instance)
      removeFile(noteOf(instance))
    })

  return {
    start: (instance: PhpInstance) =>
      inTurn(instance, async () => {
        ensureLink(startLinkOf(instance), '../panel-php@.socket')
        if (masterOf(instance) !== undefined && isSocketOpen(socketOf(instance))) return
        // A new master reads the current file. (One that `keep` starts may have read it before.)
        fs.rmSync(unreadOf(instance), { force: true })
        await begin(instance)
      }),
    /** Makes a live master reload its configuration; requests in progress finish first. */
    reload: (instance: PhpInstance) =>
      inTurn(instance, async () => {
        const pid = startLinks().includes(instance) ? masterOf(instance) : undefined
        if (pid === undefined) return
        await untilReady(pid)
        process.kill(pid, 'SIGUSR2')
      }),
    stopOne,
    async stop(uid: number) {
      for (const one of [...listSitePhp(machine, uid), uid]) await stopOne(one)
    },
    running() {
      const all = new Set(listMasters().map(([instance]) => instance))
      return { has: (one: PhpInstance) => all.has(one) && isSocketOpen(socketOf(one)) }
    },
    list: () => listMasters().map(([instance, pid]): [PhpInstance, number[]] => [instance, [pid]]),
    signal(instances: readonly PhpInstance[], signal: NodeJS.Signals) {
      for (const [one, pid] of listMasters()) if (instances.includes(one)) process.kill(pid, signal)
    },
    /** Starts masters of the default program in place of those of another, which then end. */
    async switchProgram() {
      const outdated = listOutdated(new Map(this.list()), machine.php.name())
      for (const instance of outdated) {
        await inTurn(instance, async () => {
          const pid = masterOf(instance)
          if (pid === undefined || !startLinks().includes(instance)) return
          await launch(instance)
          process.kill(pid, 'SIGQUIT')
        })
      }
    },
    /** Supervises all masters from now on, for as long as this process lives. */
    async keep() {
      fs.mkdirSync('/run/panel/php', { recursive: true, mode: 0o755 })
      const again = async () => {
        await check().catch(error => log.error('supervising PHP failed', error))
        setTimeout(again, checkMs).unref()
      }
      await again()
    },
  }
}

// The files that a start makes, in this order; it may be killed after any of them.
const tracesOf = (instance: PhpInstance): string[] => [
  freshOf(socketOf(instance)),
  socketOf(instance),
  noteOf(instance),
]

const noteOf = (instance: PhpInstance): string => `/run/panel/php/${instance}.pid`

/** Returns the instances with a live master, each with its process id. */
const listMasters = (): [instance: PhpInstance, pid: number][] =>
  startLinks().flatMap(instance => {
    const pid = masterOf(instance)
    return pid === undefined ? [] : [[instance, pid]]
  })

// Compares id and start time: the id alone may belong to another process by now.
function masterOf(instance: PhpInstance): number | undefined {
  const [pid = '', time = ''] = readFile(noteOf(instance))?.trim().split(' ') ?? []
  const found = findProcess(Number(pid))
  return found?.isDead === false && found.startedTicks === time ? found.pid : undefined
}

// Moves sessions and cron jobs, which start elsewhere, into their account's group. Processes that
// are already in a group are skipped: with a thousand masters they would take most of the time.
function gather(groups: Groups): void {
  const uids = new Set(groups.list())
  const gathered = new Set([...uids].flatMap(uid => [...groups.members(uid)]))
  for (const { pid, uid } of listProcesses(gathered)) {
    if (uids.has(uid)) groups.add(uid, Number(pid))
  }
}

// Waits until a master can take signals, which would kill it before: it then has a title.
async function untilReady(pid: number): Promise<void> {
  const isReady = () => readFile(`/proc/${pid}/cmdline`)?.startsWith('php-fpm: master') !== false
  const end = performance.now() + readyMs
  while (!isReady() && performance.now() < end) await sleep(5)
}

const readyMs = 2_000

// Runs the calls for one master one after another.
function takeTurns() {
  const turns = new Map<PhpInstance, Mutex>()
  return <T>(instance: PhpInstance, act: () => Promise<T>): Promise<T> => {
    const turn = turns.get(instance) ?? new Mutex()
    turns.set(instance, turn)
    return turn.runExclusive(act)
  }
}
