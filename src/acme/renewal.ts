import { z } from 'zod'
import type { Renewal } from '../model/certificates/authority.ts'

// Asks when an authority wants a certificate to be renewed (RFC 9773). The authority knows more
// than the certificate says: that it will be revoked, or that too many are renewed on one day.

// For the whole answer, and for that of the directory.
const timeoutMs = 15_000
const maxBytes = 65_536

// The interval if the authority suggests none, and the bounds for its suggestion (RFC 9773, section
// 4.3.2, requires some).
const hourMs = 3_600_000
const askAgainMs = { usual: 6 * hourMs, min: hourMs, max: 24 * hourMs }

const address = z.url({ protocol: /^https?$/ })
const directoryAnswer = z.object({ renewalInfo: address.optional() })
const time = z.iso.datetime({ offset: true }).transform(text => new Date(text))
const windowAnswer = z.object({ suggestedWindow: z.object({ start: time, end: time }) })

/** Returns the address for renewal information; undefined if the authority has none. */
export const renewalAddress = async (directory: string): Promise<string | undefined> =>
  directoryAnswer.parse((await get(directory)).data).renewalInfo

/**
 * Returns when the certificate of this id should be renewed; undefined if the authority has no
 * renewal information.
 *
 * @throws if the answer cannot be used
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

// Not with the library, which hides why a connection failed.
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

/**
 * Returns the milliseconds until a Retry-After (RFC 9110, 10.2.3: seconds or a date), within
 * bounds.
 */
export function waitOf(header: unknown, now = Date.now()): number {
  const text = typeof header === 'string' ? header.trim() : ''
  // Node would parse other texts as dates too.
  const date = text.endsWith(' GMT') ? Date.parse(text) : NaN
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : date - now
  if (Number.isNaN(ms)) return askAgainMs.usual
  return Math.min(Math.max(ms, askAgainMs.min), askAgainMs.max)
}
