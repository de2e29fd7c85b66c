import type { CourierTask } from '../../src/courier/task.ts'
import { jobs } from '../../src/queue/job-list.ts'
import { openDeliveryBatch } from '../../src/courier/delivery-batch.ts'

// Makes one attempt of a delivery if its webhook has a free slot, and then of the webhook's blocked
// ones until none is left. Waiting is left to the queue: a retry is a job that is due later.
const deliver: CourierTask = async (payload, { job }, courier) => {
  const { deliveryId: id } = jobs['webhook/deliver'].payload.parse(payload)
  const { deliveries, lanes, observe, stopping } = courier
  const due = await observe('find', () => deliveries.findDue({ id, jobId: job.id }))
  if (due === undefined || stopping.aborted) return

  const batch = openDeliveryBatch(courier, job.id)
  if (lanes.enter(due.webhookId, due.attempts > 0)) {
    batch.begin(due)
  } else {
    await lanes.suspend(due.webhookId, () => observe('suspend', () => deliveries.suspend(due)))
    await batch.fillLane(due.webhookId)
  }
  await batch.ended
}

export default deliver
