import * as fs from 'node:fs'
import type { HostAccount } from '../model/host-account.ts'
import { hasCode } from './files.ts'
import type { Machine } from './machine.ts'
import { isStrangers } from './users.ts'

// Jobs that the account has given itself by `at`, where that is installed: files that are its own,
// in a folder of the daemon's. The daemon runs none of a user that has expired, but by the time it
// asks it has taken the job out of its folder; so they are put aside as crontabs are.

/** Gives back the jobs that a suspension has put aside; those whose time has passed run late. */
export function ensureAtJobs(machine: Machine, { uid }: HostAccount): void {
  // The daemon looks for new ones when `at` tells it, when the next is due and every hour.
  for (const { name } of ownFiles(machine, jobsFolder, uid)) {
    const job = jobOf(uid, name)
    if (job !== undefined) move(name, job)
  }
}

export function parkAtJobs(machine: Machine, { uid }: HostAccount): void {
  for (const { name } of ownFiles(machine, jobsFolder, uid)) {
    if (jobName.test(name)) move(name, parkedNameOf(uid, name))
  }
}

/** Removes the jobs, those that were about to run or to be made, and what they have written. */
export function removeAtJobs(machine: Machine, account: HostAccount): void {
  if (isStrangers(machine.users, account)) return
  for (const folder of [jobsFolder, outputsFolder]) {
    for (const { name } of ownFiles(machine, folder, account.uid)) {
      fs.rmSync(`${folder}/${name}`, { force: true })
    }
  }
}

export type AtJobs = { waiting: boolean; parked: boolean }

/** What there is of each user's jobs, by number. */
export function lookAtJobs(machine: Machine): Map<number, AtJobs> {
  const found = new Map<number, AtJobs>()
  for (const { name, uid } of filesIn(machine, jobsFolder)) {
    const { waiting, parked } = found.get(uid) ?? { waiting: false, parked: false }
    const isParked = jobOf(uid, name) !== undefined
    found.set(uid, { waiting: waiting || jobName.test(name), parked: parked || isParked })
  }
  return found
}

const jobsFolder = '/var/spool/cron/atjobs'
const outputsFolder = '/var/spool/cron/atspool'

// The queue, the number of the job and the minute; the daemon passes over every other name.
const jobName = /^[A-Za-z][0-9a-f]{13}$/

const parkedNameOf = (uid: number, job: string): string => `.panel-${uid}-${job}`

/** The job that was put aside under this name. */
function jobOf(uid: number, name: string): string | undefined {
  const job = name.slice(parkedNameOf(uid, '').length)
  return jobName.test(job) && name === parkedNameOf(uid, job) ? job : undefined
}

const ownFiles = (machine: Machine, folder: string, uid: number) =>
  filesIn(machine, folder).filter(file => file.uid === uid)

// Whose a file is means nothing in a sandbox. What is moved or removed of what is found is a name,
// which no link leads on from.
function filesIn(machine: Machine, folder: string): { name: string; uid: number }[] {
  if (machine.kind === 'sandbox' || !fs.existsSync(folder)) return []
  return fs.readdirSync(folder).flatMap(name => {
    const found = fs.lstatSync(`${folder}/${name}`, { throwIfNoEntry: false })
    return found?.isDirectory() === false ? [{ name, uid: found.uid }] : []
  })
}

function move(from: string, to: string): void {
  try {
    fs.renameSync(`${jobsFolder}/${from}`, `${jobsFolder}/${to}`)
  } catch (error) {
    // The daemon has begun with it.
    if (!hasCode(error, 'ENOENT')) throw error
  }
}
