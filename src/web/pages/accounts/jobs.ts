import { listShown } from '../../../model/operations/shown-operations.ts'
import { operators, page } from '../../page.ts'
import { showAccount } from './shown.ts'

/** /accounts/USERNAME/jobs: what was done to it in the last day. */
export const accountJobs = page({
  path: '/accounts/:username/jobs',
  roles: operators,
  async load(asked) {
    const shown = await showAccount(asked, asked.params.username)
    const jobs = await listShown(asked.pool, asked.caller, { of: shown.record.id, limit: 100 })
    return { ...shown, jobs }
  },
  template: 'pages/accounts/jobs',
})
