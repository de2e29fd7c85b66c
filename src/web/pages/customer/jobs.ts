import { listShown } from '../../../model/operations/shown-operations.ts'
import { customers, page } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { ownAccount } from './own.ts'

/** /account/jobs: what was done with the account in the last day. */
export const ownJobs = page({
  path: '/account/jobs',
  roles: customers,
  navigation: { label: 'customer.jobs', icon: 'list-checks' },
  async load(asked) {
    const { id } = await ownAccount(asked)
    const jobs = await listShown(asked.pool, asked.caller, { of: id, limit: 100 })
    return { jobs, head: { title: t('customer.jobs'), lead: t('customer.changesYourAccount') } }
  },
  template: 'pages/accounts/jobs',
})
