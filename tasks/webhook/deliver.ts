import { log } from '../../src/log.ts'
import { type Due, request } from '../../src/model/deliveries.ts'
import type { Outcome } from '../../src/model/outside.ts'
import type { Courier, CourierTask } from '../../src/queue/courier-task.ts'
import { jobs } from '../../src/queue/jobs.ts'

// One try of a delivery, if its webhook has a place free, and then of the parked ones of the same
// webhook for as long as there are any: all of them have this job to see to them. The job ends when
// nothing of it is in flight. Waiting is the queue's work: a retry is a job that is due later.
const deliver: CourierTask = async (payload, { job }, courier) => {
  const { deliveryId: id } = jobs['webhook/deliver'].payload.parse(payload)
  const { deliveries, lanes, observe } = courier
  let due: Due | undefined
  await observe('find', async () => {
    due = await deliveries.findDue({ id, jobId: job.id })
  })
  if (due === undefined || courier.stopping.aborted) return
  const { webhookId } = due
  const round = openRound(courier, job.id)
  if (lanes.enter(webhookId, due.tries > 0)) {
    round.begin(due)
  } else {
    const parked = due
    await lanes.park(webhookId, () => observe('park', () => deliveries.park(parked)))
    await round.goOn(webhookId)
  }
  await round.ended
}

export default deliver

// The tries that one job has in flight.
function openRound(courier: Courier, jobId: string) {
  const { deliveries, lanes, observe, stopping } = courier
  const ended = Promise.withResolvers<void>()
  let inFlight = 0
  const leave = () => {
    inFlight -= 1
    if (inFlight === 0) ended.resolve()
  }
  const begin = (due: Due) => {
    inFlight += 1
    void tryOnce(courier, due, () => goOn(due.webhookId)).then(leave, ended.reject)
  }
  const goOn = async (webhookId: string) => {
    const take = async (places: number): Promise<Due[]> => {
      if (stopping.aborted) return []
      let taken: Due[] = []
      await observe('take', async () => {
        taken = await deliveries.takeParked({ webhookId, places, jobId })
      })
      return taken
    }
    // As long as the look for more is under way, so is the round.
    inFlight += 1
    await lanes.fill(webhookId, take, begin)
    leave()
  }
  return { begin, goOn, ended: ended.promise }
}

async function tryOnce(courier: Courier, due: Due, goOn: () => Promise<void>): Promise<void> {
  const { deliveries, lanes, observe } = courier
  if (due.isRemoved) {
    lanes.leave(due.webhookId, 'failed')
    await Promise.all([deliveries.cancel(due), goOn()])
    return
  }
  let outcome: Outcome | undefined
  await observe('post', async () => {
    outcome = await send(courier, due)
  })
  const endedAt = performance.now()
  lanes.leave(due.webhookId, endOf(outcome))
  // It has not ended: the next courier makes the same try again.
  if (outcome === undefined) return
  const done = { due, outcome, endedAt }
  await Promise.all([observe('record', () => record(courier, done)), goOn()])
}

async function send(courier: Courier, due: Due): Promise<Outcome | undefined> {
  const { outside, sign, userAgent, abandoned } = courier
  let sent
  try {
    sent = request(due, sign, userAgent)
  } catch (error) {
    log.error('a webhook cannot be signed for', error, { webhook: due.webhookId })
    const words = 'The secret cannot be opened with this server’s key: replace it'
    return { status: null, error: words, isTimeout: false, answer: null, durationMs: 0 }
  }
  return outside.post(sent, abandoned)
}

function endOf(outcome: Outcome | undefined) {
  if (outcome === undefined || outcome.error !== null) {
    return outcome?.isTimeout ? 'timed out' : 'failed'
  }
  return 'answered'
}

async function record(
  { deliveries }: Courier,
  ended: { due: Due; outcome: Outcome; endedAt: number },
): Promise<void> {
  const { due, outcome } = ended
  const recorded = await deliveries.record(ended)
  if (outcome.error === null || recorded === undefined) return
  log.info('delivery failed', {
    delivery: due.id,
    webhook: due.webhookId,
    event: due.event,
    try: recorded.tries,
    status: outcome.status,
    reason: outcome.error,
    durationMs: outcome.durationMs,
    isTriedAgain: recorded.state === 'due',
  })
}
