import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Machine } from './machine.ts'

/** Kills all that runs as the user until nothing is left. */
export async function endProcesses(machine: Machine, uid: number): Promise<void> {
  await end(machine, uid, () => true)
}

/** Ends the user's open SFTP sessions; PHP goes on. */
export async function endSessions(machine: Machine, uid: number): Promise<void> {
  await end(machine, uid, name => name.startsWith('sshd') || name === 'sftp-server')
}

// A process may start another between the look and the kill, so it takes more than one round; one
// that waits for a disk that doesn't answer can't be killed at all.
const roundsAtMost = 400
const pauseMs = 5

async function end(
  machine: Machine,
  uid: number,
  isMeant: (name: string) => boolean,
): Promise<void> {
  // The sandbox starts nothing for its users, and their numbers may be somebody's here.
  if (machine.kind === 'sandbox') return
  for (let round = 0; round < roundsAtMost; round++) {
    const found = processesOf(uid).filter(({ name }) => isMeant(name))
    if (found.length === 0) return
    // As the user itself: a number that another process has by now can't be hit by mistake.
    const pids = found.map(({ pid }) => pid)
    await machine.run('kill', ['-KILL', '--', ...pids], { as: uid }).catch(() => {})
    await sleep(pauseMs)
  }
  throw new Error(`Processes of user ${uid} can't be ended`)
}

type Process = { pid: string; name: string }

function processesOf(uid: number): Process[] {
  const pids = readdirSync('/proc').filter(name => /^[1-9][0-9]*$/.test(name))
  return pids.flatMap(pid => {
    const status = statusOf(pid)
    const name = /^Name:\t(.*)$/m.exec(status)?.[1] ?? ''
    // Zombies are dead already.
    const isAlive = !/^State:\t[ZX]/m.test(status)
    const ids = /^Uid:\t(.*)$/m.exec(status)?.[1]?.split('\t') ?? []
    return isAlive && ids.includes(String(uid)) ? [{ pid, name }] : []
  })
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return '' // It ended meanwhile.
  }
}
