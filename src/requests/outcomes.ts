import pRetry from 'p-retry'
import type pg from 'pg'
import { connection, isOutage, openClient, type Pool, type Role } from '../db.ts'
import { log } from '../log.ts'
import * as operations from '../model/operations/operations.ts'
import type { Outcome } from '../model/operations/operations.ts'
import { showProcess } from '../model/server/panel-processes.ts'

// The wake-up is a NOTIFY; a poll of all awaited operations, once a second, is the safety net.
const pollMs = 1_000

// Queries on its connection take no time, unless the network is down.
const answerMs = 5_000

type Waiter = { claimedEpoch: number; resolve: (outcome: Outcome) => void }

/**
 * Notifies waiting requests of the outcomes of their operations, with one connection per process.
 */
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
      // The API keeps running while the database is down, and reports it; a command ends.
      if (role !== 'panel_api' || !isOutage(error)) throw error
      log.error('outcomes cannot listen', error)
      void outcomes.#listenAgain()
    })
    return outcomes
  }

  /**
   * Starts watching a claimed operation, before its transaction commits, so that no wake-up is
   * missed. Until then the row still shows how an earlier attempt under its key ended: only an end
   * with a higher epoch than the claim's belongs to this one. `within` resolves to undefined when
   * its time is over.
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

  /**
   * Ends all waits without an outcome, as if their time were over: the process is about to stop.
   */
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

  // Reads all ended operations in one statement, however many wake-ups have arrived meanwhile.
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

  // Skips the round trip for a row that no caller waits for.
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
    // The connection lasts as long as the process, so it also marks the process as running.
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
