import type { Dispatcher } from 'undici'
import type { Outcome, Outside, Post } from '../model/events/outside.ts'
import { openAddressPolicy } from './addresses.ts'
import type { Resolve } from './connect.ts'
import { type Limits, limits } from './limits.ts'
import { failureOf } from './failure.ts'

// One POST to an unknown receiver, which may be slow, dead, broken or hostile.

export type OutsideOptions = {
  /** Ranges that are allowed although they are not public. */
  allowed: readonly string[]
  /** Certificates, as PEM, of authorities that are trusted besides the public ones. */
  authorities?: readonly string[]
  /** Replaces the system's resolver. */
  resolve?: Resolve
  /** Shorter ones for tests. */
  limits?: Partial<Limits>
}

export function openOutside(options: OutsideOptions): Outside {
  // Loaded on first use: it takes more memory than the rest of the courier.
  let agent: Promise<Dispatcher> | undefined
  const own = { ...limits, ...options.limits }
  return {
    post: async (request, signal) =>
      send(await (agent ??= openAgent(options, own)), own, request, signal),
  }
}

// Uses its own settings; a proxy named by the environment is not used.
async function openAgent(
  { allowed, authorities, resolve }: OutsideOptions,
  own: Limits,
): Promise<Dispatcher> {
  const [{ Agent }, { checkedConnector }] = await Promise.all([
    import('undici'),
    import('./connect.ts'),
  ])
  return new Agent({
    connect: checkedConnector(openAddressPolicy(allowed), own, resolve, authorities),
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: own.headerBytes,
    keepAliveTimeout: own.idleMs,
    keepAliveMaxTimeout: own.idleMs,
    // `send` has its own timers for the whole request.
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
    const error = status === null ? null : validateStatus(status)
    resolve(outcome && { status, error, isTimeout: false, answer, durationMs, ...outcome })
  }
  // Closes the connection: the rest of the response is not needed.
  const cutOff = (outcome: Partial<Outcome> | undefined) => {
    end(outcome)
    controller?.abort(new Error('Cut off'))
  }
  const interrupt = () => cutOff(undefined)
  let timer = setTimeout(
    () => cutOff({ error: `No response within ${own.totalMs / 1000} s`, isTimeout: true }),
    own.totalMs,
  )
  signal.addEventListener('abort', interrupt)

  agent.dispatch(
    { origin, path: pathname + search, method: 'POST', headers, body },
    {
      onRequestStart(given) {
        controller = given
        // The connection came after the limit.
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
      // Once there is a status, errors of the body no longer matter.
      onResponseError: (_controller, error) => end(status === null ? failureOf(error, own) : {}),
    },
  )
  return promise
}

function validateStatus(status: number): string | null {
  if (status < 300) return null
  return status < 400 ? `Answered ${status}; redirects are not followed` : `Answered ${status}`
}
