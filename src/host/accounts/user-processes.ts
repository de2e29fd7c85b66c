import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Machine, Resource, UserKey } from '../contract.ts'
import { hasCode } from '../tools/files.ts'
import { listPids, readOfProcess } from '../tools/processes.ts'
import { unlessUnmanaged } from './users.ts'

// Kills all that runs as the user, or is about to, until nothing is left.
const endProcesses = unlessUnmanaged((machine, account) =>
  end(machine, account.uid, undefined, account.username),
)

/** All that runs as the account. */
export const processes: Resource = {
  name: 'processes',
  suspend: endProcesses,
  remove: endProcesses,
}

/** Ends the user's SFTP sessions, those that are being opened too; PHP goes on. */
export async function endSessions(machine: Machine, { uid, username }: UserKey): Promise<void> {
  await end(machine, uid, name => name.startsWith('sshd') || name === 'sftp-server', username)
}

/** Ends the user's PHP, master and all; its sessions go on. */
export async function endPhp(machine: Machine, uid: number): Promise<void> {
  await end(machine, uid, name => name.startsWith('php-fpm'))
}

// Two seconds: a process that waits for a lost disk can't be killed at all.
const roundsAtMost = 400
const pauseMs = 5
// A process may start another between the look and the kill, again and again, and the user may kill
// whatever runs as itself, even this command. After so many rounds all processes of the user are
// killed at once by the kernel, which none can escape.
const choosyRounds = 20

// The killing process has the user's number as its effective one alone: with it as the real or
// saved one too (as by `setpriv`) the user could kill it first. Those are a number that nobody has,
// above those of accounts, since the real number is allowed to kill as well.
const killAll = '$< = 2_000_000_001; $> = shift; $> == 0 and die "still root"; kill KILL => -1'

// For so many rounds those are ended too who are logging in: whoever comes later is refused, and
// somebody who guesses passwords must not keep this from its end.
const loginRounds = 10

async function end(
  machine: Machine,
  uid: number,
  isMeant: ((name: string) => boolean) | undefined,
  /** Whose logins end too. */
  username?: string,
): Promise<void> {
  // A sandbox runs nothing, and the numbers of its users may be somebody's here.
  if (!hasKernel(machine)) return
  for (let round = 0; round < roundsAtMost; round++) {
    const all = running()
    const logins = round < loginRounds && username !== undefined ? loginsOf(username, all) : []
    for (const pid of logins) kill(pid)
    const found = all.filter(({ uids }) => uids.includes(uid))
    const meant = found.filter(({ name }) => isMeant === undefined || isMeant(name))
    if (meant.length === 0 && logins.length === 0) return
    // As the user: a number that is another user's process by now is refused by the kernel.
    const isChoosy = isMeant !== undefined && round < choosyRounds
    const pids = meant.map(({ pid }) => pid)
    if (!isChoosy) await machine.run('perl', ['-e', killAll, '--', String(uid)])
    else if (pids.length > 0) {
      await machine.run('kill', ['-KILL', '--', ...pids], { as: uid }).catch(() => {})
    }
    await sleep(pauseMs)
  }
  throw new Error(`Processes of user ${uid} cannot be ended`)
}

/**
 * sshd's processes, root's still, of a session of this user: one that was let in before the user
 * was locked becomes the user's a moment later. sshd says in their titles whose they are as soon as
 * it is told the name.
 */
const loginsOf = (username: string, all: ReturnType<typeof running>): string[] =>
  all
    .filter(({ name, uids }) => /^sshd(-session)?$/.test(name) && uids.every(uid => uid === 0))
    .filter(({ pid, name }) =>
      readOfProcess(pid, 'cmdline').startsWith(`${name}: ${username} [priv]`),
    )
    .map(({ pid }) => pid)

// As root, right after the look: a number comes again only after all others have been given.
function kill(pid: string): void {
  try {
    process.kill(Number(pid), 'SIGKILL')
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

/** Whether there is a kernel that runs processes for the machine: a sandbox has none. */
export const hasKernel = ({ path }: Machine): boolean => existsSync(path('/proc'))

/** A process that lives, and the user that it runs as. */
export type Process = { pid: string; name: string; uid: number }

/** All processes of the machine but those with these numbers. */
export function listProcesses(except: ReadonlySet<string> = new Set()): Process[] {
  return running(except).map(({ pid, name, uids }) => ({ pid, name, uid: uids[0] ?? -1 }))
}

function running(except: ReadonlySet<string> = new Set()) {
  const pids = listPids().filter(pid => !except.has(pid))
  return pids.flatMap(pid => {
    const status = readOfProcess(pid, 'status')
    const name = /^Name:\t(.*)$/m.exec(status)?.[1]
    // Zombies are dead already.
    if (name === undefined || /^State:\t[ZX]/m.test(status)) return []
    const uids = /^Uid:\t(.*)$/m.exec(status)?.[1]?.split('\t').map(Number) ?? []
    return [{ pid, name, uids }]
  })
}
