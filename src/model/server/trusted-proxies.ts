import { z } from 'zod'
import { type Db, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { cidr } from '../grammar/cidr.ts'
import type { Subject } from '../operations/operations.ts'
import { write } from '../operations/writes.ts'
import { cloudflare } from './cloudflare.ts'

// Proxies in front of all websites, such as a CDN: nginx believes what they report of a client.

/** The functions by which operations read and write the row of the server. */
export const server = {
  find: 'find_server',
  writeDesired: 'write_desired_server',
  complete: 'complete_server',
} satisfies Subject

/** The maximum number of entries: nginx compares the address of each request with them. */
const maxEntries = 200

// A larger range is no proxy's: a typing error would let any client choose its address.
const minPrefix = { ipv4: 8, ipv6: 16 } as const

/** A network or an address, or the name of a ready list. */
export const TrustedProxy = z.union([
  z.literal('cloudflare'),
  cidr.refine(
    range => Number(range.split('/')[1]) >= (range.includes(':') ? minPrefix.ipv6 : minPrefix.ipv4),
    `must have a prefix of at least /${minPrefix.ipv4} (IPv4) or /${minPrefix.ipv6} (IPv6)`,
  ),
])

/** The list of an operation. */
export const TrustedProxies = z.array(TrustedProxy).max(maxEntries)

/**
 * Parses the list that an operation leads to, for the worker: changes that were decided at the same
 * moment may be too many together.
 *
 * @throws {PanelError} `invalid`
 */
export function toTrustedProxies(entries: unknown): string[] {
  const all = z.array(TrustedProxy).parse(entries)
  if (all.length > maxEntries) throw tooMany()
  return all
}

const tooMany = (): PanelError =>
  new PanelError('invalid', `There may be ${maxEntries} trusted proxies`, { field: 'network' })

/** The ways to change the list: add its entries, remove them or replace all. */
type Change = { change: 'added' | 'removed' | 'proxies'; entries: readonly string[] }

export const trustProxies = write<Change>({
  name: 'server/trust-proxies',
  subject: ({ entries }) => entries.join(', ').slice(0, 200),
  async decide(db, { desired: { change, entries } }) {
    const listed = await listTrustedProxies(db)
    const unknown = entries.find(entry => change === 'removed' && !listed.includes(entry))
    if (unknown !== undefined) {
      throw new PanelError('invalid', `${unknown} is not a trusted proxy`, { field: 'network' })
    }
    const all = new Set(change === 'added' ? [...listed, ...entries] : entries)
    if (all.size > maxEntries) throw tooMany()
    return { accountId: null, params: { [change]: entries } }
  },
})

/** Returns the entries of the list, in alphabetical order. */
export const listTrustedProxies = (db: Db) =>
  oneFirst<string[]>(db)`select trusted_proxies from panel.server`

/** Returns the networks that entries stand for. */
export const networksOf = (entries: readonly string[]): string[] =>
  entries.flatMap(entry => (entry === 'cloudflare' ? cloudflare.networks : [entry]))
