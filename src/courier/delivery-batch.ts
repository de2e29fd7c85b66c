import type { Due } from './deliveries.ts'
import type { Courier } from './task.ts'
import { attemptOnce } from './try-once.ts'

/**
 * Opens the batch of all deliveries that one job has in flight: its own, and blocked ones that
 * replace those that end. The job is responsible for all of them, so it lasts as long as the batch.
 */
export function openDeliveryBatch(courier: Courier, jobId: string) {
  const { deliveries, lanes, observe, stopping } = courier
  const ended = Promise.withResolvers<void>()
  let inProgress = 0

  const follow = (work: Promise<void>): Promise<void> => {
    inProgress += 1
    const leave = () => {
      inProgress -= 1
      if (inProgress === 0) ended.resolve()
    }
    return work.then(leave, ended.reject)
  }
  const take = async (webhookId: string, slots: number): Promise<Due[]> => {
    if (stopping.aborted) return []
    return observe('take', () => deliveries.takeBlocked({ webhookId, slots, jobId }))
  }
  const begin = (due: Due): void => {
    void follow(attemptOnce(courier, due, () => fillLane(due.webhookId)))
  }
  const fillLane = (webhookId: string): Promise<void> =>
    follow(lanes.fill(webhookId, slots => take(webhookId, slots), begin))

  return { begin, fillLane, ended: ended.promise }
}
