/** The definition of an operation, the same for every caller. */
export type OperationKind = {
  /** The lane whose turn it takes: an account's or the server's; none if only rows change. */
  lane: 'account' | 'server' | 'none'
  /** The names of its parameters. */
  params: readonly string[]
  /** The channels that may request it; none if only the panel itself begins it. */
  channels: readonly ('api' | 'page' | 'cli')[]
  /** The roles that may request it there. */
  roles: readonly ('administrator' | 'reseller' | 'customer')[]
  /** Whether it lifts a suspension, or deletes something that a suspension keeps. */
  lifts?: true
  /** Whether it is forbidden while impersonating the customer. */
  isPersonal?: true
  /** Whether an internal one can be queued again by hand after a failure. */
  isRepeatable?: true
  /** The reason, in words, for which a long operation in the same lane is ended for it. */
  urgent?: string
}

const everywhere = ['api', 'page', 'cli'] as const

/** All channels, for administrators and resellers. */
export const forSellers = { channels: everywhere, roles: ['administrator', 'reseller'] } as const

/** All channels, for customers too. */
export const forAll = {
  channels: everywhere,
  roles: ['administrator', 'reseller', 'customer'],
} as const

/** All roles, on pages and the command line only. */
export const beyondTheApi = { ...forAll, channels: ['page', 'cli'] } as const

/** Remedies on the page of the server, which root has as commands of the machine. */
export const forTheServer = { channels: ['page'], roles: ['administrator'] } as const

/** Begun only by the panel itself. */
export const byThePanel = { channels: [], roles: [] } as const
