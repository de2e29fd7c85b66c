import { operation } from '../../src/queue/operation.ts'
import { announce } from '../../src/queue/operation-types.ts'

// Makes the machine agree with the rows that the request wrote. A create completes or leaves
// nothing: one that fails is erased, one whose worker is killed is resumed.
export default operation('account/create', {
  async work({ record, apply }) {
    const warnings = await apply()
    const { username, email, sites } = record
    const domain = sites[0]?.domain ?? null
    return {
      status: 201,
      location: `/api/v1/accounts/${username}`,
      record: { ...record, state: 'active', warnings },
      events: [
        announce('account.created', { username, email, package: record.package.name, domain }),
        ...sites.map(site => announce('site.created', { username, domain: site.domain })),
      ],
    }
  },
  undo: ({ erase }) => erase(),
})
