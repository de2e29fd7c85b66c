// The number of attempts of each webhook that a courier has in flight. It is known only to this
// process, so no row has to be written or locked for it. A slow or dead receiver delays its own few
// attempts and nothing else.

/** Attempts at once to a new receiver; sweep_deliveries wakes as many. */
const firstSlots = 4
/**
 * A receiver gets one more slot with each answer while all its slots are in use. Its retries, which
 * are due all at once, need a slot only beyond this many attempts: more would take the courier's
 * own slots from all others.
 */
const maxSlots = 64
/** The slots of a receiver that timed out, until it answers again. */
const slotsAfterTimeout = 1
/**
 * No receiver has more attempts in flight than an eighth of the courier's free slots: the more
 * receivers hang, the fewer each has. So they do not take all slots, however many retries are due
 * to them (Choudhury and Hahne, «Dynamic queue length thresholds», 1998): 16 leave a third of the
 * slots free, 100 a fourteenth. One attempt each is always allowed.
 */
const shareOfFree = 8

type Lane = {
  slots: number
  inFlight: number
  /** Whether there may be blocked deliveries, as far as this process knows. */
  mayHaveBlocked: boolean
  isFilling: boolean
  /** Whether a delivery was blocked since the last search for one began. */
  wasBlocked: boolean
}

export type End = 'answered' | 'failed' | 'timed out'

export type Lanes = ReturnType<typeof openLanes>

/**
 * Opens the lanes of a courier.
 *
 * @param all the number of the courier's slots
 */
export function openLanes(all: number) {
  const lanes = new Map<string, Lane>()
  let inFlight = 0
  const share = () => Math.max(1, Math.floor((all - inFlight) / shareOfFree))
  const add = (lane: Lane, count: number) => {
    lane.inFlight += count
    inFlight += count
  }
  const laneOf = (webhookId: string): Lane => {
    const known = lanes.get(webhookId)
    if (known !== undefined) return known
    const lane: Lane = {
      slots: firstSlots,
      inFlight: 0,
      mayHaveBlocked: false,
      isFilling: false,
      wasBlocked: false,
    }
    lanes.set(webhookId, lane)
    return lane
  }

  return {
    /** Takes a slot if one is free for such an attempt. */
    enter(webhookId: string, isRetry: boolean): boolean {
      const lane = laneOf(webhookId)
      if (lane.inFlight >= Math.min(isRetry ? maxSlots : lane.slots, share())) return false
      add(lane, 1)
      return true
    },

    release(webhookId: string, end: End): void {
      const lane = laneOf(webhookId)
      const wasFull = lane.inFlight >= lane.slots
      add(lane, -1)
      if (end === 'timed out') lane.slots = slotsAfterTimeout
      else if (end === 'answered' && wasFull) lane.slots = Math.min(lane.slots + 1, maxSlots)
    },

    /** Blocks a delivery by `write`. Call `fill` next, because all slots may be free by then. */
    async suspend(webhookId: string, write: () => Promise<unknown>): Promise<void> {
      await write()
      const lane = laneOf(webhookId)
      lane.mayHaveBlocked = true
      lane.wasBlocked = true
    },

    /** Notes that another courier may have blocked deliveries of these webhooks. */
    expectBlocked(webhookIds: string[]): void {
      for (const webhookId of webhookIds) laneOf(webhookId).mayHaveBlocked = true
    },

    /**
     * Takes blocked deliveries while there are free slots, and begins each. Only one call at a time
     * fills a lane.
     */
    async fill<T>(
      webhookId: string,
      take: (slots: number) => Promise<T[]>,
      begin: (taken: T) => void,
    ): Promise<void> {
      const lane = laneOf(webhookId)
      if (lane.isFilling) return
      lane.isFilling = true
      for (;;) {
        const free = Math.min(lane.slots, share()) - lane.inFlight
        if (!lane.mayHaveBlocked || free <= 0) break
        add(lane, free)
        lane.wasBlocked = false
        const taken = await take(free)
        add(lane, taken.length - free)
        if (taken.length < free && !lane.wasBlocked) lane.mayHaveBlocked = false
        for (const each of taken) begin(each)
      }
      lane.isFilling = false
    },
  }
}
