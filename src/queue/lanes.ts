// How many tries of each webhook a courier has in flight. It is known to this process alone, so
// that no row has to be written or locked for it: a receiver that is slow or dead keeps its few
// tries waiting and costs nobody else anything (events.md, Webhook delivery).

/** What a receiver that nobody knows yet may have in flight; as many as sweep_deliveries wakes. */
const firstPlaces = 4
/** A receiver that answers gets one more with each answer that it was full for. */
const mostPlaces = 64
/** One that let the time pass gets this many, until it answers again. */
const placesAfterTimeout = 1

type Lane = {
  places: number
  inFlight: number
  /** There may be parked deliveries, as far as this process knows. */
  mayHaveParked: boolean
  isFilling: boolean
  /** Something was parked since the last look for it began. */
  wasParked: boolean
}

/** How a try has ended, as far as the receiver's place is concerned. */
export type End = 'answered' | 'failed' | 'timed out'

export type Lanes = ReturnType<typeof openLanes>

export function openLanes() {
  const lanes = new Map<string, Lane>()
  const laneOf = (webhookId: string): Lane => {
    const known = lanes.get(webhookId)
    if (known !== undefined) return known
    const lane: Lane = {
      places: firstPlaces,
      inFlight: 0,
      mayHaveParked: false,
      isFilling: false,
      wasParked: false,
    }
    lanes.set(webhookId, lane)
    return lane
  }

  return {
    /** Takes a place. A retry is due at its moment and waits for none. */
    enter(webhookId: string, isRetry: boolean): boolean {
      const lane = laneOf(webhookId)
      if (!isRetry && lane.inFlight >= lane.places) return false
      lane.inFlight += 1
      return true
    },

    leave(webhookId: string, end: End): void {
      const lane = laneOf(webhookId)
      const wasFull = lane.inFlight >= lane.places
      lane.inFlight -= 1
      if (end === 'timed out') lane.places = placesAfterTimeout
      else if (end === 'answered' && wasFull) lane.places = Math.min(lane.places + 1, mostPlaces)
    },

    /** Parks a delivery, by `write`; who does so has to `fill` then, because all may be free. */
    async park(webhookId: string, write: () => Promise<unknown>): Promise<void> {
      await write()
      const lane = laneOf(webhookId)
      lane.mayHaveParked = true
      lane.wasParked = true
    },

    /** Others know that these webhooks have something parked. */
    expectParked(webhookIds: string[]): void {
      for (const webhookId of webhookIds) laneOf(webhookId).mayHaveParked = true
    },

    /**
     * Takes parked deliveries for as long as there are free places, by `take`, and begins each. Who
     * comes while another is at it leaves it to that one.
     */
    async fill<T>(
      webhookId: string,
      take: (places: number) => Promise<T[]>,
      begin: (taken: T) => void,
    ): Promise<void> {
      const lane = laneOf(webhookId)
      if (lane.isFilling) return
      lane.isFilling = true
      for (;;) {
        const free = lane.places - lane.inFlight
        if (!lane.mayHaveParked || free <= 0) break
        lane.inFlight += free
        lane.wasParked = false
        const taken = await take(free)
        lane.inFlight -= free - taken.length
        if (taken.length < free && !lane.wasParked) lane.mayHaveParked = false
        for (const each of taken) begin(each)
      }
      lane.isFilling = false
    },
  }
}
