import type { AccountRecord } from '../../src/model/accounts/accounts.ts'
import type { WarningCode } from '../../src/model/accounts/warnings.ts'
import type { SiteRow } from '../../src/model/sites/host-sites.ts'
import { refuseMerged } from '../../src/model/sites/merged-settings.ts'
import { findSite, toSettingsView, unknown } from '../../src/model/sites/site-changes.ts'
import { site } from '../../src/model/sites/sites.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// The desired settings were written when the operation started.
export default accountOperation('site/set', {
  subject: site,
  refuse(parts, { siteId, changes }) {
    const rows = (parts?.['sites'] ?? []) as readonly SiteRow[]
    const row = rows.find(({ id }) => id === siteId)
    if (row !== undefined) refuseMerged(toSettingsView(shown(row)), changes ?? [])
  },
  part: record => (lacksPhp(record) ? undefined : ['websites', 'mail']),
  async work({ context, record, account, about, apply, finish }) {
    const { siteId, domain, changes } = about
    const changesPhp = changes?.includes('php') ?? false
    // It may have been removed meanwhile.
    const changed = account.sites.find(({ id }) => id === siteId)
    if (changed === undefined) throw unknown(domain ?? '')
    if (changesPhp) context.host.refusePhp(changed.settings?.php ?? {}, account.limits)
    const isOfPhp = changesPhp && !lacksPhp(record)
    const warnings = await (isOfPhp ? apply(['php', 'websites', 'mail']) : apply())
    const { id: _, ...answer } = await findSite(context.pool, record, changed.domain)
    return finish({ ...record, warnings }, { answer })
  },
})

// Returns a row as show_sites.sql does.
const shown = ({ domain, settings, aliases }: SiteRow) => ({
  domain,
  aliases: (aliases ?? []).filter(one => one.desired === 'present').map(({ name }) => name),
  settings: {
    ...settings,
    ...('users' in settings && { users: Object.keys(settings.users ?? {}) }),
  },
})

// Then the account is applied as a whole, which may end that warning.
const lacksPhp = ({ warnings }: Pick<AccountRecord, 'warnings'>): boolean =>
  warnings.some(({ code }) => (ofPhp as readonly string[]).includes(code))

const ofPhp = ['php_version_missing', 'php_beyond_package'] satisfies WarningCode[]
