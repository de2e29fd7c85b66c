import * as fs from 'node:fs'
import type { HostAccount } from '../../model/host-account.ts'
import { ensureAtJobs, parkAtJobs, removeAtJobs } from './at-jobs.ts'
import { hasCode } from '../tools/files.ts'
import type { Machine } from '../machine.ts'

// Jobs that an administrator has given the account by `crontab -u`. They are never made here: they
// are put aside with a suspended account and go with a terminated one. So are those of `at`, which
// accounts can make themselves.

/** Gives back the jobs that a suspension has put aside. */
export async function ensureCron(machine: Machine, account: HostAccount): Promise<void> {
  const { live, parked } = cronPlaces(machine.path, account)
  // New ones were made for the account as it is now.
  if (fs.lstatSync(live, { throwIfNoEntry: false }) === undefined) move(parked, live)
  else fs.rmSync(parked, { force: true })
  await ensureAtJobs(machine, account)
}

/** Puts the jobs aside, where cron does not look. */
export async function parkCron(machine: Machine, account: HostAccount): Promise<void> {
  const { live, parked } = cronPlaces(machine.path, account)
  move(live, parked)
  removeUnfinished(machine, account)
  await parkAtJobs(machine, account)
}

export async function removeCron(machine: Machine, account: HostAccount): Promise<void> {
  const { live, parked } = cronPlaces(machine.path, account)
  // By name it may be the next owner's by now.
  if (machine.users.find(account.username) === account.uid) fs.rmSync(live, { force: true })
  fs.rmSync(parked, { force: true })
  removeUnfinished(machine, account)
  await removeAtJobs(machine, account)
}

// What `crontab` was killed over is its user's and would be nobody's.
function removeUnfinished(machine: Machine, { uid }: HostAccount): void {
  if (machine.kind === 'sandbox' || !fs.existsSync(crontabsFolder)) return
  for (const name of fs.readdirSync(crontabsFolder).filter(name => name.startsWith('tmp.'))) {
    const owner = fs.lstatSync(`${crontabsFolder}/${name}`, { throwIfNoEntry: false })?.uid
    if (owner === uid) fs.rmSync(`${crontabsFolder}/${name}`, { force: true })
  }
}

/** Root's own; cron reads it once a minute and leaves out names that begin with a dot. */
export const crontabsFolder = '/var/spool/cron/crontabs'

/** Where an account's jobs are, and where they are while it is suspended. */
export const cronPlaces = (path: Machine['path'], { username, uid }: HostAccount) => ({
  live: path(`${crontabsFolder}/${username}`),
  parked: path(`${crontabsFolder}/.panel-${uid}`),
})

function move(from: string, to: string): void {
  try {
    fs.renameSync(from, to)
  } catch (error) {
    // Neither a job nor, without cron, a folder.
    if (!hasCode(error, 'ENOENT')) throw error
  }
}
