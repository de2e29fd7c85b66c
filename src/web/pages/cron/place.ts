import * as accounts from '../../../model/accounts/accounts.ts'
import { find } from '../../../model/cron-jobs/cron-jobs.ts'
import { fill } from '../../addresses.ts'
import { customers, operators, type PageRequest, type Role } from '../../page.ts'
import { showAccount } from '../accounts/shown.ts'

// Whose cron jobs pages are about, and where these are: a customer's own, or those of an account.

type Names = Record<string, string>
type Asked = Pick<PageRequest, 'pool' | 'caller' | 'session'> & { params: object }

export type CronPlace = {
  path: string
  roles: readonly Role[]
  /** The item of the navigation, where it has one. */
  navigation?: { label: string; icon: string }
  usernameOf: (asked: Asked) => string
  /** The head of the list. */
  headOf: (asked: Asked) => Promise<object>
}

export const ofCustomer: CronPlace = {
  path: '/account/cron-jobs',
  roles: customers,
  navigation: { label: 'Cron jobs', icon: 'clock' },
  usernameOf: ({ session }) => session.name,
  headOf: async () => ({ title: 'Cron jobs', lead: 'Commands that run on a schedule.' }),
}

export const ofOperators: CronPlace = {
  path: '/accounts/:username/cron-jobs',
  roles: operators,
  usernameOf: ({ params }) => namesOf(params)['username'] ?? '',
  headOf: async asked => (await showAccount(asked, namesOf(asked.params)['username'] ?? '')).head,
}

export const namesOf = (params: object): Names => params as Names

/** The address of the list. */
export const listAddress = ({ path }: CronPlace, params: object): string =>
  fill(path, namesOf(params))

/** The account whose jobs they are, as far as whoever asks sees it. */
export const accountOf = (place: CronPlace, asked: Asked) =>
  accounts.get(asked.pool, asked.caller, place.usernameOf(asked))

/** @throws {PanelError} `cron_job_unknown` */
export async function jobOf(place: CronPlace, asked: Asked) {
  const record = await accountOf(place, asked)
  return { record, job: await find(asked.pool, record, namesOf(asked.params)['id'] ?? '') }
}
