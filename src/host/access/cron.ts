import * as fs from 'node:fs'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Machine, Resource, UserKey } from '../contract.ts'
import { isThere, listNames, renameIfThere } from '../tools/files.ts'
import { ensureAtJobs, listJobs, blockAtJobs, removeAtJobs } from './at-jobs.ts'

/**
 * Jobs that an administrator has given the account with `crontab -u`. The panel never makes them:
 * they are set aside when the account is suspended and removed when it is terminated. The same
 * holds for `at` jobs, which accounts can make themselves.
 */
export const cron: Resource = {
  name: 'cron',

  // Restores the jobs that a suspension has set aside.
  async ensure(machine, account) {
    const { live, suspended } = crontabPathsOf(machine, account)
    // A crontab made since the suspension is newer than the one that was set aside.
    if (isThere(live)) fs.rmSync(suspended, { force: true })
    else renameIfThere(suspended, live)
    await ensureAtJobs(machine, account)
  },

  // Moves the jobs to where cron does not drift.
  async suspend(machine, account) {
    const { live, suspended } = crontabPathsOf(machine, account)
    renameIfThere(live, suspended)
    removeUnfinished(machine, account)
    await blockAtJobs(machine, account)
  },

  async remove(machine, account) {
    const { live, suspended } = crontabPathsOf(machine, account)
    // Without its user, the name may belong to another account by now.
    if (machine.users.find(account.username) === account.uid) fs.rmSync(live, { force: true })
    fs.rmSync(suspended, { force: true })
    removeUnfinished(machine, account)
    await removeAtJobs(machine, account)
  },

  async drift(machine) {
    const atJobs = await listJobs(machine)
    return account => {
      const { live, suspended } = crontabPathsOf(machine, account)
      const jobs = atJobs.get(account.uid)
      const isActive = account.desired === 'active'
      const differences = isActive
        ? [
            isThere(suspended) && 'cron jobs are suspended',
            jobs?.suspended && 'at jobs are suspended',
          ]
        : [isThere(live) && 'cron jobs run', jobs?.waiting && 'at jobs run']
      return differences.filter(sentence => typeof sentence === 'string')
    }
  },

  keeps: accounts => ({
    name: 'crontabs',
    folder: crontabsFolder,
    entries: accounts.flatMap(({ username, uid }) => [username, suspendedNameOf(uid)]),
  }),
}

/** Owned by root; cron reads it once a minute and skips names that begin with a dot. */
export const crontabsFolder = '/var/spool/cron/crontabs'

const suspendedNameOf = (uid: number): string => `.panel-${uid}`

const crontabPathsOf = ({ path }: Machine, { username, uid }: UserKey) => ({
  live: path(`${crontabsFolder}/${username}`),
  suspended: path(`${crontabsFolder}/${suspendedNameOf(uid)}`),
})

// A killed `crontab` leaves a temporary file of its user's.
function removeUnfinished(machine: Machine, { uid }: HostAccount): void {
  const folder = machine.path(crontabsFolder)
  for (const name of listNames(folder).filter(one => one.startsWith('tmp.'))) {
    const owner = fs.lstatSync(`${folder}/${name}`, { throwIfNoEntry: false })?.uid
    if (owner === uid) fs.rmSync(`${folder}/${name}`, { force: true })
  }
}
