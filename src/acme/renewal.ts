import { z } from 'zod'
import type { Renewal } from '../model/certificates/authority.ts'

// When an authority wants a certificate to be renewed (RFC 9773). It knows what a certificate does
// not say: that it will be revoked, or that too many are renewed on one day.

// The whole answer; that of the directory too.
const timeoutMs = 15_000
const maxBytes = 65_536

// Without a word of the authority, and the bounds for one (RFC 9773, section 4.3.2, asks for some).
const hourMs = 3_600_000
const askAgainMs = { usual: 6 * hourMs, min: hourMs, max: 24 * hourMs }

const address = z.url({ protocol: /^https?$/ })
const directoryAnswer = z.object({ renewalInfo: address.optional() })
const time = z.iso.datetime({ offset: true }).transform(text => new Date(text))
const windowAnswer = z.object({ suggestedWindow: z.object({ start: time, end: time }) })

/** Where the authority is asked for renewal information; undefined where it has none. */
export const renewalAddress = async (directory: string): Promise<string | undefined> =>
  directoryAnswer.parse((await get(directory)).data).renewalInfo

/**
 * Asks when the certificate of this id is to be renewed; undefined where the authority has no
 * renewal information.
 *
 * @throws where the answer cannot be used
 */
export async function renewal(
  directory: string,
  id: string,
  limitMs = timeoutMs,
): Promise<Renewal | undefined> {
  const base = await renewalAddress(directory)
  if (base === undefined) return undefined
  const { data, answer } = await get(`${base}/${id}`, limitMs)
  const { start, end } = windowAnswer.parse(data).suggestedWindow
  // RFC 9773, section 4.2, has such an answer ignored.
  if (end <= start) throw new Error('The renewal window ends before it begins')
  return { start, end, askAgainMs: waitOf(answer.headers.get('retry-after')) }
}

// Not by the library, which hides why a connection has failed.
async function get(url: string, limitMs = timeoutMs): Promise<{ data: unknown; answer: Response }> {
  const signal = AbortSignal.timeout(limitMs)
  const answer = await fetch(url, { redirect: 'error', signal })
  if (answer.status !== 200) throw new Error(`The authority answered ${answer.status}`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error('The authority sent too large an answer')
    chunks.push(chunk)
  }
  return { data: JSON.parse(Buffer.concat(chunks).toString()), answer }
}

/** Milliseconds until a Retry-After (RFC 9110, 10.2.3: seconds or a date), within bounds. */
export function waitOf(header: unknown, now = Date.now()): number {
  const text = typeof header === 'string' ? header.trim() : ''
  // Of other texts Node would make dates too.
  const date = text.endsWith(' GMT') ? Date.parse(text) : NaN
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : date - now
  if (Number.isNaN(ms)) return askAgainMs.usual
  return Math.min(Math.max(ms, askAgainMs.min), askAgainMs.max)
}
