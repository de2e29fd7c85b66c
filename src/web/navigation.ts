import type { Caller } from '../model/callers.ts'
import { shortId } from './words.ts'

// The places that each role can go to, in the order of the navigation.

export type Place = {
  path: string
  label: string
  icon: string
  roles: readonly Caller['role'][]
  /** The heading above it and those after it. */
  group?: string
  /** It is not there for who has signed in as somebody. */
  isPersonal?: true
  /** The place that it is a part of: it has no line of its own in the navigation. */
  within?: string
}

const both = ['administrator', 'reseller'] as const
const administrators = ['administrator'] as const
const customer = ['customer'] as const

/** One line a place: whoever adds a page that can be gone to adds one here. */
const places: Place[] = [
  { path: '/overview', label: 'Overview', icon: 'house', roles: both },
  { path: '/accounts', label: 'Accounts', icon: 'users', roles: both },
  { path: '/packages', label: 'Packages', icon: 'package', roles: both },
  { path: '/jobs', label: 'Jobs', icon: 'list-checks', roles: ['administrator'] },
  { path: '/hooks', label: 'Hooks', icon: 'webhook', roles: ['administrator'] },
  { path: '/resellers', label: 'Resellers', icon: 'store', roles: administrators },
  {
    ...{ path: '/administrators', label: 'Administrators', icon: 'store', roles: administrators },
    within: '/resellers',
  },
  { path: '/server', label: 'Server', icon: 'server', roles: administrators },
  { path: '/history', label: 'History', icon: 'file-clock', roles: both },
  { path: '/my-account', label: 'My account', icon: 'user-round', roles: both },
  { path: '/account', label: 'Overview', icon: 'house', roles: customer },
  { path: '/account/sites', label: 'Websites', icon: 'globe', roles: customer },
  { path: '/account/databases', label: 'Databases', icon: 'database', roles: customer },
  { path: '/account/sftp', label: 'SFTP', icon: 'folder', roles: customer },
  { path: '/account/usage', label: 'Usage', icon: 'gauge', roles: customer },
  { path: '/account/jobs', label: 'Jobs', icon: 'list-checks', roles: customer },
  {
    ...{ path: '/account/security', label: 'Sign-in', icon: 'shield', roles: customer },
    isPersonal: true,
  },
  { path: '/account/history', label: 'History', icon: 'file-clock', roles: customer },
]

// Below a place: what is a page, and what is a part of addresses alone.
const names: Record<string, string | null> = {
  '/hooks/webhooks': 'Webhooks',
  '/hooks/deliveries': null,
  '/my-account/tokens': 'API tokens',
  '/server/settings': 'Settings',
}

/** The way to a page: the place that it belongs to, and what is below it. */
export function crumbsTo(path: string): { label: string; address: string }[] {
  const parts = path.split('/').slice(1)
  return parts.flatMap((part, index) => {
    const address = `/${parts.slice(0, index + 1).join('/')}`
    const known = places.find(one => one.path === address)?.label ?? names[address]
    return known === null ? [] : [{ label: known ?? shortId(decodeURIComponent(part)), address }]
  })
}

/** The places of a role, the one that a page belongs to marked. */
export function placesOf(
  { role, impersonator }: Pick<Caller, 'role' | 'impersonator'>,
  path: string,
) {
  const own = places.filter(
    ({ roles, isPersonal }) => roles.includes(role) && !(isPersonal && impersonator),
  )
  const current = own
    .filter(place => path === place.path || path.startsWith(`${place.path}/`))
    .sort((one, other) => other.path.length - one.path.length)[0]
  const marked = current?.within ?? current?.path
  return own
    .filter(({ within }) => within === undefined)
    .map(place => ({ ...place, isCurrent: place.path === marked }))
}
