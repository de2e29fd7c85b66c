/** What an operation is, whoever asks for it. */
export type OperationKind = {
  /** Whose turn it takes: an account's, the server's, or nobody's where only rows change. */
  lane: 'account' | 'server' | 'none'
  /** The names of what it may ask for. */
  params: readonly string[]
  /** The channels by which it may be asked for; none where only the panel itself begins it. */
  channels: readonly ('api' | 'page' | 'command')[]
  /** The roles that may ask for it there. */
  roles: readonly ('administrator' | 'reseller' | 'customer')[]
  /** Whether it lifts a suspension, or takes away what one keeps. */
  lifts?: true
  /** Whether it is refused to somebody who has signed in as the customer. */
  isPersonal?: true
  /** Whether one that the panel has asked of itself can be begun again by hand after a failure. */
  isRepeatable?: true
  /** In words, where work of minutes in the same lane ends for it. */
  urgent?: string
}

const everywhere = ['api', 'page', 'command'] as const

/** By all channels, to administrators and resellers. */
export const forSellers = { channels: everywhere, roles: ['administrator', 'reseller'] } as const

/** By all channels, to customers too. */
export const forAll = {
  channels: everywhere,
  roles: ['administrator', 'reseller', 'customer'],
} as const

/** To all, but not by the API. */
export const beyondTheApi = { ...forAll, channels: ['page', 'command'] } as const

/** Begun by the panel itself alone. */
export const byThePanel = { channels: [], roles: [] } as const
