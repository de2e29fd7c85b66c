import * as accounts from '../../../model/accounts/accounts.ts'
import { find } from '../../../model/cron-jobs/cron-jobs.ts'
import { fill } from '../../addresses.ts'
import { customers, operators, type PageRequest, type Role } from '../../page.ts'
import { showAccount } from '../accounts/shown.ts'
import { t, type PlainKey } from '../../texts/texts.ts'

// The two sections with pages about cron jobs: a customer's own, and those of an account.

type Names = Record<string, string>
type Asked = Pick<PageRequest, 'pool' | 'caller' | 'session'> & { params: object }

export type CronSection = {
  path: string
  roles: readonly Role[]
  /** Whether it is the account that is signed in. */
  isOwn: boolean
  /** The item of the navigation, where it has one. */
  navigation?: { label: PlainKey; icon: string }
  usernameOf: (asked: Asked) => string
  /** The head of the list. */
  headOf: (asked: Asked) => Promise<object>
}

export const ofCustomer: CronSection = {
  path: '/account/cron-jobs',
  roles: customers,
  isOwn: true,
  navigation: { label: 'cron.cronJobs', icon: 'clock' },
  usernameOf: ({ session }) => session.name,
  headOf: async () => ({ title: t('cron.cronJobs'), lead: t('cron.commandsRunSchedule') }),
}

export const ofOperators: CronSection = {
  path: '/accounts/:username/cron-jobs',
  roles: operators,
  isOwn: false,
  usernameOf: ({ params }) => namesOf(params)['username'] ?? '',
  headOf: async asked => (await showAccount(asked, namesOf(asked.params)['username'] ?? '')).head,
}

export const namesOf = (params: object): Names => params as Names

/** Returns the address of the list. */
export const listAddress = ({ path }: CronSection, params: object): string =>
  fill(path, namesOf(params))

/** Returns the account that the jobs belong to, if the caller may see it. */
export const accountOf = (section: CronSection, asked: Asked) =>
  accounts.get(asked.pool, asked.caller, section.usernameOf(asked))

/** @throws {PanelError} `cron_job_unknown` */
export async function jobOf(section: CronSection, asked: Asked) {
  const record = await accountOf(section, asked)
  return { record, job: await find(asked.pool, record, namesOf(asked.params)['id'] ?? '') }
}
