import { Mutex } from 'async-mutex'
import * as fs from 'node:fs'
import { log } from '../../log.ts'
import type { Groups } from '../accounts/cgroups.ts'
import { ensureLink, readFile, removeFile } from '../tools/files.ts'
import type { Machine } from '../contract.ts'
import { freshOf, isSocketOpen, listenForNginx } from './socket.ts'
import { configurationOf, socketOf, startLinkOf, startLinks, unreadOf } from './unit.ts'
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

  const begin = async (uid: number) => {
    // An interrupted start may have left a master whose id was not recorded. If it left no files
    // either, there is no need to look at every process.
    if (tracesOf(uid).some(path => fs.existsSync(path))) await endPhp(machine, uid)
    await listenForNginx(socketOf(uid), descriptor => {
      const pid = launchApart(`/usr/sbin/${machine.php.name()}`, {
        args: ['--nodaemonize', '-y', configurationOf(uid)],
        as: uid,
        descriptor,
        environment: { FPM_SOCKETS: `${socketOf(uid)}=3` },
      })
      groups.add(uid, pid)
      fs.writeFileSync(noteOf(uid), `${pid} ${findProcess(pid)?.startedTicks}\n`)
    })
  }

  const check = async () => {
    for (const uid of startLinks().filter(one => masterOf(one) === undefined)) {
      await inTurn(uid, async () => {
        // It may have been stopped meanwhile.
        if (startLinks().includes(uid) && masterOf(uid) === undefined) await begin(uid)
      }).catch(error => log.error("an account's PHP does not start", error, { uid }))
    }
    gather(groups)
  }

  return {
    start: (uid: number) =>
      inTurn(uid, async () => {
        ensureLink(startLinkOf(uid), '../panel-php@.socket')
        if (masterOf(uid) !== undefined && isSocketOpen(socketOf(uid))) return
        // A new master reads the current file. (One that `keep` starts may have read it before.)
        fs.rmSync(unreadOf(uid), { force: true })
        await begin(uid)
      }),
    /** Makes a live master reload its configuration; requests in progress finish first. */
    reload: (uid: number) =>
      inTurn(uid, async () => {
        const pid = startLinks().includes(uid) ? masterOf(uid) : undefined
        if (pid !== undefined) process.kill(pid, 'SIGUSR2')
      }),
    stop: (uid: number) =>
      inTurn(uid, async () => {
        removeFile(startLinkOf(uid))
        fs.rmSync(socketOf(uid), { force: true })
        await endPhp(machine, uid)
        removeFile(noteOf(uid))
      }),
    running() {
      const uids = new Set(listMasters().map(([uid]) => uid))
      return { has: (uid: number) => uids.has(uid) && isSocketOpen(socketOf(uid)) }
    },
    list: () => listMasters().map(([uid, pid]): [number, number[]] => [uid, [pid]]),
    signal(uids: readonly number[], signal: NodeJS.Signals) {
      for (const [uid, pid] of listMasters()) if (uids.includes(uid)) process.kill(pid, signal)
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
const tracesOf = (uid: number): string[] => [freshOf(socketOf(uid)), socketOf(uid), noteOf(uid)]

const noteOf = (uid: number): string => `/run/panel/php/${uid}.pid`

/** Returns the accounts with a live master, each with its process id. */
const listMasters = (): [uid: number, pid: number][] =>
  startLinks().flatMap(uid => {
    const pid = masterOf(uid)
    return pid === undefined ? [] : [[uid, pid]]
  })

// Compares id and start time: the id alone may belong to another process by now.
function masterOf(uid: number): number | undefined {
  const [pid = '', time = ''] = readFile(noteOf(uid))?.trim().split(' ') ?? []
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

// Runs the calls for one account's master one after another.
function takeTurns() {
  const turns = new Map<number, Mutex>()
  return <T>(uid: number, act: () => Promise<T>): Promise<T> => {
    const turn = turns.get(uid) ?? new Mutex()
    turns.set(uid, turn)
    return turn.runExclusive(act)
  }
}
