import * as fs from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import { renameIfThere } from '../tools/files.ts'
import type { Machine } from '../contract.ts'
import { isUnmanaged } from '../accounts/users.ts'

// Jobs that the account has made with `at`, where that is installed: files of its own in the
// daemon's folder. The daemon runs no job of an expired user, but checks that only after it has
// removed the job from its folder, and the job is lost; so jobs are set aside like crontabs. A user
// may have a million of them: a process lists them, and moving them leaves the worker time for
// other work.

/** Restores the jobs that a suspension has set aside; overdue ones run late. */
export async function ensureAtJobs(machine: Machine, { uid }: HostAccount): Promise<void> {
  // The daemon looks for new jobs when `at` signals it, when the next one is due, and every hour.
  await forEachOf(machine, jobsFolder, uid, (folder, name) => {
    const job = jobOf(uid, name)
    if (job !== undefined) move(folder, name, job)
  })
}

export async function blockAtJobs(machine: Machine, { uid }: HostAccount): Promise<void> {
  await forEachOf(machine, jobsFolder, uid, (folder, name) => {
    if (jobName.test(name)) move(folder, name, suspendedNameOf(uid, name))
  })
}

/** Removes the jobs, including those about to run or being made, and their output. */
export async function removeAtJobs(machine: Machine, account: HostAccount): Promise<void> {
  if (isUnmanaged(machine.users, account)) return
  for (const whose of [jobsFolder, outputsFolder]) {
    await forEachOf(machine, whose, account.uid, (folder, name) =>
      fs.rmSync(`${folder}/${name}`, { force: true }),
    )
  }
}

export type AtJobs = { waiting: boolean; suspended: boolean }

/** Returns the waiting and suspended jobs of each user, by user number. */
export async function listJobs(machine: Machine): Promise<Map<number, AtJobs>> {
  const found = new Map<number, AtJobs>()
  for (const { name, uid } of await filesIn(machine, jobsFolder)) {
    const { waiting, suspended } = found.get(uid) ?? { waiting: false, suspended: false }
    const isSuspended = jobOf(uid, name) !== undefined
    found.set(uid, { waiting: waiting || jobName.test(name), suspended: suspended || isSuspended })
  }
  return found
}

const jobsFolder = '/var/spool/cron/atjobs'
const outputsFolder = '/var/spool/cron/atspool'

// A name is the queue's letter, the job's number and its minute; the daemon ignores other names.
const jobName = /^[A-Za-z][0-9a-f]{13}$/

const suspendedNameOf = (uid: number, job: string): string => `.panel-${uid}-${job}`

/** Returns the name of the job that was set aside under this name. */
function jobOf(uid: number, name: string): string | undefined {
  const job = name.slice(suspendedNameOf(uid, '').length)
  return jobName.test(job) && name === suspendedNameOf(uid, job) ? job : undefined
}

// Maximum jobs moved in one turn of the event loop, at about ten microseconds each.
const maxInTurn = 500

async function forEachOf(
  machine: Machine,
  whose: string,
  uid: number,
  act: (folder: string, name: string) => void,
): Promise<void> {
  const folder = machine.path(whose)
  const files = await filesIn(machine, whose, '-uid', String(uid))
  for (const [index, { name }] of files.entries()) {
    if (index % maxInTurn === 0) await setImmediate()
    act(folder, name)
  }
}

// In bytes: the names of as many jobs as the daemon can count.
const namesLimit = 64 << 20
const limitMs = 120_000

// Lists files by name, so that moving or removing one follows no link. `find` exits with 1 if a job
// disappears meanwhile.
async function filesIn(
  machine: Machine,
  folder: string,
  ...whose: string[]
): Promise<{ name: string; uid: number }[]> {
  if (isEmpty(machine.path(folder))) return []
  const which = ['-mindepth', '1', '-maxdepth', '1', '!', '-type', 'd', ...whose]
  const output = await machine.run('find', [folder, ...which, '-printf', '%U %f\\0'], {
    timeoutMs: limitMs,
    outputLimit: namesLimit,
    acceptedCodes: [1],
  })
  const lines = output.matchAll(/([0-9]+) ([^\0]*)\0/g)
  return Array.from(lines, ([, uid, name = '']) => ({ name, uid: Number(uid) }))
}

// Most machines have no such folder, or only the daemon's counter in it.
function isEmpty(path: string): boolean {
  if (!fs.existsSync(path)) return true
  const folder = fs.opendirSync(path)
  try {
    const first = [folder.readSync(), folder.readSync()]
    return first.every(found => found === null || found.name === '.SEQ')
  } finally {
    folder.closeSync()
  }
}

// The daemon may have taken the job.
const move = (folder: string, from: string, to: string): void =>
  renameIfThere(`${folder}/${from}`, `${folder}/${to}`)
