import * as fs from 'node:fs'
import { log } from '../../log.ts'
import type { Groups } from '../accounts/cgroups.ts'
import { ensureLink, readFile, removeFile } from '../tools/files.ts'
import type { Machine } from '../contract.ts'
import { freshOf, listenForNginx } from './socket.ts'
import { configurationOf, socketOf, startLinkOf, startLinks, unreadOf } from './unit.ts'
import { endPhp, listProcesses } from '../accounts/user-processes.ts'
import { findProcess } from '../tools/processes.ts'
import { launchApart } from '../tools/run.ts'

// The accounts' PHP where systemd is not running. A master outlives the worker, whose restart must
// not take websites down; the next worker knows it again by its number and the time at which it
// was started, and starts those that are missing (docs/decisions/0010).

export type PhpMasters = {
  start(uid: number): Promise<void>
  /** Has a master that lives read its configuration again; requests under way end first. */
  reload(uid: number): Promise<void>
  stop(uid: number): Promise<void>
  /** The accounts whose master lives. */
  running(): Set<number>
  /** Looks after all masters from now on, for as long as this process lives. */
  keep(): Promise<void>
}

// For so long a master is missed that was killed by the kernel or by its own user.
const lookMs = 2_000

export function openPhpMasters(machine: Machine, groups: Groups): PhpMasters {
  const inTurn = takeTurns()

  const begin = async (uid: number) => {
    // A start that was interrupted may have left one whose number nobody knows; the first ever
    // finds nothing, and needs no look at every process.
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

  const keepOne = async (uid: number) => {
    // Somebody may have stopped it while this waited for its turn.
    if (startLinks().includes(uid) && masterOf(uid) === undefined) await begin(uid)
  }

  const look = async () => {
    for (const uid of startLinks().filter(one => masterOf(one) === undefined)) {
      await inTurn(uid, () => keepOne(uid)).catch(error =>
        log.error('PHP of an account does not start', error, { uid }),
      )
    }
    gather(groups)
  }

  return {
    start: uid =>
      inTurn(uid, async () => {
        ensureLink(startLinkOf(uid), '../panel-php@.socket')
        if (masterOf(uid) !== undefined) return
        // A new one reads what is there now. One that `keep` begins may be too early for it.
        fs.rmSync(unreadOf(uid), { force: true })
        await begin(uid)
      }),
    reload: uid =>
      inTurn(uid, async () => {
        const pid = startLinks().includes(uid) ? masterOf(uid) : undefined
        if (pid !== undefined) process.kill(pid, 'SIGUSR2')
      }),
    stop: uid =>
      inTurn(uid, async () => {
        removeFile(startLinkOf(uid))
        fs.rmSync(socketOf(uid), { force: true })
        await endPhp(machine, uid)
        removeFile(noteOf(uid))
      }),
    running: () => new Set(startLinks().filter(uid => masterOf(uid) !== undefined)),
    async keep() {
      fs.mkdirSync('/run/panel/php', { recursive: true, mode: 0o755 })
      const again = async () => {
        await look().catch(error => log.error('looking after PHP failed', error))
        setTimeout(again, lookMs).unref()
      }
      await again()
    },
  }
}

// What a start leaves wherever it is cut off, in the order in which it makes them.
const tracesOf = (uid: number): string[] => [freshOf(socketOf(uid)), socketOf(uid), noteOf(uid)]

const noteOf = (uid: number): string => `/run/panel/php/${uid}.pid`

// The number alone could be another process's by now.
function masterOf(uid: number): number | undefined {
  const [pid = '', time = ''] = readFile(noteOf(uid))?.trim().split(' ') ?? []
  const found = findProcess(Number(pid))
  return found?.isDead === false && found.startedTicks === time ? found.pid : undefined
}

// Sessions and cron jobs begin outside their account's group. Who is in one already is not looked
// at: with a thousand masters that would take most of the time.
function gather(groups: Groups): void {
  const uids = new Set(groups.list())
  const gathered = new Set([...uids].flatMap(uid => [...groups.members(uid)]))
  for (const { pid, uid } of listProcesses(gathered)) {
    if (uids.has(uid)) groups.add(uid, Number(pid))
  }
}

// What is done about one account's master is done one after the other.
function takeTurns() {
  const turns = new Map<number, Promise<unknown>>()
  return async <T>(uid: number, act: () => Promise<T>): Promise<T> => {
    const mine = (turns.get(uid) ?? Promise.resolve()).then(act)
    const settled = mine.catch(() => undefined)
    turns.set(uid, settled)
    try {
      return await mine
    } finally {
      if (turns.get(uid) === settled) turns.delete(uid)
    }
  }
}
