import { createHmac, timingSafeEqual } from 'node:crypto'

// Values that a browser stores for the panel and cannot change: each has an expiry and a signature.

/** Signs a value until a time. The browser can read it, so it must not contain a secret. */
export function sign(value: object, key: Buffer, endsAt: Date): string {
  const body = Buffer.from(JSON.stringify([value, endsAt.getTime()])).toString('base64url')
  return `${body}.${signatureOf(body, key).toString('base64url')}`
}

/** Returns the value if it was signed with this key and has not expired. */
export function readSigned<T extends object>(text: string, key: Buffer): T | undefined {
  const [body = '', signature = '', ...more] = text.split('.')
  const found = Buffer.from(signature, 'base64url')
  const expected = signatureOf(body, key)
  if (more.length > 0 || found.length !== expected.length) return undefined
  if (!timingSafeEqual(found, expected)) return undefined
  const [value, endsAt] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [T, number]
  return Date.now() < endsAt ? value : undefined
}

const signatureOf = (body: string, key: Buffer): Buffer =>
  createHmac('sha256', key).update(body).digest()
