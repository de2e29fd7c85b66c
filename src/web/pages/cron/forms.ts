import type { AccountRecord } from '../../../model/accounts/accounts.ts'
import * as cron from '../../../model/cron-jobs/cron-jobs.ts'
import { describeLimits } from '../../../model/cron-jobs/cron-limits.ts'
import { word } from '../../api-call.ts'
import { text } from '../../fields.ts'
import { form } from '../../form.ts'
import { roomFor } from '../../room.ts'
import { lockedNotice } from '../accounts/shown.ts'
import { t } from '../../texts/texts.ts'
import { accountOf, jobOf, listAddress, namesOf, type CronSection } from './section.ts'

const things = {
  more: (left: number) => t('cron.roomMore', { left }),
  so: (max: number) => t('cron.roomNumber', { max }),
  none: 'cron.roomNone',
} as const

const fields = {
  schedule: text('cron.scheduleLabel', cron.NewCronJob.shape.schedule, {
    example: '*/15 * * * *',
    hint: 'cron.scheduleHint',
  }),
  command: text('cron.commandLabel', cron.NewCronJob.shape.command, {
    example: 'php sites/example.com/public/cron.php',
    hint: 'cron.commandHint',
  }),
}

const limitWords = ({ package: limits }: AccountRecord): string[] => [
  t('cron.commandRunsAccountsUser'),
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
      title: () => t('cron.addCronJob'),
      parent: toList,
      fields,
      async load(asked) {
        const record = await accountOf(section, asked)
        const { maxCronJobs: max, name } = record.package
        const has = (await cron.list(asked.pool, record)).length
        const packageName = section.isOwn ? {} : { packageName: name }
        const room = roomFor(things, { has, max, ...packageName })
        return room.isIdle ? room : { words: [...room.words, ...limitWords(record)] }
      },
      submit: 'cron.addCronJob',
      call: (params, { schedule, command }) => ({
        command: commandOf('add', params, word(schedule), word(command)),
      }),
      write: cron.add,
      toDesired: given => ({ username: section.usernameOf(given), ...given.values }),
      flash: () => t('cron.cronJobWasAdded'),
    }),
    edit: form({
      path: `${path}/:id/edit`,
      roles,
      title: () => t('cron.changeCronJob'),
      parent: toJob,
      fields,
      async load(asked) {
        const { schedule, command } = (await jobOf(section, asked)).job
        return { values: { schedule, command } }
      },
      submit: 'cron.save',
      call: (params, { schedule, command }) => ({
        command: commandOf(
          ...(['set', params, idOf(params)] as const),
          ...['--schedule', word(schedule), '--command', word(command)],
        ),
      }),
      write: cron.set,
      toDesired: given => ({ ...ofJob(given), ...given.values }),
      flash: () => t('cron.cronJobWasChanged'),
    }),
    runNow: form({
      path: `${path}/:id/run`,
      roles,
      title: () => t('cron.runCronJobNow'),
      parent: toJob,
      fields: {},
      async load(asked) {
        const { record, job } = await jobOf(section, asked)
        if (record.state !== 'active') return { words: [cron.notActive().message], isIdle: true }
        const words = [job.command]
        if (job.running_since === null) return { words }
        return {
          words: [...words, t('cron.runningNowCannotStart')],
        }
      },
      submit: 'cron.runNow',
      call: params => ({ command: commandOf('run', params, idOf(params)) }),
      write: cron.runNow,
      toDesired: ofJob,
      flash: () => t('cron.cronJobWasStarted'),
    }),
    remove: form({
      path: `${path}/:id/remove`,
      roles,
      title: () => t('cron.removeCronJob'),
      parent: toJob,
      fields: {},
      async load(asked) {
        const { record, job } = await jobOf(section, asked)
        const words = [t('cron.cronJobWillNo', { command: job.command })]
        return lockedNotice(asked.caller, record) ?? { words }
      },
      submit: 'cron.removeCronJob',
      isDanger: true,
      call: params => ({ command: commandOf('rm', params, idOf(params)) }),
      write: cron.remove,
      toDesired: ofJob,
      then: ({ params }) => toList(params),
      flash: () => t('cron.cronJobWasRemoved'),
    }),
  }
}
