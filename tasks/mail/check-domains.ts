import type { Courier, CourierTask } from '../../src/courier/task.ts'
import { unlessAbandoned } from '../../src/courier/unless-abandoned.ts'
import { log } from '../../src/log.ts'
import { type DueCheck, recordCheck, startChecks } from '../../src/model/mail/mail-checks.ts'

// Checks the mail domains that are due, a few at a time; repeated each minute and on request. The
// rows say which were checked: killed at any line, the next run continues.
const checkDomains: CourierTask = async (_payload, _helpers, courier) => {
  const until = performance.now() + limitMs
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (!courier.stopping.aborted && performance.now() < until) {
        const [due] = await courier.observe('start', () => startChecks(courier.pool, 1))
        if (due === undefined) return
        await unlessAbandoned(courier, check(courier, due))
      }
    }),
  )
}

export default checkDomains

const atOnce = 8
// The next run begins with those that are due for the longest time.
const limitMs = 50_000

async function check({ pool, checkMailDomain, observe }: Courier, due: DueCheck): Promise<void> {
  const checked = await observe('check', () => checkMailDomain(due))
  const state = await observe('record', () => recordCheck(pool, due, checked))
  log.info('mail domain checked', { domain: due.domain, found: checked.found, state })
}
