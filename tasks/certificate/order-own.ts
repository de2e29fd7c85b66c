import { log } from '../../src/log.ts'
import * as acmeAccount from '../../src/model/certificates/acme-account.ts'
import type { Authority } from '../../src/model/certificates/authority.ts'
import * as own from '../../src/model/certificates/own-certificate.ts'
import type { Courier, CourierTask } from '../../src/courier/task.ts'
import { unlessAbandoned } from '../../src/courier/unless-abandoned.ts'
import { toWords } from '../../src/queue/undo.ts'

// Orders the certificate for the panel's own name, by root's request, if the name points here.
const orderOwn: CourierTask = async (_payload, _helpers, courier) => {
  const { pool, authority } = courier
  if (courier.stopping.aborted || authority === null) return
  const due = await own.findDue(pool)
  if (due === undefined) return
  const { domain: name } = due
  try {
    const chain = await unlessAbandoned(courier, obtain(courier, authority, due))
    if (chain !== undefined) await own.recordOrder(pool, due, chain)
  } catch (error) {
    const why = toWords(error)
    log.info('own certificate postponed', { name, why })
    await own.postpone(pool, due, why)
  }
}

export default orderOwn

/** Returns the chain; undefined if root has to answer challenges first, from its next turn on. */
async function obtain(
  { pool, observe }: Courier,
  authority: Authority,
  { domain, request }: own.OwnCertificate,
): Promise<string | undefined> {
  const { addresses, why } = await observe('resolve', () => authority.resolve(domain))
  if (why !== undefined) throw new Error(why)
  if ((await acmeAccount.findThumbprint(pool)) === undefined) {
    await acmeAccount.ensure(pool, authority.newAccount)
    return undefined
  }
  const account = await acmeAccount.ensure(pool, authority.newAccount)
  await observe('probe', async () => {
    for (const address of addresses) {
      const unanswered = await authority.whyUnanswered(domain, address, account.thumbprint)
      if (unanswered !== undefined) throw new Error(unanswered)
    }
  })
  return observe('order', () => authority.order(account, request, null))
}
