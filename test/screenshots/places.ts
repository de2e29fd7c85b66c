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
  'customer-sftp': '/account/sftp',
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
