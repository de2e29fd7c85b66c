/** Every page that administrators have, by the name of its picture; tests look at them too. */
export const places: Record<string, string> = {
  overview: '/overview',
  accounts: '/accounts',
  'accounts-filtered': '/accounts?state=suspended',
  'accounts-none': '/accounts?q=nothing+like+it',
  account: '/accounts/alice',
  'account-suspended': '/accounts/forum42',
  'account-settings': '/accounts/alice/settings',
  'account-jobs': '/accounts/bella/jobs',
  'account-history': '/accounts/bella/history',
  'account-new': '/accounts/new',
  'account-suspend': '/accounts/alice/suspend',
  'account-terminate': '/accounts/alice/terminate',
  packages: '/packages',
  'package-new': '/packages/new',
  package: '/packages/starter',
  resellers: '/resellers',
  reseller: '/resellers/rita',
  'reseller-new': '/resellers/new',
  'reseller-plan': '/resellers/rita/plan',
  'reseller-password': '/resellers/rita/password',
  administrators: '/administrators',
  administrator: '/administrators/boss',
  server: '/server',
  'server-settings': '/server/settings',
  'server-sessions': '/server/sessions',
  missing: '/accounts/nobody',
}

/** A phone, a tablet and a desk. */
export const widths = [360, 768, 1_440]
export const schemes = ['light', 'dark'] as const
