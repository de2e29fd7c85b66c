import { log } from '../../src/log.ts'
import * as acmeAccount from '../../src/model/certificates/acme-account.ts'
import {
  NamesRefused,
  type AcmeAccount,
  type Authority,
} from '../../src/model/certificates/authority.ts'
import * as certificates from '../../src/model/certificates/certificates.ts'
import type { Courier, CourierTask } from '../../src/courier/task.ts'
import { jobs } from '../../src/queue/job-list.ts'
import { retryOrExit } from '../../src/queue/retry-or-exit.ts'
import { unlessAbandoned } from '../../src/courier/unless-abandoned.ts'
import { toWords } from '../../src/queue/undo.ts'

// Checks which of a website's names point here, and orders a certificate for them. Without root's
// request for exactly these names, it asks root for one first.
const order: CourierTask = async (payload, _helpers, courier) => {
  const { siteId } = jobs['certificate/order'].payload.parse(payload)
  if (courier.stopping.aborted) return
  const due = await certificates.startOrder(courier.pool, siteId)
  if (due === undefined) return
  // A repeat has a new epoch, so nothing of this attempt can be recorded then.
  const record = await unlessAbandoned(courier, attempt(courier, due))
  if (record !== undefined) await retryOrExit(courier, siteId, record)
}

export default order

/** Records the outcome of an attempt. */
type Record = () => Promise<void>

async function attempt(courier: Courier, due: certificates.Order): Promise<Record> {
  const { pool, authority } = courier
  const postpone = (ssl: 'none' | 'failed', why: string): Record => {
    log.info('certificate postponed', { site: due.siteId, domain: due.domain, why })
    return () => certificates.postpone(pool, due, 'order', ssl, why)
  }
  if (authority === null) return postpone('failed', 'The courier knows no authority')
  try {
    const renewal = await askForRenewal(courier, authority, due)
    const isDue = due.isDue || renewal.isDue
    const rest = () => certificates.rest(pool, due, renewal.askAt)
    if (!isDue && due.servedNames.every(name => due.installedNames?.includes(name))) return rest
    const { found, missing } = await checkNames(courier, authority, due)
    await certificates.recordMissing(pool, due, missing, null)
    const pointing = [...found.keys()]
    const hasMore = pointing.some(name => due.installedNames?.includes(name) === false)
    if (!isDue && !hasMore) return rest
    if (!isWorthwhile(due, pointing)) return postpone('none', missing[due.domain] ?? refused)
    const account = await acmeAccount.ensure(pool, authority.newAccount)
    const { request } = due
    if (request === null) return () => certificates.askForRequest(pool, due, pointing)
    const { names, unanswered } = await probe(courier, authority, account, found)
    if (!isWorthwhile(due, names)) {
      return postpone('failed', unanswered[due.domain] ?? Object.values(unanswered)[0] ?? refused)
    }
    await certificates.recordMissing(pool, due, { ...missing, ...unanswered }, null)
    if (due.names.join() !== names.join()) {
      return () => certificates.askForRequest(pool, due, names)
    }
    const chain = await courier.observe('order', () =>
      authority.order(account, request, due.renewalId),
    )
    return () => certificates.recordOrder(pool, due, chain)
  } catch (error) {
    if (error instanceof NamesRefused && areAliases(due, error.names)) {
      return () => orderOthers(courier, due, error)
    }
    return postpone('failed', toWords(error))
  }
}

const refused = 'The authority has refused its names'

// The domain, or a further name: not the domain's name with www alone.
const isWorthwhile = ({ domain }: certificates.Order, names: readonly string[]): boolean =>
  names.some(name => name !== `www.${domain}`)

const areAliases = ({ domain }: certificates.Order, names: readonly string[]): boolean =>
  names.every(name => name !== domain && name !== `www.${domain}`)

/** Leaves refused names out, and has root create a request for the others if one is due. */
async function orderOthers(
  { pool }: Courier,
  due: certificates.Order,
  { names, message }: NamesRefused,
): Promise<void> {
  const others = due.names.filter(name => !names.includes(name))
  const reasons = Object.fromEntries(names.map(name => [name, message]))
  const before = due.refusedNames
  await certificates.recordMissing(pool, due, reasons, [...before, ...names])
  const isServed = others.every(name => due.installedNames?.includes(name))
  if (!isWorthwhile(due, others)) {
    await certificates.postpone(pool, due, 'order', 'failed', message)
  } else if (!due.isDue && isServed) {
    await certificates.rest(pool, due, null)
  } else {
    await certificates.askForRequest(pool, due, others)
  }
}

const dayMs = 86_400_000

/**
 * Returns whether the authority wants the served certificate renewed now, and when to ask it again;
 * null for never. Without an answer the planned renewal stays.
 */
async function askForRenewal(
  { pool, observe }: Courier,
  authority: Authority,
  due: certificates.Order,
): Promise<{ isDue: boolean; askAt: Date | null }> {
  const { renewalId: id, siteId: site, request } = due
  // A request means that the renewal is already decided.
  if (id === null || request !== null) return { isDue: false, askAt: null }
  const later = (ms: number) => new Date(Date.now() + ms)
  try {
    const renewal = await observe('renewal', () => authority.renewal(id))
    if (renewal === undefined) return { isDue: false, askAt: later(dayMs) }
    const isDue = await certificates.planRenewal(pool, due, renewal)
    return { isDue, askAt: later(renewal.askAgainMs) }
  } catch (error) {
    log.info('no renewal information', { site, why: toWords(error) })
    return { isDue: false, askAt: later(dayMs) }
  }
}

type Found = ReadonlyMap<string, string[]>
type Reasons = { [name: string]: string }

/**
 * Returns which of a website's names point here, with their addresses, and why the others do not.
 */
async function checkNames(
  { observe }: Courier,
  authority: Authority,
  { servedNames }: certificates.Order,
): Promise<{ found: Found; missing: Reasons }> {
  const resolved = await observe('resolve', () =>
    Promise.all(servedNames.map(async name => ({ name, ...(await authority.resolve(name)) }))),
  )
  const pointing = resolved.filter(({ why }) => why === undefined)
  return {
    found: new Map(pointing.map(({ name, addresses }) => [name, addresses])),
    missing: Object.fromEntries(
      resolved.flatMap(({ name, why }) => (why === undefined ? [] : [[name, why]])),
    ),
  }
}

/** Returns the names that answer challenges at each of their addresses, and why others do not. */
async function probe(
  { observe }: Courier,
  authority: Authority,
  { thumbprint }: AcmeAccount,
  found: Found,
): Promise<{ names: string[]; unanswered: Reasons }> {
  const unanswered: Reasons = {}
  const ask = async ([name, addresses]: [string, string[]]) => {
    for (const address of addresses) {
      const why = await authority.whyUnanswered(name, address, thumbprint)
      if (why !== undefined) unanswered[name] ??= why
    }
  }
  await observe('probe', () => Promise.all([...found].map(ask)))
  return { names: [...found.keys()].filter(name => !(name in unanswered)), unanswered }
}
