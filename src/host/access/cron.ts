import * as fs from 'node:fs'
import type { HostAccount } from '../../model/host-account.ts'
import type { Machine, Resource, UserKey } from '../contract.ts'
import { isThere, listNames, renameIfThere } from '../tools/files.ts'
import { ensureAtJobs, lookAtJobs, parkAtJobs, removeAtJobs } from './at-jobs.ts'

/**
 * Jobs that an administrator has given the account by `crontab -u`. They are never made here: they
 * are put aside with a suspended account and go with a terminated one. So are those of `at`, which
 * accounts can make themselves.
 */
export const cron: Resource = {
  name: 'cron',

  // Gives back the jobs that a suspension has put aside.
  async ensure(machine, account) {
    const { live, parked } = placesOf(machine, account)
    // A crontab that was made since the suspension is newer than the one that was put aside.
    if (isThere(live)) fs.rmSync(parked, { force: true })
    else renameIfThere(parked, live)
    await ensureAtJobs(machine, account)
  },

  // Puts the jobs aside, where cron does not look.
  async park(machine, account) {
    const { live, parked } = placesOf(machine, account)
    renameIfThere(live, parked)
    removeUnfinished(machine, account)
    await parkAtJobs(machine, account)
  },

  async remove(machine, account) {
    const { live, parked } = placesOf(machine, account)
    // Without the user the name may be another account's by now.
    if (machine.users.find(account.username) === account.uid) fs.rmSync(live, { force: true })
    fs.rmSync(parked, { force: true })
    removeUnfinished(machine, account)
    await removeAtJobs(machine, account)
  },

  async look(machine) {
    const atJobs = await lookAtJobs(machine)
    return account => {
      const { live, parked } = placesOf(machine, account)
      const jobs = atJobs.get(account.uid)
      const isActive = account.wanted === 'active'
      const said = isActive
        ? [isThere(parked) && 'cron jobs are parked', jobs?.parked && 'at jobs are parked']
        : [isThere(live) && 'cron jobs run', jobs?.waiting && 'at jobs run']
      return said.filter(sentence => typeof sentence === 'string')
    }
  },

  keeps: accounts => ({
    name: 'crontabs',
    folder: crontabsFolder,
    entries: accounts.flatMap(({ username, uid }) => [username, parkedNameOf(uid)]),
  }),
}

// Root's own; cron reads it once a minute and leaves out names that begin with a dot.
const crontabsFolder = '/var/spool/cron/crontabs'

const parkedNameOf = (uid: number): string => `.panel-${uid}`

const placesOf = ({ path }: Machine, { username, uid }: UserKey) => ({
  live: path(`${crontabsFolder}/${username}`),
  parked: path(`${crontabsFolder}/${parkedNameOf(uid)}`),
})

// A `crontab` that was killed has left a file of its user's.
function removeUnfinished(machine: Machine, { uid }: HostAccount): void {
  const folder = machine.path(crontabsFolder)
  for (const name of listNames(folder).filter(one => one.startsWith('tmp.'))) {
    const owner = fs.lstatSync(`${folder}/${name}`, { throwIfNoEntry: false })?.uid
    if (owner === uid) fs.rmSync(`${folder}/${name}`, { force: true })
  }
}
