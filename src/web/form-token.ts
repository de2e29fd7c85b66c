import { randomBytes, timingSafeEqual } from 'node:crypto'

// The token that binds a form to its session. Each drawing writes it in another way, by a mask of
// its own, because pages are compressed: from the length of answers that repeat what was asked,
// a secret that stays the same could be guessed.

/** Masks the token for a form. */
export function maskToken(token: string): string {
  const bytes = Buffer.from(token, 'base64url')
  const mask = randomBytes(bytes.length)
  return Buffer.concat([mask, xor(bytes, mask)]).toString('base64url')
}

/** Returns whether a form carries the token of this session, under any mask. */
export function isTokenOf(sent: string, token: string): boolean {
  const expected = Buffer.from(token, 'base64url')
  const bytes = Buffer.from(sent, 'base64url')
  if (bytes.length !== 2 * expected.length) return false
  const [mask, masked] = [bytes.subarray(0, expected.length), bytes.subarray(expected.length)]
  return timingSafeEqual(xor(masked, mask), expected)
}

const xor = (one: Buffer, other: Buffer): Buffer =>
  Buffer.from(one.map((byte, index) => byte ^ other[index]!))
