import { PanelError } from '../../errors.ts'
import { parseAddress } from '../grammar/cidr.ts'
import { isPassword, type IsPassword } from './password-hash.ts'

// Decides whose password is compared next: one after the other, so that each process has time for
// the panel's own work. Some 50 take a second. Users in known browsers have slots of their own, and
// go first. Among the others, those go first, and stay when there are too many, whose address, and
// then whose network, had the fewest wrong attempts recently: a flood delays itself.

// Four seconds of work.
const maxWaiting = 200

export type Visitor = 'unknown' | 'known'

type Waiting = { attempts: number[]; begin: () => void; refuse: (error: PanelError) => void }

const waiting: Record<Visitor, Waiting[]> = { known: [], unknown: [] }
let isBusy = false

/**
 * Waits for a turn before anything about the attempt is recorded.
 *
 * @throws {PanelError} `unavailable` when too many are waiting
 */
export async function inTurn<T>(
  visitor: Visitor,
  address: string | null | undefined,
  work: (isPassword: IsPassword) => Promise<T>,
): Promise<T> {
  const origins = visitor === 'known' ? [] : originsOf(address)
  await turn(visitor, origins.map(noteAttempt))
  try {
    return await work(async (password, hash) => {
      const isRight = await isPassword(password, hash)
      if (isRight) origins.forEach(uncount)
      return isRight
    })
  } finally {
    passOn()
  }
}

async function turn(visitor: Visitor, attempts: number[]): Promise<void> {
  if (!isBusy) {
    isBusy = true
    return
  }
  const queue = waiting[visitor]
  const { promise, resolve: begin, reject: refuse } = Promise.withResolvers<void>()
  queue.push({ attempts, begin, refuse })
  if (queue.length > maxWaiting) {
    const worst = queue.reduce((found, one) => (isBefore(one, found) ? found : one))
    queue.splice(queue.indexOf(worst), 1)
    worst.refuse(new PanelError('unavailable', 'Too many people are signing in; try again shortly'))
  }
  return promise
}

function passOn(): void {
  const queue = waiting.known.length > 0 ? waiting.known : waiting.unknown
  if (queue.length === 0) {
    isBusy = false
    return
  }
  const next = queue.reduce((found, one) => (isBefore(one, found) ? one : found))
  queue.splice(queue.indexOf(next), 1)
  next.begin()
}

// Among equals, the first to arrive goes first.
function isBefore({ attempts }: Waiting, other: Waiting): boolean {
  const differing = attempts.findIndex((count, index) => count !== other.attempts[index])
  return differing >= 0 && attempts[differing]! < other.attempts[differing]!
}

type Origin = { recent: Map<string, Recent>; key: string }
type Recent = { attempts: number; at: number }

// The attempts of addresses and networks. They are forgotten after an hour, as in the database, and
// the oldest are forgotten first if there are too many.
const ofAddresses = new Map<string, Recent>()
const ofNetworks = new Map<string, Recent>()
const forgottenAfterMs = 3_600_000
const maxRecent = 20_000

/** One IPv6 customer has at least a /64, and often a /48. */
function originsOf(address: string | null | undefined): Origin[] {
  const bytes = address ? parseAddress(address).toByteArray() : []
  const [own, network] = bytes.length === 4 ? [4, 3] : [8, 6]
  return [
    { recent: ofAddresses, key: bytes.slice(0, own).join('.') },
    { recent: ofNetworks, key: bytes.slice(0, network).join('.') },
  ]
}

/** Returns the number of attempts before this one. */
function noteAttempt({ recent, key }: Origin): number {
  const now = performance.now()
  const found = recent.get(key)
  const before = found !== undefined && found.at > now - forgottenAfterMs ? found.attempts : 0
  // The last entry of the map is the most recent one.
  recent.delete(key)
  recent.set(key, { attempts: before + 1, at: now })
  if (recent.size > maxRecent) recent.delete(recent.keys().next().value!)
  return before
}

function uncount({ recent, key }: Origin): void {
  const found = recent.get(key)
  if (found !== undefined) found.attempts = Math.max(0, found.attempts - 1)
}
