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
  jobs: '/jobs',
  'jobs-failed': '/jobs?state=failed',
  'jobs-stats': '/jobs/stats',
  job: '/jobs/0b1c3c1e-7d5c-4a3e-9b1a-000000000001',
  'job-hook-run': '/jobs/hook:100001',
  'jobs-pause': '/jobs/pause',
  hooks: '/hooks?delivery=0b1c3c1e-7d5c-4a3e-9b1a-00000000d002',
  'hooks-failed': '/hooks?state=failed',
  delivery: '/hooks/deliveries/0b1c3c1e-7d5c-4a3e-9b1a-00000000d002',
  webhooks: '/hooks/webhooks',
  webhook: '/hooks/webhooks/0b1c3c1e-7d5c-4a3e-9b1a-00000000b001',
  'webhook-new': '/hooks/webhooks/new',
  'webhook-edit': '/hooks/webhooks/0b1c3c1e-7d5c-4a3e-9b1a-00000000b002/edit',
  'webhook-remove': '/hooks/webhooks/0b1c3c1e-7d5c-4a3e-9b1a-00000000b001/remove',
  scripts: '/hooks/scripts',
  'sign-in': '/sign-in',
  'my-account': '/my-account',
  tokens: '/my-account/tokens',
  'token-new': '/my-account/tokens/new',
  'second-factor': '/my-account/second-factor',
  history: '/history',
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

/** What a reseller sees otherwise. */
export const placesOfReseller: Record<string, string> = {
  'reseller-overview': '/overview',
  'reseller-accounts': '/accounts',
  'reseller-account': '/accounts/rob',
  'reseller-packages': '/packages',
}

/** Every page of a customer. */
export const placesOfCustomer: Record<string, string> = {
  'customer-overview': '/account',
  'customer-sites': '/account/sites',
  'customer-site': '/account/sites/shop.alice.example',
  'customer-site-secure': '/account/sites/alice.example',
  'customer-site-new': '/account/sites/new',
  'customer-site-remove': '/account/sites/alice.example/remove',
  'customer-databases': '/account/databases',
  'customer-database': '/account/databases/alice_shop',
  'customer-database-new': '/account/databases/new',
  'customer-database-remove': '/account/databases/alice_shop/remove',
  'customer-database-user-new': '/account/databases/alice_shop/users/new',
  'customer-database-user': '/account/databases/alice_shop/users/alice_report',
  'customer-database-password': '/account/databases/alice_shop/users/alice_shop/password',
  'customer-sftp': '/account/sftp',
  'customer-sftp-key-new': '/account/sftp/keys/new',
  'customer-usage': '/account/usage',
  'customer-jobs': '/account/jobs',
  'customer-missing': '/account/sites/nothing.example',
}

/** Who looks at which. */
export const tours = [
  { who: 'admin', places },
  { who: 'rita', places: placesOfReseller },
  { who: 'alice', places: placesOfCustomer },
]

/** A phone, a tablet and a desk. */
export const widths = [360, 768, 1_440]
export const schemes = ['light', 'dark'] as const
