import type { Dispatcher } from 'undici'
import type { Outcome, Outside, Post } from '../model/outside.ts'
import { openJudge } from './addresses.ts'
import type { Resolve } from './connect.ts'
import { type Limits, limits } from './limits.ts'
import { wordsOf } from './words.ts'

// One POST to a receiver that nobody knows: it may be slow, dead, broken or hostile.

export type OutsideOptions = {
  /** Ranges that are open although they are not public. */
  allowed: readonly string[]
  /** Another way to resolve names than the system's. */
  resolve?: Resolve
  /** Where the product's are too long to wait for. */
  limits?: Partial<Limits>
}

export function openOutside(options: OutsideOptions): Outside {
  // Loaded when there is something to send: it takes more memory than the rest of a courier.
  let agent: Promise<Dispatcher> | undefined
  const own = { ...limits, ...options.limits }
  return {
    post: async (request, signal) =>
      send(await (agent ??= openAgent(options, own)), own, request, signal),
  }
}

// Its own settings, and no proxy of the environment's.
async function openAgent({ allowed, resolve }: OutsideOptions, own: Limits): Promise<Dispatcher> {
  const [{ Agent }, { checkedConnector }] = await Promise.all([
    import('undici'),
    import('./connect.ts'),
  ])
  return new Agent({
    connect: checkedConnector(openJudge(allowed), own, resolve),
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: own.headerBytes,
    keepAliveTimeout: own.idleMs,
    keepAliveMaxTimeout: own.idleMs,
    // The times of the whole are ours.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

function send(
  agent: Dispatcher,
  own: Limits,
  { url, headers, body }: Post,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { origin, pathname, search } = new URL(url)
  const begunAt = performance.now()
  const { promise, resolve } = Promise.withResolvers<Outcome | undefined>()
  let controller: Dispatcher.DispatchController | undefined
  let status: number | null = null
  let isOver = false
  const chunks: Buffer[] = []
  let bytes = 0

  const end = (outcome: Partial<Outcome> | undefined) => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    signal.removeEventListener('abort', interrupt)
    const answer = status === null ? null : Buffer.concat(chunks).subarray(0, own.answerBytes)
    const durationMs = Math.round(performance.now() - begunAt)
    const error = status === null ? null : judgeStatus(status)
    resolve(outcome && { status, error, isTimeout: false, answer, durationMs, ...outcome })
  }
  // What is left of the answer is of no interest; the connection goes with it.
  const cutOff = (outcome: Partial<Outcome> | undefined) => {
    end(outcome)
    controller?.abort(new Error('Cut off'))
  }
  const interrupt = () => cutOff(undefined)
  let timer = setTimeout(
    () => cutOff({ error: `No answer within ${own.totalMs / 1000} s`, isTimeout: true }),
    own.totalMs,
  )
  signal.addEventListener('abort', interrupt)

  agent.dispatch(
    { origin, path: pathname + search, method: 'POST', headers, body },
    {
      onRequestStart(given) {
        controller = given
        // It was connected too late.
        if (isOver) given.abort(new Error('Cut off'))
      },
      onResponseStart(_controller, code) {
        if (code < 200) return
        status = code
        clearTimeout(timer)
        timer = setTimeout(() => cutOff({}), own.bodyMs)
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes >= own.answerBytes) cutOff({})
      },
      onResponseEnd: () => end({}),
      // An answer has been given, whatever becomes of its body.
      onResponseError: (_controller, error) => end(status === null ? wordsOf(error, own) : {}),
    },
  )
  return promise
}

function judgeStatus(status: number): string | null {
  if (status < 300) return null
  return status < 400 ? `Answered ${status}; redirects are not followed` : `Answered ${status}`
}
