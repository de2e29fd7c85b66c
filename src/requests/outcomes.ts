import pRetry from 'p-retry'
import type pg from 'pg'
import { connection, isOutage, openClient, type Pool, type Role } from '../db.ts'
import { log } from '../log.ts'
import * as operations from '../model/operations/operations.ts'
import type { Outcome } from '../model/operations/operations.ts'
import { showProcess } from '../model/server/panel-processes.ts'

// The wake-up is a NOTIFY; a look at all that is waited for, once a second, is the safety net.
const pollMs = 1_000

// What its connection is asked takes no time, unless the network is gone.
const answerMs = 5_000

type Waiter = { claimedEpoch: number; resolve: (outcome: Outcome) => void }

/** Tells waiting requests what became of their operations: one connection for the process. */
export class Outcomes {
  readonly #pool: Pool
  readonly #url: string
  readonly #role: Role
  readonly #waiting = new Map<string, Set<Waiter>>()
  readonly #ended = new Set<string>()
  readonly #poll: NodeJS.Timeout
  #isReading = false
  #isClosed = false
  #isReleased = false
  readonly #releases = new Set<() => void>()
  #listener: pg.Client | undefined

  private constructor(pool: Pool, url: string, role: Role) {
    this.#pool = pool
    this.#url = url
    this.#role = role
    this.#poll = setInterval(() => this.#read([...this.#waiting.keys()]), pollMs)
  }

  static async open(pool: Pool, url: string, role: Role = 'panel_api'): Promise<Outcomes> {
    const outcomes = new Outcomes(pool, url, role)
    await outcomes.#listen().catch((error: unknown) => {
      // The API says that the database is down rather than be down too; a command has an end.
      if (role !== 'panel_api' || !isOutage(error)) throw error
      log.error('outcomes cannot listen', error)
      void outcomes.#listenAgain()
    })
    return outcomes
  }

  /**
   * Starts watching a claimed operation; before its transaction commits, so that no wake-up is
   * missed. Until then the row still shows how an earlier try under its key has ended: only an end
   * with a higher epoch than the claim's is this one's.
   * `within` resolves to undefined when its time is over.
   */
  watch(
    id: string,
    claimedEpoch: number,
  ): { within: (waitMs: number) => Promise<Outcome | undefined>; end: () => void } {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const others = this.#waiting.get(id) ?? new Set()
    const waiter = { claimedEpoch, resolve }
    this.#waiting.set(id, others.add(waiter))
    const end = () => {
      others.delete(waiter)
      if (others.size === 0 && this.#waiting.get(id) === others) this.#waiting.delete(id)
    }
    const within = async (waitMs: number) => {
      const late = Promise.withResolvers<undefined>()
      const release = () => late.resolve(undefined)
      const timer = setTimeout(release, waitMs)
      this.#releases.add(release)
      if (this.#isReleased) release()
      try {
        return await Promise.race([promise, late.promise])
      } finally {
        clearTimeout(timer)
        this.#releases.delete(release)
        end()
      }
    }
    return { within, end }
  }

  /** Answers all that wait with nothing, as if their time were over: the process is to stop. */
  releaseAll(): void {
    this.#isReleased = true
    for (const release of this.#releases) release()
  }

  get isReleased(): boolean {
    return this.#isReleased
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#poll)
    await this.#listener?.end()
  }

  // Reads what has ended in one statement, however many wake-ups have come in meanwhile.
  async #read(ids: string[]): Promise<void> {
    for (const id of ids) if (this.#waiting.has(id)) this.#ended.add(id)
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#ended.size > 0) {
        const batch = [...this.#ended]
        this.#ended.clear()
        for (const outcome of await operations.findEnded(this.#pool, batch)) this.#report(outcome)
      }
    } catch (error) {
      log.error('outcomes cannot be read', error)
    } finally {
      this.#isReading = false
    }
  }

  // Only for waiting callers is the row worth a round trip.
  #isAwaited({ id, epoch }: { id: string; epoch: number }): boolean {
    for (const { claimedEpoch } of this.#waiting.get(id) ?? []) {
      if (epoch > claimedEpoch) return true
    }
    return false
  }

  #report(outcome: Outcome): void {
    for (const { claimedEpoch, resolve } of this.#waiting.get(outcome.id) ?? []) {
      if (outcome.epoch > claimedEpoch) resolve(outcome)
    }
  }

  async #listen(): Promise<void> {
    const client = openClient({ ...connection(this.#url, this.#role), query_timeout: answerMs })
    client.on('notification', ({ payload = '' }) => {
      const finished = operations.parseFinished(payload)
      if (finished !== undefined && this.#isAwaited(finished)) void this.#read([finished.id])
    })
    await client.connect()
    await client.query('listen operation_finished')
    // It lasts as long as the process, so it also shows that this is up.
    if (this.#role === 'panel_api') await showProcess(client, 'api')
    this.#listener = client
    client.on('end', () => {
      if (!this.#isClosed) void this.#listenAgain()
    })
  }

  async #listenAgain(): Promise<void> {
    log.info('outcomes listen again')
    await pRetry(() => this.#listen(), {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: 100,
      factor: 2,
      maxTimeout: 2_000,
      shouldRetry: () => !this.#isClosed,
    }).catch(error => log.error('outcomes cannot listen', error))
  }
}
