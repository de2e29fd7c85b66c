import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Machine, Resource, UserKey } from '../contract.ts'
import { configurationOf, uidOf, type PhpInstance } from '../php/instances.ts'
import { hasCode } from '../tools/files.ts'
import { listPids, readOfProcess } from '../tools/processes.ts'
import { unlessUnmanaged } from './users.ts'

// Kills everything that runs as the user, or is about to, until nothing is left.
const endProcesses = unlessUnmanaged((machine, account) =>
  end(machine, account.uid, undefined, account.username),
)

/** Everything that runs as the account. */
export const processes: Resource = {
  name: 'processes',
  suspend: endProcesses,
  remove: endProcesses,
}

/** Ends the user's SFTP sessions, including those being opened; PHP keeps running. */
export async function endSessions(machine: Machine, { uid, username }: UserKey): Promise<void> {
  await end(machine, uid, name => name.startsWith('sshd') || name === 'sftp-server', username)
}

/** Ends an instance of the user's PHP, master included; everything else keeps running. */
export async function endPhp(machine: Machine, instance: PhpInstance): Promise<void> {
  // Their titles name the pool, or the master's configuration.
  const words = [String(instance), configurationOf(instance)]
  await end(machine, uidOf(instance), (name, pid) => {
    if (!name.startsWith('php-fpm')) return false
    const title = readOfProcess(pid, 'cmdline').split(/[\0 ()]+/)
    return words.some(word => title.includes(word))
  })
}

// Two seconds: a process that waits for a lost disk cannot be killed at all.
const maxRounds = 400
const pauseMs = 5
// A process may start another between the listing and the kill, again and again, and the user may
// kill anything that runs as itself, even this command. After this many rounds the kernel kills all
// processes of the user at once, which none can escape.
const choosyRounds = 20

// The killing process has the user's number only as its effective id: with it as the real or saved
// id too (as by `setpriv`) the user could kill it first. Those are an unused number above the
// accounts' range, since the real id also gives the right to kill.
const killAll = '$< = 2_000_000_001; $> = shift; $> == 0 and die "still root"; kill KILL => -1'

// For this many rounds, logins in progress are ended as well: later ones are refused, and a
// password guesser must not keep this from finishing.
const loginRounds = 10

async function end(
  machine: Machine,
  uid: number,
  isMeant: ((name: string, pid: string) => boolean) | undefined,
  /** The user whose logins are ended too. */
  username?: string,
): Promise<void> {
  // A sandbox runs nothing, and its user numbers may belong to real users here.
  if (!hasKernel(machine)) return
  let left: string[] = []
  for (let round = 0; round < maxRounds; round++) {
    const all = running()
    const logins = round < loginRounds && username !== undefined ? loginsOf(username, all) : []
    for (const pid of logins) kill(pid)
    const found = all.filter(({ uids }) => uids.includes(uid))
    const meant = found.filter(({ name, pid }) => isMeant?.(name, pid) ?? true)
    for (const one of meant) endService(one)
    if (meant.length === 0 && logins.length === 0) return
    left = meant.map(({ name, uids }) => `${name} (${uids.join(' ')})`)
    // As the user: if the id belongs to another user's process by now, the kernel refuses.
    const isChoosy = isMeant !== undefined && round < choosyRounds
    const pids = meant.map(({ pid }) => pid)
    if (!isChoosy) await machine.run('perl', ['-e', killAll, '--', String(uid)])
    else if (pids.length > 0) {
      await machine.run('kill', ['-KILL', '--', ...pids], { as: uid }).catch(() => {})
    }
    await sleep(pauseMs)
  }
  throw new Error(`Processes of user ${uid} cannot be ended: ${[...new Set(left)].join(', ')}`)
}

/**
 * Returns sshd's processes, still root's, for a session of this user: a session admitted before the
 * user was locked becomes the user's a moment later. sshd shows the user in the process title as
 * soon as it knows the name.
 */
const loginsOf = (username: string, all: ReturnType<typeof running>): string[] =>
  all
    .filter(({ name, uids }) => /^sshd(-session)?$/.test(name) && uids.every(uid => uid === 0))
    .filter(({ pid, name }) =>
      readOfProcess(pid, 'cmdline').startsWith(`${name}: ${username} [priv]`),
    )
    .map(({ pid }) => pid)

/**
 * Services of Dovecot that are root's, and keep the number of the user they last worked for as
 * their effective one: the user cannot signal them, and `userdel` refuses as long as they have it.
 * Dovecot starts them again. On SIGINT a delivery ends what it is doing; Postfix repeats a question
 * about a quota whose answer is lost.
 */
const services: Record<string, NodeJS.Signals> = { lmtp: 'SIGINT', 'quota-status': 'SIGTERM' }

function endService({ pid, name, uids: [real, , saved] }: ReturnType<typeof running>[number]) {
  const signal = services[name]
  if (signal !== undefined && real === 0 && saved === 0) kill(pid, signal)
}

// As root, right after listing: a process id is reused only after all others have been given out.
function kill(pid: string, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(Number(pid), signal)
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

/** Returns whether a kernel runs processes for the machine: a sandbox has none. */
export const hasKernel = ({ path }: Machine): boolean => existsSync(path('/proc'))

/** A live process, and the user that it runs as. */
export type Process = { pid: string; name: string; uid: number }

/** Returns all processes of the machine except those with these ids. */
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
