import { accountOperation } from '../../src/queue/account-operation.ts'
import { announce } from '../../src/queue/operation-types.ts'

// Makes the machine agree with the rows that the request wrote. A create completes or leaves
// nothing: one that fails is erased, one whose worker is killed is resumed.
export default accountOperation('account/create', {
  undo: 'erase',
  async work({ record, account, apply, finish }) {
    if (record.state !== 'provisioning') throw new Error('The account is there already')
    const warnings = await apply()
    const { username, sites } = account
    const domain = sites[0]?.domain ?? null
    const { email, package: granted, reference } = record
    return finish(
      { ...record, state: 'active', warnings },
      {
        status: 201,
        location: `/api/v1/accounts/${username}`,
        events: [
          announce('account.created', {
            ...{ username, email, package: granted.name, domain, reference },
          }),
          ...sites.map(site => announce('site.created', { username, domain: site.domain })),
        ],
      },
    )
  },
})
