import { log } from '../log.ts'
import { type Due, type Ended, request } from './deliveries.ts'
import type { Outcome } from '../model/events/outside.ts'
import type { Courier } from './task.ts'
import type { End } from './lanes.ts'

/**
 * Makes one attempt of a delivery that has a slot, and records it, together with a retry.
 *
 * @param fillLane called as soon as the slot is free
 */
export async function attemptOnce(
  courier: Courier,
  due: Due,
  fillLane: () => Promise<void>,
): Promise<void> {
  const { deliveries, lanes, observe } = courier
  if (due.isRemoved) {
    lanes.release(due.webhookId, 'failed')
    await Promise.all([deliveries.cancel(due), fillLane()])
    return
  }
  const outcome = await observe('post', () => send(courier, due))
  const endedAt = performance.now()
  lanes.release(due.webhookId, endOf(outcome))
  // The attempt was interrupted: the next courier makes it again.
  if (outcome === undefined) return
  await Promise.all([
    observe('record', () => record(courier, { due, outcome, endedAt })),
    fillLane(),
  ])
}

async function send(courier: Courier, due: Due): Promise<Outcome | undefined> {
  const { outside, sign, userAgent, abandoned } = courier
  let sent
  try {
    sent = request(due, sign, userAgent)
  } catch (error) {
    log.error('the deliveries of a webhook cannot be signed', error, { webhook: due.webhookId })
    const words = 'The secret cannot be decrypted with this server’s key: replace it'
    return { status: null, error: words, isTimeout: false, answer: null, durationMs: 0 }
  }
  return outside.post(sent, abandoned)
}

function endOf(outcome: Outcome | undefined): End {
  if (outcome?.error === null) return 'answered'
  return outcome?.isTimeout ? 'timed out' : 'failed'
}

async function record({ deliveries }: Courier, ended: Ended & { due: Due }): Promise<void> {
  const { due, outcome } = ended
  const recorded = await deliveries.record(ended)
  if (outcome.error === null || recorded === undefined) return
  log.info('delivery failed', {
    delivery: due.id,
    webhook: due.webhookId,
    event: due.event,
    try: recorded.attempts,
    status: outcome.status,
    reason: outcome.error,
    durationMs: outcome.durationMs,
    isTriedAgain: recorded.state === 'due',
  })
}
