import type { Account } from '../../model/accounts/accounts.ts'
import { fields } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { WriteCommand } from '../write-command.ts'

/** A command that changes an account and shows the result. */
export abstract class AccountCommand extends WriteCommand {
  username = argument('USERNAME', 'accounts')
}

/** Formats an account for people. */
export const accountWords = (account: Account) =>
  fields({
    username: account.username,
    state: account.state,
    seller: account.seller,
    reference: account.reference,
    reason: account.suspend_reason,
    suspended: account.suspended_at,
    by: account.suspended_by,
    package: account.package,
    email: account.email,
    websites: account.sites.map(({ domain, ssl }) => `${domain} (SSL ${ssl})`),
    warnings: account.warnings,
    created: account.created_at,
  })
