import { operation } from '../../src/queue/operation.ts'
import { announce } from '../../src/queue/operation-types.ts'

// Only goes forward: what cannot be done now is tried again until it is. The account shows
// `terminating` from the first start on, and its name is free with the answer.
export default operation('account/terminate', {
  async work({ record, apply }) {
    const warnings = await apply()
    const { username, sites } = record
    return {
      status: 200,
      record: { ...record, state: 'terminated', warnings },
      events: [
        ...sites.map(({ domain }) => announce('site.deleted', { username, domain })),
        announce('account.deleted', { username }),
      ],
    }
  },
})
