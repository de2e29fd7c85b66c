// How many tries of each webhook a courier has in flight. Only this process knows, so no row has to
// be written or locked for it. A slow or dead receiver holds up its few tries and nothing else.

/** Tries at once of a receiver that is not known yet; sweep_deliveries wakes as many. */
const firstPlaces = 4
/**
 * A receiver gets one more place with each answer while all are taken. Its retries, which are due
 * at a moment, need no place until there are so many tries: more would take the courier's own
 * places from all others.
 */
const mostPlaces = 64
/** Until a receiver that timed out answers again. */
const placesAfterTimeout = 1

type Lane = {
  places: number
  inFlight: number
  /** As far as this process knows, there may be parked deliveries. */
  mayHaveParked: boolean
  isFilling: boolean
  /** A delivery was parked since the last look for one began. */
  wasParked: boolean
}

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
    /** Takes a place, if there is one for such a try. */
    enter(webhookId: string, isRetry: boolean): boolean {
      const lane = laneOf(webhookId)
      if (lane.inFlight >= (isRetry ? mostPlaces : lane.places)) return false
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

    /** Parks a delivery by `write`. Call `fill` next, because all places may be free by then. */
    async park(webhookId: string, write: () => Promise<unknown>): Promise<void> {
      await write()
      const lane = laneOf(webhookId)
      lane.mayHaveParked = true
      lane.wasParked = true
    },

    /** Another courier may have parked deliveries of these webhooks. */
    expectParked(webhookIds: string[]): void {
      for (const webhookId of webhookIds) laneOf(webhookId).mayHaveParked = true
    },

    /**
     * Takes parked deliveries while there are free places, and begins each. Only one call at a time
     * fills a lane.
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
