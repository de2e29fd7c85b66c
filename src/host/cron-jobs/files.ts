import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { HostCronJob } from '../../model/cron-jobs/host-cron-jobs.ts'
import { cronFolder, runnerFile } from './runner.ts'

// The two files of an account: the schedule of its jobs, and their commands.

/** A crontab owned by root: the customer's own crontab is not touched. */
export const crontabOf = (uid: number): string => `/etc/cron.d/panel-${uid}`

/**
 * The time limit of a run and the commands by job id; the account may read the file, and no other
 * account may.
 */
export const commandsOf = (uid: number): string => `${cronFolder}/${uid}`

/** Returns the jobs that the machine currently runs for an account. */
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

/** Renders the commands; the first line is the time limit of a run, in seconds. */
export const renderCommands = (account: HostAccount): string =>
  [
    `timeout ${account.limits.cronRunMinutes * 60}\n`,
    ...jobsOf(account).map(({ id, command }) => `${id} ${command}\n`),
  ].join('')
