import type { AccountRecord } from '../../../model/accounts/accounts.ts'
import * as cron from '../../../model/cron-jobs/cron-jobs.ts'
import { describeLimits } from '../../../model/cron-jobs/cron-limits.ts'
import { word } from '../../api-call.ts'
import { text } from '../../fields.ts'
import { form } from '../../form.ts'
import { roomFor } from '../../room.ts'
import { lockedNotice } from '../accounts/shown.ts'
import { accountOf, jobOf, listAddress, namesOf, type CronSection } from './section.ts'

const fields = {
  schedule: text('Schedule', cron.NewCronJob.shape.schedule, {
    example: '*/15 * * * *',
    hint:
      'Minute, hour, day of the month, month and day of the week, in crontab syntax, or @daily ' +
      'and the like; in the time zone of the server.',
  }),
  command: text('Command', cron.NewCronJob.shape.command, {
    example: 'php sites/example.com/public/cron.php',
    hint: 'One line. It starts in the home folder.',
  }),
}

const limitWords = ({ package: limits }: AccountRecord): string[] => [
  'The command runs as the account’s user, within its limits.',
  ...describeLimits(limits),
]

/** Adds, changes, removes and starts cron jobs of an account. */
export const cronForms = (section: CronSection) => {
  const { path, roles } = section
  const toList = (params: object) => listAddress(section, params)
  const toJob = (params: object) => `${toList(params)}/${namesOf(params)['id']}`
  const commandOf = (verb: string, params: object, ...more: string[]): string =>
    ['panel cron', verb, word(namesOf(params)['username'] ?? 'USERNAME'), ...more].join(' ')
  const idOf = (params: object): string => word(namesOf(params)['id'])
  type Given = Parameters<CronSection['usernameOf']>[0]
  const ofJob = (given: Given) => ({
    username: section.usernameOf(given),
    id: namesOf(given.params)['id'] ?? '',
  })
  return {
    add: form({
      path: `${path}/new`,
      roles,
      title: () => 'Add cron job',
      parent: toList,
      fields,
      async load(asked) {
        const record = await accountOf(section, asked)
        const { maxCronJobs: max, name } = record.package
        const has = (await cron.list(asked.pool, record)).length
        const packageName = section.isOwn ? {} : { packageName: name }
        const room = roomFor('cron job', { has, max, ...packageName })
        return room.isIdle ? room : { words: [...room.words, ...limitWords(record)] }
      },
      submit: 'Add cron job',
      call: (params, { schedule, command }) => ({
        command: commandOf('add', params, word(schedule), word(command)),
      }),
      write: cron.add,
      toDesired: given => ({ username: section.usernameOf(given), ...given.values }),
      flash: () => 'The cron job was added.',
    }),
    edit: form({
      path: `${path}/:id/edit`,
      roles,
      title: () => 'Change cron job',
      parent: toJob,
      fields,
      async load(asked) {
        const { schedule, command } = (await jobOf(section, asked)).job
        return { values: { schedule, command } }
      },
      submit: 'Save',
      call: (params, { schedule, command }) => ({
        command: commandOf(
          ...(['set', params, idOf(params)] as const),
          ...['--schedule', word(schedule), '--command', word(command)],
        ),
      }),
      write: cron.set,
      toDesired: given => ({ ...ofJob(given), ...given.values }),
      flash: () => 'The cron job was changed.',
    }),
    runNow: form({
      path: `${path}/:id/run`,
      roles,
      title: () => 'Run cron job now',
      parent: toJob,
      fields: {},
      async load(asked) {
        const { record, job } = await jobOf(section, asked)
        if (record.state !== 'active') return { words: [cron.notActive().message], isIdle: true }
        const words = [job.command]
        if (job.running_since === null) return { words }
        return {
          words: [...words, 'It is running now and cannot start again until it ends.'],
        }
      },
      submit: 'Run now',
      call: params => ({ command: commandOf('run', params, idOf(params)) }),
      write: cron.runNow,
      toDesired: ofJob,
      flash: () => 'The cron job was started.',
    }),
    remove: form({
      path: `${path}/:id/remove`,
      roles,
      title: () => 'Remove cron job',
      parent: toJob,
      fields: {},
      async load(asked) {
        const { record, job } = await jobOf(section, asked)
        const words = [`This cron job will no longer run: ${job.command}`]
        return lockedNotice(asked.caller, record) ?? { words }
      },
      submit: 'Remove cron job',
      isDanger: true,
      call: params => ({ command: commandOf('rm', params, idOf(params)) }),
      write: cron.remove,
      toDesired: ofJob,
      then: ({ params }) => toList(params),
      flash: () => 'The cron job was removed.',
    }),
  }
}
