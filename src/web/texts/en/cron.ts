import { lines } from '../arguments.ts'

// Cron jobs.

export const cron = {
  // pages/cron/forms
  scheduleLabel: 'Schedule',
  scheduleHint: lines(
    'Minute, hour, day of the month, month and day of the week, in crontab syntax, or @daily',
    'and the like; in the time zone of the server.',
  ),
  commandLabel: 'Command',
  commandHint: 'One line. It starts in the home folder.',
  commandRunsAccountsUser: 'The command runs as the account’s user, within its limits.',
  addCronJob: 'Add cron job',
  cronJobWasAdded: 'The cron job was added.',
  changeCronJob: 'Change cron job',
  save: 'Save',
  cronJobWasChanged: 'The cron job was changed.',
  runCronJobNow: 'Run cron job now',
  runningNowCannotStart: 'It is running now and cannot start again until it ends.',
  runNow: 'Run now',
  cronJobWasStarted: 'The cron job was started.',
  removeCronJob: 'Remove cron job',
  cronJobWillNo: 'This cron job will no longer run: {command}',
  cronJobWasRemoved: 'The cron job was removed.',
  // pages/cron/job
  lastRun: 'Last run',
  jobWroteNoOutput: 'The job wrote no output.',
  cronJobId: 'Cron job {id}',
  jobRunning: 'The job is running',
  lastRunEndedExit: 'The last run ended with exit code {exitCode}',
  jobHasNotRun: 'The job has not run yet',
  runs: 'Runs',
  running: 'Running',
  noFinishedRunsYet: 'No finished runs yet',
  runAppearsWithinMinute: 'A run appears within a minute of its end.',
  started: 'Started',
  duration: 'Duration',
  // pages/cron/list
  cronJobs: 'Cron jobs',
  accountsOwnCrontab: 'The account’s own crontab',
  theseLinesRunToo: lines(
    'These lines run too{isSuspended, select, yes { when the account is active again} other',
    '{}}. They are kept as they are. {isOwn, select, yes {Your hosting provider can change',
    'them.} other {<mono>crontab -u {username} -e</mono> on the server changes them.}}',
  ),
  exitCode: 'Exit code',
  accountNotActiveSo: 'The account is not active, so its cron jobs do not run.',
  runningCronJob: '{filter, plural, one {# running cron job} other {# running cron jobs}}',
  noCronJobYet: 'No cron job yet',
  cronJobRunsCommand: lines(
    'A cron job runs a command on a schedule, such as a shop’s mail queue, a backup or',
    'WordPress’s own jobs.',
  ),
  notYet: 'not yet',
  // pages/cron/section
  commandsRunSchedule: 'Commands that run on a schedule.',
  change: 'Change',
  remove: 'Remove',
  moreOftenThanAllowed: 'more often than the package allows',
  exitCodeNumber: 'exit code {code}',
  tooOften: 'too often',
  roomMore: '{left, plural, one {# more cron job} other {# more cron jobs}}',
  roomNumber: '{max, plural, one {# cron job} other {# cron jobs}}',
  roomNone: 'cron jobs',
} as const
