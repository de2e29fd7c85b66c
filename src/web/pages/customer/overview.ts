import { listMonths, ofAccount, type Usage } from '../../../model/accounts/usage.ts'
import { ofAccount as databasesOf } from '../../../model/databases/databases.ts'
import { readSftpServer } from '../../../model/server/server-snapshot.ts'
import { monthBars } from '../../month-bars.ts'
import { customers, page } from '../../page.ts'
import { base as databasesPath } from '../databases/own.ts'
import { t } from '../../texts/texts.ts'
import { ownSites } from './own.ts'

/** /account: what a customer has, how it is doing, and how programs connect to it. */
export const ownOverview = page({
  path: '/account',
  roles: customers,
  navigation: { label: 'customer.overview', icon: 'house' },
  async load(asked) {
    const own = await ownSites(asked)
    const { id } = own.record
    const [usage, months, databases, server] = await Promise.all([
      ofAccount(asked.pool, id),
      listMonths(asked.pool, id),
      databasesOf(asked.pool, id),
      readSftpServer(asked.pool),
    ])
    const isWell = own.sites.every(({ words: { tone } }) => tone !== 'warn' && tone !== 'bad')
    const isSelf = asked.session.impersonator === null
    const steps = stepsOf(own, { usage, databases: databases.length, isSelf })
    return { ...own, usage, traffic: monthBars(months), isWell, databases, server, steps }
  },
  template: 'pages/customer/overview',
})

// More than an account has on its disk before anybody has put something there.
const emptyMb = 1

// Returns the first steps of a new account; none once all are done or a website is secure.
function stepsOf(
  { record, sites }: Awaited<ReturnType<typeof ownSites>>,
  has: { usage: Usage | undefined; databases: number; isSelf: boolean },
) {
  if (sites.some(({ ssl }) => ssl === 'issued')) return []
  const [first] = sites
  const { package: limits } = record
  const steps = [
    {
      isDone: first !== undefined,
      title: t('customer.addWebsite'),
      why: t('customer.enterDomainYouOwn'),
      address: limits.maxSites > 0 ? '/account/sites/new' : undefined,
    },
    // Without certificates nothing checks whether the domain points here: it would never be done.
    ...(first === undefined || first.is_issuing
      ? [
          {
            isDone: false,
            title: t('customer.pointYourDomainHere'),
            why: t('customer.setDnsRecordsPage'),
            address: first?.address,
          },
        ]
      : []),
    ...(limits.sftp
      ? [
          {
            isDone: (has.usage?.disk_used_mb ?? 0) > emptyMb,
            title: t('customer.uploadYourFiles'),
            why: t('customer.connectSftpPutThem'),
            address: '#connect',
          },
        ]
      : []),
    ...(limits.maxDatabases > 0
      ? [
          {
            isDone: has.databases > 0,
            title: t('customer.createDatabase'),
            why: t('customer.applicationsSuchWordpressNeed'),
            address: has.isSelf ? `${databasesPath}/new` : undefined,
          },
        ]
      : []),
  ]
  return steps.some(({ isDone }) => !isDone) ? steps : []
}
