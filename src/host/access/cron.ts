import * as fs from 'node:fs'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Machine, Resource, UserKey } from '../contract.ts'
import { isThere, listNames, renameIfThere } from '../tools/files.ts'
import { ensureAtJobs, lookAtJobs, blockAtJobs, removeAtJobs } from './at-jobs.ts'

/**
 * Jobs that an administrator has given the account by `crontab -u`. They are never made here: they
 * are put aside with a suspended account and go with a terminated one. So are those of `at`, which
 * accounts can make themselves.
 */
export const cron: Resource = {
  name: 'cron',

  // Gives back the jobs that a suspension has put aside.
  async ensure(machine, account) {
    const { live, suspended } = placesOf(machine, account)
    // A crontab that was made since the suspension is newer than the one that was put aside.
    if (isThere(live)) fs.rmSync(suspended, { force: true })
    else renameIfThere(suspended, live)
    await ensureAtJobs(machine, account)
  },

  // Puts the jobs aside, where cron does not look.
  async suspend(machine, account) {
    const { live, suspended } = placesOf(machine, account)
    renameIfThere(live, suspended)
    removeUnfinished(machine, account)
    await blockAtJobs(machine, account)
  },

  async remove(machine, account) {
    const { live, suspended } = placesOf(machine, account)
    // Without the user the name may be another account's by now.
    if (machine.users.find(account.username) === account.uid) fs.rmSync(live, { force: true })
    fs.rmSync(suspended, { force: true })
    removeUnfinished(machine, account)
    await removeAtJobs(machine, account)
  },

  async look(machine) {
    const atJobs = await lookAtJobs(machine)
    return account => {
      const { live, suspended } = placesOf(machine, account)
      const jobs = atJobs.get(account.uid)
      const isActive = account.desired === 'active'
      const said = isActive
        ? [
            isThere(suspended) && 'cron jobs are suspended',
            jobs?.suspended && 'at jobs are suspended',
          ]
        : [isThere(live) && 'cron jobs run', jobs?.waiting && 'at jobs run']
      return said.filter(sentence => typeof sentence === 'string')
    }
  },

  keeps: accounts => ({
    name: 'crontabs',
    folder: crontabsFolder,
    entries: accounts.flatMap(({ username, uid }) => [username, suspendedNameOf(uid)]),
  }),
}

// Root's own; cron reads it once a minute and leaves out names that begin with a dot.
const crontabsFolder = '/var/spool/cron/crontabs'

const suspendedNameOf = (uid: number): string => `.panel-${uid}`

const placesOf = ({ path }: Machine, { username, uid }: UserKey) => ({
  live: path(`${crontabsFolder}/${username}`),
  suspended: path(`${crontabsFolder}/${suspendedNameOf(uid)}`),
})

// A `crontab` that was killed has left a file of its user's.
function removeUnfinished(machine: Machine, { uid }: HostAccount): void {
  const folder = machine.path(crontabsFolder)
  for (const name of listNames(folder).filter(one => one.startsWith('tmp.'))) {
    const owner = fs.lstatSync(`${folder}/${name}`, { throwIfNoEntry: false })?.uid
    if (owner === uid) fs.rmSync(`${folder}/${name}`, { force: true })
  }
}
