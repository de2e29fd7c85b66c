import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Test } from 'tap'

// Visitors who come every 2 ms while something changes, and what they must have seen.

/** A page that is visited; `isTls` by https, with the certificate checked. */
export type Probe = { host: string; path: string; isTls?: boolean }

/**
 * A page's text before a change, and from its answer on. Where nginx itself is stopped meanwhile
 * there may be no answer (`mayFail`).
 */
export type Truth = Probe & { before: RegExp; after: RegExp; mayFail?: boolean }

/** `result` is the status and the first words of the page, or why there was none. */
export type Visit = { probe: number; startedAt: number; endedAt: number; result: string }

/** The messages to the visitors' thread: these probes, or to come to an end. */
export type Asked = { id: number; probes?: readonly Probe[]; ca?: string | undefined }

export type Seen<T> = { answer: T; tookMs: number; asked: number; wrong: string[] }

/** The same clock in all threads. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6

const beforeMs = 25

/** Visits pages from before a change until some time after its answer, and checks every visit. */
export type Visitor = {
  during: <T>(truths: readonly Truth[], act: () => Promise<T>) => Promise<Seen<T>>
}

export function openVisitor(t: Test, { afterMs, ca }: { afterMs: number; ca?: string }): Visitor {
  const thread = new Worker(new URL('fixtures/visiting.ts', import.meta.url))
  t.teardown(() => thread.terminate())
  thread.setMaxListeners(0)
  let last = 0
  const stop = async (id: number): Promise<Visit[]> => {
    thread.postMessage({ id } satisfies Asked)
    for (;;) {
      const [answer] = await once(thread, 'message')
      if (answer.id === id) return answer.visits
    }
  }
  return {
    async during(truths, act) {
      const id = ++last
      const probes = truths.map(({ host, path, isTls = false }) => ({ host, path, isTls }))
      thread.postMessage({ id, probes, ca } satisfies Asked)
      await sleep(beforeMs)
      const begunAt = now()
      const answer = await act()
      const answeredAt = now()
      await sleep(afterMs)
      const visits = await stop(id)
      const wrong = decide(truths, visits, answeredAt)
      return { answer, tookMs: answeredAt - begunAt, asked: visits.length, wrong }
    },
  }
}

/** The visits that have seen what they must not, in words. */
function decide(truths: readonly Truth[], visits: readonly Visit[], answeredAt: number): string[] {
  return truths.flatMap(({ host, path, before, after, mayFail }, probe) => {
    const own = visits
      .filter(visit => visit.probe === probe)
      .filter(({ result }) => !(mayFail && result.startsWith('failed')))
    const isNew = ({ result }: Visit) => after.test(result)
    // A visitor after another who has seen it sees it too.
    const seenAt = Math.min(...own.filter(isNew).map(({ endedAt }) => endedAt))
    const isEither = ({ result }: Visit) => before.test(result) || after.test(result)
    const isLate = (visit: Visit) => visit.startedAt > Math.min(answeredAt, seenAt) && !isNew(visit)
    return own
      .filter(visit => !isEither(visit) || isLate(visit))
      .map(visit => {
        const [from, to] = [visit.startedAt, visit.endedAt].map(at => (at - answeredAt).toFixed(1))
        return `${host}${path} from ${from} to ${to} ms: ${visit.result.replaceAll(/\s+/g, ' ')}`
      })
  })
}
