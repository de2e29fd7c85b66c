import { log } from '../../src/log.ts'
import * as acmeAccount from '../../src/model/certificates/acme-account.ts'
import type { AcmeAccount, Authority } from '../../src/model/certificates/authority.ts'
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
    if (!isDue && namesOf(due).every(name => due.installedNames?.includes(name))) return rest
    const { found, why } = await checkNames(courier, authority, due)
    const names = [...found.keys()]
    const hasMore = names.some(name => due.installedNames?.includes(name) === false)
    if (!isDue && !hasMore) return rest
    if (why !== undefined) return postpone('none', why)
    const account = await acmeAccount.ensure(pool, authority.newAccount)
    const { request } = due
    if (request === null || due.names.join() !== names.join()) {
      return () => certificates.askForRequest(pool, due, names)
    }
    await probe(courier, authority, account, found)
    const chain = await courier.observe('order', () =>
      authority.order(account, request, due.renewalId),
    )
    return () => certificates.recordOrder(pool, due, chain)
  } catch (error) {
    return postpone('failed', toWords(error))
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

const namesOf = ({ domain, hasWww }: certificates.Order): string[] => [
  domain,
  ...(hasWww ? [`www.${domain}`] : []),
]

type Found = Map<string, string[]>

/**
 * Returns which of a website's names point here, with their addresses, or why the main one does
 * not.
 */
async function checkNames(
  { observe }: Courier,
  authority: Authority,
  due: certificates.Order,
): Promise<{ found: Found; why: string | undefined }> {
  const names = namesOf(due)
  const resolved = await observe('look', () =>
    Promise.all(names.map(name => authority.resolve(name))),
  )
  const [why] = resolved.map(one => one.why)
  const pointing = names.flatMap((name, index) => {
    const one = resolved[index]
    return one === undefined || one.why !== undefined ? [] : [[name, one.addresses] as const]
  })
  return { found: new Map(why === undefined ? pointing : []), why }
}

async function probe(
  { observe }: Courier,
  authority: Authority,
  { thumbprint }: AcmeAccount,
  found: Found,
): Promise<void> {
  await observe('probe', async () => {
    for (const [name, addresses] of found) {
      for (const address of addresses) {
        const why = await authority.whyUnanswered(name, address, thumbprint)
        if (why !== undefined) throw new Error(why)
      }
    }
  })
}
