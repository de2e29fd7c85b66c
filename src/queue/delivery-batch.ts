import type { Due } from '../model/deliveries.ts'
import type { Courier } from './courier-task.ts'
import { tryOnce } from './try-once.ts'

/**
 * What one job has in flight: its own delivery, and whatever was parked and is taken instead of
 * those that end. All of it has this job to see to it, so the job lasts as long as the batch.
 */
export function openDeliveryBatch(courier: Courier, jobId: string) {
  const { deliveries, lanes, observe, stopping } = courier
  const ended = Promise.withResolvers<void>()
  let underWay = 0

  const follow = (work: Promise<void>): Promise<void> => {
    underWay += 1
    const leave = () => {
      underWay -= 1
      if (underWay === 0) ended.resolve()
    }
    return work.then(leave, ended.reject)
  }
  const take = async (webhookId: string, places: number): Promise<Due[]> => {
    if (stopping.aborted) return []
    return observe('take', () => deliveries.takeParked({ webhookId, places, jobId }))
  }
  const begin = (due: Due): void => {
    void follow(tryOnce(courier, due, () => goOn(due.webhookId)))
  }
  const goOn = (webhookId: string): Promise<void> =>
    follow(lanes.fill(webhookId, places => take(webhookId, places), begin))

  return { begin, goOn, ended: ended.promise }
}
