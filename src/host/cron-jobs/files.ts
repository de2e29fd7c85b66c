import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { HostCronJob } from '../../model/cron-jobs/host-cron-jobs.ts'
import { cronFolder, runnerFile } from './runner.ts'

// The two files of an account: when cron starts its jobs, and what they do.

/** A crontab of root's: what the customer has in one of its own is left alone. */
export const crontabOf = (uid: number): string => `/etc/cron.d/panel-${uid}`

/** The commands, by the ids of the jobs; its account may read it, and no other. */
export const commandsOf = (uid: number): string => `${cronFolder}/${uid}`

/** Those that the machine runs of an account now. */
export const jobsOf = ({ cronJobs = [], desired }: HostAccount): readonly HostCronJob[] =>
  desired === 'active' ? cronJobs : []

export const renderCrontab = (account: HostAccount): string =>
  `# Written by the panel, which overwrites changes.
SHELL=/bin/sh
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
MAILTO=""
${jobsOf(account)
  .map(({ id, schedule }) => `${schedule} root perl ${runnerFile} ${account.uid} ${id}\n`)
  .join('')}`

export const renderCommands = (account: HostAccount): string =>
  jobsOf(account)
    .map(({ id, command }) => `${id} ${command}\n`)
    .join('')
