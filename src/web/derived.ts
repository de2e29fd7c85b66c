import { createHash, createHmac } from 'node:crypto'

// Derives secrets from a form's key, so that a form that is sent twice makes the same one.

/** Returns an id (RFC 9562, version 8) that is the same for the same parts. */
export function derivedId(...parts: string[]): string {
  const bytes = createHash('sha256').update(parts.join('\n')).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Returns a secret of 32 bytes from the key: always the same for the same parts. */
export const derivedSecret = (key: Buffer, ...parts: string[]): string =>
  createHmac('sha256', key).update(parts.join('\n')).digest('hex')
